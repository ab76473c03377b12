"""A subgroup-level function whose vectors are in blocks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.same_value import is_tile_vector
from xetile.dialects.traits import Elementwise, has_trait
from xetile.dialects.upstream.vector.vector_support import vector_of, vector_type
from xetile.dialects.xetile import TilePackOp, TileType, TileUnpackOp
from xetile.errors import fail
from xetile.planning.xe.blocks import Blocks
from xetile.planning.xe.roles import Block
from xetile.rewriting.one_to_many import Expansion, Form, Parts
from xetile.rewriting.rewriter import Handlers, remade
from xetile.targets.xe.device import XeDevice


@dataclass(eq=False)
class Packed(Parts):
    """A vector of rank 2 as one 4D value of blocks."""

    block: Block

    @property
    def value(self) -> SSAValue:
        return self.values[0]


class BlockedView(Expansion):
    """A function whose vectors are in blocks."""

    def __init__(
        self, function: Operation, handlers: Handlers[Self], target: XeDevice
    ) -> None:
        super().__init__(function, handlers)
        self.blocks = Blocks(function, target)

    def packed(self, value: SSAValue, block: Block) -> SSAValue:
        return self.repack(self.get(value), block).value

    def blocked(self, value: SSAValue) -> Packed:
        """Return an old vector in its blocks, or in those of its home if it is whole."""
        became = self.get(value)
        if isinstance(became, Packed):
            return became
        return self.repack(became, self.blocks.home(value))

    def repack(self, became: Form, block: Block) -> Packed:
        if isinstance(became, Packed) and became.block == block:
            return became
        whole = self.unpacked(became)
        return Packed([self.new(TilePackOp(whole, block))], block)

    def unpacked(self, became: Form) -> SSAValue:
        if not isinstance(became, Parts):
            return became
        assert isinstance(became, Packed)
        return self.new(TileUnpackOp(became.value))

    def single(self, value: SSAValue) -> SSAValue:
        return self.unpacked(self.get(value))

    def bind_blocks(
        self, op: Operation, operands: Sequence[SSAValue], block: Block
    ) -> Operation:
        types = [blocked_type(result, block) for result in op.results]
        made = self.emit(remade(op, operands, types))
        for old, new in zip(op.results, made.results, strict=True):
            self.bind(old, Packed([new], block))
        return made

    def on_blocks(self, op: Operation, block: Block) -> None:
        """Emit an op whose vectors, of rank 2, all have the same blocks."""
        operands = [
            self.packed(v, block) if is_tile_vector(v.type) else self.single(v)
            for v in op.operands
        ]
        self.bind_blocks(op, operands, block)

    def loop_parts(self, argument: SSAValue, init: Form) -> Form:
        if not is_tile_vector(argument.type):
            return init
        return self.repack(init, self.blocks.home(argument))

    def adapt(self, became: Form, like: Form) -> Form:
        if isinstance(like, Packed):
            return self.repack(became, like.block)
        return self.unpacked(became)

    def rewrite(self, op: Operation) -> None:
        """Rewrite an op; one without vectors or tiles of rank 2 has no blocks, and is copied."""
        values = (*op.operands, *op.results)
        if op.name in self.handlers and not any(_has_blocks(value.type) for value in values):
            self.copy(op)
        else:
            super().rewrite(op)

    def other(self, op: Operation) -> None:
        if has_trait(op, Elementwise) and any(
            is_tile_vector(result.type) for result in op.results
        ):
            self.on_blocks(op, self.blocks.home(op.results[0]))
        else:
            self._check_tiles(op)
            self.copy(op)

    def _check_tiles(self, op: Operation) -> None:
        """Refuse blocked tiles as operands of ops outside this pass's control, such as calls: types must agree."""
        if op.name.startswith("xetile."):
            return
        for operand in op.operands:
            if (
                isinstance(operand.type, TileType)
                and self.single(operand).type != operand.type
            ):
                fail(
                    op,
                    f"'{op.name}' takes a tile, whose blocks are chosen here and would change its type; "
                    "hand it the memref and the offsets, and make the tile where it is used",
                )


def _has_blocks(type: Attribute) -> bool:
    return is_tile_vector(type) or (isinstance(type, TileType) and type.get_num_dims() == 2)


def blocked_type(value: SSAValue, block: Block) -> VectorType[Attribute]:
    """Return the 4D type of a vector of rank 2 in blocks."""
    type = vector_type(value)
    rows, columns = type.get_shape()
    return vector_of(type.element_type, (rows // block[0], columns // block[1], *block))

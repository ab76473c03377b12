"""Cut subgroup-level tiles and vectors into the blocks that the hardware moves and multiplies.

Before:

    %a = xetile.load_tile %ta : !xetile.tile<32x32xf16> -> vector<32x32xf16>
    %b = xetile.load_tile %tb : !xetile.tile<32x64xf16> -> vector<32x64xf16>
    %d = xetile.tile_mma %a, %b, %c : vector<32x32xf16>, vector<32x64xf16>, vector<32x64xf32> -> ...

After (%c is kept in blocks of 8x16 throughout, loops included):

    %a = xetile.load_tile %ta : !xetile.tile<32x32xf16, #xetile.tile_attr<inner_blocks = [32, 16]>>
        -> vector<1x2x32x16xf16>
    %b = xetile.load_tile %tb : ... -> vector<1x4x32x16xf16>
    %a2 = xetile.tile_unpack %a {inner_blocks = array<i64: 32, 16>} : ... -> vector<32x32xf16>
    %a4 = xetile.tile_pack %a2 {inner_blocks = array<i64: 8, 16>} : ... -> vector<4x2x8x16xf16>
    (the same for %b, in blocks of 16x16)
    %d = xetile.tile_mma %a4, %b4, %c
        : vector<4x2x8x16xf16>, vector<2x4x16x16xf16>, vector<4x4x8x16xf32> -> vector<4x4x8x16xf32>

The blocks come from `xetile.analysis.blocks`. Where a value is needed in the block it is kept in, nothing is
repacked; so no pair of tile_pack and tile_unpack that cancels is made.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, VectorType
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from xetile.analysis.blocks import Block, Blocks
from xetile.analysis.constants import dense_value, is_splat, splat_of_type
from xetile.analysis.kernels import functions, holds_dialect, level
from xetile.analysis.same_value import is_elementwise, is_tile_vector
from xetile.dialects.xetile import InitTileOp, TilePackOp, TileType, TileUnpackOp
from xetile.errors import fail
from xetile.passes.expansion import Expansion, Parts
from xetile.targets.device import Device, device


class Packed(Parts):
    """A vector of rank 2 as one 4D value of blocks."""

    __slots__ = ("block",)

    def __init__(self, value: SSAValue, block: Block) -> None:
        super().__init__([value])
        self.block = block

    @property
    def value(self) -> SSAValue:
        """The 4D value."""
        return self.values[0]


class BlockedView(Expansion):
    """A function whose vectors are kept in blocks."""

    handlers: ClassVar[Mapping[str, Callable[..., None]]] = {}

    def __init__(self, function: Operation, target: Device) -> None:
        self.blocks = Blocks(function, target)
        super().__init__(function)

    def packed(self, value: SSAValue, block: Block) -> SSAValue:
        """An old vector in blocks of the given shape, as a 4D value."""
        return self.repack(self.get(value), block).value

    def repack(self, became: Parts | SSAValue, block: Block) -> Packed:
        """A value in blocks of the given shape."""
        if isinstance(became, Packed) and became.block == block:
            return became
        whole = self.unpacked(became)
        return Packed(self.emit_value(TilePackOp(whole, block)), block)

    def unpacked(self, became: Parts | SSAValue) -> SSAValue:
        """A value as a vector of rank 2."""
        if not isinstance(became, Parts):
            return became
        assert isinstance(became, Packed)
        return self.emit_value(TileUnpackOp(became.value))

    def single(self, value: SSAValue) -> SSAValue:
        """Ops that know no blocks get the vector of rank 2."""
        return self.unpacked(self.get(value))

    def loop_parts(self, argument: BlockArgument, init: Parts | SSAValue) -> Parts | SSAValue:
        """Loops carry vectors in the block that they are kept in."""
        if not is_tile_vector(argument.type):
            return init
        return self.repack(init, self.blocks.home(argument))

    def adapt(self, became: Parts | SSAValue, like: Parts | SSAValue) -> Parts | SSAValue:
        """A yielded vector in the block in which it is carried."""
        if isinstance(like, Packed):
            return self.repack(became, like.block)
        return self.unpacked(became) if isinstance(became, Packed) else became

    def other(self, op: Operation) -> None:
        """Elementwise ops work on blocks; all else on whole vectors."""
        if is_elementwise(op) and any(is_tile_vector(result.type) for result in op.results):
            _elementwise(self, op)
        else:
            super().other(op)


def _grid(type: Attribute, block: Block) -> VectorType[Attribute]:
    vector = cast(VectorType[Attribute], type)
    rows, columns = vector.get_shape()
    shape = (rows // block[0], columns // block[1], *block)
    return VectorType(vector.element_type, shape)


def _copy(op: Operation, operands: Sequence[SSAValue], types: Sequence[Attribute]) -> Operation:
    return type(op).create(
        operands=operands,
        result_types=types,
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        location=op.location,
    )


def _init_tile(view: BlockedView, op: Operation) -> None:
    assert isinstance(op, InitTileOp)
    tile = op.tile.type
    if tile.scattered:
        Expansion.other(view, op)
        return
    blocked = tile.with_(inner_blocks=view.blocks.tile_block(op.tile))
    operands = [view.single(operand) for operand in op.operands]
    view.bind(op.tile, view.emit_value(_copy(op, operands, [blocked])))


def _load_tile(view: BlockedView, op: Operation) -> None:
    tile = view.single(op.operands[0])
    block = cast(TileType, tile.type).inner_blocks
    if block is None or not is_tile_vector(op.results[0].type):
        Expansion.other(view, op)
        return
    loaded = view.emit_value(_copy(op, [tile], [_grid(op.results[0].type, block)]))
    view.bind(op.results[0], Packed(loaded, block))


def _store_tile(view: BlockedView, op: Operation) -> None:
    tile = view.single(op.operands[1])
    block = cast(TileType, tile.type).inner_blocks
    if block is None or not is_tile_vector(op.operands[0].type):
        Expansion.other(view, op)
        return
    view.emit(_copy(op, [view.packed(op.operands[0], block), tile], []))


def _update_tile_offset(view: BlockedView, op: Operation) -> None:
    operands = [view.single(operand) for operand in op.operands]
    view.bind(op.results[0], view.emit_value(_copy(op, operands, [operands[0].type])))


def _tile_mma(view: BlockedView, op: Operation) -> None:
    if not is_tile_vector(op.results[0].type):
        Expansion.other(view, op)
        return
    m, n, k = view.blocks.product_block(op)
    operands = [view.packed(op.operands[0], (m, k)), view.packed(op.operands[1], (k, n))]
    operands.extend(view.packed(accumulator, (m, n)) for accumulator in op.operands[2:])
    result = view.emit_value(_copy(op, operands, [_grid(op.results[0].type, (m, n))]))
    view.bind(op.results[0], Packed(result, (m, n)))


def _constant(view: BlockedView, op: Operation) -> None:
    value = dense_value(op)
    if not is_tile_vector(op.results[0].type) or value is None:
        Expansion.other(view, op)
        return
    block = view.blocks.home(op.results[0])
    type = _grid(op.results[0].type, block)
    if not is_splat(value):
        Expansion.other(view, op)
        view.bind(op.results[0], view.repack(view.get(op.results[0]), block))
        return
    constant = _copy(op, [], [type])
    constant.properties["value"] = splat_of_type(value, type)
    view.bind(op.results[0], Packed(view.emit_value(constant), block))


def _elementwise(view: BlockedView, op: Operation) -> None:
    block = view.blocks.home(op.results[0])
    operands = [
        view.packed(v, block) if is_tile_vector(v.type) else view.single(v) for v in op.operands
    ]
    types = [_grid(result.type, block) for result in op.results]
    made = view.emit(_copy(op, operands, types))
    for old, new in zip(op.results, made.results, strict=True):
        view.bind(old, Packed(new, block))


BlockedView.handlers = {
    "xetile.init_tile": _init_tile,
    "xetile.load_tile": _load_tile,
    "xetile.store_tile": _store_tile,
    "xetile.update_tile_offset": _update_tile_offset,
    "xetile.tile_mma": _tile_mma,
    "arith.constant": _constant,
}


@dataclass(frozen=True)
class XeTileBlocking(ModulePass):
    """Cut subgroup-level tiles and vectors into the device's blocks.

    Parameters:
        device: the device that is lowered for: pvc, bmg, lnl, ptl, cri.
    """

    name = "xetile-blocking"

    device: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Block every function that holds subgroup-level tiles; others stay as they are."""
        target = device(self.device)
        for function in list(functions(op)):
            if not holds_dialect(function, "xetile"):
                continue
            if level(function) == "workgroup":
                fail(function, "the kernel is at workgroup level; run xetile-wg-to-sg first")
            BlockedView(function, target).run()

"""Give each way of using a tile a tile of its own.

Loads, stores, prefetches and atomics need different blocks and messages; a tile used in several ways would get
conflicting requests.

Before:

    %t = xetile.init_tile %A[%m, %n] : memref<1024x1024xf32> -> !xetile.tile<32x64xf32>
    %v = xetile.load_tile %t : !xetile.tile<32x64xf32> -> vector<32x64xf32>
    xetile.store_tile %v, %t : vector<32x64xf32>, !xetile.tile<32x64xf32>

After:

    %t = xetile.init_tile %A[%m, %n] : memref<1024x1024xf32> -> !xetile.tile<32x64xf32>
    %t_1 = xetile.init_tile %A[%m, %n] : memref<1024x1024xf32> -> !xetile.tile<32x64xf32>
    %v = xetile.load_tile %t : !xetile.tile<32x64xf32> -> vector<32x64xf32>
    xetile.store_tile %v, %t_1 : vector<32x64xf32>, !xetile.tile<32x64xf32>
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from xetile.analysis.module_kernels import functions, holds_dialect
from xetile.analysis.same_value import Classes, carried_pairs
from xetile.dialects.traits import MakesTile, MovesTile, has_trait
from xetile.dialects.xetile import InitTileOp, TileType, UpdateTileOffsetOp
from xetile.errors import fail
from xetile.planning.decided import decided
from xetile.rewriting.one_to_many import Expansion, Form, Parts
from xetile.rewriting.rewriter import Handlers, on, remade
from xetile.rewriting.straight_blocks import merge_straight_blocks


@dataclass(eq=False)
class Uses(Parts):
    """One tile for each way of using it."""

    kinds: Sequence[str]

    def tile(self, kind: str) -> SSAValue:
        return self.values[self.kinds.index(kind)]


class DuplicatedView(Expansion):
    """A function with one tile for each way of using it."""

    def __init__(self, function: Operation, handlers: Handlers[Self]) -> None:
        super().__init__(function, handlers)
        self.uses = _tile_uses(function)

    def tiles(self, value: SSAValue) -> Uses:
        became = self.get(value)
        if isinstance(became, Uses):
            return became
        return self.alike(self.single(value), self.uses(value))

    def alike(self, tile: SSAValue, kinds: Sequence[str]) -> Uses:
        return Uses([tile] * len(kinds), kinds)

    def for_use(self, op: Operation, kind: str) -> Operation:
        operands = [
            self.tiles(v).tile(kind) if isinstance(v.type, TileType) else self.single(v)
            for v in op.operands
        ]
        return remade(op, operands, op.result_types)

    def loop_parts(self, argument: SSAValue, init: Form) -> Form:
        if isinstance(argument.type, TileType) and not isinstance(init, Parts):
            return self.alike(init, self.uses(argument))
        return init

    def adapt(self, became: Form, like: Form) -> Form:
        if isinstance(like, Uses) and not isinstance(became, Parts):
            return self.alike(became, like.kinds)
        return super().adapt(became, like)

    def other(self, op: Operation) -> None:
        if all(not isinstance(operand.type, TileType) for operand in op.operands):
            self.copy(op)
            return
        if not op.name.startswith("xetile."):
            fail(op, f"'{op.name}' cannot take a tile inside a kernel that is lowered")
        copy = self.emit(self.for_use(op, op.name))
        for old, new in zip(op.results, copy.results, strict=True):
            self.bind(old, new)


def _duplicate(view: DuplicatedView, op: Operation) -> None:
    """Repeat an op that makes a tile for each way of using the tile."""
    kinds = view.uses(op.results[0])
    tiles = [view.new(view.for_use(op, kind)) for kind in kinds]
    view.bind(op.results[0], Uses(tiles, kinds))


_HANDLERS: Handlers[DuplicatedView] = {
    **on(InitTileOp, _duplicate),
    **on(UpdateTileOffsetOp, _duplicate),
}


def _tile_uses(function: Operation) -> Callable[[SSAValue], tuple[str, ...]]:
    """Return a function that lists the ops that use a tile's class, in program order; at least one."""
    classes = Classes[tuple[str, ...]](
        lambda left, right: tuple(dict.fromkeys((*left, *right)))
    )
    operations = list(function.walk())
    for op in operations:
        for left, right in carried_pairs(op):
            if isinstance(left.type, TileType):
                classes.unite(left, right)
        if has_trait(op, MovesTile):
            classes.unite(op.results[0], op.operands[0])
    for op in operations:
        if op.name.startswith("xetile.") and not has_trait(op, MakesTile):
            for operand in op.operands:
                if isinstance(operand.type, TileType):
                    classes.give(operand, (op.name,))
    return lambda tile: classes.fact(tile) or ("unused",)


@dataclass(frozen=True)
class XeTileInitDuplicate(ModulePass):
    """Give each way of using a tile (load, store, prefetch, atomic) a tile of its own."""

    name = "xetile-init-duplicate"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(functions(op)):
            if holds_dialect(function, "xetile"):
                merge_straight_blocks(function)
                duplicate(function)


def duplicate(function: Operation) -> None:
    """Give each way of using a tile of a function a tile of its own."""
    view = DuplicatedView(function, _HANDLERS)
    view.run()
    decided(function, view)

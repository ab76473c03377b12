"""The distributions that an op needs of its operands to make its result in some distribution."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from xdsl.ir import Operation, SSAValue

from xetile.analysis.barriers import WrittenMemory
from xetile.analysis.constants import dense_value, integers_of, is_splat
from xetile.analysis.maps.links import has_map
from xetile.analysis.maps.rules import broadcast_dims
from xetile.analysis.same_value import Classes, carried_pairs, vector_shape
from xetile.dialects.traits import (
    Elementwise,
    MakesTile,
    MovesTile,
    ReadsTile,
    UpdatesTile,
    has_trait,
)
from xetile.dialects.xetile import (
    InitTileOp,
    TileBroadcastOp,
    TileConvLayoutOp,
    TileReduceOp,
    TileTransposeOp,
    TileType,
    WorkgroupMapAttr,
)
from xetile.layout.algebra.block_grids import Distribution
from xetile.layout.algebra.own_pieces import own_pieces

Operands = Sequence[tuple[SSAValue, Distribution]]
"""Operands of rank 2, each with the distribution in which an op takes it."""

_TRANSPOSES = (TileTransposeOp.name, "vector.transpose")
_BROADCASTS = (TileBroadcastOp.name, "vector.broadcast")
_REARRANGING = (*_TRANSPOSES, *_BROADCASTS, TileConvLayoutOp.name, TileReduceOp.name)
_REMADE = ("vector.create_mask", "vector.constant_mask")


def carries(op: Operation) -> bool:
    """Return True if an op passes its values of rank 2 on unchanged: control flow, and moves of tiles."""
    return bool(op.regions) or op.name in ("scf.yield", "scf.condition")


class Needs:
    """The values of a workgroup-level function: the distributions of their maps, and the ops that make them."""

    def __init__(
        self, function: Operation, maps: Mapping[SSAValue, WorkgroupMapAttr], most_units: int
    ) -> None:
        self.function = function
        self.operations = list(function.walk())
        self.maps = maps
        self._most_units = most_units
        self._home: dict[SSAValue, Distribution] = {}
        self._keep: dict[Operation, bool] = {}

    def home(self, value: SSAValue) -> Distribution:
        """Return the distribution of a value's map."""
        if value not in self._home:
            shape = (
                value.type.shape if isinstance(value.type, TileType) else vector_shape(value)
            )
            self._home[value] = self.maps[value].distribution(shape)
        return self._home[value]

    def mapped(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """Return the values that have a map."""
        return [value for value in values if value in self.maps]

    @cached_property
    def classes(self) -> Classes[tuple[SSAValue, ...]]:
        """The values that loops, branches and moves make one; the fact of a class is the values that other ops make."""
        classes = Classes[tuple[SSAValue, ...]](lambda left, right: left + right)
        for op in self.operations:
            for left, right in carried_pairs(op):
                if has_map(left.type):
                    classes.unite(left, right)
            if has_trait(op, MovesTile):
                classes.unite(op.results[0], op.operands[0])
        for op in self.operations:
            if not carries(op):
                for result in self.mapped(op.results):
                    classes.give(result, (result,))
        return classes

    # Ops that move data between subgroups.

    def turns(self, op: Operation) -> bool:
        """Return True if an op transposes rows and columns."""
        return op.name in _TRANSPOSES and integers_of(op, "permutation") == [1, 0]

    def source_of(
        self, op: Operation, made: Distribution | None = None
    ) -> Distribution | None:
        """Return the distribution of a rearranging op's source for which no data moves, or None for other ops."""
        if op.name not in _REARRANGING or op.operands[0] not in self.maps:
            return None
        target = self.home(op.results[0]) if made is None else made
        shape = self.home(op.operands[0]).shape
        if op.name in _TRANSPOSES:
            return target.transposed() if self.turns(op) else target
        if isinstance(op, TileConvLayoutOp):
            return target
        whole: Sequence[int] = (1, 1)
        dims = broadcast_dims(op) if op.name in _BROADCASTS else ()
        if isinstance(op, TileReduceOp):
            whole, dims = shape, op.reduction_dims.get_values()
        unit = [whole[d] if d in dims else n for d, n in enumerate(target.unit)]
        return target.with_units(shape, unit)

    def moves(self, op: Operation) -> bool:
        """Return True if an op moves data between subgroups when values are distributed as their maps say."""
        wanted = self.source_of(op)
        if wanted is None:
            return False
        home = self.home(op.operands[0])
        if isinstance(op, TileReduceOp):
            home, wanted = reduced(op, home, self.home(op.result))
        return own_pieces(home, wanted) is None

    # What makes a value.

    def operands(self, op: Operation, made: Distribution) -> Operands | None:
        """Return the operands that an op needs to make its first result as `made`; None if only the map's way works."""
        if made == self.home(op.results[0]):
            return self.usual(op)
        if made.local_units > self._most_units:
            return None
        vectors = self.mapped(op.operands)
        if isinstance(op, InitTileOp):
            return None if _cuts_blocks(op, made) else [(v, made) for v in vectors]
        if has_trait(op, ReadsTile):
            return None if self._keeps(op) else [(v, made) for v in vectors]
        if has_trait(op, MovesTile) or (has_trait(op, Elementwise) and not op.regions):
            return [(v, made) for v in vectors]
        if not vectors:
            return [] if _is_remade(op) else None
        if isinstance(op, TileReduceOp):
            return None
        wanted = self.source_of(op, made)
        return None if wanted is None else [(vectors[0], wanted)]

    def usual(self, op: Operation) -> Operands:
        """Return the operands of an op, distributed as their maps say."""
        return [(value, self.home(value)) for value in self.mapped(op.operands)]

    @cached_property
    def written(self) -> WrittenMemory:
        """The memory that the function writes, and the barriers between the writes."""
        return WrittenMemory(self.function)

    def _keeps(self, load: Operation) -> bool:
        """Return True if a load must follow its map whatever that costs."""
        if has_trait(load, UpdatesTile):
            return True
        if load not in self._keep:
            blocks = any(
                isinstance(v.type, TileType) and v.type.inner_blocks is not None
                for v in load.operands
            )
            self._keep[load] = blocks or self.written.meets(load)
        return self._keep[load]

    def droppable(self, op: Operation) -> bool:
        """Return True if an op need not follow its map when its mapped result has no users."""
        if has_trait(op, ReadsTile):
            return not has_trait(op, UpdatesTile)
        return has_trait(op, MakesTile, Elementwise) or (
            op.name.partition(".")[0] in ("xetile", "vector", "arith") and not op.regions
        )


def reduced(
    op: TileReduceOp, source: Distribution, target: Distribution
) -> tuple[Distribution, Distribution]:
    """Return the partial results that subgroups have of their own units, and those that units of the result need."""
    dims = op.reduction_dims.get_values()
    counts = [
        source.units(d) // source.rounds(d) if d in dims else n
        for d, n in enumerate(source.shape)
    ]
    unit = [1 if d in dims else n for d, n in enumerate(source.unit)]
    wanted = [counts[d] if d in dims else n for d, n in enumerate(target.unit)]
    return source.with_units(counts, unit), target.with_units(counts, wanted)


def _cuts_blocks(op: InitTileOp, made: Distribution) -> bool:
    blocks = op.tile.type.inner_blocks
    return blocks is not None and any(n % b for n, b in zip(made.unit, blocks, strict=True))


def _is_remade(op: Operation) -> bool:
    """Return True for constants that repeat an element, splats and masks, which need no data."""
    if op.name == "arith.constant":
        value = dense_value(op)
        return value is not None and is_splat(value)
    if op.name == "vector.broadcast":
        return not hasattr(op.operands[0].type, "get_num_dims")
    return op.name in _REMADE

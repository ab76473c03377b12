"""Tiles without messages: address, corner, extents and strides, as far as they change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Self

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, VectorType, i1, i64
from xdsl.ir import Operation, SSAValue

from xetile.analysis.ranges import Interval, Ranges, infer_ranges, type_interval
from xetile.dialects.index_lists import Mixed
from xetile.dialects.upstream import arith
from xetile.planning.xe.fallbacks import Family, memory_of
from xetile.rewriting.one_to_many import Expansion, Offset, Parts
from xetile.rewriting.rewriter import Handlers
from xetile.targets.target import INDEX_BITS

Part = Literal["base", "row", "column", "height", "width", "down", "across"]
"""The parts of a tile: an address (bytes); beginning, extents and strides of both dimensions (elements)."""

_CORNER: tuple[Part, ...] = ("row", "column")
_UNBOUNDED = 1 << INDEX_BITS
PARTS: tuple[Part, ...] = ("base", *_CORNER, "height", "width", "down", "across")


@dataclass(eq=False)
class Fallen(Parts):
    """A tile that is accessed element by element: the parts that loops carry, in order, and the fixed parts."""

    carried: Sequence[Part]
    fixed: Mapping[Part, Offset]
    not_before: tuple[bool, bool]
    """(True, True) if no row and no column can lie before the first one of the matrix."""

    def part(self, name: Part) -> Offset:
        """Return the current value of one of the parts."""
        if name in self.carried:
            return self.values[self.carried.index(name)]
        return self.fixed[name]

    @property
    def base(self) -> SSAValue:
        found = self.part("base")
        assert isinstance(found, SSAValue)
        return found

    def agrees_with(self, other: Parts) -> bool:
        """Return True if a loop may carry `other`: it carries the same parts, and the others are known at the loop."""
        return (
            super().agrees_with(other)
            and isinstance(other, Fallen)
            and list(self.carried) == list(other.carried)
        )


class FallbackView(Expansion):
    """A function that accesses the tiles of some families by gathers and scatters."""

    def __init__(
        self, function: Operation, handlers: Handlers[Self], fallen: Sequence[Family]
    ) -> None:
        super().__init__(function, handlers)
        self.families = {made: family for family in fallen for made in family.beginnings}
        self._accessed = {op: family for family in fallen for op in family.accesses}
        self._ranges: Ranges = infer_ranges(function)

    def fallen(self, tile: SSAValue) -> Fallen | None:
        """Return the parts of a tile that messages do not reach, or None for other tiles."""
        became = self.get(tile)
        return became if isinstance(became, Fallen) else None

    def carried(self, family: Family) -> tuple[Part, ...]:
        """Return the parts that change as a family's tiles move: all parts if it begins in several places."""
        if len(family.beginnings) > 1:
            return PARTS
        steps = [move.mixed_offsets for move in family.moves]
        return tuple(
            part for d, part in enumerate(_CORNER) if any(step[d] != 0 for step in steps)
        )

    def never_before(self, family: Family) -> tuple[bool, bool]:
        """Return for rows and for columns if a family's tiles never begin before the first one of their matrix."""

        def at_least_zero(dimension: int) -> bool:
            numbers = [op.mixed_offsets[-2:][dimension] for op in family.beginnings]
            numbers += [op.mixed_offsets[dimension] for op in family.moves]
            return all(self._interval(number).low >= 0 for number in numbers)

        return at_least_zero(0), at_least_zero(1)

    def inside(self, access: Operation) -> tuple[bool, bool]:
        """Return for rows and for columns if an access provably stays inside the matrix."""
        family = self._accessed[access]
        if len(family.beginnings) > 1:
            return False, False
        (made,) = family.beginnings
        sizes, _ = memory_of(made)
        before = self.never_before(family)

        def inside(dimension: int) -> bool:
            last = self._interval(made.mixed_offsets[-2:][dimension]).high
            for move in family.moves:
                step = self._interval(move.mixed_offsets[dimension])
                if step != (0, 0):
                    last += step.high * self._times(move, made, access)
            last += family.type.shape[dimension]
            return before[dimension] and last <= self._interval(sizes[-2:][dimension]).low

        return inside(0), inside(1)

    def _times(self, move: Operation, made: Operation, access: Operation) -> int:
        """Return how often a tile may have been moved when it is accessed."""
        count, op = 1, move.parent_op()
        while op is not None and op is not self.function and not op.is_ancestor(made):
            count *= self._rounds(op)
            op = op.parent_op()
        first = access.parent is move.parent and access.is_before_in_block(move)
        return count - 1 if first else count

    def _rounds(self, op: Operation) -> int:
        """Return how often the regions of an op execute at most."""
        if op.name != "scf.for":
            return 1 if op.name in ("scf.if", "scf.index_switch") else _UNBOUNDED
        low, high, step = map(self._interval, op.operands[:3])
        return max(0, -((low.low - high.high) // step.low)) if step.low > 0 else _UNBOUNDED

    def _interval(self, value: Mixed) -> Interval:
        if isinstance(value, int):
            return Interval(value, value)
        found = self._ranges.get(value) or type_interval(value.type)
        assert found is not None
        return found

    # Vectors.

    def indices(self, shape: Sequence[int], numbers: Sequence[int]) -> SSAValue:
        """Return a constant vector of indices, made once for a function."""
        type = VectorType(IndexType(), shape)

        def make() -> Operation:
            return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(type, numbers))

        return self.shared(("indices", type, *numbers), make)

    def constant_mask(self, shape: Sequence[int], *, value: bool) -> SSAValue:
        """Return a mask that is the same everywhere, made once for a function."""
        type = VectorType(i1, shape)

        def make() -> Operation:
            return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(type, [int(value)]))

        return self.shared(("mask", type, value), make)

    def subtract(self, left: Offset, right: Offset) -> Offset:
        """Return the difference of two offsets, computed now if both are known."""
        if isinstance(left, int) and isinstance(right, int):
            return left - right
        if right == 0:
            return left
        return self.new(arith.SubiOp(self.index(left), self.index(right)))

    def address(self, index: Offset) -> SSAValue:
        """Return an index as an address."""
        return self.new(arith.IndexCastOp(self.index(index), i64))

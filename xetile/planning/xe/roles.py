"""The uses for which vectors are loaded: an operand of matrix products, the accumulator, or anything else.

A slice of a vector of rank 2 is a box of it, measured in blocks.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import copysign, gcd
from typing import Literal, NamedTuple, cast

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.same_value import Classes, carried_pairs, is_tile_vector, vector_shape
from xetile.dialects.traits import Elementwise, HandsOn, SameElements, has_trait
from xetile.dialects.upstream.vector import ExtractStridedSliceOp
from xetile.dialects.xetile import (
    LoadGatherOp,
    LoadTileOp,
    TileMMAOp,
    TilePackOp,
    TileTransposeOp,
)
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.targets.xe.dpas import depth

Block = tuple[int, int]
"""Rows and columns (elements)."""


class Slice(NamedTuple):
    """The box that a slice takes from a vector of rank 2 (elements)."""

    offsets: tuple[int, int]
    sizes: tuple[int, int]

    def whole_blocks(self, block: Block) -> Block:
        """Return the largest block that divides `block` and tiles the box."""
        rows, columns = (
            gcd(*extents) for extents in zip(block, self.offsets, self.sizes, strict=True)
        )
        return rows, columns

    def blocks_around(self, block: Block, shape: Sequence[int]) -> Block:
        """Return the largest such block that also tiles the vector of this shape."""
        rows, columns = (
            gcd(extent, whole)
            for extent, whole in zip(self.whole_blocks(block), shape, strict=True)
        )
        return rows, columns


def slice_of(op: Operation) -> Slice | None:
    """Return the box of a vector.extract_strided_slice of rank 2, including dimensions that it does not name."""
    if not isinstance(op, ExtractStridedSliceOp) or not is_tile_vector(op.source.type):
        return None
    named = [offset.value.data for offset in op.offsets]
    rows, columns = (*named, *[0] * (2 - len(named)))
    height, width = vector_shape(op.result)
    return Slice((rows, columns), (height, width))


Role = Literal["a", "b", "c"]
"""The use of a loaded tile: as operand A or B of a matrix product, or in the accumulator's layout."""

Purpose = Role | Literal["transposed", "computed"] | None
"""A role; a transpose; an elementwise op, whose result has purposes too; None for any other use.

None also stands for values that do not have the order of memory.
"""

_DECIDING: tuple[Role, ...] = ("c", "a", "b")
"""The role that decides if a vector has several, most important first."""

_IN_WORDS: Mapping[Purpose, str] = {
    "a": "operand A",
    "b": "operand B",
    "c": "an accumulator",
    "transposed": "transposed",
    "computed": "computed with",
    None: "used otherwise",
}

_Purposes = frozenset[Purpose]


class Roles:
    """The uses of a function's vectors, whole and in blocks."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._uses = Classes[_Purposes](lambda left, right: left | right)
        for op in operations:
            self._relate(op)
        for op in operations:
            self._collect(op)

    def role(self, loads: Iterable[Operation]) -> Role:
        """Return the role that decides the register layout of these loads' results."""
        uses = self._of(loads)
        for role in _DECIDING:
            if role in uses:
                return role
        return "c"

    def is_only_b(self, loads: Iterable[Operation]) -> bool:
        """Return True if these loads only make operand B, directly, so that they may be packed for it."""
        return self._of(loads) == _only("b")

    def is_only_transposed(self, loads: Iterable[Operation]) -> bool:
        """Return True if the results of these loads, or elementwise results of them, are only transposed."""
        return self._of(loads) - _only("computed") == _only("transposed")

    def describe(self, loads: Iterable[Operation]) -> str:
        words = [_IN_WORDS[purpose] for purpose in _IN_WORDS if purpose in self._of(loads)]
        return " and ".join(words) or "not used"

    def _of(self, loads: Iterable[Operation]) -> _Purposes:
        found = (self._uses.fact(op.results[0]) for op in loads)
        return _Purposes().union(*(uses for uses in found if uses is not None))

    def _relate(self, op: Operation) -> None:
        for left, right in carried_pairs(op):
            if isinstance(left.type, VectorType):
                self._uses.unite(left, right)
        if has_trait(op, SameElements, Elementwise):
            for left, right in pairwise(_vectors(op)):
                self._uses.unite(left, right)
        elif isinstance(op, TileMMAOp) and op.c is not None:
            self._uses.unite(op.result, op.c)

    def _collect(self, op: Operation) -> None:
        if isinstance(op, TileMMAOp):
            self._uses.give(op.a, _only("a"))
            self._uses.give(op.b, _only("b"))
            self._uses.give(op.result, _only("c"))
        elif isinstance(op, LoadTileOp):
            if pads(op):
                self._uses.give(op.result, _only(None))
        elif isinstance(op, TileTransposeOp):
            self._uses.give(op.source, _only("transposed" if _turns(op) else None))
            self._uses.give(op.result, _only(None))
        elif not has_trait(op, SameElements, HandsOn) or _cuts_packed_rows(op):
            purpose = "computed" if has_trait(op, Elementwise) else None
            for value in _vectors(op):
                self._uses.give(value, _only(purpose))


def _only(purpose: Purpose) -> _Purposes:
    return frozenset((purpose,))


def _turns(op: TileTransposeOp) -> bool:
    """Return True if rows become columns, also for blocked vectors."""
    return op.permutation.get_values()[:2] == (1, 0)


def _vectors(op: Operation) -> list[SSAValue]:
    return [v for v in (*op.results, *op.operands) if isinstance(v.type, VectorType)]


def pads(op: LoadTileOp | LoadGatherOp) -> bool:
    """Return True if a load needs a padding that accesses do not provide by themselves: other than positive zero."""
    padding = op.padding
    if not isinstance(padding, FloatAttr | IntegerAttr):
        return False
    number = cast("FloatAttr | IntegerAttr", padding).value.data
    return number != 0 or copysign(1, number) < 0


def _cuts_packed_rows(op: Operation) -> bool:
    """Return True if an op cuts a vector within the rows of B of one matrix instruction."""
    if isinstance(op, TilePackOp):
        rows = (op.inner_blocks.get_values()[0],)
    elif (box := slice_of(op)) is not None:
        rows = (box.offsets[0], box.sizes[0])
    else:
        return False
    bits = memory_bits(cast(VectorType[Attribute], op.results[0].type).element_type)
    return bits is not None and any(row % depth(bits) for row in rows)

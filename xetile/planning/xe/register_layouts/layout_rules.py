"""The relations between layouts of operands and results at level X: (register, lane) -> (dim0, dim1, ...).

Consider a 16x8 transposed into an 8x16:

    result   register -> (0, 8), (1, 0), (2, 0), (4, 0)    lane -> (0, 1), (0, 2), (0, 4), (0, 0)
    operand  register -> (8, 0), (0, 1), (0, 2), (0, 4)    lane -> (1, 0), (2, 0), (4, 0), (0, 0)

All extents are powers of two, so most ops match bits of the operand's coordinates with bits of the result's. A
transpose, a cast of the shape, a broadcast, a slice, a bitcast and a reduction differ in which bits have a match.
`Placement` defines where bits without a match lie.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Literal, NamedTuple

from xdsl.dialects.builtin import DYNAMIC_INDEX, VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.constants import integers_of
from xetile.dialects.traits import Elementwise, has_trait
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.hints import isa
from xetile.layout.algebra.f2 import multiply
from xetile.layout.algebra.linear_layout import LinearLayout

Placement = Literal["spread", "registers", "words"]
"""The place of bits without a match: in lanes that hold nothing else and then in the highest registers (a row that is
broadcast, a column that is summed), in the highest registers only, or in the lowest registers (parts of a word)."""

Shape = tuple[int, ...]

REGISTER, LANE = "register", "lane"

_COMPUTED = (
    "arith.constant",
    "ub.poison",
    "vector.constant_mask",
    "vector.create_mask",
    "vector.from_elements",
    "vector.step",
)


class Relation(NamedTuple):
    """The bits of the operand's coordinates that equal bits of the result's.

    `bits` has the operand's bit for each bit of the result, or None. Bits are counted as in a column of a layout.
    """

    operand: Shape
    result: Shape
    bits: tuple[int | None, ...]
    placement: Placement = "spread"

    def inverted(self) -> "Relation":
        """Return this relation with the operand and the result exchanged."""
        found = {theirs: ours for ours, theirs in enumerate(self.bits)}
        bits = tuple(found.get(bit) for bit in range(_width(self.operand)))
        return Relation(self.result, self.operand, bits, self.placement)


def is_computed(op: Operation) -> bool:
    """Return True if a vector is computed from coordinates of lanes and registers, in any layout that a user needs."""
    if op.name == "vector.broadcast":
        return not isa(op.operands[0].type, VectorType)
    return op.name in _COMPUTED and isa(op.results[0].type, VectorType)


def is_copied(op: Operation) -> bool:
    """Return True if an op gives every lane a whole vector of rank 0 or 1, as `vector.load` does."""
    types = [result.type for result in op.results]
    known = op.name in _RULES or op.name.startswith("xegpu.") or has_trait(op, Elementwise)
    return (
        not known
        and not op.regions
        and all(isa(type, VectorType) and type.get_num_dims() < 2 for type in types)
    )


def is_dealt_out(type: VectorType[Attribute]) -> bool:
    """Return True if registers and lanes can share a vector: its extents are powers of two."""
    return all(extent & (extent - 1) == 0 for extent in type.get_shape())


def relates_elements(op: Operation) -> bool:
    """Return True if an op that is not elementwise relates elements of vectors, and not only single elements."""
    vectors = [value for value in (*op.operands, *op.results) if isa(value.type, VectorType)]
    return op.name in _RULES and (len(vectors) > 1) and not _is_of_one_element(op)


def _is_of_one_element(op: Operation) -> bool:
    return op.name == "vector.insert" and not isa(op.operands[0].type, VectorType)


def replicated(shape: Sequence[int], lanes: int) -> LinearLayout:
    """Return the layout in which each lane holds all elements, row-major in its registers."""
    bits = row_major_bits(tuple(shape))
    columns = {REGISTER: tuple([1 << bit for bit in bits]), LANE: (0,) * _log2(lanes)}
    return LinearLayout.of_columns(columns, _widths(tuple(shape)))


@lru_cache(maxsize=4096)
def pulled(relation: Relation, result: LinearLayout) -> LinearLayout:
    """Return the operand's layout for a layout of the result; for an inverted relation, the reverse."""
    exact = repeating(relation, result)
    registers = [column for column in exact.in_columns[REGISTER] if column]
    lanes = list(exact.in_columns[LANE])
    matched = set(relation.bits)
    rest = [1 << bit for bit in row_major_bits(relation.operand) if bit not in matched]
    if relation.placement == "spread":
        free = [position for position, column in enumerate(lanes) if not column]
        for position, column in zip(free, rest, strict=False):
            lanes[position] = column
        rest = rest[len(free) :]
    registers = rest + registers if relation.placement == "words" else registers + rest
    columns = {REGISTER: tuple(registers), LANE: tuple(lanes)}
    return LinearLayout.of_columns(columns, _widths(relation.operand))


def repeating(relation: Relation, result: LinearLayout) -> LinearLayout:
    """Return the layout of the operand at each register and lane of the result; broadcast elements repeat."""
    moved = [0 if bit is None else 1 << bit for bit in relation.bits]
    columns = {
        name: tuple([multiply(moved, column) for column in columns])
        for name, columns in result.in_columns.items()
    }
    return LinearLayout.of_columns(columns, _widths(relation.operand))


def relation_of(op: Operation, index: int) -> Relation | None:
    """Return the relation between the coordinate bits of an operand and the result, or None if no layout follows."""
    operand = op.operands[index]
    if not isa(operand.type, VectorType) or not op.results:
        return None
    if has_trait(op, Elementwise):
        return _same(op, index)
    rule = _RULES.get(op.name)
    return None if rule is None else rule(op, index)


def _same(op: Operation, index: int) -> Relation:
    shape = _shape(op.operands[index])
    return Relation(shape, shape, tuple(range(_width(shape))))


def _accumulated(op: Operation, index: int) -> Relation | None:
    return _same(op, index) if index == 2 else None


def _transposed(op: Operation, _: int) -> Relation:
    permutation = integers_of(op, "permutation")
    return _by_dimension(op, 0, dict(enumerate(permutation)))


def _reshaped(op: Operation, _: int) -> Relation:
    operand, result = _shape(op.operands[0]), _shape(op.results[0])
    found = dict(zip(row_major_bits(result), row_major_bits(operand), strict=True))
    return Relation(operand, result, tuple(found[bit] for bit in range(_width(result))))


def _broadcast(op: Operation, _: int) -> Relation:
    operand, result = _shape(op.operands[0]), _shape(op.results[0])
    added = len(result) - len(operand)
    kept = {
        added + dimension: dimension
        for dimension, extent in enumerate(operand)
        if extent == result[added + dimension]
    }
    return _by_dimension(op, 0, kept)


def _extracted(op: Operation, index: int) -> Relation | None:
    """Drop the leading dimensions. Single elements are found in any layout, and have no relation."""
    if not isa(op.results[0].type, VectorType):
        return None
    position = integers_of(op, "static_position")
    rank = len(_shape(op.results[0]))
    kept = {dimension: dimension + len(position) for dimension in range(rank)}
    return _by_dimension(op, index, kept, _where(position))


def _inserted(op: Operation, index: int) -> Relation | None:
    if index:
        return _same(op, index)
    position = integers_of(op, "static_position")
    rank = len(_shape(op.operands[0]))
    kept = {dimension + len(position): dimension for dimension in range(rank)}
    return _by_dimension(op, index, kept, _where(position))


def _where(position: Sequence[int]) -> Placement:
    """Return "spread" if the lane is known, which is so only for static positions, else "registers"."""
    return "registers" if DYNAMIC_INDEX in position else "spread"


def _sliced(op: Operation, _: int) -> Relation:
    whole, part = _shape(op.operands[0]), _shape(op.results[0])
    offsets = integers_of(op, "offsets")
    return _box(whole, part, (*offsets, *[0] * (len(whole) - len(offsets))))


def _slice_inserted(op: Operation, index: int) -> Relation:
    if index:
        return _same(op, index)
    part, whole = _shape(op.operands[0]), _shape(op.results[0])
    added = len(whole) - len(part)
    offsets = integers_of(op, "offsets")
    box = _box(whole, (*[1] * added, *part), offsets).inverted()
    return box._replace(operand=part)


def _box(whole: Shape, part: Shape, offsets: Sequence[int]) -> Relation:
    """Match coordinates in a box with the lower bits if the box is aligned to its extents; else pick registers."""
    starts, bits = _starts(whole), list[int | None]()
    for dimension, (extent, offset) in enumerate(zip(part, offsets, strict=True)):
        at = starts[dimension]
        is_aligned = offset % extent == 0
        bits += [at + bit if is_aligned else None for bit in range(_log2(extent))]
    return Relation(whole, part, tuple(bits), "registers" if None in bits else "spread")


def _bitcast(op: Operation, _: int) -> Relation:
    """Relate the last dimension in words of another width; bits within one word have no match."""
    operand, result = vector_type(op.operands[0]), vector_type(op.results[0])
    before, after = operand.get_shape(), result.get_shape()
    if not before or before[-1] == after[-1]:
        return _same(op, 0)
    inside = _log2(after[-1]) - _log2(before[-1])
    starts = _starts(before), _starts(after)
    bits: list[int | None] = list(range(starts[1][-1]))
    for bit in range(_log2(after[-1])):
        moved = bit - inside
        bits.append(starts[0][-1] + moved if moved >= 0 else None)
    return Relation(before, after, tuple(bits), "words")


def _reduced(op: Operation, index: int) -> Relation:
    if index:
        return _same(op, index)
    dropped = [0] if op.name == "vector.reduction" else integers_of(op, "reduction_dims")
    rank = len(_shape(op.operands[0]))
    kept = [dimension for dimension in range(rank) if dimension not in dropped]
    return _by_dimension(op, 0, dict(enumerate(kept)))


def _shuffled(op: Operation, index: int) -> Relation:
    """Relate entries along the leading dimension, which are picked among registers."""
    rank = len(_shape(op.results[0]))
    return _by_dimension(op, index, {d: d for d in range(1, rank)}, "registers")


def _changed(op: Operation, index: int) -> Relation:
    """Relate the operands of an atomic op; the elements of a chunk have one mask."""
    return _same(op, index) if index == 2 else chunks(op.operands[index], op.results[0])


def chunks(first: SSAValue, whole: SSAValue) -> Relation:
    """Return the relation of chunk elements along the last dimension, each related to the chunk's first element."""
    outer, shape = _shape(first), _shape(whole)
    bits: list[int | None] = list(range(_width(outer)))
    return Relation(outer, shape, (*bits, *[None] * (_width(shape) - len(bits))), "registers")


def _by_dimension(
    op: Operation, index: int, kept: Mapping[int, int], placement: Placement = "spread"
) -> Relation:
    """Return a relation of whole dimensions; `kept` maps a dimension of the result to one of the operand."""
    operand, result = _shape(op.operands[index]), _shape(op.results[0])
    starts, bits = _starts(operand), list[int | None]()
    for dimension, extent in enumerate(result):
        source = kept.get(dimension)
        width = _log2(extent)
        bits += (
            [None] * width
            if source is None
            else [starts[source] + bit for bit in range(width)]
        )
    return Relation(operand, result, tuple(bits), placement)


def _shape(value: SSAValue) -> Shape:
    """Return the shape of a vector, or () for a scalar."""
    return tuple(vector_type(value).get_shape()) if isa(value.type, VectorType) else ()


def _log2(extent: int) -> int:
    return extent.bit_length() - 1


def _width(shape: Shape) -> int:
    return _log2(prod(shape))


def _widths(shape: Shape) -> dict[str, int]:
    return {f"dim{dimension}": _log2(extent) for dimension, extent in enumerate(shape)}


def _starts(shape: Sequence[int]) -> list[int]:
    """Return where in a column the bits of each dimension begin."""
    return [_width(tuple(shape[:dimension])) for dimension in range(len(shape))]


def row_major_bits(shape: Shape) -> list[int]:
    """Return the bits of a column from the fastest to the slowest in row-major order."""
    starts = _starts(shape)
    return [
        starts[dimension] + bit
        for dimension in reversed(range(len(shape)))
        for bit in range(_log2(shape[dimension]))
    ]


_RULES: Mapping[str, Callable[[Operation, int], Relation | None]] = {
    "vector.bitcast": _bitcast,
    "vector.broadcast": _broadcast,
    "vector.extract": _extracted,
    "vector.extract_strided_slice": _sliced,
    "vector.insert": _inserted,
    "vector.insert_strided_slice": _slice_inserted,
    "vector.multi_reduction": _reduced,
    "vector.reduction": _reduced,
    "vector.shape_cast": _reshaped,
    "vector.shuffle": _shuffled,
    "vector.transpose": _transposed,
    "xegpu.atomic_rmw": _changed,
    "xegpu.convert_layout": _same,
    "xegpu.dpas": _accumulated,
}

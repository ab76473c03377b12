"""Linear layouts as ops of the arith dialect: `LinearLayout.apply` on values that are computed at run time.

Consider the layout of 64 x 32 f16 elements in shared memory, swizzled by 16 bytes for each row:

    - offset=1 -> (0, 1), 2 -> (0, 2), ... 16 -> (0, 16)
    - offset=32 -> (1, 8), 64 -> (2, 16), 128 -> (4, 0), ... 1024 -> (32, 0)

For an `%offset` of type index, known to lie between 0 and 2047, it emits

    %row = arith.shrui %offset, %c5 : index
    %plain = arith.andi %offset, %c31 : index
    %0 = arith.shrui %offset, %c2 : index
    %phase = arith.andi %0, %c24 : index
    %column = arith.xori %plain, %phase : index

A component of the result is the exclusive or of parts. Each part is a coordinate masked and shifted: all bits that move
by the same distance form one part. Parts without a common bit are added, since address arithmetic absorbs additions.
This is not a pass; passes call it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TypeAlias

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, Signedness
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.ranges import Interval
from xetile.dialects.known_integers import known_integer
from xetile.dialects.upstream import arith
from xetile.errors import fail
from xetile.hints import isa
from xetile.layout.algebra.f2 import diagonals
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.targets.target import INDEX_BITS

Coordinate: TypeAlias = int | SSAValue
"""A coordinate: a number, or a value computed by an op."""

Emit: TypeAlias = Callable[[Operation], Operation]
"""Inserts an op and returns it: `Builder.insert`, `Expansion.emit`."""

_Integer: TypeAlias = IndexType | IntegerType


def apply_layout(
    layout: LinearLayout,
    coordinates: Mapping[str, Coordinate],
    emit: Emit,
    *,
    ranges: Mapping[SSAValue, Interval] | None = None,
) -> dict[str, Coordinate]:
    """Return the image of coordinates by out-dim: integers where it is known, else values of new ops.

    Bits past a dimension's size are masked unless `ranges` show that there are none. One call makes each op once, and
    none if the result is a coordinate itself. Coordinates are numbers, or values of one type, index or a signless
    integer.

    Errors: LayoutError if the names are not the in-dims; XetileError (at the value) if one is no integer, if types
    differ, or if one cannot represent an out-dim.
    """
    known = {name: _number(coordinate) for name, coordinate in coordinates.items()}
    constants = layout.apply({name: number or 0 for name, number in known.items()})
    values = {
        name: coordinate
        for name, coordinate in coordinates.items()
        if isinstance(coordinate, SSAValue) and known[name] is None
    }
    if not values:
        return dict(constants)
    emission = _Emission(_common_type(values), emit, ranges or {})
    return {
        name: emission.component(
            name,
            constants[name],
            _images(layout, values, place, (1 << width) - 1),
        )
        for name, width, place in layout.fields()
    }


def _images(
    layout: LinearLayout, values: Mapping[str, SSAValue], place: int, mask: int
) -> dict[SSAValue, list[int]]:
    """Return the images in one field of each value's bits; a value that is several coordinates combines theirs."""
    images: dict[SSAValue, list[int]] = {}
    for in_dim, value in values.items():
        own = [column >> place & mask for column in layout.in_columns[in_dim]]
        known = images.get(value, [])
        images[value] = [a ^ b for a, b in zip_longest(known, own, fillvalue=0)]
    return images


def _number(coordinate: Coordinate) -> int | None:
    return coordinate if isinstance(coordinate, int) else known_integer(coordinate)


def _common_type(values: Mapping[str, SSAValue]) -> _Integer:
    first, *others = values.values()
    type = first.type
    if not isa(type, _Integer) or _is_signed(type):
        fail(first, f"a coordinate of type {type}; expected index or a signless integer")
    for other in others:
        if other.type != type:
            fail(other, f"coordinates of types {type} and {other.type}; expected one type")
    return type


def _is_signed(type: _Integer) -> bool:
    return isa(type, IntegerType) and type.signedness.data is not Signedness.SIGNLESS


def _bits(type: Attribute) -> int:
    return type.width.data if isa(type, IntegerType) else INDEX_BITS


@dataclass(eq=False)
class _Emission:
    type: _Integer
    emit: Emit
    ranges: Mapping[SSAValue, Interval]
    made: dict[tuple[object, ...], SSAValue] = field(default_factory=dict)

    def component(
        self, name: str, constant: int, columns: Mapping[SSAValue, list[int]]
    ) -> Coordinate:
        """Return one out-dim from its known part and the images of each coordinate's bits."""
        total: Coordinate = 0
        occupied = 0
        for value, images in columns.items():
            for shift, mask in diagonals(images[: self.width(value)]):
                bits = mask << shift if shift > 0 else mask >> -shift
                self.check_fits(name, bits, value)
                total = self.sum(
                    total, self.part(value, mask, shift), disjoint=not occupied & bits
                )
                occupied |= bits
        if isinstance(total, SSAValue):
            self.check_fits(name, constant, total)
        return self.sum(total, constant, disjoint=not occupied & constant)

    def width(self, value: SSAValue) -> int:
        interval = self.ranges.get(value)
        if interval is None or interval.low < 0:
            return _bits(self.type)
        return interval.high.bit_length()

    def part(self, value: SSAValue, mask: int, shift: int) -> SSAValue:
        """Return `(value & mask) << shift`, shifted to the right if `shift` is negative."""
        possible = (1 << self.width(value)) - 1
        if shift < 0:
            value = self.binary(arith.ShRUIOp, value, -shift)
            possible, mask = possible >> -shift, mask >> -shift
        if mask != possible:
            value = self.binary(arith.AndIOp, value, mask)
        return self.binary(arith.ShLIOp, value, shift) if shift > 0 else value

    def sum(self, left: Coordinate, right: Coordinate, *, disjoint: bool) -> Coordinate:
        """Return the exclusive or of two parts, as their sum if they are disjoint."""
        if left == 0:
            return right
        if right == 0:
            return left
        assert isinstance(left, SSAValue)
        return self.binary(arith.AddiOp if disjoint else arith.XOrIOp, left, right)

    def binary(
        self,
        kind: Callable[[SSAValue, SSAValue], Operation],
        left: SSAValue,
        right: Coordinate,
    ) -> SSAValue:
        operand = self.constant(right) if isinstance(right, int) else right
        key = (kind, left, operand)
        if key not in self.made:
            self.made[key] = self.emit(kind(left, operand)).results[0]
        return self.made[key]

    def constant(self, number: int) -> SSAValue:
        key = ("constant", number)
        if key not in self.made:
            bits = _bits(self.type)
            signed = number - (1 << bits) if number >> bits - 1 else number
            op = arith.ConstantOp(IntegerAttr(signed, self.type))
            self.made[key] = self.emit(op).results[0]
            if signed >= 0:
                self.made[key].name_hint = f"c{number}"
        return self.made[key]

    def check_fits(self, name: str, bits: int, value: SSAValue) -> None:
        if bits >> _bits(self.type):
            fail(
                value,
                f"out-dim '{name}' needs {bits.bit_length()} bits; coordinates of type {self.type} "
                f"have {_bits(self.type)}",
            )

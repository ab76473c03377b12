"""The form of a workgroup's value in one subgroup: its units, in one distribution or in several.

New units are made from units that a subgroup holds: some of them, slices of them, or several combined.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute, SSAValue

from xetile.analysis.constants import Dense
from xetile.dialects.upstream import arith, vector
from xetile.dialects.upstream.vector.vector_support import element_count, vector_type
from xetile.layout.algebra.block_grids import Distribution
from xetile.layout.algebra.own_pieces import Piece, own_pieces
from xetile.rewriting.one_to_many import Expansion, Parts


@dataclass(eq=False)
class Units(Parts):
    """One subgroup's units of a distributed value, rows outer."""

    distribution: Distribution

    def unit(self, row: int, column: int) -> SSAValue:
        """Return the unit of one round in each dimension."""
        return self.values[row * self.distribution.rounds(1) + column]

    def agrees_with(self, other: Parts) -> bool:
        return (
            isinstance(other, Units)
            and self.distribution == other.distribution
            and super().agrees_with(other)
        )


@dataclass(eq=False)
class Copies(Parts):
    """One subgroup's units of a value that it holds in several distributions, in sequence."""

    distributions: Sequence[Distribution]

    @staticmethod
    def of(held: Sequence[Units]) -> "Copies":
        """Return the copies that consist of all of these units."""
        values = [value for units in held for value in units.values]
        return Copies(values, tuple(units.distribution for units in held))

    @property
    def each(self) -> Sequence[Units]:
        """The units of each distribution."""
        found: list[Units] = []
        first = 0
        for distribution in self.distributions:
            end = first + distribution.local_units
            found.append(Units(self.values[first:end], distribution))
            first = end
        return found

    def agrees_with(self, other: Parts) -> bool:
        return (
            isinstance(other, Copies)
            and self.distributions == other.distributions
            and super().agrees_with(other)
        )


def unit_vector(type: Attribute, distribution: Distribution) -> VectorType[Attribute]:
    """Return the type of one unit of a workgroup's vector."""
    return VectorType(cast(VectorType[Attribute], type).element_type, distribution.unit)


def in_registers(expansion: Expansion, source: Units, target: Distribution) -> Units | None:
    """Return a value in the distribution `target`, or None if a subgroup would need data that it does not hold."""
    found = own_pieces(source.distribution, target)
    if found is None:
        return None
    made: dict[tuple[Piece, ...], SSAValue] = {}
    for pieces in found:
        if pieces not in made:
            made[pieces] = _unit(expansion, source, pieces, target)
    return Units([made[pieces] for pieces in found], target)


def _unit(
    expansion: Expansion, source: Units, pieces: Sequence[Piece], target: Distribution
) -> SSAValue:
    if len(pieces) == 1:
        return _slice(expansion, source, pieces[0])
    type = unit_vector(vector_type(source.values[0]), target)
    unit = expansion.new(arith.ConstantOp(_zeros(type)))
    for piece in pieces:
        part = _slice(expansion, source, piece)
        unit = expansion.new(vector.InsertStridedSliceOp(part, unit, piece.place))
    return unit


def _slice(expansion: Expansion, source: Units, piece: Piece) -> SSAValue:
    unit = source.values[piece.source]
    if piece.sizes == source.distribution.unit:
        return unit
    return expansion.new(vector.ExtractStridedSliceOp(unit, piece.start, piece.sizes))


def _zeros(type: VectorType[Attribute]) -> Dense:
    """Return the zeros into which pieces are inserted, all of which the pieces cover."""
    count = element_count(type)
    if isinstance(type.element_type, IntegerType | IndexType):
        integers = cast("VectorType[IntegerType]", type)
        return cast(Dense, DenseIntOrFPElementsAttr.from_list(integers, [0] * count))
    floats = cast("VectorType[AnyFloat]", type)
    return cast(Dense, DenseIntOrFPElementsAttr.from_list(floats, [0.0] * count))

"""What a workgroup's value became in one subgroup: its units, in one distribution or in several."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, SSAValue

from xetile.layout.algebra.distribution import Distribution
from xetile.rewriting.one_to_many import Parts


@dataclass(eq=False)
class Units(Parts):
    """One subgroup's units of a distributed value, rows outer."""

    distribution: Distribution

    def unit(self, row: int, column: int) -> SSAValue:
        """The unit of one round in each dimension."""
        return self.values[row * self.distribution.rounds(1) + column]

    def agrees_with(self, other: Parts) -> bool:
        return (
            isinstance(other, Units)
            and self.distribution == other.distribution
            and super().agrees_with(other)
        )


@dataclass(eq=False)
class Copies(Parts):
    """One subgroup's units of a value that it holds in several distributions, one after the other."""

    distributions: Sequence[Distribution]

    @staticmethod
    def of(held: Sequence[Units]) -> "Copies":
        """All of them."""
        values = [value for units in held for value in units.values]
        return Copies(values, tuple(units.distribution for units in held))

    @property
    def each(self) -> Sequence[Units]:
        """The units by distribution."""
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
    """The type of one unit of a workgroup's vector."""
    return VectorType(cast(VectorType[Attribute], type).element_type, distribution.unit)

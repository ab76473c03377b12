"""Who holds each element of a distribution, whose sizes need not be powers of two."""

from collections.abc import Sequence
from math import prod

from xetile.layout.algebra.distribution import Distribution


class DealtHolders:
    """Who holds each element: the number of a register, counted on from subgroup to subgroup.

    The same questions as to `picture.Holders`. A register counts a unit's elements first, innermost dimension fastest,
    then the units of its subgroup.
    """

    def __init__(self, distribution: Distribution) -> None:
        self.distribution = distribution
        self.registers = distribution.local_units * prod(distribution.unit)
        self._owners: dict[tuple[int, ...], list[int]] = {}

    def size(self, name: str) -> int:
        """How many subgroups or registers there are; 1 of all else."""
        return {"register": self.registers, "subgroup": self.distribution.subgroups}.get(
            name, 1
        )

    def field(self, place: int, name: str) -> int:
        """The register or the subgroup of a place."""
        subgroup, register = divmod(place, self.registers)
        return {"register": register, "subgroup": subgroup}.get(name, 0)

    def place(self, coordinates: Sequence[int]) -> int:
        """The first place that holds an element."""
        dealt = self.distribution
        unit = tuple(at // extent for at, extent in zip(coordinates, dealt.unit, strict=True))
        inside = [at % extent for at, extent in zip(coordinates, dealt.unit, strict=True)]
        rounds = [dealt.rounds(d) for d in range(dealt.rank)]
        turn = [number // size for number, size in zip(unit, dealt.grid, strict=True)]
        register = _folded([*turn, *inside], [*rounds, *dealt.unit])
        return self._owners_of(unit)[0] * self.registers + register

    def same(self, place: int) -> list[int]:
        """All places that hold what this one holds, ascending."""
        dealt = self.distribution
        subgroup, register = divmod(place, self.registers)
        unit = tuple(dealt.coordinate(subgroup, d) % dealt.units(d) for d in range(dealt.rank))
        return [owner * self.registers + register for owner in self._owners_of(unit)]

    def _owners_of(self, unit: tuple[int, ...]) -> list[int]:
        if unit not in self._owners:
            self._owners[unit] = self.distribution.owners(unit)
        return self._owners[unit]


def _folded(values: Sequence[int], sizes: Sequence[int]) -> int:
    number = 0
    for value, size in zip(values, sizes, strict=True):
        number = number * size + value
    return number

"""The questions that lowering from W to S asks a target: prices of accesses and ops, layouts of operands."""

from importlib import import_module
from typing import Literal, NamedTuple, Protocol

from xdsl.ir import Operation

from xetile.dialects.xetile import TileType
from xetile.targets.target import Target

Place = tuple[int, int]
"""Row and column, in elements."""


class Cell(NamedTuple):
    """A part of a unit with extents of powers of two: the step of each bit of a register's and of a lane's number."""

    extents: Place
    registers: tuple[Place, ...]
    lanes: tuple[Place, ...]

    def turned(self) -> "Cell":
        """Return this cell with rows and columns exchanged."""
        swapped = (tuple((c, r) for r, c in part) for part in self[1:])
        return Cell((self.extents[1], self.extents[0]), *swapped)


class Planner(Protocol):
    """The planner of one target. Prices are counted in instructions of one subgroup."""

    @property
    def exchange_round(self) -> float:
        """The cost of an exchange in each round of a loop, without its messages."""
        ...

    def access(
        self, unit: TileType, use: Literal["load", "prefetch"], *, turned: bool
    ) -> float | None:
        """Return the price of messages for a tile of one unit, transposed if `turned`; None for element accesses."""
        ...

    def elementwise(self, op: Operation) -> float:
        """Return the price of an elementwise op for a word of its result in each lane."""
        ...

    def operand(self, unit: Place, bits: int, role: Literal["a", "b"]) -> Cell | None:
        """Return the cell of a matrix instruction's operand, of elements of `bits`; None if units have no whole one."""
        ...


def planner_of(target: Target) -> Planner:
    """Return the planner of a target."""
    module = import_module(f"xetile.planning.{target.planner}")
    return module.planner(target)

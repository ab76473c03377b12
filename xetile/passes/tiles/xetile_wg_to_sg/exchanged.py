"""Records of values that changed their owners: exchanges through shared memory, and other ways."""

from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.ir import Operation

from xetile.layout.algebra.block_grids import Distribution
from xetile.planning.distribution.exchanges import Exchange


class Kept(NamedTuple):
    """A value that is redistributed without shared memory; `how` in words: "in registers"."""

    op: Operation
    source: Distribution
    target: Distribution
    how: str


@dataclass(eq=False)
class Exchanged:
    """An exchange as it was emitted.

    Attributes:
        op: the op of the workgroup that it came from.
        plan: its plan.
        memory: its buffer; `turned` is the same with rows and columns exchanged, if it is loaded so.
        tiles: the tiles of its stores and loads.
        before: the barriers that keep its stores after earlier loads, one per band; `between` those before its loads.
        loop: the loop in whose iterations it uses two buffers in turn; None if it has one.
    """

    op: Operation
    plan: Exchange
    memory: Operation
    turned: Operation | None = None
    tiles: list[Operation] = field(default_factory=list[Operation])
    before: list[Operation] = field(default_factory=list[Operation])
    between: list[Operation] = field(default_factory=list[Operation])
    loop: Operation | None = None

    @property
    def buffers(self) -> int:
        """The number of its buffers."""
        return 1 if self.loop is None else 2

    @property
    def bytes(self) -> int:
        """The bytes of shared memory in all of its buffers."""
        return self.plan.bytes * self.buffers

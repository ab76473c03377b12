"""What is remembered of an exchange through shared memory that was emitted."""

from dataclasses import dataclass, field

from xdsl.ir import Operation

from xetile.planning.exchanges import Exchange


@dataclass(eq=False)
class Exchanged:
    """An exchange as it was emitted.

    Attributes:
        op: the op of the workgroup that it came from.
        plan: what was decided.
        memory: its buffer; `turned` is the same with rows and columns exchanged, where it is loaded so.
        tiles: those of its stores and loads.
        before: the barriers that keep its stores behind earlier loads, one per band; `between` those before its loads.
        copies: buffers that it uses in turn.
    """

    op: Operation
    plan: Exchange
    memory: Operation
    turned: Operation | None = None
    tiles: list[Operation] = field(default_factory=list[Operation])
    before: list[Operation] = field(default_factory=list[Operation])
    between: list[Operation] = field(default_factory=list[Operation])
    copies: int = 1

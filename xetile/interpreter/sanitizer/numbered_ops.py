"""Ops by numbers that arrays hold, and their lines."""

from xdsl.dialects.builtin import FileLineColLoc
from xdsl.ir import BlockArgument, Operation, SSAValue

from xetile.errors import position


class NumberedOps:
    """Ops by numbers that arrays hold."""

    def __init__(self) -> None:
        self._ops: list[Operation] = []
        self._numbers: dict[Operation, int] = {}

    def number(self, op: Operation) -> int:
        if op not in self._numbers:
            self._numbers[op] = len(self._ops)
            self._ops.append(op)
        return self._numbers[op]

    def __getitem__(self, number: int) -> Operation:
        return self._ops[number]


def line_of(at: Operation | SSAValue) -> str:
    """The line of an op or argument, for messages."""
    place = at.location if isinstance(at, BlockArgument) else None
    if not isinstance(place, FileLineColLoc):
        place = position(at)
    return "an unknown line" if place is None else f"line {place.line.data}"

"""Numbers of ops, to store them in arrays, and the lines of ops."""

from xdsl.dialects.builtin import FileLineColLoc
from xdsl.ir import BlockArgument, Operation, SSAValue

from xetile.errors import position


class NumberedOps:
    """Ops with numbers that arrays can store."""

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
    """Return the line of an op or argument, for diagnostics."""
    place = at.location if isinstance(at, BlockArgument) else None
    if not isinstance(place, FileLineColLoc):
        place = position(at)
    return "an unknown line" if place is None else f"line {place.line.data}"

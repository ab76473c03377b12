"""Single elements of arrays, which every subgroup reads and one value is put into."""

from collections.abc import Sequence

from xetile.language.arithmetic import Single
from xetile.language.builder import current
from xetile.language.held import Held
from xetile.language.indices import Index
from xetile.language.literals import literal, number_of
from xetile.language.memories import Memory
from xetile.language.refusals import refuse
from xetile.language.regions import Atomic, atomic, fitting
from xetile.language.scalars import Scalar
from xetile.language.surfaces import Start
from xetile.language.types import ElementType
from xetile.language.values import Value, describe

_ONE = (1, 1)


class Cell:
    """The element of an array at `starts`, which lies inside of it."""

    def __init__(self, array: Memory, starts: Sequence[Start]) -> None:
        self.array = array
        self.starts = starts

    @property
    def dtype(self) -> ElementType:
        """The type of the element."""
        return self.array.element

    def load(self) -> Scalar | Index:
        """The element; an index where the array holds indices."""
        from xdsl.dialects.memref import LoadOp

        op = LoadOp.get(
            self.array.surface.value, [Index.of(start).ssa() for start in self.starts]
        )
        value = current().result(op)
        return Index.of(value) if self.dtype.kind == "index" else Scalar(value, self.dtype)

    def store(self, value: Single | float) -> None:
        """Put a number there."""
        from xdsl.dialects.memref import StoreOp

        held = self._taken(value)
        places = [Index.of(start).ssa() for start in self.starts]
        current().insert(StoreOp.get(held.value, self.array.surface.value, places))

    def _taken(self, value: object) -> Held:
        if not isinstance(value, Value):
            number = number_of(value)
            if number is None:
                refuse(f"an element takes no {describe(value)}; it takes a number")
            return literal(number, self.dtype, None)
        held = value.held()
        if held.shape is not None:
            refuse(
                f"{held.describe()} into one element; write a slice of one element, start:start + 1"
            )
        if held.element != self.dtype:
            refuse(
                f"{held.describe()} into an element of {self.dtype}; write `.to(xt.{self.dtype})`"
            )
        return held

    def add(self, value: Single | float) -> None:
        """Add a number atomically, once for the workgroup."""
        self._atomic("add", value)

    def max(self, value: Single | float) -> None:
        """The larger of both stays, atomically."""
        self._atomic("max", value)

    def min(self, value: Single | float) -> None:
        """The smaller of both stays, atomically."""
        self._atomic("min", value)

    def _atomic(self, kind: Atomic, value: object) -> None:
        held = fitting(value, self.dtype, _ONE, f".{kind} into an element of {self.dtype}")
        if held.shape != _ONE:
            refuse(f".{kind} of {held.describe()} into one element")
        starts = self.starts
        lies = self.array.surface if len(starts) > 1 else self.array.row
        atomic(kind, held, lies.tile(starts if len(starts) > 1 else (0, *starts), _ONE))

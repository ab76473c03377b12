"""Values of a kernel: what it computes when it runs.

| class | is | type in IR |
|---|---|---|
| `Index` (indices.py) | a whole number that places are made of, kept as a sum of multiples | index |
| `Scalar` (scalars.py) | a number of an element type | f32, i32, i1 ... |
| `Tile` (tiles.py) | a matrix of elements, held by the subgroups together | vector of rank 2 |
"""

from typing import NoReturn, Self

from xdsl.ir import Attribute, SSAValue

from xetile.language.builder import current
from xetile.language.refusals import refuse
from xetile.language.types import ElementType


class Value:
    """A value that is known when the kernel runs; `element` is the type of its elements."""

    element: ElementType

    __hash__ = object.__hash__
    __array_ufunc__ = None
    """numpy leaves operators to us."""

    def ssa(self) -> SSAValue:
        """The value in IR; what is still to be computed is computed in the current block."""
        raise NotImplementedError

    @property
    def type(self) -> Attribute:
        """The type in IR; two values that a loop carries under one name have the same."""
        raise NotImplementedError

    def like(self, value: SSAValue) -> Self:
        """The same kind of value made of `value`, as results of control flow are."""
        raise NotImplementedError

    def describe(self) -> str:
        """What it is, for messages: `a tile of 8x16xf32`, `a scalar of f32`, `an index`."""
        raise NotImplementedError

    def __bool__(self) -> bool:
        return bool(self._concrete("a truth value"))

    def __index__(self) -> int:
        found = self._concrete("a number")
        assert isinstance(found, int)
        return found

    def _concrete(self, what: str) -> object:
        """The value in eager execution.

        Errors: XetileError while tracing.
        """
        found = current().concrete(self.ssa())
        if found is None:
            refuse(
                f"{self.describe()} has {what} only when the kernel runs; `if` and `while` take "
                "conditions, `&`, `|` and `~` combine them, xt.where chooses"
            )
        return found


def unsupported(operator: str, left: object, right: object) -> NoReturn:
    """Refuse operands that an operator does not take."""
    refuse(f"'{operator}' takes no {describe(left)} and {describe(right)}")


def describe(value: object) -> str:
    """What a Python value is, for messages."""
    return value.describe() if isinstance(value, Value) else f"Python {type(value).__name__}"

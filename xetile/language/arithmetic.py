"""Operators of scalars and tiles. Python's and numpy's numbers take the type of the value that they meet."""

from typing import Self

from xdsl.ir import SSAValue

from xetile.language.builder import building
from xetile.language.conversions import converted
from xetile.language.elementwise import (
    SYMBOLS,
    Comparison,
    Kind,
    absolute,
    binary,
    compare,
    inverted,
    negative,
)
from xetile.language.held import Held
from xetile.language.literals import literal, number_of
from xetile.language.refusals import refuse
from xetile.language.types import ElementType
from xetile.language.values import Value, unsupported


class Single(Value):
    """A single number: a scalar or an index."""

    __slots__ = ()

    def __str__(self) -> str:
        builder = building()
        if builder is not None and builder.eager:
            return str(builder.concrete(self.ssa()))
        refuse(
            f"{self.describe()} has digits only when the kernel runs; xt.print prints, repr() says what it is"
        )

    def __format__(self, form: str, /) -> str:
        builder = building()
        if builder is not None and builder.eager:
            return format(builder.concrete(self.ssa()), form)
        return str(self)


class Arithmetic(Value):
    """A value with operators by element; the result is of the same class."""

    __slots__ = ()

    def made(self, held: Held) -> Self:
        """A value of this class."""
        raise NotImplementedError

    def like(self, value: SSAValue) -> Self:
        return self.made(self.held()._replace(value=value))

    def takes(self, other: Value) -> bool:
        """Whether the result of an operator with `other` is of this class."""
        raise NotImplementedError

    def operand(self, other: object, symbol: str) -> Held | None:
        """The other operand of an operator; None where its own class knows what to do."""
        if isinstance(other, Value):
            return other.held() if self.takes(other) else None
        number = number_of(other)
        if number is None:
            unsupported(symbol, self, other)
        held = self.held()
        return literal(number, held.element, held.shape)

    def _binary(self, kind: Kind, other: object) -> Self:
        right = self.operand(other, SYMBOLS[kind])
        if right is None:
            return NotImplemented
        return self.made(binary(kind, self.held(), right))

    def _reflected(self, kind: Kind, other: object) -> Self:
        left = self.operand(other, SYMBOLS[kind])
        if left is None:
            return NotImplemented
        return self.made(binary(kind, left, self.held()))

    def _compared(self, kind: Comparison, other: object) -> Self:
        right = self.operand(other, SYMBOLS[kind])
        if right is None:
            return NotImplemented
        return self.made(compare(kind, self.held(), right))

    def __add__(self, other: "Self | Single | float") -> Self:
        return self._binary("add", other)

    def __radd__(self, other: "Single | float") -> Self:
        return self._reflected("add", other)

    def __sub__(self, other: "Self | Single | float") -> Self:
        return self._binary("sub", other)

    def __rsub__(self, other: "Single | float") -> Self:
        return self._reflected("sub", other)

    def __mul__(self, other: "Self | Single | float") -> Self:
        return self._binary("mul", other)

    def __rmul__(self, other: "Single | float") -> Self:
        return self._reflected("mul", other)

    def __truediv__(self, other: "Self | Single | float") -> Self:
        return self._binary("div", other)

    def __rtruediv__(self, other: "Single | float") -> Self:
        return self._reflected("div", other)

    def __floordiv__(self, other: "Self | Single | int") -> Self:
        return self._binary("floordiv", other)

    def __rfloordiv__(self, other: "Single | int") -> Self:
        return self._reflected("floordiv", other)

    def __mod__(self, other: "Self | Single | int") -> Self:
        return self._binary("mod", other)

    def __rmod__(self, other: "Single | int") -> Self:
        return self._reflected("mod", other)

    def __and__(self, other: "Self | Single | int") -> Self:
        return self._binary("and", other)

    def __rand__(self, other: "Single | int") -> Self:
        return self._reflected("and", other)

    def __or__(self, other: "Self | Single | int") -> Self:
        return self._binary("or", other)

    def __ror__(self, other: "Single | int") -> Self:
        return self._reflected("or", other)

    def __xor__(self, other: "Self | Single | int") -> Self:
        return self._binary("xor", other)

    def __rxor__(self, other: "Single | int") -> Self:
        return self._reflected("xor", other)

    def __lshift__(self, other: "Self | Single | int") -> Self:
        return self._shifted("shl", other)

    def __rlshift__(self, other: "Single | int") -> Self:
        return self._reflected("shl", other)

    def __rshift__(self, other: "Self | Single | int") -> Self:
        return self._shifted("shr", other)

    def __rrshift__(self, other: "Single | int") -> Self:
        return self._reflected("shr", other)

    def _shifted(self, kind: Kind, other: object) -> Self:
        if isinstance(other, int) and not 0 <= other < self.element.bits:
            refuse(
                f"'{SYMBOLS[kind]}' by {other}; elements of {self.element} are shifted by 0 to "
                f"{self.element.bits - 1}"
            )
        return self._binary(kind, other)

    def __pow__(self, other: object) -> Self:
        refuse("'**' is not there; write x * x, or xt.exp2(xt.log2(x) * y)")

    __rpow__ = __pow__

    def __divmod__(self, other: object) -> Self:
        refuse("divmod is not there; write x // y and x % y")

    def __neg__(self) -> Self:
        return self.made(negative(self.held()))

    def __pos__(self) -> Self:
        return self

    def __invert__(self) -> Self:
        return self.made(inverted(self.held()))

    def __abs__(self) -> Self:
        return self.made(absolute(self.held()))

    def __lt__(self, other: "Self | Single | float") -> Self:
        return self._compared("lt", other)

    def __le__(self, other: "Self | Single | float") -> Self:
        return self._compared("le", other)

    def __gt__(self, other: "Self | Single | float") -> Self:
        return self._compared("gt", other)

    def __ge__(self, other: "Self | Single | float") -> Self:
        return self._compared("ge", other)

    def __eq__(self, other: object) -> Self:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._compared("eq", other)

    def __ne__(self, other: object) -> Self:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._compared("ne", other)

    __hash__ = Value.__hash__

    def to(self, type: ElementType) -> Self:
        """The value in another type; `xetile.language.conversions` says what becomes of it."""
        return self.made(converted(self.held(), element_of(type)))


def element_of(type: object) -> ElementType:
    """The element type that a kernel's author wrote.

    Errors: XetileError for what is none.
    """
    if not isinstance(type, ElementType):
        refuse(f"{type!r} stands where a type does, such as xt.f32")
    return type

"""Values of a kernel, computed when it runs.

| class | is | type in IR |
|---|---|---|
| `Index` | an integer in offsets and extents, a sum of multiples of values | index |
| `Scalar` | a number of an element type | f32, i32, i1 ... |
| `Tile` (tile_values.py) | a matrix of elements, split over the subgroups | vector of rank 2 |

Python's and numpy's numbers take the type of the other operand. The distance of two indices is often known:
`k + 3 * BK` is the value k once and the constant 96. The sum is computed when IR needs it; equal sums once.
"""

from collections.abc import Callable, Mapping
from opcode import opname
from operator import index as index_of
from typing import NoReturn, Self, SupportsFloat, SupportsIndex, SupportsInt, cast

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.language.builder import Held, Pair, building, current, described
from xetile.language.elementwise import (
    SYMBOLS,
    Comparison,
    Kind,
    absolute,
    binary,
    compare,
    converted,
    inverted,
    literal,
    negative,
    number_of,
    shown,
)
from xetile.language.positions import refuse, user_frame
from xetile.language.types import ElementType, f32
from xetile.language.types import index as INDEX


class Value:
    """A value that is known when the kernel runs."""

    __slots__ = ()

    def __hash__(self) -> int:
        refuse(
            f"{self.describe()} is known when the kernel runs, and no key of a dict or set before"
        )

    @property
    def element(self) -> ElementType:
        """The type of its elements."""
        raise NotImplementedError

    @property
    def dtype(self) -> ElementType:
        """The type of its elements, under numpy's name for it."""
        return self.element

    def ssa(self) -> SSAValue:
        """Return the value in IR; a lazy value is computed in the current block."""
        raise NotImplementedError

    def held(self) -> Held:
        """Return the value with its type, for functions that do not know the classes of values."""
        return Held(self.ssa(), self.element, None)

    @property
    def type(self) -> Attribute:
        """The type in IR; the values that a loop carries under one name must have the same one."""
        raise NotImplementedError

    def like(self, value: SSAValue) -> Self:
        """Return the same kind of value made of `value`, for results of control flow."""
        raise NotImplementedError

    def describe(self) -> str:
        """Describe it for diagnostics: `a tile of 8x16xf32`, `a scalar of f32`, `an index`."""
        raise NotImplementedError

    def __repr__(self) -> str:
        builder = building()
        found = builder.concrete(self.ssa()) if builder is not None and builder.eager else None
        return f"<{self.describe()}>" if found is None else f"<{self.describe()}: {found}>"

    def __setattr__(self, name: str, value: object, /) -> None:
        if name[0] != "_":
            refuse(
                f"{self.describe()} does not change, so '.{name}' cannot be set; make a new one"
            )
        object.__setattr__(self, name, value)

    def __bool__(self) -> bool:
        return bool(
            self._concrete(
                "a truth value",
                "xt.minimum and xt.maximum stand for Python's min and max, xt.where chooses, xt.check tests"
                if _is_called()
                else "`if` and `while` of a function with @xt.kernel or @xt.function take conditions, "
                "`&`, `|` and `~` combine them, xt.where chooses, xt.check tests",
            )
        )

    def __index__(self) -> int:
        found = self._concrete(
            "a number",
            "extents, lists and Python's range take numbers known before; xt.range loops",
        )
        return index_of(cast("SupportsIndex", found))

    def __int__(self) -> int:
        return int(cast("SupportsInt", self._concrete("a number", "write `.to(xt.i32)`")))

    def __float__(self) -> float:
        instead = "xt.sqrt(x) stands for math.sqrt(x), and so on"
        if self.element != f32:
            instead += ", `.to(xt.f32)` for float(x)"
        return float(cast("SupportsFloat", self._concrete("a number", instead)))

    def __round__(self, digits: object = None) -> NoReturn:
        refuse(f"round() of {self.describe()}; write xt.floor(x + 0.5), or `.to(xt.i32)`")

    def _concrete(self, what: str, instead: str) -> object:
        """Return the value of one element in eager execution.

        Errors: XetileError while tracing, and for tiles of several elements.
        """
        found = current().concrete(self.ssa())
        if found is None:
            refuse(f"{self.describe()} has {what} only when the kernel runs; {instead}")
        if getattr(found, "size", 1) != 1:
            refuse(f"{self.describe()} has several elements, and no one of them is {what}")
        item = getattr(found, "item", None)
        return found if item is None else item()

    def __len__(self) -> int:
        refuse(f"{self.describe()} has no len(); a tile's extents are `.shape`")

    def __iter__(self) -> NoReturn:
        refuse(
            f"{self.describe()} is computed as a whole and not iterated; a reduction or a slice of the "
            "array takes part of it"
        )

    def __contains__(self, value: object, /) -> bool:
        refuse(
            f"'in' has no meaning for {self.describe()}; write (x == value) and a reduction"
        )

    def __getitem__(self, places: object, /) -> object:
        refuse(f"{self.describe()} is not indexed; index the array that it is loaded from")

    def __array_ufunc__(
        self, ufunc: object, method: str, *inputs: object, **_: object
    ) -> object:
        """Apply operators with a numpy scalar on the left; raise for other numpy functions."""
        name = str(getattr(ufunc, "__name__", ufunc))
        number = number_of(inputs[0])
        operator = _REFLECTED.get(name)
        if method == "__call__" and number is not None and operator is not None:
            return getattr(self, operator)(number)
        self._refuse_numpy(name)

    def __array_function__(self, function: object, *_: object) -> object:
        self._refuse_numpy(str(getattr(function, "__name__", function)))

    def __array__(self, *_: object, **__: object) -> object:
        found = current().concrete(self.ssa())
        if found is None:
            refuse(f"{self.describe()} becomes a numpy array only in eager execution")
        return found

    def _refuse_numpy(self, name: str) -> NoReturn:
        if name in _REFLECTED:
            refuse(
                f"numpy's arrays do not meet {self.describe()}; an array is an argument of the kernel"
            )
        refuse(
            f"numpy's {name} takes no {self.describe()[2:]}; write {_INSTEAD.get(name, f'xt.{name}')}"
        )


def _is_called() -> bool:
    """Return True if the user's line executes a call, such as min(x, y), which reads a truth value itself."""
    frame = user_frame()
    return frame is not None and opname[frame.f_code.co_code[frame.f_lasti]].startswith("CALL")


_REFLECTED: Mapping[str, str] = {
    "add": "__radd__",
    "subtract": "__rsub__",
    "multiply": "__rmul__",
    "divide": "__rtruediv__",
    "floor_divide": "__rfloordiv__",
    "remainder": "__rmod__",
    "bitwise_and": "__rand__",
    "bitwise_or": "__ror__",
    "bitwise_xor": "__rxor__",
    "less": "__gt__",
    "less_equal": "__ge__",
    "greater": "__lt__",
    "greater_equal": "__le__",
    "equal": "__eq__",
    "not_equal": "__ne__",
}
"""The reflected operator for a numpy function whose right operand is a value."""

_INSTEAD: Mapping[str, str] = {
    "absolute": "abs(x)",
    "sum": "x.sum(axis)",
    "amax": "x.max(axis)",
    "max": "x.max(axis)",
    "amin": "x.min(axis)",
    "min": "x.min(axis)",
    "prod": "x.prod(axis)",
    "matmul": "`@`",
    "dot": "`@`",
    "transpose": "x.T",
}
"""The spelling in the language of numpy functions with another name."""


def unsupported(operator: str, left: object, right: object) -> NoReturn:
    """Raise for operands that an operator does not accept."""
    refuse(f"'{operator}' takes no {_bare(left)} and {_bare(right)}")


def _bare(value: object) -> str:
    return describe(value).removeprefix("a ").removeprefix("an ")


def operand_of(value: object, element: ElementType, shape: Pair | None) -> Held | None:
    """Return a kernel value as it is, a number as a constant of a type; None for anything else."""
    if isinstance(value, Value):
        return value.held()
    number = number_of(value)
    return None if number is None else literal(number, element, shape)


def describe(value: object) -> str:
    """Describe a Python value for diagnostics."""
    if isinstance(value, Value):
        return value.describe()
    return (
        f"Python {shown(value)}"
        if isinstance(value, int | float)
        else f"Python {type(value).__name__}"
    )


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
    """A value with elementwise operators; the result is of the same class."""

    __slots__ = ()

    def made(self, held: Held) -> Self:
        """Return a value of this class."""
        raise NotImplementedError

    def like(self, value: SSAValue) -> Self:
        return self.made(self.held()._replace(value=value))

    def takes(self, other: Value) -> bool:
        """Return True if the result of an operator with `other` is of this class."""
        raise NotImplementedError

    def operand(self, other: object, symbol: str) -> Held | None:
        """Return the other operand of an operator, or None if the class of that operand defines the operator."""
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
        """Convert the value to another type; the table of `xetile.language.elementwise` lists the conversions."""
        return self.made(converted(self.held(), element_of(type)))


def element_of(type: object) -> ElementType:
    """Return the element type that a kernel's author wrote.

    Errors: XetileError if it is not an element type.
    """
    if not isinstance(type, ElementType):
        refuse(f"{type!r} stands where a type does, such as xt.f32")
    return type


class Scalar(Arithmetic, Single):
    """A number of a type."""

    __slots__ = ("_element", "_value")

    def __init__(self, value: SSAValue, element: ElementType) -> None:
        self._value = value
        self._element = element

    @property
    def element(self) -> ElementType:
        return self._element

    @property
    def shape(self) -> tuple[()]:
        """The shape, which has no extents."""
        return ()

    @property
    def type(self) -> Attribute:
        return self._value.type

    def ssa(self) -> SSAValue:
        return self._value

    def made(self, held: Held) -> Self:
        return type(self)(held.value, held.element)

    def takes(self, other: Value) -> bool:
        """Return True for scalars. Indices accept integers themselves, as tiles accept scalars."""
        return isinstance(other, Scalar)

    def describe(self) -> str:
        return described(self._element, None)

    def to(self, type: ElementType) -> Self:
        if type.kind == "index":
            refuse("a scalar becomes an index by xt.index(x)")
        return super().to(type)


class Index(Single):
    """The sum of `terms` (values of type index, each times a nonzero number) and `constant`."""

    __slots__ = ("_constant", "_terms")

    def __init__(self, terms: Mapping[SSAValue, int], constant: int = 0) -> None:
        self._terms = {value: factor for value, factor in terms.items() if factor != 0}
        self._constant = constant

    @property
    def element(self) -> ElementType:
        return INDEX

    @property
    def terms(self) -> Mapping[SSAValue, int]:
        """The values of type index with their factors."""
        return self._terms

    @property
    def constant(self) -> int:
        """The constant part of the sum."""
        return self._constant

    @classmethod
    def of(cls, value: object) -> "Index":
        """Return an index for a value in IR, a number, or an index.

        Errors: XetileError if it is not an integer.
        """
        if isinstance(value, Index):
            return value
        if isinstance(value, SSAValue):
            return cls({value: 1})
        if isinstance(value, Scalar):
            return cls({_converted(value): 1})
        number = number_of(value)
        if isinstance(value, Value) or not isinstance(number, int) or isinstance(number, bool):
            found = value.describe() if isinstance(value, Value) else repr(value)
            refuse(f"{found} stands where an index or a whole number does")
        return cls({}, number)

    @property
    def type(self) -> Attribute:
        """MLIR's index type."""
        return IndexType()

    @property
    def known(self) -> int | None:
        """The number if it is a constant, or None."""
        return None if self._terms else self._constant

    @property
    def shape(self) -> tuple[()]:
        """The shape, which has no extents."""
        return ()

    def like(self, value: SSAValue) -> Self:
        """Return an index of the value alone."""
        return type(self)({value: 1})

    def describe(self) -> str:
        """Describe it for diagnostics: `an index`."""
        return "an index"

    def ssa(self) -> SSAValue:
        """Return the sum in IR: products first, in the order in which their values were created, the constant last."""
        from xdsl.dialects.arith import AddiOp, MuliOp

        builder = current()
        total: SSAValue | None = None
        for value, factor in self._terms.items():
            part = value
            if factor != 1:
                part = builder.pure_of(MuliOp, value, builder.index(factor))
            total = part if total is None else builder.pure_of(AddiOp, total, part)
        if total is None:
            return builder.index(self._constant)
        if self._constant:
            total = builder.pure_of(AddiOp, total, builder.index(self._constant))
        return total

    def __add__(self, other: "Single | int") -> "Index":
        right = _operand(other, "+", self)
        if right is None:
            return NotImplemented
        terms = dict(self._terms)
        for value, factor in right._terms.items():
            terms[value] = terms.get(value, 0) + factor
        return Index(terms, self._constant + right._constant)

    __radd__ = __add__

    def __neg__(self) -> "Index":
        return _times(self, -1)

    def __pos__(self) -> "Index":
        return self

    def __abs__(self) -> "Index":
        return largest(self, -self)

    def __sub__(self, other: "Single | int") -> "Index":
        right = _operand(other, "-", self)
        return NotImplemented if right is None else self + _times(right, -1)

    def __rsub__(self, other: "Single | int") -> "Index":
        left = _operand(other, "-", self)
        return NotImplemented if left is None else left + -self

    def __mul__(self, other: "Single | int") -> "Index":
        right = _operand(other, "*", self)
        if right is None:
            return NotImplemented
        for one, number in ((self, right.known), (right, self.known)):
            if number is not None:
                return _times(one, number)
        from xdsl.dialects.arith import MuliOp

        return Index.of(current().pure_of(MuliOp, self.ssa(), right.ssa()))

    __rmul__ = __mul__

    def __floordiv__(self, other: "Single | int") -> "Index":
        right = _operand(other, "//", self)
        return NotImplemented if right is None else _quotient(self, right)

    def __rfloordiv__(self, other: "Single | int") -> "Index":
        left = _operand(other, "//", self)
        return NotImplemented if left is None else _quotient(left, self)

    def __mod__(self, other: "Single | int") -> "Index":
        right = _operand(other, "%", self)
        return NotImplemented if right is None else self - _quotient(self, right) * right

    def __rmod__(self, other: "Single | int") -> "Index":
        left = _operand(other, "%", self)
        return NotImplemented if left is None else left - _quotient(left, self) * self

    def __divmod__(self, other: "Single | int") -> "tuple[Index, Index]":
        return self // other, self % other

    def __truediv__(self, other: object) -> "Index":
        return _no_quotient(other)

    def __rtruediv__(self, other: object) -> "Index":
        return _no_quotient(other)

    def _refused(self, other: object = None) -> NoReturn:
        refuse(
            "an index has the operators + - * // % and comparisons; `.to(xt.i64)` makes a scalar of it"
        )

    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _refused
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __pow__ = __rpow__ = _refused
    __invert__ = __matmul__ = __rmatmul__ = _refused

    def __lt__(self, other: "Single | int") -> Scalar:
        return self._compared("lt", other)

    def __le__(self, other: "Single | int") -> Scalar:
        return self._compared("le", other)

    def __gt__(self, other: "Single | int") -> Scalar:
        return self._compared("gt", other)

    def __ge__(self, other: "Single | int") -> Scalar:
        return self._compared("ge", other)

    def __eq__(self, other: object) -> Scalar:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._compared("eq", other)

    def __ne__(self, other: object) -> Scalar:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._compared("ne", other)

    __hash__ = Value.__hash__

    def _compared(self, kind: Comparison, other: object) -> Scalar:
        right = _operand(other, kind, self)
        if right is None:
            return NotImplemented
        found = compare(kind, self.held(), right.held())
        return Scalar(found.value, found.element)

    def to(self, type: ElementType) -> "Scalar | Index":
        """Convert the number to another type, modulo its width."""
        held = converted(self.held(), type)
        return self if type == INDEX else Scalar(held.value, held.element)


def _converted(value: Scalar) -> SSAValue:
    if value.element.kind != "integer":
        refuse(f"{value.describe()} stands where an index does; convert it, `.to(xt.i64)`")
    return converted(value.held(), INDEX).value


def _operand(other: object, symbol: str, one: Index) -> Index | None:
    """Return the other operand of an operator as an index, or None if its class defines the operator."""
    if isinstance(other, Index):
        return other
    if isinstance(other, int) and not isinstance(other, bool):
        return Index({}, int(other))
    if isinstance(other, Value):
        return Index.of(other) if isinstance(other, Scalar) else None
    if not isinstance(number_of(other), int) or isinstance(number_of(other), bool):
        unsupported(symbol, one, other)
    return Index.of(other)


def _times(one: Index, number: int) -> Index:
    terms = {value: factor * number for value, factor in one.terms.items()}
    return Index(terms, one.constant * number)


def _quotient(left: Index, right: Index) -> Index:
    """Return the quotient rounded toward minus infinity; multiples of a known divisor are divided exactly."""
    from xetile.dialects.upstream.arith import FloorDivSIOp

    divisor = right.known
    if divisor == 0:
        refuse("division of an index by 0")
    if divisor is None:
        return Index.of(current().pure_of(FloorDivSIOp, left.ssa(), right.ssa()))
    whole = {v: f // divisor for v, f in left.terms.items() if f % divisor == 0}
    rest = Index({v: f for v, f in left.terms.items() if f % divisor}, left.constant % divisor)
    exact = Index(whole, left.constant // divisor)
    if rest.known is not None:
        return exact
    return exact + Index.of(current().pure_of(FloorDivSIOp, rest.ssa(), right.ssa()))


def _no_quotient(other: object) -> Index:
    refuse("'/' of indices has fractions; write '//', or `.to(xt.f32)`")


def refuse_bound(what: str, value: object) -> NoReturn:
    """Raise for a value in place of an index, with advice on its conversion."""
    whole = isinstance(value, Scalar) and value.element.kind == "integer"
    refuse(
        f"expected an index or a whole number as {what}, found {describe(value)}; write "
        + ("xt.index(...) of it" if whole else "an index or an int")
    )


def smallest(left: Index, right: Index) -> Index:
    """Return the smaller of two indices."""
    from xetile.dialects.upstream.arith import MinSIOp

    return _chosen(MinSIOp, left, right, min)


def largest(left: Index, right: Index) -> Index:
    """Return the larger of two indices."""
    from xetile.dialects.upstream.arith import MaxSIOp

    return _chosen(MaxSIOp, left, right, max)


def _chosen(
    op: Callable[..., Operation], left: Index, right: Index, choose: Callable[[int, int], int]
) -> Index:
    apart = difference(left, right)
    if apart is not None:
        return left if choose(apart, 0) == apart else right
    return Index.of(current().pure_of(op, left.ssa(), right.ssa()))


def difference(stop: Index | int, start: Index | int) -> int | None:
    """Return `stop` - `start` if it is a constant, or None."""
    return (Index.of(stop) - Index.of(start)).known

"""Values of a kernel: what it computes when it runs.

| class | is | type in IR |
|---|---|---|
| `Index` (indices.py) | a whole number that places are made of, kept as a sum of multiples | index |
| `Scalar` (scalars.py) | a number of an element type | f32, i32, i1 ... |
| `Tile` (tiles.py) | a matrix of elements, held by the subgroups together | vector of rank 2 |
"""

from collections.abc import Mapping
from opcode import opname
from operator import index as index_of
from typing import NoReturn, Self, SupportsFloat, SupportsIndex, SupportsInt, cast

from xdsl.ir import Attribute, SSAValue

from xetile.language.builder import building, current
from xetile.language.held import Held
from xetile.language.literals import number_of, shown
from xetile.language.positions import user_frame
from xetile.language.refusals import refuse
from xetile.language.types import ElementType, f32


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
        """The type of its elements, as numpy calls it."""
        return self.element

    def ssa(self) -> SSAValue:
        """The value in IR; what is still to be computed is computed in the current block."""
        raise NotImplementedError

    def held(self) -> Held:
        """The value with its type, for what knows no classes of values."""
        return Held(self.ssa(), self.element, None)

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
        """The value in eager execution, of one element.

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
        """Operators with one of numpy's scalars on the left; functions of numpy's are refused."""
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
    """Whether what the user's line executes is a call: of min(x, y), which asks for truth values itself."""
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
"""What a function of numpy's is called where its right operand is a value."""

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
"""What stands for a function of numpy's that the language calls otherwise."""


def unsupported(operator: str, left: object, right: object) -> NoReturn:
    """Refuse operands that an operator does not take."""
    refuse(f"'{operator}' takes no {_bare(left)} and {_bare(right)}")


def _bare(value: object) -> str:
    return describe(value).removeprefix("a ").removeprefix("an ")


def describe(value: object) -> str:
    """What a Python value is, for messages."""
    if isinstance(value, Value):
        return value.describe()
    return (
        f"Python {shown(value)}"
        if isinstance(value, int | float)
        else f"Python {type(value).__name__}"
    )

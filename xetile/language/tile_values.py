"""Tiles: matrices of elements that the subgroups of a workgroup share; functions and types that create them.

A product is created late: `acc + a @ b` is one tile_mma with an accumulator; `a @ b` alone is one without, inserted
where the product was written. Only the expression decides, so a kernel has the same ops however it is executed:
a product that is bound to a name before it is added is an op of its own.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Self, TypeAlias, TypeVar, cast, overload

from xdsl.ir import Attribute, SSAValue

from xetile.language import elementwise, types
from xetile.language.builder import Held, Mark, Pair, current, described, flags, type_of
from xetile.language.elementwise import (
    binary,
    broadcast,
    converted,
    literal,
    mapped,
    met,
    number_of,
    numbers,
    sliced,
    transposed,
    whole_of,
)
from xetile.language.positions import Span, refuse, span
from xetile.language.types import ElementType, accumulators
from xetile.language.types import index as INDEX
from xetile.language.values import (
    Arithmetic,
    Index,
    Scalar,
    Single,
    Value,
    describe,
    difference,
    element_of,
    largest,
    operand_of,
    smallest,
)

if TYPE_CHECKING:
    from xdsl.dialects.arith import FastMathFlagsAttr
    from xdsl.ir import Operation


Reduction: TypeAlias = Literal["sum", "prod", "max", "min", "nanmax", "nanmin"]


def reduced(kind: Reduction, held: Held, axis: object) -> Held:
    """Reduce the elements along `axis`, in the tile's own type."""
    if axis is None:
        refuse(f".{kind}() of a whole tile: write .{kind}(1).{kind}(0)")
    axis = axis_of(axis, f".{kind}({axis!r}): a tile has")
    assert held.shape is not None
    rows, columns = held.shape
    fastmath = flags() if held.element.kind == "float" else None
    value = current().pure_of(_reduction, _combining(kind, held), held.value, axis, fastmath)
    return Held(value, held.element, (1, columns) if axis == 0 else (rows, 1))


def axis_of(axis: object, has: str) -> int:
    """Return an axis of a tile; raise XetileError, whose text begins with `has`, if it is neither 0 nor 1."""
    number = whole_of(axis)
    if number is None or number not in (0, 1):
        refuse(f"{has} axes 0 (down the columns) and 1 (along the rows)")
    return number


def _reduction(
    kind: str, value: SSAValue, axis: int, fastmath: "FastMathFlagsAttr | None"
) -> "Operation":
    from xetile.dialects.xetile import TileReduceOp

    return TileReduceOp(kind, value, (axis,), fastmath=fastmath)


def _combining(kind: str, held: Held) -> str:
    element = held.element
    if element.kind == "boolean":
        refuse(f".{kind} takes no {element}; write `.to(xt.i32).{kind}(...)`")
    if kind in ("sum", "prod"):
        return "add" if kind == "sum" else "mul"
    if element.kind == "float":
        return f"{kind.removeprefix('nan')}numf" if kind.startswith("nan") else f"{kind}imumf"
    kind = kind.removeprefix("nan")
    return f"{kind}ui" if element.unsigned else f"{kind}si"


class Factors(NamedTuple):
    """The operands of a product not yet created, and its position among the ops and in Python."""

    a: Held
    b: Held
    mark: Mark
    span: Span | None


class Tile(Arithmetic):
    """Rows and columns of elements of one type."""

    __slots__ = ("_element", "_factors", "_shape", "_value")

    def __init__(
        self,
        value: SSAValue | None,
        element: ElementType,
        shape: Pair,
        *,
        factors: Factors | None = None,
    ) -> None:
        self._value = value
        self._element = element
        self._shape = shape
        self._factors = factors

    @property
    def element(self) -> ElementType:
        return self._element

    @property
    def shape(self) -> Pair:
        """Rows and columns."""
        return self._shape

    @property
    def type(self) -> Attribute:
        """The vector type."""
        return type_of(self._element, self._shape)

    def ssa(self) -> SSAValue:
        """Return the value in IR; a product that nothing was added to is created where it was written."""
        if self._value is None:
            assert self._factors is not None
            self._value = _multiplied(self, self._factors, None)
        return self._value

    def held(self) -> Held:
        return Held(self.ssa(), self._element, self._shape)

    def made(self, held: Held) -> Self:
        assert held.shape is not None
        return type(self)(held.value, held.element, held.shape)

    def takes(self, other: Value) -> bool:
        """Return True for every value: a single number is broadcast."""
        return True

    def describe(self) -> str:
        """Describe its extents and type for diagnostics."""
        return described(self._element, self._shape)

    def __matmul__(self, other: "Tile") -> "Tile":
        a, b = _factor(self, self, other), _factor(other, self, other)
        if a.shape[1] != b.shape[0]:
            refuse(
                f"'@' of {a.describe()} and {b.describe()}: {a.shape[1]} columns, {b.shape[0]} rows"
            )
        totals = accumulators(a.element, b.element)
        if not totals:
            _refuse_factors(a, b)
        factors = Factors(a.held(), b.held(), current().mark(), span())
        return Tile(None, totals[0], (a.shape[0], b.shape[1]), factors=factors)

    def __rmatmul__(self, other: object) -> "Tile":
        refuse(f"'@' takes no {describe(other)}; its operands are tiles")

    def __add__(self, other: "Self | Value | float") -> Self:
        if isinstance(other, Tile):
            for total, product in ((self, other), (other, self)):
                if product.adds_to(total):
                    assert product._factors is not None
                    value = _multiplied(total, product._factors, total.ssa())
                    return self.made(total.held()._replace(value=value))
        return self._binary("add", other)

    def adds_to(self, total: "Tile") -> bool:
        """Return True if this is a product written in the sum being evaluated, and `total` can be its accumulator."""
        if self._value is not None or self._factors is None or total is self:
            return False
        a, b, _, written = self._factors
        added = span()
        if written is None or added is None or not added.has(written):
            return False
        return total.shape == self.shape and total.element in accumulators(
            a.element, b.element
        )

    @property
    def T(self) -> Self:
        """The tile with rows and columns swapped."""
        return self.made(transposed(self.held()))

    def __getitem__(self, places: object) -> Self:
        """Return a part of the tile, `x[:, 16:32]`; bounds are numbers."""
        return self.made(sliced(self.held(), places))

    def sum(self, axis: int, *, keepdims: Literal[True] = True) -> Self:
        """Return the sums along axis 0 (down the columns) or 1 (along the rows), in the tile's type.

        The axis stays with an extent of 1. The order is that of a tree, the same at every level.
        """
        return self._reduced("sum", axis, keepdims=keepdims)

    def prod(self, axis: int, *, keepdims: Literal[True] = True) -> Self:
        """Return the products along an axis, in the tile's type."""
        return self._reduced("prod", axis, keepdims=keepdims)

    def max(self, axis: int, *, keepdims: Literal[True] = True) -> Self:
        """Return the largest elements along an axis; NaN if one of them is NaN."""
        return self._reduced("max", axis, keepdims=keepdims)

    def min(self, axis: int, *, keepdims: Literal[True] = True) -> Self:
        """Return the smallest elements along an axis; NaN if one of them is NaN."""
        return self._reduced("min", axis, keepdims=keepdims)

    def nanmax(self, axis: int, *, keepdims: Literal[True] = True) -> Self:
        """Return the largest elements along an axis; NaN is ignored, as by the hardware's instruction."""
        return self._reduced("nanmax", axis, keepdims=keepdims)

    def nanmin(self, axis: int, *, keepdims: Literal[True] = True) -> Self:
        """Return the smallest elements along an axis; NaN is ignored."""
        return self._reduced("nanmin", axis, keepdims=keepdims)

    def _reduced(self, kind: Reduction, axis: object, *, keepdims: object) -> Self:
        if keepdims is not True:
            refuse(
                f".{kind}(..., keepdims={keepdims!r}): values have two dimensions, so the reduced one stays "
                "with an extent of 1"
            )
        return self.made(reduced(kind, self.held(), axis))

    def item(self) -> Scalar:
        """Return the element of a tile of one row and one column, as a scalar.

        Errors: XetileError for larger tiles.
        """
        from xetile.dialects.upstream.vector import ExtractOp

        if self.shape != (1, 1):
            refuse(
                f".item() of {self.describe()}; a tile of 1x1 has one, such as x.max(1).max(0)"
            )
        if self.element.kind == "index":
            refuse(".item() of indices; write `.to(xt.i64).item()`, and xt.index(...) of that")
        value = current().pure_of(ExtractOp, self.ssa(), (0, 0), self.element.attribute)
        return Scalar(value, self.element)

    def map(self, sg_layout: Pair, sg_data: Pair) -> Self:
        """Distribute the tile over subgroups in `sg_layout`, in units of `sg_data`; data move if the map changes."""
        return self.made(mapped(self.held(), sg_layout, sg_data))


def _factor(one: object, left: object, right: object) -> Tile:
    if not isinstance(one, Tile):
        refuse(f"'@' of {describe(left)} and {describe(right)}: its operands are tiles")
    return one


def _refuse_factors(a: Tile, b: Tile) -> None:
    found = f"'@' of {a.describe()} and {b.describe()}"
    if accumulators(a.element, a.element) and accumulators(b.element, b.element):
        refuse(f"{found}: both have to have one of these types; convert one")
    refuse(
        f"{found}: products are of f16, bf16, tf32, f32, f64, f8E4M3FN and f8E5M2, i8 and ui8, i4 and ui4"
    )


def _multiplied(result: Tile, factors: Factors, total: SSAValue | None) -> SSAValue:
    from xetile.dialects.xetile import TileMMAOp

    builder = current()
    op = TileMMAOp(factors.a.value, factors.b.value, total, result_type=result.type)
    return builder.result(op) if total is not None else builder.result_at(factors.mark, op)


T = TypeVar("T", Tile, Scalar)


def _function(name: str, x: T) -> T:
    _check(name, x)
    return x.made(elementwise.function(name, x.held()))


def _check(name: str, x: object) -> None:
    if not isinstance(x, Tile | Scalar):
        refuse(f"xt.{name}({describe(x)}): it is for tiles and scalars")


def exp(x: T) -> T:
    """Return e to the power of x."""
    return _function("exp", x)


def exp2(x: T) -> T:
    """Return 2 to the power of x."""
    return _function("exp2", x)


def log(x: T) -> T:
    """Return the natural logarithm."""
    return _function("log", x)


def log2(x: T) -> T:
    """Return the logarithm to base 2."""
    return _function("log2", x)


def sqrt(x: T) -> T:
    """Return the square root."""
    return _function("sqrt", x)


def rsqrt(x: T) -> T:
    """Return 1 divided by the square root."""
    return _function("rsqrt", x)


def tanh(x: T) -> T:
    """Return the hyperbolic tangent."""
    return _function("tanh", x)


def erf(x: T) -> T:
    """Return the error function."""
    return _function("erf", x)


def sin(x: T) -> T:
    """Return the sine, of radians."""
    return _function("sin", x)


def cos(x: T) -> T:
    """Return the cosine, of radians."""
    return _function("cos", x)


def floor(x: T) -> T:
    """Return the largest integer that is not above x, as a float."""
    return _function("floor", x)


def ceil(x: T) -> T:
    """Return the smallest integer that is not below x, as a float."""
    return _function("ceil", x)


def abs(x: T) -> T:
    """Return the absolute value."""
    _check("abs", x)
    return x.made(elementwise.absolute(x.held()))


@overload
def maximum(x: Tile, y: Tile | Single | float) -> Tile: ...
@overload
def maximum(x: Single | float, y: Tile) -> Tile: ...
@overload
def maximum(x: Scalar, y: Scalar | float) -> Scalar: ...
@overload
def maximum(x: float, y: Scalar) -> Scalar: ...
@overload
def maximum(x: Index, y: Single | int) -> Index: ...
@overload
def maximum(x: Single | int, y: Index) -> Index: ...
def maximum(x: object, y: object) -> Tile | Scalar | Index:
    """Return the larger of two; NaN if one is NaN."""
    if indices := _indices(x, y):
        return largest(*indices)
    return value_of(elementwise.binary("maximum", *_met("xt.maximum", x, y)))


@overload
def minimum(x: Tile, y: Tile | Single | float) -> Tile: ...
@overload
def minimum(x: Single | float, y: Tile) -> Tile: ...
@overload
def minimum(x: Scalar, y: Scalar | float) -> Scalar: ...
@overload
def minimum(x: float, y: Scalar) -> Scalar: ...
@overload
def minimum(x: Index, y: Single | int) -> Index: ...
@overload
def minimum(x: Single | int, y: Index) -> Index: ...
def minimum(x: object, y: object) -> Tile | Scalar | Index:
    """Return the smaller of two; NaN if one is NaN."""
    if indices := _indices(x, y):
        return smallest(*indices)
    return value_of(elementwise.binary("minimum", *_met("xt.minimum", x, y)))


@overload
def fmax(x: Tile, y: Tile | Single | float) -> Tile: ...
@overload
def fmax(x: Single | float, y: Tile) -> Tile: ...
@overload
def fmax(x: Scalar, y: Scalar | float) -> Scalar: ...
@overload
def fmax(x: float, y: Scalar) -> Scalar: ...
def fmax(x: object, y: object) -> Tile | Scalar | Index:
    """Return the larger of two; if one is NaN, the other, as the hardware's instruction does."""
    return value_of(elementwise.binary("fmax", *_met("xt.fmax", x, y)))


@overload
def fmin(x: Tile, y: Tile | Single | float) -> Tile: ...
@overload
def fmin(x: Single | float, y: Tile) -> Tile: ...
@overload
def fmin(x: Scalar, y: Scalar | float) -> Scalar: ...
@overload
def fmin(x: float, y: Scalar) -> Scalar: ...
def fmin(x: object, y: object) -> Tile | Scalar | Index:
    """Return the smaller of two; if one is NaN, the other."""
    return value_of(elementwise.binary("fmin", *_met("xt.fmin", x, y)))


def _indices(x: object, y: object) -> tuple[Index, Index] | None:
    """Return both as indices if one is an index and neither is a tile, else None."""
    if Tile in (type(x), type(y)) or Index not in (type(x), type(y)):
        return None
    return Index.of(x), Index.of(y)


@overload
def fma(a: Tile, b: Tile | Single | float, c: Tile | Single | float) -> Tile: ...
@overload
def fma(a: Scalar, b: Tile, c: Tile | Single | float) -> Tile: ...
@overload
def fma(a: Scalar, b: Scalar | float, c: Scalar | float) -> Scalar: ...
def fma(a: object, b: object, c: object) -> Tile | Scalar | Index:
    """Return a * b + c, rounded once."""
    return value_of(elementwise.fused(*_met("xt.fma", a, b, c)))


Condition = Tile | Scalar
"""Truth values: results of comparisons, and of `&`, `|`, `~` on them."""


@overload
def where(condition: Condition, x: Tile, y: Tile | Single | float) -> Tile: ...
@overload
def where(condition: Condition, x: Single | float, y: Tile) -> Tile: ...
@overload
def where(condition: Tile, x: Single | float, y: Single | float) -> Tile: ...
@overload
def where(condition: Scalar, x: Scalar, y: Scalar | float) -> Scalar: ...
@overload
def where(condition: Scalar, x: float, y: Scalar) -> Scalar: ...
@overload
def where(condition: Scalar, x: Index, y: Single | int) -> Index: ...
@overload
def where(condition: Scalar, x: Single | int, y: Index) -> Index: ...
def where(condition: object, x: object, y: object) -> Tile | Scalar | Index:
    """Return x where the condition is true, else y, elementwise."""
    if not isinstance(condition, Tile | Scalar):
        refuse(f"xt.where({describe(condition)}, ...): a condition is i1; write a comparison")
    return value_of(elementwise.select(condition.held(), *_met("xt.where", x, y)))


def _met(symbol: str, *values: object) -> list[Held]:
    """Convert operands to their common type and shape; Python numbers take those of the others."""
    held = [value.held() for value in values if isinstance(value, Value)]
    if not held:
        said = ", ".join(map(describe, values))
        refuse(f"{symbol} of {said}: write one with its type, xt.f32(...)")
    first = held[0]
    for other in held[1:]:
        first, _ = met(symbol, first, other)
    return [_as_operand(symbol, value, first) for value in values]


def _as_operand(symbol: str, value: object, first: Held) -> Held:
    held = operand_of(value, first.element, first.shape)
    if held is None:
        refuse(f"{symbol} takes no {describe(value)}")
    return met(symbol, held, first)[0]


def value_of(held: Held) -> Tile | Scalar | Index:
    """Return the value as an object of its class."""
    if held.shape is not None:
        return Tile(held.value, held.element, held.shape)
    if held.element.kind == "index":
        return Index.of(held.value)
    return Scalar(held.value, held.element)


@overload
def cdiv(x: int, y: int) -> int: ...
@overload
def cdiv(x: Index, y: Index | int) -> Index: ...
@overload
def cdiv(x: int, y: Index) -> Index: ...
@overload
def cdiv(x: T, y: T | int) -> T: ...
def cdiv(x: "Index | Scalar | Tile | int", y: "Index | Scalar | Tile | int") -> object:
    """Return the quotient of integers, rounded up."""
    for value in (x, y):
        if not isinstance(value, Value) and whole_of(value) is None:
            refuse(f"expected integers in xt.cdiv, found {describe(value)}")
    if not isinstance(y, Value) and y == 0:
        refuse("division by 0 in xt.cdiv")
    if isinstance(x, Tile | Scalar) or isinstance(y, Tile | Scalar):
        return value_of(elementwise.binary("ceildiv", *_met("xt.cdiv", x, y)))
    return -(-x // y)


def zeros(shape: Pair, type: ElementType) -> Tile:
    """Return a tile of zeros."""
    return full(shape, False if element_of(type).kind == "boolean" else 0, type)


def full(shape: Pair, value: Single | float, type: ElementType | None = None) -> Tile:
    """Return a tile of one value; the type of a scalar is the default."""
    shape = shape_of("xt.full", shape)
    if isinstance(value, Single):
        held = value.held() if type is None else converted(value.held(), element_of(type))
        return Tile(broadcast(held, shape).value, held.element, shape)
    number = number_of(value)
    if number is None:
        refuse(f"xt.full of {describe(value)}: expected a number")
    if type is None:
        refuse(f"xt.full({shape}, {value!r}): the type is missing, such as xt.f32")
    return Tile(literal(number, element_of(type), shape).value, type, shape)


def shape_of(name: str, shape: object) -> Pair:
    """Return rows and columns that a kernel's author wrote.

    Errors: XetileError if they are not a pair of positive numbers.
    """
    if isinstance(shape, tuple | list):
        extents = [number_of(extent) for extent in cast("Sequence[object]", shape)]
        match extents:
            case [int() as rows, int() as columns] if rows > 0 and columns > 0:
                return rows, columns
            case _:
                pass
    refuse(
        f"{name} of shape {shape!r}; a tile has rows and columns that are known before it runs, such as (64, 32)"
    )


def arange(
    start: Index | int,
    stop: Index | int | None = None,
    *,
    axis: int = 1,
    type: ElementType = INDEX,
) -> Tile:
    """Return the integers from `start` up to `stop`, or those below `start`: a row, or with axis=0 a column."""
    if whole_of(axis) not in (0, 1):
        refuse(f"xt.arange along axis {axis!r}; a row has axis 1, a column axis 0")
    first, last = (0, start) if stop is None else (start, stop)
    count = difference(last, first)
    if count is None or count < 1:
        refuse(
            "xt.arange of a number of elements that is not known, or none; write xt.arange(N) + start"
            if count is None
            else f"xt.arange of {count} elements"
        )
    element = element_of(type)
    held = numbers(count, axis, element)
    begin = Index.of(first)
    if begin.known is None:
        held = binary("add", held, converted(begin.held(), element))
    elif begin.constant:
        held = binary("add", held, literal(begin.constant, element, held.shape))
    return Tile(held.value, element, (1, count) if axis == 1 else (count, 1))


class Element(ElementType):
    """A type of elements that can be called to convert a value to it."""

    @overload
    def __call__(self, value: Single | float) -> Scalar: ...
    @overload
    def __call__(self, value: Tile) -> Tile: ...
    def __call__(self, value: object) -> Scalar | Tile | Index:
        """Convert a Python number or a value to this type."""
        return _made(self, value)


class IndexElement(ElementType):
    """The type of indices."""

    @overload
    def __call__(self, value: Single | int) -> Index: ...
    @overload
    def __call__(self, value: Tile) -> Tile: ...
    def __call__(self, value: object) -> Scalar | Tile | Index:
        """Convert a Python number or an integer value to an index."""
        if not isinstance(value, Tile):
            return Index.of(value)
        return _made(self, value)


def _made(element: ElementType, value: object) -> Scalar | Tile | Index:
    held = operand_of(value, element, None)
    if held is None:
        refuse(f"xt.{element} of {describe(value)}: expected a number or a value")
    return value_of(converted(held, element))


def _callable(type: ElementType) -> Element:
    return Element(type.name, type.kind, type.bits, type.digits)


f16 = _callable(types.f16)
bf16 = _callable(types.bf16)
tf32 = _callable(types.tf32)
f32 = _callable(types.f32)
f64 = _callable(types.f64)
f8E4M3FN = _callable(types.f8E4M3FN)
f8E5M2 = _callable(types.f8E5M2)
i1 = _callable(types.i1)
i4 = _callable(types.i4)
i8 = _callable(types.i8)
i16 = _callable(types.i16)
i32 = _callable(types.i32)
i64 = _callable(types.i64)
ui4 = _callable(types.ui4)
ui8 = _callable(types.ui8)
index = IndexElement(types.index.name, types.index.kind, types.index.bits, types.index.digits)

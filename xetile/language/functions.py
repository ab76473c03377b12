"""Functions of values: `xt.exp(x)`, `xt.where(x > 0.0, x, 0.0)`, `xt.zeros((64, 32), xt.f32)`."""

from typing import TypeVar, overload

from xetile.language import elementwise
from xetile.language.arithmetic import Single
from xetile.language.elementwise import Function, met
from xetile.language.held import Held
from xetile.language.indices import Index, largest, smallest
from xetile.language.literals import literal, number_of, whole_of
from xetile.language.refusals import refuse
from xetile.language.scalars import Scalar
from xetile.language.tiles import Tile
from xetile.language.values import Value, describe

T = TypeVar("T", Tile, Scalar)


def _function(name: Function, x: T) -> T:
    _check(name, x)
    return x.made(elementwise.function(name, x.held()))


def _check(name: str, x: object) -> None:
    if not isinstance(x, Tile | Scalar):
        refuse(f"xt.{name}({describe(x)}): it is for tiles and scalars")


def exp(x: T) -> T:
    """The exponential function."""
    return _function("exp", x)


def exp2(x: T) -> T:
    """2 to the power of x."""
    return _function("exp2", x)


def log(x: T) -> T:
    """The natural logarithm."""
    return _function("log", x)


def log2(x: T) -> T:
    """The logarithm to base 2."""
    return _function("log2", x)


def sqrt(x: T) -> T:
    """The square root."""
    return _function("sqrt", x)


def rsqrt(x: T) -> T:
    """1 by the square root."""
    return _function("rsqrt", x)


def tanh(x: T) -> T:
    """The hyperbolic tangent."""
    return _function("tanh", x)


def erf(x: T) -> T:
    """The error function."""
    return _function("erf", x)


def sin(x: T) -> T:
    """The sine, of radians."""
    return _function("sin", x)


def cos(x: T) -> T:
    """The cosine, of radians."""
    return _function("cos", x)


def floor(x: T) -> T:
    """The largest whole number that is not above x, as a float."""
    return _function("floor", x)


def ceil(x: T) -> T:
    """The smallest whole number that is not below x, as a float."""
    return _function("ceil", x)


def abs(x: T) -> T:
    """The magnitude."""
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
    """The larger of two; NaN if one is."""
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
    """The smaller of two; NaN if one is."""
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
    """The larger of two; of a NaN and a number, the number, as the hardware's instruction has it."""
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
    """The smaller of two; of a NaN and a number, the number."""
    return value_of(elementwise.binary("fmin", *_met("xt.fmin", x, y)))


def _indices(x: object, y: object) -> tuple[Index, Index] | None:
    """Both as indices, where one is and the other is a single number."""
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
    """A * b + c, rounded once."""
    return value_of(elementwise.fused(*_met("xt.fma", a, b, c)))


Condition = Tile | Scalar
"""Truth values: comparisons, and what `&`, `|`, `~` make of them."""


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
    """X where the condition holds, else y, by element."""
    if not isinstance(condition, Tile | Scalar):
        refuse(f"xt.where({describe(condition)}, ...): a condition is i1; write a comparison")
    return value_of(elementwise.select(condition.held(), *_met("xt.where", x, y)))


def _met(symbol: str, *values: object) -> list[Held]:
    """Operands in the type and shape in which they meet; Python numbers take those of the others."""
    held = [value.held() for value in values if isinstance(value, Value)]
    if not held:
        said = ", ".join(map(describe, values))
        refuse(f"{symbol} of {said}: write one with its type, xt.f32(...)")
    first = held[0]
    for other in held[1:]:
        first, _ = met(symbol, first, other)
    return [_as_operand(symbol, value, first) for value in values]


def _as_operand(symbol: str, value: object, first: Held) -> Held:
    if isinstance(value, Value):
        return met(symbol, value.held(), first)[0]
    number = number_of(value)
    if number is None:
        refuse(f"{symbol} takes no {describe(value)}")
    return literal(number, first.element, first.shape)


def value_of(held: Held) -> Tile | Scalar | Index:
    """The value of its class."""
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
    """The quotient of integers, rounded up."""
    for value in (x, y):
        if not isinstance(value, Value) and whole_of(value) is None:
            refuse(f"expected integers in xt.cdiv, found {describe(value)}")
    if not isinstance(y, Value) and y == 0:
        refuse("division by 0 in xt.cdiv")
    if isinstance(x, Tile | Scalar) or isinstance(y, Tile | Scalar):
        return value_of(elementwise.binary("ceildiv", *_met("xt.cdiv", x, y)))
    return -(-x // y)

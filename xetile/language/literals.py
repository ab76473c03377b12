"""Python's numbers as constants: what a type can hold, and how it is rounded."""

import math
from collections.abc import Callable
from functools import cache
from typing import SupportsFloat, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
)

from xetile.hints import isa
from xetile.language.builder import Constant, Pair, current
from xetile.language.held import Held, fitting_in_memory
from xetile.language.refusals import refuse
from xetile.language.types import ElementType, f32, f64


def number_of(value: object) -> int | float | None:
    """A Python number, or one of numpy's scalars as Python's; None for all else."""
    if isinstance(value, int | float):
        if type(value).__module__ == "numpy":
            return float(value)
        return value
    from numpy import character, complexfloating, datetime64, generic, timedelta64

    if not isinstance(value, generic):
        return None
    if isinstance(value, character | complexfloating | datetime64 | timedelta64):
        return None
    found = cast("Callable[[], object]", value.item)()
    if isinstance(found, int | float):
        return found
    try:
        return float(cast("SupportsFloat", value))
    except (TypeError, ValueError):  # a record
        return None


def whole_of(value: object) -> int | None:
    """A whole number of Python's or numpy's; None for all else, truth values too."""
    number = number_of(value)
    return number if isinstance(number, int) and not isinstance(number, bool) else None


_SHORT = 40
"""Characters of a number that messages show."""


def shown(value: float) -> str:
    """A number in a message: its digits, where they are not too many."""
    if isinstance(value, int) and value.bit_length() > 4 * _SHORT:
        return f"a whole number of {value.bit_length()} bits"
    return repr(value)


def literal(value: float, element: ElementType, shape: Pair | None) -> Held:
    """A Python number as a constant of a type, rounded to nearest even.

    Errors: XetileError for one that the type does not hold: out of range, a fraction where integers are, a number
    where truth values are.
    """
    return Held(current().constant(constant_attribute(value, element, shape)), element, shape)


def constant_attribute(
    value: float, element: ElementType, shape: Pair | None = None
) -> Constant:
    """The attribute of such a constant; errors as `literal` has them."""
    fitting_in_memory(shape)
    found = _boolean(value, element) if element.kind == "boolean" else _number(value, element)
    return _constant(element, shape, repr(found))


def _boolean(value: float, element: ElementType) -> int:
    if not isinstance(value, bool):
        refuse(f"{value!r} stands where truth values ({element}) are; write True or False")
    return int(value)


def _number(value: float, element: ElementType) -> int | float:
    if isinstance(value, bool):
        refuse(f"{value} stands where numbers of {element} are; write {int(value)}")
    if element.kind == "float":
        return _rounded(value, element)
    if isinstance(value, float):
        refuse(
            f"{value!r} stands where integers ({element}) are; convert them, `.to(xt.f32)`, "
            "or write an integer"
        )
    low, high = range_of(element)
    if not low <= value <= high:
        refuse(f"{shown(value)} is out of the range of {element}, {low} to {high}")
    return value


def range_of(element: ElementType) -> tuple[int, int]:
    """The smallest and the largest number of an integer type."""
    high = (1 << element.digits) - 1
    return (0 if element.unsigned else -high - 1), high


def _rounded(value: float, element: ElementType) -> float:
    try:
        exact = float(value)
        found = _nearest(exact, element)
    except OverflowError:
        exact, found = math.inf, math.nan
    if math.isnan(exact) or found == exact:
        return found
    if not math.isfinite(found):
        refuse(f"{shown(value)} is out of the range of {element}")
    if found == 0:
        wide = f32 if element.bits < f32.bits and _nearest(exact, f32) else f64
        refuse(
            f"{value!r} is 0 in {element}; numbers that small need a wider type, `.to(xt.{wide})`"
        )
    return found


def _nearest(value: float, element: ElementType) -> float:
    kind = element.attribute
    assert isinstance(kind, AnyFloat)
    return kind.unpack(kind.pack([value]), 1)[0]


@cache
def _constant(element: ElementType, shape: Pair | None, text: str) -> Constant:
    """The attribute; by the number's text, for 0.0 equals -0.0."""
    kind = element.attribute
    if isinstance(kind, AnyFloat):
        if shape is None:
            return FloatAttr(float(text), kind)
        return DenseIntOrFPElementsAttr.from_list(VectorType(kind, shape), [float(text)])
    assert isa(kind, IntegerType | IndexType)
    if shape is None:
        return IntegerAttr(int(text), kind)
    return DenseIntOrFPElementsAttr.from_list(VectorType(kind, shape), [int(text)])

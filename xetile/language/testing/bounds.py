"""How far from real numbers a kernel may be, stated by its reference."""

from typing import NamedTuple

import numpy as np

from xetile.language.given import held_as
from xetile.language.testing.data import Numbers, facts_of, meaning
from xetile.language.types import ElementType


class Near(NamedTuple):
    """What a reference returns where sums are rounded.

    Attributes:
        value: what real arithmetic gives.
        terms: how many roundings an element has gone through, such as the length of a sum.
        magnitude: what each of them is relative to: the sum of the magnitudes of what is summed; |value| by default.
        unit: the unit roundoff of the type in which it is computed, 2^-24 for f32.
        largest: its largest number; where the magnitude is beyond it, nothing is expected.

    An element may be off by g * magnitude, with g = n u / (1 - n u) for n terms and the unit u, and by the rounding of
    the result to its type.
    """

    value: Numbers
    terms: float
    magnitude: Numbers | None = None
    unit: float = 2.0**-24
    largest: float = float(np.finfo(np.float32).max)


NATIVE = 2.0**-12
"""Relative error allowed of a result of which OpenCL's `native_` functions are part; OpenCL has no bound for them.

Twice what native_exp2 was measured to have on opencl:cpu (Intel's runtime 2026.2), 7.5e-5, on a CPU without AVX-512,
since a quotient such as softmax's has it in both parts; with AVX-512 it is 6e-8.
"""


class Wrong(NamedTuple):
    """The worst element: how often what is allowed it is off, where, what was found, what was expected."""

    times: float
    place: tuple[int, ...]
    found: float
    expected: float
    allowed: float
    wrong: int


def worst(
    found: Numbers, expected: Numbers | Near, element: ElementType, *, native: bool = False
) -> Wrong | None:
    """The element of an array that is furthest from what a reference says; None where all are near enough.

    A NaN is expected where the reference has one. `native` functions may be off by `NATIVE` too.
    """
    near = expected if isinstance(expected, Near) else Near(expected, 0)
    value = np.broadcast_to(near.value, found.shape)
    have = meaning(found, element)
    with np.errstate(all="ignore"):
        if element.kind != "float":
            allowed = np.zeros(value.shape)
            apart = np.maximum(abs(have.astype(np.float64) - value), 1.0)
            off = np.where(have == value, 0.0, apart)  # f64 does not have all numbers of i64
        else:
            allowed = _allowed(near, value, element, native=native)
            off = _distance(have, _rounded(value, element) if near.terms == 0 else value)
            off = np.where(_overflows(near, value, have, element), 0.0, off)
        times = np.where(off == 0, 0.0, off / allowed)
        times = np.where(np.isnan(times), np.inf, times)
    if not times.size or times.max() <= 1:
        return None
    index = tuple(map(int, np.unravel_index(int(times.argmax()), times.shape)))
    count = int((times > 1).sum())
    return Wrong(
        float(times[index]),
        index,
        float(have[index]),
        float(value[index]),
        float(allowed[index]),
        count,
    )


def _overflows(near: Near, value: Numbers, found: Numbers, element: ElementType) -> Numbers:
    """Where what is summed may be beyond the largest number on the way, so that all is right; NaN beside infinities."""
    if near.terms == 0:
        return np.zeros(value.shape, bool)
    magnitude = abs(value) if near.magnitude is None else near.magnitude
    rounded = 1 + near.terms * near.unit
    largest = min(_largest(element), near.largest)
    beyond = np.broadcast_to(magnitude, value.shape) * rounded > largest
    infinite = np.isinf(value) & (np.isnan(found) | (found == value))
    return np.where(np.isfinite(value), beyond, infinite)


def _allowed(near: Near, value: Numbers, element: ElementType, *, native: bool) -> Numbers:
    if near.terms == 0:
        return np.zeros(value.shape)
    facts = facts_of(element)
    magnitude = abs(value) if near.magnitude is None else near.magnitude
    growth = near.terms * near.unit / (1 - near.terms * near.unit) + NATIVE * native
    error = growth * np.broadcast_to(magnitude, value.shape)
    # of tf32 ten bits of the fraction are left
    roundoff = 2.0**-11 if element.name == "tf32" else float(facts.eps) / 2
    return error + roundoff * (abs(value) + error) + float(facts.smallest_subnormal)


def _distance(found: Numbers, value: Numbers) -> Numbers:
    """Zero for equal ones and two NaN, infinite where one of them is a NaN, or an infinity."""
    same = (found == value) | (np.isnan(found) & np.isnan(value))
    off = abs(found - value)
    return np.where(same, 0.0, np.where(np.isnan(off), np.inf, off))


def _rounded(value: Numbers, element: ElementType) -> Numbers:
    return value.astype(held_as(element)[0]).astype(np.float64)


def _largest(element: ElementType) -> float:
    return float(facts_of(element).max)

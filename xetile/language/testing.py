"""`xt.testing`: check a kernel against a reference in numpy, on all data, levels and devices at once.

| data | elements |
|---|---|
| random | normal numbers of mean 0 and width 1, rounded to the type; integers over their whole range |
| integer | integers from -4 to 4, of which many sums and products are exact |
| adversarial | random, mixed with infinities, NaN, the largest, smallest and subnormal numbers, both zeros; extremes |
"""

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any, Literal, NamedTuple, TypeAlias, cast, get_args

import numpy as np
from ml_dtypes import finfo
from numpy.typing import NDArray
from xdsl.dialects.utils import FastMathFlag

from xetile.advice import hint_or_names
from xetile.dialects.fast_math import fast_math
from xetile.errors import collected_remarks
from xetile.language.calling.argument_types import held_as
from xetile.language.calling.decorator import Kernel
from xetile.language.calling.specialised import Specialised
from xetile.language.positions import refuse
from xetile.language.types import ArrayType, ElementType
from xetile.levels import LevelName
from xetile.targets import DEFAULT

Numbers: TypeAlias = NDArray[Any]

Data = Literal["random", "integer", "adversarial"]
DATA: tuple[Data, ...] = get_args(Data)
"""All kinds of data."""

_SMALL = 4
"""The largest of small integers."""

_ODD_ONES = 16
"""The inverse share of extremes in adversarial data: one element in this many."""

_TWO_IN_A_BYTE = 4
"""Bits of an element that shares a byte with another."""


def numbers(type: ArrayType, data: Data, random: np.random.Generator) -> Numbers:
    """Return elements for an array of a type, in its storage format: two i4 per byte, tf32 as f32."""
    shape = tuple(extent for extent in type.extents if isinstance(extent, int))
    if type.element.kind == "float":
        found = _floats(type.element, shape, data, random)
    else:
        found = _integers(type.element, shape, data, random)
        if type.element.bits == _TWO_IN_A_BYTE:
            nibbles = found.astype(np.uint8) & 15
            found = nibbles[..., 0::2] | nibbles[..., 1::2] << 4
    return _ordered(found.astype(held_as(type.element)[0]), type)


def _ordered(found: Numbers, type: ArrayType) -> Numbers:
    if not type.column_major:
        return np.ascontiguousarray(found)
    return np.ascontiguousarray(found.swapaxes(-1, -2)).swapaxes(-1, -2)


def _floats(
    element: ElementType, shape: Sequence[int], data: Data, random: np.random.Generator
) -> Numbers:
    if data == "integer":
        return random.integers(-_SMALL, _SMALL, size=shape, endpoint=True).astype(np.float64)
    kind = held_as(element)[0]
    found = random.standard_normal(shape).astype(np.float32).astype(kind)
    if data == "adversarial":
        facts = facts_of(element)
        extremes = [
            facts.max,
            facts.min,
            facts.tiny,
            facts.smallest_subnormal,
            -0.0,
            0.0,
            np.nan,
        ]
        if element.name != "f8E4M3FN":  # it has no infinity
            extremes += [np.inf, -np.inf]
        values = np.array([float(one) for one in extremes]).astype(kind)
        odd = random.random(shape) < 1 / _ODD_ONES
        found = np.where(odd, random.choice(values, size=shape), found)
    return found


def facts_of(element: ElementType) -> "np.finfo[np.float64]":
    """Return the limits of a type of floats in its storage format."""
    return cast("np.finfo[np.float64]", finfo(held_as(element)[0]))


def _integers(
    element: ElementType, shape: Sequence[int], data: Data, random: np.random.Generator
) -> Numbers:
    low, high = limits(element)
    if data == "integer":
        return random.integers(max(low, -_SMALL), min(high, _SMALL), size=shape, endpoint=True)
    found = random.integers(low, high, size=shape, endpoint=True)
    if data == "adversarial":
        odd = random.random(shape) < 1 / _ODD_ONES
        found = np.where(odd, random.choice([low, high], size=shape), found)
    return found


def limits(element: ElementType) -> tuple[int, int]:
    """Return the smallest and the largest value of an integer type."""
    if element.name.startswith("u"):
        return 0, (1 << element.bits) - 1
    return -(1 << element.bits - 1), (1 << element.bits - 1) - 1


def meaning(array: Numbers, element: ElementType) -> Numbers:
    """Return the values of an array as f64, or i64 for integers, as references receive them."""
    if element.bits == _TWO_IN_A_BYTE:
        return _halves(array.view(np.uint8), signed=not element.name.startswith("u"))
    if element.kind != "float":
        return array.astype(np.int64)
    if element.name == "tf32":  # the lower bits of a word are dropped when it is loaded
        array = (array.view(np.uint32) & ~np.uint32(0x1FFF)).view(np.float32)
    return array.astype(np.float64)


def _halves(pairs: Numbers, *, signed: bool) -> Numbers:
    both = np.stack([pairs & 15, pairs >> 4], axis=-1).astype(np.int64)
    found = both.reshape(*pairs.shape[:-1], 2 * pairs.shape[-1])
    return (found ^ 8) - 8 if signed else found


class Near(NamedTuple):
    """The result of a reference for sums that are rounded.

    Attributes:
        value: the result in real arithmetic.
        terms: the number of roundings that affect an element, such as the length of a sum.
        magnitude: the scale of each rounding: the sum of the magnitudes of the summands; |value| by default.
        unit: the unit roundoff of the type in which it is computed, 2^-24 for f32.
        largest: its largest number; if the magnitude exceeds it, any result is accepted.

    An element may be off by g * magnitude, with g = n u / (1 - n u) for n terms and the unit u, and by the rounding of
    the result to its type.
    """

    value: Numbers
    terms: float
    magnitude: Numbers | None = None
    unit: float = 2.0**-24
    largest: float = float(np.finfo(np.float32).max)


NATIVE = 2.0**-12
"""Relative error allowed of a result computed with OpenCL's `native_` functions; OpenCL gives no bound for them.

Twice the error measured of native_exp2 on opencl:cpu (Intel's runtime 2026.2), 7.5e-5, on a CPU without AVX-512,
since a quotient such as softmax's has it in both parts; with AVX-512 it is 6e-8.
"""


class Wrong(NamedTuple):
    """The worst element: its error in multiples of the allowed one, its index, the value found and the one expected."""

    times: float
    place: tuple[int, ...]
    found: float
    expected: float
    allowed: float
    wrong: int


def worst(
    found: Numbers, expected: Numbers | Near, element: ElementType, *, native: bool = False
) -> Wrong | None:
    """Return the element of an array that is furthest from the reference, or None if all are within the bound.

    A NaN is expected where the reference has one. `native` functions may be off by `NATIVE` too.
    """
    near = expected if isinstance(expected, Near) else Near(expected, 0)
    value = np.broadcast_to(near.value, found.shape)
    have = meaning(found, element)
    with np.errstate(all="ignore"):
        if element.kind != "float":
            allowed = np.zeros(value.shape)
            apart = np.maximum(abs(have.astype(np.float64) - value), 1.0)
            off = np.where(have == value, 0.0, apart)  # f64 does not represent every i64
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
    """Return where a partial sum may overflow, so that any result is right; for infinities, NaN is right too."""
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
    # tf32 has ten bits of fraction
    roundoff = 2.0**-11 if element.name == "tf32" else float(facts.eps) / 2
    return error + roundoff * (abs(value) + error) + float(facts.smallest_subnormal)


def _distance(found: Numbers, value: Numbers) -> Numbers:
    """Return 0 for equal values and two NaN, infinity if one of them is NaN or an infinity, else the distance."""
    same = (found == value) | (np.isnan(found) & np.isnan(value))
    off = abs(found - value)
    return np.where(same, 0.0, np.where(np.isnan(off), np.inf, off))


def _rounded(value: Numbers, element: ElementType) -> Numbers:
    return value.astype(held_as(element)[0]).astype(np.float64)


def _largest(element: ElementType) -> float:
    return float(facts_of(element).max)


Reference = Callable[..., Any]
"""A function of arrays named like the kernel's parameters, as f64 or i64, and of constants.

It returns the remaining arrays: an array (its numbers, rounded to the type, are expected) or a `Near`, several as a
tuple in the order of the kernel's parameters.
"""

LEVELS: tuple[LevelName, ...] = ("subgroup", "blocked", "xegpu", "xevm")
"""Levels below the one at which kernels are written, each of which gives the same bits."""

_FILLED = 7
"""The initial value of results, which reveals elements that a kernel does not store."""


class Report(NamedTuple):
    """The executions that were checked, each with its place and its data."""

    runs: tuple[str, ...]

    def __str__(self) -> str:
        return f"{len(self.runs)} executions: {', '.join(self.runs)}"


class _Case(NamedTuple):
    name: str
    types: Mapping[str, ArrayType]
    reference: Reference
    constants: Mapping[str, object]
    inputs: tuple[str, ...]

    @property
    def results(self) -> list[str]:
        """The arrays that the reference returns."""
        return [name for name in self.types if name not in self.inputs]


class _Place(NamedTuple):
    """A way to execute a kernel.

    Attributes:
        bits: True if the bits of level W are expected.
        native: True if functions may be OpenCL's `native_` ones.
    """

    name: str
    run: Callable[..., object]
    bits: bool
    native: bool = False


def check(
    kernel: Kernel,
    shapes: Sequence[Sequence[int]],
    types: ElementType | Sequence[ElementType],
    reference: Reference,
    *,
    column_major: Sequence[str] = (),
    sg_layout: tuple[int, int] | None = None,
    levels: Sequence[LevelName] = LEVELS,
    device: str = DEFAULT,
    on: str | None = None,
    eager: bool = True,
    data: Sequence[Data] = DATA,
    reordered: bool = False,
    seed: int = 0,
    **constants: Any,
) -> Report:
    """Execute a kernel on several kinds of data, at every level, and compare with a reference.

    `shapes` are the extents of the arrays, in the order of the kernel's parameters (arguments omitted at the end are
    None), `types` their element types, or one for all; those named in `column_major` are stored so. `reference` takes
    numpy arrays by the names of the kernel's parameters, as f64 or for integers i64, and constants. Arrays for which
    it has no parameter are results, which it returns: numbers whose rounding is expected bit by bit, or `Near`, with a
    bound.

    Level W is compared with the reference; eager execution and the other `levels`, lowered for `device`, with the bits
    of level W (with the reference if `reordered`, for kernels in which subgroups share a sum). Executed `on` a device
    (`opencl:cpu`), functions may differ by what OpenCL allows, so such results are compared with the reference. `data`
    names kinds of data (DATA), `seed` seeds them; further arguments are the kernel's constants.
    Errors: AssertionError with the worst element, its index, the level and the data; XetileError if the kernel cannot
    be specialized or lowered.
    """
    if not data:
        refuse(f"no kind of data is given; there are: {', '.join(DATA)}")
    for kind in data:
        _check_known(kind, DATA, "kind of data")
    elements = [types] * len(shapes) if isinstance(types, ElementType) else types
    arrays = _arrays(kernel, shapes, elements, column_major)
    made = kernel.specialize(*arrays.values(), sg_layout=sg_layout, **constants)
    case = _case(kernel, arrays, reference, constants)
    places = [_Place("level workgroup", made, bits=False)]
    if eager:
        places.append(_Place("eager execution", made.eager, bits=True))
    for level in levels:
        with collected_remarks():
            lowered = made.lower(level, device=device)
        places.append(_Place(f"level {level}", lowered, bits=not reordered))
    if on is not None:
        exact = not reordered and not _approximates(made)
        places.append(
            _Place(
                on, made.on(on, device=device), bits=exact, native=_has_native_functions(made)
            )
        )
    runs = [_try(case, kind, places, seed + number) for number, kind in enumerate(data)]
    return Report(tuple(run for some in runs for run in some))


def _arrays(
    kernel: Kernel,
    shapes: Sequence[Sequence[int]],
    elements: Sequence[ElementType],
    column_major: Sequence[str],
) -> dict[str, ArrayType]:
    """Return the types of the arrays by the names of the kernel's parameters."""
    names = kernel.parameters.arguments
    if not len(elements) == len(shapes) <= len(names):
        refuse(
            f"'{kernel.__name__}' takes {len(names)} arrays ({', '.join(names)}); given are {len(shapes)} shapes and "
            f"{len(elements)} element types"
        )
    for name in column_major:
        _check_known(name, names[: len(shapes)], "array")
    return {
        name: ArrayType(element, tuple(shape), column_major=name in column_major)
        for name, shape, element in zip(names, shapes, elements, strict=False)
    }


def _case(
    kernel: Kernel,
    arrays: Mapping[str, ArrayType],
    reference: Reference,
    constants: Mapping[str, object],
) -> _Case:
    """Return a kernel with its reference, and the arrays that the reference takes; it returns the others."""
    wanted = signature(reference).parameters
    for name, parameter in wanted.items():
        if parameter.default is parameter.empty:
            _check_known(name, (*arrays, *constants), "array or constant")
    inputs = tuple(name for name in arrays if name in wanted)
    if len(inputs) == len(arrays):
        refuse("the reference takes all arrays; it returns those that it does not take")
    passed = {name: value for name, value in constants.items() if name in wanted}
    return _Case(kernel.__name__, arrays, reference, passed, inputs)


def _check_known(name: str, known: Sequence[str], what: str) -> None:
    if name not in known:
        refuse(f"there is no {what} '{name}'{hint_or_names(name, known, 'there are')}")


def _approximates(kernel: Specialised) -> bool:
    """Return True if a device's results may have other bits, because of functions or of flags."""
    return any(
        op.name.startswith("math.")
        or "fastmath" in op.properties
        or "fastmath" in op.attributes
        for op in kernel.module.walk()
    )


def _has_native_functions(kernel: Specialised) -> bool:
    """Return True if a device may use one of OpenCL's `native_` functions, which have no bound."""
    return any(
        op.name.startswith("math.") and FastMathFlag.APPROX_FUNC in fast_math(op).data
        for op in kernel.module.walk()
    )


def _try(case: _Case, data: Data, places: Sequence[_Place], seed: int) -> list[str]:
    """Execute at every place on one kind of data and return the names of the executions."""
    random = np.random.default_rng(seed)
    given = {
        name: numbers(type, data if name in case.inputs else "integer", random)
        for name, type in case.types.items()
    }
    for name in case.results:
        given[name][...] = _FILLED
    expected = _expected(case, given)
    bits: dict[str, Numbers] = {}
    for place in places:
        arrays = {name: array.copy(order="K") for name, array in given.items()}
        place.run(*arrays.values())
        for name in case.inputs:
            if arrays[name].tobytes() != given[name].tobytes():
                raise AssertionError(
                    f"{case.name}, {place.name}, {data} data: {name} has changed"
                )
        for name in case.results:
            wanted = bits[name] if place.bits else expected[name]
            wrong = worst(arrays[name], wanted, case.types[name].element, native=place.native)
            if wrong is not None:
                raise AssertionError(_said(case, place, data, name, wrong))
            bits.setdefault(name, meaning(arrays[name], case.types[name].element))
    return [f"{place.name} ({data})" for place in places]


def _expected(case: _Case, given: Mapping[str, Numbers]) -> dict[str, Numbers | Near]:
    inputs = {name: meaning(given[name], case.types[name].element) for name in case.inputs}
    with np.errstate(all="ignore"):
        found = case.reference(**inputs, **case.constants)
    is_one = isinstance(found, Near) or not isinstance(found, tuple)
    several = cast("tuple[Numbers | Near, ...]", (found,) if is_one else found)
    names = case.results
    if len(several) != len(names):
        refuse(f"the reference returns {len(several)} arrays for {', '.join(names)}")
    for name, one in zip(names, several, strict=True):
        shape, wanted = (
            np.shape(one.value if isinstance(one, Near) else one),
            given[name].shape,
        )
        if shape not in ((), wanted):
            refuse(
                f"the reference returns an array of shape {[*shape]} for {name}, which has {[*wanted]}"
            )
    return dict(zip(names, several, strict=True))


def _said(case: _Case, place: _Place, data: Data, name: str, wrong: Wrong) -> str:
    types = ", ".join(f"{name}: {type}" for name, type in case.types.items())
    of = "level W has" if place.bits else "the reference has"
    off = (
        ""
        if wrong.allowed == 0
        else f" within {wrong.allowed:.3g}, it is {wrong.times:.3g} times that off"
    )
    return (
        f"{case.name}({types}), {place.name}, {data} data: {name}{list(wrong.place)} is {wrong.found!r}, "
        f"{of} {wrong.expected!r}{off}; {wrong.wrong} elements are wrong"
    )

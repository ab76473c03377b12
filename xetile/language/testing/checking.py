"""One call that tries a kernel: its data, its shapes, eagerly, at every level and on a device."""

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any, NamedTuple, cast

import numpy as np
from xdsl.dialects.utils import FastMathFlag

from xetile.advice import hint_or_names
from xetile.dialects.fast_math import fast_math
from xetile.errors import collected_remarks
from xetile.language.kernels import Kernel
from xetile.language.refusals import refuse
from xetile.language.specialised import Specialised
from xetile.language.testing.bounds import Near, Wrong, worst
from xetile.language.testing.data import DATA, Data, Numbers, meaning, numbers
from xetile.language.types import ArrayType, ElementType
from xetile.levels import LevelName
from xetile.targets import DEFAULT

Reference = Callable[..., Any]
"""Takes arrays of a kernel, by the names that it has parameters for, as f64 or i64, and constants that it names.

It returns the arrays that are left: an array (its numbers, rounded to the type, are expected) or a `Near`, several as a
tuple in the order of the kernel's parameters."""

LEVELS: tuple[LevelName, ...] = ("subgroup", "blocked", "xegpu", "xevm")
"""Levels below the one at which kernels are written, each of which gives the same bits."""

_FILLED = 7
"""What results hold before; a kernel that leaves an element alone is noticed."""


class Report(NamedTuple):
    """What was tried: the number of executions, and for each where and on which data."""

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
    """Where a kernel is executed.

    Attributes:
        bits: whether the bits of level W are expected.
        native: whether functions may be OpenCL's `native_` ones.
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

    `shapes` has the extents of the arrays, in the order of the kernel's parameters (those left out at the end are
    None), `types` their element types, or the one of all; those named in `column_major` lie so in memory. `reference`
    takes arrays of numpy by the names of the kernel's parameters, f64 or for integers i64, and constants, as far as it
    has parameters for them; what it has none for are results, which it returns: numbers whose rounding is expected
    bit by bit, or `Near`, with a bound.

    Level W is held to the reference, eager execution and the other `levels`, lowered for `device`, to the bits of level
    W (`reordered`: to the reference, for kernels in which subgroups share a sum). Executed `on` a device
    (`opencl:cpu`), functions may differ by what OpenCL allows: they are held to the reference. `data` names kinds of
    data (DATA), `seed` makes them; further arguments are the kernel's constants.
    Errors: AssertionError with the worst element, its index, the level and the data; XetileError where the kernel
    cannot be made.
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
    """The types of the arrays by the names of the kernel's parameters."""
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
    """A kernel with its reference: which arrays that takes, which it returns."""
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
    """Whether a device's results may have other bits: functions, and what flags allow."""
    return any(
        op.name.startswith("math.")
        or "fastmath" in op.properties
        or "fastmath" in op.attributes
        for op in kernel.module.walk()
    )


def _has_native_functions(kernel: Specialised) -> bool:
    """Whether a device may compute a function with OpenCL's `native_` one, which has no bound."""
    return any(
        op.name.startswith("math.") and FastMathFlag.APPROX_FUNC in fast_math(op).data
        for op in kernel.module.walk()
    )


def _try(case: _Case, data: Data, places: Sequence[_Place], seed: int) -> list[str]:
    """Execute everywhere on one kind of data; where that was."""
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

"""`@xt.kernel`: a Python function that describes the work of one workgroup.

Positional parameters of a kernel are its arguments; those after `*` are constants of a compilation.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import update_wrapper
from linecache import getlines
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, cast, overload

from xetile.advice import hint_or_names
from xetile.errors import XetileError, one_line
from xetile.language.builder import Flag, Pair, building, flags_of
from xetile.language.calling.argument_types import (
    ArgumentType,
    Given,
    Passed,
    described,
    type_of,
)
from xetile.language.calling.kept import MOST, Recent
from xetile.language.calling.specialised import (
    Call,
    KernelOnDevice,
    OnDevice,
    Specialised,
    check_subgroups,
    device_for,
    remembered,
)
from xetile.language.calling.tracing import Grid, Source
from xetile.language.dependencies import Dependencies
from xetile.language.positions import location, refuse
from xetile.language.types import ArrayType, ElementType
from xetile.targets import find

if TYPE_CHECKING:
    from xdsl.dialects.builtin import FileLineColLoc, ModuleOp

    from xetile.explanation.ranking import Ranked, Ranking
    from xetile.runtime.open_device import Device
    from xetile.targets.target import Assume, RegisterFile


_DEFINITION = re.compile(r"(\s*)(async\s+)?def\b")

RESERVED = ("device", "grid", "on", "sanitize", "sg_layout")
"""Keywords of calls and specializations, which a kernel's parameters cannot use."""


@dataclass(frozen=True)
class Parameters:
    """Names of arguments in order, and the optional ones; names of constants, and their defaults."""

    arguments: tuple[str, ...]
    optional: frozenset[str]
    constants: tuple[str, ...]
    defaults: Mapping[str, object]

    def arranged(
        self, kernel: str, given: Sequence[object], named: dict[str, object], what: str
    ) -> dict[str, object]:
        """Return the arguments of a call by name, without those that are None.

        Arguments by name are removed from `named`; `what` describes the values in diagnostics.
        Errors: XetileError if there are too many, or if one is given twice or is missing.
        """
        found = dict(zip(self.arguments, given, strict=False))
        listed = f"{len(self.arguments)} arguments ({', '.join(self.arguments)})"
        if len(given) > len(self.arguments):
            refuse(f"'{kernel}' takes {listed}, {len(given)} {what} are given")
        for name in [name for name in named if name in self.arguments]:
            if name in found:
                refuse(f"argument '{name}' of '{kernel}' is given by position and by name")
            found[name] = named.pop(name)
        missing = [
            n for n in self.arguments if found.get(n) is None and n not in self.optional
        ]
        if missing:
            refuse(
                f"'{kernel}' takes {listed}, {_listed(missing)} missing; {len(found)} {what} are given"
            )
        return {name: found[name] for name in self.arguments if found.get(name) is not None}

    def bound(self, kernel: str, given: Mapping[str, object]) -> dict[str, object]:
        """Return the value of each constant, in the order of the parameters.

        Errors: XetileError if the kernel has no such constant, or if one is missing.
        """
        for name in given:
            if name not in self.constants:
                refuse(_unknown(kernel, name, self))
        values = {**self.defaults, **given}
        missing = [name for name in self.constants if name not in values]
        if missing:
            refuse(f"'{kernel}' needs a value for {_listed(missing)}: write {missing[0]}=...")
        return {name: values[name] for name in self.constants}


def _unknown(kernel: str, name: str, known: Parameters) -> str:
    if name in known.arguments:
        return f"'{name}' of '{kernel}' is an argument, no constant"
    return f"'{kernel}' has no constant '{name}'{hint_or_names(name, known.constants, 'its constants')}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def parameters_of(function: FunctionType) -> Parameters:
    """Return the parameters of a kernel's function.

    Errors: XetileError at the `def` for functions that cannot be kernels: async functions, generators, `*args`,
    `**kwargs`, defaults of arguments other than None (an optional argument), and names that calls use as keywords.
    """
    at = place_of_code(function.__code__)
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        refuse(f"kernel '{function.__name__}' is async; write `def`", at)
    if inspect.isgeneratorfunction(function):
        refuse(f"kernel '{function.__name__}' yields; a kernel stores what it computes", at)
    arguments: list[str] = []
    optional: set[str] = set()
    constants: list[str] = []
    defaults: dict[str, object] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        _check(at, function.__name__, parameter)
        by_name = parameter.kind is parameter.KEYWORD_ONLY
        (constants if by_name else arguments).append(name)
        if parameter.default is not parameter.empty and by_name:
            defaults[name] = parameter.default
        elif parameter.default is None:
            optional.add(name)
    return Parameters(tuple(arguments), frozenset(optional), tuple(constants), defaults)


def _check(at: "FileLineColLoc", kernel: str, parameter: inspect.Parameter) -> None:
    name = parameter.name
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
        refuse(f"kernel '{kernel}' takes {stars}{name}; write a parameter for each array", at)
    if isinstance(parameter.annotation, ArrayType):
        refuse(
            f"argument '{name}' of kernel '{kernel}' is annotated with {parameter.annotation}; types are those of "
            f"`specialize` or of the arguments of a call: write `{name}: xt.Array`",
            at,
        )
    if name in RESERVED:
        refuse(f"parameter '{name}' of kernel '{kernel}': calls take {name}= themselves", at)
    is_left_out = parameter.default is parameter.empty or parameter.default is None
    if parameter.kind is not parameter.KEYWORD_ONLY and not is_left_out:
        refuse(
            f"argument '{name}' of kernel '{kernel}' has a default other than None; constants stand after `*`: "
            f"`def {kernel}(..., *, {name}={parameter.default!r})`",
            at,
        )


def place_of_code(code: CodeType) -> "FileLineColLoc":
    """Return the location of a function's `def`, or of its decorators if the source is not available."""
    line, column = code.co_firstlineno, 1
    for number, text in enumerate(getlines(code.co_filename)[line - 1 :], line):
        if found := _DEFINITION.match(text):
            line, column = number, found.end(1) + 1
            break
    return location(code.co_filename, line, column)


Configuration = Mapping[str, object]
"""Constants of a kernel by name; `sg_layout` and `grid` may be among them."""


@dataclass(frozen=True)
class Ranks:
    """Configurations with their figures, the best first, those that cannot be compiled last; `str` returns a table."""

    ranking: "Ranking"
    configurations: Mapping[str, Configuration]
    """The configurations by their labels in the ranking."""

    @property
    def best(self) -> Configuration:
        """The first one, as keywords for `specialize` or a call: `kernel(a, b, **ranks.best)`.

        Errors: XetileError if none can be compiled.
        """
        return self.configurations[self.ranking.best]

    @property
    def entries(self) -> "list[tuple[Configuration, Ranked]]":
        """Return all of them with figures, or the reason why there are none."""
        return [(self.configurations[one.label], one) for one in self.ranking.entries]

    def __str__(self) -> str:
        return str(self.ranking)


def _label(configuration: Configuration) -> str:
    return (
        ", ".join(f"{name}={value!r}" for name, value in configuration.items()) or "defaults"
    )


ONE_SUBGROUP: Pair = (1, 1)
"""The default layout of subgroups."""


class Kernel:
    """A function of arrays and numbers that runs once for each workgroup.

    Its positional parameters are the arguments; those after `*` are constants of a compilation.
    """

    def __init__(
        self,
        function: FunctionType,
        *,
        sg_layout: Pair | None,
        grid: Grid | None,
        fastmath: tuple[Flag, ...] = (),
    ) -> None:
        update_wrapper(self, function)
        self.__wrapped__ = function
        self.__name__ = function.__name__
        self.parameters = parameters_of(function)
        self.place = place_of_code(function.__code__)
        self._sg_layout = ONE_SUBGROUP if sg_layout is None else sg_layout
        self._grid = grid
        self._fastmath = fastmath
        self._known: Recent[object, Specialised] = Recent(MOST)

    def __reduce__(self) -> str:
        """Pickle by name, as Python does for functions."""
        return self.__wrapped__.__qualname__

    def __repr__(self) -> str:
        return f"<kernel {self.__wrapped__.__qualname__}>"

    def specialize(
        self,
        *types: ArgumentType | None,
        sg_layout: Pair | None = None,
        grid: Grid | None = None,
        **constants: object,
    ) -> Specialised:
        """Return the kernel for arguments of these types, `xt.f16[4096, 4096]` or `xt.f32`, and values of constants.

        `sg_layout` is the layout of subgroups over rows and columns, `grid` the number of workgroups; the defaults are
        those of the decorator.
        Errors: XetileError for types and constants that do not fit, and at the faulty line of the kernel.
        """
        arranged = self.parameters.arranged(self.__name__, types, constants, "types")
        checked = {name: _checked_type(name, type) for name, type in arranged.items()}
        source = self._source(checked, constants, sg_layout, grid)
        return Specialised(source, source.traced())

    def __call__(
        self,
        *arguments: "Given | None",
        sg_layout: Pair | None = None,
        grid: Grid | None = None,
        sanitize: bool | None = None,
        **constants: object,
    ) -> None:
        """Specialize for these arguments, with static shapes, and execute on numpy; arrays change in place.

        Arguments may also be passed by name; omit an optional one or pass None for it.
        Errors: as for `specialize` and `Specialised.__call__`.
        """
        call = self.arranged(arguments, constants, sg_layout, grid)
        self.specialised(call)(*cast("tuple[Given, ...]", call.arguments), sanitize=sanitize)

    def rank(
        self,
        configurations: "Sequence[Configuration]",
        *types: ArgumentType | None,
        device: str,
        jobs: int | None = None,
        assembly: bool | None = None,
        report: Callable[[int, int], None] | None = None,
    ) -> "Ranks":
        """Compare values of constants by figures that need no GPU: `gemm.rank([dict(BM=256), dict(BM=128)], ...)`.

        `types` are those of the arguments, as for `specialize`; a configuration may include `sg_layout` and `grid`.
        The order is by spilled bytes, then by instructions for each matrix instruction, then by bytes of messages;
        those that cannot be traced or compiled come last, with the reason. `jobs` is the number of processes, by
        default as many as are worth their start. `assembly` tells whether ocloc counts, by default if it is installed.
        `report` is called with the numbers of finished and all configurations; the default is a bar on standard error.
        Errors: XetileError for an unknown device.
        """
        from xetile.explanation import rank
        from xetile.explanation.ranking import Ranked, Ranking

        target = find(device).name
        labelled = {_label(one): one for one in configurations}
        specialize: Callable[..., Specialised] = self.specialize
        modules: list[tuple[str, ModuleOp]] = []
        failed: list[Ranked] = []
        for label, one in labelled.items():
            try:
                modules.append((label, specialize(*types, **one).module))
            except XetileError as error:
                failed.append(Ranked(label, None, one_line(str(error))))
        ranking = rank(modules, target, assembly=assembly, jobs=jobs, report=report)
        return Ranks(Ranking((*ranking.entries, *failed)), labelled)

    def on(
        self,
        place: "str | Device",
        *,
        device: str | None = None,
        assume: "Assume" = "block",
        unroll: int | None = None,
        grf: "RegisterFile | None" = None,
    ) -> KernelOnDevice:
        """Return the kernel on an executing device. A call specializes it by the arguments, compiles once and launches.

        Arguments are as for `Specialised.on`.
        """
        target = device_for(None, device)

        def prepare(opened: "Device", call: Call) -> OnDevice:
            return self.specialised(call).on(
                opened, device=target, assume=assume, unroll=unroll, grf=grf
            )

        return KernelOnDevice(place, self.arranged, prepare)

    def arranged(
        self,
        arguments: "tuple[Passed | None, ...]",
        constants: dict[str, object],
        sg_layout: Pair | None,
        grid: Grid | None,
    ) -> Call:
        """Return a call with the arguments passed by position or by name, in the order of the parameters.

        Errors: XetileError if there are too many, or if one is given twice or is missing.
        """
        names = self.parameters.arguments
        is_plain = len(arguments) == len(names) and constants.keys().isdisjoint(names)
        if not is_plain or any(one is None for one in arguments):
            found = self.parameters.arranged(self.__name__, arguments, constants, "arguments")
            names = tuple(found)
            arguments = cast("tuple[Passed, ...]", tuple(found.values()))
        layout = None if sg_layout is None else checked_layout(sg_layout)
        return Call(names, cast("tuple[Passed, ...]", arguments), constants, layout, grid)

    def specialised(self, call: Call) -> Specialised:
        """Return the kernel for the types of a call: the earlier one if nothing changed, else one traced on demand.

        Errors: XetileError for arguments and constants that the kernel does not accept.
        """
        return remembered(self._known, call, self._new)

    def _new(self, call: Call) -> Specialised:
        if building() is not None:
            refuse(
                f"kernel '{self.__name__}' is called in a kernel; a helper is a function with @xt.function"
            )
        types = {
            parameter: type_of(one, parameter)
            for parameter, one in zip(call.names, call.arguments, strict=True)
        }
        return Specialised(self._source(types, call.constants, call.sg_layout, call.grid))

    def _source(
        self,
        types: Mapping[str, ArgumentType],
        constants: Mapping[str, object],
        sg_layout: Pair | None,
        grid: Grid | None,
    ) -> Source:
        bound = self.parameters.bound(self.__name__, constants)
        grid = self._grid if grid is None else grid
        source = Source(
            self.__wrapped__,
            self.__name__,
            types,
            bound,
            self._sg_layout if sg_layout is None else checked_layout(sg_layout),
            grid,
            self.place,
            Dependencies([(self.__name__, self.__wrapped__), ("grid", grid), *bound.items()]),
            self._fastmath,
        )
        check_subgroups(source)
        return source


def _checked_type(name: str, type: object) -> ArgumentType:
    if not isinstance(type, ArrayType | ElementType):
        found = (
            described(type) if isinstance(getattr(type, "shape", None), tuple) else repr(type)
        )
        refuse(
            f"the type of argument '{name}' is {found}; write one such as xt.f16[4096, 4096] or xt.f32"
        )
    return type


def checked_layout(layout: object) -> Pair:
    """Return a layout of subgroups.

    Errors: XetileError if it is not a pair of positive numbers.
    """
    match layout:
        case (int() as rows, int() as columns) if rows > 0 and columns > 0:
            if bool not in (type(rows), type(columns)):
                return rows, columns
        case _:
            pass
    refuse(
        f"sg_layout is {layout!r}; expected subgroups along rows and columns, such as (8, 4)"
    )


@overload
def kernel(function: Callable[..., None], /) -> Kernel: ...
@overload
def kernel(
    *, sg_layout: Pair | None = None, grid: Grid | None = None, fastmath: tuple[Flag, ...] = ()
) -> Callable[[Callable[..., None]], Kernel]: ...


def kernel(
    function: Callable[..., None] | None = None,
    /,
    *,
    sg_layout: Pair | None = None,
    grid: Grid | None = None,
    fastmath: tuple[Flag, ...] = (),
) -> Kernel | Callable[[Callable[..., None]], Kernel]:
    """Make a function a kernel: `@xt.kernel`, or with options, `@xt.kernel(sg_layout=(8, 4))`.

    `sg_layout` is the layout of a workgroup's subgroups over rows and columns. `grid` is the number of workgroups of a
    launch, needed if it does not follow from the stores: up to three numbers, or a function of the parameters that
    it names. `specialize` and calls can override both. `fastmath` are the flags of all its ops on floats, as for
    xt.fastmath.
    Errors: XetileError if it is not a plain Python function.
    """
    layout = None if sg_layout is None else checked_layout(sg_layout)
    flags_of(fastmath)

    def made(function: Callable[..., None]) -> Kernel:
        if not isinstance(function, FunctionType):
            refuse(
                f"@xt.kernel stands right above a function, and alone; found {_described(function)}"
            )
        return Kernel(function, sg_layout=layout, grid=grid, fastmath=fastmath)

    return made if function is None else made(function)


def _described(found: object) -> str:
    name = getattr(found, "__name__", None)
    kind = type(found).__name__
    return f"a {kind}" if name is None else f"'{name}', a {kind}"

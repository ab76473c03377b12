"""The parameters of a kernel: those by position are its arguments, those after `*` constants of a compilation."""

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from linecache import getlines
from types import CodeType, FunctionType
from typing import TYPE_CHECKING

from xetile.advice import hint_or_names
from xetile.language.refusals import refuse
from xetile.language.types import ArrayType

if TYPE_CHECKING:
    from xdsl.dialects.builtin import FileLineColLoc

_DEFINITION = re.compile(r"(\s*)(async\s+)?def\b")

RESERVED = ("device", "grid", "on", "sanitize", "sg_layout")
"""What calls and specialisations take by these names themselves."""


@dataclass(frozen=True)
class Parameters:
    """Names of arguments in order, and of those that may be left out; of constants, with defaults where there are."""

    arguments: tuple[str, ...]
    optional: frozenset[str]
    constants: tuple[str, ...]
    defaults: Mapping[str, object]

    def arranged(
        self, kernel: str, given: Sequence[object], named: dict[str, object], what: str
    ) -> dict[str, object]:
        """What is given for each argument, by its name, without those that are None.

        Named ones are taken out of `named`; `what` is given, for messages.
        Errors: XetileError for too many, for one that is given twice and one that is missing.
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
        """The value of each constant, in the order of the parameters.

        Errors: XetileError for one that the kernel does not have, or that is missing.
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
    """The parameters of a kernel's function.

    Errors: XetileError at the `def` for what no kernel is: async functions, generators, `*args`, `**kwargs`, defaults
    of arguments other than None (which may be left out), names that calls take themselves.
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
    """Where the `def` of a function stands; its decorators where the source is not at hand."""
    from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

    line, column = code.co_firstlineno, 1
    for number, text in enumerate(getlines(code.co_filename)[line - 1 :], line):
        if found := _DEFINITION.match(text):
            line, column = number, found.end(1) + 1
            break
    return FileLineColLoc(StringAttr(code.co_filename), IntAttr(line), IntAttr(column))

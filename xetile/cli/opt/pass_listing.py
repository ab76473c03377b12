"""Listings of passes and dialects, as `--help`, `--list-passes` and `--show-pass` print them."""

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from xetile.advice import hint
from xetile.errors import XetileError

if TYPE_CHECKING:
    from xdsl.passes import ModulePass

    from xetile.passes import PassEntry

_COLUMN = 28
_WIDTH = 100

PassFactories = Mapping[str, "Callable[[], type[ModulePass]]"]


def help_on_passes(available: PassFactories) -> str:
    """Return the part of `--help` about passes: ours with a line and options each, all others by name.

    It comes from the table of passes, so that nothing has to be imported.
    """
    from xetile.passes import PASSES

    lines = [
        "passes, as flags in the order in which they run (--PASS, --PASS='OPTION=VALUE OPTION=VALUE'),",
        "or in -p and --pass-pipeline (PASS, PASS{OPTION=VALUE OPTION=VALUE}):",
    ]
    for name, entry in PASSES.items():
        lines += _entry(f"  --{name}", entry.summary)
        for option, about in entry.options.items():
            lines += _entry(f"      {_spelled(option)}={about.value}", about.meaning)
    others = ", ".join(name for name in available if name not in PASSES)
    lines += [
        "",
        "passes of xDSL and of installed plugins (--show-pass PASS describes any pass):",
    ]
    lines += textwrap.wrap(
        others, _WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
    )
    return "\n".join(lines)


def _entry(name: str, meaning: str) -> list[str]:
    """Return the lines of a name and its meaning; the meaning goes below a name that is too long."""
    body = textwrap.wrap(meaning, _WIDTH - _COLUMN)
    if len(name) > _COLUMN - 2:
        return [name, *(" " * _COLUMN + line for line in body)]
    return [name.ljust(_COLUMN) + body[0], *(" " * _COLUMN + line for line in body[1:])]


def names(known: Iterable[str]) -> str:
    """Return the names in order, one per line."""
    return "\n".join(sorted(known))


def describe_pass(name: str, available: PassFactories) -> str:
    """Return all documentation of a pass: its summary, its options with types and defaults, its module's text.

    Raise XetileError for a name that no pass has.
    """
    if name not in available:
        raise XetileError(f"unknown pass '{name}'{hint(name, available)}")
    kind = available[name]()
    text = textwrap.dedent("    " + (kind.__doc__ or "(not documented)")).strip()
    options = _our_options(name) if name in _ours() else _options(kind)
    if name in _ours():  # the meaning of its options follows
        text = text.partition("\n\nParameters:")[0]
    parts = [f"{name}", text, "options:\n" + "\n".join(options or ["  none"])]
    if name in _ours():
        parts.append(_module_text(kind))
    return "\n\n".join(parts)


def _ours() -> "Mapping[str, PassEntry]":
    from xetile.passes import PASSES

    return PASSES


def _spelled(option: str) -> str:
    return option.replace("_", "-")


def _our_options(name: str) -> list[str]:
    lines: list[str] = []
    for option, about in _ours()[name].options.items():
        lines += _entry(f"  {_spelled(option)}={about.value}", about.meaning)
    return lines


_VALUES = {"int": "INT", "bool": "BOOL", "str": "TEXT"}


def _options(kind: "type[ModulePass]") -> list[str]:
    """Return the options of a pass of xDSL, whose types and defaults are known."""
    from xdsl.passes import get_pass_option_infos

    lines: list[str] = []
    for info in get_pass_option_infos(kind):
        default = info.default_value
        is_set = "not set by default" if default in ("none", "()") else f"{default} by default"
        meaning = "needed" if default is None else is_set
        lines += _entry(f"  {_spelled(info.name)}={_value(info.expected_type)}", meaning)
    return lines


def _value(type: str) -> str:
    """Return the placeholder for a value of a type, as xDSL names the type."""
    if words := re.search(r"Literal\[(.*?)\]", type):
        return "|".join(word.strip(" '") for word in words[1].split(","))
    item = re.search(r"\w+", type.replace("tuple[", ""))
    shown = "VALUE" if item is None else _VALUES.get(item[0], "VALUE")
    return f"{shown},..." if "tuple[" in type else shown


def _module_text(kind: "type[ModulePass]") -> str:
    from importlib import import_module

    return (import_module(kind.__module__).__doc__ or "").strip()

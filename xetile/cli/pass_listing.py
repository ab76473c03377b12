"""What there is to choose from: passes and dialects, as `--help`, `--list-passes` and `--show-pass` print them."""

import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from xetile.cli.pipeline_spec import nearest
from xetile.errors import XetileError

if TYPE_CHECKING:
    from xdsl.passes import ModulePass

_COLUMN = 28
_WIDTH = 100

PassFactories = Mapping[str, "Callable[[], type[ModulePass]]"]


def help_on_passes(available: PassFactories) -> str:
    """The part of `--help` about passes: ours with a line and options each, all others by name.

    Nothing is imported for it: it comes from the table of passes.
    """
    from xetile.passes import PASSES

    lines = ["passes, as flags in the order in which they run, or in -p and --pass-pipeline:"]
    for name, entry in PASSES.items():
        lines += _entry(f"  --{name}", entry.summary)
        for option, meaning in entry.options.items():
            lines += _entry(f"      {option}=", meaning)
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
    """A name and what it means; the meaning goes below a name that is too long."""
    body = textwrap.wrap(meaning, _WIDTH - _COLUMN)
    if len(name) > _COLUMN - 2:
        return [name, *(" " * _COLUMN + line for line in body)]
    return [name.ljust(_COLUMN) + body[0], *(" " * _COLUMN + line for line in body[1:])]


def names(known: Iterable[str]) -> str:
    """Names in order, one per line."""
    return "\n".join(sorted(known))


def describe_pass(name: str, available: PassFactories) -> str:
    """All that is documented of a pass: its summary, its options with types and defaults, its module's text.

    Errors: XetileError for a name that no pass has.
    """
    if name not in available:
        raise XetileError(f"unknown pass '{name}'{nearest(name, available)}")
    kind = available[name]()
    text = textwrap.dedent("    " + (kind.__doc__ or "(not documented)")).strip()
    is_ours = name in _ours()
    options = _options(kind, is_ours=is_ours) or ["  none"]
    parts = [f"{name}", text, "options:\n" + "\n".join(options)]
    if is_ours:
        parts.append(_module_text(kind))
    return "\n\n".join(parts)


def _ours() -> Mapping[str, object]:
    from xetile.passes import PASSES

    return PASSES


def _options(kind: "type[ModulePass]", *, is_ours: bool) -> list[str]:
    from xdsl.passes import get_pass_option_infos

    from xetile.passes import DEVICE

    lines: list[str] = []
    for info in get_pass_option_infos(kind):
        type = info.expected_type.removesuffix("|None")
        needed = "required" if info.default_value is None else f"default {info.default_value}"
        needed = needed if type == info.expected_type else "optional"
        meaning = f": {DEVICE}" if is_ours and info.name == "device" else ""
        lines.append(f"  {info.name.replace('_', '-')}: {type} ({needed}){meaning}")
    return lines


def _module_text(kind: "type[ModulePass]") -> str:
    from importlib import import_module

    return (import_module(kind.__module__).__doc__ or "").strip()

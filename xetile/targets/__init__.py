"""The hardware to lower for: one package per family, one row per device, each number with its unit and source.

Nothing is imported before it is needed.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from xetile.errors import XetileError

if TYPE_CHECKING:
    from xetile.targets.target import Target

FAMILIES = ("xetile.targets.xe.devices",)
"""Modules that have `DEVICES`: targets in the order in which they are listed."""

DEFAULT = "pvc"
"""The device if nothing names one, as in Intel's own passes."""

EXAMPLE = "bmg"
"""The device that messages and the demo use as their example."""


@cache
def by_name() -> "Mapping[str, Target]":
    """Return all devices by name."""
    rows: list[Target] = [row for family in FAMILIES for row in import_module(family).DEVICES]
    return {row.name: row for row in rows}


def names() -> tuple[str, ...]:
    """Return the devices, in the order in which they are listed."""
    return tuple(by_name())


def which_multiply(a: object, b: object, c: object) -> str:
    """Return the end of a message, `; ptl and cri have one`: a matrix instruction for elements that print so."""
    rows = [row.name for row in by_name().values() if row.matrix_instruction(a, b, c)]
    return f"; {' and '.join(rows)} {'has' if len(rows) == 1 else 'have'} one" if rows else ""


def find(name: object) -> "Target":
    """Return the device of this name.

    Raise XetileError that names the known ones, also if `name` is not a text.
    """
    if not isinstance(name, str):
        raise XetileError(
            f"expected the name of a device, found {type(name).__name__}; known are {', '.join(names())}"
        )
    found = by_name().get(name)
    if found is None:
        from xetile.advice import hint

        known = names()
        raise XetileError(
            f"unknown device '{name}'; known are {', '.join(known)}{hint(name, known)}"
        )
    return found

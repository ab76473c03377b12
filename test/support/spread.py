"""Few combinations of many parameters."""

from collections.abc import Sequence
from typing import Any


def spread(*axes: Sequence[Any], times: int = 1) -> list[tuple[Any, ...]]:
    """Return combinations in which each value of each axis is met, `times` as many as the longest axis has values.

    Shorter axes are repeated, each time from another value on, and in each of the `times` rounds all axes but the first
    begin elsewhere, so that many pairs of values are met too.
    """
    longest = max(map(len, axes))
    rows = [
        tuple(
            axis[(number + number // len(axis) + turn * place) % len(axis)]
            for place, axis in enumerate(axes)
        )
        for turn in range(times)
        for number in range(longest)
    ]
    return list({repr(row): row for row in rows}.values())


def label(value: object) -> str:
    """Return a short name of a value for the names of tests."""
    return str(getattr(value, "stem", None) or getattr(value, "name", value))

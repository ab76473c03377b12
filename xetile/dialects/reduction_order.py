"""The one order of all reductions: elements that lie half of the index apart are combined first.

Of n elements, with h the largest power of two below n, y[i] = x[i] op x[i + h] where i + h < n, else y[i] = x[i];
and so on with the h elements that are left, until it is one. So the bits of the index are taken from the highest, and
what holds a bit, registers or lanes, combines along it.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

_T = TypeVar("_T")

REASSOCIATES = "reassoc"
"""What says of a reduction that it may be formed in any order: a property of tile_reduce, an attribute of vector's."""


def half(count: int) -> int:
    """The largest power of two below a count, which is at least 2."""
    return 1 << (count - 1).bit_length() - 1


def halved(items: Sequence[_T], combine: Callable[[_T, _T], _T]) -> _T:
    """One or more items combined to one, the lower index first."""
    while len(items) > 1:
        step = half(len(items))
        pairs = zip(items, items[step:], strict=False)
        items = [*(combine(x, y) for x, y in pairs), *items[len(items) - step : step]]
    return items[0]

"""What is kept of kernels: in the process by what they were called with, on disk by what they were made of."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from xetile.language.cache import Keys, Store, fingerprint_of
from xetile.language.types import ArrayType, ElementType

if TYPE_CHECKING:
    from xetile.language.source import Source

MOST = 256
"""Specialisations that a kernel remembers."""

_PLAIN: frozenset[type] = frozenset(
    {int, bool, str, bytes, type(None), ElementType, ArrayType}
)
"""Types of values that are equal where they mean the same, and never change."""

Options: TypeAlias = Mapping[str, str | int | bool | None]


def key_of(values: Mapping[str, object]) -> tuple[object, ...] | None:
    """What constants are told apart by; None where one has no stable value, so that nothing is kept."""
    if not values:
        return ()
    found: list[object] = []
    for name in sorted(values):
        value = values[name]
        kind = type(value)
        if kind not in _PLAIN:
            print_of = fingerprint_of(value)
            if print_of is None:
                return None
            value = print_of
        found += (name, kind, value)
    return tuple(found)


def kept(
    source: "Source",
    kind: str,
    device: str,
    options: Options,
    make: Callable[[], bytes],
    *,
    tools: Callable[[], Mapping[str, str]] = dict[str, str],
    is_good: Callable[[bytes], bool] = bool,
) -> bytes:
    """What was made of a kernel before, by this process or another, else what `make` makes; `tools` made it too."""
    key = _digest(source, kind, device, options, tools)
    if key is None:
        return make()
    store = Store()
    found = store.get(key)
    if found is None or not is_good(found):
        found = make()
        store.put(key, found)
    return found


def _digest(
    source: "Source",
    kind: str,
    device: str,
    options: Options,
    tools: Callable[[], Mapping[str, str]],
) -> str | None:
    if source.meaning is None:
        return None
    rows, columns = source.sg_layout
    return Keys(
        source.meaning,
        tuple(map(repr, source.types.values())),
        {**source.constants, "(grid)": source.grid},
        device,
        kind,
        {**options, "sg_layout": f"{rows}x{columns}", "fastmath": " ".join(source.fastmath)},
        tools(),
    ).digest()

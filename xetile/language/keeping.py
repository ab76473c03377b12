"""What is kept of kernels: in the process by what they were called with, on disk by what they were made of."""

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, TypeAlias, cast

from xetile.errors import Said, is_collecting, kept_remarks, say_again
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

_FILE = "\0file\0"
"""Stands for the kernel's file in what is kept, which names no paths."""

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
    """What was made of a kernel before, by this process or another, else what `make` makes; `tools` made it too.

    What is said while it is made is kept beside it, and said again.
    """
    key = None if is_collecting() else _digest(source, kind, device, options, tools)
    if key is None:
        return make()
    store, remarks = Store(), _remarks_key(key, source)
    found, said = store.get(key), _read(store.get(remarks), source)
    if found is not None and said is not None and is_good(found):
        _tell(source, device, said)
        return found
    made: list[Said] = []
    try:
        with kept_remarks() as made:
            found = make()
    finally:
        said = [one.text for one in made]
        _tell(source, device, said)
    store.put(key, found)
    store.put(remarks, _written(said, source))
    return found


def _tell(source: "Source", device: str, said: Sequence[str]) -> None:
    """Say what was said when code was made, as if it were made now; once of a kernel and device."""
    new = [text for text in dict.fromkeys(said) if (device, text) not in source.told]
    source.told.update((device, text) for text in new)
    say_again(Said(text, "") for text in new)


def _remarks_key(key: str, source: "Source") -> str:
    """What remarks are kept by: they name lines, which move while the kernel means the same."""
    return sha256(f"{key} remarks".encode() + source.places).hexdigest()


def _written(said: Sequence[str], source: "Source") -> bytes:
    file = source.place.filename.data
    return json.dumps([text.replace(file, _FILE) for text in said]).encode()


def _read(data: bytes | None, source: "Source") -> list[str] | None:
    if data is None:
        return None
    try:
        found: object = json.loads(data)
    except ValueError:
        return None
    if not isinstance(found, list):
        return None
    file = source.place.filename.data
    return [str(text).replace(_FILE, file) for text in cast("list[object]", found)]


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

"""What is kept of kernels on disk, by the text of their IR."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

from xetile.api import text
from xetile.errors import Said, is_collecting, kept_remarks, say_again
from xetile.language.cache import Store, digest
from xetile.runtime.cache import cache_folder

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from xetile.language.source import Source

MOST = 256
"""Specialisations that a kernel remembers."""

_FILE = "\0file\0"
"""Stands for the kernel's file in what is kept, which names no paths."""

Options: TypeAlias = Mapping[str, str | int | bool | None]


def kept(
    source: "Source",
    module: "Callable[[], ModuleOp]",
    kind: str,
    device: str,
    options: Options,
    make: Callable[[], bytes],
    *,
    tools: Callable[[], Mapping[str, str]] = dict[str, str],
    is_good: Callable[[bytes], bool] = bool,
) -> bytes:
    """Return what was made of the traced `module` before, by this process or another, else what `make` makes.

    `tools` returns the versions of the programs that make it. What is said meanwhile is kept too, and said again.
    """
    if is_collecting():
        return make()
    store, key, remarks = Store(), "", ""
    if cache_folder() is not None:
        made_by = sorted(options.items()), sorted(tools().items())
        key = digest(text(module()), kind, device, *made_by)
        remarks = digest(key, _places(module()))
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


def _places(module: "ModuleOp") -> str:
    """Return what remarks show of ops: where they stand, and the lines there."""
    from linecache import getline

    from xdsl.dialects.builtin import FileLineColLoc

    places = dict.fromkeys(op.location for op in module.walk())
    found = [
        (place.filename.data, place.line.data, place.column.data)
        for place in places
        if isinstance(place, FileLineColLoc)
    ]
    return repr([(*place, getline(*place[:2])) for place in found])


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

"""What kernels were compiled to, kept in the process and on disk.

| name | is |
|---|---|
| `key_of(value)` | what the values of constants are told apart by in the process |
| `digest(text, ...)` | what code is kept by on disk: the text of the traced IR, device, options, versions |
| `Recent(most)` | a bounded memory of the process |
| `Store()` | a bounded folder, of XETILE_CACHE |
| `kept(source, ..., make)` | what was made before, by this process or another, else what `make` makes |
"""

import json
import os
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from types import FunctionType
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast

import xetile
from xetile.api import text
from xetile.errors import Said, is_collecting, kept_remarks, reason_of, say_again, warn
from xetile.language.dependencies import content
from xetile.language.types import ArrayType, ElementType
from xetile.runtime.cache import FOLDER_VARIABLE, MOST_BYTES, Cache, cache_folder

if TYPE_CHECKING:
    import numpy
    from xdsl.dialects.builtin import ModuleOp

    from xetile.language.calling.tracing import Source


_PACKAGES = ("xdsl", "llvmlite", "numpy", "ml_dtypes")
"""Packages whose versions decide on what is made, in addition to our own sources."""

_PLAIN: frozenset[type] = frozenset(
    {int, bool, str, bytes, type(None), ElementType, ArrayType}
)
"""Types of values that are equal if they mean the same, and never change."""


def digest(text: str, *parts: object) -> str:
    """Return the key of what is made of IR with this text: 64 digits of it, of `parts` and of the versions."""
    return sha256(repr((text, parts, versions())).encode()).hexdigest()


def key_of(value: object) -> Hashable:
    """Return what a value is told apart by in this process, while `Dependencies` of it are unchanged.

    Numbers, texts, containers, arrays, functions and dataclasses that are made anew for each call are equal to those
    before; all else is the object itself.
    """
    kind = type(value)
    if kind in _PLAIN:
        return kind, value
    if kind is float:
        return kind, cast(float, value).hex()
    if kind is tuple or kind is list:
        return kind, *map(key_of, cast("list[object]", value))
    if kind is dict:
        return kind, *map(key_of, cast("dict[object, object]", value).items())
    if isinstance(value, FunctionType) and not value.__dict__:
        named = (value.__kwdefaults__ or {}).values()
        held = (*map(content, value.__closure__ or ()), *(value.__defaults__ or ()), *named)
        parts = [key_of(one) if type(one) in _PLAIN else id(one) for one in held]
        return id(value.__code__), id(value.__globals__), *parts
    if is_dataclass(value) and kind.__new__ is object.__new__ and not _has_slots(kind):
        return kind, key_of(vars(value))
    if hasattr(value, "tobytes") and kind.__module__ == "numpy":
        array = cast("numpy.ndarray[Any, Any]", value)
        return kind, array.dtype, array.shape, array.strides, array.tobytes()
    return kind, id(value)


def _has_slots(kind: type) -> bool:
    return any(vars(base).get("__slots__") for base in kind.__mro__)


@cache
def versions() -> tuple[str, ...]:
    """Versions of what compiles; of xetile its sources too, which change without its version."""
    python = f"{sys.implementation.name} {sys.version_info[0]}.{sys.version_info[1]}"
    others = (f"{name} {_version(name)}" for name in _PACKAGES)
    return (xetile.__version__, sources(Path(__file__).parents[2]), python, *others)


def _version(package: str) -> str:
    """Read off the name of the folder that installers leave; importlib.metadata takes 17 ms to be imported."""
    start, end = f"{package}-", ".dist-info"
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if name.startswith(start) and name.endswith(end):
                return name[len(start) : -len(end)]
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "none"


def sources(root: Path) -> str:
    """A hash of a package's files: their names in it, sizes and times of change; of ours it takes 1.5 ms.

    Where all files have one time, as reproducible images give them, their text (15 ms).
    """
    files = sorted(_files(str(root), ""))
    if len({changed for _, _, changed in files}) > 1:
        return sha256(repr(files).encode()).hexdigest()
    total = sha256()
    for name, size, _ in files:
        total.update(f"{name}\0{size}\0".encode())
        total.update((root / name).read_bytes())
    return total.hexdigest()


def _files(folder: str, inside: str) -> Iterator[tuple[str, int, int]]:
    """Python files with their sizes in bytes and times in nanoseconds."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                facts = entry.stat()
                yield f"{inside}{entry.name}", facts.st_size, facts.st_mtime_ns
            elif entry.is_dir() and entry.name != "__pycache__":
                yield from _files(entry.path, f"{inside}{entry.name}/")


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """At most `most` values by their keys; what was not used for longest goes first. Threads may use it at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """The value of a key, None where there is none."""
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def put(self, key: K, value: V) -> None:
        """Remember a value, other than None."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._most:
                self._values.popitem(last=False)

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._values.clear()

    def __len__(self) -> int:
        return len(self._values)


_ROOM = "kernels"
_FORMAT = "1"
"""Of what is kept; what another wrote is not found."""


class Store:
    """Bytes by keys (`digest`), in a folder that XETILE_CACHE names; see `runtime/cache.py`.

    Processes and threads may use one folder at once; nobody waits. What is damaged is not there. Where nothing can be
    written, a warning says so once in a process, and nothing is kept.
    """

    def __init__(self, *, most_bytes: int = MOST_BYTES) -> None:
        """The folder is the one that the environment names now."""
        self._cache = Cache(_ROOM, _FORMAT, most_bytes=most_bytes)

    def get(self, key: str) -> bytes | None:
        """What was kept for a key; None where nothing is."""
        return self._cache.get(self._name(key))

    def put(self, key: str, data: bytes) -> None:
        """Keep something; it never raises."""
        error = self._cache.keep(self._name(key), data)
        if error is not None:
            _warn_once(str(self._cache.folder), reason_of(error))

    def _name(self, key: str) -> str:
        return self._cache.key(key.encode())


@cache
def _warn_once(folder: str, reason: str) -> None:
    """Tell of a folder once in a process."""
    warn(
        None,
        f"compiled kernels are not kept: {folder} cannot be written to ({reason}); "
        f"{FOLDER_VARIABLE} names another folder, an empty value none",
    )


MOST = 256
"""Specialisations that a kernel remembers."""

_FILE = "\0file\0"
"""Stands for the kernel's file in what is kept, which names no paths."""

KeptBy: TypeAlias = Mapping[str, str | int | bool | None]


def kept(
    source: "Source",
    module: "Callable[[], ModuleOp]",
    kind: str,
    device: str,
    options: KeptBy,
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

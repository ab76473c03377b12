"""Caches of compiled kernels, in the process and on disk.

| name | is |
|---|---|
| `key_of(value)` | the key of a constant's value in the process |
| `digest(text, ...)` | the key of code on disk: the text of the traced IR, device, options, versions |
| `Recent(most)` | a bounded cache in the process |
| `Store()` | a bounded folder, of XETILE_CACHE |
| `kept(source, ..., make)` | the code from the cache, or else from `make` |
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
"""Packages whose versions affect the code, in addition to our own sources."""

_PLAIN: frozenset[type] = frozenset(
    {int, bool, str, bytes, type(None), ElementType, ArrayType}
)
"""Types whose values never change, and are equal if they mean the same."""


def digest(text: str, *parts: object) -> str:
    """Return the key of code made from IR with this text: 64 digits that depend on it, `parts` and the versions."""
    return sha256(repr((text, parts, versions())).encode()).hexdigest()


def key_of(value: object) -> Hashable:
    """Return the key of a value in this process, valid while `Dependencies` of it are unchanged.

    Numbers, texts, containers, arrays, functions and dataclasses that are created anew for each call have equal keys;
    the key of any other object is its identity.
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
    """Return the versions of the compiling packages, and of xetile's sources, which change without its version."""
    python = f"{sys.implementation.name} {sys.version_info[0]}.{sys.version_info[1]}"
    others = (f"{name} {_version(name)}" for name in _PACKAGES)
    return (xetile.__version__, sources(Path(__file__).parents[2]), python, *others)


def _version(package: str) -> str:
    """Read the version off the folder name that installers create; importing importlib.metadata takes 17 ms."""
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
    """Return a hash of a package's files: their relative names, sizes and modification times; 1.5 ms for our package.

    If all files have one time, as in reproducible images, hash their text (15 ms).
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
    """Yield Python files with their sizes in bytes and times in nanoseconds."""
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
    """A thread-safe cache of at most `most` values; the least recently used value goes first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """Return the value of a key, or None if there is none."""
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def put(self, key: K, value: V) -> None:
        """Store a value other than None."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._most:
                self._values.popitem(last=False)

    def clear(self) -> None:
        """Remove all values."""
        with self._lock:
            self._values.clear()

    def __len__(self) -> int:
        return len(self._values)


_ROOM = "kernels"
_FORMAT = "1"
"""The format of cached files; files of another format are ignored."""


class Store:
    """Bytes by keys (`digest`), in a folder that XETILE_CACHE names; see `runtime/cache.py`.

    Processes and threads may use one folder at once, without waiting. Damaged entries count as missing. If nothing can
    be written, one warning per process says so, and nothing is cached.
    """

    def __init__(self, *, most_bytes: int = MOST_BYTES) -> None:
        """Use the folder that the environment names now."""
        self._cache = Cache(_ROOM, _FORMAT, most_bytes=most_bytes)

    def get(self, key: str) -> bytes | None:
        """Return the cached bytes of a key, or None."""
        return self._cache.get(self._name(key))

    def put(self, key: str, data: bytes) -> None:
        """Cache bytes; never raise."""
        error = self._cache.keep(self._name(key), data)
        if error is not None:
            _warn_once(str(self._cache.folder), reason_of(error))

    def _name(self, key: str) -> str:
        return self._cache.key(key.encode())


@cache
def _warn_once(folder: str, reason: str) -> None:
    """Warn about a folder once in a process."""
    warn(
        None,
        f"compiled kernels are not kept: {folder} cannot be written to ({reason}); "
        f"{FOLDER_VARIABLE} names another folder, an empty value none",
    )


MOST = 256
"""The number of specializations that a kernel caches."""

_FILE = "\0file\0"
"""A placeholder for the kernel's file name in cached remarks, which contain no paths."""

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
    """Return the code for the traced `module` from the cache of this or another process, or else from `make`.

    `tools` returns the versions of the programs that `make` runs. Remarks issued meanwhile are cached and issued again.
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
    """Issue the remarks of the compilation as if it happened now, once for each kernel and device."""
    new = [text for text in dict.fromkeys(said) if (device, text) not in source.told]
    source.told.update((device, text) for text in new)
    say_again(Said(text, "") for text in new)


def _places(module: "ModuleOp") -> str:
    """Return the locations that remarks show of ops, with their source lines."""
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

"""Keys of compiled kernels: on disk the text of their IR, in the process the values that they were called with."""

import os
import sys
from collections.abc import Hashable, Iterator
from dataclasses import is_dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, cast

import xetile
from xetile.language.cache.dependencies import content
from xetile.language.types import ArrayType, ElementType

if TYPE_CHECKING:
    import numpy

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

"""What a compiled kernel is kept under: all that it was made of, as one hash."""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import xetile
from xetile.language.cache.watch import fingerprint_of

_PACKAGES = ("xdsl", "llvmlite", "numpy", "ml_dtypes")
"""Whose versions decide on what is made, beside our own sources."""


@dataclass(frozen=True)
class Keys:
    """What decides on a compiled kernel; no part is a path.

    `meaning` is a `Watch`'s, `arguments` are the types as text, `constants` the values by name, `kind` says what is
    kept (`spirv`, `asm`, or a level), `tools` are versions of outside programs whose output is kept.
    """

    meaning: bytes
    arguments: tuple[str, ...]
    constants: Mapping[str, object]
    device: str
    kind: str = "spirv"
    options: Mapping[str, str | int | bool | None] = field(default_factory=dict[str, Any])
    tools: Mapping[str, str] = field(default_factory=dict[str, str])

    def digest(self) -> str | None:
        """The key, 64 digits; versions are part of it. None where a constant has no stable value."""
        parts = (
            self.meaning,
            self.arguments,
            dict(sorted(self.constants.items())),
            self.device,
            self.kind,
            dict(sorted(self.options.items())),
            dict(sorted(self.tools.items())),
            versions(),
        )
        found = fingerprint_of(parts)
        return None if found is None else found.hex()


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

"""What a compiled kernel is kept under: all that it was made of, as one hash."""

import platform
import sys
from collections.abc import Mapping
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
    """Versions of what compiles; of xetile the text of its sources, which change without its version."""
    python = f"{platform.python_implementation()} {sys.version_info[0]}.{sys.version_info[1]}"
    others = (f"{name} {_version(name)}" for name in _PACKAGES)
    return (xetile.__version__, sources(Path(__file__).parents[2]), python, *others)


def _version(package: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "none"


def sources(root: Path) -> str:
    """A hash of a package's files and their names in it; of ours it takes 15 ms."""
    total = sha256()
    for path in sorted(root.rglob("*.py")):
        data = path.read_bytes()
        total.update(f"{path.relative_to(root).as_posix()}\0{len(data)}\0".encode())
        total.update(data)
    return total.hexdigest()

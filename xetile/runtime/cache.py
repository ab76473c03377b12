"""Files by content: results that take long to make and depend only on bytes."""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import get_ident
from typing import NamedTuple

FOLDER_VARIABLE = "XETILE_CACHE"
"""The environment variable that names the folder of all caches; an empty value disables them."""

MOST_BYTES = 1 << 29
"""Bound of the size of all caches together; beyond it, the least recently used files are removed first."""

_LOOKS = 32
"""How often a process checks the size of all files while it writes as much as they may have."""

_OURS = re.compile(r"\.?[0-9a-f]{64}(\.\d+\.\d+)?")
"""Names of cached files, and of those that are being written; no other file is removed."""

_CHECK = hashlib.sha256
"""Every file begins with this hash of the rest."""


def cache_folder() -> Path | None:
    """Return the folder of caches: as the environment says, else with the user's other caches; None for no caching."""
    named = os.environ.get(FOLDER_VARIABLE)
    if named is not None:
        return Path(named) if named else None
    home = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(home) if home else Path.home() / ".cache") / "xetile"
    except RuntimeError:  # there is no home
        return None


class _File(NamedTuple):
    path: str
    size: int
    used: int


class Cache:
    """A folder of files named by hashes of their inputs; `maker` is the program that made them, with its version.

    The folders of all caches share one bound. A folder that cannot be written is not used. Processes and threads may
    share it without locks: a file that another one removes meanwhile is made again.
    """

    def __init__(self, name: str, maker: str, *, most_bytes: int = MOST_BYTES) -> None:
        folder = cache_folder()
        self._folder = None if folder is None else folder / name
        self._maker = maker.encode()
        self._most_bytes = most_bytes
        self._written = most_bytes  # no check has been done yet

    @property
    def folder(self) -> Path | None:
        """The folder of the files, or None if nothing is cached."""
        return self._folder

    def key(self, *parts: bytes) -> str:
        """Return the name of the file that is made from these parts."""
        total = hashlib.sha256(self._maker)
        for part in parts:
            total.update(len(part).to_bytes(8, "little"))
            total.update(part)
        return total.hexdigest()

    def get(self, key: str) -> bytes | None:
        """Return the cached bytes, or None; a damaged file is removed."""
        if self._folder is None:
            return None
        path = self._folder / key
        try:
            kept = _checked(path.read_bytes())
        except OSError:
            return None
        with suppress(OSError):
            if kept is None:
                path.unlink()
            else:
                os.utime(path)
        return kept

    def take(self, key: str) -> bytes | None:
        """Return the cached bytes and remove the file; None if there is none or it is damaged.

        Callers that could use the bytes cache them again: so bytes that crash a reader are read only once.
        """
        if self._folder is None:
            return None
        taken = self._beside(key)
        try:
            (self._folder / key).replace(taken)  # one of several processes gets it
            data = taken.read_bytes()
            taken.unlink()
        except OSError:
            return None
        return _checked(data)

    def keep(self, key: str, data: bytes) -> OSError | None:
        """Cache bytes; others see all of them or nothing. Return the error if they cannot be cached, else None."""
        if self._folder is None:
            return None
        beside = self._beside(key)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(_CHECK(data).digest() + data)
            beside.replace(self._folder / key)
        except OSError as error:
            with suppress(OSError):
                beside.unlink()
            return error
        self._written += len(data)
        if self._written * _LOOKS >= self._most_bytes:
            self._written = 0
            self._drop_old()
        return None

    def _beside(self, key: str) -> Path:
        """Return the path of a file that only this thread uses."""
        assert self._folder is not None
        return self._folder / f".{key}.{os.getpid()}.{get_ident()}"

    def _drop_old(self) -> None:
        """Remove old files; files that another process takes or removes meanwhile do not matter."""
        assert self._folder is not None
        files = list(_files(self._folder.parent))
        total = sum(file.size for file in files)
        for file in sorted(files, key=lambda file: file.used):
            if total <= self._most_bytes:
                return
            with suppress(OSError):
                os.unlink(file.path)
            total -= file.size


def _checked(data: bytes) -> bytes | None:
    """Return the bytes after the check, or None if the check does not match."""
    size = _CHECK().digest_size
    check, kept = data[:size], data[size:]
    return kept if _CHECK(kept).digest() == check else None


def _files(root: Path) -> Iterator[_File]:
    """Yield the files of all caches."""
    for folder in _entries(str(root)):
        if not folder.is_dir(follow_symlinks=False):
            continue
        for entry in _entries(folder.path):
            if _OURS.fullmatch(entry.name) is None:
                continue
            with suppress(OSError):  # it is gone
                status = entry.stat(follow_symlinks=False)
                yield _File(entry.path, status.st_size, status.st_mtime_ns)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """Return the entries of a folder, or none if it is gone."""
    with suppress(OSError), os.scandir(folder) as entries:
        return list(entries)
    return []

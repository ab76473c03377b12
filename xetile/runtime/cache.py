"""Files by content: what takes long to make and depends on nothing but bytes."""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import get_ident
from typing import NamedTuple

FOLDER_VARIABLE = "XETILE_CACHE"
"""The environment variable that names the folder of all caches; an empty value keeps nothing."""

MOST_BYTES = 1 << 29
"""What all caches together hold; beyond that, what was not used for longest goes first."""

_LOOKS = 32
"""How often a process looks at what all files take while it writes as much as they may."""

_OURS = re.compile(r"\.?[0-9a-f]{64}(\.\d+\.\d+)?")
"""Names of files that are kept, and of those that are being written; nothing else is dropped."""

_CHECK = hashlib.sha256
"""Every file begins with this of what follows."""


def cache_folder() -> Path | None:
    """Where things are kept: as the environment says, else with the user's other caches; None for nowhere."""
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
    """A folder of files whose names are hashes of what they were made of; `maker` is who made them, and its version.

    The folders of all caches share one bound. One that cannot be written to is not used. Processes and threads may
    use the same: nobody waits for anybody, and what another drops meanwhile is made again.
    """

    def __init__(self, name: str, maker: str, *, most_bytes: int = MOST_BYTES) -> None:
        folder = cache_folder()
        self._folder = None if folder is None else folder / name
        self._maker = maker.encode()
        self._most_bytes = most_bytes
        self._written = most_bytes  # nobody has looked yet

    @property
    def folder(self) -> Path | None:
        """Where the files are; None where nothing is kept."""
        return self._folder

    def key(self, *parts: bytes) -> str:
        """The name for what is made of these parts."""
        total = hashlib.sha256(self._maker)
        for part in parts:
            total.update(len(part).to_bytes(8, "little"))
            total.update(part)
        return total.hexdigest()

    def get(self, key: str) -> bytes | None:
        """What was kept, which stays; None where nothing was, or is damaged, which is dropped."""
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
        """What was kept, None where nothing was, or is damaged; it is out of the folder then.

        Whoever could use it keeps it again: so what a reader crashes on is read once.
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
        """Keep something; others see all of it or nothing. The result is why it is not kept."""
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
        """A file of this process alone."""
        assert self._folder is not None
        return self._folder / f".{key}.{os.getpid()}.{get_ident()}"

    def _drop_old(self) -> None:
        """Make room; what another process takes or drops meanwhile is none of ours."""
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
    """The bytes behind the check; None where it is not theirs."""
    size = _CHECK().digest_size
    check, kept = data[:size], data[size:]
    return kept if _CHECK(kept).digest() == check else None


def _files(root: Path) -> Iterator[_File]:
    """The files of all caches."""
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
    """What a folder holds; nothing where it is gone."""
    with suppress(OSError), os.scandir(folder) as entries:
        return list(entries)
    return []

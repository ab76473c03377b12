"""Files by content: what takes long to make and depends on nothing but bytes."""

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from threading import get_ident

FOLDER_VARIABLE = "XETILE_CACHE"
"""The environment variable that names the folder of all caches; an empty value keeps nothing."""

MOST_BYTES = 1 << 29
"""What a folder holds; beyond that, what was not used for longest goes first."""

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


class Cache:
    """A folder of files whose names are hashes of what they were made of; `maker` is who made them, and its version.

    A folder that cannot be written to is not used.
    """

    def __init__(self, name: str, maker: str, *, most_bytes: int = MOST_BYTES) -> None:
        folder = cache_folder()
        self._folder = None if folder is None else folder / name
        self._maker = maker.encode()
        self._most_bytes = most_bytes

    def key(self, *parts: bytes) -> str:
        """The name for what is made of these parts."""
        total = hashlib.sha256(self._maker)
        for part in parts:
            total.update(len(part).to_bytes(8, "little"))
            total.update(part)
        return total.hexdigest()

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
        check, kept = data[: _CHECK().digest_size], data[_CHECK().digest_size :]
        return kept if _CHECK(kept).digest() == check else None

    def keep(self, key: str, data: bytes) -> None:
        """Keep something; others see all of it or nothing."""
        if self._folder is None:
            return
        beside = self._beside(key)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(_CHECK(data).digest() + data)
            beside.replace(self._folder / key)
            self._drop_old()
        except OSError:
            with suppress(OSError):
                beside.unlink()

    def _beside(self, key: str) -> Path:
        """A file of this process alone."""
        assert self._folder is not None
        return self._folder / f".{key}.{os.getpid()}.{get_ident()}"

    def _drop_old(self) -> None:
        """Make room; what another process takes or drops meanwhile is none of ours."""
        assert self._folder is not None
        with os.scandir(self._folder) as entries:
            files = [(entry, entry.stat()) for entry in entries if entry.is_file()]
        total = sum(status.st_size for _, status in files)
        for entry, status in sorted(files, key=lambda file: file[1].st_mtime_ns):
            if total <= self._most_bytes:
                return
            with suppress(FileNotFoundError):
                os.unlink(entry.path)
            total -= status.st_size

"""Files by content: what takes long to make and depends on nothing but bytes."""

import hashlib
import os
from contextlib import suppress
from pathlib import Path

FOLDER_VARIABLE = "XETILE_CACHE"
"""The environment variable that names the folder of all caches; an empty value keeps nothing."""


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
    """A folder of files whose names are hashes of what they were made of; `maker` is who made them, and its version."""

    def __init__(self, name: str, maker: str) -> None:
        folder = cache_folder()
        self._folder = None if folder is None else folder / name
        self._maker = maker.encode()

    def key(self, *parts: bytes) -> str:
        """The name for what is made of these parts."""
        total = hashlib.sha256(self._maker)
        for part in parts:
            total.update(len(part).to_bytes(8, "little"))
            total.update(part)
        return total.hexdigest()

    def find(self, key: str) -> bytes | None:
        """What was kept, None where nothing was."""
        if self._folder is None:
            return None
        try:
            return (self._folder / key).read_bytes()
        except OSError:
            return None

    def keep(self, key: str, data: bytes) -> None:
        """Keep something; a cache that cannot be written is none."""
        if self._folder is None:
            return
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            beside = self._folder / f".{key}.{os.getpid()}"
            beside.write_bytes(data)
            beside.replace(self._folder / key)

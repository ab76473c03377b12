"""Compiled kernels on disk, beside what devices built, under the same bound."""

from functools import cache

from xetile.errors import reason_of, warn
from xetile.runtime.cache import FOLDER_VARIABLE, MOST_BYTES, Cache

_ROOM = "kernels"
_FORMAT = "1"
"""Of what is kept; what another wrote is not found."""


class Store:
    """Bytes by keys (`Keys.digest`), in a folder that XETILE_CACHE names; see `runtime/cache.py`.

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

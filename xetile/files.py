"""Writing files so that nobody finds half of one: first as temporary files, which then replace the targets.

Imports nothing of ours: errors are OSErrors, which the callers put in words.
"""

import os
import stat
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from errno import EISDIR
from pathlib import Path


def write_files(
    files: Sequence[tuple[str, bytes]],
    refusing: Callable[[str], AbstractContextManager[None]] = nullcontext,
) -> None:
    """Write files, in their order: each has its old or new content, all their old content if one cannot be written.

    A device such as /dev/null, or a pipe, is written in place.
    Raise OSError, inside of `refusing` of the path that is at fault.
    """
    with ExitStack() as leftovers:
        written: list[tuple[str, Path, bytes]] = []
        for number, (path, data) in enumerate(files):
            with refusing(path):
                beside = leftovers.enter_context(_beside(path, data, number))
                written.append((path, beside, data))
        for path, beside, data in written:
            with refusing(path):
                _put(beside, Path(path).resolve(), data)


def replaced(outputs: Iterable[str], inputs: Iterable[str]) -> tuple[str, str] | None:
    """Return the first output that is an input file, by any path or link, and that input, or None."""
    read = {_identity(path): path for path in inputs}
    for output in outputs:
        identity = _identity(output)
        if identity is not None and identity in read:
            return output, read[identity]
    return None


def _identity(path: str) -> tuple[int, int] | None:
    """Return the identity of a file under all its names, or None for a pipe or a missing file."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _is_stream(target: Path) -> bool:
    """Return True for a device such as /dev/null or a pipe, which is written in place; a folder fails."""
    return target.exists() and not target.is_file()


@contextmanager
def _beside(path: str, data: bytes, number: int) -> Generator[Path]:
    """Yield a temporary file with the data next to its target; remove it afterwards unless it replaced the target."""
    target = Path(path).resolve()
    beside = target.with_name(f".{target.name}.{os.getpid()}.{number}.tmp")
    if _is_stream(target):
        if target.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        yield beside
        return
    try:
        beside.write_bytes(data)
        if target.exists():
            beside.chmod(target.stat().st_mode)
        yield beside
    finally:
        with suppress(OSError):
            beside.unlink()


def _put(beside: Path, target: Path, data: bytes) -> None:
    if _is_stream(target):
        target.write_bytes(data)
    else:
        beside.replace(target)

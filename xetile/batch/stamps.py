"""Stamps of outputs: a file next to an output that records what it was made from and what was written.

The stamp of `DIR/a.bmg.spv` is `DIR/.xetile/a.bmg.spv.json`. An output is up to date if the stamp has the key of
what would be made now and the files are the ones that were written; times of files do not matter.
"""

import json
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TypedDict, cast

from xetile.batch.one import Counts
from xetile.batch.outputs import Options

FOLDER = ".xetile"
"""Folder of stamps, in the folder of the outputs."""


class Stamp(TypedDict):
    """A record of one output: `key` of source, options and compiler, files with their hashes, diagnostics and counts.

    `shown_as` is what diagnostics depend on in addition: the name of the source, and if its lines are shown.
    """

    key: str
    shown_as: str
    outputs: dict[str, str]
    said: list[tuple[str, str]]
    statistics: Counts | None


def key_of(text: str, device: str | None, options: Options) -> str:
    """Return a hash of everything that decides an output: the source's text, the device, the options, the compiler."""
    parts = [text, device, asdict(options), compiler(), _ocloc(options)]
    from hashlib import sha256  # OpenSSL, which only batches need

    return sha256(json.dumps(parts).encode()).hexdigest()


def file_hash(data: bytes) -> str:
    """Return the hash of a file for its stamp."""
    from hashlib import sha256

    return sha256(data).hexdigest()


def stamp_path(output: str) -> Path:
    """Return the path of an output's stamp."""
    path = Path(output)
    return path.parent / FOLDER / f"{path.name}.json"


def valid_stamp(output: str, key: str, shown_as: str) -> Stamp | None:
    """Return the stamp of an output that is up to date, else None."""
    stamp = _read(stamp_path(output))
    if (
        stamp is None
        or stamp["key"] != key
        or (stamp["said"] and stamp["shown_as"] != shown_as)
    ):
        return None
    folder = Path(output).parent
    kept = all(_is_as_written(folder / name, of) for name, of in stamp["outputs"].items())
    return stamp if kept else None


def _is_as_written(path: Path, expected: str) -> bool:
    try:
        return file_hash(path.read_bytes()) == expected
    except OSError:
        return False


def _read(path: Path) -> Stamp | None:
    """Return the stamp in a file, or None if there is no file or its content is something else."""
    try:
        found: object = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    is_one = isinstance(found, dict) and found.keys() == Stamp.__annotations__.keys()
    return cast("Stamp", found) if is_one else None


@cache
def compiler() -> str:
    """Return a hash of this compiler's own text, and the versions of the packages that it uses."""
    from importlib.metadata import version

    root = Path(__file__).parents[1]
    from hashlib import sha256

    seen = sha256()
    for path in sorted(root.rglob("*.py")):
        seen.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return f"{seen.hexdigest()} xdsl {version('xdsl')} llvmlite {version('llvmlite')}"


def _ocloc(options: Options) -> list[str | int]:
    """Return the offline compiler if it is needed: its file, the version that it prints, its size (bytes) and time."""
    if not options.needs_ocloc:
        return []
    from xetile.toolchain.ocloc import need_ocloc, ocloc_version

    path = need_ocloc()
    found = path.stat()
    return [str(path), ocloc_version(), found.st_size, found.st_mtime_ns]

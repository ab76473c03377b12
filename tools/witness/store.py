"""Results in a folder: a line of JSON per unit, and each text once, named by its hash."""

import json
import os
import zlib
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple


class Result(NamedTuple):
    """What one call answered: the hashes of its status, streams, files."""

    name: str
    parts: dict[str, str]


class Store:
    """A folder of results; several processes may write to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._texts = folder / "texts"
        self._texts.mkdir(parents=True, exist_ok=True)

    def keep(self, data: bytes) -> str:
        """Write a text that is not there yet; its hash."""
        name = sha256(data).hexdigest()
        place = self._texts / name
        if not place.exists():
            beside = self._texts / f"{name}.{os.getpid()}"
            beside.write_bytes(zlib.compress(data, 1))
            beside.replace(place)
        return name

    def text(self, name: str) -> bytes:
        """The text of a hash."""
        return zlib.decompress((self._texts / name).read_bytes())

    def add(self, key: str, results: list[Result]) -> None:
        """Add a unit's results."""
        line = json.dumps([key, results]) + "\n"
        with (self.folder / f"results-{os.getpid()}.jsonl").open("a") as file:
            file.write(line)

    def read(self) -> dict[str, list[Result]]:
        """The results by unit; a line that an interrupted process left unfinished is left out."""
        found: dict[str, list[Result]] = {}
        for path in sorted(self.folder.glob("results-*.jsonl")):
            for line in path.read_text().splitlines(keepends=True):
                if line.endswith("\n"):
                    key, results = json.loads(line)
                    found[key] = [Result(name, parts) for name, parts in results]
        return found

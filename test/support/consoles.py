"""Pages of commands: their files are written, their commands run, and what they show is what is printed.

A block of a file names it (```mlir gemm.mlir), one of commands (```console) may name the tool that it needs. `...`
stands for any text, also for none.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

_BLOCK = re.compile(r"^```(mlir|console)(?: (\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# On a busy machine commands tell how far they are.
_PROGRESS = re.compile(r"^xetile-\w+: .* after [\d,]+ s$\n", re.MULTILINE)


class Ran(NamedTuple):
    """A command, what the page shows below it, and what it printed."""

    command: str
    shown: str
    printed: str


def ran(page: Path, folder: Path, tools: Sequence[str] = ()) -> Iterator[Ran]:
    """Runs the commands of a page in a folder, but for those that need a tool which is not among `tools`."""
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for kind, word, text in _BLOCK.findall(page.read_text()):
        if kind == "mlir":
            if word:
                (folder / word).write_text(text)
            continue
        for command, shown in _commands(text) if not word or word in tools else []:
            done = subprocess.run(
                command,
                shell=True,
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            yield Ran(command, shown, _PROGRESS.sub("", done.stdout + done.stderr))


def fits(shown: str, printed: str) -> bool:
    """Whether a text is what is shown, where `...` stands for any text."""
    pattern = re.escape(shown.strip()).replace(r"\.\.\.", ".*").replace("\\\n.*", "(?:\\n.*)?")
    return re.fullmatch(pattern, printed.strip(), re.DOTALL) is not None


def _commands(block: str) -> list[tuple[str, str]]:
    """Commands of a block, each with what is shown below it."""
    parts = re.split(r"^\$ (.*)$\n", block, flags=re.MULTILINE)
    assert parts[0] == ""
    return list(zip(parts[1::2], parts[2::2], strict=True))

"""The list of commands is that of the scripts that are installed."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from xetile.cli import entry
from xetile.cli.entry import COMMANDS, listing

ROOT = Path(__file__).parents[3]


def test_every_script_is_listed() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert scripts == {f"xetile-{name}": f"xetile.cli.entry:{name}" for name in COMMANDS}
    assert all(callable(getattr(entry, name)) for name in COMMANDS)
    assert [line.split()[0] for line in listing().split("\n\n")[0].splitlines()] == list(
        scripts
    )


def test_a_list_that_nobody_reads_ends_in_silence() -> None:
    """As in `python -m xetile | true`: the reader has gone before anything is written."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "xetile"]
    done = subprocess.run(
        command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    assert done.stderr == ""

"""The list of commands is that of the scripts that are installed."""

import tomllib
from pathlib import Path

from xetile.cli import entry
from xetile.cli.commands import COMMANDS, listing

ROOT = Path(__file__).parents[3]


def test_every_script_is_listed() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert scripts == {f"xetile-{name}": f"xetile.cli.entry:{name}" for name in COMMANDS}
    assert all(callable(getattr(entry, name)) for name in COMMANDS)
    assert [line.split()[0] for line in listing().split("\n\n")[0].splitlines()] == list(
        scripts
    )

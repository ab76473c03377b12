"""What docs/rfc-examples.md shows is run, and its table names the files that there are."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs" / "rfc-examples.md").read_text()


def test_the_table_names_each_file() -> None:
    rows = re.findall(r"^\| `(\S+)` \|", TEXT, re.MULTILINE)
    assert sorted(rows) == sorted(path.name for path in (ROOT / "examples" / "rfc").iterdir())


def test_python_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (block,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(block, "rfc-examples.md", "exec"), names)
    assert names["c"].any()


def test_command_lines(tmp_path: Path) -> None:
    lines = [
        line.strip() for line in re.findall(r"^    ((?:xetile-|sed ).*)$", TEXT, re.MULTILINE)
    ]
    assert len(lines) > 10
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for line in lines:
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", line],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (line, done.stderr)
        if "--against" in line:
            assert done.stdout == "equal bits\n"
        elif line.startswith("xetile-run"):
            assert re.search(
                r"argument \d: memref<320.*: smallest -\d.*, largest \d", done.stdout
            )
        elif "grep -c" in line:
            assert (int(done.stdout) > 0) == ("2.2" in line)
    for name in ("2.1.spv", "2.5.spv"):
        assert (tmp_path / name).read_bytes()[:4] == b"\x03\x02\x23\x07"

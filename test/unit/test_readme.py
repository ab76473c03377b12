"""What the README and the pages on compiling and running show is run: Python, and command lines in their order."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/compiling.md", "docs/running.md")
TEXT = "".join((ROOT / page).read_text() for page in PAGES)
COMMAND = re.compile(r"^    ((?:xetile-|python examples/).*)$", re.MULTILINE)
ON_A_DEVICE = re.compile(r"--on |--list-devices|python examples/")


def test_python_example() -> None:
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert blocks
    for block in blocks:
        names: dict[str, Any] = {}
        exec(compile(block, "README.md", "exec"), names)
        assert names["spirv"][:4] == b"\x03\x02\x23\x07"


def run_all(lines: list[str], folder: Path) -> None:
    (folder / "examples").symlink_to(ROOT / "examples")
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for line in lines:
        done = subprocess.run(
            re.sub(r"\s+# .*", "", line),
            shell=True,
            cwd=folder,
            env=environment,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, (line, done.stderr.decode())


def test_command_lines(tmp_path: Path) -> None:
    from xetile.toolchain.paths import find_ocloc

    lines = [line for line in COMMAND.findall(TEXT) if not ON_A_DEVICE.search(line)]
    assert len(lines) >= 8
    if find_ocloc() is None:
        lines = [line for line in lines if "--stats" not in line]
    run_all(lines, tmp_path)
    assert (tmp_path / "gemm.spv").read_bytes()[:4] == b"\x03\x02\x23\x07"
    assert (tmp_path / "g.xevm.mlir").exists()


@pytest.mark.opencl
@pytest.mark.parametrize("page", ["README.md", "docs/devices.md"])
def test_command_lines_on_a_device(page: str, tmp_path: Path) -> None:
    """The lines of a paragraph that runs something on a device, in their order."""
    paragraphs = (ROOT / page).read_text().split("\n\n")
    lines = [
        line
        for paragraph in paragraphs
        if "--on opencl:cpu" in paragraph
        for line in COMMAND.findall(paragraph)
    ]
    assert len(lines) >= 3
    run_all(lines, tmp_path)

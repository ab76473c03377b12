"""What the README and the pages on compiling and running show is run: Python, and command lines in their order."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.pages import executed

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/compiling.md", "docs/running.md", "docs/devices.md")
TEXT = "".join((ROOT / page).read_text() for page in PAGES)
OTHERS = TEXT.removeprefix((ROOT / PAGES[0]).read_text())
COMMAND = re.compile(r"^    ((?:xetile-|python examples/).*)$", re.MULTILINE)
ON_A_DEVICE = re.compile(r"--on |--list-devices|python examples/")
WRITES = re.compile(r" -o |--examples")
NOT_RUN = re.compile(r"launch_opencl.py \S+\s*(#|$)|launch_dpctl")
"""What needs a GPU."""


def test_the_kernel_of_the_readme(tmp_path: Path) -> None:
    (block,) = executed(ROOT / "README.md", tmp_path)
    assert block.agrees, block.printed


def test_python_example() -> None:
    blocks = re.findall(r"```python\n(.*?)```", OTHERS, re.DOTALL)
    assert blocks
    for block in blocks:
        names: dict[str, Any] = {}
        exec(compile(block, "page.md", "exec"), names)
        assert names["spirv"][:4] == b"\x03\x02\x23\x07"


@pytest.mark.parametrize(
    "with_tools",
    [False, pytest.param(True, marks=[pytest.mark.ocloc, pytest.mark.opencl])],
)
def test_command_lines(with_tools: bool, tmp_path: Path) -> None:
    """Without tools: all lines that need none. With them: those, and lines whose files they read."""
    lines = [line for line in dict.fromkeys(COMMAND.findall(TEXT)) if not NOT_RUN.search(line)]
    assert len(lines) >= 8
    assert sum(bool(ON_A_DEVICE.search(line)) for line in lines) >= 5
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for line in lines:
        needs_tools = "--stats" in line or ON_A_DEVICE.search(line) is not None
        if needs_tools != with_tools and not (with_tools and WRITES.search(line)):
            continue
        command = re.sub(r"\s+# .*", "", line)
        done = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, (command, done.stderr.decode())
    assert (tmp_path / "gemm.spv").read_bytes()[:4] == b"\x03\x02\x23\x07"
    assert (tmp_path / "g.xevm.mlir").exists()
    assert (tmp_path / "examples" / "softmax.mlir").exists()  # one of the commands brings them

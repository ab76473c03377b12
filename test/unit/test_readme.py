"""What the README and the pages on compiling and running show is run: Python, and command lines in their order."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from support.pages import executed

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/compiling.md", "docs/running.md", "docs/devices.md")
TEXT = "".join((ROOT / page).read_text() for page in PAGES)
OTHERS = TEXT.removeprefix((ROOT / PAGES[0]).read_text())
COMMAND = re.compile(r"^    ((?:xetile-|python examples/).*)$", re.MULTILINE)
ON_A_DEVICE = re.compile(r"--on |--list-devices|python examples/")
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


def test_command_lines(tmp_path: Path) -> None:
    from xetile.runtime.devices import cpu_library
    from xetile.toolchain.paths import find_ocloc

    lines = [line for line in COMMAND.findall(TEXT) if not NOT_RUN.search(line)]
    assert len(lines) >= 8
    assert sum(bool(ON_A_DEVICE.search(line)) for line in lines) >= 5
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for line in lines:
        if "--stats" in line and find_ocloc() is None:
            continue
        if ON_A_DEVICE.search(line) and cpu_library() is None:
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

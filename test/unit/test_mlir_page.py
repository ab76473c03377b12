"""What docs/mlir.md shows is run."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .passes.xe.convert_xetile_to_xegpu.test_upstream_plan import STOPS

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "mlir.md").read_text()


@pytest.mark.mlir_opt
def test_command_lines(tmp_path: Path) -> None:
    lines = re.findall(r"^    (xetile-opt .*)$", TEXT, re.MULTILINE)
    assert len(lines) == 3
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for line in lines:
        done = subprocess.run(
            shlex.split(line),
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        said = re.fullmatch(r"(xetile-opt: wrote \S+ \([\d,]+ bytes\)\n)?", done.stderr)
        assert done.returncode == 0, f"{line}: {done.stderr}"
        assert said is not None, f"{line}: {done.stderr}"
    assert (
        "gpu.binary @kernels  [#gpu.object<#xevm.target, "
        in (tmp_path / "binary.mlir").read_text()
    )


@pytest.mark.mlir_opt
def test_python_example() -> None:
    (block,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(block, "mlir.md", "exec"), names)
    products = [
        sum(op.name == "xevm.mma" for op in names[name].walk())
        for name in ("lowered", "tidied")
    ]
    assert products[0] == products[1] > 0


def test_where_upstream_stops_is_what_the_table_says() -> None:
    for message in STOPS.values():
        assert (
            message.strip(": ").replace("8192", "16384").replace("512 bits", "1024 bits")
            in TEXT
        )

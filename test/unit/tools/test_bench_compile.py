import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.mlir_opt
def test_both_compile_the_kernel():
    command = [
        sys.executable,
        "-m",
        "tools.bench_compile",
        "--rounds",
        "1",
        "--quick",
        "--json",
    ]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (answer.returncode, answer.stderr) == (0, "")
    found = json.loads(answer.stdout)
    assert found["ratio"] == pytest.approx(found["xetile"] / found["mlir_opt"])
    assert found["empty_python"] < found["warm"] < found["xetile"]
    assert found["attention_ratio"] == found["attention"] / found["mlir_opt_attention"]
    timed = {
        tool: [name for of, name, _ in found["passes"] if of == tool]
        for tool in ("xetile", "mlir-opt")
    }
    assert "convert-xegpu-to-xevm" in timed["xetile"]
    assert "GpuModuleToBinaryPass" in timed["mlir-opt"]

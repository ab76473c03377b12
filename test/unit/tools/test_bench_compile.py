import json
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[3] / "tools" / "bench_compile.py"


@pytest.mark.mlir_opt
def test_both_compile_the_kernel():
    command = [sys.executable, str(TOOL), "--rounds", "1", "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stderr) == (0, "")
    found = json.loads(answer.stdout)
    assert found["ratio"] == pytest.approx(found["xetile"] / found["mlir_opt"])
    assert found["empty_python"] < found["xetile"]

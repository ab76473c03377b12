"""What a compilation imports: what its kernel needs, and nothing heavy that it does not."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
COMPILE = """
import sys
from xetile.cli.compile import main
status = main([sys.argv[1], "--device", "bmg", "-o", sys.argv[2]])
print(*sys.modules, sep="\\n")
sys.exit(status)
"""


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> frozenset[str]:
    output = tmp_path_factory.mktemp("made") / "gemm.spv"
    command = [
        sys.executable,
        "-c",
        COMPILE,
        str(ROOT / "examples" / "gemm_f16.mlir"),
        str(output),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return frozenset(ended.stdout.split())


@pytest.mark.parametrize(
    "module",
    [
        *("numpy", "ml_dtypes", "joblib", "hashlib", "multiprocessing", "asyncio"),
        *("xetile.interpreter", "xetile.runtime", "xetile.kernels", "xetile.toolchain"),
        "xetile.batch.workers",
    ],
)
def test_what_is_not_needed_is_not_imported(imported: frozenset[str], module: str) -> None:
    assert module not in imported


@pytest.mark.parametrize("dialect", ["affine", "func", "linalg", "math", "tensor"])
def test_dialects_that_a_kernel_does_not_name_are_not_imported(
    imported: frozenset[str], dialect: str
) -> None:
    assert f"xdsl.dialects.{dialect}" not in imported
    assert f"xetile.dialects.upstream.{dialect}" not in imported
    assert "xetile.dialects.xetile" in imported

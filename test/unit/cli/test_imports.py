"""What a compilation imports: what its kernel needs, and nothing heavy that it does not."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
COMPILE = """
import sys
from xetile.cli.compile import main
status = main(sys.argv[1:])
print(*sys.modules, sep="\\n")
sys.exit(status)
"""

EXPLORE = COMPILE.replace("cli.compile", "explorer.serving.command")
COLLECT = """
import gc
import sys
from xetile.cli.entry import compile

before = sum(one["collections"] for one in gc.get_stats())
status = compile()
print(sum(one["collections"] for one in gc.get_stats()) - before)
sys.exit(status)
"""


def ended(program: str, folder: Path) -> str:
    """What a program prints that compiles a GEMM in a process of its own."""
    gemm = ROOT / "examples" / "gemm_f16.mlir"
    command = [sys.executable, "-c", program, str(gemm), "--device", "bmg"]
    command += ["-o", str(folder / "gemm.spv")]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> frozenset[str]:
    return frozenset(ended(COMPILE, tmp_path_factory.mktemp("made")).split())


def test_the_collector_does_not_look_while_a_kernel_is_compiled(tmp_path: Path) -> None:
    assert ended(COLLECT, tmp_path).split() == ["0"]


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


@pytest.mark.parametrize(
    "dialect", ["affine", "func", "index", "linalg", "math", "spirv", "tensor"]
)
def test_dialects_that_a_kernel_does_not_name_are_not_imported(
    imported: frozenset[str], dialect: str
) -> None:
    assert f"xdsl.dialects.{dialect}" not in imported
    assert f"xetile.dialects.upstream.{dialect}" not in imported
    assert "xetile.dialects.xetile" in imported


def test_a_page_needs_no_numpy(tmp_path: Path) -> None:
    modules = ended(EXPLORE, tmp_path).split()
    assert "xetile.explorer.isa.register_places" in modules
    assert "numpy" not in modules

"""The example that launches a GEMM through pyopencl does so on the device that every machine can have."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

import xetile
from xetile.codegen import launch_contract

ROOT = Path(__file__).parents[3]
PLAIN_LOADS = Path(__file__).with_name("Inputs") / "gemm_plain_loads.mlir"


def small_gemm() -> ModuleOp:
    return xetile.kernels.gemm_module(
        m=64, n=64, k=64, workgroup_tile=(64, 64), subgroup_tile=(32, 32)
    )


@pytest.mark.parametrize(
    "missing",
    [
        "sys.modules['pyopencl'] = None",
        "sys.modules['pyopencl'] = types.ModuleType('pyopencl'); "
        "from xetile.runtime import devices; devices.cpu_library = lambda: None",
    ],
    ids=["pyopencl", "Intel's runtime"],
)
def test_what_is_not_installed_is_one_line(missing: str, tmp_path: Path) -> None:
    (tmp_path / "gemm.spv").write_bytes(b"")
    (tmp_path / "gemm.spv.json").write_text("{}")
    script = (
        f"import runpy, sys, types; {missing}; sys.argv = ['launch', 'gemm.spv', 'cpu']; "
        f"runpy.run_path({str(ROOT / 'examples/launch_opencl.py')!r})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.endswith("; pip install 'xetile[device]'\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.opencl
@pytest.mark.parametrize("kernel", ["of blocks", "of plain loads"])
def test_launch_opencl(kernel: str, tmp_path: Path) -> None:
    module = small_gemm() if kernel == "of blocks" else xetile.parse(PLAIN_LOADS)
    spirv = xetile.emit(module, "spirv", "bmg")
    assert isinstance(spirv, bytes)
    (tmp_path / "gemm.spv").write_bytes(spirv)
    (tmp_path / "gemm.spv.json").write_text(json.dumps(launch_contract(module, "bmg")))
    done = subprocess.run(
        [sys.executable, ROOT / "examples/launch_opencl.py", "gemm.spv", "cpu"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert ": the largest error is " in done.stdout

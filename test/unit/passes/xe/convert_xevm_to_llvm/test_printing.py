"""What kernels print: on a device the same text as on numpy."""

import subprocess
from pathlib import Path

import pytest

import xetile
from xetile.interpreter import execute
from xetile.runtime.launch import execute_on
from xetile.runtime.open_device import Device

PRINTS = r"""
gpu.module @m {
  gpu.func @prints(%f: f32, %i: i64) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, xetile.level = "lane"} {
    %lane = gpu.lane_id
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %lane, %c0 : index
    scf.if %first {
      %block = gpu.block_id x
      %letter = arith.constant 65 : i32
      %m = arith.constant -3 : i8
      %t = arith.constant true
      %h = arith.truncf %f : f32 to f16
      %b = arith.truncf %f : f32 to bf16
      %e = arith.truncf %f : f32 to f8E5M2
      %d = arith.extf %f : f32 to f64
      gpu.printf "%lld: %5.2f %f %g %g %-9.3e| %u%% %+05d %d %#x %c %lu\0A",
        %block, %h, %f, %b, %e, %d, %m, %m, %t, %i, %letter, %i
        : index, f16, f32, bf16, f8E5M2, f64, i8, i8, i1, i64, i32, i64
      gpu.printf "no value, 100%%\0A"
    }
    gpu.return
  }
}
"""
VALUES = (2.625, -(1 << 40))


def printed_on_numpy(capsys: pytest.CaptureFixture[str]) -> str:
    execute(xetile.parse(PRINTS), None, list(VALUES), grid=(3, 1, 1))
    return capsys.readouterr().out


@pytest.mark.opencl
def test_a_device_prints_what_numpy_prints(
    opencl_cpu: Device, capsys: pytest.CaptureFixture[str]
):
    wanted = printed_on_numpy(capsys)
    assert wanted.startswith("0:  2.62 2.625000 2.625 2.5 2.625e+00| 253% -0003 -1 0xffff")
    module = xetile.parse(PRINTS)
    execute_on(opencl_cpu, module, None, list(VALUES), target="bmg", grid=(3, 1, 1))
    found = capsys.readouterr().out
    # workgroups are executed side by side
    assert sorted(found.splitlines()) == sorted(wanted.splitlines())


@pytest.mark.spirv_val
def test_the_module_is_valid(spirv_val: Path, tmp_path: Path):
    code = xetile.emit(xetile.parse(PRINTS), "spirv", "bmg")
    assert isinstance(code, bytes)
    (tmp_path / "kernel.spv").write_bytes(code)
    command = [spirv_val, tmp_path / "kernel.spv"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.mlir_opt
def test_mlir_takes_the_functions(mlir_opt: Path):
    module = xetile.lower(xetile.parse(PRINTS), to="llvm", device="bmg")
    answer = subprocess.run(
        [mlir_opt], input=str(module), capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr


@pytest.mark.ocloc
@pytest.mark.parametrize("device", ["bmg", "pvc", "cri"])
def test_devices_take_it(device: str):
    assert xetile.emit(xetile.parse(PRINTS), "zebin", device)

"""Launches on a device that is none: the order of things, and where errors are."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from support.fake_device import FakeDevice

from xetile.codegen import lower_to_llvm
from xetile.dialects.modules import parse
from xetile.errors import XetileError
from xetile.kernels.gemm_module import gemm_module
from xetile.runtime.driver import Argument, Pointer, Program
from xetile.runtime.launch import compile_kernel, execute_compiled, execute_on

GRID = ", known_grid_size = array<i32: 2, 1, 1>"


def source(name: str = "k", grid: str = GRID, block: str = "array<i32: 16, 1, 1>") -> str:
    return f"""
    gpu.func @{name}(%A: memref<4xf32>, %n: i32) kernel
        attributes {{known_block_size = {block}{grid}, xetile.level = "lane"}} {{
      gpu.return
    }}"""


def module(*functions: str):
    return parse("gpu.module @m {" + "".join(functions or [source()]) + "\n}", "k.mlir")


def add_one(device: FakeDevice, arguments: Sequence[Argument]) -> None:
    """Add one to every element of the first argument."""
    (pointer, _) = arguments
    assert isinstance(pointer, Pointer)
    found = np.frombuffer(device.read(pointer.memory), np.float32)
    device.write(pointer.memory, (found + 1).tobytes())


def array() -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.zeros(4, np.float32)


def test_a_launch_changes_the_arrays_and_leaves_nothing():
    device, given = FakeDevice(add_one), array()
    seconds = execute_on(device, module(), None, [given, 3], target="bmg")
    assert given.tolist() == [1] * 4
    assert seconds == 1
    ((name, arguments, grid, block),) = device.launches
    assert (name, grid, block) == ("k", (2, 1, 1), (16, 1, 1))
    assert len(arguments) == 2
    assert device.is_empty


def test_several_launches_are_all_of_the_same_data():
    device, given = FakeDevice(add_one), array()
    stages: list[str] = []
    seconds = execute_on(
        device, module(), "k", [given, 3], target="bmg", times=5, stage=stages.append
    )
    assert given.tolist() == [1] * 4
    assert len(device.launches) == 5
    assert seconds == 3
    assert stages == ["compiling", "building", *(f"launch {n} of 5" for n in range(1, 6))]


def test_a_kernel_at_the_last_level_is_executed_as_well():
    lowered = lower_to_llvm(module(), "bmg")
    device, given = FakeDevice(add_one), array()
    execute_on(device, lowered, None, [given, 3], grid=(7, 1, 1))
    assert given.tolist() == [1] * 4
    assert device.launches[0][2] == (7, 1, 1)
    message = r"^k\.mlir:2:5: error: argument 0 is memref<4xf32>.*the array has shape \[5\]$"
    with pytest.raises(XetileError, match=message):
        execute_on(device, lowered, None, [np.zeros(5, np.float32), 3])
    with pytest.raises(
        XetileError, match=r"^k\.mlir:2:5: error: the kernel takes 2 arguments"
    ):
        execute_on(device, lowered, None, [given])


def test_what_a_device_refuses_is_said_at_the_kernel():
    def refuse(device: FakeDevice, arguments: Sequence[Argument]) -> None:
        raise XetileError("the device does not")

    device, given = FakeDevice(refuse), array()
    with pytest.raises(XetileError) as found:
        execute_on(device, module(), None, [given, 3], target="bmg")
    assert str(found.value) == "k.mlir:2:5: error: the device does not"
    assert device.is_empty


def test_more_shared_memory_than_the_device_has_is_refused_before_it_is_asked():
    shared = source().replace("kernel\n", "workgroup(%s: memref<64xf32, 3>) kernel\n", 1)
    device, given = FakeDevice(add_one), array()
    device.information = device.information._replace(shared_bytes=255)
    with pytest.raises(XetileError) as found:
        execute_on(device, module(shared), None, [given, 3], target="bmg")
    assert found.value.message == (
        "the kernel takes 256 bytes of shared memory; fake gives a workgroup 255"
    )
    assert device.is_empty
    device.information = device.information._replace(shared_bytes=256)
    execute_on(device, module(shared), None, [given, 3], target="bmg")
    assert given.tolist() == [1] * 4


def test_memory_at_its_end_is_said_at_the_kernel():
    def exhaust(device: FakeDevice, arguments: Sequence[Argument]) -> None:
        raise MemoryError

    device, given = FakeDevice(exhaust), array()
    with pytest.raises(XetileError) as found:
        execute_on(device, module(), None, [given, 3], target="bmg")
    assert str(found.value) == f"{AT}executing the kernel takes more memory than there is"
    assert device.is_empty


def test_an_interrupt_leaves_nothing_either():
    def interrupt(device: FakeDevice, arguments: Sequence[Argument]) -> None:
        raise KeyboardInterrupt

    device = FakeDevice(interrupt)
    with pytest.raises(KeyboardInterrupt):
        execute_on(device, module(), None, [array(), 3], target="bmg")
    assert device.is_empty


class Untouched(FakeDevice):
    """A device that is not to be asked."""

    def build(self, spirv: bytes, options: Mapping[str, str]) -> Program:
        raise AssertionError("built")


def refusal(
    *functions: str,
    kernel: str | None = None,
    given: Sequence[Any] = (np.zeros(4, np.float32), 3),
    grid: tuple[int, int, int] | None = None,
    times: int = 1,
    last_level: bool = False,
) -> str:
    program = module(*functions)
    if last_level:
        program = lower_to_llvm(program, "bmg")
    with pytest.raises(XetileError) as found:
        execute_on(Untouched(), program, kernel, given, target="bmg", grid=grid, times=times)
    return str(found.value)


AT = "k.mlir:2:5: error: "


def test_what_can_be_known_is_refused_before_the_device_is_asked():
    assert refusal(source(grid="")) == (
        f"{AT}the grid is not known; give grid=(x, y, z), or write known_grid_size on the kernel"
    )
    assert refusal(grid=(1, 0, 1)) == (
        f"{AT}the grid is [1, 0, 1]; expected three positive sizes, x fastest"
    )
    assert refusal(given=[np.zeros(4), 3]).startswith(f"{AT}argument 0 is memref<4xf32>")
    assert refusal(given=[]).startswith(f"{AT}the kernel takes 2 arguments")
    assert refusal(times=0) == "0 launches; expected 1 or more"


def test_a_kernel_is_named_where_there_are_several():
    both = (source("one"), source("other"))
    for last_level in (False, True):
        message = "which kernel to execute is not clear; choose by name among one, other"
        assert refusal(*both, last_level=last_level) == message
        message = "there is no kernel 'third'; the module has: one, other"
        assert refusal(*both, kernel="third", last_level=last_level) == message
    device = FakeDevice(add_one)
    for last_level in (False, True):
        program = lower_to_llvm(module(*both), "bmg") if last_level else module(*both)
        execute_on(device, program, "other", [array(), 3], target="bmg")
        assert device.launches[-1][0] == "other"


def test_wrong_arguments_are_refused_before_the_kernel_is_compiled(
    monkeypatch: pytest.MonkeyPatch,
):
    def never(*_: object) -> object:
        raise AssertionError("compiled")

    monkeypatch.setattr("xetile.runtime.launch.compile_kernel", never)
    assert refusal(given=[]).startswith(f"{AT}the kernel takes 2 arguments")
    assert refusal(source(grid="")).startswith(f"{AT}the grid is not known")


def test_a_kernel_is_compiled_once_for_several_launches():
    compiled = compile_kernel(module(), None, "bmg")
    assert compiled.spirv[:4] == bytes.fromhex("03022307")
    device, given = FakeDevice(add_one), array()
    for _ in range(3):
        execute_compiled(device, compiled, [given, 0])
    assert given.tolist() == [3] * 4


def test_loops_stay_as_written_where_unrolled_they_call_more_than_a_device_builds_soon():
    made = gemm_module(m=64, n=64, k=1024, workgroup_tile=(64, 64))
    unrolled, as_written = (
        compile_kernel(made, None, "bmg", unroll=unroll).spirv for unroll in (None, 1)
    )
    assert len(unrolled) > 4 * len(as_written)
    assert compile_kernel(made, None, "bmg", most_calls=100).spirv == as_written
    assert compile_kernel(made, None, "bmg", most_calls=10_000).spirv == unrolled
    asked = compile_kernel(made, None, "bmg", unroll=16, most_calls=100).spirv
    assert asked == unrolled


def test_the_room_is_imported_without_drivers():
    rooms = ("arguments", "cache", "child", "open_device", "devices", "launch")
    imports = "".join(f"import xetile.runtime.{room}\n" for room in rooms)
    script = f"{imports}import sys\nassert 'pyopencl' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)

"""Kernels that are called often, on Intel's OpenCL runtime for CPUs: in a process of its own, and in this one."""

import re
import subprocess
import sys
import textwrap
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.small_kernels import PLACE, copy_block, copy_word, crashing, keep_numbers

from xetile.cli import kernel_command
from xetile.errors import XetileError, position
from xetile.runtime.child import ChildDevice
from xetile.runtime.code import compile_code
from xetile.runtime.devices import CPU, open_device
from xetile.runtime.open_device import Device

pytestmark = pytest.mark.opencl


@pytest.fixture(scope="module")
def device() -> Generator[Device]:
    with open_device(CPU) as found:
        yield found


def prepared(device: Device, module: Any) -> Any:
    (function,) = [op for op in module.walk() if op.name == "gpu.func"]
    return device.prepare(compile_code(module, target="bmg"), place=position(function))


def test_blocks_are_copied_between_buffers(device: Device):
    source = np.arange(128, dtype=np.int32).reshape(8, 16)
    kernel = prepared(device, copy_block())
    first, second = device.buffer(source), device.zeros((8, 16), np.int32)
    kernel(first, second)
    assert (second.numpy() == source).all()
    array = np.zeros((8, 16), np.int32)
    kernel(second, array)
    assert (array == source).all()
    first.write(source * 2)
    kernel(first, second)
    device.synchronize()
    assert (second.numpy() == source * 2).all()


def test_numbers_are_those_that_were_given(device: Device):
    kernel = prepared(device, keep_numbers("i8", "i64", "f32", "f64", "f16"))
    kept = device.zeros([40], np.uint8)
    kernel(kept, -3, -(1 << 60), 0.1, 0.1, 1.5)
    found = kept.numpy().tobytes()
    for at, value in enumerate(
        (np.int8(-3), np.int64(-(1 << 60)), np.float32(0.1), np.float64(0.1), np.float16(1.5))
    ):
        assert found[8 * at : 8 * at + value.nbytes] == value.tobytes()


def test_an_emulated_device_refuses_surfaces_at_the_call(device: Device):
    module = copy_block()
    text = str(module).replace("arith.constant 64 : i32", "arith.constant 60 : i32")
    from xetile.dialects.modules import parse

    kernel = device.prepare(compile_code(parse(text, "k.mlir"), target="bmg"))
    buffers = [device.zeros((8, 16), np.int32) for _ in range(2)]
    for _ in range(2):
        with pytest.raises(XetileError) as found:
            kernel(*buffers)
        assert "the matrix has rows of 60 bytes" in found.value.message
    prepared(device, copy_block())(*buffers)


def test_threads_may_call_one_kernel(device: Device):
    kernel = prepared(device, copy_word())

    def copied(number: int) -> int:
        source, target = (device.buffer(np.array([n], np.int32)) for n in (number, -1))
        for _ in range(5):
            kernel(source, target)
        return int(target.numpy()[0])

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(copied, range(40))) == list(range(40))


def test_a_process_that_ends_is_one_line_and_one_that_is_closed_too():
    with open_device(CPU) as device:
        kernel = prepared(device, crashing())
        with pytest.raises(XetileError) as found:
            kernel()
        text = f"{PLACE}: error: {CPU} ended with signal SIGSEGV; it was to run the kernel to its end"
        assert str(found.value) == text
        with pytest.raises(XetileError, match="open it again"):
            device.zeros([1], np.float32)


def test_what_is_closed_says_so_and_gives_back_quietly():
    device = open_device(CPU)
    assert isinstance(device, ChildDevice)
    kernel, buffer = prepared(device, copy_word()), device.zeros([1], np.int32)
    device.close()
    for call in (buffer.numpy, lambda: kernel(buffer, buffer)):
        with pytest.raises(XetileError, match="open it again"):
            call()
    buffer.free()
    kernel.free()


def test_what_the_page_shows_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    page = (Path(__file__).parents[3] / "docs" / "devices.md").read_text()
    section = page.partition("## Kernels that are called often\n")[2].partition("\n## ")[0]
    code = textwrap.dedent("\n".join(re.findall(r"^    .*|^$", section, re.MULTILINE)))
    assert "device.prepare(code)" in code
    monkeypatch.chdir(tmp_path)
    command = re.search(r"^    xetile-kernel (gemm .* -o small.mlir)$", page, re.MULTILINE)
    assert command is not None
    assert kernel_command.main(command[1].split()) == 0
    exec(compile(code, "devices.md", "exec"), {})


AS_ON_A_GPU = """
import os
from xetile.runtime.devices import LOADER_VARIABLE, cpu_library
os.environ[LOADER_VARIABLE] = str(cpu_library())
import numpy, pyopencl, sys, xetile
from xetile.runtime.code import compile_code
from xetile.runtime.opencl import OpenCLDevice, describe, devices

found = devices(pyopencl.device_type.CPU)[0]
information = describe("opencl:gpu", found)._replace(emulates=False)
code = compile_code(xetile.parse(sys.argv[1]), target="bmg")
with OpenCLDevice(found, information) as device:
    gemm = device.prepare(code)
    A, B = numpy.ones((24, 48), numpy.float16), numpy.ones((48, 64), numpy.float16)
    a, b, c = device.buffer(A), device.buffer(B), device.zeros((24, 64), numpy.float32)
    for _ in range(20):
        gemm(a, b, c)
    assert (c.numpy() == 48).all()
    gemm(a, b, c)
    a.free()
    a = device.buffer(A * 2)
    gemm(a, b, c)
    gemm.free()
    device.synchronize()
    assert (c.numpy() == 96).all()
try:
    a.numpy()
except xetile.XetileError as error:
    print(error)
"""


def test_launches_of_a_device_that_emulates_nothing_are_waited_for_when_buffers_are_read():
    kernel = Path(__file__).parents[1] / "examples" / "Inputs" / "gemm_plain_loads.mlir"
    command = [sys.executable, "-c", AS_ON_A_GPU, str(kernel)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "opencl:gpu is closed; open it again\n"

"""What users meet on Intel's OpenCL runtime for CPUs: kernels that go wrong, arrays of all kinds, binaries that do."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import small_kernels
from support.processes import ends, is_running
from support.small_kernels import PLACE, copy_block, copy_word, crashing, endless, keep_numbers
from xdsl.dialects.builtin import ModuleOp

from xetile.codegen import lower_to_llvm
from xetile.dialects.modules import parse
from xetile.errors import XetileError
from xetile.runtime.cache import Cache
from xetile.runtime.child import ChildDevice
from xetile.runtime.devices import CPU, cpu_library, open_device
from xetile.runtime.driver import Pointer
from xetile.runtime.launch import compile_kernel, execute_on

pytestmark = pytest.mark.opencl


@pytest.fixture(scope="module")
def opened() -> Generator[ChildDevice]:
    with open_cpu() as found:
        yield found


def open_cpu(*, seconds: float = 120, surface_checks: bool = True) -> ChildDevice:
    found = open_device(CPU, seconds=seconds, surface_checks=surface_checks)
    assert isinstance(found, ChildDevice)
    return found


def run(device: ChildDevice, module: ModuleOp, *given: Any) -> None:
    execute_on(device, module, "k", given, target="bmg")


def refusal(device: ChildDevice, module: ModuleOp, *given: Any) -> str:
    with pytest.raises(XetileError) as found:
        run(device, module, *given)
    message = str(found.value)
    assert message.startswith(f"{PLACE}: error: ")
    assert "\n" not in message
    return message.removeprefix(f"{PLACE}: error: ")


def test_a_kernel_that_ends_the_process_is_one_line():
    with open_cpu() as device:
        process = device.process
        message = f"{CPU} ended with signal SIGSEGV; it was to run the kernel to its end"
        assert refusal(device, crashing()) == message
        assert not device.is_open
        assert ends(process)
        told = f"{CPU} has ended (signal SIGSEGV when it was to run the kernel to its end)"
        assert refusal(device, crashing()) == f"{told}; open it again"


def test_a_kernel_that_does_not_end_is_one_line():
    with open_cpu(seconds=20) as device:
        device.build(compile_kernel(endless(), None, "bmg").spirv, {})
    with open_cpu(seconds=2) as device:
        message = f"{CPU} did not run the kernel to its end within 2 seconds"
        assert refusal(device, endless(), np.ones(1, np.float32)) == message
        assert not device.is_open
        assert ends(device.process)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_when_who_waits_for_a_kernel_ends(number: signal.Signals):
    script = (
        "import numpy, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may ignore it\n"
        "from support.small_kernels import endless\n"
        "from xetile.runtime.devices import open_device\n"
        "from xetile.runtime.launch import execute_on\n"
        "with open_device('opencl:cpu') as device:\n"
        "    def say(stage): print(device.process, flush=True) if stage == 'launching' else None\n"
        "    execute_on(device, endless(), 'k', [numpy.ones(1, numpy.float32)], target='bmg', stage=say)\n"
    )
    tests = Path(small_kernels.__file__).parents[1]
    command = [sys.executable, "-c", f"import sys; sys.path.append({str(tests)!r})\n{script}"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as waiting:
        assert waiting.stdout is not None
        process = int(waiting.stdout.readline())
        time.sleep(0.5)
        assert is_running(process)
        waiting.send_signal(number)
        waiting.wait(30)
    assert ends(process)


def test_what_cannot_be_built_is_one_line(opened: ChildDevice):
    header = compile_kernel(copy_word(), None, "bmg").spirv[:20]
    for spirv, message in [
        (b"", "0 bytes are no SPIR-V module"),
        (b"no SPIR-V at all....", "no SPIR-V module: it starts with 0x53206f6e"),
        (
            header,
            "the device does not build the module: .*SPIR-V module has no instructions.*",
        ),
    ]:
        with pytest.raises(XetileError, match=f"^{message}$"):
            opened.build(spirv, {})
    assert opened.is_open


def test_an_import_that_nobody_defines_is_named(opened: ChildDevice):
    lowered = str(lower_to_llvm(copy_word(), "bmg"))
    called = lowered.replace("llvm.return", "llvm.call @nobody() : () -> ()\n llvm.return")
    module = parse(called.replace("llvm.func @k", "llvm.func @nobody()\n llvm.func @k"), "k")
    with pytest.raises(XetileError) as found:
        run(opened, module, np.zeros(1, np.int32), np.zeros(1, np.int32))
    message = "k:4:2: error: the module imports 'nobody', of which there is no emulation"
    assert str(found.value) == message
    assert opened.is_open


def test_what_a_kernel_is_launched_with_is_checked(opened: ChildDevice):
    program = opened.build(compile_kernel(copy_word(), None, "bmg").spirv, {})
    memory = opened.allocate(8)
    words = [Pointer(memory, 0), Pointer(memory, 4)]
    opened.write(memory, bytes([1, 2, 3, 4]))
    opened.launch(program, "k", words, grid=(1, 1, 1), block=(16, 1, 1))
    assert opened.read(memory) == bytes([1, 2, 3, 4] * 2)
    attempts: list[tuple[str, Callable[[], object]]] = [
        (
            "the module has no kernel 'none' but k",
            lambda: opened.launch(program, "none", words, grid=(1, 1, 1), block=(16, 1, 1)),
        ),
        (
            "the emitted kernel takes 2 arguments, 0 are given",
            lambda: opened.launch(program, "k", [], grid=(1, 1, 1), block=(16, 1, 1)),
        ),
        (
            "the block is [32, 1, 1]; the kernel is made for [16, 1, 1]",
            lambda: opened.launch(program, "k", words, grid=(1, 1, 1), block=(32, 1, 1)),
        ),
        (
            "the launch has [4294967296, 1, 1] work-items; expected less than 4294967296 in a dimension",
            lambda: opened.launch(program, "k", words, grid=(1 << 28, 1, 1), block=(16, 1, 1)),
        ),
        ("9 bytes do not fit an allocation of 8", lambda: opened.write(memory, bytes(9))),
        ("the device does not allocate -1 bytes", lambda: opened.allocate(-1)),
    ]
    for message, attempt in attempts:
        with pytest.raises(XetileError) as found:
            attempt()
        assert found.value.message == message
    with pytest.raises(XetileError, match=f"^the device does not allocate {1 << 45} bytes: "):
        opened.allocate(1 << 45)
    opened.free(memory)
    opened.forget(program)


def test_views_are_copied_to_where_surfaces_may_begin(opened: ChildDevice):
    whole = np.arange(300, dtype=np.int32)
    for start in (0, 1, 8, 16, 37):
        target = np.zeros(129, np.int32)
        run(opened, copy_block(), whole[start : start + 128], target[1:])
        assert target.tolist() == [0, *range(start, start + 128)]


def test_a_misaligned_surface_is_reported_as_numpy_does(opened: ChildDevice):
    for start in (1, 8):
        whole = np.arange(300, dtype=np.int32)
        message = refusal(opened, copy_block(), whole[start : start + 128], whole[:128])
        assert re.match(
            rf"argument 0 \(arg0\): the matrix has a base {4 * start} bytes above a multiple of 64",
            message,
        )


def test_without_checks_a_misaligned_surface_is_read_as_it_stands():
    whole = np.arange(300, dtype=np.int32)
    with open_cpu(surface_checks=False) as device:
        run(device, copy_block(), whole[128:256], whole[1:129])
    assert whole[1:129].tolist() == [*range(128, 256)]


def test_views_that_overlap_are_the_same_memory(opened: ChildDevice):
    for first, second in ((0, 1), (1, 0), (1, 1), (3, 17)):
        array = np.arange(40, dtype=np.int32)
        run(opened, copy_word(), array[first:20], array[second:])
        assert array.tolist() == [first if n == second else n for n in range(40)]


def test_numbers_arrive_in_their_types(opened: ChildDevice):
    numbers = {
        "i8": np.int8(-3),
        "i16": np.int16(-25536),
        "i32": np.int32(-5),
        "i64": np.int64(1 << 40),
        "f16": np.float16(0.1),
        "f32": np.float32(1e-42),
        "f64": np.float64(0.1),
        "bf16": np.uint16(0x4049),
    }
    array = np.zeros(64, np.uint8)
    given = (-3, 40000, -5, 1 << 40, 0.1, 1e-42, 0.1, 3.14)
    run(opened, keep_numbers(*numbers), array, *given)
    expected = b"".join(number.tobytes().ljust(8, b"\0") for number in numbers.values())
    assert array.tobytes() == expected


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XETILE_CACHE", str(tmp_path))
    return tmp_path / "opencl"


def copies(device: ChildDevice) -> bool:
    source, target = np.array([7], np.int32), np.zeros(1, np.int32)
    run(device, copy_word(), source, target)
    return bool(target[0] == 7)


def test_a_binary_that_does_not_load_is_made_again(
    cache: Path, monkeypatch: pytest.MonkeyPatch
):
    with open_cpu() as device:
        assert copies(device)
    (kept,) = cache.iterdir()
    whole = kept.read_bytes()
    for damage in (b"\x7fELF" + bytes(1000), whole[32 : len(whole) // 2]):
        Cache("opencl", "anybody").keep(kept.name, damage)  # as if the driver had made that
        with open_cpu() as device:
            assert copies(device)
        (again,) = cache.iterdir()
        assert again.name == kept.name
        assert len(again.read_bytes()) == len(whole)


def test_a_binary_is_of_the_options_of_the_emulation_too(cache: Path):
    worker = (
        "import sys\n"
        "from xetile.runtime import opencl, worker\n"
        "opencl._EMULATION_OPTIONS.append('-DOTHER')\n"
        "from xetile.toolchain.sandbox import serve\n"
        "serve(sys.argv[-2:], worker.Worker())\n"
    )
    environment = {"OCL_ICD_VENDORS": str(cpu_library())}
    command = [sys.executable, "-c", worker]
    with open_cpu() as device:
        assert copies(device)
    with ChildDevice("other", environment, seconds=60, worker=command) as device:
        assert copies(device)
    assert len(list(cache.iterdir())) == 2


def test_two_processes_share_a_cache(cache: Path):
    with open_cpu() as one, open_cpu() as other, ThreadPoolExecutor() as threads:
        for _ in range(2):
            assert all(threads.map(copies, (one, other)))
    assert len(list(cache.iterdir())) == 1


def test_a_device_with_the_builtins_gets_the_module_alone(cache: Path):
    worker = (
        "import sys\n"
        "from xetile.runtime import opencl, worker\n"
        "opencl.is_native = lambda device: True\n"
        "from xetile.toolchain.sandbox import serve\n"
        "serve(sys.argv[-2:], worker.Worker())\n"
    )
    environment = {"OCL_ICD_VENDORS": str(cpu_library())}
    command = [sys.executable, "-c", worker]
    word, block = (compile_kernel(made(), None, "bmg") for made in (copy_word, copy_block))
    with ChildDevice("native", environment, seconds=60, worker=command) as device:
        assert not device.information.emulates
        with pytest.raises(XetileError, match="Unrecognized build options: -cl-intel-256-GRF"):
            # options go along as they are
            device.build(word.spirv, {"opencl": "-cl-intel-256-GRF-per-thread"})
        program = device.build(word.spirv, {})
        memory = device.allocate(8)
        device.write(memory, b"abcd")
        pointers = [Pointer(memory, 0), Pointer(memory, 4)]
        device.launch(program, "k", pointers, grid=(1, 1, 1), block=(16, 1, 1))
        assert device.read(memory) == b"abcdabcd"
        with pytest.raises(XetileError, match=r"does not build the module: .*2d_block_read"):
            device.build(block.spirv, {})
    assert len(list(cache.iterdir())) == 1

"""`xetile-run --on`: what is refused, what is printed of time and work, and what a device makes of it."""

import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support.made_up_device import MadeUpDevice
from xdsl.dialects.builtin import ModuleOp

from xetile import codegen, kernels, lower, progress, text
from xetile.cli.running import run_options as run_arguments
from xetile.cli.running.run_kernel import main
from xetile.runtime import devices
from xetile.runtime.child import TIME_LIMIT_SECONDS
from xetile.runtime.driver import Information
from xetile.runtime.open_device import Device

ARGUMENTS = ["--arg", "normal", "--arg", "normal", "--arg", "zeros"]
EXPECTED = "opencl:cpu, opencl:gpu or opencl:gpu:N"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a GEMM at the first level and at the last, which is the working directory."""
    module = kernels.gemm_module(
        m=64, n=64, k=64, workgroup_tile=(32, 32), subgroup_tile=(16, 16)
    )
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gemm.mlir").write_text(text(module))
    (tmp_path / "last.mlir").write_text(text(lower(module, to="llvm", device="bmg")))
    (tmp_path / "main.mlir").write_text("func.func @main() { func.return }\n")
    return tmp_path


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> MadeUpDevice:
    """What `--on` opens, in place of a driver."""
    return install(monkeypatch, MadeUpDevice(4e-3, 2e-3, 1e-3))


def install(monkeypatch: pytest.MonkeyPatch, device: MadeUpDevice) -> MadeUpDevice:
    def opened(name: str, **_: object) -> Device:
        return device

    monkeypatch.setattr(devices, "open_device", opened)
    return device


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--device", "bmg"], "--device goes with --on: on numpy a kernel is executed at its own level, for no device"),
        (["--time", "3"], "--time goes with --on: the time of an execution on numpy says nothing"),
        (["--time-limit", "3"], "--time-limit goes with --on: it limits a build or a launch there"),
        (["--no-surface-checks"], "--no-surface-checks goes with --on: on numpy a surface may lie anywhere"),
        (["--on", "opencl"], f"argument --on: unknown device 'opencl'; expected {EXPECTED}; did you mean 'opencl:cpu' or 'opencl:gpu'?"),
        (["--on", "cpu"], f"argument --on: unknown device 'cpu'; expected {EXPECTED}; did you mean 'opencl:cpu'?"),
        (["--on", "opencl:cpuu"], f"argument --on: unknown device 'opencl:cpuu'; expected {EXPECTED}; did you mean 'opencl:cpu'?"),
        (["--on", "bmg"], f"argument --on: 'bmg' is what to compile for, which device says; expected where to run: {EXPECTED}"),
        (["--on"], "argument --on: a value is needed, as in --on DEVICE"),
        (["--on", "opencl:cpu", "--device", "opencl:cpu"], "--device is opencl:cpu, where to run, which is --on; --device says what to compile for: pvc, bmg, lnl, ptl, cri"),
        (["--on", "opencl:cpu", "--device", "bgm"], "unknown device 'bgm'; known are pvc, bmg, lnl, ptl, cri; did you mean 'bmg'?"),
        (["--on", "opencl:cpu", "--sanitize"], "--sanitize watches what is executed on numpy; leave out --on, or --sanitize"),
        (["--on", "opencl:gpu", "--time-limit", "3"], "a time limit is for opencl:cpu, which has a process of its own, not for opencl:gpu"),
        (["--on", "opencl:gpu:1", "--no-surface-checks"], "surfaces without checks are for opencl:cpu, which emulates, not for opencl:gpu:1"),
        (["--on", "opencl:cpu", "--time", "0"], "argument --time: '0' is no number of launches; write one from 1 to 1,000,000"),
        (["--on", "opencl:cpu", "--time", "1e3"], "argument --time: '1e3' is no number of launches; write one from 1 to 1,000,000"),
        (["--on", "opencl:cpu", "--time-limit", "nan"], "argument --time-limit: 'nan' is no time; write seconds above 0, such as 300"),
        (["--on", "opencl:cpu", "--tolerance", "1"], "--tolerance goes with --against"),
        (["--on", "opencl:cpu", "--entry", "main", "--time", "3"], "--time goes with a kernel, not with --entry"),
        (["--run-on", "opencl:cpu"], "unrecognized argument '--run-on'; did you mean '--on'?"),
    ],
)  # fmt: skip
def test_options_that_say_nothing_together(
    folder: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["gemm.mlir", *ARGUMENTS, *arguments]) == 1
    assert capsys.readouterr().err == f"xetile-run: error: {message}\n"


@pytest.mark.parametrize(
    "arguments", [["--list-devices"], ["gemm.mlir", "--on", "opencl:cpu"]]
)
def test_without_the_extra_one_line_says_what_to_install(
    folder: Path,
    arguments: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def not_found(name: str) -> None:
        return None

    monkeypatch.setattr(devices, "find_spec", not_found)
    assert main([*arguments, *(ARGUMENTS if len(arguments) > 1 else [])]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.endswith("pip install 'xetile[device]'\n")
    assert said.err.count("\n") == 1


def test_devices_are_listed_without_an_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:

    found = [
        Information("opencl:cpu", "A processor", emulates=True),
        Information("opencl:gpu:1", "Another one", emulates=False),
    ]
    monkeypatch.setattr("xetile.runtime.devices.list_devices", lambda: found)
    assert main(["--list-devices"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "name          instructions  description",
        "opencl:cpu    emulated      A processor",
        "opencl:gpu:1  its own       Another one",
    ]
    broken = Information("opencl:cpu", "does not start", emulates=True, fault="it ended")
    monkeypatch.setattr("xetile.runtime.devices.list_devices", lambda: [broken])
    assert main(["--list-devices"]) == 0
    assert capsys.readouterr().out.endswith(
        "\nopencl:cpu  emulated      does not start: it ended\n"
    )
    monkeypatch.setattr("xetile.runtime.devices.list_devices", list)
    assert main(["--list-devices"]) == 1
    told = "there is no device that takes what is emitted; pip install 'xetile[device]' brings opencl:cpu"
    assert capsys.readouterr().err == f"xetile-run: error: {told}\n"


def test_the_limit_that_the_help_says_is_the_limit() -> None:
    option = run_arguments.make_parser().options["--time-limit"]
    assert option.help is not None
    assert f"({TIME_LIMIT_SECONDS:g})" in option.help


def test_flags_reach_the_device(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, dict[str, object]]] = []

    def opened(name: str, **options: object) -> Device:
        asked.append((name, options))
        return MadeUpDevice()

    monkeypatch.setattr(devices, "open_device", opened)
    run = ["gemm.mlir", *ARGUMENTS, "--device", "bmg", "--on", "opencl:cpu"]
    assert main(run) == 0
    assert main([*run, "--time-limit", "7.5", "--no-surface-checks"]) == 0
    assert asked == [
        ("opencl:cpu", {"seconds": None, "surface_checks": True}),
        ("opencl:cpu", {"seconds": 7.5, "surface_checks": False}),
    ]


def test_the_target_that_nothing_names_is_remarked(
    folder: Path, made_up: MadeUpDevice, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["gemm.mlir", *ARGUMENTS, "--on", "opencl:cpu"]) == 0
    said = capsys.readouterr().err
    assert "remark: the device is pvc, since nothing names one; choose among" in said
    assert "with --device" in said
    assert said.count("remark") == 1
    assert made_up.is_closed
    ((name, _, grid, block),) = made_up.launches
    assert (name, grid, block) == ("gemm", (2, 2, 1), (64, 1, 1))


def test_the_median_time_and_the_work(
    folder: Path, made_up: MadeUpDevice, capsys: pytest.CaptureFixture[str]
) -> None:
    run = ["gemm.mlir", *ARGUMENTS, "--device", "bmg", "--on", "opencl:gpu", "--time", "3"]
    assert main(run) == 0
    assert len(made_up.launches) == 3
    assert capsys.readouterr().out.splitlines()[3:] == [
        "time: 2.000 ms (median of 3 launches)",
        "work: 524,288 operations of matrix products, 262 MFLOP/s",
        "memory: 32,768 bytes of arguments, each counted once, 16.4 MB/s",
    ]


def test_an_emulated_time_means_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(monkeypatch, MadeUpDevice(1.5, emulates=True))
    run = ["--device", "bmg", "--on", "opencl:cpu", "--time", "1"]
    assert main(["last.mlir", *ARGUMENTS, *run]) == 0
    assert capsys.readouterr().out.splitlines()[3:] == [
        "time: 1.500 s (one launch)",
        "work: not known of a kernel at the last level",
        "memory: 32,768 bytes of arguments, each counted once, 21.8 kB/s",
        "opencl:made-up emulates matrix instructions and block messages: this time and what follows from it mean nothing",
    ]


def test_work_that_a_kernel_does_not_say(
    folder: Path, made_up: MadeUpDevice, capsys: pytest.CaptureFixture[str]
) -> None:
    source = Path("gemm.mlir").read_text()
    late = re.sub(
        r"(\n.* = scf.for .* = )%\w+ to", r"\n%late = gpu.block_id  x\1%late to", source
    )
    assert late != source
    Path("late.mlir").write_text(late)
    run = ["late.mlir", *ARGUMENTS, "--device", "bmg", "--on", "opencl:gpu", "--time", "3"]
    assert main(run) == 0
    assert "work: not known, it depends on how 'scf.for' in line " in capsys.readouterr().out


def test_the_last_level_is_for_devices(
    folder: Path, made_up: MadeUpDevice, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["last.mlir", *ARGUMENTS]) == 1
    said = "error: this kernel is at the last level, which --on executes on a device; numpy executes the levels above"
    assert re.match(rf"last.mlir:\d+:\d+: {said}\n", capsys.readouterr().err)
    run = ["--on", "opencl:cpu", "--device", "bmg"]
    assert main(["last.mlir", *ARGUMENTS, *run, "--against", "last.mlir"]) == 1
    assert re.match(rf"last.mlir:\d+:\d+: {said}\n", capsys.readouterr().err)
    assert main(["last.mlir", *ARGUMENTS, *run, "--grid", "1,2,1"]) == 0
    told = (
        "warning: --grid is [1, 2, 1], which counts; the kernel has known_grid_size [2, 2, 1]"
    )
    assert told in capsys.readouterr().err
    assert main(["last.mlir", *ARGUMENTS[2:], *run]) == 1
    assert "the kernel takes 3 arguments (memref<64x64xf16>, " in capsys.readouterr().err


def test_the_last_level_is_compiled_once(
    folder: Path, made_up: MadeUpDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    emit = codegen.emit

    def emitted(
        module: ModuleOp, kind: codegen.Kind, device: str | None, **named: Any
    ) -> str | bytes:
        made.append(kind)
        return emit(module, kind, device, **named)

    monkeypatch.setattr(codegen, "emit", emitted)
    run = ["last.mlir", *ARGUMENTS, "--on", "opencl:cpu", "--device", "bmg"]
    assert main(run) == 0
    assert made == ["spirv"]


def test_standard_input_is_read_once(
    folder: Path,
    made_up: MadeUpDevice,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = ["-", *ARGUMENTS, "--on", "opencl:cpu", "--device", "bmg", "--against", "-"]
    with Path("last.mlir").open() as given:
        monkeypatch.setattr(sys, "stdin", given)
        assert main(run) == 1
    assert "error: this kernel is at the last level" in capsys.readouterr().err
    with Path("gemm.mlir").open() as given:
        monkeypatch.setattr(sys, "stdin", given)
        assert main(run) == 2


def test_which_kernel_of_the_last_level_is_said_with_a_flag(
    folder: Path, made_up: MadeUpDevice, capsys: pytest.CaptureFixture[str]
) -> None:
    last = Path("last.mlir").read_text()
    start = last.index("    llvm.func @gemm(")
    end = last.rindex("    }\n", start) + len("    }\n")
    again = last[start:end].replace("@gemm(", "@again(")
    Path("two.mlir").write_text(last[:end] + again + last[end:])
    run = ["two.mlir", *ARGUMENTS, "--on", "opencl:cpu", "--device", "bmg"]
    assert main(run) == 1
    said = "which kernel to execute is not clear; choose with --kernel among gemm, again"
    assert capsys.readouterr().err == f"xetile-run: error: {said}\n"
    assert main([*run, "--kernel", "again"]) == 0
    assert [name for name, *_ in made_up.launches] == ["again"]


def test_a_pointer_does_not_say_what_is_there(
    folder: Path, made_up: MadeUpDevice, capsys: pytest.CaptureFixture[str]
) -> None:
    last = Path("last.mlir").read_text()
    memref = r'"memref<64x64xf32>", element = "f32", shape = [^}]*offset = 0 : i64'
    pointer, replaced = re.subn(memref, '"!llvm.ptr<1>"', last)
    assert replaced == 1
    Path("pointer.mlir").write_text(pointer)
    assert main(["pointer.mlir", *ARGUMENTS, "--on", "opencl:cpu", "--device", "bmg"]) == 1
    said = "error: argument 2 is !llvm.ptr<1>, which does not say what is there; start from a level above"
    assert said in capsys.readouterr().err


def test_a_device_that_computes_nothing_differs(
    folder: Path, made_up: MadeUpDevice, capsys: pytest.CaptureFixture[str]
) -> None:
    run = ["gemm.mlir", *ARGUMENTS, "--device", "bmg", "--on", "opencl:gpu"]
    assert main([*run, "--against", "gemm.mlir"]) == 2
    assert capsys.readouterr().out.startswith("argument 2: memref<64x64xf32>: 4096 elements")
    assert main([*run, "--against", "gemm.mlir", "--tolerance", "1e3", "--time", "2"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "equal within 1000"


def test_what_takes_long_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "AFTER_SECONDS", 0.01)
    monkeypatch.setattr(progress, "EVERY_SECONDS", 0.01)
    with progress.Stages("xetile-run") as stage:
        stage("building")
        _wait_for("building", capsys)
        stage("launching")
        _wait_for("launching", capsys)
    with progress.Stages("xetile-run"):
        pass
    assert capsys.readouterr().err == ""


def _wait_for(stage: str, capsys: pytest.CaptureFixture[str]) -> None:
    end = time.monotonic() + 10
    said = ""
    while time.monotonic() < end and not said:
        time.sleep(0.01)
        said = capsys.readouterr().err
    assert said == f"xetile-run: {stage} after 0 s\n"


def test_nothing_of_devices_is_imported_without_them(folder: Path) -> None:
    script = (
        "import sys; from xetile.cli.running.run_kernel import main; main(['main.mlir', '--entry', 'main']); "
        "print([m for m in sys.modules if m.startswith(('xetile.runtime', 'pyopencl', 'xetile.codegen'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.opencl
@pytest.mark.parametrize("name", ["gemm.mlir", "last.mlir"])
def test_a_kernel_gives_the_bits_of_numpy(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = [name, *ARGUMENTS, "--on", "opencl:cpu", "--device", "bmg", "--against", "gemm.mlir"]
    assert main([*run, "--out", "results", "--time", "2"]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[0] == "equal bits"
    assert said.out.splitlines()[-1].startswith("opencl:cpu emulates matrix instructions")
    assert Path("results/arg2.npy").stat().st_size > 64 * 64 * 4


@pytest.mark.opencl
def test_the_device_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list-devices"]) == 0
    assert "\nopencl:cpu  emulated      " in capsys.readouterr().out


@pytest.mark.opencl
def test_a_device_that_is_too_slow(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ["gemm.mlir", *ARGUMENTS, "--on", "opencl:cpu", "--device", "bmg"]
    assert main([*run, "--time-limit", "0.001"]) == 1
    assert (
        "opencl:cpu did not build the module within 0.001 seconds" in capsys.readouterr().err
    )

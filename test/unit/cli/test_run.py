"""What `xetile-run` says of requests that the kernel does not fit."""

from pathlib import Path

import pytest

from xetile.cli.compile import main as compile
from xetile.cli.running.run_kernel import main

KERNELS = """gpu.module @kernels {
  gpu.func @scale(%a: memref<16xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    gpu.return
  }
  gpu.func @shift(%a: memref<16xf32>, %by: i32) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    gpu.return
  }
}
"""


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernels.mlir").write_text(KERNELS)
    (tmp_path / "other.mlir").write_text(KERNELS.replace("16xf32", "32xf32"))
    (tmp_path / "main.mlir").write_text("func.func @main() { func.return }\n")
    return "kernels.mlir"


SCALE = ["--kernel", "scale", "--arg", "ones"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (SCALE, "kernels.mlir:2:3: error: the grid is not known; give --grid X,Y,Z, or write known_grid_size on the kernel"),
        ([*SCALE, "--grid", "1,1,1", "--against", "other.mlir"], "xetile-run: error: the kernels take different arguments: 'kernels.mlir' (memref<16xf32>), 'other.mlir' (memref<32xf32>)"),
        (["--arg", "ones"], "xetile-run: error: which kernel to execute is not clear; choose with --kernel among scale, shift"),
        (["--kernel", "scael"], "xetile-run: error: there is no kernel 'scael'; did you mean 'scale'?"),
        (["--kernel", "gemm"], "xetile-run: error: there is no kernel 'gemm'; the module has: scale, shift"),
        (["--kernel", "shift", "--arg", "ones", "--grid", "1,1,1"], "xetile-run: error: the kernel takes 2 arguments (memref<16xf32>, i32), --arg gives 1; give one --arg for each"),
        (["--kernel", "shift", "--arg", "ones", "--arg", "int", "--grid", "1,1,1"], "xetile-run: error: argument 1: a scalar i32 needs a number, not 'int'"),
        (["--kernel", "scale", "--arg", "zeroes", "--grid", "1,1,1"], "xetile-run: error: argument 0: 'zeroes' is none of int, zeros, ones, normal, iota, a number, the path of a .npy file; did you mean 'zeros'?"),
        (["--kernel", "shift", "--arg", "ones", "--arg", "inf", "--grid", "1,1,1"], "xetile-run: error: argument 1: i32 needs a whole number, not inf"),
        (["--entry", "mian"], "xetile-run: error: the module has kernels alone, which run without --entry"),
        ([*SCALE, "--tolerance", "1e-3"], "xetile-run: error: --tolerance goes with --against"),
        ([*SCALE, "--grid", "0,1"], "xetile-run: error: argument --grid: '0,1' is no grid; write X,Y,Z, such as 16,16,1"),
        ([*SCALE, "--grid", "²,1,1"], "xetile-run: error: argument --grid: '²,1,1' is no grid; write X,Y,Z, such as 16,16,1"),
        ([*SCALE, "--grid", "4000000000,1,1"], "kernels.mlir:2:3: error: the grid is [4000000000, 1, 1], 4,000,000,000 workgroups; at most 16,777,216 are executed"),
        ([*SCALE, "--seed", "x"], "xetile-run: error: argument --seed: 'x' is no seed; write a whole number from 0"),
        ([*SCALE, "--values", "field", "--against", "other.mlir", "--tolerance", "1"], "xetile-run: error: --tolerance does not go with --values field: elements of a field are equal or not"),
        ([*SCALE, "--values", "field", "--on", "opencl:cpu"], "xetile-run: error: --on does not go with --values field: the field is executed on numpy"),
        (["--entry", "main", "--values", "field"], "xetile-run: error: --entry does not go with --values field: host code looks at the bits of its memory"),
        ([*SCALE, "--tolerance", "nan"], "xetile-run: error: argument --tolerance: 'nan' is no tolerance; write bits or a bound such as 1e-3"),
    ],
)  # fmt: skip
def test_requests_that_do_not_fit(
    source: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([source, *arguments]) == 1
    assert capsys.readouterr().err.splitlines()[0] == message


def test_the_other_kernel_needs_a_grid_too(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = KERNELS.replace("kernel attributes {", "kernel attributes {known_grid_size = array<i32: 1, 1, 1>, ")  # fmt: skip
    (tmp_path / "known.mlir").write_text(known)
    assert main(["known.mlir", *SCALE, "--against", source]) == 1
    said = capsys.readouterr().err.splitlines()[0]
    assert said.startswith("kernels.mlir:2:3: error: the grid is not known; give --grid")


def test_a_grid_that_the_kernel_contradicts_counts_and_is_warned_of(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = KERNELS.replace("kernel attributes {", "kernel attributes {known_grid_size = array<i32: 1, 1, 1>, ")  # fmt: skip
    (tmp_path / "known.mlir").write_text(known)
    assert main(["known.mlir", *SCALE, "--grid", "1,1,1"]) == 0
    assert "warning" not in capsys.readouterr().err
    assert main(["known.mlir", *SCALE, "--grid", "1,2,1"]) == 0
    said = capsys.readouterr().err.splitlines()[0]
    wanted = "the kernel has known_grid_size [1, 1, 1]"
    assert said == f"known.mlir:2:3: warning: --grid is [1, 2, 1], which counts; {wanted}"


def test_kernels_alone_have_no_entry(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([source, "--entry", "main"]) == 1
    said = "the module has kernels alone, which run without --entry"
    assert capsys.readouterr().err == f"xetile-run: error: {said}\n"


def test_a_function_that_is_meant(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["main.mlir", "--entry", "mian"]) == 1
    said = "there is no function 'mian' to start with; did you mean 'main'?"
    assert capsys.readouterr().err == f"xetile-run: error: {said}\n"


def test_a_file_of_host_code_is_run_from_its_entry(
    source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["main.mlir"]) == 1
    said = "the module has no kernel; to run its host code write --entry main"
    assert capsys.readouterr().err == f"xetile-run: error: {said}\n"


def test_where_arrays_went(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([source, *SCALE, "--grid", "1,1,1", "--out", "arrays"]) == 0
    size = Path("arrays/arg0.npy").stat().st_size
    told = f"xetile-run: wrote 1 array to arrays ({size} bytes)\n"
    assert capsys.readouterr().err == told


def test_a_kernel_to_compile_that_is_meant(
    source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compile([source, "--kernel", "scael", "--emit", "ll"]) == 1
    said = "there is no kernel 'scael'; did you mean 'scale'?"
    assert capsys.readouterr().err == f"xetile-compile: error: {said}\n"

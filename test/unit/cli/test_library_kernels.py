"""`xetile-kernel NAME` writes each kernel of the library, and lists what it takes."""

import pytest

import xetile.language as xt
from xetile import kernels
from xetile.cli.kernel_command import NAMES, main

ROWS = ["--X", "100x250xf32", "--Y", "100x250xf32"]


def test_each_kernel_has_its_name() -> None:
    made = {name for name, kernel in vars(kernels).items() if isinstance(kernel, xt.Kernel)}
    assert made == {*NAMES, "gemm"}


@pytest.mark.parametrize("name", NAMES)
def test_help_lists_arrays_and_constants(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--help"]) == 0
    shown = capsys.readouterr().out
    kernel: xt.Kernel = getattr(kernels, name)
    for parameter in (*kernel.parameters.arguments, *kernel.parameters.constants):
        assert f"--{parameter}" in shown
    assert (kernel.__doc__ or "?").splitlines()[0] in shown


def test_options_are_the_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["softmax", *ROWS, "--BM", "32", "--sg-layout", "4x1"]) == 0
    types = [xt.f32[100, 250]] * 2
    made = kernels.softmax.specialize(*types, BM=32, sg_layout=(4, 1))
    assert capsys.readouterr().out == f"{made}\n"


def test_extents_may_be_names_and_kinds_too(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["reduce", "--X", "MxNxf16.T", "--Y", "Nxf32", "--kind", "max", "--axis", "1"]
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert "memref<?x?xf16, strided<[1, ?]>>" in shown
    assert "xetile.tile_reduce <maximumf>" in shown


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["softmax", "--X", "4xf33"], "softmax: error: argument --X: '4xf33' is no type of an array; write one such as 4096x256xf16"),
        (["softmax", "--X", "0x4xf32"], "softmax: error: argument --X: extent 0 of an array of f32; an extent is a number of elements that is at least 1, or the name of one, such as 'M'"),
        (["softmax", *ROWS[:2]], "softmax: error: the following arguments are required: --Y"),
        (["reduce", *ROWS, "--kind", "mean"], "reduce: error: argument --kind: 'mean' is none of sum, product, max, min"),
        (["softmax", *ROWS, "--BM", "x"], "softmax: error: argument --BM: 'x' is no whole number"),
    ],
)  # fmt: skip
def test_wrong_options_are_one_line(
    command: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command) == 1
    assert (
        capsys.readouterr()
        .err.removeprefix("xetile-kernel: error: ")
        .startswith(said.partition(": error: ")[2])
    )

"""`xetile-kernel gemm` has the parameters of `gemm_module`, with their defaults."""

from inspect import Parameter, signature

import pytest

from xetile.api import text
from xetile.cli.kernel_command import main
from xetile.kernels import gemm_module


def test_flags_have_the_defaults_of_the_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gemm", "--m", "512", "--n", "256", "--k", "64"]) == 0
    assert capsys.readouterr().out == text(gemm_module(m=512, n=256, k=64))


def test_help_shows_the_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for default in ("i8; f16 by default", "256x256 by default", "32x64", "32 by default"):
        assert default in shown


def test_extents_alone_are_needed(capsys: pytest.CaptureFixture[str]) -> None:
    needed = [
        f"--{name}"
        for name, parameter in signature(gemm_module).parameters.items()
        if parameter.default is Parameter.empty
    ]
    assert main(["gemm"]) == 1
    said = f"the following arguments are required: {', '.join(needed)}"
    assert capsys.readouterr().err == f"xetile-kernel: error: {said}\n"

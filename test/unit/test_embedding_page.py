"""What docs/embedding.md shows is run; what it says that xdsl-opt does not read is not read."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.consoles import fits, ran
from support.pages import executed

from xetile.cli.opt.opt_command import main

ROOT = Path(__file__).parents[2]
XDSL_OPT = Path(sys.executable).with_name("xdsl-opt")


@pytest.mark.parametrize(
    "tools",
    [(), pytest.param(("mlir",), marks=pytest.mark.mlir_bindings)],
    ids=["alone", "with bindings"],
)
def test_the_page_prints_what_it_shows(tools: tuple[str, ...], tmp_path: Path) -> None:
    blocks = executed(ROOT / "docs" / "embedding.md", tmp_path, tools)
    assert len(blocks) == 6
    for block in blocks:
        assert block.agrees, block.printed


def test_the_commands_of_the_page_print_what_it_shows(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    count = 0
    for command, shown, printed in ran(ROOT / "docs" / "embedding.md", tmp_path):
        assert fits(shown, printed), f"$ {command}\n{printed}"
        count += 1
    assert count == 6


def generic(example: str, to: Path) -> Path:
    """An example as the page says that xdsl-opt reads it."""
    source = str(ROOT / "examples" / f"{example}.mlir")
    flags = ["--print-op-generic", "--print-no-properties", "-o", str(to)]
    assert main([source, *flags]) == 0
    return to


def xdsl_opt(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([XDSL_OPT, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("example", ["gemm_f16", "softmax", "layer_norm"])
def test_xdsl_opt_lowers_kernels_as_xetile_opt_does(
    example: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = generic(example, tmp_path / "generic.mlir")
    passes = "xetile-to-xevm{device=bmg}"
    done = xdsl_opt("--allow-unregistered-dialect", "-p", passes, text)
    assert done.returncode == 0, done.stderr
    again = tmp_path / "lowered.mlir"
    again.write_text(done.stdout)
    capsys.readouterr()
    assert main([str(again)]) == 0
    by_xdsl_opt = capsys.readouterr().out
    source = str(ROOT / "examples" / f"{example}.mlir")
    assert main(["-p", passes, source]) == 0
    assert by_xdsl_opt == capsys.readouterr().out


def test_what_is_unregistered_becomes_ours(tmp_path: Path) -> None:
    text = generic("flash_attention", tmp_path / "generic.mlir")
    refused = xdsl_opt(text)
    assert "vector.extract_strided_slice is not registered" in refused.stderr
    done = xdsl_opt("--allow-unregistered-dialect", "-p", "xetile-to-xevm{device=bmg}", text)
    assert done.returncode == 0, done.stderr
    assert "xevm.mma" in done.stdout
    assert "xetile.tile" not in done.stdout


@pytest.mark.parametrize(
    ("example", "why"),
    [
        ("gemm_int8_weights", "operand 'input' at position 0 does not verify"),
        ("host_gemm_f16", "Expected operandSegmentSizes attribute in gpu.memcpy"),
    ],
)
def test_what_xdsl_opt_does_not_read(example: str, why: str, tmp_path: Path) -> None:
    """Once xDSL reads it, the page's table has a row too many."""
    done = xdsl_opt("--verify-diagnostics", generic(example, tmp_path / "generic.mlir"))
    assert why in done.stdout + done.stderr


def test_xdsl_opt_takes_bits_of_floats_for_numbers(tmp_path: Path) -> None:
    """Once it does not, the page's warning goes."""
    text = '%0 = "arith.constant"() <{value = dense<0xFF800000> : vector<2xf32>}> : () -> vector<2xf32>'
    path = tmp_path / "infinity.mlir"
    path.write_text(text)
    assert "dense<4.28657869e+09>" in xdsl_opt(path).stdout


def test_a_refusal_of_xdsl_opt_shows_the_op(tmp_path: Path) -> None:
    path = generic("gemm_f16", tmp_path / "generic.mlir")
    path.write_text(path.read_text().replace("f16", "f64").replace("f32", "f64"))
    done = xdsl_opt("--verify-diagnostics", "-p", "xetile-to-xegpu{device=bmg}", path)
    line, *shown = done.stdout.splitlines()
    assert line.startswith("bmg has no matrix instruction for A f64")
    (mark,) = [number for number, text in enumerate(shown) if "^^^" in text]
    assert "xetile.tile_mma" in shown[mark - 1]

"""Arguments that promise multiples of their extents: 2D messages that nothing has to be said of."""

import numpy as np
import pytest
from support.on_device import Place, levels_and_places
from support.through_levels import through

import xetile
from xetile.errors import XetileError
from xetile.levels import LevelName
from xetile.targets.target import Assume

KERNEL = """
gpu.module @m {
  gpu.func @k(%A: memref<?x?xf16> {llvm.align = 64 : i64, xetile.multiples = array<i64: 1, 32>},
              %B: memref<32x32xf16> {llvm.align = 64 : i64}) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = memref.dim %A, %c0 : memref<?x?xf16>
    %columns = memref.dim %A, %c1 : memref<?x?xf16>
    %a_tile = xetile.init_tile %A[8, 32], [%rows, %columns], [%columns, 1] : memref<?x?xf16> -> !xetile.tile<32x32xf16>
    %a = xetile.load_tile %a_tile : !xetile.tile<32x32xf16> -> vector<32x32xf16>
    %b_tile = xetile.init_tile %B[0, 0] : memref<32x32xf16> -> !xetile.tile<32x32xf16>
    xetile.store_tile %a, %b_tile : vector<32x32xf16>, !xetile.tile<32x32xf16>
    gpu.return
  }
}
"""
WITHOUT = KERNEL.replace(", xetile.multiples = array<i64: 1, 32>", "")


@pytest.mark.parametrize(
    ("level", "place"), levels_and_places("blocked", "xevm"), indirect=["place"]
)
def test_the_same_is_loaded(level: LevelName, place: Place) -> None:
    a = np.arange(17 * 96, dtype=np.float16).reshape(17, 96)
    b = np.ones((32, 32), np.float16)
    through(KERNEL, level, place, [a, b])
    expected = np.zeros((32, 32), np.float16)
    expected[:9] = a[8:, 32:64]
    np.testing.assert_array_equal(b, expected)


def lowered(text: str, assume: Assume) -> str:
    return xetile.api.text(
        xetile.lower(xetile.parse(text), to="xegpu", device="bmg", assume=assume)
    )


@pytest.mark.parametrize("assume", ["block", "check", "gather"])
def test_messages_reach_what_is_promised(
    assume: Assume, capsys: pytest.CaptureFixture[str]
) -> None:
    text = lowered(KERNEL, assume)
    capsys.readouterr()
    assert (text.count("xegpu.load_nd"), text.count("scf.if"), text.count("xegpu.load ")) == (
        1,
        0,
        0,
    )
    assert "xetile.multiples" not in text
    assert "llvm.align" in text


def test_nothing_is_remarked(capsys: pytest.CaptureFixture[str]) -> None:
    lowered(KERNEL, "block")
    assert "remark" not in capsys.readouterr().err
    lowered(WITHOUT, "block")
    assert (
        "remark: the height, width, pitch of this matrix are known" in capsys.readouterr().err
    )


def test_without_a_promise_gathers_stand_beside(capsys: pytest.CaptureFixture[str]) -> None:
    text = lowered(WITHOUT, "check")
    capsys.readouterr()
    assert text.count("scf.if") == 1
    assert text.count("xegpu.load_nd") == 1


def test_rows_too_short_are_no_promise(capsys: pytest.CaptureFixture[str]) -> None:
    text = lowered(KERNEL.replace("i64: 1, 32", "i64: 1, 16"), "gather")
    capsys.readouterr()
    assert "xegpu.load_nd" not in text


@pytest.mark.parametrize(("shape", "extent"), [((17, 80), 80), ((17, 0), 0)])
def test_an_array_that_breaks_it(shape: tuple[int, int], extent: int) -> None:
    a, b = np.zeros(shape, np.float16), np.zeros((32, 32), np.float16)
    with pytest.raises(XetileError) as found:
        xetile.execute(xetile.parse(KERNEL), "k", a, b)
    assert str(found.value) == (
        f"argument 0 has extent {extent} in dimension 1; the kernel relies on a multiple of 32"
    )


@pytest.mark.parametrize("numbers", ["array<i64: 32>", "array<i64: 0, 32>", "32 : i64"])
def test_a_promise_that_is_none(numbers: str) -> None:
    text = KERNEL.replace("array<i64: 1, 32>", numbers)
    with pytest.raises(
        XetileError, match=r"expected a positive number for each of its dimensions"
    ):
        lowered(text, "block")

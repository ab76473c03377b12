"""Products of matrices that 2D block messages do not reach, or reach in part: the same bits at every level."""

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy
import pytest
from numpy.typing import NDArray
from support.on_device import Place

from xetile.api import lower, parse_text, text
from xetile.kernels import gemm_module
from xetile.levels import LevelName

LEVELS: Sequence[LevelName | None] = (None, "subgroup", "blocked", "xegpu", "xevm")
TYPES: dict[str, Any] = {"f16": numpy.float16, "bf16": ml_dtypes.bfloat16, "i8": numpy.int8}


def numbers(shape: tuple[int, int], element: str) -> NDArray[Any]:
    count = numpy.arange(shape[0] * shape[1]).reshape(shape)
    return ((count * 7 + count // 5) % 9 - 4).astype(TYPES[element])


@pytest.mark.parametrize(
    ("m", "n", "k", "element"),
    [
        (32, 32, 100, "f16"),  # rows of A lie 200 bytes apart
        (3, 32, 64, "f16"),
        (32, 1, 64, "bf16"),
        (1, 1, 1, "f16"),
        (33, 35, 37, "bf16"),
        (19, 45, 51, "i8"),
    ],
)
def test_matrices_of_odd_extents(
    m: int, n: int, k: int, element: str, place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    total = "i32" if element == "i8" else "f32"
    module = gemm_module(
        m=m,
        n=n,
        k=k,
        a=element,
        accumulator=total,
        workgroup_tile=(32, 32),
        subgroup_tile=(16, 32),
        k_step=32,
    )
    a, b = numbers((m, k), element), numbers((k, n), element)
    wide = numpy.int32 if element == "i8" else numpy.float32
    expected = a.astype(wide) @ b.astype(wide)
    for level in place.levels(LEVELS):
        lowered = module if level is None else lower(module, to=level, device="bmg")
        found = numpy.zeros((m, n), wide)
        place.execute(lowered, None, [a, b, found])
        assert numpy.array_equal(found, expected), level
    told = capsys.readouterr().err
    odd = [extent for extent in (n, k) if extent * a.itemsize % 16 or extent * a.itemsize < 64]
    assert ("in place of 2D block" in told) == bool(odd)


def test_views_that_begin_at_odd_elements(place: Place) -> None:
    """A and C are views of larger matrices; B, which is one of its own, keeps its messages."""
    view = "memref<32x64x$, strided<[80, 1], offset: 83>>"
    of_a, of_c = view.replace("$", "f16"), view.replace("$", "f32")
    module = parse_text(
        f"""gpu.module @m {{
  gpu.func @k(%A: memref<40x80xf16>, %B: memref<64x64xf16>, %C: memref<40x80xf32>) kernel
      attributes {{known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
    %a = memref.subview %A[1, 3] [32, 64] [1, 1] : memref<40x80xf16> to {of_a}
    %c = memref.subview %C[1, 3] [32, 64] [1, 1] : memref<40x80xf32> to {of_c}
    %ta = xetile.init_tile %a[0, 0] : {of_a} -> !xetile.tile<16x32xf16>
    %tb = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<32x32xf16>
    %tc = xetile.init_tile %c[8, 16] : {of_c} -> !xetile.tile<16x32xf32>
    %va = xetile.load_tile %ta : !xetile.tile<16x32xf16> -> vector<16x32xf16>
    %vb = xetile.load_tile %tb : !xetile.tile<32x32xf16> -> vector<32x32xf16>
    %d = xetile.tile_mma %va, %vb : vector<16x32xf16>, vector<32x32xf16> -> vector<16x32xf32>
    xetile.store_tile %d, %tc : vector<16x32xf32>, !xetile.tile<16x32xf32>
    gpu.return
  }}
}}
""",
        "k.mlir",
    )
    blocked = text(lower(module, to="blocked", device="bmg"))
    assert blocked.count("xetile.load_tile") == blocked.count("xetile.load_gather") == 1
    assert blocked.count("xetile.store_scatter") == 1
    a, b = numbers((40, 80), "f16"), numbers((64, 64), "f16")
    expected = numpy.ones((40, 80), numpy.float32)
    expected[9:25, 19:51] = a[1:17, 3:35].astype(numpy.float32) @ b[:32, :32].astype(
        numpy.float32
    )
    for level in place.levels(LEVELS):
        lowered = module if level is None else lower(module, to=level, device="bmg")
        found = numpy.ones((40, 80), numpy.float32)
        place.execute(lowered, None, [a, b, found])
        assert numpy.array_equal(found, expected), level

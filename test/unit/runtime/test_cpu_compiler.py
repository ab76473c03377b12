"""What Intel's compiler for CPUs does wrong, and what keeps it from that."""

import numpy
import pytest

import xetile.language as xt
from xetile.runtime import devices

pytestmark = pytest.mark.opencl


@xt.kernel(grid=(2, 1, 1))
def copied(A: xt.Array, O: xt.Array, *, R: int, C: int):
    m = xt.program_id(0) * R
    O[m : m + R, 0:C] = A[m : m + R, 0:C]


def rows_and_columns(rows: int, columns: int, height: int, width: int) -> int:
    """How many elements are wrong of a copy by two workgroups, of rows x columns each, to height x width."""
    a = numpy.arange(1, 1 + 2 * rows * columns, dtype=numpy.float32).reshape(2 * rows, columns)
    out = numpy.full((height, width), -1, numpy.float32)
    kernel = copied.specialize(
        xt.f32[2 * rows, columns], xt.f32[height, width], R=rows, C=columns
    )
    with kernel.on("opencl:cpu", device="bmg") as on_device:
        on_device(a, out)
    return int((out != a[:height, :width]).sum())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "shape",
    [(17, 32, 31, 31), (33, 32, 63, 29), (33, 32, 63, 31), (9, 32, 17, 31), (8, 32, 15, 29)],
)
def test_ragged_copies(shape: tuple[int, int, int, int]):
    assert rows_and_columns(*shape) == 0


@pytest.mark.filterwarnings("ignore")
def test_two_masked_stores_stay_two(monkeypatch: pytest.MonkeyPatch):
    """Once this fails, Intel's compiler has closed the gap, and NO_SINKING can go."""
    monkeypatch.setattr(devices, "NO_SINKING", "")
    assert rows_and_columns(17, 32, 31, 31) > 0

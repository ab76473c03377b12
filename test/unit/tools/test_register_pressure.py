"""Tiles that spill are warned of, others are not: the estimate beside what Intel's compiler did."""

from pathlib import Path

import pytest

from tools.register_pressure.comparing import Row, estimated, faults, read_rows
from tools.register_pressure.kernels import Kernel, module_of
from tools.register_pressure.measuring import measure
from xetile.codegen import emit

ROWS = [*read_rows(Path(__file__).parents[2] / "data" / "registers.tsv")]


MOST_WRONG = 2
"""Tiles of a device, with prefetches or without, that may be warned of although they do not spill."""


def near_the_end(row: Row, device: str, kind: str) -> bool:
    """Whether a row is of a product whose registers are nearly all that there are, or that spills."""
    kernel = row.kernel
    if (row.device, kernel.kind, row.file) != (device, kind, "large"):
        return False
    return row.spilled > 0 or (kernel.element == "tf32" and row.counted > 240)


@pytest.mark.parametrize(
    ("device", "kind", "spilled"), [("pvc", "plain", 0), ("bmg", "prefetch", 2)]
)
def test_spills_are_warned_of_and_hardly_anything_else(device: str, kind: str, spilled: int):
    rows = [row for row in ROWS if near_the_end(row, device, kind)]
    assert sum(row.spilled > 0 for row in rows) == spilled
    found = [*faults(rows)]
    assert not [fault for fault in found if "not warned of" in fault]
    assert len(found) <= MOST_WRONG


def test_the_file_has_every_tile_and_type():
    found = {
        (row.device, row.kernel)
        for row in ROWS
        if row.file == "large" and row.kernel.kind == "plain"
    }
    assert len(found) == 2 * 36 * 4


def test_no_plain_tile_spills():
    plain = [row for row in ROWS if row.file == "large" and row.kernel.kind == "plain"]
    assert not [row for row in plain if row.spilled]


def test_the_small_file_is_chosen_for_none_that_spills_with_it():
    spilled = [row for row in ROWS if row.file == "small" and row.spilled]
    least = min(spilled, key=lambda row: row.counted)
    assert not estimated(least.device, least.kernel).fits("small")


@pytest.mark.ocloc
@pytest.mark.parametrize("tile", ["32x64x32", "32x64x16"])
def test_the_compiler_still_does_what_is_recorded(tile: str):
    kernel = Kernel("plain", "tf32", tile)
    (row,) = (r for r in ROWS if r[:3] == ("pvc", kernel, "large"))
    spirv = emit(module_of(kernel), "spirv", "pvc")
    assert isinstance(spirv, bytes)
    found = measure(spirv, "gemm", "pvc", "large")
    assert found.spilled == row.spilled == 0
    assert abs(found.counted - row.counted) <= 2


@pytest.mark.ocloc
def test_one_round_of_a_deep_product_of_tf32_spills_on_pvc():
    spirv = emit(module_of(Kernel("plain", "tf32", "32x64x32")), "spirv", "pvc", unroll=1)
    assert isinstance(spirv, bytes)
    assert measure(spirv, "gemm", "pvc", "large").spilled > 0

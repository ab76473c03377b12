"""The GEMMs of examples/ on smaller matrices: the bits of workgroup level in one lane's registers and on a device."""

from pathlib import Path

import numpy
import pytest
from support.on_device import ON_NUMPY, Place
from support.products import RESULTS, matrices, same_bits
from support.tiled.examples import example_kernels

import xetile

EXAMPLES = Path(__file__).parents[3] / "examples"
SIZE = 256
"""Of the matrices, in place of 4096: one workgroup's tile."""

GEMMS = {
    f"gemm_{type}{plain}": (type, result)
    for type, result in (("f16", "f32"), ("bf16", "f32"), ("i8", "i32"))
    for plain in ("", "_plain")
}


def resized(name: str) -> str:
    text = (EXAMPLES / f"{name}.mlir").read_text()
    text = text.replace("4096x4096", f"{SIZE}x{SIZE}").replace(
        "constant 4096", f"constant {SIZE}"
    )
    return text.replace("array<i32: 16, 16, 1>", "array<i32: 1, 1, 1>")


@pytest.mark.parametrize("name", GEMMS)
def test_the_bits_of_workgroup_level(name: str, place: Place) -> None:
    type, result = GEMMS[name]
    module = xetile.parse(resized(name))
    a, b = matrices(SIZE, SIZE, SIZE, type, integers=False)
    expected, found = (numpy.full((SIZE, SIZE), 7, RESULTS[result]) for _ in range(2))
    ON_NUMPY.execute(module, "gemm", [a, b, expected])
    place.execute(xetile.lower(module, to="xevm", device="bmg"), "gemm", [a, b, found])
    assert same_bits(found, expected)
    assert len(numpy.unique(found)) > SIZE


def test_every_file_is_covered() -> None:
    """Two have tests of their own, at subgroup level and with a host's code; what does more is held against numpy."""
    others = {"gemm_f16_subgroup", "host_gemm_f16", *(case.name for case in example_kernels())}
    assert {path.stem for path in EXAMPLES.glob("*.mlir")} == GEMMS.keys() | others

"""Errors in units of the last place, and the functions that have bounds."""

from pathlib import Path
from typing import cast

import ml_dtypes
import numpy
import pytest

from tools.device_product.accuracy import ULPS, agree, bound, errors
from xetile.interpreter.ops.math_ops import FUNCTIONS
from xetile.passes.xe.convert_xevm_to_llvm import float_functions, floats

PAGE = (Path(__file__).parents[3] / "docs/devices.md").read_text()
EXACT = {
    *("arith.addf", "arith.subf", "arith.mulf", "arith.negf", "arith.extf", "arith.truncf"),
    *("arith.remf", "arith.cmpf", "arith.maximumf", "arith.minimumf", "arith.maxnumf"),
    *("arith.minnumf", "arith.fptosi", "arith.fptoui", "arith.sitofp", "arith.uitofp"),
    *(
        "arith.divf",
        "math.sqrt",
        "math.absf",
        "math.ceil",
        "math.floor",
        "math.copysign",
        "math.fma",
        "vector.fma",
    ),
    *("math.round", "math.roundeven", "math.trunc"),
}
"""What OpenCL rounds as level V does, where no flag says otherwise."""


def test_every_function_of_floats_is_exact_or_has_a_bound():
    rooms = (floats, float_functions)
    assert {name for room in rooms for name in room.HANDLERS} == EXACT | set(ULPS)
    assert set(ULPS) <= {*FUNCTIONS, "math.fpowi"}


def test_the_page_has_the_bounds() -> None:
    """Rows of docs/devices.md: a function, its bounds by type."""
    names = ("float16", "bfloat16", "float32", "float64")
    for function, bounds in ULPS.items():
        cells = " | ".join(f"{bounds[name]:g}" for name in names)
        assert f"| `{function}` | {cells} |" in PAGE, function


def test_results_agree_within_a_bound_or_in_their_bits() -> None:
    values = numpy.array([1.0, numpy.nan, 0.0], numpy.float32)
    near = numpy.array(
        [numpy.nextafter(numpy.float32(1), numpy.float32(2)), numpy.nan, 0.0], numpy.float32
    )
    other_zero = numpy.array([1.0, numpy.nan, -0.0], numpy.float32)
    assert agree("math.exp", values, near)
    assert not agree("arith.addf", values, near)
    assert agree("arith.maxnumf", values, other_zero)
    assert not agree("arith.addf", values, other_zero)
    assert not agree("math.exp", values, numpy.ones(3, numpy.float32))


@pytest.mark.parametrize(
    "type", [numpy.float16, ml_dtypes.bfloat16, numpy.float32, numpy.float64]
)
def test_neighbours_are_one_unit_apart(type: type):
    dtype = numpy.dtype(type)
    info = cast("numpy.finfo[numpy.float64]", ml_dtypes.finfo(dtype))
    values = numpy.array([1.0, 1.5, float(info.tiny), 0.0, -3.0, float(info.max)], dtype)
    next_up = numpy.where(values < 0, -1, 1).astype(f"i{dtype.itemsize}")
    neighbours = (
        values.view(f"i{dtype.itemsize}")
        + next_up * numpy.sign(values).astype(next_up.dtype) ** 2
    ).view(dtype)
    found = errors(values[:3], neighbours[:3])
    assert list(found) == [1.0, 1.0, 1.0]
    smallest = numpy.array([float(info.smallest_subnormal)], dtype)
    assert errors(values[3:4], smallest)[0] == 1.0


def test_what_is_no_number_differs_from_what_is():
    values = numpy.array([numpy.nan, numpy.nan, numpy.inf, numpy.inf, 0.0], numpy.float32)
    others = numpy.array([numpy.nan, 1.0, numpy.inf, 1.0, -0.0], numpy.float32)
    assert list(errors(values, others)) == [0.0, numpy.inf, 0.0, numpy.inf, 0.0]


def test_bounds_by_type():
    assert bound("math.exp", numpy.dtype(numpy.float32)) == 3.0
    assert bound("math.sqrt", numpy.dtype(numpy.float16)) is None
    assert bound("arith.addf", numpy.dtype(numpy.float32)) is None

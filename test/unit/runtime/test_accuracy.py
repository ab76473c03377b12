"""Errors in units of the last place, and the functions that have bounds."""

from typing import cast

import ml_dtypes
import numpy
import pytest

from xetile.interpreter.ops.math import FUNCTIONS
from xetile.passes.convert_xevm_to_llvm import floats
from xetile.runtime.accuracy import ULPS, bound, errors

EXACT = {
    *("arith.addf", "arith.subf", "arith.mulf", "arith.negf", "arith.extf", "arith.truncf"),
    *("arith.remf", "arith.cmpf", "arith.maximumf", "arith.minimumf", "arith.maxnumf"),
    *("arith.minnumf", "arith.fptosi", "arith.fptoui", "arith.sitofp", "arith.uitofp"),
    *("math.absf", "math.ceil", "math.floor", "math.copysign", "math.fma"),
}
"""What OpenCL rounds as level V does."""


def test_every_function_of_floats_is_exact_or_has_a_bound():
    assert set(floats.HANDLERS) == EXACT | set(ULPS)
    assert set(ULPS) <= {*FUNCTIONS, "arith.divf"}


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

"""What a function of the language's values computes, at level W and eagerly, whose bits have to be equal."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import xetile.language as xt
from xetile.language.calling.argument_types import type_of

Numbers = NDArray[Any]
Compute = Callable[[Any, Any], Any]
"""Of two tiles; what reads the same in numpy may be called with arrays too."""


@xt.kernel
def _store(A: xt.Array, B: xt.Array, Y: xt.Array, *, compute: Compute) -> None:
    a = A[0 : A.shape[0], 0 : A.shape[1]]
    b = B[0 : B.shape[0], 0 : B.shape[1]]
    Y[0 : Y.shape[0], 0 : Y.shape[1]] = compute(a, b)


def computed(compute: Compute, a: Numbers, b: Numbers, out: Numbers) -> Numbers:
    """`compute` of two matrices, in an array like `out`."""
    types = [type_of(array, "array") for array in (a, b, out)]
    at_w, eagerly = np.zeros_like(out), np.zeros_like(out)
    specialised = _store.specialize(*types, grid=(1,), compute=compute)
    specialised(a, b, at_w)
    specialised.eager(a, b, eagerly)
    assert at_w.tobytes() == eagerly.tobytes()
    return at_w


def text_of(
    compute: Compute, type: xt.ElementType = xt.f32, out: xt.ElementType = xt.f32
) -> str:
    """The IR of `compute` of two tiles of 8x16 whose result has that shape too."""
    return str(
        _store.specialize(type[8, 16], type[8, 16], out[8, 16], grid=(1,), compute=compute)
    )


def refusal(
    compute: Compute, type: xt.ElementType = xt.f32, other: xt.ElementType | None = None
) -> str:
    """The line that refuses `compute` of two tiles of 8x16, without its place."""
    types = type[8, 16], (other or type)[8, 16], type[8, 16]
    with pytest.raises(xt.XetileError) as error:
        _store.specialize(*types, grid=(1,), compute=compute)
    assert error.value.location is not None
    return error.value.message

"""Tiles of heights that are no power of two, stored to columns and loaded from them, against numpy."""

from typing import Any

import numpy as np
import pytest
from support.on_device import Place, levels_and_places

import xetile
import xetile.language as xt
from xetile.levels import LevelName

TYPES = {"f16": np.float16, "f32": np.float32, "i32": np.int32, "i8": np.int8}


@xt.kernel
def stored(A: xt.Array, O: xt.Array, *, R: int, C: int) -> None:
    O.T[0:R, 0:C] = A[0:R, 0:C]


@xt.kernel
def loaded(A: xt.Array, O: xt.Array, *, R: int, C: int) -> None:
    O[0:R, 0:C] = A.T[0:R, 0:C]


SHAPES = [(24, 40, "i32"), (40, 24, "f32"), (48, 16, "i8")]
CASES = [
    *(
        pytest.param(24, 16, "f16", *case.values, marks=case.marks)
        for case in levels_and_places("xegpu", "xevm")
    ),
    *((*shape, level, "numpy") for shape in SHAPES for level in ("xegpu", "xevm")),
]


@pytest.mark.parametrize(
    ("rows", "columns", "type", "level", "place"), CASES, indirect=["place"]
)
def test_a_tile_turned(
    rows: int, columns: int, type: str, level: LevelName, place: Place
) -> None:
    matrix = getattr(xt, type)[64, 64]
    data = (np.arange(64 * 64) % 101).reshape(64, 64).astype(TYPES[type])
    for kernel in (stored, loaded):
        expected, found = data * 0, data * 0
        if kernel is stored:
            expected.T[:rows, :columns] = data[:rows, :columns]
        else:
            expected[:rows, :columns] = data.T[:rows, :columns]
        made: Any = kernel.specialize(matrix, matrix, grid=(1, 1, 1), R=rows, C=columns)
        module = xetile.lower(made.module, to=level, device="bmg")
        place.execute(module, None, [data, found])
        np.testing.assert_array_equal(found, expected)

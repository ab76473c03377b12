"""Transposes of transposes, of tiles that several subgroups hold."""

import numpy as np
import pytest

import xetile.language as xt
from xetile.levels import LevelName

X = np.arange(32 * 64, dtype=np.float32).reshape(32, 64)


@xt.kernel(grid=(1,))
def turned(X: xt.Array, Y: xt.Array, *, TIMES: int = 3, BETWEEN: bool = False) -> None:
    x = X[0:32, 0:64]
    for _ in range(TIMES):
        x = x.T
        if BETWEEN:
            x = x + x.max(1)
    Y[0 : x.shape[0], 0 : x.shape[1]] = x


LAYOUTS = [(2, 2), (1, 4), (4, 1)]
CASES: list[tuple[tuple[int, int], int, bool, LevelName]] = [
    *((layout, times, True, "subgroup") for layout in LAYOUTS for times in range(1, 6)),
    *(((2, 2), times, False, "xevm") for times in (3, 5)),
]


@pytest.mark.parametrize(("layout", "times", "between", "level"), CASES)
def test_transposes_of_transposes(
    layout: tuple[int, int], times: int, between: bool, level: LevelName
) -> None:
    wanted = X
    for _ in range(times):
        wanted = wanted.T
        if between:
            wanted = wanted + wanted.max(1, keepdims=True)
    found = np.zeros(wanted.shape, np.float32)
    types = xt.f32[X.shape], xt.f32[wanted.shape]
    made = turned.specialize(*types, TIMES=times, BETWEEN=between, sg_layout=layout)
    made.lower(level, device="bmg")(X, found)
    assert (found == wanted).all()

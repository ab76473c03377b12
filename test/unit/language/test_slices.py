"""Parts of tiles, with numpy's meaning of bounds."""

from collections.abc import Callable

import numpy as np
import pytest

import xetile.language as xt
from xetile import XetileError
from xetile.levels import LevelName

X = np.arange(16 * 32, dtype="f").reshape(16, 32)


@xt.kernel
def folded(X: xt.Array, Y: xt.Array) -> None:
    x = X[0:16, 0:32]
    Y[0:8, 0:16] = x[:8, :16] + x[8:, 16:] * 2.0 + x[-8:, 0:-16] - x[0:8, 16:99]


@pytest.mark.parametrize("level", [None, "blocked", "xevm"])
def test_parts_of_tiles_are_numpys(level: LevelName | None) -> None:
    made = folded.specialize(xt.f32[16, 32], xt.f32[8, 16])
    found = np.zeros((8, 16), "f")
    (made if level is None else made.lower(level, device="bmg"))(X, found)
    wanted = X[:8, :16] + X[8:, 16:] * 2 + X[-8:, 0:-16] - X[0:8, 16:99]
    assert (found == wanted).all()
    made.eager(X, found)
    assert (found == wanted).all()


Part = Callable[[xt.Tile], object]

REFUSED: list[tuple[Part, str]] = [
    (lambda x: x[0], "1 place in the brackets of a tile, which has two dimensions"),
    (lambda x: x[0, :], "0 in the brackets of a tile, which keeps two dimensions"),
    (lambda x: x[::2, :], "a slice of a tile with a step of 2"),
    (lambda x: x[8:8, :], "a slice of no element, from 8 to 8, of 16"),
    (lambda x: x[xt.program_id(0) :, :], "bounds that are known before the kernel runs"),
    (lambda x: x[1.5:, :], "bounds that are known before the kernel runs"),
]


@pytest.mark.parametrize(("part", "said"), REFUSED)
def test_other_parts_are_refused(part: Part, said: str) -> None:
    @xt.kernel
    def wrong(X: xt.Array, Y: xt.Array) -> None:
        part(X[0:16, 0:32])

    with pytest.raises(XetileError, match=said):
        wrong.specialize(xt.f32[16, 32], xt.f32[8, 16])

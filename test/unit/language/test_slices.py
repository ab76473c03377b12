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


@xt.kernel(grid=(1,))
def gated(A: xt.Array, O: xt.Array) -> None:
    halves = A[0:16, 0:32] @ A[0:32, 0:64]
    O[0:16, 0:32] = halves[:, 0:32] * halves[:, 32:64]
    x = A[0:32, 0:64].to(xt.f32)
    y = x[:, 16:48][8:24, :]
    for _ in xt.range(2):
        y = y + x[16:32, 0:32] * x[3:4, 32:64]
        x = x + 1.0
    O[16:32, 0:32] = y


@pytest.mark.parametrize(
    ("layout", "level"),
    [*(((m, n), "subgroup") for m, n in ((1, 1), (2, 2), (1, 4), (4, 1))), ((2, 2), "xevm")],
)
def test_parts_of_tiles_that_several_subgroups_hold(
    layout: tuple[int, int], level: LevelName
) -> None:
    a = np.random.default_rng(0).integers(-3, 4, (32, 64)).astype(np.float16)
    x = a.astype(np.float32)
    halves, y = x[:16, :32] @ x, x[8:24, 16:48].copy()
    for step in (0, 1):
        y += (x[16:32, :32] + step) * (x[3:4, 32:64] + step)
    made = gated.specialize(xt.f16[32, 64], xt.f32[32, 32], sg_layout=layout)
    found = np.zeros((32, 32), np.float32)
    made.lower(level, device="bmg")(a, found)
    assert (found == np.concatenate([halves[:, :32] * halves[:, 32:], y])).all()


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

"""Grids are read off the stores: of matrices, lines, batches, transposed views; in loops; or they are asked for."""

import numpy as np
import pytest

import xetile.language as xt


@xt.kernel
def line(X: xt.Array, Y: xt.Array) -> None:
    m = xt.program_id(0) * 64
    Y[m : m + 64] = X[m : m + 64]


@xt.kernel
def transposed(X: xt.Array, Y: xt.Array) -> None:
    m, n = xt.program_id(0) * 32, xt.program_id(1) * 16
    Y.T[n : n + 16, m : m + 32] = X[m : m + 32, n : n + 16].T


@xt.kernel
def batched(X: xt.Array, Y: xt.Array) -> None:
    b, m = xt.program_id(1), xt.program_id(0) * 16
    Y[b, m : m + 16, 0:16] = X[b, m : m + 16, 0:16]


@xt.kernel
def in_a_loop(X: xt.Array, Y: xt.Array) -> None:
    m = xt.program_id(0) * 32
    for i in xt.range(m, m + 32, 8):
        for n in xt.range(0, 32, 16):
            Y[i : i + 8, n : n + 16] = X[i : i + 8, n : n + 16]


@xt.kernel
def unrolled(X: xt.Array, Y: xt.Array) -> None:
    m = xt.program_id(0) * 32
    for i in range(0, 32, 16):
        Y[m + i : m + i + 16, 0:16] = X[m + i : m + i + 16, 0:16]


CASES = (
    (line, (xt.f32["N"],) * 2, (100,), (2, 1, 1)),
    (line, (xt.f32[128],) * 2, (128,), (2, 1, 1)),
    (transposed, (xt.f32[64, 40],) * 2, (64, 40), (2, 3, 1)),
    (transposed, (xt.f32[64, 40].T.T,) * 2, (64, 40), (2, 3, 1)),
    (batched, (xt.f32["B", "M", 16],) * 2, (3, 40, 16), (3, 3, 1)),
    (in_a_loop, (xt.f32["M", 32],) * 2, (70, 32), (3, 1, 1)),
    (unrolled, (xt.f32["M", 16],) * 2, (70, 16), (3, 1, 1)),
)


@pytest.mark.parametrize("kernel, types, shape, grid", CASES)
def test_the_grid_covers_what_is_stored(
    kernel: xt.Kernel,
    types: tuple[xt.ArrayType, ...],
    shape: tuple[int, ...],
    grid: tuple[int, int, int],
) -> None:
    specialised = kernel.specialize(*types)
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    y = np.zeros_like(x)
    assert specialised.grid(x, y) == grid
    specialised(x, y)
    assert (x == y).all()
    z = np.zeros_like(x)
    specialised.eager(x, z)
    assert (x == z).all()


def test_arrays_in_columns_are_taken_as_they_are() -> None:
    x = np.asfortranarray(np.arange(64 * 40, dtype=np.float32).reshape(64, 40))
    y = np.asfortranarray(np.zeros_like(x))
    transposed(x, y)
    assert (x == y).all()
    lowered = transposed.specialize(xt.f32[40, 64].T, xt.f32[40, 64].T)
    z = np.asfortranarray(np.zeros_like(x))
    lowered.lower("xevm", device="bmg")(x, z)
    assert (x == z).all()


def test_stores_that_contradict_one_another_are_told() -> None:
    @xt.kernel
    def twice(X: xt.Array, Y: xt.Array) -> None:
        m = xt.program_id(0)
        X[m * 8 : m * 8 + 8, 0:16] = xt.zeros((8, 16), xt.f32)
        Y[m * 16 : m * 16 + 16, 0:16] = xt.zeros((16, 16), xt.f32)

    specialised = twice.specialize(xt.f32[32, 16], xt.f32[32, 16])
    x = np.ones((32, 16), np.float32)

    def call() -> None:
        specialised(x, x.copy())

    with pytest.raises(xt.XetileError, match=r"its stores take 2 / 1 and 4 / 1; say grid="):
        call()

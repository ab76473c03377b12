"""The workgroup: its place in the grid, shared memory, what it prints and holds to be true."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xetile.language as xt


@xt.kernel(sg_layout=(2, 1))
def through_shared(X: xt.Array, Y: xt.Array) -> None:
    buffer, line = xt.shared((16, 32), xt.f32), xt.shared((32,), xt.f32)
    m = xt.program_id(0) * 16
    buffer[:, :] = X[m : m + 16, 0:32]
    xt.barrier()
    line[:] = buffer[3:4, 0:32] + buffer[0, 1]
    xt.barrier()
    rows = 15 - xt.arange(16, axis=0)
    Y[m : m + 16, 0:32] = (
        buffer.at[rows, 0:32].load()
        + line[0:32]
        + (xt.num_programs(0) + m).to(xt.i16).to(xt.f32)
    )


def test_shared_memory() -> None:
    x = np.arange(1024, dtype=np.float32).reshape(32, 32)
    specialised = through_shared.specialize(xt.f32[32, 32], xt.f32[32, 32])
    expected = np.concatenate(
        [half[::-1] + half[3] + half[0, 1] + 2 + m for half, m in ((x[:16], 0), (x[16:], 16))]
    )
    for execute in (specialised, specialised.eager, specialised.lower("xevm", device="bmg")):
        y = np.zeros_like(x)
        execute(x, y, sanitize=True)
        assert (y == expected).all()


def test_a_missing_barrier_is_found() -> None:
    @xt.kernel(sg_layout=(2, 1))
    def races(X: xt.Array, Y: xt.Array) -> None:
        buffer = xt.shared((16, 16), xt.f32)
        buffer[:, :] = X[0:16, 0:16]
        Y[0:16, 0:16] = buffer.T[:, :]

    x = np.ones((16, 16), np.float32)
    with pytest.raises(xt.XetileError, match="no barrier between"):
        races(x, x.copy(), sanitize=True, grid=(1,))


@xt.kernel
def prints(X: xt.Array) -> None:
    m = xt.program_id(0)
    xt.print("100% of", m, "is", X[m, 1], xt.f16(0.5), X[m, 0] > 1.0, 3)


def test_printing(capfd: pytest.CaptureFixture[str]) -> None:
    x = np.array([[1, 2], [3, 4.5]], np.float32)
    specialised = prints.specialize(xt.f32[2, 2], grid=(2,))
    lines = "100% of 0 is 2 0.5 0 3\n100% of 1 is 4.5 0.5 1 3\n"
    specialised(x)
    assert capfd.readouterr().out == lines
    specialised.eager(x)
    assert capfd.readouterr().out == lines


@xt.kernel
def checked(X: xt.Array, N: xt.Array, *, BM: int = 8) -> None:
    xt.static_assert(X.shape[1] == 16, "rows have 16 elements")
    n = N[0]
    xt.check(n < 8, "n is small")
    xt.check(X[0:BM, 0:16] > 0.0, "elements are positive")


def test_checks_are_reported_with_the_element() -> None:
    x, n = np.ones((8, 16), np.float32), np.zeros(1, np.int32)
    specialised = checked.specialize(xt.f32[8, 16], xt.i32[1], grid=(1,))
    specialised(x, n)
    x[2, 3] = -1
    for execute in (specialised, specialised.eager):
        with pytest.raises(xt.XetileError, match="elements are positive") as error:
            execute(x, n)
        assert error.value.location is not None
        assert error.value.location.filename.data == __file__
        assert "2" in error.value.message
        assert "3" in error.value.message


def test_static_assertions() -> None:
    with pytest.raises(xt.XetileError, match="rows have 16 elements"):
        checked.specialize(xt.f32[8, 17], xt.i32[1], grid=(1,))


NO_TEXT: Any = 3

REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "axis": (lambda A: xt.program_id(3), "xt.program_id(3); a grid has axes 0, 1 and 2"),
    "extent": (
        lambda A: xt.shared((A[0, 0], 8), xt.f32),
        "xt.shared of shape (<a scalar of f32>, 8); its extents are known before it runs, such as (64, 32)",
    ),
    "condition": (
        lambda A: xt.check(A[0, 0], "it holds"),
        "xt.check of a scalar of f32: a condition is i1; write a comparison",
    ),
    "text": (
        lambda A: xt.check(A[0, 0] > 0, NO_TEXT),
        "xt.check has the message Python 3; expected text that says what has to hold",
    ),
    "static": (
        lambda A: xt.static_assert(A[0, 0] > 0, "it holds"),
        "xt.static_assert of a scalar of i1, which is known only when the kernel runs; write xt.check",
    ),
    "tile": (
        lambda A: xt.print(A[0:8, 0:8]),
        "xt.print of a tile of 8x8xf32; it prints single numbers, Python's print(x) tiles in eager execution",
    ),
}


@xt.kernel
def wrong(A: xt.Array, *, use: Callable[[Any], Any]) -> None:
    use(A)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    use, message = REFUSED[name]
    with pytest.raises(xt.XetileError) as error:
        wrong.specialize(xt.f32[8, 16], grid=(1,), use=use)
    assert error.value.message == message

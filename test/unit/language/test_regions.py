"""Regions of arrays: loads, stores, views, atomic changes, gathers; at level W and eagerly, and below."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import xetile.language as xt
from xetile.language.calling.argument_types import type_of

Numbers = NDArray[Any]
LOWEST = "xevm"


def run(
    kernel: xt.Kernel, *arrays: Numbers, named: bool = False, grid: Any = None
) -> list[Numbers]:
    """The arrays after a kernel, whose bits are those of eager execution and of level V."""
    types = [dimensions(a, f"N{i}_", named=named) for i, a in enumerate(arrays)]
    specialised = kernel.specialize(*types, grid=grid)
    at_w = [a.copy(order="K") for a in arrays]
    specialised(*at_w)
    for execute in (
        specialised.eager,
        specialised.lower(LOWEST, device="bmg", assume="gather"),
    ):
        again = [a.copy(order="K") for a in arrays]
        execute(*again)
        for one, other in zip(at_w, again, strict=True):
            np.testing.assert_array_equal(one, other)
    return at_w


def dimensions(array: Numbers, prefix: str, *, named: bool) -> xt.ArrayType:
    found = type_of(array, "array")
    assert isinstance(found, xt.ArrayType)
    if not named:
        return found
    element, shape = found.element, array.shape
    names = tuple(f"{prefix}{d}" for d in range(len(shape)))
    return element[names[::-1]].T if found.column_major else element[names]


def ramp(*shape: int, dtype: Any = np.float32) -> Numbers:
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


@xt.kernel
def ragged(A: xt.Array, Y: xt.Array) -> None:
    m = xt.program_id(0) * 8
    Y[m : m + 8, 8:24] = A.at[m : m + 8, 8:24].load(padding=-1.5, cache="streaming")
    A.at[m : m + 8, 0:16].prefetch(cache=("cached", "uncached"))
    Y.at[m : m + 8, 0:8].store(A[m : m + 8, 0:8] * 2.0, cache="write_back")


@pytest.mark.parametrize("named", [False, True])
def test_what_is_outside_is_padding_and_dropped(named: bool) -> None:
    a = ramp(13, 20)
    _, y = run(ragged, a, np.zeros((13, 26), np.float32), named=named, grid=(2,))
    expected = np.zeros((13, 26), np.float32)
    expected[:, :20] = a
    expected[:, :8] *= 2
    expected[:, 20:24] = -1.5
    assert (y == expected).all()


@xt.kernel
def views(A: xt.Array, B: xt.Array, Y: xt.Array) -> None:
    m = xt.program_id(0) * 8
    Y.T[0:16, m : m + 8] = A.T[0:16, m : m + 8] + B[m : m + 8, 0:16].T * B.T.T.T[0:16, 0:8]


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("order", ["C", "F"])
def test_transposed_and_column_major_arrays(order: Any, named: bool) -> None:
    a, b, y = ramp(16, 16), np.asarray(ramp(16, 16) + 3, order=order), ramp(16, 16) * 0
    found = run(views, a, b, np.asarray(y, order=order), named=named)[2]
    expected = a + b * np.concatenate([b[:8], b[:8]])
    assert (found == expected).all()


@xt.kernel
def lines(V: xt.Array, W: xt.Array, Y: xt.Array) -> None:
    i = xt.program_id(0) * 16
    row, column = V[i : i + 16], V[0:8, None]
    W[i : i + 16] = row * 2.0
    Y[0:8, i : i + 16] = row - column + V[None, 0:16]
    W.at[64:72].store(column.max(1))


@pytest.mark.parametrize("named", [False, True])
def test_arrays_of_one_dimension(named: bool) -> None:
    v = ramp(40)
    _, w, y = run(
        lines,
        v,
        np.zeros(72, np.float32),
        np.zeros((8, 40), np.float32),
        named=named,
        grid=(3,),
    )
    assert (w[:40] == 2 * v).all()
    assert (w[64:] == v[:8]).all()
    assert (y[:, :32] == v[:32] - v[:8, None] + np.tile(v[:16], 2)).all()


@xt.kernel
def batches(A: xt.Array, B: xt.Array, Y: xt.Array) -> None:
    b = xt.program_id(0)
    Y[b, 1, 0:8, 0:16] = A[b, 0:8, 0:16] @ B.T[0, b, 0:16, 0:16]


@pytest.mark.parametrize("named", [False, True])
def test_batch_indices_lead(named: bool) -> None:
    a, b = ramp(3, 8, 16, dtype=np.float16) % 5, ramp(2, 3, 16, 16, dtype=np.float16) % 7
    *_, y = run(batches, a, b, np.zeros((3, 2, 8, 16), np.float32), named=named, grid=(3,))
    assert (y[:, 1] == a.astype(np.float32) @ b[0].swapaxes(1, 2).astype(np.float32)).all()
    assert not y[:, 0].any()


@xt.kernel
def elements(I: xt.Array, A: xt.Array, Y: xt.Array) -> None:
    n = xt.program_id(0)
    k = xt.index(I[n])
    Y[n, :] = A[k : k + 1, 0:16] * A[0, 1] + A[k, 2:18] + A[0:8, k].max(0)
    Y[n, n + 3] = A[k, 0] + 1.0
    I[n] = 7


def test_single_elements() -> None:
    i, a = np.array([3, 0, 5], np.int32), ramp(8, 18)
    found, _, y = run(elements, i, a, np.zeros((3, 16), np.float32), grid=(3,))
    expected = a[i, :16] * a[0, 1] + a[i, 2:18] + a[:8, i].max(0)[:, None]
    expected[np.arange(3), np.arange(3) + 3] = a[i, 0] + 1
    assert (y == expected).all()
    assert (found == 7).all()


@xt.kernel
def gathered(A: xt.Array, I: xt.Array, Y: xt.Array, Z: xt.Array) -> None:
    rows = I[0:8, None]
    Y[0:8, 0:16] = A.at[rows, 2:18].load(padding=-1.0)
    columns = xt.arange(16) * 2 - 4
    mask = columns < 20
    Z[0:8, 0:16] = A.at[rows, columns].load(mask=mask & (rows > 0)) + A[rows, 3]


@pytest.mark.parametrize("named", [False, True])
def test_gathers(named: bool) -> None:
    a, i = ramp(12, 22) + 1, np.array([3, 0, 11, 12, -1, 5, 5, 700], np.int32)
    _, _, y, z = run(
        gathered,
        a,
        i,
        np.zeros((8, 16), np.float32),
        np.zeros((8, 16), np.float32),
        named=named,
        grid=(1,),
    )
    inside = (i >= 0) & (i < 12)
    taken = np.where(inside[:, None], a[np.where(inside, i, 0)], -1)
    assert (y == taken[:, 2:18]).all()
    columns = np.arange(16) * 2 - 4
    valid = inside[:, None] & (columns >= 0) & (columns < 20) & (i > 0)[:, None]
    picked = np.where(valid, a[np.where(inside, i, 0)][:, np.clip(columns, 0, 21)], 0)
    assert (z == picked + np.where(inside, a[np.where(inside, i, 0), 3], 0)[:, None]).all()


@xt.kernel
def scattered(A: xt.Array, I: xt.Array, Y: xt.Array) -> None:
    rows = I[0:8, None]
    a = A[0:8, 0:16]
    Y.at[rows, 0:16].store(a, mask=a > 20.0)
    Y.T.at[0:16, I[0:8]].add(a.T, mask=a.T < 10.0)
    Y[1, 8:24] = 5.0


@pytest.mark.parametrize("named", [False, True])
def test_scatters(named: bool) -> None:
    a, i = ramp(8, 16), np.array([7, 6, 5, 4, 3, 2, 0, 99], np.int32)
    _, _, y = run(scattered, a, i, np.full((10, 24), -2, np.float32), named=named, grid=(1,))
    expected = np.full((10, 24), -2, np.float32)
    for row, place in enumerate(i[:7]):
        expected[place, :16] = np.where(a[row] > 20, a[row], expected[place, :16])
        expected[place, :16] += np.where(a[row] < 10, a[row], 0)
    expected[1, 8:24] = 5
    assert (y == expected).all()


@xt.kernel
def planes(A: xt.Array, I: xt.Array, Y: xt.Array) -> None:
    Y[0:8, 0:8] = A[1, I[0:8, None], 0:8]
    Y.at[I[0:8, None], 8:16].max(A.at[0, 0:8, I[0:8]].load())


def test_gathers_of_batches() -> None:
    a, i = ramp(2, 4, 8), np.array([3, 0, 4, 1, -1, 2, 5, 6], np.int32)
    y = run(planes, a, i, np.zeros((8, 16), np.float32), grid=(1,))[2]
    inside = (i >= 0) & (i < 4)
    assert (y[:, :8] == np.where(inside[:, None], a[1, np.where(inside, i, 0)], 0)).all()
    columns = np.where(i >= 0, a[0][:, np.maximum(i, 0)], 0)
    expected = np.zeros((8, 8))
    for row in range(4):
        if 0 <= i[row] < 8:
            expected[i[row]] = np.maximum(expected[i[row]], columns[row])
    assert (y[:, 8:] == expected).all()


@xt.kernel
def atomics(A: xt.Array, N: xt.Array, C: xt.Array) -> None:
    A.at[0:8, 0:16].add(1.5)
    A.at[0:8, 16:32].max(A[0:8, 0:16] - 40.0)
    old = N.at[0:8, 0:16].exchange(xt.full((8, 16), 3, xt.i32))
    N.at[0:8, 16:32].xor(old)
    N.at[8:16, 0:16].and_(6)
    N.at[8:16, 16:32].or_(9)
    C.at[0].add(1)
    C.at[xt.program_id(0) + 1].min(-4)


def test_atomic_changes() -> None:
    a, n, c = ramp(8, 32), ramp(16, 32, dtype=np.int32), np.zeros(4, np.int32)
    x, m, counts = run(atomics, a, n, c, grid=(1,))
    assert (x[:, :16] == a[:, :16] + 1.5).all()
    assert (x[:, 16:] == np.maximum(a[:, 16:], a[:, :16] + 1.5 - 40)).all()
    assert (m[:8, :16] == 3).all()
    assert (m[:8, 16:] == n[:8, 16:] ^ n[:8, :16]).all()
    assert (m[8:, :16] == n[8:, :16] & 6).all()
    assert (m[8:, 16:] == n[8:, 16:] | 9).all()
    assert (counts == [1, -4, 0, 0]).all()


Wrong = Callable[[Any], Any]

REFUSED: dict[str, tuple[Wrong, str]] = {
    "dynamic extent": (
        lambda A: A[0 : xt.program_id(0), 0:8],
        "the extent of a slice has to be known; write `start:start + EXTENT`",
    ),
    "no end": (
        lambda A: A[:, 0:8],
        "a slice without an end of a dimension that is known at the call; write `start:start + EXTENT`",
    ),
    "step": (
        lambda A: A[0:8, 0:16:2],
        "a slice with a step (2); tiles are of neighbours, gathers take tiles of indices",
    ),
    "negative": (
        lambda A: A[-8:0, 0:8],
        "-8 is before the beginning of a dimension; write an index from it on, such as A.shape[0] - 1",
    ),
    "empty": (lambda A: A[8:8, 0:8], "a slice of 0 elements; its end is behind its start"),
    "places": (lambda A: A[0:8, 0:8, 0], "3 places in an array of 2 dimensions"),
    "place": (lambda A: A[0:8], "1 place in an array of 2 dimensions"),
    "ellipsis": (
        lambda A: A[..., 0:8],
        "Ellipsis in brackets; a place is a slice, an index or a tile of indices",
    ),
    "float": (lambda A: A[0:8, 1.5], "1.5 stands where an index or a whole number does"),
    "behind": (lambda A: A[0:8, 32], "index 32 is behind the end of a dimension of 32"),
    "type": (
        lambda A: A.at[0:8, 0:8].store(xt.zeros((8, 8), xt.f16)),
        ".store into a region of 8x8xf32 of a tile of 8x8xf16: the types differ; write `.to(xt.f32)`",
    ),
    "shape": (
        lambda A: A.at[0:8, 0:8].store(xt.zeros((8, 16), xt.f32)),
        ".store of a tile of 8x16xf32 into a region of 8x8xf32: the shapes differ",
    ),
    "cache": (
        lambda A: A.at[0:8, 0:8].load(cache="write_back"),
        "cache='write_back': a load takes cached, uncached, streaming, read_invalidate",
    ),
    "word": (
        lambda A: A.at[0:8, 0:8].prefetch(cache="cache"),
        "cache='cache': a load takes cached, uncached, streaming, read_invalidate; did you mean 'cached'?",
    ),
    "indices of floats": (
        lambda A: A[A[0:8, 0:1], 0:8],
        "a tile of 8x1xf32 in brackets; indices are integers, `.to(xt.i32)`",
    ),
    "mask": (
        lambda A: A.at[xt.arange(8, axis=0), 0:8].load(mask=A[0:8, 0:8]),
        "mask is a tile of 8x8xf32; expected a tile of i1, which comparisons make",
    ),
    "bits of floats": (
        lambda A: A.at[0:8, 0:8].or_(1.0),
        ".or takes no f32; it is for integers",
    ),
    "padding": (
        lambda A: A.at[0:8, 0:8].load(padding=1e60),
        "1e+60 is out of the range of f32",
    ),
    "len": (lambda A: len(A), "an array has no len() in a kernel; its extents are A.shape"),
    "rows": (
        lambda A: list(A),
        "an array is not iterated; for i in xt.range(A.shape[0]) goes over its rows",
    ),
    "array": (
        lambda A: A.at[0:8, 0:8].store(np.zeros((8, 8))),
        ".store into a region of 8x8xf32 takes no Python ndarray; it takes a tile or a number",
    ),
}


@xt.kernel
def wrong(A: xt.Array, *, use: Wrong) -> None:
    use(A)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    use, message = REFUSED[name]
    with pytest.raises(xt.XetileError) as error:
        wrong.specialize(xt.f32["M", 32], grid=(1,), use=use)
    assert error.value.message == message
    assert error.value.location is not None
    assert error.value.location.filename.data == __file__


@xt.kernel
def doubled(A: xt.Array, Y: xt.Array) -> None:
    m = xt.program_id(0) * 8
    Y[m : m + 8, 0:32] = A[m : m + 8, 0:32] * 2.0


def test_promises_of_named_extents(capfd: pytest.CaptureFixture[str]) -> None:
    promised = xt.f32["M", "K"].aligned(64, M=8, K=32)
    assert str(promised.T) == str(xt.f32["M", "K"].T)
    assert repr(promised) == "xt.f32['M', 'K'].aligned(64, K=32, M=8)"
    assert promised.aligned(K=48, M=2) == xt.f32["M", "K"].aligned(64, K=96, M=8)
    specialised = doubled.specialize(promised, xt.f32["M", "K"].aligned(64))
    assert str(specialised).count("xetile.multiples = array<i64: 8, 32>") == 2
    specialised.lower("xevm", device="bmg")
    assert capfd.readouterr().err == ""
    a = ramp(16, 32)
    y = np.zeros_like(a)
    specialised(a, y)
    assert (y == 2 * a).all()
    with pytest.raises(xt.XetileError, match="a multiple of 8"):
        specialised(a[:12], y[:12])
    with pytest.raises(xt.XetileError, match="has no extent 'N'"):
        xt.f32["M", "K"].aligned(N=4)

"""Loops of kernels: what xt.range traces, what it carries, and the bits of it."""

from collections.abc import Callable

import numpy as np
import pytest

import xetile.language as xt


def run(kernel: xt.Kernel, rows: int = 16, columns: int = 64) -> None:
    """Execution of the trace and eager execution give the same bits, which are not all zero."""
    random = np.random.default_rng(0)
    a = random.integers(-4, 5, (rows, columns)).astype(np.float32)
    c, d = np.zeros((8, 16), np.float32), np.zeros((8, 16), np.float32)
    specialised = kernel.specialize(xt.f32[rows, columns], xt.f32[8, 16], grid=(1,))
    specialised(a, c)
    specialised.eager(a, d)
    assert c.any()
    assert (c == d).all()


def test_a_product_is_one_loop_with_its_accumulator() -> None:
    @xt.kernel(sg_layout=(2, 2))
    def gemm(A: xt.Array, B: xt.Array, C: xt.Array, *, BK: int = 16) -> None:
        m, n = xt.program_id(0) * 32, xt.program_id(1) * 32
        acc = C[m : m + 32, n : n + 32]
        for k in xt.range(0, A.shape[1], BK):
            x = A[m : m + 32, k : k + BK]
            acc += x @ B[k : k + BK, n : n + 32]
        C[m : m + 32, n : n + 32] = acc

    text = str(gemm.specialize(xt.f16[64, "K"], xt.f16["K", 32], xt.f32[64, 32]))
    assert "%acc = scf.for %k = %c0 to %K step %c16 iter_args(%acc_1 = " in text
    assert text.count("scf.yield") == 1
    assert text.count("xetile.tile_mma") == 1


def test_temporaries_are_not_carried() -> None:
    @xt.kernel
    def two_shapes(A: xt.Array, C: xt.Array) -> None:
        total = A[0:8, 0:16]
        for k in xt.range(0, 64, 16):
            x = A[0:8, k : k + 16]
            for j in xt.range(2):
                total = total + x
                x = A[8 * j : 8 * j + 8, 0:16]
                total = total + x
        for k in xt.range(2):
            x = A[k : k + 1, 0:16]
            C[k : k + 1, 0:16] = x
        C[0:8, 0:16] = total

    run(two_shapes)
    text = str(two_shapes.specialize(xt.f32[16, 64], xt.f32[8, 16], grid=(1,)))
    assert text.count("iter_args") == 2


def test_falling_ranges_count_up() -> None:
    @xt.kernel
    def falling(A: xt.Array, C: xt.Array) -> None:
        total = A[0:8, 0:16]
        for k in xt.range(40, -1, -16):
            total = total + total + A[0:8, k : k + 16]
        C[0:8, 0:16] = total

    run(falling)


def test_tuples_and_indices_are_carried() -> None:
    @xt.kernel
    def pair(A: xt.Array, C: xt.Array) -> None:
        k = 0
        both = A[0:8, 0:16], [A[8:16, 0:16]]
        for _ in xt.range(3):
            x, (y,) = both
            both = y, [x + A[0:8, k : k + 16]]
            k += 16
        C[0:8, 0:16] = both[0] + A[0:8, k : k + 16]

    run(pair)


def wrong(kernel: xt.Kernel) -> str:
    """The refusal of a kernel, without the name of this file."""
    with pytest.raises(xt.XetileError) as error:
        kernel.specialize(xt.f32[16, 64], xt.f32[8, 16], grid=(1,))
    text = str(error.value)
    assert "\n" not in text
    assert text.startswith(f"{__file__}:")
    return text.partition(": error: ")[2]


def test_what_a_loop_cannot_carry_is_refused() -> None:
    @xt.kernel
    def changes(A: xt.Array, C: xt.Array) -> None:
        x = A[0:8, 0:16]
        for _ in xt.range(4):
            x = A[0:4, 0:16]
        C[0:8, 0:16] = x

    assert wrong(changes) == (
        "'x' is a tile of 8x16xf32 before the loop and a tile of 4x16xf32 at the end of a round; "
        "use another name"
    )


def test_a_loop_is_rewritten_where_it_stands() -> None:
    def plain(step: Callable[[int], int]) -> list[int]:
        found: list[int] = []
        for i in range(5):
            if i == 3:
                continue
            if i == 4:
                break
            found.append(step(i))
        else:
            found.append(-1)
        while len(found) < 5:
            found.append(len(found))
        return found

    from xetile.language.control.device_functions import rewritten

    made = rewritten(plain)
    assert made.__code__ is not plain.__code__
    assert made.__code__.co_firstlineno == plain.__code__.co_firstlineno
    assert made(abs) == plain(abs) == [0, 1, 2, 3, 4]

"""Kernels: specialised, called with arrays, executed eagerly, refused where a call does not fit."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

import xetile.language as xt


@xt.kernel(sg_layout=(2, 2))
def product(A: xt.Array, B: xt.Array, C: xt.Array, *, BM: int = 32, BN: int = 32) -> None:
    m, n = xt.program_id(0) * BM, xt.program_id(1) * BN
    C[m : m + BM, n : n + BN] = A[m : m + BM, 0:32] @ B[0:32, n : n + BN]


Arrays = tuple[NDArray[np.float16], NDArray[np.float16], NDArray[np.float32]]


def arrays(m: int = 80, n: int = 48) -> Arrays:
    random = np.random.default_rng(0)
    a = random.integers(-4, 5, (m, 32)).astype(np.float16)
    b = random.integers(-4, 5, (32, n)).astype(np.float16)
    return a, b, np.zeros((m, n), np.float32)


STATIC = xt.f16[80, 32], xt.f16[32, 48], xt.f32[80, 48]
NAMED = xt.f16["M", 32], xt.f16[32, "N"], xt.f32["M", "N"]


def test_a_call_specialises_by_its_arguments() -> None:
    a, b, c = arrays()
    product(a, b, c)
    assert (c == a.astype(np.float32) @ b.astype(np.float32)).all()


@pytest.mark.parametrize("types", [STATIC, NAMED], ids=["static", "named"])
def test_eager_execution_gives_the_bits_of_execution(types: tuple[xt.ArrayType, ...]) -> None:
    a, b, c = arrays()
    d = c.copy()
    specialised = product.specialize(*types)
    specialised(a, b, c)
    specialised.eager(a, b, d)
    assert c.any()
    assert (c == d).all()


def test_the_grid_follows_from_the_stores() -> None:
    assert product.specialize(*NAMED).grid(*arrays()) == (3, 2, 1)
    text = str(product.specialize(*STATIC, BM=16))
    assert "known_grid_size = array<i32: 5, 2, 1>" in text
    assert "known_block_size = array<i32: 64, 1, 1>" in text
    assert "known_grid_size" not in str(product.specialize(*NAMED))


def whole_tiles(C: NDArray[np.float32], BM: int) -> tuple[int, int]:
    return C.shape[0] // BM, 2


def test_the_grid_may_be_said() -> None:
    a, b, c = arrays()
    product(a, b, c, grid=(1, 2))
    assert c[:32].any()
    assert not c[32:].any()
    specialised = product.specialize(*NAMED, grid=whole_tiles)
    assert specialised.grid(a, b, c) == (2, 2, 1)


def test_the_grid_may_follow_from_a_number() -> None:
    def rows(count: int) -> tuple[int]:
        return (count,)

    @xt.kernel(grid=rows)
    def fill(Y: xt.Array, count: xt.Scalar) -> None:
        row = xt.program_id(0)
        Y[row : row + 1, 0:4] = xt.full((1, 4), 1.0, xt.f32)

    y = np.zeros((8, 4), np.float32)
    fill(y, 3)
    assert y[:, 0].tolist() == [1.0] * 3 + [0.0] * 5


def test_a_layout_of_subgroups_may_be_a_list() -> None:
    c = np.zeros_like(C)
    call(A, B, c, sg_layout=[1, 1])
    assert (c == A.astype(np.float32) @ B.astype(np.float32)).all()


def test_lowered_kernels_are_called_alike() -> None:
    a, b, c = arrays()
    specialised = product.specialize(*STATIC)
    specialised(a, b, c)
    for level in ("subgroup", "xevm"):
        d = np.zeros_like(c)
        lowered = specialised.lower(level, device="bmg")
        lowered(a, b, d)
        assert lowered.level == level
        assert (c == d).all()


A, B, C = arrays()


class NoStrides:
    """What another library calls an array: it does not say where its elements stand."""

    dtype = np.dtype("float32")
    shape = (80, 24)


call: Callable[..., object] = product
specialize: Callable[..., Callable[..., object]] = product.specialize


def static(*given: object) -> object:
    return specialize(*STATIC)(*given)


def named(*given: object) -> object:
    return specialize(*NAMED)(*given)


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(xt.XetileError) as error:
        call()
    text = str(error.value)
    assert text.count("\n") == 0
    place, _, message = text.partition(": error: ")
    assert place.rpartition(":")[0].rpartition(":")[0] == __file__
    return message


@pytest.mark.parametrize(
    "wrong, expected",
    [
        (
            lambda: call(A, B),
            "'product' takes 3 arguments (A, B, C), 'C' missing; 2 arguments are given",
        ),
        (
            lambda: call(A, B, C, BK=3),
            "'product' has no constant 'BK'; its constants: BM, BN",
        ),
        (
            lambda: call(A, B, C, A=3),
            "argument 'A' of 'product' is given by position and by name",
        ),
        (
            lambda: call(A, B, C[:, ::2]),
            "argument 'C' has strides [192, 8] bytes for shape [80, 24]; kernels take row-major "
            "and column-major arrays: pass the array that it is a view of, and slice that in the kernel, "
            "or numpy.ascontiguousarray(C), which is copied back if the kernel stores to it",
        ),
        (
            lambda: call(A, B, C.astype(np.complex64)),
            "argument 'C' has elements of complex64; kernels take float16, float32, float64, int8, int16, "
            "int32, int64, uint8, bool, bfloat16, float8_e4m3fn, float8_e5m2",
        ),
        (
            lambda: call(A, B, "C"),
            "argument 'C' is a str; kernels take arrays and numbers",
        ),
        (
            lambda: call(A, B, True),
            "argument 'C' is True; kernels take arrays and numbers, no truth values",
        ),
        (
            lambda: static(A, B, C[:48]),
            "argument 'C' is 80x48xf32; given is an array of 48x48 float32",
        ),
        (
            lambda: static(A, B, C.astype(np.float16)),
            "argument 'C' is 80x48xf32, an array of float32; given is an array of 80x48 float16",
        ),
        (
            lambda: static(A, B, np.asfortranarray(C)),
            "argument 'C' is 80x48xf32, row-major without gaps; given are strides of [4, 320] "
            "bytes: pass the array that it is a view of, and slice that in the kernel, "
            "or numpy.ascontiguousarray(C), which is copied back if the kernel stores to it",
        ),
        (
            lambda: static(A, B, 3.5),
            "argument 'C' is 80x48xf32; given is float 3.5",
        ),
        (
            lambda: named(A, B, C[:48]),
            "'M' is 80 by argument 'A' and 48 by argument 'C'",
        ),
        (
            lambda: specialize(*NAMED[:2]),
            "'product' takes 3 arguments (A, B, C), 'C' missing; 2 types are given",
        ),
        (
            lambda: specialize(*NAMED[:2], np.float32),
            "the type of argument 'C' is <class 'numpy.float32'>; write one such as "
            "xt.f16[4096, 4096] or xt.f32",
        ),
        (
            lambda: specialize(*NAMED[:2], C),
            "the type of argument 'C' is an array of 80x48 float32; write one such as "
            "xt.f16[4096, 4096] or xt.f32",
        ),
        (
            lambda: static(A, B, np.ma.array(C, mask=True)),
            "argument 'C' is 80x48xf32; given is a MaskedArray",
        ),
        (
            lambda: specialize(xt.f16[2**40, 64], xt.f16[64, 48], xt.f32[2**40, 48]),
            "the grid of 'product' is (34359738368, 2, 1); an axis has at most "
            "2147483647 workgroups",
        ),
        (
            lambda: call(A, B, C, grid=(10**12,)),
            "the grid of 'product' is (1000000000000,); an axis has at most 2147483647 workgroups",
        ),
        (
            lambda: call(A, B, C, grid=(0,)),
            "the grid of 'product' is (0,); expected one to three numbers of workgroups, "
            "each at least 1",
        ),
        (
            lambda: call(A, B, C, sg_layout=4),
            "sg_layout is 4; expected subgroups along rows and columns, such as (8, 4)",
        ),
        (
            lambda: call(A, B, C, sg_layout=()),
            "sg_layout is (); expected subgroups along rows and columns, such as (8, 4)",
        ),
        (
            lambda: specialize(*STATIC, sg_layout=(True, 1)),
            "sg_layout is (True, 1); expected subgroups along rows and columns, such as (8, 4)",
        ),
        (
            lambda: named(A[:0], B, C[:0]),
            "argument 'A' has shape [0, 32], without an element",
        ),
        (
            lambda: call(A, B, NoStrides()),
            "argument 'C' is a NoStrides; kernels take arrays and numbers",
        ),
    ],
)
def test_wrong_calls_are_refused(wrong: Callable[[], object], expected: str) -> None:
    assert refusal(wrong) == expected


def test_grids_that_do_not_follow_are_asked_for() -> None:
    @xt.kernel
    def one_row(A: xt.Array, C: xt.Array) -> None:
        m = xt.program_id(0)
        C[0:8, 0:16] = A[m : m + 8, 0:16]

    specialised = one_row.specialize(xt.f32[16, 16], xt.f32[8, 16])
    a, c = np.ones((16, 16), np.float32), np.zeros((8, 16), np.float32)
    assert refusal(lambda: specialised(a, c)) == (
        "how many workgroups axis 0 has does not follow: no store is at program_id(0) * a number; "
        "say grid=(x, y, z), or a function of the arguments, at the kernel or the call"
    )
    specialised(a, c, grid=(1,))
    assert c.all()


def test_what_is_no_kernel_is_refused_at_its_definition() -> None:
    def rest(*A: xt.Array) -> None: ...
    def default(A: xt.Array, n: int = 3) -> None: ...
    def reserved(A: xt.Array, *, grid: int) -> None: ...
    async def coroutine(A: xt.Array) -> None: ...
    def with_array(A: xt.Array, Y: object = C) -> None: ...

    assert refusal(lambda: xt.kernel(rest)) == (
        "kernel 'rest' takes *A; write a parameter for each array"
    )
    assert refusal(lambda: xt.kernel(default)) == (
        "argument 'n' of kernel 'default' has a default other than None; constants stand after `*`: "
        "`def default(..., *, n=3)`"
    )
    assert refusal(lambda: xt.kernel(reserved)) == (
        "parameter 'grid' of kernel 'reserved': calls take grid= themselves"
    )
    assert refusal(lambda: xt.kernel(with_array)).startswith(
        "argument 'Y' of kernel 'with_array' has a default other than None"
    )
    made: Callable[[Callable[..., object]], object] = vars(xt)["kernel"]
    assert refusal(lambda: made(coroutine)) == "kernel 'coroutine' is async; write `def`"
    assert refusal(lambda: made(len)) == (
        "@xt.kernel stands right above a function, and alone; found 'len', a builtin_function_or_method"
    )


def test_a_kernel_is_not_called_in_a_kernel() -> None:
    @xt.kernel
    def outer(A: xt.Array, B: xt.Array, C: xt.Array) -> None:
        call(A, B, C)

    assert refusal(lambda: outer(*arrays())) == (
        "kernel 'product' is called in a kernel; a helper is a function with @xt.function"
    )


def test_code_of_a_kernel_with_its_contract(tmp_path: Path) -> None:
    compiled = product.specialize(*STATIC).compile("bmg")
    assert compiled.spirv.startswith(b"\x03\x02\x23\x07")
    (kernel,) = cast("list[dict[str, object]]", compiled.contract["kernels"])
    assert (kernel["name"], kernel["grid"]) == ("product", [3, 2, 1])
    assert "define" in compiled.ll
    compiled.save(tmp_path / "k.spv")
    assert (tmp_path / "k.spv").read_bytes() == compiled.spirv
    assert json.loads((tmp_path / "k.spv.json").read_text()) == compiled.contract


@pytest.mark.ocloc
def test_assembly_and_figures_of_a_kernel() -> None:
    compiled = product.specialize(*STATIC).compile("bmg")
    assert "dpas" in compiled.asm
    assert compiled.stats["spill_size"] == 0


@pytest.mark.opencl
def test_a_kernel_on_a_device_takes_arrays_and_buffers() -> None:
    a, b, c = arrays()
    expected = a.astype(np.float32) @ b.astype(np.float32)
    with product.specialize(*STATIC).on("opencl:cpu", device="bmg") as on_device:
        on_device(a, b, c)
        assert (c == expected).all()
        device = on_device.device
        result = device.zeros(c.shape, c.dtype)
        on_device(device.buffer(a), device.buffer(b), result)
        assert (result.numpy() == expected).all()
        wrong: Callable[..., object] = on_device
        assert refusal(lambda: wrong(a, result, result)) == (
            "argument 'B' is 32x48xf16, an array of float16; given is an array of 80x48 float32"
        )

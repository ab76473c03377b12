"""Kernels as users of Intel's implementation write them: read as they stand, and numpy's results at every level."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes
import numpy
import pytest
from numpy.typing import NDArray
from support.in_field import same_in_field

from xetile import api
from xetile.interpreter import execute

Array = NDArray[Any]
FOLDER = Path(__file__).parent / "Inputs" / "intel"
LEVELS = ("workgroup", "subgroup", "blocked")
SEED = 7

f16, f32, bf16 = numpy.float16, numpy.float32, ml_dtypes.bfloat16


def whole(type: Any, *shape: int) -> Array:
    """Whole numbers from -4 to 4, whose sums of products are exact."""
    return numpy.random.default_rng([SEED, *shape]).integers(-4, 5, shape).astype(type)


def wide(array: Array) -> Array:
    return array.astype(numpy.float64)


def product(a: Array, b: Array) -> Array:
    return wide(a) @ wide(b)


def product_with_transposed(a: Array, b: Array) -> Array:
    return product(a, b.T)


def exponential(a: Array) -> Array:
    return numpy.exp(wide(a))


def softmax(a: Array) -> Array:
    powers = numpy.exp(wide(a) - wide(a).max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def attention(q: Array, k: Array, v: Array) -> Array:
    return product(softmax(product_with_transposed(q, k) / 8), v)


def normal(*shape: int) -> Array:
    return numpy.random.default_rng([SEED, *shape]).standard_normal(shape).astype(f16)


def bias_relu(a: Array, b: Array, bias: Array) -> Array:
    return numpy.maximum(product(a, b) + wide(bias), 0)


class Kernel(NamedTuple):
    """A file, its arguments, what numpy makes of them, the result's type, how far off it may be of the largest."""

    name: str
    arguments: tuple[Array, ...]
    compute: Callable[..., Array]
    result: Any
    tolerance: float = 0.0
    grid: tuple[int, int, int] | None = None


KERNELS = (
    Kernel(
        "flash_attention",
        (normal(256, 64), normal(192, 64), normal(193, 64)[1:]),
        attention,
        f32,
        2e-3,
    ),
    Kernel("workgroup_gemm", (whole(bf16, 256, 256), whole(bf16, 256, 256)), product, f32),
    Kernel(
        "transposed_b",
        (whole(f16, 128, 96), whole(f16, 128, 96)),
        product_with_transposed,
        f32,
    ),
    Kernel("softmax", (whole(f32, 64, 64),), softmax, f32, 1e-6),
    Kernel("convert_layout", (whole(f32, 256, 256),), exponential, f32, 1e-5),
    Kernel("scattered_add", (whole(f32, 1024), whole(f32, 1024)), numpy.add, f32),
    Kernel("shared_memory", (whole(f16, 64, 64),), wide, f16),
    Kernel(
        "bias_relu",
        (whole(f16, 64, 32), whole(f16, 32, 64), whole(f32, 1, 64)),
        bias_relu,
        f16,
    ),
    Kernel("k_slices", (whole(f16, 64, 128), whole(f16, 128, 64)), product, f32),
    Kernel(
        "dynamic_i8",
        (whole(numpy.int8, 50, 70), whole(numpy.int8, 70, 45)),
        product,
        numpy.int32,
        grid=(2, 2, 1),
    ),
    Kernel("packed_transpose", (whole(f16, 64, 64),), numpy.transpose, f16),
)
NAMES = [kernel.name for kernel in KERNELS]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kernel", KERNELS, ids=NAMES)
def test_results_are_those_of_numpy(kernel: Kernel, level: Any) -> None:
    module = api.parse(FOLDER / f"{kernel.name}.mlir")
    if level != "workgroup":
        module = api.lower(module, to=level, device="pvc")
        api.verify(module)
    expected = kernel.compute(*kernel.arguments)
    assert expected.any()
    found = numpy.zeros(expected.shape, kernel.result)
    execute(module, None, [*kernel.arguments, found], grid=kernel.grid, sanitize=True)
    bound = kernel.tolerance * abs(expected).max()
    assert (abs(wide(found) - expected) <= bound).all()


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k.tolerance], ids=lambda k: k.name)
def test_where_results_are_bounded_every_level_is_exact_in_a_field(kernel: Kernel) -> None:
    module = api.parse(FOLDER / f"{kernel.name}.mlir")
    expected = kernel.compute(*kernel.arguments)
    arrays = [*kernel.arguments, numpy.zeros(expected.shape, kernel.result)]
    below = [api.lower(module, to=n, device="pvc") for n in LEVELS if n != "workgroup"]
    same_in_field([module, *below], None, arrays, kernel.grid)


@pytest.mark.parametrize("name", NAMES)
def test_printed_and_read_again(name: str) -> None:
    module = api.parse(FOLDER / f"{name}.mlir")
    printed = api.text(module)
    again = api.parse(printed)
    assert again.is_structurally_equivalent(module)
    assert api.text(again) == printed


def test_every_file_is_covered() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.mlir")) == sorted(NAMES)

"""The kernels of examples/ that do more than a product, on smaller matrices: one workgroup or two."""

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy
from support.tiled.attention import ERROR as OF_ATTENTION
from support.tiled.attention import attended
from support.tiled.case import Array, Case
from support.tiled.epilogues import numbers

FOLDER = Path(__file__).parents[3] / "examples"


def _case(
    name: str,
    smaller: Mapping[str, str],
    arrays: Sequence[Array],
    expected: Array,
    tolerance: float,
    workgroups: tuple[int, int] = (1, 1),
) -> Case:
    """An example with other extents; its last argument is the result."""
    text = (FOLDER / f"{name}.mlir").read_text()
    grid = f"known_grid_size = array<i32: {workgroups[0]}, {workgroups[1]}, 1>"
    text, count = re.subn(r"known_grid_size = array<i32: \d+, \d+, 1>", grid, text)
    assert count == 1, "one kernel"
    for long, short in smaller.items():
        assert long in text, long
        text = text.replace(long, short)
    result = {len(arrays) - 1: expected}
    return Case(name, (), "", arrays, result, tolerance, source=text)


def _gemm_bias_gelu() -> Case:
    a, b = numbers((256, 64), "f16", 0), numbers((64, 256), "f16", 1)
    bias = numbers((1, 256), "f32", 2)
    x = a.astype(float) @ b.astype(float) + bias.astype(float)
    gelu = x / 2 * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    smaller = {
        "%A: memref<4096x4096": "%A: memref<256x64",
        "%B: memref<4096x4096": "%B: memref<64x256",
        "%A[%m, 0] : memref<4096x4096": "%A[%m, 0] : memref<256x64",
        "%B[0, %n] : memref<4096x4096": "%B[0, %n] : memref<64x256",
        "memref<1x4096x": "memref<1x256x",
        "memref<4096x4096x": "memref<256x256x",
        "constant 4096": "constant 64",
    }
    arrays = (a, b, bias, numpy.full((256, 256), 7, numpy.float16))
    return _case("gemm_bias_gelu", smaller, arrays, gelu, 1e-3)


def _gemm_int8_weights() -> Case:
    a, w = numbers((128, 256), "f16", 0), numbers((256, 256), "i8", 1)
    scales = (numbers((2, 256), "f16", 2) / 64).astype(numpy.float16)
    whole = numpy.repeat(scales.astype(float), 128, axis=0)
    smaller = {
        "%A: memref<4096x4096": "%A: memref<128x256",
        "%A[%m, 0] : memref<4096x4096": "%A[%m, 0] : memref<128x256",
        "%C: memref<4096x4096": "%C: memref<128x256",
        "%C[%m, %n] : memref<4096x4096": "%C[%m, %n] : memref<128x256",
        "memref<32x4096x": "memref<2x256x",
        "memref<4096x4096x": "memref<256x256x",
        "constant 4096": "constant 256",
    }
    expected = a.astype(float) @ (w.astype(float) * whole)
    arrays = (a, w, scales, numpy.full((128, 256), 7, numpy.float32))
    return _case("gemm_int8_weights", smaller, arrays, expected, 1e-3)


def _softmax() -> Case:
    x = numbers((128, 256), "f32", 0)
    powers = numpy.exp(x.astype(float) - x.astype(float).max(axis=1, keepdims=True))
    expected = powers / powers.sum(axis=1, keepdims=True)
    arrays = (x, numpy.full((128, 256), 7, numpy.float32))
    return _case("softmax", {"4096x256": "128x256"}, arrays, expected, 1e-5)


def _layer_norm() -> Case:
    x, gamma, beta = (
        numbers((128, 256), "f16", 0),
        numbers((1, 256), "f32", 1),
        numbers((1, 256), "f32", 2),
    )
    values = x.astype(float)
    centred = values - values.mean(axis=1, keepdims=True)
    normal = centred / numpy.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)
    arrays = (x, gamma, beta, numpy.full((128, 256), 7, numpy.float16))
    expected = normal * gamma.astype(float) + beta.astype(float)
    return _case("layer_norm", {"4096x256": "128x256"}, arrays, expected, 2e-3)


def _flash_attention() -> Case:
    q, k, v = (numbers((2, 128, 64), "f16", seed) for seed in range(3))
    arrays = (q, k, v, numpy.full((2, 128, 64), 7, numpy.float16))
    smaller = {"memref<32x4096x64x": "memref<2x128x64x", "constant 4096": "constant 128"}
    expected = numpy.stack([attended(q[head], k[head], v[head]) for head in range(2)])
    return _case("flash_attention", smaller, arrays, expected, OF_ATTENTION, (1, 2))


def example_kernels() -> list[Case]:
    """One of each."""
    return [
        _gemm_bias_gelu(),
        _gemm_int8_weights(),
        _softmax(),
        _layer_norm(),
        _flash_attention(),
    ]

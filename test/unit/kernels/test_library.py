"""The library's kernels against their references: ragged shapes, all kinds of data, eagerly, at every level, on the device."""

import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

import xetile.language as xt
from xetile import kernels
from xetile.kernels.activations import gelu, relu, silu
from xetile.kernels.attention import flash_attention_reference
from xetile.kernels.dequantised import dequantised_gemm_reference
from xetile.kernels.embedding import embedding_reference
from xetile.kernels.gemm import gemm_reference
from xetile.kernels.normalisation import layer_norm_reference, rms_norm_reference
from xetile.kernels.reduce import MAX, MIN, PRODUCT, SUM, reduce_reference
from xetile.kernels.softmax import softmax_reference
from xetile.kernels.transpose import transpose_reference
from xetile.language.testing import Data, Reference, check

ROUNDED: Sequence[Data] = ("random", "integer")
"""Where the reference says nothing of infinities."""


class Case(NamedTuple):
    """A kernel on arrays of these shapes and types."""

    kernel: xt.Kernel
    reference: Reference
    shapes: Sequence[Sequence[int]]
    types: xt.ElementType | Sequence[xt.ElementType]
    options: dict[str, Any]


f16, bf16, f32, i8, i32 = xt.f16, xt.bf16, xt.f32, xt.i8, xt.i32
SQUARE: dict[str, Any] = {"BM": 32, "BN": 32, "sg_layout": (2, 2)}
AB = [(40, 72), (72, 48)]
ABC = [*AB, (40, 48)]
ROWS: dict[str, Any] = {"BM": 32, "BN": 64, "sg_layout": (4, 1)}
PARTS: dict[str, Any] = {**ROWS, "step": 32}
QUERIES: dict[str, Any] = {"BM": 32, "BN": 32, "sg_layout": (2, 1), "data": ROUNDED}
QKVO = [(2, 40, 64), (1, 72, 64), (1, 72, 64), (2, 40, 64)]
EPILOGUE = [*ABC, (40,), (48,), (48,), (40, 48)]
WEIGHTS: dict[str, Any] = {**SQUARE, "group": 64}
SHARED: dict[str, Any] = {**SQUARE, "reordered": True}


def of_gemm(types: Sequence[xt.ElementType], *shapes: Sequence[int], **options: Any) -> Case:
    return Case(kernels.gemm, gemm_reference, shapes or ABC, types, {**SQUARE, **options})


CASES = {
    "gemm f16": of_gemm([f16, f16, f32]),
    "gemm bf16 to bf16": of_gemm([bf16, bf16, bf16]),
    "gemm i8": of_gemm([i8, i8, i32]),
    "gemm tf32": of_gemm([xt.tf32, xt.tf32, f32], BK=16),
    "gemm fp8": of_gemm([xt.f8E4M3FN, xt.f8E5M2, f32], device="ptl"),
    "gemm of columns": of_gemm([f16, f16, f32], column_major=("A", "B")),
    "gemm of a batch": of_gemm([f16, f16, f32], (2, 40, 72), (72, 48), (2, 40, 48), ahead=1),
    "gemm, all that follows": of_gemm([f16, f16, f16, f32, f32, f32, f16], *EPILOGUE, activation=gelu),
    "gemm i8, scales": of_gemm([i8, i8, f16, f32, f32], *EPILOGUE[:5], activation=relu),
    "gemm, bias, silu": of_gemm([f16, f16, f32, f32, f32, f32], *EPILOGUE[:6], activation=silu),
    "softmax": Case(kernels.softmax, softmax_reference, [(40, 50)] * 2, f32, ROWS),
    "softmax bf16": Case(kernels.softmax, softmax_reference, [(40, 64)] * 2, bf16, ROWS),
    "softmax in parts": Case(kernels.softmax, softmax_reference, [(40, 100)] * 2, f16, PARTS),
    "layer norm": Case(kernels.layer_norm, layer_norm_reference, [(40, 50), (50,), (50,), (40, 50)], f32, ROWS),
    "layer norm in parts": Case(kernels.layer_norm, layer_norm_reference, [(40, 96), (96,), (96,), (40, 96)], [f16, f32, f32, f16], PARTS),
    "RMS norm": Case(kernels.rms_norm, rms_norm_reference, [(40, 50), (50,), (40, 50)], bf16, ROWS),
    "RMS norm in parts": Case(kernels.rms_norm, rms_norm_reference, [(40, 96), (96,), (40, 96)], [f16, f32, f16], PARTS),
    "sums of rows": Case(kernels.reduce, reduce_reference, [(40, 100), (40,)], [f16, f32], {**SHARED, "kind": SUM}),
    "sums of columns of bytes": Case(kernels.reduce, reduce_reference, [(40, 100), (100,)], [i8, i32], {**SHARED, "axis": 0}),
    "largest of columns": Case(kernels.reduce, reduce_reference, [(40, 100), (100,)], f16, {**SHARED, "kind": MAX, "axis": 0}),
    "smallest of rows": Case(kernels.reduce, reduce_reference, [(40, 100), (40,)], i8, {**SHARED, "kind": MIN}),
    "products of rows": Case(kernels.reduce, reduce_reference, [(40, 50), (40,)], f32, {**SHARED, "kind": PRODUCT}),
    "transpose": Case(kernels.transpose, transpose_reference, [(40, 100), (100, 40)], f16, SQUARE),
    "transpose of a batch": Case(kernels.transpose, transpose_reference, [(2, 40, 64), (2, 64, 40)], i8, SQUARE),
    "attention": Case(kernels.flash_attention, flash_attention_reference, QKVO, f16, QUERIES),
    "attention of few": Case(kernels.flash_attention, flash_attention_reference, [(1, 24, 32), (1, 64, 32), (1, 64, 32), (1, 24, 32)], f16, QUERIES),
    "attention, causal": Case(kernels.flash_attention, flash_attention_reference, QKVO, bf16, {**QUERIES, "causal": True}),
    "attention, causal, of more queries": Case(kernels.flash_attention, flash_attention_reference, [(2, 72, 32), (1, 56, 32), (1, 56, 32), (2, 72, 32)], f16, {**QUERIES, "causal": True}),
    "weights of bytes": Case(kernels.dequantised_gemm, dequantised_gemm_reference, [(40, 160), (160, 48), (3, 48), (40, 48)], [f16, i8, f16, f32], WEIGHTS),
    "weights of four bits": Case(kernels.dequantised_gemm, dequantised_gemm_reference, [(40, 160), (160, 128), (3, 128), (40, 128), (3, 128)], [bf16, xt.i4, bf16, bf16, xt.i4], WEIGHTS),
    "embedding": Case(kernels.embedding, embedding_reference, [(40,), (20, 100), (40, 100)], [i32, f16, f16], {"BT": 16, "BD": 64, "sg_layout": (2, 1), "data": ("integer",)}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_every_level_is_as_the_reference(name: str) -> None:
    kernel, reference, shapes, types, options = CASES[name]
    report = check(kernel, shapes, types, reference, **options)
    assert len(report.runs) == 6 * len(options.get("data", ("",) * 3))


ON_DEVICE = (
    "gemm tf32",
    "gemm fp8",
    "gemm of a batch",
    "gemm, all that follows",
    "gemm i8, scales",
    "softmax",
    "softmax in parts",
    "layer norm",
    "RMS norm",
    "sums of rows",
    "transpose",
    "attention of few",
    "attention, causal, of more queries",
    "weights of bytes",
    "weights of four bits",
    "embedding",
)
"""Every kernel once at least, and every type."""


@pytest.mark.opencl
@pytest.mark.parametrize("name", ON_DEVICE)
def test_the_device_is_as_the_reference(name: str) -> None:
    kernel, reference, shapes, types, options = CASES[name]
    check(kernel, shapes, types, reference, levels=(), eager=False, on="opencl:cpu", **options)


@pytest.mark.parametrize("first", [0, 5])
def test_heads_see_as_many_keys_as_they_have(first: int) -> None:
    """Of none they give NaN."""
    random = np.random.default_rng(0)
    q, k, v = (random.standard_normal(shape).astype("e") for shape in QKVO[:3])
    o, lengths = np.zeros(QKVO[3], "e"), np.array([first, 70], "i")
    kernels.flash_attention(q, k, v, o, lengths, BM=32, BN=32, sg_layout=(2, 1))
    with np.errstate(invalid="ignore"):
        expected = flash_attention_reference(
            *(x.astype(float) for x in (q, k, v)), lengths=lengths
        )
    np.testing.assert_allclose(o, expected.value, rtol=4e-3, atol=4e-3)


def test_kernels_are_short() -> None:
    made = [kernel for kernel in vars(kernels).values() if isinstance(kernel, xt.Kernel)]
    assert len(made) == 9
    for kernel in made:
        lines, _ = inspect.getsourcelines(kernel.__wrapped__)
        described = (kernel.__doc__ or "").count("\n") + 1
        assert described > 1, kernel
        assert len(lines) - described <= 40, kernel

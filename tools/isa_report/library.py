"""The library's kernels, in the sizes and tiles of the kernels of the report that are written as IR."""

from collections.abc import Callable
from typing import Any


def _text(kernel: str, types: Callable[[Any], list[Any]], **options: Any) -> Callable[[], str]:
    def made() -> str:
        import xetile.language as xt
        from xetile import kernels

        return f"{getattr(kernels, kernel).specialize(*types(xt), **options)}\n"

    return made


def _gemm(a: str, c: str = "f32", **options: Any) -> Callable[[], str]:
    def types(xt: Any) -> list[Any]:
        operand, result = getattr(xt, a), getattr(xt, c)
        return [operand[4096, 4096], operand[4096, 4096], result[4096, 4096]]

    return _text("gemm", types, **options)


LIKE: dict[str, tuple[str, Callable[[], str]]] = {
    "library: gemm, f16": ("f16", _gemm("f16")),
    "library: gemm, f16, prefetch": ("f16, prefetch", _gemm("f16", ahead=3)),
    "library: gemm, bf16": ("bf16", _gemm("bf16")),
    "library: gemm, i8": ("i8", _gemm("i8", "i32")),
    "library: gemm, tf32": ("tf32", _gemm("tf32", BK=16)),
    "library: gemm, C in bf16": ("f16, C in bf16", _gemm("f16", "bf16")),
    "library: weights in i8, scales of groups": (
        "f16, weights in i8, scales of groups",
        _text(
            "dequantised_gemm",
            lambda xt: [
                xt.f16[4096, 4096],
                xt.i8[4096, 4096],
                xt.f16[32, 4096],
                xt.f32[4096, 4096],
            ],
        ),
    ),
    "library: attention, 8 rows": (
        "attention, 8 rows, K as keys x D",
        _text(
            "flash_attention",
            lambda xt: [xt.f16[1, 4096, 64]] * 3 + [xt.f32[1, 4096, 64]],
            BM=8,
            sg_layout=(1, 1),
        ),
    ),
    "library: attention, 16 rows": (
        "attention, 16 rows, K as keys x D",
        _text(
            "flash_attention",
            lambda xt: [xt.f16[1, 4096, 64]] * 3 + [xt.f32[1, 4096, 64]],
            BM=16,
            sg_layout=(1, 1),
        ),
    ),
    "library: softmax, three passes": (
        "softmax, three passes",
        _text("softmax", lambda xt: [xt.f32[4096, 4096]] * 2, BM=8, step=16, sg_layout=(1, 1)),
    ),
    "library: softmax, rows in registers": (
        "softmax, rows in registers",
        _text("softmax", lambda xt: [xt.f32[4096, 256]] * 2),
    ),
    "library: layer norm, rows in registers": (
        "layer norm, rows in registers",
        _text(
            "layer_norm",
            lambda xt: [xt.f16[4096, 256], xt.f32[256], xt.f32[256], xt.f16[4096, 256]],
        ),
    ),
}
"""By name, the kernel of the report that does the same, and the text."""

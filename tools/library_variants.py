"""Which kernels of the library spill: each at its default tiles, in its main variants, on every device.

    python -m tools.library_variants [--device bmg cri] [--only GLOB ...] [--jobs N]

Needs ocloc. Prints the bytes that are spilled, with status 1 where any are (five minutes).
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from fnmatch import fnmatchcase
from os import cpu_count
from typing import Any, NamedTuple

import xetile.language as xt
from xetile import kernels
from xetile.errors import XetileError
from xetile.kernels.reduce import MAX, MIN, PRODUCT
from xetile.targets import names
from xetile.toolchain.ocloc import need_ocloc

f16, bf16, f32, tf32, i8, i4, i32 = xt.f16, xt.bf16, xt.f32, xt.tf32, xt.i8, xt.i4, xt.i32
e4m3, e5m2 = xt.f8E4M3FN, xt.f8E5M2
EIGHT_BITS = ("ptl", "cri")
"""Devices that multiply floats of eight bits."""


class Variant(NamedTuple):
    """A kernel for types and constants, on devices (all of them, if none is named)."""

    kernel: xt.Kernel
    types: "Mapping[str, xt.ArrayType]"
    constants: Mapping[str, Any]
    devices: Sequence[str] = ()


def _gemm(
    a: xt.ElementType, c: xt.ElementType, devices: Sequence[str] = (), **others: Any
) -> Variant:
    types = {name: other for name, other in others.items() if isinstance(other, xt.ArrayType)}
    constants = {name: other for name, other in others.items() if name not in types}
    arrays = {"A": a[4096, 4096], "B": a[4096, 4096], "C": c[4096, 4096]}
    return Variant(kernels.gemm, {**arrays, **types}, constants, devices)


def _attention(
    queries: "xt.ArrayType",
    keys: "xt.ArrayType | None" = None,
    lengths: "xt.ArrayType | None" = None,
    **constants: Any,
) -> Variant:
    shared = keys or queries
    arrays = {"Q": queries, "K": shared, "V": shared, "O": queries}
    if lengths is not None:
        arrays["lengths"] = lengths
    return Variant(kernels.flash_attention, arrays, constants)


def _rows(
    kernel: xt.Kernel, rows: "xt.ArrayType", *vectors: "xt.ArrayType", **constants: Any
) -> Variant:
    between = dict(zip(("gamma", "beta"), vectors, strict=False))
    return Variant(kernel, {"X": rows, **between, "Y": rows}, constants)


def _reduce(x: "xt.ArrayType", y: "xt.ArrayType", **constants: Any) -> Variant:
    return Variant(kernels.reduce, {"X": x, "Y": y}, constants)


def _weights(
    a: xt.ElementType,
    w: "xt.ArrayType",
    *,
    zeros: bool = False,
    group: int = 128,
    m: "int | str" = 4096,
    **constants: Any,
) -> Variant:
    arrays = {
        "A": a[m, 4096],
        "W": w,
        "scales": a[4096 // group, 4096],
        "C": a[m, 4096],
    }
    if zeros:
        arrays["zeros"] = w.element[4096 // group, 4096]
    return Variant(kernels.dequantised_gemm, arrays, {"group": group, **constants})


def _embedding(ids: "xt.ArrayType", table: "xt.ArrayType", y: "xt.ArrayType") -> Variant:
    return Variant(kernels.embedding, {"ids": ids, "table": table, "Y": y}, {})


HEADS = f16[8, 4096, 64]
VECTOR = f32[4096]

VARIANTS: Mapping[str, Variant] = {
    "gemm f16": _gemm(f16, f32),
    "gemm bf16 to bf16": _gemm(bf16, bf16),
    "gemm i8": _gemm(i8, i32),
    "gemm tf32": _gemm(tf32, f32),
    "gemm f8E4M3FN": _gemm(e4m3, f32, EIGHT_BITS),
    "gemm f8E5M2": _gemm(e5m2, bf16, EIGHT_BITS),
    "gemm f16, prefetch": _gemm(f16, f32, ahead=3),
    "gemm f16, sums in f16": _gemm(f16, f16, accumulator=f16),
    "gemm bf16, sums in bf16": _gemm(bf16, bf16, accumulator=bf16),
    "gemm f16, A of columns": _gemm(f16, f32, A=f16[4096, 4096].T),
    "gemm f16, B of columns": _gemm(f16, f32, B=f16[4096, 4096].T),
    "gemm f16, A and B of columns": _gemm(f16, f32, A=f16[4096, 4096].T, B=f16[4096, 4096].T),
    "gemm bf16, B of columns": _gemm(bf16, bf16, B=bf16[4096, 4096].T),
    "gemm i8, B of columns": _gemm(i8, i32, B=i8[4096, 4096].T),
    "gemm of a batch": _gemm(f16, f16, A=f16[8, 4096, 4096], C=f16[8, 4096, 4096]),
    "gemm f16, ragged": _gemm(f16, f32, A=f16[1000, 520], B=f16[520, 1040], C=f32[1000, 1040]),
    "gemm f16, extents of the call": _gemm(f16, f32, A=f16["M", "K"], B=f16["K", "N"], C=f32["M", "N"]),
    "gemm f16, bias": _gemm(f16, f16, bias=VECTOR),
    "gemm f16, bias, relu": _gemm(f16, f16, bias=VECTOR, activation=kernels.relu),
    "gemm f16, bias, gelu": _gemm(f16, f16, bias=VECTOR, activation=kernels.gelu),
    "gemm f16, bias, silu": _gemm(f16, f16, bias=VECTOR, activation=kernels.silu),
    "gemm f16, residual": _gemm(f16, f16, residual=f16[4096, 4096]),
    "gemm bf16, gelu, residual": _gemm(bf16, bf16, bias=VECTOR, residual=bf16[4096, 4096], activation=kernels.gelu),
    "gemm i8, scales, bias": _gemm(i8, f16, scale_a=VECTOR, scale_b=VECTOR, bias=VECTOR),
    "softmax f32, rows in registers": _rows(kernels.softmax, f32[4096, 256]),
    "softmax f16, rows in registers": _rows(kernels.softmax, f16[4096, 256]),
    "softmax f32, long rows": _rows(kernels.softmax, f32[4096, 4096]),
    "softmax bf16, long rows": _rows(kernels.softmax, bf16[4096, 4096]),
    "softmax f16, ragged": _rows(kernels.softmax, f16[1000, 1000]),
    "softmax f16, few ragged columns": _rows(kernels.softmax, f16[1000, 200]),
    "softmax f16, extents of the call": _rows(kernels.softmax, f16["M", "N"]),
    "layer norm f16, rows in registers": _rows(kernels.layer_norm, f16[4096, 256], f32[256], f32[256]),
    "layer norm f32, rows in registers": _rows(kernels.layer_norm, f32[4096, 256], f32[256], f32[256]),
    "layer norm f32, long rows": _rows(kernels.layer_norm, f32[4096, 4096], VECTOR, VECTOR),
    "layer norm bf16, long rows": _rows(kernels.layer_norm, bf16[4096, 4096], VECTOR, VECTOR),
    "layer norm f16, ragged": _rows(kernels.layer_norm, f16[1000, 1000], f32[1000], f32[1000]),
    "layer norm f16, few ragged columns": _rows(kernels.layer_norm, f16[1000, 200], f32[200], f32[200]),
    "layer norm f16, extents of the call": _rows(kernels.layer_norm, f16["M", "N"], f32["N"], f32["N"]),
    "RMS norm f16, rows in registers": _rows(kernels.rms_norm, f16[4096, 256], f32[256]),
    "RMS norm f32, long rows": _rows(kernels.rms_norm, f32[4096, 4096], VECTOR),
    "RMS norm bf16, ragged": _rows(kernels.rms_norm, bf16[1000, 1000], f32[1000]),
    "RMS norm f16, extents of the call": _rows(kernels.rms_norm, f16["M", "N"], f32["N"]),
    "sums of rows, f16": _reduce(f16[4096, 4096], f32[4096]),
    "sums of columns, f16": _reduce(f16[4096, 4096], f32[4096], axis=0),
    "sums of rows, i8": _reduce(i8[4096, 4096], i32[4096]),
    "sums of columns, i8": _reduce(i8[4096, 4096], i32[4096], axis=0),
    "largest of rows, bf16": _reduce(bf16[4096, 4096], bf16[4096], kind=MAX),
    "smallest of columns, f32": _reduce(f32[4096, 4096], f32[4096], kind=MIN, axis=0),
    "products of rows, f32": _reduce(f32[4096, 4096], f32[4096], kind=PRODUCT),
    "sums of rows, tf32": _reduce(tf32[4096, 4096], f32[4096]),
    "sums of rows, f16, ragged": _reduce(f16[1000, 1000], f32[1000]),
    "sums of rows, f16, extents of the call": _reduce(f16["M", "N"], f32["M"]),
    "transpose f32": _rows(kernels.transpose, f32[4096, 4096]),
    "transpose f16": _rows(kernels.transpose, f16[4096, 4096]),
    "transpose i8": _rows(kernels.transpose, i8[4096, 4096]),
    "transpose of a batch": _rows(kernels.transpose, bf16[8, 1024, 1024]),
    "transpose f16, ragged": Variant(kernels.transpose, {"X": f16[1000, 520], "Y": f16[520, 1000]}, {}),
    "transpose f16, extents of the call": Variant(kernels.transpose, {"X": f16["M", "N"], "Y": f16["N", "M"]}, {}),
    "attention": _attention(HEADS),
    "attention bf16": _attention(bf16[8, 4096, 64]),
    "attention, causal": _attention(HEADS, causal=True),
    "attention bf16, causal": _attention(bf16[8, 4096, 64], causal=True),
    "attention, depth 128": _attention(f16[8, 4096, 128]),
    "attention, depth 128, causal": _attention(f16[8, 4096, 128], causal=True),
    "attention, depth 32, causal": _attention(f16[8, 4096, 32], causal=True),
    "attention, grouped": _attention(HEADS, f16[2, 4096, 64]),
    "attention, lengths": _attention(HEADS, f16[2, 4096, 64], i32[8]),
    "attention, lengths, causal": _attention(HEADS, f16[2, 4096, 64], i32[8], causal=True),
    "attention, ragged": _attention(f16[8, 1000, 64], f16[8, 1040, 64]),
    "attention, ragged, causal": _attention(f16[8, 1000, 64], f16[8, 1040, 64], causal=True),
    "attention, extents of the call": _attention(f16["H", "M", 64], f16["G", "N", 64]),
    "attention, extents of the call, causal": _attention(f16["H", "M", 64], f16["G", "N", 64], causal=True),
    "weights i8, groups": _weights(f16, i8[4096, 4096]),
    "weights i8, zeros": _weights(bf16, i8[4096, 4096], zeros=True),
    "weights i4, groups": _weights(f16, i4[4096, 4096]),
    "weights i4, zeros": _weights(bf16, i4[4096, 4096], zeros=True),
    "weights ui4, groups of 32": _weights(f16, xt.ui4[4096, 4096], zeros=True, group=32),
    "weights i8, rows of the call": _weights(f16, i8[4096, 4096], m="M"),
    "weights i4, few rows": _weights(f16, i4[4096, 4096], m=16),
    "embedding f16": _embedding(i32[4096], f16[32000, 4096], f16[4096, 4096]),
    "embedding f32 to bf16": _embedding(i32[4096], f32[32000, 4096], bf16[4096, 4096]),
    "embedding bf16, numbers of 64 bits": _embedding(xt.i64[4096], bf16[32000, 4096], bf16[4096, 4096]),
    "embedding f16, extents of the call": _embedding(i32["T"], f16["V", "D"], f16["T", "D"]),
}  # fmt: skip
"""By name."""


class Row(NamedTuple):
    """What ocloc makes of a variant: bytes spilled, registers of a thread, our estimate of what is live at once."""

    name: str
    device: str
    spilled: int
    registers: int
    estimated: int


def measured(name: str, device: str) -> Row:
    """Compile one.

    Errors: XetileError where it cannot be compiled.
    """
    kernel, types, constants, _ = VARIANTS[name]
    stats = kernel.specialize(**types, **constants).compile(device).stats
    numbers = (stats["spill_size"], stats["grf_count"], stats["estimated_registers"])
    return Row(name, device, *map(int, numbers))


def devices_of(name: str) -> Sequence[str]:
    """The devices that a variant is for."""
    return VARIANTS[name].devices or names()


def _attempt(one: tuple[str, str]) -> "Row | str":
    try:
        return measured(*one)
    except XetileError as error:
        return f"{one[0]}, {one[1]}: {error}"


def _found(wanted: Sequence[tuple[str, str]], jobs: int) -> "Iterator[Row | str]":
    with ProcessPoolExecutor(jobs) as pool:
        for done, found in enumerate(pool.map(_attempt, wanted), 1):
            sys.stderr.write(f"{done} of {len(wanted)}\n" if done % 20 == 0 else "")
            yield found


def main() -> int:
    """Status 1 where something spills or cannot be compiled."""
    parser = ArgumentParser(
        prog="library_variants",
        description="Which kernels of the library spill registers (needs ocloc).",
    )
    parser.add_argument("--device", nargs="+", default=list(names()), choices=names())
    parser.add_argument("--only", nargs="+", default=["*"], metavar="GLOB")
    parser.add_argument("--jobs", type=int, default=cpu_count() or 1, help="processes")
    options = parser.parse_args()
    chosen = [name for name in VARIANTS if any(fnmatchcase(name, g) for g in options.only)]
    wanted = [(n, d) for n in chosen for d in devices_of(n) if d in options.device]
    need_ocloc()
    bad = 0
    for found in _found(wanted, options.jobs):
        if isinstance(found, str):
            print(found, flush=True)
        else:
            if not found.spilled:
                continue
            print(f"{found.name}, {found.device}: spills {found.spilled} bytes", flush=True)
        bad += 1
    print(f"{len(wanted)} compiled, {bad} spill or fail", file=sys.stderr)
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())

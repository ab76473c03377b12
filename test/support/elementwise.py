"""Elementwise ops, executed on vectors."""

from collections.abc import Callable

import ml_dtypes
import numpy as np

from xetile.interpreter.machine.runtime_values import Array

Run = Callable[..., None]


DTYPES = {
    "i1": np.bool,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "tf32": np.float32,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
}


def unary(compute: Run, op: str, source: str, target: str, values: Array) -> Array:
    n = len(values)
    result = np.zeros(n, DTYPES[target])
    compute(
        f"""
        %x = vector.load %0[%c0] : memref<{n}x{source}>, vector<{n}x{source}>
        %r = {op} %x : vector<{n}x{source}> to vector<{n}x{target}>
        vector.store %r, %1[%c0] : memref<{n}x{target}>, vector<{n}x{target}>
        """.replace(
            f" to vector<{n}x{target}>" if op.startswith(("math.", "arith.negf")) else "\0", ""
        ),
        f"memref<{n}x{source}>; memref<{n}x{target}>",
        values,
        result,
    )
    return result


def binary(compute: Run, op: str, kind: str, x: Array, y: Array) -> Array:
    n = len(x)
    target = "i1" if "cmp" in op else kind
    result = np.zeros(n, DTYPES[target])
    compute(
        f"""
        %x = vector.load %0[%c0] : memref<{n}x{kind}>, vector<{n}x{kind}>
        %y = vector.load %1[%c0] : memref<{n}x{kind}>, vector<{n}x{kind}>
        %r = {op} %x, %y : vector<{n}x{kind}>
        vector.store %r, %2[%c0] : memref<{n}x{target}>, vector<{n}x{target}>
        """,
        f"memref<{n}x{kind}>; memref<{n}x{kind}>; memref<{n}x{target}>",
        x,
        y,
        result,
    )
    return result

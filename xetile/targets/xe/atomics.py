"""Atomic updates that the devices do by one instruction; all others are loops that compare and exchange words.

Source: measured with ocloc 26.27 on pvc, bmg, ptl and cri, one kernel for each op, type and address space: those of
this table become one `atomic_*` message. f16 sums are rejected except by cri (SPV_EXT_shader_atomic_float16_add),
integers of 8 and 16 bits by all. For f32 sums in shared memory (except on cri), f64 minima and maxima and 64-bit
integers in shared memory the compiler writes its own loops, for f64 sums in shared memory one that takes a lock.
"""

from collections.abc import Mapping
from typing import Literal

Space = Literal["global", "shared"]

_INTEGERS = frozenset({"xchg", "add", "_and", "_or", "_xor", "max", "min", "umax", "umin"})
_EXTREMES = frozenset({"fmax", "fmin"})
_SUM = frozenset({"fadd"})

COMPILED: Mapping[Space, Mapping[str, frozenset[str]]] = {
    "global": {
        "i32": _INTEGERS,
        "i64": _INTEGERS,
        "f16": _EXTREMES,
        "f32": _EXTREMES | _SUM,
        "f64": _SUM,
    },
    "shared": {"i32": _INTEGERS, "f16": _EXTREMES, "f32": _EXTREMES},
}
"""By address space and element type, with the names of `llvm.atomicrmw`."""

FLOAT_SUMS: Mapping[Space, Mapping[str, frozenset[str]]] = {
    "global": {"f16": _SUM},
    "shared": {"f16": _SUM, "f32": _SUM},
}
"""Atomics that only some devices have."""

COMPARED_BITS = (32, 64)
"""Bits of words that are compared and exchanged.

The GPUs support 16 too, but Intel's OpenCL runtime for CPUs (2026.2) crashes on them.
"""

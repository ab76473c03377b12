"""What atomic read-modify-write ops do, by arith's names."""

ATOMIC_KINDS = (
    "addf",
    "addi",
    "andi",
    "assign",
    "maximumf",
    "maxnumf",
    "maxs",
    "maxu",
    "minimumf",
    "minnumf",
    "mins",
    "minu",
    "mulf",
    "muli",
    "ori",
    "xori",
)
"""arith's AtomicRMWKind, in the order of its numbers.

Source: mlir-opt 22 --mlir-print-op-generic, of a memref.atomic_rmw of each kind.
"""

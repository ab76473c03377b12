"""What atomic read-modify-write ops do, by arith's names; where reductions begin."""

from math import inf, nan

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


def identity(kind: str, element: str, bits: int | None) -> float:
    """The number that changes nothing in a combination, by `vector.kind`; integers have `bits`, floats None.

    For sums of floats it is -0.0: +0.0 would make a sum of negative zeros positive.
    """
    if bits is None:
        # f8E4M3FN has no infinity (OCP 8-bit floating point specification, table 1).
        largest = 448.0 if element == "f8E4M3FN" else inf
        floats = {"add": -0.0, "mul": 1.0, "minimumf": largest, "maximumf": -largest}
        return (floats | dict.fromkeys(("minnumf", "maxnumf"), nan)).get(kind, 0.0)
    ones, sign = -1, 1 << (bits - 1)
    integers = {"mul": 1, "and": ones, "minui": ones, "minsi": sign - 1, "maxsi": -sign}
    return integers.get(kind, 0)

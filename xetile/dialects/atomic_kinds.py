"""The kinds of atomic read-modify-write ops, by arith's names, and the identity element of each reduction."""

from math import inf, nan

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.utils import FastMathFlag

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


_LARGEST = {
    **{"f64": float.fromhex("0x1.fffffffffffffp1023"), "f32": float.fromhex("0x1.fffffep127")},
    **{"tf32": float.fromhex("0x1.ffcp127"), "bf16": float.fromhex("0x1.fep127")},
    **{"f16": 65504.0, "f8E5M2": 57344.0, "f8E4M3FN": 448.0},
}
"""The largest number of each type of floats.

Source: IEEE 754 for f64, f32 and f16, of which bf16 and tf32 have fewer digits; OCP 8-bit floating point specification,
table 1.
"""

NO_FLAGS = FastMathFlagsAttr("none")


def identity(
    kind: str, element: str, bits: int | None, flags: FastMathFlagsAttr = NO_FLAGS
) -> float:
    """Return the identity element of a combination of this `vector.kind`; integers have `bits`, floats None.

    For sums of floats it is -0.0: +0.0 would make a sum of negative zeros positive. With flags that say that there are
    no NaNs, or infinities, it is none.
    """
    if bits is None:
        largest = _LARGEST[element]
        # f8E4M3FN has no infinity
        if FastMathFlag.NO_INFS not in flags.data and element != "f8E4M3FN":
            largest = inf
        numbers = {"minimumf": largest, "minnumf": largest}
        numbers |= {"maximumf": -largest, "maxnumf": -largest}
        if FastMathFlag.NO_NANS not in flags.data:
            numbers |= {"minnumf": nan, "maxnumf": nan}
        return ({"add": -0.0, "mul": 1.0} | numbers).get(kind, 0.0)
    ones, sign = -1, 1 << (bits - 1)
    integers = {"mul": 1, "and": ones, "minui": ones, "minsi": sign - 1, "maxsi": -sign}
    number = integers.get(kind, 0)
    return number % (1 << bits) if element.startswith("u") else number

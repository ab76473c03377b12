"""What an op says of how its floats may be computed: fastmath flags, and the word that they were before.

    %s = xetile.tile_reduce <maximumf>, %x [1] {fastmath = #arith.fastmath<nnan,nsz>}
    %m = vector.multi_reduction <add>, %v, %start {fastmath = #arith.fastmath<reassoc>} [1]
    %n = vector.multi_reduction <add>, %v, %start {reassoc} [1]

The ops of arith and math, and vector.reduction, have the property of upstream. Others have none there in LLVM 22
(`vector.multi_reduction`, `vector.fma`); mlir-opt keeps an attribute of that name on them, which is read here.
"""

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation

from xetile.dialects.reduction_order import REASSOCIATES

FASTMATH = "fastmath"
"""The property, or attribute."""

WITH_ATTRIBUTE = ("vector.fma", "vector.multi_reduction")
"""Ops of upstream's on which it is an attribute."""


def fast_math(op: Operation) -> FastMathFlagsAttr:
    """The flags of an op; none where it says nothing."""
    found = op.properties.get(FASTMATH, op.attributes.get(FASTMATH))
    flags = found if isinstance(found, FastMathFlagsAttr) else FastMathFlagsAttr("none")
    word = op.properties.get(REASSOCIATES, op.attributes.get(REASSOCIATES))
    if not isinstance(word, UnitAttr) or FastMathFlag.REASSOC in flags.data:
        return flags
    return FastMathFlagsAttr([*flags.data, FastMathFlag.REASSOC])

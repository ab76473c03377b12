"""Rates at which instructions keep the parts of a vector engine busy, in cycles of that engine.

These are rates as published and as IGC's scheduler has them, not measured: they compare one code with another.
"""

from typing import NamedTuple

VECTOR_LANES = 16
"""Lanes of 32 bits that the vector unit computes in a cycle.

Source: Intel's oneAPI GPU optimization guide, "Intel Xe GPU Architecture": vector engines of 512 bits.
"""

WIDE_BYTES = 8
"""Bytes of elements that need two cycles where narrower ones need one.

Source: IGC, LatencyTable.cpp: twice the occupancy for a destination of 8 bytes.
"""

MATH_FACTOR = 4
"""Cycles of the math pipe for each that another instruction would need: exp2, log2, inv, sqt, sin, cos.

Source: IGC, LatencyTable.cpp, `G12_OC_MATH`.
"""


class Rates(NamedTuple):
    """Cycles that instructions take on one vector engine.

    Attributes:
        row: of a matrix instruction, for each row of A (its repeat count), at full depth.
        lanes: lanes of the vector unit.
        wide_bytes: bytes of an element that needs a second cycle.
        math_factor: how much longer the math pipe takes than the vector unit.
    """

    row: int
    lanes: int = VECTOR_LANES
    wide_bytes: int = WIDE_BYTES
    math_factor: int = MATH_FACTOR

"""Fastmath flags of the llvm dialect in LLVM IR, and what of them SPIR-V says.

LLVM IR has all of them on whatever computes floats: arithmetic, comparisons, selections, conversions between floats,
calls. xDSL 0.75 leaves them out of comparisons, selections, conversions and most functions, and refuses those of fma.

SPIR-V 1.4 has the decoration FPFastMathMode (2.26 "FP Fast Math Mode": NotNaN, NotInf, NSZ, AllowRecip, and Fast, which
is all of them and algebra with real numbers) on sums, differences, products, quotients and remainders. It has no words
for `contract`, `afn` and `reassoc`, which earlier passes therefore carry out themselves (contractions.py and natives.py
of convert-xevm-to-llvm; planning/reductions.py). SPV_KHR_float_controls2 has some, and LLVM 22 writes it; IGC (ocloc
26.27) refuses modules with it. Without it LLVM 22 makes Fast of `reassoc`, which would allow what nobody has said: that
flag is left out unless all are there.
"""

from collections.abc import Iterable

from llvmlite import ir
from llvmlite.ir.instructions import CallInstr, FastMathFlags, Instruction
from xdsl.dialects.utils import FastMathAttrBase, FastMathFlag
from xdsl.ir import Operation

_FLAGS = "fastmathFlags"
_WORDS = frozenset(flag.value for flag in FastMathFlag)


def add_flags(op: Operation, made: ir.Value | None) -> None:
    """Give an instruction the flags of the op that it is.

    MLIR 22 has no property for those of llvm.fpext and fptrunc; an attribute of that name is read there.
    """
    found = op.properties.get(_FLAGS, op.attributes.get(_FLAGS))
    if not isinstance(found, FastMathAttrBase) or not isinstance(made, Instruction):
        return
    flags = sorted(flag.value for flag in found.data)  # a set, whose order is none
    if not flags:
        return
    if not isinstance(made, CallInstr):
        made.flags = flags
    elif _is_float(made.type):
        made.fastmath = FastMathFlags(flags)


def drop_loose_flags(instructions: Iterable[Instruction]) -> None:
    """Leave out `reassoc` where LLVM's SPIR-V back end would make more of it than it says."""
    for instruction in instructions:
        flags = instruction.flags
        if "reassoc" in flags and not set(flags) >= _WORDS:
            instruction.flags = [flag for flag in flags if flag != "reassoc"]


def _is_float(type: ir.Type) -> bool:
    element = type.element if isinstance(type, ir.VectorType) else type
    return isinstance(element, (ir.HalfType, ir.FloatType, ir.DoubleType))

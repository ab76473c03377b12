"""Functions that LLVM itself knows: ops `llvm.intr.NAME` as calls of `llvm.NAME`, with a name for each type.

xDSL's own conversion declares one function for all types, so that two types of one module end it, and gives calls no
fastmath flags.
"""

from llvmlite import ir
from llvmlite.ir.instructions import FastMathFlags
from xdsl.backend.llvm.convert_op import declare_intrinsic
from xdsl.dialects import llvm
from xdsl.dialects.utils import FastMathAttrBase
from xdsl.ir import Operation

_PREFIX = "llvm.intr."
_OF_ONE_TYPE = (
    *(llvm.FAbsOp, llvm.FCeilOp, llvm.FCosOp, llvm.FExp2Op, llvm.FExpOp, llvm.FFloorOp),
    *(llvm.FLog2Op, llvm.FLogOp, llvm.FSinOp, llvm.FSqrtOp, llvm.FPowOp, llvm.FMAOp),
    *(llvm.FCopySignOp, llvm.VectorFMaxOp, llvm.VectorFMinOp),
)
"""Ops whose operands and result are floats, or vectors of them, of one type."""


def is_intrinsic(op: Operation) -> bool:
    """Whether an op is a function of LLVM's on floats of one type."""
    return isinstance(op, _OF_ONE_TYPE)


def intrinsic_call(op: Operation, builder: ir.IRBuilder, operands: list[ir.Value]) -> ir.Value:
    """The call that an op is."""
    type = operands[0].type
    name = f"llvm.{op.name.removeprefix(_PREFIX)}"
    function = declare_intrinsic(
        builder.module, name, type, ir.FunctionType(type, [type] * len(operands))
    )
    call = builder.call(function, operands)
    call.fastmath = FastMathFlags(fastmath_flags(op))
    return call


def fastmath_flags(op: Operation) -> tuple[str, ...]:
    """The names of an op's fastmath flags, in LLVM's order of them."""
    found = op.properties.get("fastmathFlags")
    given = found.data if isinstance(found, FastMathAttrBase) else ()
    return tuple(flag.value for flag in given)

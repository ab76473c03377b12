"""Functions that LLVM itself knows: ops `llvm.intr.NAME` as calls of `llvm.NAME`, with a name for each type.

xDSL's own conversion declares one function for all types, so that two types of one module end it.
"""

from typing import cast

from llvmlite import ir
from xdsl.backend.llvm.convert_op import declare_intrinsic
from xdsl.dialects import llvm
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
    return builder.call(function, operands)


def approximate_quotient(builder: ir.IRBuilder, operands: list[ir.Value]) -> ir.Value:
    """OpenCL's native_divide of f32, which stays one where a driver is told to divide exactly."""
    type = operands[0].type
    is_vector = isinstance(type, ir.VectorType)
    name = f"_Z13native_divide{f'Dv{type.count}_fS_' if is_vector else 'ff'}"
    function = builder.module.globals.get(name)
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(type, [type, type]), name)
        function.calling_convention = "spir_func"
    call = builder.call(cast(ir.Function, function), operands)
    call.cconv = "spir_func"
    return call

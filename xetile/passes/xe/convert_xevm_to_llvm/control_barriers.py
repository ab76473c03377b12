"""Barriers of SPIR-V's dialect: functions of SPIR-V's name, with its numbers."""

from xdsl.ir import Operation

from xetile.dialects.upstream.spirv import ControlBarrierOp, MemorySemantics, Scope
from xetile.errors import fail
from xetile.passes.xe.convert_xevm_to_llvm.builtins import mangle
from xetile.passes.xe.convert_xevm_to_llvm.view import LLVMView

_BARRIER_SCOPES = {Scope.DEVICE: 1, Scope.WORKGROUP: 2, Scope.SUBGROUP: 3}
_SEMANTICS = {
    MemorySemantics.NONE: 0,
    MemorySemantics.ACQUIRE: 0x2,
    MemorySemantics.RELEASE: 0x4,
    MemorySemantics.ACQUIRE_RELEASE: 0x8,
    MemorySemantics.SEQUENTIALLY_CONSISTENT: 0x10,
    MemorySemantics.SUBGROUP: 0x80,
    MemorySemantics.WORKGROUP: 0x100,
    MemorySemantics.CROSS_WORKGROUP: 0x200,
}
"""SPIR-V's numbers (specification, "Scope <id>", "Memory Semantics <id>"), of which OpenCL knows these."""


def control_barrier(view: LLVMView, op: Operation) -> None:
    """`spirv.ControlBarrier` as the function of SPIR-V's name.

    Errors: XetileError at a scope or semantics that OpenCL does not know.
    """
    assert isinstance(op, ControlBarrierOp)
    scopes = [
        _BARRIER_SCOPES.get(scope.data) for scope in (op.execution_scope, op.memory_scope)
    ]
    semantics = [_SEMANTICS.get(name) for name in op.memory_semantics.data]
    if None in (*scopes, *semantics):
        fail(
            op,
            f"a barrier of scope {op.execution_scope.data} with {op.memory_scope.data} and "
            f"{'|'.join(op.memory_semantics.data)} has no lowering to LLVM IR; "
            f"expected {', '.join(_BARRIER_SCOPES)}; {', '.join(_SEMANTICS)}",
        )
    numbers = [number for number in scopes if number is not None]
    total = sum(number for number in semantics if number is not None)
    arguments = [view.i32(number) for number in (*numbers, total)]
    view.call(mangle("__spirv_ControlBarrier", ["j", "j", "j"]), arguments)

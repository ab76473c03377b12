"""Masked loads without a branch: lanes that are masked off load from zeros that the module owns.

    llvm.mlir.global internal constant @xetile_zeros(dense<0> : tensor<64xi8>)
        {addr_space = 1 : i32, alignment = 64 : i64} : !llvm.array<64 x i8>
    ...
    %zeros = llvm.mlir.addressof @xetile_zeros : !llvm.ptr<1>
    %at = arith.select %wanted, %pointer, %zeros : !llvm.ptr<1>
    %value = llvm.load %at : !llvm.ptr<1> -> vector<4xi32>

So no memory of a user's is touched where nothing is wanted, and what is loaded there is 0. Beside an unmasked load it
costs a comparison and two selections (four loads on bmg: 54 instructions without masks, 67 so, 83 with branches;
pvc 69, 80, 114; cri 40, 57, 70; measured with ocloc 26.27).
"""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntAttr, TensorType, i8
from xdsl.ir import Operation, SSAValue

from xetile.analysis.kernels import symbol_name
from xetile.dialects.upstream import arith
from xetile.errors import fail
from xetile.passes.convert_xegpu_to_xevm.lane_code import LaneCode
from xetile.targets.xe.device import GLOBAL_ADDRESS_SPACE, MOST_LANE_BYTES

NAME = "xetile_zeros"
"""What the module calls its zeros."""

_POINTER = llvm.LLVMPointerType(IntAttr(GLOBAL_ADDRESS_SPACE))


def wanted_or_zeros(view: LaneCode, wanted: SSAValue, pointer: SSAValue) -> SSAValue:
    """A pointer to global memory where a lane wants it, else one to zeros; `wanted` is an i1.

    At most `MOST_LANE_BYTES` may be loaded from it.
    """
    return view.new(arith.SelectOp(wanted, pointer, zero_block(view)))


def zero_block(view: LaneCode) -> SSAValue:
    """A pointer to `MOST_LANE_BYTES` zeros in global memory, aligned to as many."""

    def made() -> Operation:
        _define(view.function)
        return llvm.AddressOfOp(NAME, _POINTER)

    return view.shared(("zeros",), made)


def _define(function: Operation) -> None:
    """Let the module around the function own the zeros."""
    block = function.parent_block()
    assert block is not None
    variable = _variable()
    for op in block.ops:
        if symbol_name(op) == NAME:
            if not isinstance(op, llvm.GlobalOp) or op.properties != variable.properties:
                fail(
                    op,
                    f"'{NAME}' is the name of the zeros that masked loads read; rename this",
                )
            return
    variable.location = function.location
    first = block.first_op
    assert first is not None
    block.insert_op_before(variable, first)


def _variable() -> llvm.GlobalOp:
    zeros = DenseIntOrFPElementsAttr.from_list(TensorType(i8, [MOST_LANE_BYTES]), [0])
    return llvm.GlobalOp(
        llvm.LLVMArrayType(IntAttr(MOST_LANE_BYTES), i8),
        NAME,
        "internal",
        addr_space=GLOBAL_ADDRESS_SPACE,
        constant=True,
        value=zeros,
        alignment=MOST_LANE_BYTES,
    )

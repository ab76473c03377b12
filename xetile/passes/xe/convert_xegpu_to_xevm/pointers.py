"""Pointers to what a memref or an address names."""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntAttr, MemRefType, UnrealizedConversionCastOp, i8, i32, i64
from xdsl.ir import Attribute, SSAValue

from xetile.analysis.ranges import Interval
from xetile.dialects.upstream import arith, memref
from xetile.dialects.upstream.memref.layout import strides_and_offset
from xetile.dialects.xegpu.constraints import is_shared_memory
from xetile.dialects.xetile.types import memory_bits
from xetile.hints import isa
from xetile.passes.xe.convert_xegpu_to_xevm.lane_code import LaneCode
from xetile.planning.xe.words import BYTE_BITS
from xetile.rewriting.one_to_many import Offset
from xetile.targets.xe.device import GLOBAL_ADDRESS_SPACE, SHARED_ADDRESS_SPACE

_INDICES = Interval(llvm.GEP_USE_SSA_VAL + 1, 2**31 - 1)
"""What an index of `llvm.getelementptr` can be that is a number; the number below says that it is a value."""


def base_pointer(view: LaneCode, source: SSAValue) -> SSAValue:
    """A pointer to the element that offsets count from.

    Errors: XetileError where `source` is no memref with strides, nor an i64.
    """
    space, address, type = GLOBAL_ADDRESS_SPACE, source, source.type
    if isa(type, MemRefType):
        space = SHARED_ADDRESS_SPACE if is_shared_memory(type.memory_space) else space
        index = view.new(memref.ExtractAlignedPointerAsIndexOp(source))
        address = view.new(arith.IndexCastOp(index, i64))
    elif str(type) in ("ui64", "si64"):
        address = view.new(UnrealizedConversionCastOp.get([source], [i64]))
    elif type != i64:
        view.refuse(f"counts from {type}; expected a memref or i64")
    pointer = llvm.LLVMPointerType(IntAttr(space))
    made = view.new(llvm.IntToPtrOp.create(operands=[address], result_types=[pointer]))
    if isa(type, MemRefType):
        size = (memory_bits(type.element_type) or 0) // BYTE_BITS
        made = behind(view, made, view.multiply(_first(view, source, type), size))
    return made


def _first(view: LaneCode, source: SSAValue, type: MemRefType[Attribute]) -> Offset:
    """How many elements a memref's first lies behind its aligned pointer."""
    layout = strides_and_offset(type)
    if layout is None:
        view.refuse(f"counts from {type}; expected strides")
    if layout[1] is None:
        return view.emit(memref.ExtractStridedMetaDataOp(source)).results[1]
    return layout[1]


def behind(view: LaneCode, pointer: SSAValue, bytes: Offset) -> SSAValue:
    """A pointer so many bytes further."""
    if bytes == 0:
        return pointer
    type = pointer.type
    assert isinstance(type, llvm.LLVMPointerType)
    if isinstance(bytes, int) and _INDICES.holds(Interval(bytes, bytes)):
        return view.new(llvm.GEPOp(pointer, [bytes], i8, result_type=type))
    is_shared = type.addr_space == IntAttr(SHARED_ADDRESS_SPACE)
    number = view.new(arith.IndexCastOp(view.index(bytes), i32 if is_shared else i64))
    return view.new(
        llvm.GEPOp(pointer, [llvm.GEP_USE_SSA_VAL], i8, ssa_indices=[number], result_type=type)
    )

"""The slice of shared memory through which a subgroup's registers move between lanes.

The kernel has one buffer for all of its conversions. Each subgroup has its own part of it, so that lanes wait only for
their own subgroup.
"""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    IntAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    VectorType,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import Rewriter

from xetile.dialects.upstream import arith, memref
from xetile.dialects.upstream.gpu import SubgroupIdOp
from xetile.dialects.upstream.gpu.gpu_functions import FuncOp
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xevm import BlockLoadOp, BlockStoreOp
from xetile.hints import isa
from xetile.layout.exchange.steps import Access, Message, Share
from xetile.passes.xe.convert_xegpu_to_xevm.word_vectors import (
    LaneCode,
    Slice,
    chosen,
    joined,
    of_lane,
    single,
)
from xetile.planning.xe.register_layouts.conversion_prices import most_subgroups
from xetile.targets.xe.device import SHARED_ADDRESS_SPACE

_POINTER = llvm.LLVMPointerType(IntAttr(SHARED_ADDRESS_SPACE))


def share(view: LaneCode, value: SSAValue, step: Share, word_bits: int) -> SSAValue:
    """Store registers to the slice and load them in another order."""
    own = view.slice = view.slice or _new_slice(view)
    own.bytes = max(own.bytes, step.words * word_bits // 8)
    parts: list[SSAValue] = []
    for stores, loads in step.rounds:
        _wait(view)
        for message in stores:
            _store(view, own, step.store, message, chosen(view, value, message.registers))
        _wait(view)
        parts += [_load(view, own, step.load, message, word_bits) for message in loads]
    count = sum(len(message.registers) for _, loads in step.rounds for message in loads)
    return joined(view, parts, range(count))


def settle(view: LaneCode) -> None:
    """Give the buffer of conversions its final size, and count the function's buffers."""
    own, function = view.slice, view.function
    added = (own is not None) + (view.shared_buffer is not None)
    if not added:
        return
    assert isinstance(function, FuncOp)
    number = len(function.workgroup_buffers) + added
    if own is not None:
        _resize(view, function, own)
    function.attributes["workgroup_attributions"] = IntegerAttr(number, i64)


def _resize(view: LaneCode, function: FuncOp, own: Slice) -> None:
    subgroups = most_subgroups(function, view.device)
    own.size.properties["value"] = IntegerAttr(own.bytes, i32)
    Rewriter.replace_value_with_new_type(own.buffer, _buffer_type(own.bytes * subgroups))


def _buffer_type(bytes: int) -> MemRefType[IntegerType]:
    space = IntegerAttr(SHARED_ADDRESS_SPACE, i64)
    return MemRefType(i8, (bytes,), NoneAttr(), space)


def _new_slice(view: LaneCode) -> Slice:
    function = view.function
    assert isinstance(function, FuncOp)
    place = len(function.function_type.inputs) + len(function.workgroup_buffers)
    buffer = view.entry.insert_arg(_buffer_type(0), place)
    buffer.name_hint = "shared"
    index = view.emit_at_entry(memref.ExtractAlignedPointerAsIndexOp(buffer))
    number = view.emit_at_entry(arith.IndexCastOp(index, i64))
    # xDSL's constructor only supports pointers to private memory
    made = llvm.IntToPtrOp.create(operands=[number], result_types=[_POINTER])
    pointer = view.emit_at_entry(made)
    size = arith.ConstantOp(IntegerAttr(0, i32))
    view.emit_at_entry(size)
    subgroup = view.emit_at_entry(SubgroupIdOp())
    subgroup = view.emit_at_entry(arith.IndexCastOp(subgroup, i32))
    offset = view.emit_at_entry(arith.MuliOp(subgroup, size.result))
    return Slice(pointer, offset, buffer, size)


def _wait(view: LaneCode) -> None:
    """Let the lanes wait for each other; this costs no instruction, since they execute in step."""
    from xetile.dialects.upstream.spirv import ControlBarrierOp, MemorySemantics, Scope

    order = (MemorySemantics.ACQUIRE_RELEASE, MemorySemantics.WORKGROUP)
    view.emit(ControlBarrierOp(Scope.SUBGROUP, Scope.SUBGROUP, order))


def _place(
    view: LaneCode, own: Slice, access: Access, offset: int, word_bytes: int
) -> SSAValue:
    """Return the address of a message's words of this lane, or of all lanes."""
    at, number = own.offset, view.constant(offset * word_bytes, i32)
    if access.form != "block" and any(access.lanes):
        part = of_lane(view, [column * word_bytes for column in access.lanes])
        if access.form == "lanes" and any(column & offset for column in access.lanes):
            part = view.shared(("xor", part, number), lambda: arith.XOrIOp(part, number))
            offset = 0
        at = view.shared(("lanes", part), lambda: arith.AddiOp(own.offset, part))
    if offset:
        at = view.new(arith.AddiOp(at, number))
    return view.new(_byte_address(own.pointer, at))


def _byte_address(pointer: SSAValue, at: SSAValue) -> llvm.GEPOp:
    return llvm.GEPOp(
        pointer, [llvm.GEP_USE_SSA_VAL], i8, ssa_indices=[at], result_type=_POINTER
    )


def _store(
    view: LaneCode, own: Slice, access: Access, message: Message, value: SSAValue
) -> None:
    type = vector_type(value)
    assert isa(type.element_type, IntegerType)
    pointer = _place(view, own, access, message.offset, type.element_type.width.data // 8)
    if type.get_shape()[0] == 1:
        value = single(view, value, 0)
    if access.form == "block":
        view.emit(BlockStoreOp(pointer, value))
    else:
        view.emit(llvm.StoreOp(value, pointer))


def _load(
    view: LaneCode, own: Slice, access: Access, message: Message, word_bits: int
) -> SSAValue:
    pointer = _place(view, own, access, message.offset, word_bits // 8)
    type = _words(message.registers, word_bits)
    if access.form == "block":
        return view.new(BlockLoadOp(pointer, result_type=type))
    return view.new(llvm.LoadOp(pointer, type))


def _words(registers: Sequence[int], bits: int) -> Attribute:
    word = IntegerType(bits)
    return word if len(registers) == 1 else VectorType(word, (len(registers),))

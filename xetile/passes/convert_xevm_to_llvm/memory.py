"""Memrefs and pointers at L."""

from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IndexType, IntegerType, MemRefType, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.lowering import Address, Lowering, Strided
from xetile.passes.convert_xevm_to_llvm.types import (
    element_bits,
    lowered_element,
    vector_element,
    vector_length,
)
from xetile.rewriting.rewriter import Handlers, remade


def _strided(lowering: Lowering, value: SSAValue) -> Strided:
    became = lowering.get(value)
    if not isinstance(became, Strided):
        fail(
            lowering.current,
            f"'{lowering.current.name}' of {value.type} has no lowering to LLVM IR",
        )
    return became


def _element_bytes(lowering: Lowering, value: SSAValue) -> int:
    type = cast(MemRefType[Attribute], value.type).element_type
    lowered = lowered_element(type)
    if lowered is None or isinstance(lowered, llvm.LLVMPointerType):
        fail(lowering.current, f"{value.type} has no lowering to LLVM IR")
    return max(1, element_bits(lowered) // 8)


def _aligned_pointer(lowering: Lowering, op: Operation) -> None:
    """The address in front of the layout's offset; the kernel got the one behind it."""
    source, result = op.operands[0], op.results[0]
    memref, size = _strided(lowering, source), _element_bytes(lowering, source)
    if isinstance(memref.offset, int):
        lowering.bind(result, Address(memref.pointer, -memref.offset * size))
        return
    bytes = lowering.emit_value(llvm.MulOp(memref.offset, lowering.integer_constant(size, 64)))
    number = lowering.emit_value(llvm.PtrToIntOp(memref.pointer, i64))
    lowering.bind(result, lowering.emit_value(llvm.SubOp(number, bytes)))


def _bind_size(lowering: Lowering, result: SSAValue, size: int | SSAValue) -> None:
    if isinstance(size, int):
        lowering.bind(result, size)
    else:
        lowering.bind(result, lowering.resized(size, lowering.bits(result)))


def _dimension(lowering: Lowering, op: Operation) -> None:
    memref, index = _strided(lowering, op.operands[0]), lowering.number(op.operands[1])
    if index is None or not 0 <= index < len(memref.sizes):
        fail(op, f"'memref.dim' of {op.operands[0].type} needs a constant dimension of it")
    _bind_size(lowering, op.results[0], memref.sizes[index])


def _metadata(lowering: Lowering, op: Operation) -> None:
    """memref.extract_strided_metadata: buffer, offset, sizes, strides."""
    memref = _strided(lowering, op.operands[0])
    buffer, offset, *others = op.results
    # the buffer has no offset of its own: it begins where the aligned pointer points to
    size = _element_bytes(lowering, op.operands[0])
    lowering.bind(buffer, _without_offset(lowering, memref, size))
    _bind_size(lowering, offset, memref.offset)
    rank = len(memref.sizes)
    for result, extent in zip(others[:rank], memref.sizes, strict=True):
        _bind_size(lowering, result, extent)
    for dimension, result in enumerate(others[rank:]):
        _bind_size(lowering, result, _stride(lowering, memref, dimension))


def _without_offset(lowering: Lowering, memref: Strided, size: int) -> Strided:
    if memref.offset == 0:
        return Strided(memref.pointer, 0, (), ())
    number = lowering.emit_value(llvm.PtrToIntOp(memref.pointer, i64))
    bytes = lowering.size(memref.offset, 64)
    bytes = lowering.emit_value(llvm.MulOp(bytes, lowering.integer_constant(size, 64)))
    number = lowering.emit_value(llvm.SubOp(number, bytes))
    return Strided(_pointer(lowering, number, memref.pointer.type), 0, (), ())


def _stride(lowering: Lowering, memref: Strided, dimension: int) -> int | SSAValue:
    stride = memref.strides[dimension]
    if stride is not None:
        return stride
    product = lowering.integer_constant(1, 64)
    for size in memref.sizes[dimension + 1 :]:
        product = lowering.emit_value(llvm.MulOp(product, lowering.size(size, 64)))
    return product


def _pointer(lowering: Lowering, number: SSAValue, type: Attribute) -> SSAValue:
    # xDSL's constructor knows pointers to private memory only
    return lowering.emit_value(llvm.IntToPtrOp.create(operands=[number], result_types=[type]))


def _to_pointer(lowering: Lowering, op: Operation) -> None:
    source, result = op.operands[0], op.results[0]
    became = lowering.get(source)
    if isinstance(became, Address) and became.offset == 0 and became.pointer.type == result.type:
        lowering.bind(result, became.pointer)
        return
    unsigned = isa(source.type, IntegerType) and source.type.width.data < 64
    number = lowering.scalar(source)
    if unsigned and isa(number.type, IntegerType):
        number = lowering.emit_value(llvm.ZExtOp(number, i64))
    lowering.bind(result, _pointer(lowering, lowering.resized(number, 64), result.type))


def _to_integer(lowering: Lowering, op: Operation) -> None:
    (source,), (result,) = op.operands, op.results
    pointer, bits = lowering.scalar(source), lowering.bits(result)
    if bits == 64:
        lowering.bind(result, Address(pointer, 0))
    else:
        lowering.bind(result, lowering.emit_value(llvm.PtrToIntOp(pointer, IntegerType(bits))))


def _same(lowering: Lowering, op: Operation) -> None:
    """An op of LLVM on scalars, pointers and short vectors stays what it is."""
    operands: list[SSAValue] = []
    for value in op.operands:
        if isinstance(value.type, IndexType) or len(lowering.parts(value)) != 1:
            fail(op, f"'{op.name}' on {value.type} has no lowering to LLVM IR")
        operands.append(lowering.parts(value)[0])
    for result in op.results:
        length = vector_length(result.type)
        element = result.type if length is None else vector_element(result.type)
        if length not in (None, 2, 4, 8) or lowering.element(result) != element:
            fail(op, f"'{op.name}' giving {result.type} has no lowering to LLVM IR")
    made = lowering.emit(remade(op, operands, op.result_types))
    for old, new in zip(op.results, made.results, strict=True):
        lowering.bind_parts(old, [new])


_KEPT = ("llvm.getelementptr", "llvm.load", "llvm.store")
"""Ops of LLVM that mean the same at V and L."""

HANDLERS: Handlers[Lowering] = {
    **dict.fromkeys(_KEPT, _same),
    "llvm.inttoptr": _to_pointer,
    "llvm.ptrtoint": _to_integer,
    "memref.dim": _dimension,
    "memref.extract_aligned_pointer_as_index": _aligned_pointer,
    "memref.extract_strided_metadata": _metadata,
}

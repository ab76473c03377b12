"""Memrefs and pointers at L."""

from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IndexType, IntegerType, MemRefType, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.types import (
    element_bits,
    lowered_element,
    vector_element,
    vector_length,
)
from xetile.passes.convert_xevm_to_llvm.view import Address, LLVMView, Strided
from xetile.rewriting.rewriter import Handlers, remade


def _strided(view: LLVMView, value: SSAValue) -> Strided:
    became = view.get(value)
    if not isinstance(became, Strided):
        view.refuse(f"of {value.type} has no lowering to LLVM IR")
    return became


def _element_bytes(view: LLVMView, value: SSAValue) -> int:
    type = cast(MemRefType[Attribute], value.type).element_type
    lowered = lowered_element(type)
    if lowered is None or isinstance(lowered, llvm.LLVMPointerType):
        fail(view.current, f"{value.type} has no lowering to LLVM IR")
    return max(1, element_bits(lowered) // 8)


def _aligned_pointer(view: LLVMView, op: Operation) -> None:
    """The address in front of the layout's offset; the kernel got the one behind it."""
    source, result = op.operands[0], op.results[0]
    memref, size = _strided(view, source), _element_bytes(view, source)
    if isinstance(memref.offset, int):
        view.bind(result, Address(memref.pointer, -memref.offset * size))
        return
    bytes = view.new(llvm.MulOp(memref.offset, view.integer_constant(size, 64)))
    number = view.new(llvm.PtrToIntOp(memref.pointer, i64))
    view.bind(result, view.new(llvm.SubOp(number, bytes)))


def _bind_size(view: LLVMView, result: SSAValue, size: int | SSAValue) -> None:
    if isinstance(size, int):
        view.bind(result, size)
    else:
        view.bind(result, view.resized(size, view.bits(result)))


def _dimension(view: LLVMView, op: Operation) -> None:
    memref, index = _strided(view, op.operands[0]), view.number(op.operands[1])
    if index is None or not 0 <= index < len(memref.sizes):
        fail(op, f"'memref.dim' of {op.operands[0].type} needs a constant dimension of it")
    _bind_size(view, op.results[0], memref.sizes[index])


def _metadata(view: LLVMView, op: Operation) -> None:
    """memref.extract_strided_metadata: buffer, offset, sizes, strides."""
    memref = _strided(view, op.operands[0])
    buffer, offset, *others = op.results
    # the buffer has no offset of its own: it begins where the aligned pointer points to
    size = _element_bytes(view, op.operands[0])
    view.bind(buffer, _without_offset(view, memref, size))
    _bind_size(view, offset, memref.offset)
    rank = len(memref.sizes)
    for result, extent in zip(others[:rank], memref.sizes, strict=True):
        _bind_size(view, result, extent)
    for dimension, result in enumerate(others[rank:]):
        _bind_size(view, result, _stride(view, memref, dimension))


def _without_offset(view: LLVMView, memref: Strided, size: int) -> Strided:
    if memref.offset == 0:
        return Strided(memref.pointer, 0, (), ())
    number = view.new(llvm.PtrToIntOp(memref.pointer, i64))
    bytes = view.size(memref.offset, 64)
    bytes = view.new(llvm.MulOp(bytes, view.integer_constant(size, 64)))
    number = view.new(llvm.SubOp(number, bytes))
    return Strided(_pointer(view, number, memref.pointer.type), 0, (), ())


def _stride(view: LLVMView, memref: Strided, dimension: int) -> int | SSAValue:
    stride = memref.strides[dimension]
    if stride is not None:
        return stride
    product = view.integer_constant(1, 64)
    for size in memref.sizes[dimension + 1 :]:
        product = view.new(llvm.MulOp(product, view.size(size, 64)))
    return product


def _pointer(view: LLVMView, number: SSAValue, type: Attribute) -> SSAValue:
    # xDSL's constructor knows pointers to private memory only
    return view.new(llvm.IntToPtrOp.create(operands=[number], result_types=[type]))


def _to_pointer(view: LLVMView, op: Operation) -> None:
    source, result = op.operands[0], op.results[0]
    became = view.get(source)
    if (
        isinstance(became, Address)
        and became.offset == 0
        and became.pointer.type == result.type
    ):
        view.bind(result, became.pointer)
        return
    unsigned = isa(source.type, IntegerType) and source.type.width.data < 64
    number = view.scalar(source)
    if unsigned and isa(number.type, IntegerType):
        number = view.new(llvm.ZExtOp(number, i64))
    view.bind(result, _pointer(view, view.resized(number, 64), result.type))


def _to_integer(view: LLVMView, op: Operation) -> None:
    (source,), (result,) = op.operands, op.results
    pointer, bits = view.scalar(source), view.bits(result)
    if bits == 64:
        view.bind(result, Address(pointer, 0))
    else:
        view.bind(result, view.new(llvm.PtrToIntOp(pointer, IntegerType(bits))))


def _same(view: LLVMView, op: Operation) -> None:
    """An op of LLVM on scalars, pointers and short vectors stays what it is."""
    operands: list[SSAValue] = []
    for value in op.operands:
        if isinstance(value.type, IndexType) or len(view.parts(value)) != 1:
            fail(op, f"'{op.name}' on {value.type} has no lowering to LLVM IR")
        operands.append(view.parts(value)[0])
    for result in op.results:
        length = vector_length(result.type)
        element = result.type if length is None else vector_element(result.type)
        if length not in (None, 2, 4, 8) or view.element(result) != element:
            fail(op, f"'{op.name}' giving {result.type} has no lowering to LLVM IR")
    made = view.emit(remade(op, operands, op.result_types))
    for old, new in zip(op.results, made.results, strict=True):
        view.bind_parts(old, [new])


_KEPT = ("llvm.getelementptr", "llvm.load", "llvm.store")
"""Ops of LLVM that mean the same at V and L."""

HANDLERS: Handlers[LLVMView] = {
    **dict.fromkeys(_KEPT, _same),
    "llvm.inttoptr": _to_pointer,
    "llvm.ptrtoint": _to_integer,
    "memref.dim": _dimension,
    "memref.extract_aligned_pointer_as_index": _aligned_pointer,
    "memref.extract_strided_metadata": _metadata,
}

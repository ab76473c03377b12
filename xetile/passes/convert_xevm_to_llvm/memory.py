"""Memrefs and pointers at L."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IndexType, IntegerType, MemRefType, i1, i8, i64
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.errors import fail
from xetile.hints import isa
from xetile.passes.convert_xevm_to_llvm.types import (
    element_bits,
    lowered_element,
    vector_element,
    vector_length,
)
from xetile.passes.convert_xevm_to_llvm.view import Address, LLVMView, Size, Strided
from xetile.rewriting.rewriter import Handlers, remade


def strided(view: LLVMView, value: SSAValue) -> Strided:
    """What a memref became.

    Errors: XetileError for one that is no kernel argument, nor a view of one.
    """
    became = view.get(value)
    if not isinstance(became, Strided):
        view.refuse(f"of {value.type} has no lowering to LLVM IR")
    return became


def memory_element(view: LLVMView, value: SSAValue) -> Attribute:
    """The type at L in memory of a memref's elements: a byte for i1.

    Errors: XetileError where there is none.
    """
    type = cast(MemRefType[Attribute], value.type).element_type
    lowered = lowered_element(type)
    if lowered is None or isinstance(lowered, llvm.LLVMPointerType):
        fail(view.current, f"{value.type} has no lowering to LLVM IR")
    return i8 if lowered == i1 else lowered


def _element_bytes(view: LLVMView, value: SSAValue) -> int:
    return element_bits(memory_element(view, value)) // 8


def product(view: LLVMView, left: Size, right: Size) -> Size:
    """A product of 64 bits."""
    if isinstance(left, int) and isinstance(right, int):
        return left * right
    if 0 in (left, right):
        return 0
    if left == 1 or right == 1:
        return right if left == 1 else left
    return view.new(llvm.MulOp(view.size(left, 64), view.size(right, 64)))


def total(view: LLVMView, terms: Sequence[Size]) -> Size:
    """A sum of 64 bits, the numbers last."""
    number = sum(term for term in terms if isinstance(term, int))
    found: Size = 0
    for term in terms:
        if not isinstance(term, int):
            wide = view.size(term, 64)
            found = wide if isinstance(found, int) else view.new(llvm.AddOp(found, wide))
    if isinstance(found, int) or number == 0:
        return number if isinstance(found, int) else found
    return view.new(llvm.AddOp(found, view.integer_constant(number, 64)))


def _aligned_pointer(view: LLVMView, op: Operation) -> None:
    """The address in front of the layout's offset; the kernel got the one behind it."""
    source, result = op.operands[0], op.results[0]
    memref, size = strided(view, source), _element_bytes(view, source)
    if memref.pointer.type == llvm.LLVMPointerType():
        fail(
            op,
            f"the address of {source.type} has no lowering to LLVM IR: the buffer is memory of each lane, "
            "which neither tiles nor pointers reach",
        )
    if isinstance(memref.before, int):
        view.bind(result, Address(memref.pointer, -memref.before * size))
        return
    bytes = view.new(llvm.MulOp(memref.before, view.integer_constant(size, 64)))
    number = view.new(llvm.PtrToIntOp(memref.pointer, i64))
    view.bind(result, view.new(llvm.SubOp(number, bytes)))


def bind_size(view: LLVMView, result: SSAValue, size: Size) -> None:
    """Bind an index to a size, an offset or a stride."""
    if isinstance(size, int):
        view.bind(result, size)
    else:
        view.bind(result, view.resized(size, view.bits(result)))


def _dimension(view: LLVMView, op: Operation) -> None:
    memref, index = strided(view, op.operands[0]), view.number(op.operands[1])
    if index is None or not 0 <= index < len(memref.sizes):
        fail(op, f"'memref.dim' of {op.operands[0].type} needs a constant dimension of it")
    bind_size(view, op.results[0], memref.sizes[index])


def _metadata(view: LLVMView, op: Operation) -> None:
    """memref.extract_strided_metadata: buffer, offset, sizes, strides."""
    memref = strided(view, op.operands[0])
    buffer, offset, *others = op.results
    # the buffer has no offset of its own: it begins where the aligned pointer points to
    view.bind(buffer, Strided(memref.pointer, memref.before, (), (), None))
    bind_size(view, offset, total(view, [memref.before, start(view, memref)]))
    rank = len(memref.sizes)
    for result, extent in zip(others[:rank], memref.sizes, strict=True):
        bind_size(view, result, extent)
    for dimension, result in enumerate(others[rank:]):
        bind_size(view, result, stride(view, memref, dimension))


def start(view: LLVMView, memref: Strided) -> Size:
    """How many elements a memref's element zero lies behind that of the argument that it is a view of."""
    return product(view, memref.before, -1) if memref.start is None else memref.start


def stride(view: LLVMView, memref: Strided, dimension: int) -> Size:
    """How many elements neighbours along a dimension are apart."""
    known = memref.strides[dimension]
    if known is not None:
        return known
    found: Size = 1
    for size in memref.sizes[dimension + 1 :]:
        found = product(view, found, size)
    return found


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


def same(view: LLVMView, op: Operation) -> None:
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


def _address_of(view: LLVMView, op: Operation) -> None:
    """The address of a variable of the module, taken once."""
    assert isinstance(op, llvm.AddressOfOp)
    name, result = op.global_name.root_reference.data, op.result
    made = view.shared(("variable", name), lambda: llvm.AddressOfOp(name, result.type))
    view.bind(result, made)


HANDLERS: Handlers[LLVMView] = {
    "llvm.getelementptr": same,
    "llvm.inttoptr": _to_pointer,
    "llvm.mlir.addressof": _address_of,
    "llvm.ptrtoint": _to_integer,
    "memref.dim": _dimension,
    "memref.extract_aligned_pointer_as_index": _aligned_pointer,
    "memref.extract_strided_metadata": _metadata,
}

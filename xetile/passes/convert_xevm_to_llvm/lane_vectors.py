"""vector.load and vector.store at L: neighbouring elements that one lane reads or writes, chunk by chunk."""

from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, MemRefType, i1
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.memory import memory_element
from xetile.passes.convert_xevm_to_llvm.types import (
    chunk_bits,
    chunk_places,
    chunk_type,
    element_bits,
    vector_length,
    width,
)
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.passes.convert_xevm_to_llvm.views import behind, element_pointer
from xetile.rewriting.rewriter import Handlers


def _check(op: Operation, value: SSAValue, memref: SSAValue) -> None:
    if vector_length(value.type) is None:
        fail(
            op,
            f"'{op.name}' of {value.type} has no lowering to LLVM IR; expected a vector of one dimension "
            "(vector.shape_cast makes others of it)",
        )
    if isinstance(cast("MemRefType[Attribute]", memref.type).element_type, type(value.type)):
        fail(
            op,
            f"'{op.name}' of {memref.type} has no lowering to LLVM IR; expected scalars in memory",
        )


def _alignment(op: Operation, stored: Attribute) -> int:
    """Bytes: what the op promises, else those of an element, which is all that a memref does."""
    given = op.properties.get("alignment")
    promised = getattr(getattr(given, "value", None), "data", 1)
    return max(promised, element_bits(stored) // 8)


def _load(view: LLVMView, op: Operation) -> None:
    (memref, *indices), (result,) = op.operands, op.results
    _check(op, result, memref)
    stored = memory_element(view, memref)
    first, size = element_pointer(view, memref, indices), element_bits(stored) // 8
    parts: list[SSAValue] = []
    for (start, count), type in zip(
        chunk_places(width(result)), view.part_types(result), strict=True
    ):
        at = behind(view, first, start, stored)
        aligned = _alignment(op, stored) if start == 0 else size
        loaded = view.new(llvm.LoadOp(at, chunk_type(stored, count), aligned))
        narrow = chunk_bits(type) < chunk_bits(loaded.type)
        parts.append(view.new(llvm.TruncOp(loaded, type)) if narrow else loaded)
    view.bind_parts(result, parts)


def _store(view: LLVMView, op: Operation) -> None:
    value, memref, *indices = op.operands
    _check(op, value, memref)
    stored = memory_element(view, memref)
    first, size = element_pointer(view, memref, indices), element_bits(stored) // 8
    for (start, count), part in zip(
        chunk_places(width(value)), view.parts(value), strict=True
    ):
        type = chunk_type(stored, count)
        if chunk_bits(part.type) < chunk_bits(type):
            is_bit = chunk_bits(part.type) == cast(IntegerType, i1).width.data
            part = view.new((llvm.ZExtOp if is_bit else llvm.SExtOp)(part, type))
        aligned = _alignment(op, stored) if start == 0 else size
        view.emit(llvm.StoreOp(part, behind(view, first, start, stored), aligned))


HANDLERS: Handlers[LLVMView] = {"vector.load": _load, "vector.store": _store}

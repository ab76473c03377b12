"""Buffers of a workgroup at L: variables in shared memory that belong to one kernel."""

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntAttr, MemRefType, i8
from xdsl.ir import Attribute, BlockArgument

from xetile.analysis.kernels import symbol_name
from xetile.dialects.upstream.memref.layout import strides_and_offset
from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.types import element_bits, lowered_element
from xetile.passes.convert_xevm_to_llvm.view import LLVMView, Strided
from xetile.targets.xe.device import REGISTER_BYTES, SHARED_ADDRESS_SPACE

_POINTER = llvm.LLVMPointerType(IntAttr(SHARED_ADDRESS_SPACE))


def add_buffers(view: LLVMView, buffers: Sequence[BlockArgument]) -> list[llvm.GlobalOp]:
    """The variables, of which the function's buffers become pointers."""
    made: list[llvm.GlobalOp] = []
    for index, buffer in enumerate(buffers):
        type = cast(MemRefType[Attribute], buffer.type)
        name = f"{symbol_name(view.function)}_shared{index or ''}"
        variable = _variable(view, name, type)
        made.append(variable)
        pointer = view.emit_at_entry(llvm.AddressOfOp(name, _POINTER))
        layout = strides_and_offset(type)
        assert layout is not None
        view.bind(buffer, Strided(pointer, 0, type.get_shape(), tuple(layout[0])))
    return made


def buffer_bytes(variable: llvm.GlobalOp) -> int:
    """Bytes of a variable of these."""
    return cast(llvm.LLVMArrayType, variable.global_type).size.data


def _variable(view: LLVMView, name: str, type: MemRefType[Attribute]) -> llvm.GlobalOp:
    element, shape = lowered_element(type.element_type), type.get_shape()
    layout = strides_and_offset(type)
    if element is None or layout is None or layout[1] != 0 or min(shape, default=1) < 0:
        fail(view.function, f"a buffer of type {type} has no lowering to LLVM IR")
    array = llvm.LLVMArrayType(IntAttr(prod(shape) * max(8, element_bits(element)) // 8), i8)
    made = llvm.GlobalOp(
        array,
        name,
        "internal",
        addr_space=SHARED_ADDRESS_SPACE,
        alignment=REGISTER_BYTES,
    )
    made.location = view.function.location
    return made

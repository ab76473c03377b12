"""xevm's 1D block messages at L: rows of one word of each lane, in global or shared memory."""

from collections.abc import Mapping
from typing import cast

from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, SSAValue

from xetile.dialects.xevm import BlockLoadOp, BlockStoreOp
from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.builtins import row_function
from xetile.passes.convert_xevm_to_llvm.types import element_bits, vector_length, width
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.rewriting.rewriter import Handlers, on
from xetile.targets.xe.device import GLOBAL_ADDRESS_SPACE, LANES, SHARED_ADDRESS_SPACE

_SPACES: Mapping[int, str] = {GLOBAL_ADDRESS_SPACE: "global", SHARED_ADDRESS_SPACE: "local"}


def _space(op: BlockLoadOp | BlockStoreOp) -> str:
    number = getattr(cast(LLVMPointerType, op.ptr.type).addr_space, "data", 0)
    if op.cache_control is not None:
        fail(op, "cache_control of a 1D message has no lowering to LLVM IR")
    if number not in _SPACES:
        legal = " or ".join(f"{space} ({name})" for space, name in _SPACES.items())
        fail(op, f"the pointer is to address space {number}; expected {legal}")
    return _SPACES[number]


def _row_bytes(element: Attribute) -> int:
    return LANES * element_bits(element) // 8


def _load(view: LLVMView, op: BlockLoadOp) -> None:
    space, element = _space(op), view.element(op.res)
    pointer, start = view.scalar(op.ptr), 0
    parts: list[SSAValue] = []
    for type in view.part_types(op.res):
        count = vector_length(type) or 1
        name = row_function("read", space, element_bits(element), count)
        at = view.moved(pointer, start * _row_bytes(element))
        parts.append(view.result_of_call(name, [at], type))
        start += count
    view.bind_parts(op.res, parts)


def _store(view: LLVMView, op: BlockStoreOp) -> None:
    space, element = _space(op), view.element(op.val)
    pointer, start = view.scalar(op.ptr), 0
    for part in view.parts(op.val):
        count = width(part)
        name = row_function("write", space, element_bits(element), count)
        at = view.moved(pointer, start * _row_bytes(element))
        view.call(name, [at, part])
        start += count


HANDLERS: Handlers[LLVMView] = {**on(BlockLoadOp, _load), **on(BlockStoreOp, _store)}

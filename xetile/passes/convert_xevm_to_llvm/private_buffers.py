"""Memory of one lane at L: memref.alloca, and the buffers that a function declares for each work-item.

The function has it from its start on. A loop that comes to an alloca again finds the same bytes: what was in them was
gone with the round before.
"""

from math import prod
from typing import cast

from xdsl.dialects.builtin import IntegerAttr, MemRefType, NoneAttr
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.dialects.upstream.memref.layout import strides_and_offset
from xetile.passes.convert_xevm_to_llvm.memory import memory_element
from xetile.passes.convert_xevm_to_llvm.types import is_nibble
from xetile.passes.convert_xevm_to_llvm.view import LLVMView, Strided
from xetile.rewriting.rewriter import Handlers


def bind_private(view: LLVMView, buffer: SSAValue) -> None:
    """Say that a memref is an array of its own in private memory.

    Errors: XetileError for a shape that is not known, and for elements or a memory space that L has not.
    """
    type = cast("MemRefType[Attribute]", buffer.type)
    shape, layout = type.get_shape(), strides_and_offset(type)
    if not _is_private(type.memory_space):
        view.refuse(
            f"of {type} has no lowering to LLVM IR; expected a buffer of each work-item, "
            "of no memory space or #gpu.address_space<private>"
        )
    strides = [None] if layout is None else layout[0]
    if min(shape, default=1) < 0 or layout is None or layout[1] != 0 or None in strides:
        view.refuse(
            f"of {type} has no lowering to LLVM IR; expected a shape and strides that are known, and offset 0"
        )
    if is_nibble(type.element_type):
        view.refuse(
            f"of {type} has no lowering to LLVM IR: two elements share a byte; expected elements of bytes"
        )
    steps = [cast(int, stride) for stride in strides]
    last = sum((extent - 1) * step for extent, step in zip(shape, steps, strict=True))
    count = last + 1 if prod(shape) else 1
    pointer = view.private(("buffer", buffer), memory_element(view, buffer), count)
    view.bind(buffer, Strided(pointer, 0, tuple(shape), tuple(steps)))


def _is_private(space: Attribute) -> bool:
    if isinstance(space, IntegerAttr):
        return space.value.data == 0
    return isinstance(space, NoneAttr) or str(space) == "#gpu.address_space<private>"


def _alloca(view: LLVMView, op: Operation) -> None:
    bind_private(view, op.results[0])


HANDLERS: Handlers[LLVMView] = {"memref.alloca": _alloca}

"""Views of memrefs at L, which compute nothing before they are used, and single elements."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerType, MemRefType, i1, i8, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from xetile.analysis.constants import integers_of
from xetile.dialects.upstream.memref.layout import strides_and_offset
from xetile.dialects.upstream.memref.views import TransposeOp
from xetile.dialects.upstream.memref.windows import dropped_dimensions, subview_type
from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.memory import (
    bind_size,
    memory_element,
    product,
    start,
    stride,
    strided,
    total,
)
from xetile.passes.convert_xevm_to_llvm.types import is_nibble
from xetile.passes.convert_xevm_to_llvm.view import LLVMView, Size, Strided
from xetile.rewriting.rewriter import Handlers

_LISTS = ("static_offsets", "static_sizes", "static_strides")


def _type(value: SSAValue) -> MemRefType[Attribute]:
    return cast("MemRefType[Attribute]", value.type)


def _bind(
    view: LLVMView,
    result: SSAValue,
    source: Strided,
    at: Size,
    sizes: Sequence[Size],
    strides: Sequence[Size],
) -> None:
    """Bind a memref to a view, with the numbers that its type has in place of computed ones."""
    layout = strides_and_offset(_type(result))
    if layout is None:
        fail(view.current, f"the layout of {result.type} has no lowering to LLVM IR")
    shape = _type(result).get_shape()
    known_sizes = [
        known if known >= 0 else size for known, size in zip(shape, sizes, strict=True)
    ]
    known_strides = [
        found if known is None else known
        for known, found in zip(layout[0], strides, strict=True)
    ]
    view.bind(
        result,
        Strided(source.pointer, source.before, tuple(known_sizes), tuple(known_strides), at),
    )


def _mixed(view: LLVMView, op: Operation) -> list[list[Size]]:
    """The offsets, sizes and strides of an op, of which each is a number or an operand."""
    dynamic = iter(op.operands[1:])
    return [
        [
            view.amount(next(dynamic)) if number == DYNAMIC_INDEX else number
            for number in integers_of(op, name)
        ]
        for name in _LISTS
    ]


def _cast(view: LLVMView, op: Operation) -> None:
    found = strided(view, op.operands[0])
    strides = [stride(view, found, dimension) for dimension in range(len(found.sizes))]
    _bind(view, op.results[0], found, start(view, found), found.sizes, strides)


def _subview(view: LLVMView, op: Operation) -> None:
    found = strided(view, op.operands[0])
    offsets, sizes, steps = _mixed(view, op)
    strides = [stride(view, found, dimension) for dimension in range(len(found.sizes))]
    moved = [
        product(view, offset, step) for offset, step in zip(offsets, strides, strict=True)
    ]
    at = total(view, [start(view, found), *moved])
    lists = [integers_of(op, name) for name in _LISTS]
    whole = subview_type(_type(op.operands[0]), (lists[0], lists[1], lists[2]))
    dropped = whole and dropped_dimensions(whole, _type(op.results[0]), lists[1])
    assert dropped is not None, "the verifier compares the types"
    kept = [dimension for dimension in range(len(sizes)) if dimension not in dropped]
    _bind(
        view,
        op.results[0],
        found,
        at,
        [sizes[d] for d in kept],
        [product(view, steps[d], strides[d]) for d in kept],
    )


def _reinterpret_cast(view: LLVMView, op: Operation) -> None:
    """Offsets count from the aligned pointer, whatever the source's own offset is."""
    found = strided(view, op.operands[0])
    (offset,), sizes, strides = _mixed(view, op)
    at = total(view, [offset, product(view, found.before, -1)])
    _bind(view, op.results[0], found, at, sizes, strides)


def _groups(op: Operation) -> list[list[int]]:
    found = cast("Sequence[Sequence[Attribute]]", op.properties["reassociation"])
    return [[int(str(index).split()[0]) for index in group] for group in found]


def _expand(view: LLVMView, op: Operation) -> None:
    found, dynamic = strided(view, op.operands[0]), iter(op.operands[1:])
    sizes: list[Size] = [
        view.amount(next(dynamic)) if number == DYNAMIC_INDEX else number
        for number in integers_of(op, "static_output_shape")
    ]
    strides: list[Size] = [1] * len(sizes)
    for merged, group in enumerate(_groups(op)):
        step = stride(view, found, merged)
        for dimension in reversed(group):
            strides[dimension] = step
            step = product(view, step, sizes[dimension])
    _bind(view, op.results[0], found, start(view, found), sizes, strides)


def _collapse(view: LLVMView, op: Operation) -> None:
    found = strided(view, op.operands[0])
    sizes: list[Size] = []
    strides: list[Size] = []
    for group in _groups(op):
        size: Size = 1
        for dimension in group:
            size = product(view, size, found.sizes[dimension])
        sizes.append(size)
        # the innermost dimension that has neighbours says how far apart they are
        wide = [d for d in group if found.sizes[d] != 1] or group[:1]
        strides.append(stride(view, found, wide[-1]) if wide else 1)
    _bind(view, op.results[0], found, start(view, found), sizes, strides)


def _view(view: LLVMView, op: Operation) -> None:
    """Bytes as elements of another type, row-major."""
    source, shift, *dynamic = op.operands
    found, sizes = strided(view, source), iter(dynamic)
    at = total(view, [start(view, found), view.amount(shift)])
    pointer = behind(view, found.pointer, at, i8)
    shape: list[Size] = [
        view.amount(next(sizes)) if extent == DYNAMIC_INDEX else extent
        for extent in _type(op.results[0]).get_shape()
    ]
    view.bind(op.results[0], Strided(pointer, 0, tuple(shape), (*[None] * len(shape),)))


def _transpose(view: LLVMView, op: Operation) -> None:
    """The dimensions in another order."""
    found = strided(view, op.operands[0])
    assert isinstance(op, TransposeOp)
    order = [cast("AffineDimExpr", place).position for place in op.permutation.data.results]
    sizes = [found.sizes[dimension] for dimension in order]
    strides = [stride(view, found, dimension) for dimension in order]
    _bind(view, op.results[0], found, start(view, found), sizes, strides)


def _same(view: LLVMView, op: Operation) -> None:
    """Another name of the same memory."""
    view.bind(op.results[0], strided(view, op.operands[0]))


def _rank(view: LLVMView, op: Operation) -> None:
    bind_size(view, op.results[0], len(strided(view, op.operands[0]).sizes))


def element_pointer(view: LLVMView, memref: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
    """The pointer to an element.

    Errors: XetileError where elements share a byte.
    """
    found, type = strided(view, memref), memory_element(view, memref)
    if is_nibble(_type(memref).element_type):
        view.refuse(
            f"of {memref.type} has no lowering to LLVM IR: two elements share a byte; access bytes instead"
        )
    moved = [
        product(view, view.amount(index), stride(view, found, dimension))
        for dimension, index in enumerate(indices)
    ]
    return behind(view, found.pointer, total(view, [start(view, found), *moved]), type)


def behind(view: LLVMView, pointer: SSAValue, at: Size, type: Attribute) -> SSAValue:
    """The pointer so many elements further."""
    if at == 0:
        return pointer
    return view.new(
        llvm.GEPOp(
            pointer,
            [llvm.GEP_USE_SSA_VAL],
            type,
            ssa_indices=[view.size(at, 64)],
            result_type=cast("llvm.LLVMPointerType", pointer.type),
        )
    )


def _load(view: LLVMView, op: Operation) -> None:
    memref, *indices = op.operands
    value = view.new(
        llvm.LoadOp(element_pointer(view, memref, indices), memory_element(view, memref))
    )
    if view.element(op.results[0]) == i1:
        value = view.new(llvm.TruncOp(value, i1))
    view.bind_parts(op.results[0], [value])


def _store(view: LLVMView, op: Operation) -> None:
    value, memref, *indices = op.operands
    type = memory_element(view, memref)
    number = view.integer(value, 64) if type == i64 else view.scalar(value)
    if number.type == IntegerType(1):
        number = view.new(llvm.ZExtOp(number, i8))
    view.emit(llvm.StoreOp(number, element_pointer(view, memref, indices)))


HANDLERS: Handlers[LLVMView] = {
    "memref.assume_alignment": _same,
    "memref.cast": _cast,
    "memref.collapse_shape": _collapse,
    "memref.expand_shape": _expand,
    "memref.load": _load,
    "memref.rank": _rank,
    "memref.reinterpret_cast": _reinterpret_cast,
    "memref.store": _store,
    "memref.memory_space_cast": _same,
    "memref.subview": _subview,
    "memref.transpose": _transpose,
    "memref.view": _view,
}

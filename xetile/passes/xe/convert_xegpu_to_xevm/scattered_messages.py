"""Scattered accesses: per-lane messages, or block messages to shared memory if adjacent lanes access neighbors."""

from collections.abc import Iterator

from xdsl.dialects.builtin import MemRefType, VectorType
from xdsl.ir import SSAValue

from xetile.dialects import xevm
from xetile.dialects.cache_hints import warn_without_caches
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xegpu import LoadOp, PrefetchOp, StoreOp, TensorDescType
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.errors import remark_once
from xetile.hints import isa
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.passes.xe.convert_xegpu_to_xevm.held_registers import Registers
from xetile.passes.xe.convert_xegpu_to_xevm.lane_accesses import (
    Addresses,
    base_pointer,
    behind,
    loaded,
    store,
)
from xetile.passes.xe.convert_xegpu_to_xevm.lane_view import LaneView
from xetile.passes.xe.convert_xegpu_to_xevm.message_ops import load_control, store_control
from xetile.passes.xe.convert_xegpu_to_xevm.word_vectors import single
from xetile.planning.xe.message_words import BYTE_BITS
from xetile.planning.xe.register_layouts.access_layouts import LaneAccess, is_shared
from xetile.planning.xe.register_layouts.candidates import default_layout
from xetile.planning.xe.register_layouts.layout_rules import repeating
from xetile.rewriting.rewriter import Handlers, on


def _load(view: LaneView, op: LoadOp) -> None:
    access, layout = _planned(view, op)
    addresses = _addresses(view, access, layout, op.source)
    element = vector_type(op.value).element_type
    mask = _mask(view, access, layout)
    control = None if _is_uncached(access) else load_control(op)
    made = loaded(view, addresses, mask, layout, element, control)
    view.bind_vector(op.value, made)


def _store(view: LaneView, op: StoreOp) -> None:
    access, layout = _planned(view, op)
    addresses = _addresses(view, access, layout, op.dest)
    value = view.converted(view.taken(op, 0), layout)
    control = None if _is_uncached(access) else store_control(op)
    store(view, addresses, _mask(view, access, layout), value, control)


def _is_uncached(access: LaneAccess) -> bool:
    """Return True for shared memory, which has no caches; warn the user if the op has cache hints."""
    if access.access.is_shared:
        warn_without_caches(access.op)
    return access.access.is_shared


def _planned(view: LaneView, op: LoadOp | StoreOp) -> tuple[LaneAccess, LinearLayout]:
    found = view.layouts.access(op)
    if found is None:
        type = op.value.type
        element = type.element_type if isa(type, VectorType) else type
        if (memory_bits(element) or 0) < BYTE_BITS:
            view.refuse(f"of {element} has several elements in a byte; expected i8")
        view.refuse(
            f"has {type}, what one lane holds; expected XeGPU of one subgroup, an offset and a mask for each element "
            "or chunk"
        )
    return found


# Bases, offsets and masks.


def _addresses(
    view: LaneView, access: LaneAccess, layout: LinearLayout, base: SSAValue
) -> Addresses:
    plan, places = access.plan(layout), access.access.places
    if isinstance(base.type, TensorDescType):
        descriptor = view.scattered(base)
        pointer, offsets = descriptor.pointer, None
        if places.unknown is not None:
            assert access.relation is not None
            offsets = descriptor.offsets(view, repeating(access.relation, layout))
        return Addresses(view, access.access, plan, pointer, offsets)
    offsets = None
    if access.offsets is not None:
        offsets = view.natural(_of_value(view, access, access.offsets, layout))
    pointer = base_pointer(view, view.single(base))
    return Addresses(view, access.access, plan, pointer, offsets)


def _mask(view: LaneView, access: LaneAccess, layout: LinearLayout) -> SSAValue | None:
    if access.mask is None:
        return None
    return view.natural(_of_value(view, access, access.mask, layout))


def _of_value(
    view: LaneView, access: LaneAccess, index: int, layout: LinearLayout
) -> Registers:
    """Return an offset or a mask for each register of the value."""
    assert access.relation is not None
    part = view.taken(access.op, index)
    return view.converted(part, repeating(access.relation, layout)).relaid(layout)


# Prefetches.


def _prefetch(view: LaneView, op: PrefetchOp) -> None:
    """Prefetch the cache line of each offset, in the lane that has the offset."""
    if is_shared(op.source):
        remark_once(
            op, f"'{op.name}' from shared memory is left out; no cache stands in front of it"
        )
        return
    control = load_control(op)
    for pointer in _prefetched(view, op):
        view.emit(xevm.PrefetchOp(pointer, cache_control=control))


def _prefetched(view: LaneView, op: PrefetchOp) -> Iterator[SSAValue]:
    size = _offset_bytes(op)
    if isinstance(op.source.type, TensorDescType):
        descriptor = view.scattered(op.source)
        layout = descriptor.own_layout(view)
        pointer, places = descriptor.pointer, descriptor.offsets(view, layout)
    else:
        pointer, offsets = base_pointer(view, view.single(op.source)), op.offsets
        assert offsets is not None
        if not isa(offsets.type, VectorType):
            yield behind(view, pointer, view.multiply(view.single(offsets), size))
            return
        layout = default_layout(offsets.type.get_shape(), view.device.lanes)
        places = view.natural(view.held(offsets, layout))
    for register in range(layout.in_dim_size("register")):
        place = single(view, places, register)
        yield behind(view, pointer, view.multiply(place, size))


def _offset_bytes(op: PrefetchOp) -> int:
    """Return the number of bytes that an offset of 1 means."""
    if op.offset_align_byte is not None:
        return op.offset_align_byte.value.data
    type = op.source.type
    assert isa(type, MemRefType) or isinstance(type, TensorDescType)
    return (memory_bits(type.element_type) or BYTE_BITS) // BYTE_BITS


HANDLERS: Handlers[LaneView] = {
    **on(PrefetchOp, _prefetch),
    **on(LoadOp, _load),
    **on(StoreOp, _store),
}

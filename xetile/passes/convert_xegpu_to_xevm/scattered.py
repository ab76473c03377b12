"""Scattered accesses: per-lane messages, or block messages to shared memory where lanes have neighbours."""

from xdsl.dialects.builtin import VectorType
from xdsl.ir import SSAValue
from xdsl.utils.hints import isa

from xetile.dialects.upstream.vector.support import vector_type
from xetile.dialects.xegpu import LoadOp, PrefetchOp, StoreOp, TensorDescType
from xetile.dialects.xetile.types import memory_bits
from xetile.errors import remark_once
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.passes.convert_xegpu_to_xevm.lane_accesses import loaded, store
from xetile.passes.convert_xegpu_to_xevm.lane_addresses import Addresses
from xetile.passes.convert_xegpu_to_xevm.pointers import base_pointer
from xetile.passes.convert_xegpu_to_xevm.registers import Registers
from xetile.passes.convert_xegpu_to_xevm.view import LaneView
from xetile.planning.layout_rules import repeating
from xetile.planning.register_layouts.accesses import LaneAccess
from xetile.planning.words import BYTE_BITS
from xetile.rewriting.rewriter import Handlers, on


def _load(view: LaneView, op: LoadOp) -> None:
    access, layout = _planned(view, op)
    addresses = _addresses(view, access, layout, op.source)
    element = vector_type(op.value).element_type
    view.bind_vector(
        op.value, loaded(view, addresses, _mask(view, access, layout), layout, element)
    )


def _store(view: LaneView, op: StoreOp) -> None:
    access, layout = _planned(view, op)
    addresses = _addresses(view, access, layout, op.dest)
    value = view.converted(view.taken(op, 0), layout)
    store(view, addresses, _mask(view, access, layout), value)


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
        if places.varying:
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
    """An offset or a mask for each register of the value."""
    assert access.relation is not None
    part = view.taken(access.op, index)
    return view.converted(part, repeating(access.relation, layout)).relaid(layout)


def _prefetch(_: LaneView, op: PrefetchOp) -> None:
    """Nothing: a prefetch of lanes takes as many messages as the load that it is to make faster."""
    remark_once(op, f"'{op.name}' of scattered elements is left out; it changes no result")


HANDLERS: Handlers[LaneView] = {
    **on(PrefetchOp, _prefetch),
    **on(LoadOp, _load),
    **on(StoreOp, _store),
}

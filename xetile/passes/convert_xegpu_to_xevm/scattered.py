"""Scattered accesses: per-lane messages, or block messages to shared memory where lanes have neighbours."""

from xdsl.ir import Operation, SSAValue

from xetile.dialects.upstream.vector.support import vector_type
from xetile.dialects.xegpu import LoadOp, StoreOp, TensorDescType
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.passes.convert_xegpu_to_xevm.lane_accesses import loaded, store
from xetile.passes.convert_xegpu_to_xevm.lane_addresses import Addresses
from xetile.passes.convert_xegpu_to_xevm.pointers import base_pointer
from xetile.passes.convert_xegpu_to_xevm.registers import Registers
from xetile.passes.convert_xegpu_to_xevm.view import LaneView
from xetile.planning.layout_rules import repeating
from xetile.planning.register_layouts.accesses import LaneAccess
from xetile.rewriting.rewriter import Handlers, on


def _load(view: LaneView, op: LoadOp) -> None:
    access, layout = _planned(view, op, op.source)
    addresses = _addresses(view, access, layout, op.source)
    element = vector_type(op.value).element_type
    view.bind_vector(
        op.value, loaded(view, addresses, _mask(view, access, layout), layout, element)
    )


def _store(view: LaneView, op: StoreOp) -> None:
    access, layout = _planned(view, op, op.dest)
    addresses = _addresses(view, access, layout, op.dest)
    value = view.converted(view.taken(op, 0), layout)
    store(view, addresses, _mask(view, access, layout), value)


def _planned(view: LaneView, op: Operation, base: SSAValue) -> tuple[LaneAccess, LinearLayout]:
    if isinstance(base.type, TensorDescType):
        view.refuse(
            f"through {base.type} is not lowered to XeVM yet; expected a base and offsets"
        )
    found = view.layouts.access(op)
    if found is None:
        view.refuse("is not lowered to XeVM yet")
    return found


# Bases, offsets and masks.


def _addresses(
    view: LaneView, access: LaneAccess, layout: LinearLayout, base: SSAValue
) -> Addresses:
    offsets = None
    if access.offsets is not None:
        offsets = view.natural(_of_value(view, access, access.offsets, layout))
    pointer = base_pointer(view, view.single(base))
    return Addresses(view, access.access, access.plan(layout), pointer, offsets)


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


HANDLERS: Handlers[LaneView] = {
    **on(LoadOp, _load),
    **on(StoreOp, _store),
}

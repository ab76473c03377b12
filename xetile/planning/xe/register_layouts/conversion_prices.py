"""Conversions between register layouts: those that a choice of layouts needs, their reasons, and their prices."""

from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from xetile.analysis.constants import integers_of
from xetile.analysis.module_kernels import subgroup_count
from xetile.dialects.traits import Elementwise, has_trait
from xetile.dialects.upstream.gpu.gpu_functions import FuncOp
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xegpu.nd_ops import REGISTER_BITS
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.exchange.columns import LANE
from xetile.layout.exchange.plans import Plan, PlanKind, plan
from xetile.layout.exchange.step_prices import Prices
from xetile.planning.shared_memory import buffer_bytes, plan_shared_memory
from xetile.planning.xe.register_layouts.classes import Use
from xetile.planning.xe.register_layouts.held import Held
from xetile.planning.xe.register_layouts.reduction_steps import (
    Reduction,
    is_in_order,
    reduction,
)
from xetile.targets.xe.device import XeDevice

_IMPOSSIBLE = 1e9


class Conversions:
    """The conversions of one function, and their prices."""

    def __init__(self, prices: Prices) -> None:
        self._prices = prices
        self._least = min(
            *(prices.broadcast, *prices.swaps[1:], prices.permutation),
            *(prices.select, prices.shared_setup),
        )
        self._known: dict[tuple[Held, Held, int], float] = {}
        self._reductions: dict[tuple[Use, Held, Held | None], Reduction] = {}

    def plan(self, source: Held, target: Held, bits: int) -> Plan:
        """Return the plan that converts a vector of elements of `bits`."""
        return plan(source.layout, target.layout, bits, self._prices)

    def price(self, source: Held, target: Held, bits: int) -> float:
        """Return the instructions of a conversion; each element that moves to a word of another width costs one."""
        if source is target or source == target:
            return 0
        key = (source, target, bits)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._moving(source, target, bits) + _repacking(
                source, target, bits
            )
        return found

    def floor(self, source: Held, target: Held, bits: int) -> float:
        """Return a lower bound of the price without planning: lanes that hold other elements need an exchange."""
        known = self._known.get((source, target, bits))
        if known is not None:
            return known
        if _differ_by_lanes(source.layout, target.layout):
            return self._least
        return self.price(source, target, bits)

    def reduction(self, use: Use, source: Held, wanted: Held | None) -> Reduction:
        """Return the plan that reduces a vector held as `source` to the layout `wanted`; None for a scalar."""
        key = (use, source, wanted)
        found = self._reductions.get(key)
        if found is None:
            found = self._reductions[key] = self._reduced(use, source, wanted)
        return found

    def _reduced(self, use: Use, source: Held, wanted: Held | None) -> Reduction:
        assert use.relation is not None
        op = use.op
        is_whole = op.name == "vector.reduction"
        return reduction(
            use.relation,
            source.layout,
            None if wanted is None else wanted.layout,
            (0,) if is_whole else tuple(integers_of(op, "reduction_dims")),
            use.moved.bits,
            self._prices,
            in_order=is_in_order(op, vector_type(use.moved.value).element_type),
        )

    def _moving(self, source: Held, target: Held, bits: int) -> float:
        if source.layout == target.layout:
            return 0
        try:
            return self.plan(source, target, bits).price
        except LayoutError:
            return _IMPOSSIBLE


def _differ_by_lanes(source: LinearLayout, target: LinearLayout) -> bool:
    """Return True if lanes hold other elements, so that no renaming of registers converts one layout to the other."""
    names = source.out_dim_names == target.out_dim_names
    ours, theirs = source.in_columns.get(LANE), target.in_columns.get(LANE)
    return names and ours is not None and theirs is not None and ours != theirs


def _repacking(source: Held, target: Held, bits: int) -> int:
    return 0 if source.word == target.word or bits >= REGISTER_BITS else target.registers


def conversion_prices(function: Operation, device: XeDevice) -> Prices:
    """Return the device's prices, with the shared memory that each subgroup of the kernel can have.

    Without a gpu.func there is none.
    """
    if not isinstance(function, FuncOp):
        return device.prices._replace(slice_bytes=0)
    subgroups = most_subgroups(function, device)
    taken = sum(buffer_bytes(buffer.type) for buffer in function.workgroup_buffers)
    taken += plan_shared_memory(function).bytes
    return device.prices.among(subgroups, max(0, device.shared_bytes - taken))


def most_subgroups(function: Operation, device: XeDevice) -> int:
    """Return the subgroups of a workgroup, or those of the largest one if the kernel does not say how many."""
    found = subgroup_count(function)
    return device.most_subgroups if found is None else found


class Conversion(NamedTuple):
    """A vector operand that is converted by a plan: `price` in instructions, executed in `depth` loops.

    `is_ahead` is True if it is placed right after the definition, outside of loops in which it is used.
    """

    op: Operation
    operand: int
    source: Held
    target: Held
    plan: Plan
    price: float
    depth: int
    reason: str
    is_ahead: bool

    @property
    def kind(self) -> PlanKind:
        """The kind of the plan."""
        return self.plan.kind

    @property
    def conflicts(self) -> int:
        """The additional cycles in banks of shared memory."""
        return self.plan.conflicts

    @property
    def value(self) -> SSAValue:
        """The vector that is converted."""
        return self.op.operands[self.operand]


class Reduced(NamedTuple):
    """A vector operand that is reduced, in its own layout, by the planned reduction."""

    op: Operation
    operand: int
    source: Held
    plan: Reduction


def reason_of(use: Use) -> str:
    """Return the reason why an op needs a vector in its layout."""
    name = use.op.name
    if use.fixed is not None:
        what = "operand of the matrix instruction" if name == "xegpu.dpas" else "message"
        return f"the {what} has this layout"
    if use.reduces:
        return f"'{name}' reduces registers rather than lanes"
    if use.relation is not None:
        return f"the result of '{name}' is taken so"
    if has_trait(use.op, Elementwise):
        return f"'{name}' computes in this layout"
    return f"'{name}' hands on what has this layout"

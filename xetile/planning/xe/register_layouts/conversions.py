"""The conversions that a choice of layouts asks for, and why."""

from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from xetile.dialects.traits import Elementwise, has_trait
from xetile.layout.exchange.plans import Plan, PlanKind
from xetile.planning.xe.register_layouts.classes import Use
from xetile.planning.xe.register_layouts.held import Held
from xetile.planning.xe.register_layouts.reductions import Reduction


class Conversion(NamedTuple):
    """A vector operand that is converted by a plan: `price` in instructions, executed in `depth` loops.

    `is_ahead`: it stands right behind the definition, outside of loops in which it is used.
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
        """By what it is converted."""
        return self.plan.kind

    @property
    def conflicts(self) -> int:
        """Additional cycles in banks of shared memory."""
        return self.plan.conflicts

    @property
    def value(self) -> SSAValue:
        """The vector that is converted."""
        return self.op.operands[self.operand]


class Reduced(NamedTuple):
    """A vector operand that is reduced, in the layout in which it is held, by what was planned for it."""

    op: Operation
    operand: int
    source: Held
    plan: Reduction


def reason_of(use: Use) -> str:
    """Why an op takes a vector as it does."""
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

"""A layout for every vector of level X: its registers and lanes, and the conversions at its uses."""

from collections.abc import Iterable, Iterator
from functools import cached_property

from xdsl.ir import Operation, SSAValue

from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xegpu import LoadNdOp, StoreNdOp
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.intel.message_layouts import BlockConfiguration
from xetile.planning.xe.register_layouts.access_layouts import LaneAccess
from xetile.planning.xe.register_layouts.candidates import default_layout, spread, taken_as
from xetile.planning.xe.register_layouts.choice import Choice, choose
from xetile.planning.xe.register_layouts.classes import REDUCTIONS, Graph, Use
from xetile.planning.xe.register_layouts.conversion_prices import (
    Conversion,
    Conversions,
    Reduced,
    conversion_prices,
    reason_of,
)
from xetile.planning.xe.register_layouts.held import Held, store_message
from xetile.planning.xe.register_layouts.joins import Join, joins
from xetile.planning.xe.register_layouts.layout_rules import pulled
from xetile.targets.xe.device import XeDevice


def plan_registers(function: Operation, device: XeDevice) -> "RegisterLayouts":
    """Choose the layouts of all vectors of a kernel at level X."""
    graph = Graph(function, device)
    spread(graph)
    conversions = Conversions(conversion_prices(function, device))
    return RegisterLayouts(graph, choose(graph.classes, conversions), conversions)


class RegisterLayouts:
    """The layouts that `plan_registers` chose for a function: (register, lane) -> (dim0, dim1, ...) of each vector."""

    def __init__(self, graph: Graph, choice: Choice, known: Conversions) -> None:
        self._graph = graph
        self._choice = choice
        self._known = known

    @property
    def vectors(self) -> Iterable[SSAValue]:
        """The vectors that have a layout, in program order."""
        return self._graph.depths

    def depth_of(self, value: SSAValue) -> int:
        """Return the number of loops around a vector's definition."""
        return self._graph.depths[value]

    def holds(self, value: SSAValue) -> bool:
        """Return True if a vector has a layout: it is neither computed where it is used nor copied unchanged."""
        return self._graph.find(value) is not None

    def of(self, value: SSAValue) -> LinearLayout:
        """Return the layout of a vector for which `holds` is True."""
        made = self._graph.find(value)
        assert made is not None, f"no layout of {value}"
        return self._choice[made].layout

    def taken(self, op: Operation, index: int) -> LinearLayout:
        """Return the layout to which a vector operand is converted before an op uses it, or in which it is computed.

        A reduction takes its operand unchanged, and so does an op that relates no layouts.
        """
        graph, value = self._graph, op.operands[index]
        fixed = graph.fixed(op)
        if index < len(fixed):
            return fixed[index].layout
        source = graph.find(value)
        taker, relation = graph.taker(op, index)
        is_kept = taker is None or (op.name in REDUCTIONS and index == 0)
        if source is not None and is_kept:
            return self._choice[source].layout
        if taker is None:
            return default_layout(vector_type(value).get_shape(), graph.device.lanes)
        layout = self._choice[taker].layout
        return layout if relation is None else pulled(relation, layout)

    def message(self, op: LoadNdOp | StoreNdOp) -> BlockConfiguration | None:
        """Return the message of a load or a store, or None if it does not move a two-dimensional block."""
        if isinstance(op, StoreNdOp):
            stored = store_message(op)
            return None if stored is None else stored.configuration
        return self._messages.get(op)

    def access(self, op: Operation) -> tuple[LaneAccess, LinearLayout] | None:
        """Return a scattered access of a vector and the layout of that vector, or None for other ops."""
        found = self._graph.accesses.get(op)
        if found is None:
            return None
        return found, self._choice[self._graph.access_class(op)].layout

    @property
    def accesses(self) -> Iterator[tuple[LaneAccess, LinearLayout]]:
        """The scattered accesses of vectors, in program order, with the layouts of the vectors."""
        for op, access in self._graph.accesses.items():
            yield access, self._choice[self._graph.access_class(op)].layout

    def is_unread(self, op: Operation) -> bool:
        """Return True if an op only states facts about addresses, so that nothing of it is computed."""
        return op in self._graph.unread

    def joined(self, op: LoadNdOp) -> Join | None:
        """Return the larger message of which a load is a part, or None."""
        return self._joins.get(op)

    @cached_property
    def _messages(self) -> dict[LoadNdOp, BlockConfiguration]:
        return {
            load: message.configuration
            for made in self._graph.classes
            for message in reversed(made.messages)
            if message.held == self._choice[made]
            and isinstance(load := made.first.owner, LoadNdOp)
        }

    @cached_property
    def _joins(self) -> dict[LoadNdOp, Join]:
        blocks = dict.fromkeys(op.parent for op in self._messages)
        found = joins(filter(None, blocks), self._messages, self._graph.device)
        return {load: join for join in found for load in join.loads}

    def ahead(self, value: SSAValue) -> tuple[LinearLayout, ...]:
        """Return the layouts to which a vector is converted right after its definition, for uses in loops below it."""
        return self._ahead.get(value, ())

    @cached_property
    def _ahead(self) -> dict[SSAValue, tuple[LinearLayout, ...]]:
        found: dict[SSAValue, tuple[LinearLayout, ...]] = {}
        for conversion in self.conversions:
            if conversion.is_ahead and conversion.source.layout != conversion.target.layout:
                known = found.get(conversion.value, ())
                found[conversion.value] = tuple(
                    dict.fromkeys((*known, conversion.target.layout))
                )
        return found

    @cached_property
    def conversions(self) -> tuple[Conversion, ...]:
        """The conversions in program order, without those that cost nothing."""
        return tuple(self._conversions())

    @property
    def reductions(self) -> Iterator[Reduced]:
        """The vectors that are reduced, with the plan of each reduction."""
        for made in self._graph.classes:
            held = self._choice[made]
            for use in (use for moved in made.moved for use in moved.uses):
                if use.reduces and use.relation is not None:
                    taker = None if use.taker is None else self._choice[use.taker]
                    plan = self._known.reduction(use, held, taker)
                    yield Reduced(use.op, use.index, held, plan)

    def _conversions(self) -> Iterator[Conversion]:
        for made in self._graph.classes:
            held = self._choice[made]
            for moved in made.moved:
                depth = self._graph.depths[moved.value]
                shown: set[Held] = set()
                for use in moved.uses:
                    taker = None if use.taker is None else self._choice[use.taker]
                    if use.reduces and use.relation is not None:
                        yield from self._turning(use, held, taker)
                    target = taken_as(use, taker)
                    if target is None or target in shown:
                        continue
                    shown.add(target)
                    price = self._known.price(held, target, moved.bits)
                    if price:
                        plan = self._known.plan(held, target, moved.bits)
                        yield Conversion(
                            use.op,
                            use.index,
                            held,
                            target,
                            plan,
                            price,
                            depth,
                            reason_of(use),
                            is_ahead=self._graph.depth_of(use.op) > depth,
                        )

    def _turning(self, use: Use, held: Held, taker: Held | None) -> Iterator[Conversion]:
        """Yield the conversion with which a reduction begins, if there is one."""
        target = Held(self._known.reduction(use, held, taker).operand)
        plan = self._known.plan(held, target, use.moved.bits)
        if plan.price:
            yield Conversion(
                use.op,
                use.index,
                held,
                target,
                plan,
                plan.price,
                use.depth,
                reason_of(use),
                is_ahead=False,
            )

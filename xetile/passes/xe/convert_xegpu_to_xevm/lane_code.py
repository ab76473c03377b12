"""Code of one lane: which lane it is, and the shared memory that its subgroup has."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from xdsl.dialects.builtin import i32
from xdsl.ir import BlockArgument, Operation, SSAValue

from xetile.analysis.ranges import Interval
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.gpu import LaneIdOp
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.planning.shared_memory import plan_shared_memory
from xetile.planning.xe.register_layouts.conversion_prices import conversion_prices
from xetile.rewriting.layout_arithmetic import apply_layout
from xetile.rewriting.one_to_many import Expansion, Offset
from xetile.rewriting.rewriter import Handlers
from xetile.targets.xe.device import XeDevice


@dataclass(eq=False)
class Slice:
    """The subgroup's part: where the buffer begins, and the part's offset in it (an i32, bytes).

    Its size is that of the largest exchange, known in the end: `settle` writes it into the
    buffer's type and into the constant from which the offset is computed.
    """

    pointer: SSAValue
    offset: SSAValue
    buffer: BlockArgument
    size: arith.ConstantOp
    bytes: int = 0


class LaneCode(Expansion):
    """A function that is rebuilt as the code of one lane."""

    def __init__(
        self, function: Operation, handlers: Handlers[Self], target: XeDevice
    ) -> None:
        super().__init__(function, handlers)
        self.device = target
        self.shared_memory = plan_shared_memory(function)
        self.prices = conversion_prices(function, target)
        self.slice: Slice | None = None
        self.shared_buffer: SSAValue | None = None
        self._lane_parts: dict[tuple[int, ...], SSAValue] = {}

    def lane(self) -> SSAValue:
        """The number of this lane in its subgroup."""
        return self.shared(("lane",), LaneIdOp)

    def lane_number(self) -> SSAValue:
        """The same as an i32."""
        lane = self.lane()
        return self.shared(("lane number",), lambda: arith.IndexCastOp(lane, i32))

    def lane_part(self, columns: Sequence[int]) -> Offset:
        """What the bits of the lane's number, each with its column, give together, as an index."""
        key = tuple(columns)
        if not any(key):
            return 0
        if key not in self._lane_parts:
            size = max(key).bit_length()
            layout = LinearLayout.of_columns({"lane": key}, {"part": size})
            lane = self.lane()
            known = {lane: Interval(0, (1 << len(key)) - 1)}
            made = apply_layout(layout, {"lane": lane}, self._put_at_entry, ranges=known)
            part = made["part"]
            assert isinstance(part, SSAValue)
            self._lane_parts[key] = part
        return self._lane_parts[key]

    def _put_at_entry(self, op: Operation) -> Operation:
        self.emit_at_entry(op)
        return op

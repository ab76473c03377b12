"""The planner of Xe devices, for lowering from W to S."""

from dataclasses import dataclass
from math import ceil
from typing import ClassVar, Literal, cast

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation

from xetile.dialects.xetile import TileType
from xetile.layout.algebra.block_grids import power_of_two_part
from xetile.layout.algebra.linear_layout import LayoutError
from xetile.layout.intel.dpas_layouts import dpas_operand_layout
from xetile.planning.planner import Cell, Place
from xetile.planning.xe.message_plans import in_memory, plan
from xetile.targets.target import Target
from xetile.targets.xe.device import XeDevice
from xetile.targets.xe.dpas import depth, ops_per_channel
from xetile.targets.xe.prices import CONVERSIONS, ELEMENTWISE, SHARED_ROUND


@dataclass(frozen=True)
class XePlanner:
    """The planner of one device; see `Planner`."""

    device: XeDevice

    exchange_round: ClassVar[float] = SHARED_ROUND

    def access(
        self, unit: TileType, use: Literal["load", "prefetch"], *, turned: bool
    ) -> float | None:
        """See `Planner.access`."""
        message = plan(self.device, use, unit, transposed=turned)
        if message is None:
            return None
        rows, columns = in_memory(unit, unit.get_shape())
        count = ceil(rows / message.rows) * ceil(columns / message.width)
        return count * self.device.prices.block_message

    def elementwise(self, op: Operation) -> float:
        """See `Planner.elementwise`."""
        types = [cast(VectorType[Attribute], v.type).element_type for v in op.results]
        for value in op.operands[:1]:
            if isinstance(value.type, VectorType):
                source = cast("VectorType[Attribute]", value.type).element_type
                if (found := CONVERSIONS.get((str(source), str(types[0])))) is not None:
                    return found
        return ELEMENTWISE.get(op.name, 1)

    def operand(self, unit: Place, bits: int, role: Literal["a", "b"]) -> Cell | None:
        """See `Planner.operand`."""
        deep = depth(bits)
        rows = power_of_two_part(unit[0], self.device.prices.block_words)
        extents = (rows, deep) if role == "a" else (deep, self.device.lanes)
        if any(n % own for n, own in zip(unit, extents, strict=True)):
            return None
        try:
            layout = dpas_operand_layout(
                role, extents, repeat_count=rows, ops_per_channel=ops_per_channel(bits)
            )
        except LayoutError:
            return None
        columns = [
            tuple([(row, column) for row, column in layout.bases[name]])
            for name in ("register", "lane")
        ]
        return Cell(extents, columns[0], columns[1])


def planner(target: Target) -> XePlanner:
    """Return the planner of a device."""
    assert isinstance(target, XeDevice)
    return XePlanner(target)

"""How many registers a kernel has live at once, at level L, where all that is emitted stands.

Three figures, in registers of the device, the first two with the op behind which the most are live:

- `counted`, as IGC counts (`*_RegEst.ll` of `-igc_opts 'ShaderDumpEnable=1,DumpRegPressureEstimate=1'`): what is
  copied out of a message's registers counts beside them.
- `held`: what must be in registers at once; parts of a message are in its registers. Where that does not fit, it is
  what remains in the order that IGC then takes (`scheduling.py`).
- `ahead`: what would be in registers if the operands of all products of a block were loaded first, so of all rounds
  that are written in one.

A kernel spills where `held` is more than MOST_HELD of the register file; test/data/registers.tsv has what IGC says
and does.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, i32
from xdsl.ir import Attribute, Operation

from xetile.levels import REGISTERS_ATTRIBUTE
from xetile.planning.pressure.liveness import Point, bytes_along, live_after
from xetile.planning.pressure.reading import Reading, read_kernel
from xetile.planning.pressure.scheduling import folded, loads_first, scheduled
from xetile.targets.target import RegisterFile
from xetile.targets.xe.device import LANES, MOST_HELD, REGISTER_BYTES, REORDERED_FROM


class Peak(NamedTuple):
    """The most registers that are live at once, and the op behind which they are; None where nobody knows it."""

    registers: int
    at: Operation | None


class Estimate(NamedTuple):
    """The figures of a kernel, and `held` in the order that it is written in.

    `ahead` is `held` where the small register file does not hold the kernel, whatever comes first.
    """

    counted: Peak
    held: Peak
    written: Peak
    ahead: int

    def fits(self, file: RegisterFile) -> bool:
        """Whether a register file holds the kernel."""
        return self.held.registers <= MOST_HELD[file]

    def fills_large(self, ahead: int) -> bool:
        """Whether the large register file is the better one: the small one spills, or ends loads ahead of products.

        `ahead` is a device's `registers_ahead`, which says why.
        """
        return not self.fits("small") or self.ahead > max(self.held.registers, ahead)


def estimate(function: llvm.FuncOp) -> Estimate:
    """The registers of a kernel of the llvm dialect."""
    copying = read_kernel(function, LANES)
    counted, reading = _peak(copying), copying.without_copies()
    held = written = _peak(reading)
    moved = counted.registers >= REORDERED_FROM or held.registers > MOST_HELD["large"]
    if not reading.multiplies:
        counted = min(counted, _peak(copying, folded), key=_registers)
        held = min(held, _peak(reading, folded), key=_registers)
    if moved:
        orders = (_peak(reading, partial(scheduled, late=late)) for late in (False, True))
        held = min(held, *orders, key=_registers)
        counted = min(counted, held, key=_registers)
    ahead = held.registers
    if ahead <= MOST_HELD["small"]:
        ahead = _peak(reading, loads_first).registers
    return Estimate(counted, held, written, ahead)


def _registers(peak: Peak) -> int:
    return peak.registers


def _as_written(points: Sequence[Point]) -> Sequence[int]:
    return range(len(points))


def _peak(
    reading: Reading, order_of: Callable[[Sequence[Point]], Sequence[int]] = _as_written
) -> Peak:
    """The peak of a kernel as it is written, or with each block in an order that IGC may take."""
    best, at = 0, None
    after = live_after(reading.blocks)
    for block, ops, live in zip(reading.blocks, reading.ops, after, strict=True):
        order = order_of(block.points)
        found = bytes_along(reading.sizes, [block.points[place] for place in order], live)
        if found and max(found) > best:
            best = max(found)
            at = ops[order[found.index(best)]]
    return Peak(-(-best // REGISTER_BYTES), at)


def note(function: llvm.FuncOp, found: Estimate) -> None:
    """Write an estimate on its kernel."""
    figures: dict[str, Attribute] = {
        "counted": IntegerAttr(found.counted.registers, i32),
        "held": IntegerAttr(found.held.registers, i32),
        "ahead": IntegerAttr(found.ahead, i32),
    }
    function.attributes[REGISTERS_ATTRIBUTE] = DictionaryAttr(figures)


def noted(function: llvm.FuncOp) -> Estimate:
    """The estimate that is written on a kernel, or a new one."""
    written = function.attributes.get(REGISTERS_ATTRIBUTE)
    if not isinstance(written, DictionaryAttr):
        return estimate(function)
    keys = ("counted", "held", "ahead")
    counted, held, ahead = (_peak_of(written.data.get(key)) for key in keys)
    if counted is None or held is None or ahead is None:
        return estimate(function)
    return Estimate(counted, held, held, ahead.registers)


def _peak_of(figure: Attribute | None) -> Peak | None:
    return Peak(figure.value.data, None) if isinstance(figure, IntegerAttr) else None

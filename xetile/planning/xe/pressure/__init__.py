"""The registers that a kernel has live at once, at level L, where all emitted ops are known.

There are three figures, in registers of the device. The first two name the op after which the most are live:

- `counted`, as IGC counts (`*_RegEst.ll` of `-igc_opts 'ShaderDumpEnable=1,DumpRegPressureEstimate=1'`): copies
  out of a message's registers count in addition to them.
- `held`: the registers needed at once, with parts of a message in its registers. If they do not fit, it is the number
  in the order that IGC then chooses (`scheduling.py`).
- `ahead`: the registers needed if the operands of all products of a block were loaded first, including those of all
  rounds that are unrolled into one.

A kernel spills if `held` is more than MOST_HELD of the register file; test/data/registers.tsv has IGC's counts and
results.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, i32
from xdsl.ir import Attribute, Operation

from xetile.levels import REGISTERS_ATTRIBUTE
from xetile.planning.xe.pressure.liveness import Point, bytes_along, live_after, live_behind
from xetile.planning.xe.pressure.llvm_reading import Reading, read_kernel
from xetile.planning.xe.pressure.scheduling import folded, loads_first, scheduled
from xetile.targets.target import RegisterFile
from xetile.targets.xe.device import LANES, MOST_HELD, REGISTER_BYTES, REORDERED_FROM


class Peak(NamedTuple):
    """The most registers live at once, and the op after which they are live; None if it is not known."""

    registers: int
    at: Operation | None


class Holder(NamedTuple):
    """The bytes made by an op, or carried from it to a block, among those that are live at once."""

    op: Operation
    bytes: int


class _Found(NamedTuple):
    """A peak, and its location: block, order of its points, place in that order, values live after the block."""

    peak: Peak
    block: int = 0
    order: Sequence[int] = ()
    place: int = 0
    after: int = 0


class Estimate(NamedTuple):
    """The figures of a kernel; `written` is `held` in the kernel's own order.

    `ahead` equals `held` if the small register file does not hold the kernel in any order. `holders` returns the ops
    that made the values live at the peak of `held`, or nothing if the estimate was read from a kernel's attribute.
    """

    counted: Peak
    held: Peak
    written: Peak
    ahead: int
    holders: "Callable[[], Sequence[Holder]]" = tuple

    def fits(self, file: RegisterFile) -> bool:
        """Return True if the kernel fits into a register file."""
        return self.held.registers <= MOST_HELD[file]

    def fills_large(self, ahead: int) -> bool:
        """Return True if the large register file is better: the small one spills, or prevents loads ahead of products.

        `ahead` is a device's `registers_ahead`, which documents the reason.
        """
        return not self.fits("small") or self.ahead > max(self.held.registers, ahead)


def estimate(function: llvm.FuncOp) -> Estimate:
    """Estimate the registers of a kernel of the llvm dialect."""
    copying = read_kernel(function, LANES)
    found, reading = _peak(copying), copying.without_copies()
    written = _peak(reading)
    moved = (
        found.peak.registers >= REORDERED_FROM or written.peak.registers > MOST_HELD["large"]
    )
    held, counted = written, found.peak
    if not reading.multiplies:
        counted = min(counted, _peak(copying, folded).peak, key=_registers)
        held = min(held, _peak(reading, folded), key=_found_registers)
    if moved:
        orders = (_peak(reading, partial(scheduled, late=late)) for late in (False, True))
        held = min(held, *orders, key=_found_registers)
        counted = min(counted, held.peak, key=_registers)
    ahead = held.peak.registers
    if ahead <= MOST_HELD["small"]:
        ahead = _peak(reading, loads_first).peak.registers
    return Estimate(counted, held.peak, written.peak, ahead, partial(holders, reading, held))


def holders(reading: Reading, found: _Found) -> Sequence[Holder]:
    """Return the makers of the values live at a peak, largest first; the last round makes what a loop carries."""
    if found.peak.at is None:
        return ()
    points = [reading.blocks[found.block].points[at] for at in found.order]
    makers: dict[int, Operation] = {}
    for block, ops in zip(reading.blocks, reading.ops, strict=True):
        for point, op in zip(block.points, ops, strict=True):
            makers |= dict.fromkeys(point.made, op)
    sums: Counter[Operation] = Counter()
    for value in live_behind(points, found.after, found.place):
        last = value
        seen = {last}
        while reading.carried.get(last) and reading.carried[last][-1] not in seen:
            last = reading.carried[last][-1]
            seen.add(last)
        sums[makers[last]] += reading.sizes[value]
    return tuple(Holder(op, size) for op, size in sums.most_common())


def _registers(peak: Peak) -> int:
    return peak.registers


def _found_registers(found: _Found) -> int:
    return found.peak.registers


def _as_written(points: Sequence[Point]) -> Sequence[int]:
    return range(len(points))


def _peak(
    reading: Reading, order_of: Callable[[Sequence[Point]], Sequence[int]] = _as_written
) -> _Found:
    """Return the peak of a kernel as it is written, or with each block in an order that IGC may choose."""
    best, found = 0, _Found(Peak(0, None))
    after = live_after(reading.blocks)
    for number, (block, ops, live) in enumerate(
        zip(reading.blocks, reading.ops, after, strict=True)
    ):
        order = order_of(block.points)
        sizes = bytes_along(reading.sizes, [block.points[place] for place in order], live)
        if sizes and max(sizes) > best:
            best = max(sizes)
            place = sizes.index(best)
            peak = Peak(-(-best // REGISTER_BYTES), ops[order[place]])
            found = _Found(peak, number, order, place, live)
    return found


def note(function: llvm.FuncOp, found: Estimate) -> None:
    """Write an estimate on its kernel as an attribute."""
    figures: dict[str, Attribute] = {
        "counted": IntegerAttr(found.counted.registers, i32),
        "held": IntegerAttr(found.held.registers, i32),
        "ahead": IntegerAttr(found.ahead, i32),
    }
    function.attributes[REGISTERS_ATTRIBUTE] = DictionaryAttr(figures)


def noted(function: llvm.FuncOp) -> Estimate:
    """Return the estimate that is written on a kernel, or a new one."""
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

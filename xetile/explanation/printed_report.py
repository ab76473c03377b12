"""An explanation as a report for people: a few tables for each kernel, units in their headings."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from textwrap import wrap

from xetile.explanation.facts import Access, Kernel, Place, Tally
from xetile.explanation.measures import figures_of
from xetile.explanation.text_tables import number, table
from xetile.layout.algebra.notebook_tables import counted

WIDTH = 120
"""Columns at which running text wraps."""

_LEAST_REGISTERS = 1
"""Holders of fewer registers are summed in one line."""

_IN = "  "

_COLUMNS = {
    "products": "dpas",
    "loads": "loads",
    "stores": "stores",
    "prefetches": "prefetches",
    "atomics": "atomics",
    "shared": "shared",
    "shuffles": "shuffles",
    "barriers": "barriers",
}
"""The columns of a tally, by attribute."""


@dataclass(frozen=True)
class Explanation:
    """The kernels of a module, explained; `str` is the report."""

    kernels: tuple[Kernel, ...]

    def __str__(self) -> str:
        return "\n\n".join("\n".join(_kernel(kernel)) for kernel in self.kernels)


def _kernel(kernel: Kernel) -> Iterator[str]:
    yield from _head(kernel)
    parts = (_accesses, _loops, _work, _instructions, _registers, _owners, _conversions)
    for part in parts:
        yield ""
        yield from part(kernel)


def _head(kernel: Kernel) -> Iterator[str]:
    where = "" if kernel.place is None else f", {kernel.place}"
    yield f"@{kernel.name} on {kernel.device}{where}"
    grid = "known to the host alone" if kernel.grid is None else _shape(kernel.grid)
    size = (
        "of a size that the host gives"
        if kernel.subgroups is None
        else f"of {counted(kernel.subgroups, 'subgroup')}"
    )
    shared = f"{kernel.shared_bytes:,} bytes" if kernel.shared_bytes else "none"
    yield f"{_IN}grid: {grid}; workgroups {size}; shared memory: {shared}"


def _accesses(kernel: Kernel) -> Iterator[str]:
    if not kernel.accesses:
        yield "memory: none is accessed"
        return
    yield "memory: tiles, and what one subgroup moves in one round"
    rows = [("at", "", "matrix", "workgroup", "subgroup", "messages", "bytes", "in")]
    rows += [_access(access) for access in kernel.accesses]
    yield from table(rows, "<<<>><><", indent=_IN)
    if kernel.is_tested:
        yield f"{_IN}beside all this: the same with gathers, for matrices that 2D messages may not reach (assume=check)"


def _access(access: Access) -> tuple[str, ...]:
    units = f"{access.units} x " if access.units > 1 else ""
    return (
        _place(access.place),
        f"shared {access.kind}" if access.space == "shared" else access.kind,
        " ".join(filter(None, (access.matrix, access.element))),
        _shape(access.workgroup),
        units + _shape(access.subgroup),
        " + ".join(map(str, access.messages)) or "none",
        f"{access.bytes:,}",
        "" if access.loop is None else f"loop {access.loop + 1}",
    )


def _loops(kernel: Kernel) -> Iterator[str]:
    tallies = [kernel.once, *(loop.tally for loop in kernel.loops)]
    shown = [name for name in _COLUMNS if any(getattr(tally, name) for tally in tallies)]
    names = [*(_COLUMNS[name] for name in shown), "bytes"]
    once = [*_tally(kernel.once, shown), f"{_bytes(kernel, None):,}"]
    right = ">" * len(names)
    if not kernel.loops:
        yield "no loop: what one subgroup does"
        yield from table([names, once], right, indent=_IN)
        return
    yield "loops: what one subgroup does in one round"
    rows = [("", "at", "rounds", "emitted", *names)]
    for at, loop in enumerate(kernel.loops):
        rows.append(
            (
                f"loop {at + 1}" + ("" if loop.outer is None else f" in {loop.outer + 1}"),
                _place(loop.place),
                "unknown" if loop.rounds is None else f"{loop.rounds:,}",
                _copies(loop.copies, loop.rounds),
                *_tally(loop.tally, shown),
                f"{_bytes(kernel, at):,}",
            )
        )
    rows.append(("outside", "", "", "", *once))
    yield from table(rows, "<<><" + right, indent=_IN)


def _copies(copies: int, rounds: int | None) -> str:
    if copies == rounds:
        return "no loop"
    return f"{copies} rounds in one" if copies > 1 else "as written"


def _tally(tally: Tally, shown: Iterable[str]) -> list[str]:
    return [f"{getattr(tally, name):,}" for name in shown]


def _bytes(kernel: Kernel, loop: int | None) -> int:
    moved = (one for one in kernel.accesses if one.loop == loop and one.space == "global")
    return sum(access.bytes for access in moved)


def _work(kernel: Kernel) -> Iterator[str]:
    found = figures_of(kernel)
    who = "workgroup" if found.subgroups is not None else "subgroup"
    part = "" if found.unit == "kernel" else f" in one round of loop {(kernel.hot or 0) + 1}"
    yield f"work of a {who}{part}"
    rows = [("flops of dpas", f"{found.flops:,}", "")] if found.flops else []
    for name, size in (
        ("bytes of its tiles", found.tile_bytes),
        ("bytes of its messages", found.message_bytes),
    ):
        if size is not None:
            each = f"{number(found.flops / size)} flops a byte" if found.flops and size else ""
            rows.append((name, f"{size:,}", each))
    yield from table(rows, "<><", indent=_IN)


def _instructions(kernel: Kernel) -> Iterator[str]:
    by = "by ocloc" if kernel.counter == "ocloc" else "by estimate of level L"
    yield f"instructions of a subgroup, {by}"
    if kernel.hot is None:
        yield f"{_IN}{number(kernel.instructions)} in all"
    else:
        products = kernel.loops[kernel.hot].tally.products
        beside = "" if kernel.outside is None else f"; {kernel.outside:,} outside"
        yield (
            f"{_IN}{number(kernel.instructions)} in a round of loop {kernel.hot + 1}, "
            f"{kernel.instructions / products:.2f} for each dpas{beside}"
        )
    spilled = f"{kernel.spilled:,} bytes of a thread" if kernel.spilled else "none"
    yield f"{_IN}spilled: {spilled}"


def _registers(kernel: Kernel) -> Iterator[str]:
    found = kernel.registers
    at = "" if found.place is None else f", at {_place(found.place)}"
    yield f"registers of {found.bytes} bytes, by estimate: {found.held} live at once{at}"
    yield (
        f"{_IN}{found.file} file: {found.size} of a thread, {found.most} live ones spill nothing; "
        f"IGC counts {found.counted}, with copies"
    )
    large = [holder for holder in found.holders if holder.registers >= _LEAST_REGISTERS]
    rest = sum(holder.registers for holder in found.holders) - sum(h.registers for h in large)
    rows = [(number(holder.registers), _place(holder.place), holder.op) for holder in large]
    if rest:
        rows.append((number(rest), "elsewhere", ""))
    yield from table(rows, "><<", indent=_IN)


def _owners(kernel: Kernel) -> Iterator[str]:
    if not kernel.owners:
        yield "between subgroups: nothing moves"
        return
    yield "between subgroups: values that change their owners, by sg_layout x sg_data"
    for one in kernel.owners:
        yield from _wrapped(f"{_place(one.place)}  {one.what}", _IN)
        yield from _wrapped(one.how, _IN * 2)


def _wrapped(text: str, indent: str) -> Iterator[str]:
    yield from wrap(text, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}{_IN}")


def _conversions(kernel: Kernel) -> Iterator[str]:
    if not kernel.conversions:
        yield "between lanes and registers: nothing moves"
        return
    yield "between lanes and registers: vectors that are converted, and the price in instructions"
    rows = [("at", "", "vector", "price", "by", "in", "since")]
    names = {loop.place: f"loop {at + 1}" for at, loop in enumerate(kernel.loops)}
    for one in kernel.conversions:
        rows.append(
            (
                _place(one.place),
                one.op,
                one.type.removeprefix("vector<").removesuffix(">"),
                (f"{one.count} x " if one.count > 1 else "") + number(one.price),
                one.how,
                names.get(one.loop, "") if one.loop else "",
                _reason(one.why),
            )
        )
    yield from table(rows, "<<<><<<", indent=_IN)


def _reason(why: str) -> str:
    """Return the reason for a conversion, without the name that its op has at level X."""
    why = re.sub(r"^'[\w.]+' ", "it ", why)
    return re.sub(r"^the result of '[\w.]+'", "its result", why)


def _place(place: Place | None) -> str:
    return "?" if place is None else f"{PurePath(place.file).name}:{place.line}:{place.column}"


def _shape(shape: tuple[int, ...] | None) -> str:
    return "" if shape is None else "x".join(map(str, shape))

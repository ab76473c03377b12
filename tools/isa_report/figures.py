"""The file of figures: what a run found, and what changed since the one before."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tools.isa_report.counting import Counts, Found

FILE = Path(__file__).with_name("figures.json")

KEPT = (
    "total",
    "load2d",
    "prefetch2d",
    "store2d",
    "bound",
    "dpas",
    "mov",
    "alu",
    "sync",
    "outside",
    "instructions",
    "cycles",
    "loop_unroll",
    "unrolled_completely",
    "prefetch_distance_least",
    "prefetch_distance_most",
    "estimated_registers",
    "grf_count",
    "spill_size",
)

COMPARED = ("total", "load2d", "prefetch2d", "outside", "instructions", "cycles", "spill_size")
"""Of ours, where less is better."""

NOISE = 0.01
"""What two builds of the same code may differ by (counts are rounded)."""


class Upstream(NamedTuple):
    """What one of upstream's ways makes; `fails` says why it makes nothing."""

    way: str
    counts: Counts | None
    fails: str = ""


class Row(NamedTuple):
    """A kernel on a device."""

    ours: Counts | None
    fails: str
    stock: Upstream | None
    best: Upstream | None

    @property
    def is_above_upstream(self) -> bool:
        """Whether upstream's best has fewer instructions in its loop."""
        if self.best is None or self.best.counts is None:
            return False
        return self.ours is None or self.ours["total"] > self.best.counts["total"] + NOISE


Figures = dict[str, dict[str, Row]]
"""By kernel and device."""


def row(found: Found, ways: Mapping[str, Found]) -> Row:
    """A row from what was counted; `ways` in their order, the stock one first."""
    upstream = [Upstream(name, _kept(way.counts), way.fails) for name, way in ways.items()]
    made = [way for way in upstream if way.counts is not None]
    best = min(made, key=_total, default=upstream[-1] if upstream else None)
    return Row(_kept(found.counts), found.fails, upstream[0] if upstream else None, best)


def _total(way: Upstream) -> float:
    return way.counts["total"] if way.counts else 0.0


def _kept(counts: Counts | None) -> Counts | None:
    return None if counts is None else {key: counts[key] for key in KEPT if key in counts}


def read(file: Path = FILE) -> Figures:
    """The figures of the last run that was written; empty where there was none."""
    if not file.exists():
        return {}
    stored: dict[str, dict[str, Any]] = json.loads(file.read_text())
    return {
        name: {device: _row(found) for device, found in devices.items()}
        for name, devices in stored.items()
    }


def _row(found: dict[str, Any]) -> Row:
    stock, best = (
        None if found[key] is None else Upstream(**found[key]) for key in ("stock", "best")
    )
    return Row(found["ours"], found["fails"], stock, best)


def written(figures: Figures) -> str:
    """The text of the file: one line for each code."""
    lines = ["{"]
    for position, (name, devices) in enumerate(figures.items()):
        lines.append(f" {json.dumps(name)}: {{")
        for place, (device, found) in enumerate(devices.items()):
            stored = {
                "ours": found.ours,
                "fails": found.fails,
                "stock": found.stock and found.stock._asdict(),
                "best": found.best and found.best._asdict(),
            }
            inside = ",\n   ".join(f'"{key}": {json.dumps(v)}' for key, v in stored.items())
            lines.append(f'  "{device}": {{\n   {inside}}}' + _comma(place, devices))
        lines.append(" }" + _comma(position, figures))
    return "\n".join([*lines, "}", ""])


def _comma(position: int, among: Mapping[str, object]) -> str:
    return "," if position + 1 < len(among) else ""


class Change(NamedTuple):
    """A figure of ours that is not what it was."""

    kernel: str
    device: str
    key: str
    before: float
    after: float

    @property
    def is_worse(self) -> bool:
        """More of anything is."""
        return self.after > self.before

    def __str__(self) -> str:
        said = "worse" if self.is_worse else "better"
        return f"{said}: {self.kernel}, {self.device}: {self.key} {self.before:g} -> {self.after:g}"


def changes(before: Figures, after: Figures) -> Iterator[Change]:
    """What changed of ours where both have the figure; a kernel that compiles no more has infinitely many."""
    for name, devices in after.items():
        for device, found in devices.items():
            known = before.get(name, {}).get(device)
            if known is None or known.ours is None:
                continue
            if found.ours is None:
                yield Change(name, device, "total", known.ours["total"], float("inf"))
                continue
            for key in COMPARED:
                if key in known.ours and key in found.ours:
                    old, new = known.ours[key], found.ours[key]
                    if abs(old - new) > NOISE:
                        yield Change(name, device, key, old, new)

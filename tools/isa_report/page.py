"""The page `docs/code-quality.md`: figures as tables, one for each device."""

import re
from collections.abc import Iterator
from pathlib import Path

from tools.isa_report.counting import Counts
from tools.isa_report.figures import Figures, Row, Upstream
from tools.isa_report.kernels import KERNELS

PAGE = Path(__file__).parents[2] / "docs" / "code-quality.md"

BEGINNING = """\
# The machine code that is made

Instructions of kernels in the assembly that Intel's offline compiler makes (ocloc 26.27), ours beside those of
upstream's XeGPU (LLVM 22.1.8): compiled in the same run with the same options, counted by the same counter, that of
`xetile-compile --stats` ([what it counts](compiling.md#statistics)). Nothing was run on a GPU, and fewer
instructions are not always less time.

    python -m tools.isa_report                compares with the figures that are stored; status 1 if one got worse
    python -m tools.isa_report --write        stores them, and writes this page and its picture
    python -m tools.isa_report --device bmg --only 'attention*'

![Instructions of the loop: ours, upstream's best, upstream's stock](pictures/code-quality.svg)

Products are of 4096 x 4096, with tiles of 256x256 for a workgroup and 32x64 for a subgroup unless the name says
another, and 256 registers. A step is a K step of 32 (16 for tf32), 64 keys of attention, a block of 8x16 of softmax in
three passes, and 8 rows of 256, the whole kernel, where rows stay in registers.

- **loop**: instructions of the loop per step; (xN): a round of it has N steps, (all): the compiler left no loop.
- **loads**: 2D loads and prefetches per step, and the fewest that the device's tables allow; behind it how many matrix
  instructions stand between a prefetch and the load of what it fetched, the fewest and the most.
- **outside**: instructions that are not in the loop. **executed**: what a subgroup executes for K = 4096 or 4096 keys,
  where the number of rounds is known.
- **cycles**: of the busiest part of a vector engine per step, by published rates: a bound from below.
- **upstream's best**: the least of its ways: workgroup level, also with `xegpu.convert_layout`; subgroup level, also
  with `array_length` and opt's scalarizer behind mlir-opt, or with `xegpu-optimize-block-loads` for what is transposed.
  **stock**: `gpu-lower-to-xevm-pipeline` as it is. We wrote its texts, with the same steps as ours.
- **!**: upstream's loop has fewer instructions than ours.
"""

COLUMNS = (
    "kernel",
    "loop",
    "loads",
    "dpas",
    "mov",
    "outside",
    "executed",
    "cycles",
    "registers, spill",
    "upstream's best",
    "its loads, outside",
    "stock",
)
HEADER = f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}"


def page(figures: Figures) -> str:
    """The whole page."""
    parts = [BEGINNING.rstrip("\n"), ""]
    devices = list(dict.fromkeys(device for rows in figures.values() for device in rows))
    for device in devices:
        parts += [f"## {device}", "", HEADER]
        parts += [
            _line(name, rows[device]) for name, rows in figures.items() if device in rows
        ]
        parts.append("")
    parts += ["## Where upstream stops", ""]
    parts += list(_stops(figures))
    return "\n".join(parts).rstrip("\n") + "\n"


def _line(name: str, row: Row) -> str:
    cells = [name + (" **!**" if row.is_above_upstream else "")]
    if row.ours is None:
        cells += [f"fails: {row.fails}", *[""] * 7]
    else:
        cells += _ours(row.ours)
    cells += _upstream(name, row)
    return f"| {' | '.join(cells)} |"


def _ours(counts: Counts) -> list[str]:
    ahead = ""
    if "prefetch_distance_least" in counts:
        least, most = (counts[f"prefetch_distance_{end}"] for end in ("least", "most"))
        ahead = f", {least:g} to {most:g} ahead"
    executed = counts.get("instructions")
    spill = f", {counts['spill_size']:g} bytes" if counts["spill_size"] else ""
    return [
        _loop(counts),
        f"{number(_messages(counts))} of {number(counts['bound'])}{ahead}",
        number(counts["dpas"]),
        number(counts["mov"]),
        number(counts["outside"]),
        "" if executed is None else number(executed),
        number(counts["cycles"]),
        f"{counts['grf_count']:g}{spill}",
    ]


def _loop(counts: Counts) -> str:
    rounds = counts["loop_unroll"]
    said = f" (x{rounds:g})" if rounds > 1 else ""
    if counts.get("unrolled_completely"):
        said = " (all)"
    return f"{number(counts['total'])}{said}"


def _messages(counts: Counts) -> float:
    return counts["load2d"] + counts["prefetch2d"]


def _upstream(name: str, row: Row) -> list[str]:
    if row.best is None or row.stock is None:
        return [KERNELS[name].why_none, "", ""]
    stock = "fails" if row.stock.counts is None else _loop(row.stock.counts)
    if row.best.counts is None:
        return ["fails", "", stock]
    counts = row.best.counts
    spill = f", spills {counts['spill_size']:g} bytes" if counts["spill_size"] else ""
    return [
        f"{_loop(counts)}{spill}, {row.best.way}",
        f"{number(_messages(counts))}, {number(counts['outside'])}",
        stock,
    ]


def _stops(figures: Figures) -> Iterator[str]:
    """Each kernel of which a way makes nothing, once, with the reason of the first device."""
    for name, rows in figures.items():
        said: set[str] = set()
        for row in rows.values():
            for label, way in (("stock", row.stock), ("best", row.best)):
                if way is not None and way.counts is None and _key(way) not in said:
                    said.add(_key(way))
                    which = "" if label == "stock" else ", nor another way"
                    yield f"- {name}{which}: {way.way}: `{_short(way.fails)}`"


def _key(way: Upstream) -> str:
    return f"{way.way} {_short(way.fails)}"


def _short(reason: str) -> str:
    first = re.sub(r" for \w+$", "", reason.replace("`", "'"))
    return first if len(first) <= LONGEST else f"{first[:LONGEST].rsplit(' ', 1)[0]} ..."


LONGEST = 110
"""Characters of a reason that are shown."""


def number(value: float) -> str:
    """With at most two places."""
    return f"{round(value, 2):g}" if value < 10_000 else str(round(value))

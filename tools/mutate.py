"""Plants faults in copies of the project, one at a time, and shows whether the tests notice.

    python tools/mutate.py [--seed N] [--count N] [--at-least N] [--only N] [--room ROOM]... [--list] [--jobs N]

The faults are small edits, chosen by the seed over `analysis`, `passes`, `planning`, `layout` and `rewriting`, or over
what `--room` names, in proportion to lines; those that tests once missed (`RECORDED` of `tools/mutants/faults.py`) are
planted in every run. First all tests are run without a fault, which shows that they pass and which statements each
executes; a fault is then given to the tests that execute its line, then to the lit files of its room. What the tests do
without a fault is kept in `${XDG_CACHE_HOME:-~/.cache}/xetile-mutate` until a file changes.

Status 0: at least `--at-least` of the chosen faults are killed, and all recorded ones; 1: fewer; 2: tests fail
without a fault.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from mutants.command import fault_parser, judge_all
from mutants.faults import ROOMS, Fault, choose, recorded_faults
from mutants.judge import Baseline, Failed, Suite, Verdict, copy_project, judge, measure

ROOT = Path(__file__).resolve().parent.parent

SUITE = Suite(
    rooms=ROOMS,
    tests=(
        "test/unit/analysis",
        "test/unit/layout",
        "test/unit/planning",
        "test/unit/rewriting",
        "test/unit/passes",
        "test/unit/kernels",
        "test/unit/explanation",
        "test/unit/examples",
        "test/unit/codegen/test_emit.py",
        "test/unit/cli/test_anchors.py",
        "test/unit/cli/test_layout.py",
        "test/unit/cli/test_layout_convert.py",
        "test/unit/cli/test_layout_wgmma.py",
        "test/unit/dialects/xetile",
        "test/unit/interpreter/test_levels.py",
    ),
    cases={
        **{
            f"xetile/passes/{name}": (f"test/ir/passes/{name.replace('_', '-')}",)
            for name in (
                "tiles/xetile_wg_to_sg",
                "tiles/xetile_infer_wg_map",
                "xe/xetile_init_duplicate",
                "xe/xetile_blocking",
                "xe/xetile_blockop_fallback",
                "xe/convert_xetile_to_xegpu",
                "xe/convert_xegpu_to_xevm",
                "xe/convert_xevm_to_llvm",
            )
        },
        "xetile/rewriting": ("test/ir/passes/tiles/xetile-wg-to-sg",),
        "xetile/planning": (
            "test/ir/passes/xe/xetile-blocking",
            "test/ir/passes/xe/convert-xetile-to-xegpu",
        ),
    },
    parts=(
        "xetile",
        "test",
        "examples",
        "docs",
        "tools",
        "README.md",
        "pyproject.toml",
    ),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant the faults; the result is the exit status."""
    options = _parser().parse_args(arguments)
    only: int | None = options.only
    rooms: Sequence[str] = options.room or ROOMS
    chosen = choose(ROOT, seed=options.seed, count=options.count, rooms=rooms)
    faults = dict(enumerate(chosen))
    if only is not None:
        faults = {only: faults[only]}
    if options.list:
        print(*(f"{number:3} {fault}" for number, fault in faults.items()), sep="\n")
        return 0
    recorded = recorded_faults(ROOT)
    with TemporaryDirectory(prefix="mutate-") as folder:
        copies = [Path(folder).resolve() / str(n) for n in range(options.jobs)]
        for copy in copies:
            copy_project(ROOT, copy, SUITE)
        print("tests without a fault ...", file=sys.stderr)
        try:
            baseline = measure(copies, SUITE, store=_store())
        except Failed as failure:
            print(failure, "\nmutate: the tests fail without a fault", sep="", file=sys.stderr)
            return 2
        verdicts = _judge_all([*recorded, *faults.values()], copies, baseline, options.budget)
    for name, fault in [
        *((f"{n}", f) for n, f in faults.items()),
        *((f.name, f) for f in recorded),
    ]:
        print(f"{name:>3} {_line(fault, verdicts[fault])}")
    killed = sum(verdicts[fault].killed for fault in faults.values())
    print(f"{len(baseline.tests)} tests pass without a fault")
    print(f"{killed} of {len(faults)} killed (seed {options.seed})")
    enough = killed >= min(options.at_least, len(faults))
    return 0 if enough and all(verdicts[fault].killed for fault in recorded) else 1


def _line(fault: Fault, verdict: Verdict) -> str:
    word = "killed" if verdict.killed else "SURVIVED"
    return f"{word:8} {verdict.seconds:4.0f} s  {fault}  [{verdict.by}]"


def _parser() -> argparse.ArgumentParser:
    parser = fault_parser(
        "Plants faults and shows whether tests notice.", count=60, at_least=57, found="killed"
    )
    parser.add_argument(
        "--room",
        action="append",
        choices=[room for room in _folders() if room.startswith(ROOMS)],
        metavar="ROOM",
        help="a folder of the faults, as xetile/analysis; may be given several times (all)",
    )
    parser.add_argument(
        "--budget", type=float, default=40.0, help="seconds of tests for one fault (40)"
    )
    return parser


def _folders() -> list[str]:
    return [
        path.parent.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("xetile/**/__init__.py")
    ]


def _store() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "xetile-mutate"


def _judge_all(
    faults: Sequence[Fault], copies: Sequence[Path], baseline: Baseline, budget: float
) -> dict[Fault, Verdict]:
    """A verdict for each fault; each copy holds one fault at a time."""

    def one(fault: Fault, copy: Path) -> Verdict:
        verdict = judge(fault, copy, SUITE, baseline, budget=budget)
        print(_line(fault, verdict), file=sys.stderr, flush=True)
        return verdict

    return dict(zip(faults, judge_all(faults, copies, one), strict=True))


if __name__ == "__main__":
    sys.exit(main())

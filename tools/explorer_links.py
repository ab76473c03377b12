"""How much of each kernel the explorer links: ops of every level to those above, instructions to ops of level L.

    python -m tools.explorer_links [--device bmg cri] [--only GLOB ...] [--jobs N]

Every example and every variant of the library's kernels on every device that takes it. Each op below the first level
has one parent, but for declarations at level L; 99 of 100 instructions have an op below the function; SPIR-V without
marks is that which `xetile.emit` gives. Needs ocloc. Prints what misses that, then the worst figure of each level; the
status is 1 where anything misses.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from fnmatch import fnmatchcase
from os import cpu_count
from pathlib import Path
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp

import xetile
from tools.library_variants import VARIANTS, devices_of
from xetile.codegen import lower_to_llvm
from xetile.errors import XetileError, collected_remarks
from xetile.explorer.isa.spirv_marks import marked
from xetile.explorer.model import Kernel, Level
from xetile.progress import Bar
from xetile.targets import names
from xetile.toolchain.ocloc import need_ocloc

PROGRAM = "explorer_links"
EXAMPLES = Path(__file__).parents[1] / "examples"
SYNTAX = EXAMPLES / "rfc" / "main-text.mlir"
"""Functions that show how things are written, of which few can be lowered."""

LEAST = 0.99
"""The part of the instructions that has an op."""

LEVELS = "WSBXVLI"
"""In the order in which figures are printed; level P has labels and declarations, which came of no op."""


class Case(NamedTuple):
    """A kernel's name, on a device: an example's path, or that of a variant of the library."""

    name: str
    device: str

    def __str__(self) -> str:
        return f"{self.name} on {self.device}"


class Figure(NamedTuple):
    """How many ops of a level are linked, of how many."""

    level: str
    linked: int
    ops: int

    @property
    def part(self) -> float:
        """The part that is linked."""
        return self.linked / self.ops if self.ops else 1.0

    @property
    def misses(self) -> bool:
        """Whether that is less than asked for."""
        return self.part < LEAST if self.level == "I" else self.linked < self.ops


class Found(NamedTuple):
    """What came of a case: figures of its kernels, what is wrong beside them, or why it is not taken."""

    case: Case
    figures: Sequence[Figure] = ()
    wrong: Sequence[str] = ()
    refused: str | None = None


def cases() -> list[Case]:
    """Every example and every variant on every device."""
    files = sorted({*EXAMPLES.glob("*.mlir"), *EXAMPLES.glob("rfc/*.mlir")} - {SYNTAX})
    of_examples = [
        Case(str(file.relative_to(EXAMPLES)), device) for file in files for device in names()
    ]
    return of_examples + [
        Case(name, device) for name in VARIANTS for device in devices_of(name)
    ]


def module_of(name: str) -> ModuleOp:
    """The module of an example, or of a variant of the library."""
    if name not in VARIANTS:
        return xetile.parse(EXAMPLES / name)
    kernel, types, constants, _ = VARIANTS[name]
    return kernel.specialize(**types, **constants).module


def measured(case: Case) -> Found:
    """Explore a case, and look at the links."""
    with collected_remarks():
        try:
            module = module_of(case.name)
            wanted = xetile.emit(module, "spirv", case.device)
        except XetileError as error:
            return Found(case, refused=str(error))
        kernels = xetile.explore(module, case.device).model.kernels
        code = marked(lower_to_llvm(module, case.device)).spirv
    figures = [figure for kernel in kernels for figure in figures_of(kernel)]
    wrong = [] if code == wanted else ["SPIR-V is not what xetile.emit gives"]
    for kernel in kernels:
        if kernel.levels[-1].id != "I":
            wrong.append("; ".join([f"{kernel.name} has no level I", *kernel.notes]))
    return Found(case, figures, wrong)


def figures_of(kernel: Kernel) -> Iterator[Figure]:
    """The links of a kernel, level by level."""
    for level in kernel.levels[1:]:
        if level.id == "I":
            yield _instructions(kernel, level)
        elif level.id in LEVELS:
            ops = [
                op
                for op in level.ops
                if kernel.names[op.name] != "llvm.func" or level.lines[op.line].endswith("{")
            ]
            yield Figure(level.id, sum(len(op.parents) == 1 for op in ops), len(ops))


def _instructions(kernel: Kernel, level: Level) -> Figure:
    above = next(one for one in kernel.levels if one.id == "L")
    linked = sum(
        any(kernel.names[above.ops[number].name] != "llvm.func" for number in op.parents)
        for op in level.ops
    )
    return Figure("I", linked, len(level.ops))


def _all(wanted: Sequence[Case], jobs: int) -> Iterator[Found]:
    """What came of the cases, as they end."""
    with Bar(PROGRAM) as bar, ProcessPoolExecutor(jobs) as pool:
        asked = [pool.submit(measured, case) for case in wanted]
        for done, ended in enumerate(as_completed(asked), 1):
            bar(done, len(wanted))
            yield ended.result()


def report(found: Sequence[Found]) -> Iterator[str]:
    """The worst figure of each level, and how many cases there were."""
    for level in LEVELS:
        worst = min(
            (
                (figure.part, figure, str(one.case))
                for one in found
                for figure in one.figures
                if figure.level == level
            ),
            default=None,
        )
        if worst is not None:
            part, figure, case = worst
            yield f"{level}: {100 * part:6.2f} % at least ({figure.linked} of {figure.ops}: {case})"
    refused = sum(one.refused is not None for one in found)
    yield f"{len(found) - refused} kernels on devices, and {refused} that a device does not take"


def main() -> int:
    """Print misses as they are found, and the report."""
    parser = ArgumentParser(description="How much of each kernel the explorer links.")
    parser.add_argument("--device", nargs="+", choices=names(), default=names())
    parser.add_argument(
        "--only", nargs="+", default=["*"], metavar="GLOB", help="names of kernels"
    )
    parser.add_argument("--jobs", type=int, default=cpu_count() or 1)
    options = parser.parse_args()
    need_ocloc()
    wanted = [
        case
        for case in cases()
        if case.device in options.device
        and any(fnmatchcase(case.name, glob) for glob in options.only)
    ]
    if not wanted:
        parser.error("there is no kernel of this name for these devices")
    found: list[Found] = []
    missing = False
    for one in _all(wanted, options.jobs):
        found.append(one)
        told = [f"{f.level}: {f.linked} of {f.ops}" for f in one.figures if f.misses]
        for text in (*told, *one.wrong):
            missing = True
            print(f"{one.case}: {text}", flush=True)
        if one.refused is not None:
            print(f"{one.case} is not taken: {one.refused}", flush=True)
    print(*report(found), sep="\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

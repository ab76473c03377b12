"""How far kernels come on their way down, and whether every level computes the same."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from io import StringIO
from typing import Literal, NamedTuple

from support.in_field import equal, in_field
from support.tiled.case import Case, Given, assert_expected, copies, module_of, same_bits
from xdsl.dialects.builtin import ModuleOp

from xetile.api import execute, lower
from xetile.errors import XetileError
from xetile.levels import LevelName, levels
from xetile.runtime.launch import compile_kernel

Level = LevelName | Literal["none", "spirv"]
LEVELS: tuple[Level, ...] = ("none", *(level.name for level in levels()), "spirv")

EXECUTED: tuple[LevelName, ...] = ("subgroup", "blocked", "xegpu", "xevm")
"""Below the text as it is written, down to the last that numpy executes."""


class Way(NamedTuple):
    """How far a kernel came, and why not further; what its arguments hold after it was executed as it is written."""

    level: Level
    refusal: str
    lowered: Mapping[LevelName, ModuleOp]
    results: Sequence[Given]


def followed(case: Case, device: str, *, executed: bool = True) -> Way:
    """Lower a kernel level by level; as written it computes what numpy does, and the same bits at each level."""
    found: dict[LevelName, ModuleOp] = {}
    try:
        written = module_of([case])
    except XetileError as error:
        return Way("none", error.message, found, ())
    results = run(case, written) if executed else ()
    exact = in_field(written, case.name, case.arrays) if executed and case.tolerance else ()
    if executed:
        assert_expected(case, results)
    at: Level = "workgroup"
    try:
        for level, module in _lowered(written, device):
            if executed:
                _assert_same(case, results, run(case, module), level)
            if exact:
                found_exact = in_field(module, case.name, case.arrays)
                assert equal(exact, found_exact), f"{case.name}: not the same sums at {level}"
            found[level] = module
            at = level
        compile_kernel(found["xevm"], case.name, device)
    except XetileError as error:
        return Way(at, error.message, found, results)
    return Way("spirv", "", found, results)


def _assert_same(
    case: Case, before: Sequence[Given], after: Sequence[Given], level: LevelName
) -> None:
    """Equal bits, or within the case's bound where sums may be formed in another order."""
    if case.reorders:
        assert_expected(case, after)
    else:
        assert same_bits(before, after), f"{case.name}: other bits at level {level}"


def run(case: Case, module: ModuleOp) -> list[Given]:
    """The arguments of a case after its kernel was executed on numpy."""
    arrays = copies(case.arrays)
    with redirect_stdout(StringIO()):
        execute(module, case.name, *arrays, sanitize=True)
    return arrays


def _lowered(module: ModuleOp, device: str) -> Iterator[tuple[LevelName, ModuleOp]]:
    for level in EXECUTED:
        module = lower(module, to=level, device=device)
        yield level, module

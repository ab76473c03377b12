"""Lowering pipelines: the passes of a target's path, each step followed by cleanup."""

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xetile.analysis.kernel_targets import agreed, assumption, check_option, check_unroll
from xetile.collector import still
from xetile.errors import XetileError, written_in
from xetile.levels import LevelName, passes_to
from xetile.passes import PASSES, load_pass
from xetile.planning.decided import decided
from xetile.rewriting.dead_code import RemoveDeadCode
from xetile.rewriting.tidying import Canonicalize, HoistLoopInvariants, ShareValues
from xetile.targets.target import Assume, Path

TIDY = (
    Canonicalize(),
    HoistLoopInvariants(),
    ShareValues(),
    RemoveDeadCode(),
)
"""The passes that remove what a step leaves over. The last level keeps its form, which suits the code generator."""


class Stage(NamedTuple):
    """The passes that lower one level to the next."""

    level: LevelName
    passes: tuple[ModulePass, ...]


def stages(
    path: Path,
    to: LevelName | None,
    device: str | None,
    assume: Assume = "block",
    unroll: int | None = None,
) -> Iterator[Stage]:
    """Yield the levels of a path down to `to`, by default the last one; without a device each pass asks its kernel.

    Errors: XetileError for a level that the path does not have.
    """
    given = {"device": device, "assume": assume, "unroll": unroll}
    for level, names in passes_to(to or path[-1].level.name, path):
        passes = [
            load_pass(name)(
                **{key: given[key] for key in given if key in PASSES[name].options}
            )
            for name in names
        ]
        yield Stage(level.name, (*passes, *(() if level is path[-1].level else TIDY)))


def steps(
    path: Path,
    to: LevelName | None,
    device: str | None,
    assume: Assume = "block",
    unroll: int | None = None,
) -> Iterator[ModulePass]:
    """Yield the passes of a path in order; arguments and errors are those of `stages`."""
    for stage in stages(path, to, device, assume, unroll):
        yield from stage.passes


def lower(
    context: Context,
    module: ModuleOp,
    to: LevelName | None,
    device: str | None,
    assume: Assume = "block",
    unroll: int | None = None,
) -> None:
    """Lower a module in place, by default to its targets' last level; functions that are already lower stay unchanged.

    `assume` says how to treat bases, pitches, widths and columns that are known only at run time. `unroll` is the
    number of copies of a round in loops of products at the last level, by default that of the target's table. Errors:
    XetileError for targets whose paths differ, and those of `steps` and of the passes.
    """
    path = checked_path(module, device, assume, unroll)
    if unroll is not None and to not in (None, path[-1].level.name):
        raise XetileError(f"unroll is {unroll}, but loops stay loops at level {to}")
    with written_in(module), still():
        for step in steps(path, to, device, assume, unroll):
            step.apply(context, module)
            decided(module, step)


def checked_path(
    module: ModuleOp, device: str | None, assume: Assume, unroll: int | None
) -> Path:
    """Return the path of a module's targets.

    Errors: XetileError for an unknown device or assumption, for a device that the module contradicts, and for targets
    whose paths differ.
    """
    check_option(module, device)
    assumption(assume)
    check_unroll(unroll)
    return agreed(module, lambda target: target.path, "levels", device)

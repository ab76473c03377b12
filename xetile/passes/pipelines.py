"""The way down: the passes of a target's path, with what tidies up behind each."""

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
    """The passes that make one level of that above it."""

    level: LevelName
    passes: tuple[ModulePass, ...]


def stages(
    path: Path,
    to: LevelName | None,
    device: str | None,
    assume: Assume = "block",
    unroll: int | None = None,
) -> Iterator[Stage]:
    """The levels of a path down to `to`, by default its last level; without a device each pass asks its kernel.

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
    """The passes of a path, one behind the other; arguments and errors as `stages` has them."""
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
    """Lower a module in place, by default to its targets' last level; what stands lower already passes through.

    `assume` is what of bases, pitches, widths and columns that are known at run time only; `unroll` how often loops of
    products have their rounds written at the last level, by default as the target's table says.
    Errors: XetileError for targets whose paths differ, and as `steps` and the passes have them.
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
    """The path of a module's targets.

    Errors: XetileError for an unknown device or assumption, for a device that the module contradicts, and for targets
    whose paths differ.
    """
    check_option(module, device)
    assumption(assume)
    check_unroll(unroll)
    return agreed(module, lambda target: target.path, "levels", device)

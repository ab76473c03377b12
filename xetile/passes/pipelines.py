"""The named pipelines: from XeTile at any level down to XeGPU, XeVM or LLVM."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination
from xdsl.transforms.dead_code_elimination import DeadCodeElimination
from xdsl.transforms.loop_invariant_code_motion import LoopInvariantCodeMotionPass

from xetile.analysis.targets import check_option
from xetile.levels import LevelName, passes_to
from xetile.passes import PASSES, load_pass
from xetile.targets import DEFAULT, find
from xetile.targets.target import Target


def steps(to: LevelName, device: str | None) -> Iterator[ModulePass]:
    """The passes from XeTile at workgroup level to `to`; without a device each chooses it by its kernel.

    Errors: XetileError for a level that cannot be lowered to, and for an unknown device.
    """
    target = find(device or DEFAULT)
    for level, names in passes_to(to, target):
        for name in names:
            options = {"device": device} if "device" in PASSES[name].options else {}
            yield load_pass(name)(**options)
        yield from _tidy(level, target)


def _tidy(level: str, target: Target) -> Sequence[ModulePass]:
    """What is left over by a step goes; the last level keeps its form, which the code generator likes."""
    if level == target.path[-1].level:
        return ()
    return (
        CanonicalizePass(),
        LoopInvariantCodeMotionPass(),
        CommonSubexpressionElimination(),
        DeadCodeElimination(),
    )


def lower(context: Context, module: ModuleOp, to: LevelName, device: str | None) -> None:
    """Lower a module in place; what stands at a lower level already passes through."""
    check_option(module, device)
    for step in steps(to, device):
        step.apply(context, module)


@dataclass(frozen=True)
class _Pipeline(ModulePass):
    """The passes down to `level`."""

    level: ClassVar[LevelName]

    device: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower(ctx, op, self.level, self.device)


@dataclass(frozen=True)
class XeTileToXeGPU(_Pipeline):
    """Lower XeTile of any level to XeGPU."""

    name = "xetile-to-xegpu"
    level = "xegpu"


@dataclass(frozen=True)
class XeTileToXeVM(_Pipeline):
    """Lower XeTile of any level to XeVM."""

    name = "xetile-to-xevm"
    level = "xevm"


@dataclass(frozen=True)
class XeTileToLLVM(_Pipeline):
    """Lower XeTile of any level to the llvm dialect with calls of Intel's builtins."""

    name = "xetile-to-llvm"
    level = "llvm"

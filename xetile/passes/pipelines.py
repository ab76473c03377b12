"""The named pipelines: from XeTile at any level down to XeGPU, XeVM or LLVM."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination
from xdsl.transforms.dead_code_elimination import DeadCodeElimination
from xdsl.transforms.loop_invariant_code_motion import LoopInvariantCodeMotionPass

from xetile.errors import XetileError
from xetile.passes import load_pass

Target = Literal["subgroup", "blocked", "xegpu", "xevm", "llvm"]
TARGETS: tuple[Target, ...] = ("subgroup", "blocked", "xegpu", "xevm", "llvm")

_STEPS: dict[Target, tuple[tuple[str, bool], ...]] = {
    "subgroup": (("xetile-wg-to-sg", False),),
    "blocked": (("xetile-init-duplicate", False), ("xetile-blocking", True)),
    "xegpu": (("convert-xetile-to-xegpu", True),),
    "xevm": (("convert-xegpu-to-xevm", True),),
    "llvm": (("convert-xevm-to-llvm", False),),
}
"""The passes that reach a level from the one before, and whether they need the device."""


def steps(target: Target, device: str | None) -> list[ModulePass]:
    """The passes from XeTile at workgroup level to `target`.

    Errors: XetileError for an unknown target, and where a device is needed and none is given.
    """
    if target not in TARGETS:
        raise XetileError(f"unknown level '{target}'; known are {', '.join(TARGETS)}")
    passes: list[ModulePass] = []
    for level in TARGETS[: TARGETS.index(target) + 1]:
        for name, needs_device in _STEPS[level]:
            kind = load_pass(name)
            if not needs_device:
                passes.append(kind())
            elif device is None:
                raise XetileError(f"lowering to '{target}' needs a device, such as device=bmg")
            else:
                passes.append(kind(device))  # pyright: ignore[reportCallIssue]
        passes.extend(_tidy(level))
    return passes


def _tidy(level: Target) -> Sequence[ModulePass]:
    """What is left over by a step goes; L keeps its form, which the code generator likes."""
    if level == "llvm":
        return ()
    return (
        CanonicalizePass(),
        LoopInvariantCodeMotionPass(),
        CommonSubexpressionElimination(),
        DeadCodeElimination(),
    )


def lower(context: Context, module: ModuleOp, target: Target, device: str | None) -> None:
    """Lower a module in place; what stands at a lower level already passes through."""
    for step in steps(target, device):
        step.apply(context, module)


@dataclass(frozen=True)
class XeTileToXeGPU(ModulePass):
    """Lower XeTile of any level to XeGPU.

    Parameters:
        device: the device that is lowered for: pvc, bmg, lnl, ptl, cri.
    """

    name = "xetile-to-xegpu"

    device: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Run the steps."""
        lower(ctx, op, "xegpu", self.device)


@dataclass(frozen=True)
class XeTileToXeVM(ModulePass):
    """Lower XeTile of any level to XeVM.

    Parameters:
        device: the device that is lowered for: pvc, bmg, lnl, ptl, cri.
    """

    name = "xetile-to-xevm"

    device: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Run the steps."""
        lower(ctx, op, "xevm", self.device)


@dataclass(frozen=True)
class XeTileToLLVM(ModulePass):
    """Lower XeTile of any level to the llvm dialect with calls of Intel's builtins.

    Parameters:
        device: the device that is lowered for: pvc, bmg, lnl, ptl, cri.
    """

    name = "xetile-to-llvm"

    device: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Run the steps."""
        lower(ctx, op, "llvm", self.device)

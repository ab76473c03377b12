"""The named pipelines: from XeTile at any level down to XeGPU, XeVM or LLVM."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xetile.analysis.kernel_targets import assumption
from xetile.levels import LevelName
from xetile.passes.pipelines import lower


@dataclass(frozen=True)
class _Pipeline(ModulePass):
    """The passes down to `level`."""

    level: ClassVar[LevelName]

    device: str | None = None
    assume: str = "block"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower(ctx, op, self.level, self.device, assumption(self.assume))


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
    """Lower XeTile of any level to the llvm dialect with calls of Intel's builtins.

    Parameters:
        unroll: how often loops of products have their rounds written, one behind the other; 1 leaves loops as they are;
            by default what measured best on the device.
    """

    name = "xetile-to-llvm"
    level = "llvm"

    unroll: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower(ctx, op, self.level, self.device, assumption(self.assume), self.unroll)

"""The llvm dialect."""

from xdsl.dialects.llvm import LLVM

__all__ = ["LLVM"]

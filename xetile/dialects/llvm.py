"""The llvm dialect: xDSL's, with what it lacks."""

from xdsl.dialects.llvm import LLVM as STOCK
from xdsl.ir import Dialect

from xetile.dialects.llvm_values import OPERATIONS

__all__ = ["LLVM"]

_NAMES = {operation.name for operation in OPERATIONS}

LLVM = Dialect(
    "llvm",
    [*(op for op in STOCK.operations if op.name not in _NAMES), *OPERATIONS],
    list(STOCK.attributes),
)

"""The memref dialect."""

from xdsl.dialects.memref import MemRef

__all__ = ["MemRef"]

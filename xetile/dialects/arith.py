"""The arith dialect."""

from xdsl.dialects.arith import Arith

__all__ = ["Arith"]

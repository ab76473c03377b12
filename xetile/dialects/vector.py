"""The vector dialect."""

from xdsl.dialects.vector import Vector

__all__ = ["Vector"]

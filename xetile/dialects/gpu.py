"""The gpu dialect."""

from xdsl.dialects.gpu import GPU

__all__ = ["GPU"]

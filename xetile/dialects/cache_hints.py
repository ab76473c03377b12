"""Cache hints, which XeTile and XeGPU have alike: what an access asks of each cache level.

Source: llvm 22.1.8, XeGPUAttrs.td and XeGPUOps.cpp.

What programs ask of caches.
"""

from collections.abc import Sequence
from typing import cast

from xdsl.ir import Data, Operation
from xdsl.irdl import IRDLOperation
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from xetile.errors import warn


class CacheHint(StrEnum):
    """The cache policy that an access requests from one cache level."""

    CACHED = "cached"
    UNCACHED = "uncached"
    STREAMING = "streaming"
    READ_INVALIDATE = "read_invalidate"
    WRITE_BACK = "write_back"
    WRITE_THROUGH = "write_through"


LOAD_HINTS = (
    CacheHint.CACHED,
    CacheHint.UNCACHED,
    CacheHint.STREAMING,
    CacheHint.READ_INVALIDATE,
)
STORE_HINTS = (
    CacheHint.CACHED,
    CacheHint.UNCACHED,
    CacheHint.WRITE_BACK,
    CacheHint.WRITE_THROUGH,
)
"""The hints that loads (and prefetches) and stores may have."""

HINTS = ("l1_hint", "l2_hint", "l3_hint")
"""The properties that hold them, in the order in which they are printed."""


def verify_hints(op: IRDLOperation, legal: Sequence[CacheHint]) -> None:
    """Raise if an op has a hint that is not legal for its direction."""
    for name in HINTS:
        hint = cast("Data[CacheHint] | None", op.properties.get(name))
        if hint is not None and hint.data not in legal:
            raise VerifyException(
                f"'{name}' is {hint.data}, legal here are {', '.join(legal)}"
            )


def warn_without_caches(op: Operation) -> None:
    """Warn of the hints of an access to shared memory, in front of which no cache stands."""
    for name in HINTS:
        if name in op.properties:
            warn(
                op,
                f"'{name}' has no effect on shared memory, which no cache stands in front of",
            )
            return

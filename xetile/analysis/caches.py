"""What programs ask of caches."""

from xdsl.ir import Operation

from xetile.dialects.cache_hints import HINTS
from xetile.errors import warn


def warn_without_caches(op: Operation) -> None:
    """Warn of the hints of an access to shared memory, in front of which no cache stands."""
    for name in HINTS:
        if name in op.properties:
            warn(
                op,
                f"'{name}' has no effect on shared memory, which no cache stands in front of",
            )
            return

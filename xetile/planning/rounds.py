"""Estimates of how often ops execute, from the loops around them."""

from xdsl.ir import Operation

_LOOPS = ("scf.for", "scf.while")


def weight(depth: int) -> int:
    """Return how often ops inside `depth` loops are assumed to execute."""
    return 10 ** min(depth, 4)


def rounds(op: Operation) -> int:
    """Return how often an op is assumed to execute."""
    depth, parent = 0, op.parent_op()
    while parent is not None:
        depth += parent.name in _LOOPS
        parent = parent.parent_op()
    return weight(depth)

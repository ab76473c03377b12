"""How often ops are reckoned to be executed, by the loops around them."""

from xdsl.ir import Operation

_LOOPS = ("scf.for", "scf.while")


def weight(depth: int) -> int:
    """How often what stands in so many loops is reckoned to be executed."""
    return 10 ** min(depth, 4)


def rounds(op: Operation) -> int:
    """How often an op is reckoned to be executed."""
    depth, parent = 0, op.parent_op()
    while parent is not None:
        depth += parent.name in _LOOPS
        parent = parent.parent_op()
    return weight(depth)

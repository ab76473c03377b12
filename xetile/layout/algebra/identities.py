"""Layouts that count through dimensions."""

from xetile.layout.algebra.linear_layout import LinearLayout


def identities(*steps: tuple[str, str, int]) -> LinearLayout:
    """Return the product of identities, each an (in-dim, out-dim, size), the fastest first."""
    layout = LinearLayout.empty()
    for in_dim, out_dim, size in steps:
        layout = layout * LinearLayout.identity_1d(size, in_dim, out_dim)
    return layout


def doublings(first: int, end: int) -> list[int]:
    """Return `first`, twice, four times `first`, ... below `end`."""
    values: list[int] = []
    while first < end:
        values.append(first)
        first *= 2
    return values

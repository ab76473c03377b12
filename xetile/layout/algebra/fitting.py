"""Fitting of layouts to tensors, as for every encoding of Triton (its LayoutUtils)."""

from collections.abc import Mapping, Sequence

from xetile.layout.algebra.dimensions import LayoutError, listed
from xetile.layout.algebra.identities import identities
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.algebra.moved_bases import REGISTER, ColumnAction


def ensure_layout_not_larger_than(
    layout: LinearLayout, shape: Mapping[str, int], *, broadcast_registers: bool = True
) -> LinearLayout:
    """Return the layout on at most `shape` elements, by out-dim: components that do not fit become 0.

    Without `broadcast_registers`, registers that thereby repeat others are dropped.
    """
    _check_shape(layout, shape)
    smaller = layout
    for name, size in layout.out_dims.items():
        smaller = smaller.resize_out_dim(name, min(size, shape[name]))
    if broadcast_registers or not layout.has_in_dim(REGISTER):
        return smaller
    before, after = layout.in_columns[REGISTER], smaller.in_columns[REGISTER]
    kept = [
        position
        for position, (old, new) in enumerate(zip(before, after, strict=True))
        if new or not old
    ]
    return ColumnAction(kept, REGISTER, len(after)).apply(smaller)


def ensure_layout_not_smaller_than(
    layout: LinearLayout, shape: Mapping[str, int]
) -> LinearLayout:
    """Return the layout on at least `shape` elements, by out-dim: its first in-dim gets more values.

    If `shape` is larger than the layout, it must be a multiple.
    """
    _check_shape(layout, shape)
    if not layout.out_dims:
        return layout
    first = layout.in_dim_names[0]
    for name, size in layout.out_dims.items():
        layout = layout * LinearLayout.identity_1d(max(1, shape[name] // size), first, name)
    return layout


def _check_shape(layout: LinearLayout, shape: Mapping[str, int]) -> None:
    if not layout.out_dims.keys() <= shape.keys():
        raise LayoutError(
            f"sizes of {listed(shape)} for a layout with out-dims {listed(layout.out_dims)}"
        )


def combine_cta_cga_with_shape(
    cta: LinearLayout, cga: LinearLayout, shape: Sequence[int]
) -> LinearLayout:
    """Combine the layout of one block with that of the blocks to that of a tensor, over dim0, dim1, ...

    The blocks are cut to the shape; the layout of one block then grows (more registers) or is
    cut to the part of each block.
    """
    names = [f"dim{axis}" for axis in range(len(shape))]
    sizes = dict(zip(names, shape, strict=True))
    blocks = ensure_layout_not_larger_than(cga.transpose_outs(names), sizes)
    per_block = {name: sizes[name] // size for name, size in blocks.out_dims.items()}
    block = ensure_layout_not_smaller_than(cta, per_block)
    block = ensure_layout_not_larger_than(block, per_block)
    return (block.transpose_outs(names) * blocks).transpose_outs(names)


def identity_standard_nd(
    in_dim: str, shape: Sequence[int], order: Sequence[int]
) -> LinearLayout:
    """Return the layout in which `in_dim` counts through a tensor of `shape` elements, `order[0]` fastest."""
    return identities(*((in_dim, f"dim{axis}", shape[axis]) for axis in order))


def check_powers_of_two(name: str, values: Sequence[int]) -> None:
    """Raise LayoutError, with this name, if a count or an extent is not a power of two."""
    if any(value < 1 or value & (value - 1) for value in values):
        raise LayoutError(f"{name} {list(values)} must hold powers of two")


def fit_to_shape(
    layout: LinearLayout,
    shape: Sequence[int],
    cga_layout: Sequence[Sequence[int]] = (),
) -> LinearLayout:
    """Return a workgroup's layout repeated in registers, or cut, to fill a tile.

    `cga_layout` has one basis per bit of the workgroup's id in its cluster, in units of a
    workgroup's tile.
    """
    ins = ("register", "lane", "warp")
    layout = layout * identities(
        *((name, f"dim{d}", 1) for d in range(len(shape)) for name in ins)
    )
    clusters = cluster_layout(cga_layout, len(shape))
    layout = layout.transpose_ins(ins)
    return combine_cta_cga_with_shape(layout, clusters, shape)


def cluster_layout(cga_layout: Sequence[Sequence[int]], rank: int) -> LinearLayout:
    """Return (block) -> (dim0, dim1, ...) in workgroups' tiles, from one basis per bit of `block`."""
    largest = [max([0, *(basis[d] for basis in cga_layout)]) for d in range(rank)]
    return LinearLayout.from_bases(
        {"block": [tuple(basis) for basis in cga_layout]},
        {f"dim{d}": 1 << value.bit_length() for d, value in enumerate(largest)},
    )

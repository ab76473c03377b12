"""Moves of registers when a value changes its layout, or when a slice of it is taken."""

from collections.abc import Sequence
from functools import lru_cache

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout

REGISTER = "register"


@lru_cache(maxsize=512)
def register_permutation(source: LinearLayout, target: LinearLayout) -> tuple[int, ...] | None:
    """Return for each register of `target` that of `source` with the same element in the same lane.

    None if an element would have to leave its lane; LayoutError if the elements differ.
    """
    if dict(source.out_dims) != dict(target.out_dims):
        raise LayoutError(
            f"layouts over different elements: {dict(source.out_dims)} and {dict(target.out_dims)}"
        )
    outs = list(target.out_dim_names)
    source = source.transpose_outs(outs)
    # The source register does not depend on the lane, so
    # the lanes' own contributions must agree.
    if _without_registers(source) != _without_registers(target):
        return None
    try:
        moved = _registers_of(target).invert_and_compose(_registers_of(source))
    except LayoutError:
        return None
    return _images([basis[0] for basis in moved.bases[REGISTER]])


@lru_cache(maxsize=512)
def _select(
    layout: LinearLayout, offsets: tuple[int, ...], sizes: tuple[int, ...]
) -> tuple[tuple[int, ...], LinearLayout] | None:
    bases = layout.bases
    if any(
        component >= size
        for name, vectors in bases.items()
        if name != REGISTER
        for vector in vectors
        for component, size in zip(vector, sizes, strict=True)
    ):
        return None
    coordinates = _coordinates(bases.get(REGISTER, ()), len(sizes))
    if offsets not in coordinates:
        return None
    first = coordinates.index(offsets)
    kernel = [
        register
        for register, at in enumerate(coordinates)
        if all(component < size for component, size in zip(at, sizes, strict=True))
    ]
    # In ascending order the elements 1, 2, 4, ... of a linear space of registers are its basis.
    steps = [kernel[1 << i] for i in range(len(kernel).bit_length() - 1)]
    slice_bases = {
        name: [coordinates[step] for step in steps] if name == REGISTER else vectors
        for name, vectors in bases.items()
    }
    part = LinearLayout.from_bases(
        slice_bases,
        dict(zip(layout.out_dim_names, sizes, strict=True)),
        require_surjective=False,
    )
    if layout.is_surjective() and not part.is_surjective():
        return None
    return tuple(first ^ register for register in kernel), part


def select_registers(
    layout: LinearLayout, offsets: Sequence[int], sizes: Sequence[int]
) -> tuple[tuple[int, ...], LinearLayout] | None:
    """Return the registers of a slice of a value, and the slice's layout in them.

    Offsets and sizes are in elements, in the order of out dimensions. Return None if registers
    alone do not select it, because a lane (or warp) has elements inside and outside of it.

    LayoutError: ranks differ, a size is no power of two or does not divide its offset, or
    the slice exceeds the value.
    """
    _check_slice(layout, offsets, sizes)
    return _select(layout, tuple(offsets), tuple(sizes))


def _check_slice(layout: LinearLayout, offsets: Sequence[int], sizes: Sequence[int]) -> None:
    extents = list(layout.out_dims.values())
    if not len(offsets) == len(sizes) == len(extents):
        raise LayoutError(
            f"offsets {list(offsets)} and sizes {list(sizes)} must have {len(extents)} entries, "
            "one per out dimension"
        )
    for offset, size, extent in zip(offsets, sizes, extents, strict=True):
        if size < 1 or size & (size - 1) or offset % size or not 0 <= offset <= extent - size:
            raise LayoutError(
                f"slice of sizes {list(sizes)} at {list(offsets)} in {extents}: sizes must be powers of "
                "two that divide their offsets, and the slice must lie inside"
            )


def _without_registers(layout: LinearLayout) -> dict[str, tuple[int, ...]]:
    dims = layout.in_columns.items()
    return {name: columns for name, columns in dims if name != REGISTER and columns}


def _registers_of(layout: LinearLayout) -> LinearLayout:
    return layout.sublayout([REGISTER], list(layout.out_dim_names))


def _images(bases: Sequence[int]) -> tuple[int, ...]:
    images = [0]
    for basis in bases:
        images += [image ^ basis for image in images]
    return tuple(images)


def _coordinates(bases: Sequence[Sequence[int]], rank: int) -> list[tuple[int, ...]]:
    coordinates = [(0,) * rank]
    for basis in bases:
        coordinates += [
            tuple(a ^ b for a, b in zip(at, basis, strict=True)) for at in coordinates
        ]
    return coordinates

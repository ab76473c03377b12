"""Test if a layout distributes a shape evenly, by the rules of mlir-opt."""

from collections.abc import Sequence

from xetile.dialects.xegpu.layouts import AnyLayoutAttr


def _ratio(shape: Sequence[int], unit: Sequence[int]) -> tuple[int, ...] | None:
    """Return the number of units along each dimension, or None if one does not divide or the ranks differ."""
    if len(shape) != len(unit):
        return None
    if any(size == 0 or extent % size for extent, size in zip(shape, unit, strict=True)):
        return None
    return tuple(extent // size for extent, size in zip(shape, unit, strict=True))


def _distribute(
    shape: Sequence[int],
    layout: Sequence[int] | None,
    data: Sequence[int] | None,
    *,
    shared: bool,
) -> Sequence[int] | None:
    """Return the shape of the part that one of `layout` units gets, or None if the distribution is uneven.

    If `shared`, several units may hold the same data.
    """
    if layout:
        share = _ratio(shape, layout)
        if share is not None:
            shape = share
        elif not shared or _ratio(layout, shape) is None:  # more units than parts take turns
            return None
    if not data:
        return shape
    if 0 in data:  # mlir-opt divides by it
        return None
    fits = _ratio(shape, data) is not None or (shared and _ratio(data, shape) is not None)
    return data if fits else None


def is_evenly_distributable(shape: Sequence[int], layout: AnyLayoutAttr) -> bool:
    """Return True if every subgroup, then instruction, then lane gets the same number of elements of `shape`.

    Subgroups may share data, so that `sg_layout` x `sg_data` may exceed the shape;
    instructions and lanes may not.
    """
    part: Sequence[int] | None = shape
    part = _distribute(part, layout.field("sg_layout"), layout.field("sg_data"), shared=True)
    if part is not None:
        part = _distribute(part, None, layout.field("inst_data"), shared=False)
    if part is not None:
        part = _distribute(
            part, layout.field("lane_layout"), layout.field("lane_data"), shared=False
        )
    return part is not None

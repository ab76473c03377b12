"""Applying a layout to arrays of coordinates, with whatever array type comes in."""

from __future__ import annotations

import xetile.layout.f2 as f2
from xetile.layout.core import LayoutCore, LayoutError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeVar

    Coordinate = TypeVar("Coordinate")


def apply_to_arrays(
    layout: LayoutCore, coordinates: Mapping[str, Coordinate]
) -> dict[str, Coordinate]:
    """The images of arrays of inputs by out-dim, as sums of shifted bit masks: no loop over the points.

    `coordinates` holds integers and arrays, by in-dim; their shapes broadcast. LayoutError for an array
    of anything but integers.
    """
    values = {name: _widened(name, value) for name, value in coordinates.items()}
    shapes = {getattr(value, "shape", ()) for value in values.values()}
    zero: Any = None
    for value in values.values():
        zero = value & 0 if zero is None else zero ^ (value & 0)
    images: dict[str, Any] = {}
    for out_dim, width, place in layout.fields():
        image = _component(layout, values, place, (1 << width) - 1)
        if image is None:
            image = zero.copy() if hasattr(zero, "copy") else zero
        elif len(shapes) > 1:
            image = image ^ zero
        images[out_dim] = image
    return images


def _component(layout: LayoutCore, values: Mapping[str, Any], place: int, mask: int) -> Any:
    """One out-dim's images, or None where every basis is zero there."""
    image = None
    for in_dim, columns in layout.in_columns.items():
        for shift, bits in f2.diagonals([column >> place & mask for column in columns]):
            part = values[in_dim] & bits
            if shift > 0:
                part <<= shift
            elif shift < 0:
                part >>= -shift
            if image is None:
                image = part
            else:
                image ^= part
    return image


def _widened(name: str, value: Any) -> Any:
    """The value with 64 bits for each element, so that no shift loses any."""
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        return value
    if getattr(dtype, "kind", "i") not in "iu":
        raise LayoutError(f"coordinates of in-dim '{name}' must be integers, got {dtype}")
    return value.astype("int64")

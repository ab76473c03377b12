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

    `coordinates` holds integers and arrays, by in-dim; their shapes broadcast. The images have 64 bits for
    each element. LayoutError for an array of anything but integers.
    """
    # Arithmetic on narrower integers is twice as fast, and most tensors are small enough for it.
    bits = max(layout.total_in_dim_size_log2, layout.total_out_dim_size_log2)
    dtype = "int32" if bits < 32 else "int64"
    values = {name: _cast(name, value, dtype) for name, value in coordinates.items()}
    if len({getattr(value, "shape", ()) for value in values.values()}) > 1:
        zero = _zeros(values)
        values = {name: value ^ zero for name, value in values.items()}
    images: dict[str, Any] = {}
    for out_dim, width, place in layout.fields():
        image = _component(layout, values, place, (1 << width) - 1)
        images[out_dim] = _cast(out_dim, _zeros(values) if image is None else image, "int64")
    return images


def _zeros(values: Mapping[str, Any]) -> Any:
    zero = 0
    for value in values.values():
        zero = value & 0 ^ zero
    return zero


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


def _cast(name: str, value: Any, dtype: str) -> Any:
    """An array of integers of `dtype` (kept as it is where it knows no dtypes); the low bits are kept."""
    found = getattr(value, "dtype", None)
    if found is None:
        return value
    if getattr(found, "kind", "i") not in "iu":
        raise LayoutError(f"coordinates of in-dim '{name}' must be integers, got {found}")
    return value.astype(dtype, copy=False)

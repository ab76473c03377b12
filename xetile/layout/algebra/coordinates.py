"""Application of a layout to coordinates: to numbers, and to arrays of any type."""

from __future__ import annotations

import xetile.layout.algebra.f2 as f2
from xetile.layout.algebra.dimensions import LayoutError, listed, packed, positions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, NoReturn, TypeVar

    from xetile.layout.algebra.dimensions import Layout

    Coordinate = TypeVar("Coordinate")
    Step = tuple[str, int, int]

# Elements processed at a time: few enough that the memory of the parts
# is reused, not allocated again and again.
CHUNK = 1 << 14


def apply(self: Layout, coordinates: Mapping[str, Coordinate]) -> dict[str, Coordinate]:
    """Return the image of one input, or of arrays of inputs, by out-dim.

    A coordinate is an integer or an array of integers (widened to 64 bits, shapes
    broadcast). Bits past a dimension's size are ignored. LayoutError unless the names
    are the in-dims.
    """
    in_columns = self.in_columns
    if len(coordinates) != len(in_columns):
        _refuse(coordinates, in_columns)
    image = 0
    for name, columns in in_columns.items():
        try:
            value = coordinates[name]
        except KeyError:
            _refuse(coordinates, in_columns)
        if not isinstance(value, int):
            if coordinates.keys() != in_columns.keys():
                _refuse(coordinates, in_columns)
            return apply_to_arrays(self, coordinates)
        bit = 1
        for column in columns:
            if value & bit:
                image ^= column
            bit += bit
    result: dict[str, Any] = {}
    for name, width in self.out_widths.items():
        result[name] = image & (1 << width) - 1
        image >>= width
    return result


def apply_to_arrays(
    layout: Layout, coordinates: Mapping[str, Coordinate]
) -> dict[str, Coordinate]:
    """Return the images of integers and arrays (broadcast) by out-dim, as sums of shifted bit masks.

    They have 64 bits for each element. LayoutError for an array of anything but integers,
    and if a dimension needs 64 bits.
    """
    _check_widths(layout)
    masks = {name: (1 << len(columns)) - 1 for name, columns in layout.in_columns.items()}
    values = _of_one_shape(
        {name: _checked(name, value, masks[name]) for name, value in coordinates.items()}
    )
    # Arithmetic on narrower integers is twice as fast,
    # and most tensors are small enough for it.
    bits = max(len(packed(layout.in_columns)), sum(layout.out_widths.values()))
    dtype = "int32" if bits < 32 else "int64"
    places = positions(layout.out_widths)
    steps = {
        name: _steps(layout, places[name], width) for name, width in layout.out_widths.items()
    }
    first: Any = next(iter(values.values()))
    if not hasattr(first, "reshape"):
        return {name: _component(values, step) for name, step in steps.items()}
    flat = {name: value.reshape(-1) for name, value in values.items()}
    images: dict[str, Any] = {name: first.astype("int64").reshape(-1) for name in steps}
    for start in range(0, first.size, CHUNK):
        chunk = slice(start, start + CHUNK)
        parts = {name: value[chunk].astype(dtype, copy=False) for name, value in flat.items()}
        for name, step in steps.items():
            images[name][chunk] = _component(parts, step)
    return {name: image.reshape(first.shape) for name, image in images.items()}


def _steps(layout: Layout, place: int, width: int) -> list[Step]:
    """Return one out-dim as a sum of (in-dim, mask, shift)."""
    mask = (1 << width) - 1
    return [
        (name, bits, shift)
        for name, columns in layout.in_columns.items()
        for shift, bits in f2.diagonals([column >> place & mask for column in columns])
    ]


def _component(values: Mapping[str, Any], steps: Sequence[Step]) -> Any:
    """Return one out-dim's images; the number 0 if nothing moves it."""
    image = None
    for in_dim, bits, shift in steps:
        part = values[in_dim] & bits
        if shift > 0:
            part <<= shift
        elif shift < 0:
            part >>= -shift
        if image is None:
            image = part
        else:
            image ^= part
    return 0 if image is None else image


def _of_one_shape(values: dict[str, Any]) -> dict[str, Any]:
    if len({getattr(value, "shape", None) for value in values.values()}) == 1:
        return values
    zero = 0
    for value in values.values():
        zero = zero ^ (value & 0)
    return {name: value ^ zero for name, value in values.items()}


def _check_widths(layout: Layout) -> None:
    ins = [(name, len(columns)) for name, columns in layout.in_columns.items()]
    for name, width in (*ins, *layout.out_widths.items()):
        if width > 63:
            raise LayoutError(
                f"dimension '{name}' of size {1 << width} does not fit the signed 64 bits of an array"
            )


def _checked(name: str, value: Any, mask: int) -> Any:
    if isinstance(value, int):
        return value & mask
    dtype = getattr(value, "dtype", None)
    if dtype is None and not hasattr(value, "__and__"):
        raise LayoutError(
            f"coordinates of in-dim '{name}' must be an integer or an array of integers, "
            f"got {type(value).__name__}"
        )
    if dtype is None or dtype.kind == "i":
        return value
    if dtype.kind != "u":
        raise LayoutError(f"coordinates of in-dim '{name}' must be integers, got {dtype}")
    # An unsigned array and a Python integer with a sign have no common type.
    return value.astype("int64")


def _refuse(coordinates: Iterable[str], in_dims: Iterable[str]) -> NoReturn:
    raise LayoutError(
        f"coordinates for {listed(coordinates)}, but the layout has in-dims {listed(in_dims)}"
    )

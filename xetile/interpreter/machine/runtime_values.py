"""SSA values at run time: numpy arrays with one leading axis over threads.

A thread is a workgroup, a subgroup or a lane, depending on the kernel's level; the axis has a
single entry if all agree. Values other than scalars and vectors are tuples of such arrays.

Memrefs are checked against their types: extents, strides and offset.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Attribute, Operation

from xetile.dialects.upstream.memref.memref_layout import strides_and_offset
from xetile.errors import fail

# The element type is the IR's and known only when the kernel executes.
Array: TypeAlias = NDArray[Any]


class MemRef(NamedTuple):
    """A memref: the address of its buffer in bytes; offset, sizes and strides in elements.

    A swizzled one has for each dimension the amount that each bit of its index adds to the offset, [1, bits].
    """

    base: Array
    offset: Array
    sizes: tuple[Array, ...]
    strides: tuple[Array, ...]
    swizzle: tuple[Array, ...] = ()


class Surface(NamedTuple):
    """A matrix in memory: address of (0, 0) in bytes; extents and strides in elements; a memref's swizzle."""

    base: Array
    sizes: tuple[Array, Array]
    strides: tuple[Array, Array]
    swizzle: tuple[Array, ...] = ()


class Tile(NamedTuple):
    """A rectangle of a surface: row and column of its corner, in elements."""

    surface: Surface
    corner: tuple[Array, Array]


class ScatteredTile(NamedTuple):
    """Elements with one index each: address of index 0 in bytes, number of elements, indices."""

    base: Array
    limit: Array
    indices: Array


class Struct(NamedTuple):
    """A value of several members, each of which is a scalar of every thread."""

    members: tuple[Array, ...]


class HostView(NamedTuple):
    """A memref of host code: its elements, and the bytes of the memory that contains them.

    In `memory` the memref's aligned pointer is at byte `base`, which may be before it; element zero is `offset`
    elements further.
    """

    elements: Array
    memory: Array
    base: int
    offset: int


Passed: TypeAlias = HostView | int | float
"""An argument of a launch elsewhere."""

Value: TypeAlias = Array | MemRef | Tile | ScatteredTile | Struct
Values: TypeAlias = Sequence[Value]

UNBOUNDED = np.iinfo(np.int64).max
"""The limit of a scattered tile at an address."""

_Part = TypeVar("_Part", bound="Value | Surface | tuple[Array, ...]")


def uniform(number: int, dtype: type[np.generic] = np.int64) -> Array:
    """Return one number for all threads."""
    return np.array([number], dtype)


def swizzled_offset(swizzle: Sequence[Array], indices: Sequence[Array]) -> Array:
    """Return the offsets of elements of a swizzled memref, in elements; the indices broadcast."""
    found: Array = np.zeros(1, np.int64)
    for steps, index in zip(swizzle, indices, strict=True):
        for bit, step in enumerate(steps[0].tolist()):
            found = found ^ (index >> bit & 1) * step
    return found


def take(value: _Part, index: Array) -> _Part:
    """Return the value of the threads `index`; arrays with a single entry stay shared."""
    if isinstance(value, np.ndarray):
        return cast(_Part, value if len(value) == 1 else value[index])
    return cast(_Part, _remade(value, [take(part, index) for part in _parts(value)]))


def merge(pieces: Sequence[tuple[Array | slice, _Part]], count: int) -> _Part:
    """Return the value of `count` threads from pieces (threads, value); later ones override earlier ones."""
    first = pieces[0][1]
    if isinstance(first, np.ndarray):
        held = alike(cast("Sequence[Array]", [piece for _, piece in pieces]))
        merged = np.empty((count, *first.shape[1:]), held[0].dtype)
        for (index, _), piece in zip(pieces, held, strict=True):
            merged[index] = piece
        return cast(_Part, merged)
    columns = zip(*(_parts(piece) for _, piece in pieces), strict=True)
    indices = [index for index, _ in pieces]
    return cast(
        _Part,
        _remade(first, [merge(list(zip(indices, c, strict=True)), count) for c in columns]),
    )


def alike(values: Sequence[Array]) -> Sequence[Array]:
    """Convert values of one type to one numpy type; integers with pieces of floats have another (`field/cells.py`)."""
    carried = [value.dtype for value in values if value.dtype.kind == "V"]
    if len(carried) in (0, len(values)):
        return values
    return [value if value.dtype.kind == "V" else in_cells(value) for value in values]


def in_cells(integers: Array) -> Array:
    """Return integers as opaque elements, with a cell (64 bits) for each of their bytes."""
    bytes = np.ascontiguousarray(integers)[..., None].view(np.uint8)
    return bytes.astype(np.uint64).view(f"V{8 * integers.itemsize}")[..., 0]


def _parts(value: Any) -> list[Array]:
    return list(value)


def _remade(value: Any, parts: list[Array]) -> Any:
    make = getattr(value, "_make", tuple)
    return make(parts)


def check_memref(op: Operation, type: Attribute, found: MemRef) -> None:
    """Raise, at the op that makes it, if a memref contradicts its type, or has an extent below 0."""
    for dimension, size in enumerate(found.sizes):
        if (size < 0).any():
            fail(
                op,
                f"'{op.name}' makes a memref with extent {int(size.min())} in dimension "
                f"{dimension}; expected none below 0",
            )
    if isinstance(type, MemRefType):
        told = contradiction(cast("MemRefType[Attribute]", type), found)
        if told is not None:
            fail(op, f"'{op.name}' makes a memref with {told}, its type is {type}")


def contradiction(type: MemRefType[Attribute], found: MemRef) -> str | None:
    """Describe a fact about a memref that contradicts its type; None if all agree.

    The stride of a dimension with one entry is never used, and may be any.
    """
    if len(found.sizes) != type.get_num_dims():
        return f"rank {len(found.sizes)}"
    for dimension, (size, extent) in enumerate(
        zip(found.sizes, type.get_shape(), strict=True)
    ):
        if extent != DYNAMIC_INDEX and (size != extent).any():
            return f"extent {_first(size, size != extent)} in dimension {dimension}"
    layout = strides_and_offset(type)
    if layout is None:
        return None
    for dimension, (stride, known) in enumerate(zip(found.strides, layout[0], strict=True)):
        wrong = (stride != known) & (found.sizes[dimension] > 1)
        if known is not None and wrong.any():
            return f"stride {_first(stride, wrong)} in dimension {dimension}"
    if layout[1] is not None and (found.offset != layout[1]).any():
        return f"offset {_first(found.offset, found.offset != layout[1])}"
    return None


def _first(values: Array, chosen: Array) -> int:
    """Return one of the chosen values; `values` may have a single entry for all."""
    return int(values[chosen][0] if len(values) == len(chosen) else values[0])

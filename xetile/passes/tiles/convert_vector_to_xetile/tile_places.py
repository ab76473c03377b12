"""The place of a tile: the memref below subviews in which the access provably stays, and its order."""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.arith import AddiOp
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    StridedLayoutAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.dialects.index_lists import Mixed, join_mixed
from xetile.dialects.upstream.memref import (
    ExtractStridedMetaDataOp,
    ReinterpretCastOp,
    SubviewOp,
)
from xetile.dialects.upstream.memref.memref_layout import (
    is_static,
    linear_strides_and_offset,
    ranked,
    strides_and_offset,
)
from xetile.dialects.upstream.memref.views import dropped_dimensions, subview_type
from xetile.dialects.xetile import InitTileOp, TileType
from xetile.dialects.xetile.xetile_attributes import (
    COLUMN_MAJOR,
    ROW_MAJOR,
    TileAttr,
    memory_space_of,
)
from xetile.errors import fail
from xetile.passes.tiles.convert_vector_to_xetile.bounds import (
    Access,
    bounded,
    ends,
    is_at_most,
    known,
    value_of,
)
from xetile.passes.tiles.convert_vector_to_xetile.making import Making


class Placed(NamedTuple):
    """A tile, and for each dimension of the op's memref the tile's side: rows (0), columns (1), or None."""

    tile: SSAValue
    sides: Sequence[int | None]


def tile_at(making: Making, access: Access) -> Placed:
    """Return the tile of an access, whose matrix is the last two dimensions of the memref.

    Errors: XetileError at the op for memrefs that are neither row-major nor column-major, and if an access may leave
    one of the leading dimensions.
    """
    name = access.memref.name_hint
    access = _as_matrix(making, bounded(making, _folded(making, access)))
    rank = len(access.extents)
    for dimension in range(rank - 2):
        _check_in_front(making.op, access, dimension)
    type = ranked(access.memref.type)
    order = _order(making.op, type)
    space = memory_space_of(type.memory_space)
    if space is None:
        fail(making.op, f"{type} lies in a memory space that no tile is in")
    tile = TileType(
        access.extents[-2:], type.element_type, TileAttr(order=order, memory_space=space)
    )
    sizes, strides = _geometry(making, access.memref)
    made = making.add(InitTileOp(access.memref, access.starts, sizes, strides, tile))
    made.name_hint = name
    sides = [d - (rank - 2) for d in access.along]
    return Placed(made, [side if side >= 0 else None for side in sides])


def _check_in_front(op: Operation, access: Access, dimension: int) -> None:
    """Refuse an access that may leave a leading dimension, since a tile has bounds along its rows and columns only."""
    type = ranked(access.memref.type)
    if _stays_inside(access, dimension, type.get_shape()[dimension]):
        return
    fail(
        op,
        f"dimension {dimension} of {type} may be left: a tile has bounds along the last two; say 'in_bounds' where "
        "the place is sure, or access it in an scf.if",
    )


def _folded(making: Making, access: Access) -> Access:
    """Return the access to the memref of a subview, as long as it stays inside the subview."""
    view = access.memref.owner
    while isinstance(view, SubviewOp) and (found := _below(making, view, access)) is not None:
        access, view = found, found.memref.owner
    return access


def _below(making: Making, view: SubviewOp, access: Access) -> Access | None:
    source, result = ranked(view.source.type), ranked(view.result.type)
    offsets = join_mixed(view.offsets, view.static_offsets)
    sizes = view.static_sizes.get_values()
    steps = view.static_strides.get_values()
    lists = (view.static_offsets.get_values(), sizes, steps)
    whole = subview_type(source, lists)
    dropped = None if whole is None else dropped_dimensions(whole, result, sizes)
    if dropped is None or any(step != 1 for step in steps):
        return None
    kept = [d for d in range(source.get_num_dims()) if d not in dropped]
    spread = [
        extent
        for extent, d in zip(access.extents, kept, strict=True)
        if extent > 1 and d < source.get_num_dims() - 2
    ]
    if spread:  # a tile spans the last two dimensions, which the view has elsewhere
        return None
    extent_at = join_mixed(view.sizes, view.static_sizes)
    for place, d in enumerate(kept):
        if not _stays_inside(access, place, extent_at[d]):
            return None
    starts, extents = [known(offset) for offset in offsets], [1] * len(offsets)
    bounds: list[Mixed | None] = [None] * len(offsets)
    for place, d in enumerate(kept):
        starts[d] = _sum(making, starts[d], known(access.starts[place]))
        extents[d], bounds[d] = access.extents[place], access.bounds[place]
    # An element inside the subview is inside its memref.
    along = [kept[d] for d in access.along]
    return Access(view.source, starts, extents, [True] * len(extents), bounds, along)


def _stays_inside(access: Access, dimension: int, size: Mixed) -> bool:
    """Return True if an access provably lies inside a memref's extent along a dimension."""
    if access.in_bounds[dimension]:
        return True
    start, extent = known(access.starts[dimension]), access.extents[dimension]
    if not isinstance(start, int) or start < 0:
        return False
    if isinstance(size, int) and start + extent <= size:
        return True
    bound = access.bounds[dimension]
    found = [] if bound is None else ends(start, bound, extent)
    return any(is_at_most(end, size) for end in found)


def _sum(making: Making, one: Mixed, other: Mixed) -> Mixed:
    if isinstance(one, int) and isinstance(other, int):
        return one + other
    if other == 0:
        return one
    if one == 0:
        return other
    return making.add(AddiOp(value_of(making, one), value_of(making, other)))


def _order(op: Operation, type: MemRefType[Attribute]) -> tuple[int, int]:
    layout = strides_and_offset(type)
    strides = None if layout is None else layout[0]
    if strides is not None and strides[-1] == 1:
        return ROW_MAJOR
    if strides is not None and strides[-2] == 1:
        return COLUMN_MAJOR
    shown = (
        "?" if strides is None else ", ".join("?" if n is None else str(n) for n in strides)
    )
    fail(
        op,
        f"{type} has strides [{shown}]; a tile is of a matrix whose rows are contiguous, [pitch, 1], "
        "or whose columns are, [1, pitch]",
    )


def _as_matrix(making: Making, access: Access) -> Access:
    """View a memref of one dimension as a matrix of one row."""
    type = ranked(access.memref.type)
    if type.get_num_dims() != 1:
        return access
    layout = linear_strides_and_offset(type)
    if layout is None or layout[0] != (1,):
        fail(making.op, f"{type} has a stride; a row of a tile is contiguous")
    (size,) = type.get_shape()
    if size != DYNAMIC_INDEX and layout[1] == 0:
        row = MemRefType(type.element_type, [1, size], memory_space=type.memory_space)
        cast = ReinterpretCastOp.from_dynamic(access.memref, [0], [1, size], [size, 1], row)
    else:
        _, offset, length, _ = _metadata(making, access.memref)
        count = length if size == DYNAMIC_INDEX else size
        row = _row_type(type, size)
        cast = ReinterpretCastOp.from_dynamic(
            access.memref, [offset], [1, count], [count, 1], row
        )
    return Access(
        making.add(cast),
        [0, *access.starts],
        [1, *access.extents],
        [True, *access.in_bounds],
        [None, *access.bounds],
        [d + 1 for d in access.along],
    )


def _row_type(type: MemRefType[Attribute], size: int) -> MemRefType[Attribute]:
    pitch = None if size == DYNAMIC_INDEX else size
    layout = StridedLayoutAttr([pitch, 1], None)
    return MemRefType(type.element_type, [1, size], layout, type.memory_space)


def _metadata(making: Making, memref: SSAValue) -> list[SSAValue]:
    """Return base, offset, sizes and strides as values."""
    op = ExtractStridedMetaDataOp(memref)
    making.made.append(op)
    return list(op.results)


def _geometry(making: Making, memref: SSAValue) -> tuple[list[Mixed], list[Mixed]]:
    """Return the sizes and strides that `init_tile` needs; none for static memrefs."""
    type = ranked(memref.type)
    if is_static(type):
        return [], []
    rank = type.get_num_dims()
    layout = strides_and_offset(type)
    assert layout is not None
    _, _, *values = _metadata(making, memref)
    sizes: list[Mixed] = [
        value if size == DYNAMIC_INDEX else size
        for value, size in zip(values[:rank], type.get_shape(), strict=True)
    ]
    strides: list[Mixed] = [
        value if stride is None else stride
        for value, stride in zip(values[rank:], layout[0], strict=True)
    ]
    return sizes, strides

"""Where elements are: broadcasts, transposes, maps over subgroups."""

from typing import cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import VectorType

from xetile.hints import isa
from xetile.language.builder import Pair, current
from xetile.language.held import Held, type_of
from xetile.language.literals import number_of
from xetile.language.refusals import refuse


def common_shape(left: Pair | None, right: Pair | None) -> Pair | None:
    """The shape of two operands together, None where extents differ and neither is 1 (as numpy has it).

    A scalar (None) takes the shape of the other.
    """
    if left is None or right is None:
        return left or right
    pairs = list(zip(left, right, strict=True))
    if any(a != b and 1 not in (a, b) for a, b in pairs):
        return None
    rows, columns = (max(pair) for pair in pairs)
    return rows, columns


def broadcast(held: Held, shape: Pair | None) -> Held:
    """The value repeated to `shape`, which its own fits."""
    if held.shape == shape or shape is None:
        return held
    from xetile.dialects.upstream.vector import BroadcastOp
    from xetile.dialects.xetile import TileBroadcastOp

    builder = current()
    type = type_of(held.element, shape)
    assert isa(type, VectorType)
    if held.shape is None:
        value = builder.pure_of(BroadcastOp, held.value, type)
    else:
        dims = tuple(d for d in (0, 1) if held.shape[d] != shape[d])
        value = builder.pure_of(TileBroadcastOp, held.value, dims, type)
    return Held(value, held.element, shape)


def transposed(held: Held) -> Held:
    """Rows and columns of a tile exchanged."""
    from xetile.dialects.xetile import TileTransposeOp

    assert held.shape is not None
    rows, columns = held.shape
    value = current().pure_of(TileTransposeOp, held.value, (1, 0))
    return Held(value, held.element, (columns, rows))


def sliced(held: Held, places: object) -> Held:
    """The part of a tile that two slices name, whose bounds are numbers; as numpy's, they may count from the end.

    Errors: XetileError for other places, with what to write.
    """
    from xetile.dialects.upstream.vector import ExtractStridedSliceOp

    assert held.shape is not None
    pair = cast("tuple[object, ...]", places if isinstance(places, tuple) else (places,))
    if len(pair) != len(held.shape):
        refuse(
            f"{len(pair)} place{'s' * (len(pair) != 1)} in the brackets of a tile, which has two dimensions; "
            "write x[:, 0:16]"
        )
    spans = [_bounds(place, extent) for place, extent in zip(pair, held.shape, strict=True)]
    if spans == [(0, extent) for extent in held.shape]:
        return held
    starts = tuple(start for start, _ in spans)
    rows, columns = (stop - start for start, stop in spans)
    map = _whole_where_cut(held, (rows, columns))
    whole = held if map is None else mapped(held, current().sg_layout, map)
    value = current().pure_of(ExtractStridedSliceOp, whole.value, starts, (rows, columns))
    part = Held(value, held.element, (rows, columns))
    if map is None:
        return part
    cut = [min(pair) for pair in zip(map, (rows, columns), strict=True)]
    return mapped(part, current().sg_layout, (cut[0], cut[1]))


def _whole_where_cut(held: Held, shape: Pair) -> Pair | None:
    """What subgroups hold of a tile that take a part of `shape` of it: all along what is cut and they share.

    None where they share nothing of that, or where the map of a `.map` has it so.
    """
    assert held.shape is not None
    layout = current().sg_layout
    extents = zip(layout, shape, held.shape, strict=True)
    shared = [n > 1 and part < extent for n, part, extent in extents]
    known = _written_map(held)
    if known is not None:
        shared = [
            part < extent and data < extent
            for data, part, extent in zip(known, shape, held.shape, strict=True)
        ]
    if not any(shared):
        return None
    rows, columns = (
        extent if part < extent or extent % n else extent // n
        for extent, part, n in zip(held.shape, shape, layout, strict=True)
    )
    return rows, columns


def _written_map(held: Held) -> Pair | None:
    """The `sg_data` of the map that a value was given."""
    from xetile.dialects.xetile import TileConvLayoutOp, WorkgroupMapAttr

    owner = held.value.owner
    map = None
    if isinstance(owner, TileConvLayoutOp):
        map = owner.wg_map_result
    elif isinstance(owner, ConstantOp):
        map = owner.attributes.get("wg_map")
    if not isinstance(map, WorkgroupMapAttr):
        return None
    rows, columns = map.sg_data
    return rows, columns


def _bounds(place: object, extent: int) -> Pair:
    """The first element and the one behind the last."""
    if not isinstance(place, slice):
        refuse(
            f"{place!r} in the brackets of a tile, which keeps two dimensions: write slices, x[:, 3:4]"
        )
    bounds = cast("tuple[object, object, object]", (place.start, place.stop, place.step))
    numbers = [None if bound is None else number_of(bound) for bound in bounds]
    if any(n is not None and not isinstance(n, int) for n in numbers) or any(
        bound is not None and number is None
        for bound, number in zip(bounds, numbers, strict=True)
    ):
        refuse("a slice of a tile has bounds that are known before the kernel runs")
    start, stop, step = slice(*numbers).indices(extent)
    if step != 1:
        refuse(f"a slice of a tile with a step of {step}; a tile's parts are of neighbours")
    if stop <= start:
        refuse(f"a slice of no element, from {start} to {stop}, of {extent}")
    return start, stop


def mapped(held: Held, sg_layout: Pair, sg_data: Pair) -> Held:
    """A tile that subgroups hold as the map says; a constant is made so, anything else is moved there.

    Errors: XetileError for a map that does not deal the tile out evenly.
    """
    from xdsl.utils.exceptions import VerifyException

    from xetile.dialects.xetile import TileConvLayoutOp, WorkgroupMapAttr

    assert held.shape is not None
    try:
        wg_map = WorkgroupMapAttr(sg_layout, sg_data)
    except VerifyException as error:
        refuse(f"map({sg_layout}, {sg_data}): {error}")
    _verify_even(held.shape, sg_layout, sg_data)
    builder = current()
    owner = held.value.owner
    if isinstance(owner, ConstantOp):
        made = ConstantOp(owner.value)
        made.attributes["wg_map"] = wg_map
        return held._replace(value=builder.result(made))
    return held._replace(value=builder.pure_of(TileConvLayoutOp, held.value, wg_map))


def _verify_even(shape: Pair, sg_layout: Pair, sg_data: Pair) -> None:
    for extent, subgroups, unit in zip(shape, sg_layout, sg_data, strict=True):
        units = extent // unit
        if extent % unit or (units % subgroups and subgroups % units):
            refuse(
                f"map({sg_layout}, {sg_data}) does not deal out a tile of {shape[0]}x{shape[1]}: {extent} elements "
                f"in units of {unit} for {subgroups} subgroups"
            )

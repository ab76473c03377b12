"""Which `wg_map` every workgroup-level vector has: written ones, and those that follow from them.

Values that are one value at run time (a loop's initial value, argument, yield and result; the operands and the
result of an elementwise op) share a map. `tile_mma` relates the maps of A, B and C (the RFC, "Workgroup Level XeTile
extension"): one sg_layout; A has C's rows and K, B has K and C's columns.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, NoReturn

from xdsl.ir import Operation, SSAValue

from xetile.analysis.same_value import (
    Classes,
    carried_pairs,
    computed_pairs,
    is_tile_vector,
    vector_shape,
)
from xetile.dialects.xetile import (
    TileBroadcastOp,
    TileReduceOp,
    TileTransposeOp,
    TileType,
    WorkgroupMapAttr,
)
from xetile.errors import fail, position


class Evidence(NamedTuple):
    """A map and the op that gives it."""

    map: WorkgroupMapAttr
    at: Operation


def infer_workgroup_maps(function: Operation) -> dict[SSAValue, WorkgroupMapAttr]:
    """The map of every vector of rank 2 in a workgroup-level function.

    Errors: XetileError at the op where two maps contradict one another (both are named), or where none is known.
    """
    classes = Classes(_one_map)
    operations = list(function.walk())
    for op in operations:
        for left, right in (*carried_pairs(op), *computed_pairs(op)):
            if is_tile_vector(left.type):
                classes.unite(left, right)
    for op in operations:
        for value, map in _written(op):
            classes.give(value, Evidence(map, op))
    related = [(op, _RELATIONS[op.name]) for op in operations if op.name in _RELATIONS]
    while any(relate(classes, op) for op, relate in related):
        pass
    maps: dict[SSAValue, WorkgroupMapAttr] = {}
    for op in operations:
        for value in (*op.results, *_arguments(op)):
            if not is_tile_vector(value.type):
                continue
            found = classes.fact(value)
            if found is None:
                fail(
                    op,
                    f"no wg_map is known for the {value.type} of '{op.name}'; "
                    "write `wg_map = #xetile.wg_map<...>` on it",
                )
            maps[value] = found.map
    return maps


def _arguments(op: Operation) -> Iterator[SSAValue]:
    for region in op.regions:
        for block in region.blocks:
            yield from block.args


def _written(op: Operation) -> Iterator[tuple[SSAValue, WorkgroupMapAttr]]:
    if op.name in _ACCESSES:
        tile = next(v for v in op.operands if isinstance(v.type, TileType))
        for value in (*op.operands, *op.results):
            if is_tile_vector(value.type):
                yield from _with_tile_map(value, tile)
    elif op.name == "xetile.init_tile":
        for value in op.operands:
            if is_tile_vector(value.type):
                yield from _with_tile_map(value, op.results[0])
    elif op.name == "xetile.tile_mma":
        values = (op.operands[0], op.operands[1], op.results[0])
        for value, name in zip(values, ("wg_map_a", "wg_map_b", "wg_map_c"), strict=True):
            map = op.properties.get(name)
            if isinstance(map, WorkgroupMapAttr):
                yield value, map
    elif op.name in _REARRANGED:
        for value, name in ((op.results[0], "wg_map_result"), (op.operands[0], "wg_map_source")):
            map = op.properties.get(name)
            if isinstance(map, WorkgroupMapAttr):
                yield value, map
    else:
        map = op.attributes.get("wg_map")
        if isinstance(map, WorkgroupMapAttr):
            for result in op.results:
                yield result, map


def _with_tile_map(value: SSAValue, tile: SSAValue) -> Iterator[tuple[SSAValue, WorkgroupMapAttr]]:
    map = getattr(tile.type, "wg_map", None)
    if isinstance(map, WorkgroupMapAttr):
        yield value, map


def _relate_product(classes: Classes[Evidence], op: Operation) -> bool:
    """Derive what a tile_mma's known maps say of its unknown ones; whether anything was new."""
    a, b, c = op.operands[0], op.operands[1], op.results[0]
    map_a, map_b, map_c = (None if (e := classes.fact(v)) is None else e.map for v in (a, b, c))
    depth = vector_shape(a)[1]
    found: list[tuple[SSAValue, WorkgroupMapAttr]] = []
    if map_c is not None:
        rows, columns = map_c.sg_data
        if map_a is None:
            found.append((a, WorkgroupMapAttr(map_c.sg_layout, (rows, depth))))
        if map_b is None:
            found.append((b, WorkgroupMapAttr(map_c.sg_layout, (depth, columns))))
    elif map_a is not None and map_b is not None:
        data = (map_a.sg_data[0], map_b.sg_data[1])
        found.append((c, WorkgroupMapAttr(map_a.sg_layout, data)))
    for value, map in found:
        classes.give(value, Evidence(map, op))
    return bool(found)


def _relate_rearranged(classes: Classes[Evidence], op: Operation) -> bool:
    """Derive the map of the source from the result's, or the result's from the source's; whether it was new."""
    source, result = op.operands[0], op.results[0]
    if not is_tile_vector(result.type) or "wg_map_source" in op.properties:
        return False
    given, wanted = classes.fact(result), classes.fact(source)
    if given is not None and wanted is None:
        map = _source_map(op, given.map)
        classes.give(source, Evidence(map, op))
        return True
    if given is None and wanted is not None:
        map = _result_map(op, wanted.map)
        if map is not None:
            classes.give(result, Evidence(map, op))
            return True
    return False


def _source_map(op: Operation, map: WorkgroupMapAttr) -> WorkgroupMapAttr:
    if isinstance(op, TileTransposeOp):
        return map.transposed() if op.permutation.get_values() == (1, 0) else map
    if isinstance(op, TileReduceOp):
        dims, extents = op.reduction_dims.get_values(), vector_shape(op.source)
    else:
        assert isinstance(op, TileBroadcastOp)
        dims, extents = op.broadcast_dims.get_values(), (1, 1)
    data = [extents[d] if d in dims else unit for d, unit in enumerate(map.sg_data)]
    return WorkgroupMapAttr(map.sg_layout, data)


def _result_map(op: Operation, map: WorkgroupMapAttr) -> WorkgroupMapAttr | None:
    if isinstance(op, TileTransposeOp):
        return map.transposed() if op.permutation.get_values() == (1, 0) else map
    if isinstance(op, TileReduceOp):
        dims = op.reduction_dims.get_values()
        data = [1 if d in dims else unit for d, unit in enumerate(map.sg_data)]
        return WorkgroupMapAttr(map.sg_layout, data)
    return None


_ACCESSES = (
    "xetile.load_tile",
    "xetile.store_tile",
    "xetile.atomic_rmw_tile",
    "xetile.load_gather",
    "xetile.store_scatter",
    "xetile.update_tile_offset",
)

_REARRANGED = (
    "xetile.tile_transpose",
    "xetile.tile_reduce",
    "xetile.tile_broadcast",
    "xetile.tile_conv_layout",
)

_RELATIONS: Mapping[str, Callable[[Classes[Evidence], Operation], bool]] = {
    "xetile.tile_mma": _relate_product,
    "xetile.tile_transpose": _relate_rearranged,
    "xetile.tile_reduce": _relate_rearranged,
    "xetile.tile_broadcast": _relate_rearranged,
}


def _one_map(first: Evidence, second: Evidence) -> Evidence:
    return first if first.map == second.map else _refuse(first, second)


def _refuse(first: Evidence, second: Evidence) -> NoReturn:
    place = position(first.at)
    where = "" if place is None else f" (line {place.line.data})"
    fail(
        second.at,
        f"'{second.at.name}' needs {second.map}, but '{first.at.name}'{where} gives {first.map}; "
        "the maps must agree, or a tile_conv_layout stand between",
    )

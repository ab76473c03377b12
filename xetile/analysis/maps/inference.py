"""Which `wg_map` every workgroup-level vector and tile has: written ones, and what follows.

Maps are written in the types of tiles, on XeTile's vector ops (`wg_map_a`, `wg_map_result`,
...), and as `wg_map` on others. They spread (propagation.py) along values that have one map
(links.py) and through ops that relate different ones (rules.py). What none determines is
refused (advice.py).
"""

from collections import defaultdict
from collections.abc import Iterator
from math import prod

from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from xetile.analysis.kernels import sg_layout_of, subgroup_count
from xetile.analysis.maps.advice import refuse_unknown
from xetile.analysis.maps.links import has_map, pairs
from xetile.analysis.maps.propagation import (
    Evidence,
    Link,
    Propagation,
    Rule,
    Strength,
    Total,
    shape_of,
)
from xetile.analysis.maps.rules import (
    HINTS,
    check_product,
    dealt_out,
    is_fresh,
    make_map,
    rule_of,
    written_maps,
)
from xetile.dialects.traits import HandsOn, MovesTile, has_trait
from xetile.dialects.xetile import AtomicRMWTileOp, TileMMAOp, TileType, WorkgroupMapAttr
from xetile.dialects.xetile.support import verify_one_writer
from xetile.errors import XetileError, fail


def infer_workgroup_maps(function: Operation) -> dict[SSAValue, WorkgroupMapAttr]:
    """The map of every vector and tile of rank 2 in a workgroup-level function.

    XetileError at the op where two maps contradict one another (both are named, with their
    places), where a map does not distribute a value, or where none or several are possible.
    """
    operations = list(function.walk())
    maps = _propagation(function, operations)
    for op in operations:
        for value, map, strength in _written(op):
            maps.offer(value, Evidence(map, map, op), op, strength)
    maps.run()
    values = list(_values(operations))
    _hold_whole(maps, values)
    _deal_out(maps, function, values)
    if any(maps.get(value) is None for value in values):
        refuse_unknown(maps, operations, values)
    for op in operations:
        _check(maps, op)
    return {value: known.map for value in values if (known := maps.get(value)) is not None}


def known_tile_maps(function: Operation) -> dict[SSAValue, WorkgroupMapAttr]:
    """The maps of a function's tiles as far as they follow; none where they contradict one another.

    As `infer_workgroup_maps` finds them once each use of a constant, splat or mask has one of its own.
    """
    operations = list(function.walk())
    maps = _propagation(function, operations, _WithoutFresh)
    try:
        for op in operations:
            for value, map, strength in _written(op):
                maps.offer(value, Evidence(map, map, op), op, strength)
        maps.run()
        _deal_out(
            maps, function, [v for op in operations for v in _made(op) if has_map(v.type)]
        )
    except XetileError:
        return {}
    tiles = (v for op in operations for v in _made(op) if isinstance(v.type, TileType))
    return {tile: known.map for tile in tiles if (known := maps.get(tile)) is not None}


class _WithoutFresh(Propagation):
    """Gives no map to what is made again for each use, which may need several."""

    def takes_map(self, value: SSAValue) -> bool:
        return not is_fresh(value)


def _propagation(
    function: Operation, operations: list[Operation], kind: type[Propagation] = Propagation
) -> Propagation:
    links: defaultdict[SSAValue, list[Link]] = defaultdict(list)
    rules: defaultdict[SSAValue, list[tuple[Operation, Rule]]] = defaultdict(list)
    for op in operations:
        for pair in pairs(op):
            links[pair.source].append(Link(pair.target, pair.by, Strength.FORWARD))
            links[pair.target].append(Link(pair.source, pair.by, Strength.BACKWARD))
        if (rule := rule_of(op)) is not None:
            for value in dict.fromkeys((*op.operands, *op.results)):
                rules[value].append((op, rule))
    subgroups = subgroup_count(function)
    total = None if subgroups is None else Total(subgroups, "known_block_size")
    return kind(links, rules, total, sg_layout_of(function))


def _hold_whole(maps: Propagation, values: list[SSAValue]) -> None:
    """Every subgroup holds all of a vector that only ops without maps touch."""
    if maps.total is None:
        return
    for value in values:
        op = value.owner
        if not isinstance(op, Operation) or isinstance(value.type, TileType):
            continue
        if maps.get(value) is None and maps.is_alone(value, HINTS):
            map = make_map((maps.total.subgroups, 1), shape_of(value))
            maps.offer(value, Evidence(map, map, op), op, Strength.ASSUMED)
    maps.run()


def _deal_out(maps: Propagation, function: Operation, values: list[SSAValue]) -> None:
    """What no map reaches gets the kernel's `xetile.sg_layout`: results of products first, then the largest."""
    if maps.sg_layout is None:
        return
    for value in sorted(values, key=_how_much):
        if maps.get(value) is not None or not maps.takes_map(value):
            continue
        map = dealt_out(shape_of(value), maps.sg_layout)
        op = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
        assert op is not None
        maps.offer(value, Evidence(map, map, function), op, Strength.ASSUMED)
        maps.run()


def _how_much(value: SSAValue) -> tuple[bool, int]:
    """Sorts results of products to the front, then what has more elements."""
    return not isinstance(value.owner, TileMMAOp), -prod(shape_of(value))


def _values(operations: list[Operation]) -> Iterator[SSAValue]:
    for op in operations:
        for value in _made(op):
            if has_map(value.type):
                yield value
            elif isinstance(value.type, TileType):
                fail(
                    op,
                    f"{value.type} has one dimension, a wg_map distributes two; "
                    f"use a tile of 1x{value.type.shape[0]}",
                )


def _made(op: Operation) -> Iterator[SSAValue]:
    """The results of an op, and the arguments of its blocks."""
    yield from op.results
    for block in (block for region in op.regions for block in region.blocks):
        yield from block.args


def _written(op: Operation) -> Iterator[tuple[SSAValue, WorkgroupMapAttr, Strength]]:
    """The maps that stand on an op: in the types of the tiles that it makes, and in its attributes."""
    if not has_trait(op, MovesTile, HandsOn):  # their tiles are tiles that other ops made
        for value in _made(op):
            if isinstance(value.type, TileType) and value.type.wg_map is not None:
                yield value, value.type.wg_map, Strength.FORWARD
    yield from written_maps(op)
    found = op.attributes.get("wg_map")
    if found is None:
        return
    if not isinstance(found, WorkgroupMapAttr):
        fail(op, f"'wg_map' is {found}, expected a #xetile.wg_map")
    vectors = [result for result in op.results if has_map(result.type)]
    if not vectors and op.name.partition(".")[0] != "xetile":
        fail(op, f"'wg_map' on '{op.name}', which has no result that is a vector of rank 2")
    for value in vectors:
        yield value, found, Strength.FORWARD


def _check(maps: Propagation, op: Operation) -> None:
    """What the page asks of whole ops: K in units that fit, one writer of what is updated and taken."""
    if isinstance(op, TileMMAOp) and rule_of(op) is not None:
        check_product(maps, op)
    if not isinstance(op, AtomicRMWTileOp) or op.result.first_use is None:
        return
    tile = next(value for value in op.operands if isinstance(value.type, TileType))
    known = maps.get(tile)
    assert isinstance(tile.type, TileType)
    if known is None:
        return
    try:
        verify_one_writer(tile.type.with_(wg_map=known.map))
    except VerifyException as error:
        fail(op, str(error))

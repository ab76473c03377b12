"""Inference of the `wg_map` of every workgroup-level vector and tile from the maps that are written.

Maps are written in the types of tiles, on XeTile's vector ops (`wg_map_a`, `wg_map_result`,
...), and as `wg_map` on others. They spread (propagation.py) along values that share a map
(links.py) and through ops that relate different maps (rules.py). If no map follows for a value,
a diagnostic says what to write: the candidates if a rule leaves some open, else what is missing.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import NoReturn

from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.utils.exceptions import VerifyException

from xetile.analysis.maps.links import has_map, pairs
from xetile.analysis.maps.map_words import name_of
from xetile.analysis.maps.propagation import (
    Evidence,
    Link,
    Propagation,
    Rule,
    Strength,
    Total,
    origin,
    shape_of,
)
from xetile.analysis.maps.rules import (
    HINTS,
    broadcast_dims,
    check_product,
    dealt_out,
    factors,
    is_fresh,
    make_map,
    rule_of,
    units_that_fit,
    written_maps,
)
from xetile.analysis.module_kernels import sg_layout_of, subgroup_count
from xetile.analysis.same_value import Classes
from xetile.dialects.traits import (
    Elementwise,
    HandsOn,
    MovesTile,
    PrefetchesTile,
    ReadsTile,
    has_trait,
)
from xetile.dialects.xetile import AtomicRMWTileOp, TileMMAOp, TileType, WorkgroupMapAttr
from xetile.dialects.xetile.tile_support import verify_one_writer
from xetile.errors import XetileError, fail

_AT_MOST = 16
"""Most candidates that a message lists."""


def refuse_unknown(
    maps: Propagation, operations: Sequence[Operation], values: Sequence[SSAValue]
) -> NoReturn:
    """Raise at the op of the first value with several possible maps, else at the first value with none."""
    for op in operations:
        if rule_of(op) is not None and maps.get(op.results[0]) is None:
            _refuse_open_product(maps, op)
            _refuse_open_broadcast(maps, op)
    value = next(value for value in values if maps.get(value) is None)
    if isinstance(value.type, TileType):
        _refuse_tile(maps, operations, value)
    op = value.owner if isinstance(value, OpResult) else value.owner.parent_op()
    assert isinstance(op, Operation)
    fail(value, f"no wg_map is known for {_described(value)}; {_missing(op, value)}")


def _refuse_open_product(maps: Propagation, op: Operation) -> None:
    if not isinstance(op, TileMMAOp):
        return
    for factor, other in (factors(op), factors(op)[::-1]):
        known = maps.get(factor.value)
        if known is None or maps.get(other.value) is not None:
            continue
        dimension = other.outer
        units = units_that_fit(
            shape_of(op.results[0])[dimension], known.map.sg_layout[dimension]
        )
        _refuse_open(op, f"operand {factor.name}", known, {dimension: units}, "wg_map_c")


def _refuse_open_broadcast(maps: Propagation, op: Operation) -> None:
    if op.name not in ("xetile.tile_broadcast", "vector.broadcast"):
        return
    known = maps.get(op.operands[0])
    if known is None:
        return
    extents = shape_of(op.results[0])
    choices = {
        d: units_that_fit(extents[d], known.map.sg_layout[d]) for d in broadcast_dims(op)
    }
    name = "wg_map_result" if op.name.startswith("xetile.") else "wg_map"
    _refuse_open(op, name_of(op.operands[0]), known, choices, name)


def _refuse_open(
    op: Operation,
    given: str,
    known: Evidence,
    choices: Mapping[int, Sequence[int]],
    attribute: str,
) -> NoReturn:
    """Raise if the result's map is known except for its units in some dimensions."""
    data: list[str] = [
        f"s{d}" if d in choices else str(unit) for d, unit in enumerate(known.map.sg_data)
    ]
    legal = ", ".join(f"s{d} one of {_listed(units)}" for d, units in choices.items())
    result = op.results[0]
    fail(
        op,
        f"the wg_map of {name_of(result)} is open: {given} has {known.map.body} {origin(known, op)}, from which "
        f"sg_layout = {list(known.map.sg_layout)}, sg_data = [{', '.join(data)}] follows with {legal}; "
        f"write {attribute}",
    )


def _listed(units: Sequence[int]) -> str:
    text = ", ".join(str(unit) for unit in units[-_AT_MOST:])
    return text if len(units) <= _AT_MOST else f"..., {text}"


def _refuse_tile(
    maps: Propagation, operations: Sequence[Operation], tile: SSAValue
) -> NoReturn:
    assert isinstance(tile.type, TileType)
    uses = _uses(operations, tile)
    reason = ""
    if not uses:
        reason = "nothing uses it; "
    elif all(has_trait(op, PrefetchesTile) for op in uses):
        reason = "it is only prefetched; "
    example = _example(maps, tile.type.shape)
    such = "#xetile.tile_attr<wg_map = #xetile.wg_map<...>>"
    if example is not None:
        such = f"such as {tile.type.with_(wg_map=example)}"
    where = f"{reason}write it in the tile's type, {such}"
    fail(tile, f"no wg_map is known for {_described(tile)}: {where}")


def _uses(operations: Sequence[Operation], tile: SSAValue) -> list[Operation]:
    """Return the ops that access the tile, including those that access it as a value that a loop carries."""
    classes = Classes[None](lambda left, right: None)
    for op in operations:
        for pair in pairs(op):
            if isinstance(pair.source.type, TileType) and isinstance(
                pair.target.type, TileType
            ):
                classes.unite(pair.source, pair.target)
    same = classes.find(tile)
    return [
        op
        for op in operations
        for operand in op.operands
        if not has_trait(op, HandsOn, Elementwise, MovesTile)
        and isinstance(operand.type, TileType)
        and classes.find(operand) is same
    ]


def _example(maps: Propagation, shape: Sequence[int]) -> WorkgroupMapAttr | None:
    """Return a legal map of all subgroups of the workgroup, in units of whole rows or columns, or None."""
    if maps.total is None:
        return None
    subgroups = maps.total.subgroups
    if shape[0] % subgroups == 0:
        return WorkgroupMapAttr((subgroups, 1), (shape[0] // subgroups, shape[1]))
    if shape[1] % subgroups == 0:
        return WorkgroupMapAttr((1, subgroups), (shape[0], shape[1] // subgroups))
    return None


def _described(value: SSAValue) -> str:
    if value.name_hint is None:
        return name_of(value)
    return f"%{value.name_hint} of type {value.type}"


def _missing(op: Operation, value: SSAValue) -> str:
    if not isinstance(value, OpResult):
        return "write a wg_map on the ops that use it"
    if has_trait(op, ReadsTile):
        return "write #xetile.tile_attr<wg_map = #xetile.wg_map<...>> in the tile's type"
    if isinstance(op, TileMMAOp):
        return "write wg_map_c = #xetile.wg_map<...> on it"
    match op.name:
        case name if name.startswith("xetile."):
            return "write wg_map_result = #xetile.wg_map<...> on it"
        case name if name.startswith("scf."):
            return "write wg_map = #xetile.wg_map<...> on an op that makes or uses it"
        case _:
            return "write wg_map = #xetile.wg_map<...> on it"


def infer_workgroup_maps(function: Operation) -> dict[SSAValue, WorkgroupMapAttr]:
    """Return the map of every vector and tile of rank 2 in a workgroup-level function.

    Raise XetileError at the op where two maps contradict each other (the message names both, with their
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
    """Return the maps of a function's tiles as far as they follow, or no maps if they contradict one another.

    The result is what `infer_workgroup_maps` finds once each use of a constant, splat or mask has its own copy.
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
    """A propagation that gives no map to values that are recreated for each use, since they may need several."""

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
    """Give all of a vector to every subgroup if only ops without maps use it."""
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
    """Give values without a map the kernel's `xetile.sg_layout`: results of products first, then the largest."""
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
    """Return a key that sorts results of products first, then values by decreasing number of elements."""
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
    """Yield the results of an op and the arguments of its blocks."""
    yield from op.results
    for block in (block for region in op.regions for block in region.blocks):
        yield from block.args


def _written(op: Operation) -> Iterator[tuple[SSAValue, WorkgroupMapAttr, Strength]]:
    """Yield the maps written on an op: in the types of the tiles that it makes, and in its attributes."""
    if not has_trait(op, MovesTile, HandsOn):  # the tiles of these ops were made by other ops
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
    """Raise if an op as a whole breaks a rule: units along K that fit, one writer of a tile whose update is used."""
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

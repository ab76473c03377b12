"""What to write where no map follows: the candidates where a rule leaves some open, else what is missing."""

from collections.abc import Mapping, Sequence
from typing import NoReturn

from xdsl.ir import Operation, OpResult, SSAValue

from xetile.analysis.maps.links import pairs
from xetile.analysis.maps.propagation import (
    Evidence,
    Propagation,
    origin,
    shape_of,
)
from xetile.analysis.maps.rules import broadcast_dims, factors, rule_of, units_that_fit
from xetile.analysis.maps.words import name_of
from xetile.analysis.same_value import Classes
from xetile.dialects.traits import (
    Elementwise,
    HandsOn,
    MovesTile,
    PrefetchesTile,
    ReadsTile,
    has_trait,
)
from xetile.dialects.xetile import TileMMAOp, TileType, WorkgroupMapAttr
from xetile.errors import fail

_AT_MOST = 16
"""So many candidates are named."""


def refuse_unknown(
    maps: Propagation, operations: Sequence[Operation], values: Sequence[SSAValue]
) -> NoReturn:
    """Refuse at the op the first value of several possible maps, else the first of none."""
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
    """The result's map is known but for its units in some dimensions."""
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
    """The ops that access the tile, under all names that loops give it."""
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
    """A legal map of all subgroups of the workgroup, in units of whole rows, or columns."""
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

"""Which values of a workgroup-level function have one map: what loops carry, what accesses and elementwise ops join."""

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.same_value import is_elementwise, is_tile_vector, terminator
from xetile.dialects.xetile import TileType

_ONE_MAP = (
    "xetile.init_tile",
    "xetile.update_tile_offset",
    "xetile.load_tile",
    "xetile.store_tile",
    "xetile.atomic_rmw_tile",
    "xetile.load_gather",
    "xetile.store_scatter",
    "vector.fma",
)
"""Ops whose tile and whose vectors (value, mask, indices, steps, ...) are dealt out alike."""


class Pair(NamedTuple):
    """Two values with one map: `target` is made of `source` by the op `by`."""

    source: SSAValue
    target: SSAValue
    by: Operation


def has_map(type: Attribute) -> bool:
    """Whether a value of this type has a map at workgroup level: vectors and tiles of rank 2."""
    return is_tile_vector(type) or (isinstance(type, TileType) and len(type.shape) == 2)


def pairs(op: Operation) -> Iterator[Pair]:
    """The pairs of values that an op gives one map."""
    for pair in _all_pairs(op):
        if has_map(pair.source.type) and has_map(pair.target.type):
            yield pair


def _all_pairs(op: Operation) -> Iterator[Pair]:
    match op.name:
        case "scf.for":
            yield from _for_pairs(op)
        case "scf.if":
            yield from _if_pairs(op)
        case "scf.while":
            yield from _while_pairs(op)
        case "xetile.tile_mma":
            for accumulator in op.operands[2:]:
                yield Pair(accumulator, op.results[0], op)
        case _ if op.name in _ONE_MAP or is_elementwise(op):
            yield from _joined(op)
        case _:
            return


def _joined(op: Operation) -> Iterator[Pair]:
    """All that an op joins meets in its result; in the tile of an op without one."""
    results = [value for value in op.results if has_map(value.type)]
    operands = [value for value in op.operands if has_map(value.type)]
    tiles = [value for value in operands if isinstance(value.type, TileType)]
    center = next(iter((*results, *tiles)), None)
    if center is None:
        return
    for operand in operands:
        if operand is not center:
            yield Pair(operand, center, op)
    for result in results[1:]:
        yield Pair(center, result, op)


def _for_pairs(op: Operation) -> Iterator[Pair]:
    body = op.regions[0].blocks[0]
    last = terminator(body)
    rows = zip(op.operands[3:], body.args[1:], last.operands, op.results, strict=True)
    for initial, argument, carried, result in rows:
        yield Pair(initial, argument, op)
        yield Pair(carried, argument, last)
        yield Pair(argument, result, op)


def _if_pairs(op: Operation) -> Iterator[Pair]:
    if not op.results:
        return
    for region in op.regions:
        last = terminator(region.blocks[0])
        for value, result in zip(last.operands, op.results, strict=True):
            yield Pair(value, result, last)


def _while_pairs(op: Operation) -> Iterator[Pair]:
    before, after = (region.blocks[0] for region in op.regions)
    condition, last = terminator(before), terminator(after)
    for initial, argument, carried in zip(op.operands, before.args, last.operands, strict=True):
        yield Pair(initial, argument, op)
        yield Pair(carried, argument, last)
    for passed, argument, result in zip(
        condition.operands[1:], after.args, op.results, strict=True
    ):
        yield Pair(passed, argument, condition)
        yield Pair(passed, result, condition)

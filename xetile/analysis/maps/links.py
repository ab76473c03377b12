"""Pairs of values that share a wg_map at workgroup level: loops carry them, accesses and elementwise ops join them."""

from collections.abc import Iterator

from xdsl.ir import Attribute, Operation

from xetile.analysis.same_value import Carried, carried, is_tile_vector
from xetile.dialects.traits import OneMap, has_trait
from xetile.dialects.xetile import TileMMAOp, TileType


def has_map(type: Attribute) -> bool:
    """Return True if a value of this type has a map at workgroup level: vectors and tiles of rank 2."""
    return is_tile_vector(type) or (isinstance(type, TileType) and len(type.shape) == 2)


def pairs(op: Operation) -> Iterator[Carried]:
    """Yield the pairs of values that an op gives one map."""
    for pair in (*carried(op), *_joined(op)):
        if has_map(pair.source.type) and has_map(pair.target.type):
            yield pair


def _joined(op: Operation) -> Iterator[Carried]:
    """Pair the operands of an op with its result, or with its tile if it has no result."""
    if isinstance(op, TileMMAOp) and op.c is not None:
        yield Carried(op.c, op.result, op)
    if not has_trait(op, OneMap):
        return
    results = [value for value in op.results if has_map(value.type)]
    operands = [value for value in op.operands if has_map(value.type)]
    tiles = [value for value in operands if isinstance(value.type, TileType)]
    center = next(iter((*results, *tiles)), None)
    if center is None:
        return
    for operand in operands:
        if operand is not center:
            yield Carried(operand, center, op)
    for result in results[1:]:
        yield Carried(center, result, op)

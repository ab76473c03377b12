"""What the dimensions of tiles are called: M, N and K where they belong to a product, else dim0, dim1, ...

A tile that a product takes, as it is or made of it element by element, is named as that operand; one that a product
gives, and what is made of it, is M by N. A tile that two products need differently is named after the first.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from xetile.analysis.same_value import carried_pairs
from xetile.dialects.traits import (
    Elementwise,
    MovesTile,
    ReadsTile,
    WritesTile,
    has_trait,
)
from xetile.dialects.xetile import TileConvLayoutOp, TileMMAOp, TileTransposeOp
from xetile.exploration.parts import extents_of

Names: TypeAlias = tuple[str, ...]

_A, _B, _C = ("M", "K"), ("K", "N"), ("M", "N")
_MATRIX = 2


def dimension_names(ops: Sequence[Operation]) -> Mapping[SSAValue, Names]:
    """The names of the dimensions of each tile and vector of rank 2 that has to do with a product."""
    sources: dict[SSAValue, list[tuple[SSAValue, bool]]] = {}
    results: dict[SSAValue, list[tuple[SSAValue, bool]]] = {}
    for op in ops:
        for target, source, turned in _alike(op):
            sources.setdefault(target, []).append((source, turned))
            results.setdefault(source, []).append((target, turned))
    found: dict[SSAValue, Names] = {}
    products = [op for op in ops if isinstance(op, TileMMAOp)]
    for op in products:
        _spread(found, op.a, _A, sources)
        _spread(found, op.b, _B, sources)
    for op in products:
        for value in (*op.operands[2:], op.result):
            _spread(found, value, _C, sources)
            _spread(found, value, _C, results, again=True)
    for value, names in list(found.items()):
        _spread(found, value, names, sources, again=True)
        _spread(found, value, names, results, again=True)
    return found


def default_names(rank: int) -> Names:
    """What dimensions are called that no product has."""
    return tuple(f"dim{d}" for d in range(rank))


def _spread(
    found: dict[SSAValue, Names],
    value: SSAValue,
    names: Names,
    ways: Mapping[SSAValue, Sequence[tuple[SSAValue, bool]]],
    *,
    again: bool = False,
) -> None:
    """Name a value, and what leads on from it; `again`: also where the value itself has its names."""
    if value in found and not again:
        return
    found.setdefault(value, names)
    waiting = [value]
    while waiting:
        one = waiting.pop()
        for other, turned in ways.get(one, ()):
            if other not in found:
                found[other] = found[one][::-1] if turned else found[one]
                waiting.append(other)


def _alike(op: Operation) -> Iterator[tuple[SSAValue, SSAValue, bool]]:
    """Pairs of values with the same elements' places: what is made, of what, and whether it is transposed."""
    if isinstance(op, TileTransposeOp):
        yield op.result, op.source, True
    elif isinstance(op, TileConvLayoutOp) or has_trait(op, MovesTile, ReadsTile):
        yield op.results[0], op.operands[0], False
    elif has_trait(op, WritesTile):
        yield op.operands[1], op.operands[0], False
    elif has_trait(op, Elementwise):
        shape = extents_of(op.results[0]) if op.results else None
        for operand in op.operands:
            if shape is not None and len(shape) == _MATRIX and extents_of(operand) == shape:
                yield op.results[0], operand, False
    for target, source in carried_pairs(op):
        if len(extents_of(target) or ()) == _MATRIX:
            yield target, source, False

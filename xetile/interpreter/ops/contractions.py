"""vector.contract and vector.outerproduct: products of vectors, summed as a matrix product of the same extents is."""

from collections.abc import Sequence
from math import prod
from typing import cast

import numpy as np
from xdsl.ir import Operation
from xdsl.ir.affine import AffineDimExpr, AffineMap

from xetile.dialects.upstream.vector import ContractionOp
from xetile.errors import fail
from xetile.interpreter.common.folds import combine, kind_of
from xetile.interpreter.machine.frame import Frame, Handlers
from xetile.interpreter.machine.reading import element, shape_of
from xetile.interpreter.machine.values import Array, Values


def positions(map: AffineMap) -> list[int]:
    """The dimension of the iteration space along which each dimension of a vector goes."""
    return [cast("AffineDimExpr", result).position for result in map.results]


def _grouped(values: Array, along: Sequence[int], groups: Sequence[Sequence[int]]) -> Array:
    """[threads, ...] as [threads, one axis per group], each with the extents of its dimensions one behind the other."""
    order = [along.index(dimension) for group in groups for dimension in group]
    moved = values.transpose(0, *(place + 1 for place in order))
    extents = [
        prod(values.shape[along.index(dimension) + 1] for dimension in group)
        for group in groups
    ]
    return moved.reshape(len(values), *extents)


def _contract(frame: Frame, op: Operation) -> Values:
    assert isinstance(op, ContractionOp)
    return contracted(frame, op, *frame.arrays(op.operands))


def contracted(frame: Frame, op: ContractionOp, lhs: Array, rhs: Array, acc: Array) -> Values:
    """The contraction of what stands in for its operands."""
    if kind_of(op) != "add":
        fail(op, f"cannot execute kind '{kind_of(op)}' of a contraction; expected add")
    in_a, in_b, in_c = map(positions, op.maps)
    if not all((d in in_a) + (d in in_b) + (d in in_c) >= 2 for d in range(len(op.iterators))):
        fail(op, "cannot execute a contraction of which a dimension is in one vector only")
    batch = [d for d in in_c if d in in_a and d in in_b]
    rows = [d for d in in_c if d in in_a and d not in batch]
    columns = [d for d in in_c if d in in_b and d not in batch]
    summed = [d for d in in_a if d in in_b and d not in batch]
    a = _grouped(lhs, in_a, [batch, rows, summed])
    b = _grouped(rhs, in_b, [batch, summed, columns])
    c = _grouped(acc, in_c, [batch, rows, columns])
    products = [
        frame.domain.product(a[:, n], b[:, n], c[:, n], element(op.results[0]))
        for n in range(c.shape[1])
    ]
    ordered = [*batch, *rows, *columns]
    shape = acc.shape[1:]
    found = np.stack(products, axis=1)
    found = found.reshape(len(found), *(shape[in_c.index(d)] for d in ordered))
    return [found.transpose(0, *(ordered.index(d) + 1 for d in in_c))]


def outer_product(frame: Frame, op: Operation) -> Values:
    """A column times a row, or a number, combined with what is there."""
    lhs, rhs, *acc = frame.arrays(op.operands)
    of = element(op.results[0])
    shape = shape_of(op.results[0])
    column = lhs.reshape(len(lhs), lhs.shape[1], 1)
    row = rhs.reshape(len(rhs), 1, -1)
    product = combine(op, "mul", column, row, of, frame.domain)
    product = product.reshape(len(product), *shape)
    return [combine(op, kind_of(op), product, acc[0], of, frame.domain) if acc else product]


HANDLERS: Handlers = {
    "vector.contract": _contract,
    "vector.outerproduct": outer_product,
}

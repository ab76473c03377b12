"""Vectors in XeGPU: products, repacking, constants, and what moves or combines the elements of blocks."""

from math import prod
from typing import cast

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.constants import dense_value, is_splat, splat_of_type, taken
from xetile.dialects import arith
from xetile.dialects.xegpu import (
    DpasOp,
)
from xetile.dialects.xetile import TilePackOp
from xetile.passes.expansion import Expansion, Parts
from xetile.passes.xetile_to_xegpu.view import Grid, XeGPUView


def tile_mma(view: XeGPUView, op: Operation) -> None:
    """One matrix instruction per block of the result and of K, K ascending."""
    a, b = view.grid(op.operands[0]), view.grid(op.operands[1])
    sums = [view.grid(value) for value in op.operands[2:]]
    type = cast(VectorType[Attribute], op.results[0].type)
    rows, columns, *block = type.get_shape()
    result = VectorType(type.element_type, block)
    blocks: list[SSAValue] = []
    for row in range(rows):
        for column in range(columns):
            total = [grid.at(row, column) for grid in sums]
            for k in range(a.shape[1]):
                product = DpasOp(a.at(row, k), b.at(k, column), *total, result_type=result)
                total = [view.emit_value(product)]
            blocks.append(total[0])
    view.bind(op.results[0], Grid(blocks, (rows, columns), (block[0], block[1]), 1))


def tile_unpack(view: XeGPUView, op: Operation) -> None:
    """A vector is known by its blocks, whole or not."""
    view.bind(op.results[0], view.grid(op.operands[0]))


def tile_pack(view: XeGPUView, op: Operation) -> None:
    """Blocks are cut and put together; a whole vector, such as a mask, is one block."""
    assert isinstance(op, TilePackOp)
    became = view.get(op.source)
    if not isinstance(became, Parts):
        rows, columns = cast(VectorType[Attribute], op.source.type).get_shape()
        became = Grid([became], (1, 1), (rows, columns), 1)
        view.bind(op.source, became)
    height, width = op.inner_blocks.get_values()
    view.bind(op.result, view.repack(view.grid(op.source), (height, width)))


def constant(view: XeGPUView, op: Operation) -> None:
    """Each block has its own elements; blocks that repeat one element share a constant."""
    type = op.results[0].type
    value = dense_value(op)
    if not isinstance(type, VectorType) or value is None:
        Expansion.other(view, op)
        return
    vector = cast(VectorType[Attribute], type)
    if vector.get_num_dims() not in (2, 4):
        Expansion.other(view, op)
        return
    *counts, height, width = vector.get_shape()
    block = VectorType(vector.element_type, (height, width))
    if is_splat(value):
        splat = view.emit_value(arith.ConstantOp(splat_of_type(value, block)))
        blocks = [splat] * prod(counts)
    else:
        size = height * width
        blocks = [
            view.emit_value(arith.ConstantOp(taken(value, range(start, start + size), block)))
            for start in range(0, len(value), size)
        ]
    rows, columns = counts or (1, 1)
    view.bind(op.results[0], Grid(blocks, (rows, columns), (height, width), 1))

"""What moves or combines the elements of vectors, in XeGPU: the vector dialect's ops on each block."""

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation, SSAValue

from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import (
    BroadcastOp,
    MultiReductionOp,
    ShapeCastOp,
    TransposeOp,
)
from xetile.dialects.upstream.vector.support import vector_type
from xetile.dialects.xetile import TileBroadcastOp, TileReduceOp, TileTransposeOp
from xetile.passes.convert_xetile_to_xegpu.constants import identity
from xetile.passes.convert_xetile_to_xegpu.view import Grid, XeGPUView
from xetile.rewriting.rewriter import Handlers, on


def tile_transpose(view: XeGPUView, op: TileTransposeOp) -> None:
    """The blocks change places, and the elements in each of them."""
    grid = view.grid(op.source)
    if op.permutation.get_values() == (0, 1, 2, 3):
        view.bind(op.result, grid)
        return
    view.bind(op.result, transposed(view, grid))


def transposed(view: XeGPUView, grid: Grid) -> Grid:
    """The blocks in exchanged places, each transposed."""
    return grid.transposed([view.new(TransposeOp(v, [1, 0])) for v in grid.values])


def tile_broadcast(view: XeGPUView, op: TileBroadcastOp) -> None:
    """Each block of the source is repeated in its own block, and the blocks along the dimensions."""
    grid, dimensions = view.grid(op.source), op.broadcast_dims.get_values()
    type = op.result.type
    rows, columns, height, width = type.get_shape()
    block = VectorType(type.element_type, (height, width))
    made = [
        value if value.type == block else view.new(BroadcastOp(value, block))
        for value in grid.values
    ]
    spread = Grid(made, grid.shape, (height, width))

    def source(row: int, column: int) -> SSAValue:
        return spread.at(0 if 0 in dimensions else row, 0 if 1 in dimensions else column)

    view.bind(op.result, Grid.built((rows, columns), (height, width), source))


def tile_reduce(view: XeGPUView, op: TileReduceOp) -> None:
    """Block after block joins the sum, ascending; it begins with the kind's identity."""
    grid, dimensions = view.grid(op.source), op.reduction_dims.get_values()
    if not dimensions:
        view.bind(op.result, grid)
        return
    type = op.result.type
    rows, columns, *block = type.get_shape()
    reduced = [d for d in dimensions if d < 2]
    kept = [grid.block[d] for d in range(2) if d not in reduced]
    element = type.element_type
    start = view.new(arith.ConstantOp(identity(op.kind.data, element, kept)))
    result = VectorType(element, block)

    def combined(row: int, column: int) -> SSAValue:
        total = start
        for value in _along(grid, row, column, reduced):
            total = view.new(MultiReductionOp(op.kind, value, total, reduced))
        return view.new(ShapeCastOp(total, result) if kept else BroadcastOp(total, result))

    view.bind(op.result, Grid.built((rows, columns), block, combined))


def _along(grid: Grid, row: int, column: int, reduced: list[int]) -> list[SSAValue]:
    rows = range(grid.shape[0]) if 0 in reduced else (row,)
    columns = range(grid.shape[1]) if 1 in reduced else (column,)
    return [grid.at(i, j) for i in rows for j in columns]


def _broadcast(view: XeGPUView, op: Operation) -> None:
    """One element repeated over a 4D vector: every block is the same."""
    (source,), (result,) = op.operands, op.results
    if isinstance(source.type, VectorType) or vector_type(result).get_num_dims() != 4:
        view.copy(op)
        return
    type = vector_type(result)
    rows, columns, height, width = type.get_shape()
    block = VectorType(type.element_type, (height, width))
    value = view.new(BroadcastOp(view.single(source), block))
    view.bind(result, Grid([value] * (rows * columns), (rows, columns), (height, width)))


HANDLERS: Handlers[XeGPUView] = {
    **on(TileTransposeOp, tile_transpose),
    **on(TileReduceOp, tile_reduce),
    **on(TileBroadcastOp, tile_broadcast),
    "vector.broadcast": _broadcast,
}

"""Moves and combinations of vector elements in XeGPU: the vector dialect's ops on each block."""

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation, SSAValue

from xetile.dialects.fast_math import FASTMATH, REASSOCIATES, fast_math, halved
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import (
    BroadcastOp,
    MultiReductionOp,
    ShapeCastOp,
    TransposeOp,
)
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xetile import TileBroadcastOp, TileReduceOp, TileTransposeOp
from xetile.errors import fail
from xetile.passes.xe.convert_xetile_to_xegpu.memory_types import identity
from xetile.passes.xe.convert_xetile_to_xegpu.xegpu_view import Grid, XeGPUView
from xetile.rewriting.combining import combined
from xetile.rewriting.rewriter import Handlers, on


def tile_transpose(view: XeGPUView, op: TileTransposeOp) -> None:
    """Exchange the places of the blocks, and transpose the elements in each of them."""
    grid = view.grid(op.source)
    if op.permutation.get_values() == (0, 1, 2, 3):
        view.bind(op.result, grid)
        return
    view.bind(op.result, transposed(view, grid))


def transposed(view: XeGPUView, grid: Grid) -> Grid:
    """Return the grid with blocks in exchanged places, each transposed."""
    return grid.transposed([view.new(TransposeOp(v, [1, 0])) for v in grid.values])


def tile_broadcast(view: XeGPUView, op: TileBroadcastOp) -> None:
    """Repeat each block of the source within its block, and the blocks along the dimensions."""
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
    """Combine blocks as the high bits of the index, then reduce each block; for both dimensions rows first."""
    if op.reduction_size is not None:
        fail(
            op,
            "'reduction_size' is for vectors that are not in blocks, run xetile-blocking first",
        )
    grid = view.grid(op.source)
    dimensions = [d for d in op.reduction_dims.get_values() if d < 2]
    at_once = len(dimensions) == 2 and grid.shape[1] == 1
    for step in [dimensions] if at_once else [[d] for d in dimensions]:
        grid = _reduced(view, op, _joined(view, op, grid, step[0]), step)
    view.bind(op.result, grid)


def _joined(view: XeGPUView, op: TileReduceOp, grid: Grid, dimension: int) -> Grid:
    """Combine the blocks along a dimension to one, element by element."""
    count, extent = grid.shape[dimension], grid.block[dimension]
    if count == 1:
        return grid
    if extent & (extent - 1):  # elements half of the index apart lie elsewhere in their blocks
        rows, columns = (n * count if d == dimension else n for d, n in enumerate(grid.block))
        return view.repack(grid, (rows, columns))
    element, flags = op.result.type.element_type, fast_math(op)

    def joined(row: int, column: int) -> SSAValue:
        places = [(n, column) if dimension == 0 else (row, n) for n in range(count)]
        return halved(
            [grid.at(*place) for place in places],
            lambda x, y: view.new(combined(op.kind.data.value, x, y, element, flags)),
        )

    rows, columns = (1 if d == dimension else n for d, n in enumerate(grid.shape))
    return Grid.built((rows, columns), grid.block, joined)


def _reduced(view: XeGPUView, op: TileReduceOp, grid: Grid, dimensions: list[int]) -> Grid:
    """Reduce each block, starting from the neutral element."""
    element = op.result.type.element_type
    kept = [n for d, n in enumerate(grid.block) if d not in dimensions]
    height, width = (1 if d in dimensions else n for d, n in enumerate(grid.block))
    start = view.new(arith.ConstantOp(identity(op.kind.data, element, kept, fast_math(op))))
    reductions = [MultiReductionOp(op.kind, v, start, dimensions) for v in grid.values]
    said = {REASSOCIATES: op.reassoc, FASTMATH: op.fastmath}
    for reduction in reductions:
        reduction.attributes |= {name: word for name, word in said.items() if word is not None}
    made = map(view.new, reductions)
    type = VectorType(element, (height, width))
    spread = ShapeCastOp if kept else BroadcastOp
    return Grid([view.new(spread(v, type)) for v in made], grid.shape, (height, width))


def _broadcast(view: XeGPUView, op: Operation) -> None:
    """Repeat one element over a 4D vector, in which every block is the same."""
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

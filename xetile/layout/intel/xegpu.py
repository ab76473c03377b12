"""Layouts of the vectors of XeGPU: which lane and register holds which element of a block.

The vectors have the dimensions of the IR: `dim0`, `dim1`, ... of a block, with the blocks of an array leading and,
where rows are packed, the rows of one register word last: [blocks,] rows / pack, columns[, pack].
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.intel.dpas import dpas_operand_layout
from xetile.layout.intel.messages import BlockConfiguration, block_load_layout


@lru_cache(maxsize=256)
def load_vector_layout(configuration: BlockConfiguration, element_bits: int) -> LinearLayout:
    """(register, lane) -> the dimensions of what `xegpu.load_nd` gives for one message."""
    rows, columns, blocks, packed, transposed = configuration
    layout = block_load_layout(
        rows=rows,
        columns=columns,
        blocks=blocks,
        element_bits=element_bits,
        packed=packed,
        transposed=transposed,
    ).transpose_outs(["block", "column", "row"] if transposed else ["block", "row", "column"])
    pack = 32 // element_bits if packed else 1
    shape = _packed_shape((columns, rows) if transposed else (rows, columns), pack)
    return _redimension(
        layout,
        (blocks, *shape) if blocks > 1 else shape,
        lambda at: (at[0], *_pack(at[1:], pack)) if blocks > 1 else _pack(at[1:], pack),
    )


@lru_cache(maxsize=256)
def dpas_vector_layout(
    operand: str, shape: tuple[int, int], *, repeat_count: int, ops_per_channel: int, pack: int
) -> LinearLayout:
    """(register, lane) -> the dimensions of an operand or result of one `xegpu.dpas`.

    `shape` is rows and columns in elements; `pack` rows share the last dimension (1: a vector of rank 2).
    """
    layout = dpas_operand_layout(
        operand, shape, repeat_count=repeat_count, ops_per_channel=ops_per_channel
    )
    return _redimension(layout, _packed_shape(shape, pack), lambda at: _pack(at, pack))


@lru_cache(maxsize=256)
def default_vector_layout(shape: tuple[int, ...], lanes: int = 16) -> LinearLayout:
    """The accumulator's layout for any block: lanes along the columns, rows in registers.

    Errors: LayoutError where the columns are no multiple of the lanes, or an extent is no power of two.
    """
    if not shape or shape[-1] % lanes != 0:
        raise LayoutError(f"a vector of shape {list(shape)} has no whole row of {lanes} lanes")
    last = len(shape) - 1
    layout = LinearLayout.identity_1d(lanes, "lane", f"dim{last}")
    for dimension in reversed(range(len(shape))):
        extent = shape[dimension] // lanes if dimension == last else shape[dimension]
        layout = layout * LinearLayout.identity_1d(extent, "register", f"dim{dimension}")
    layout = layout.transpose_ins(["register", "lane"])
    return layout.transpose_outs([f"dim{dimension}" for dimension in range(len(shape))])


def drop_leading_dimension(layout: LinearLayout) -> LinearLayout:
    """The layout of the only slice along `dim0`, without that dimension; LayoutError unless its extent is 1."""
    extents = list(layout.out_dims.values())
    if extents[0] != 1:
        raise LayoutError(f"dim0 has extent {extents[0]}; expected 1")
    return _redimension(layout, tuple(extents[1:]), lambda at: tuple(at[1:]))


def _packed_shape(shape: Sequence[int], pack: int) -> tuple[int, ...]:
    return tuple(shape) if pack == 1 else (shape[0] // pack, shape[1], pack)


def _pack(at: Sequence[int], pack: int) -> tuple[int, ...]:
    return tuple(at) if pack == 1 else (at[0] // pack, at[1], at[0] % pack)


def _redimension(
    layout: LinearLayout,
    shape: Sequence[int],
    move: Callable[[Sequence[int]], tuple[int, ...]],
) -> LinearLayout:
    """The layout with each basis moved to other dimensions; `move` must only rename, split or drop bits."""
    bases = {name: [move(basis) for basis in vectors] for name, vectors in layout.bases.items()}
    extents = {f"dim{dimension}": extent for dimension, extent in enumerate(shape)}
    return LinearLayout.from_bases(bases, extents, require_surjective=False)

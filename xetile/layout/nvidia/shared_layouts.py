"""Layouts of tiles in shared memory: from offsets, in elements, to the tile's coordinates.

Source: Triton's swizzled_shared and nvmma_shared (lib/Dialect/TritonGPU/IR/
LinearLayoutConversions.cpp), checked against its class and its unit tests.
"""

from collections.abc import Sequence

from xetile.layout.algebra.fitting import (
    cluster_layout,
    combine_cta_cga_with_shape,
    ensure_layout_not_smaller_than,
    identity_standard_nd,
)
from xetile.layout.algebra.identities import doublings
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.algebra.moved_bases import OFFSET

SWIZZLES = (0, 32, 64, 128)
# Extents of one TMA transfer and of the tile that repeats every eight rows.
TMA_MAX_EXTENT = 256
CORE_ROWS = 8
CORE_ROW_BYTES = 16
PHASE_BYTES = 128


def swizzled_shared_layout(
    shape: Sequence[int],
    vec: int,
    per_phase: int,
    max_phase: int,
    order: Sequence[int],
    cga_layout: Sequence[Sequence[int]] = (),
) -> LinearLayout:
    """Return (offset, block) -> (dim0, dim1, ...) of `#ttg.swizzled_shared`.

    Groups of `vec` elements are permuted: row r has them XORed by r / per_phase %
    max_phase. `order` lists dimensions, the contiguous one first; `cga_layout` one basis per
    bit of the workgroup's id in its cluster, in units of a workgroup's tile.

    LayoutError: a parameter is not a power of two, or `order` is no permutation of the
    dimensions.
    """
    for name, value in (("vec", vec), ("per_phase", per_phase), ("max_phase", max_phase)):
        if value < 1 or value & (value - 1):
            raise LayoutError(f"{name} must be a power of two, got {value}")
    if sorted(order) != list(range(len(shape))):
        raise LayoutError(
            f"order {list(order)} must name each of the {len(shape)} dimensions once"
        )
    clusters, own = _clusters(shape, cga_layout)
    if len(order) < 2:
        return combine_cta_cga_with_shape(
            identity_standard_nd(OFFSET, own, order), clusters, shape
        )
    column, row = order[0], order[1]
    bases: list[tuple[int, int]] = [(bit, 0) for bit in doublings(1, own[column])]
    bases += [
        (vec * (bit // per_phase % max_phase) % own[column], bit)
        for bit in doublings(1, own[row])
    ]
    layout = LinearLayout.from_bases(
        {OFFSET: bases}, {f"dim{column}": own[column], f"dim{row}": own[row]}
    )
    for d in order[2:]:
        layout = layout * LinearLayout.identity_1d(own[d], OFFSET, f"dim{d}")
    return combine_cta_cga_with_shape(layout, clusters, shape)


def nvmma_shared_layout(
    shape: Sequence[int],
    swizzle_bytes: int,
    element_bits: int,
    *,
    transposed: bool = False,
    fp4_padded: bool = False,
    cga_layout: Sequence[Sequence[int]] = (),
) -> LinearLayout:
    """Return (offset, block) -> (dim0, dim1, ...) of `#ttg.nvmma_shared`, as TMA places tiles.

    `swizzle_bytes` (0, 32, 64 or 128) is the extent of a row whose 16-byte groups are
    permuted; 0 is a flat row-major tile, which wgmma's unswizzled mode does not read.
    (For transposed tiles of three dimensions, for which Triton's result has two offsets for an
    element, the flat tile has the order of the swizzled ones.) `transposed`: dim0 is
    contiguous, not the last one; `fp4_padded`: of 16 bytes the last 8 repeat the first;
    `cga_layout` as in swizzled_shared_layout.

    LayoutError: the swizzle does not exist, or the tile is smaller than the pattern that
    repeats.
    """
    if swizzle_bytes not in SWIZZLES:
        raise LayoutError(f"swizzle of {swizzle_bytes} bytes: must be one of {SWIZZLES}")
    if element_bits not in (8, 16, 32, 64):
        raise LayoutError(f"elements of {element_bits} bits: must be 8, 16, 32 or 64")
    clusters, own = _clusters(shape, cga_layout)
    if swizzle_bytes == 0:
        layout = _flat(own, transposed=transposed)
    else:
        tile = nvmma_core_tile(swizzle_bytes, element_bits, fp4_padded=fp4_padded)
        layout = _boxed(tile, own, transposed=transposed)
    grown = ensure_layout_not_smaller_than(layout, {f"dim{d}": n for d, n in enumerate(own)})
    return combine_cta_cga_with_shape(grown, clusters, shape).of_elements(element_bits)


def nvmma_core_tile(
    swizzle_bytes: int, element_bits: int, *, fp4_padded: bool = False
) -> LinearLayout:
    """Return (offset) -> (dim0, dim1) of the eight rows after which the pattern of a swizzle repeats."""
    vec = 128 // element_bits
    per_phase = PHASE_BYTES // max(CORE_ROW_BYTES, swizzle_bytes)
    max_phase = max(1, swizzle_bytes // CORE_ROW_BYTES)
    columns = 8 * max(CORE_ROW_BYTES, swizzle_bytes) // element_bits

    def packed(column: int) -> int:
        return column // 16 * 8 + column % 8 if fp4_padded else column

    bases = [(0, packed(column)) for column in doublings(1, columns)]
    bases += [
        (row, packed(vec * (row // per_phase % max_phase))) for row in doublings(1, CORE_ROWS)
    ]
    extents = {"dim0": CORE_ROWS, "dim1": columns // 2 if fp4_padded else columns}
    return LinearLayout.from_bases({OFFSET: bases}, extents)


def _flat(own: Sequence[int], *, transposed: bool) -> LinearLayout:
    rank = len(own)
    box = [min(extent, TMA_MAX_EXTENT) for extent in own]
    order = [0, *range(rank - 1, 0, -1)] if transposed else range(rank - 1, -1, -1)
    return identity_standard_nd(OFFSET, box, order).transpose_outs(
        [f"dim{d}" for d in range(rank)]
    )


def _boxed(tile: LinearLayout, own: Sequence[int], *, transposed: bool) -> LinearLayout:
    """Return the tile repeated to one TMA transfer, whose contiguous extent is that of the swizzle.

    Triton flattens all dimensions but the last to rows, of a transposed tile too, and cuts
    the rotated shape out of that. With three dimensions this gives the row order of its
    unit tests.
    """
    rank = len(own)
    contiguous = 0 if transposed else rank - 1
    box = [min(extent, TMA_MAX_EXTENT) for extent in own]
    rows, columns = tile.out_dims.values()
    if box[contiguous] < columns:
        raise LayoutError(
            f"extent {own[contiguous]} of dim{contiguous} must be at least {columns}, the elements of "
            "one row of the swizzle"
        )
    box[contiguous] = columns
    outer, last = 1, box[-1]
    for extent in box[:-1]:
        outer *= extent
    flat_rows, flat_columns = (last, outer) if transposed else (outer, last)
    if flat_rows < rows or flat_columns < columns:
        raise LayoutError(f"shape {list(own)} must hold {rows} rows of {columns} elements")
    layout = ensure_layout_not_smaller_than(tile, {"dim0": flat_rows, "dim1": flat_columns})
    shape = [*box[1:], box[0]] if transposed else box
    # The tile's last dimension is the contiguous one, and reshaping cuts contiguous dimensions first.
    dims = [f"dim{(d + 1) % rank if transposed else d}" for d in range(rank)]
    cut = layout.transpose_outs(["dim1", "dim0"]).reshape_outs(
        [(dims[d], shape[d]) for d in reversed(range(rank))]
    )
    return cut.transpose_outs([f"dim{d}" for d in range(rank)])


def _clusters(
    shape: Sequence[int], cga_layout: Sequence[Sequence[int]]
) -> tuple[LinearLayout, list[int]]:
    """Return (block) -> the coordinates of a workgroup's tile in its cluster's, and the extents of that tile."""
    for basis in cga_layout:
        if len(basis) != len(shape):
            raise LayoutError(f"cluster basis {list(basis)} must have {len(shape)} components")
    layout = cluster_layout(cga_layout, len(shape))
    for name, extent in zip(layout.out_dims, shape, strict=True):
        layout = layout.resize_out_dim(name, min(extent, layout.out_dim_size(name)))
    sizes = layout.out_dim_sizes
    return layout, [extent // size for extent, size in zip(shape, sizes, strict=True)]

"""One 2D block message for any register layout: how tall, wide and packed it may be.

Where `plan_block_load` searches the messages that exist for the fewest, this reads one
shape off the bases: the lanes give the block's first row, registers extend it.

Source: intel/intel-xpu-backend-for-triton, third_party/intel/lib/TritonIntelGPUToLLVM/
LoadStoreOpToLLVM.cpp (`getBlockIOTileSize` and its callers).
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple, Required, TypedDict, Unpack

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout

_WORD_BITS = 32


class BlockLimits(NamedTuple):
    """What one message may be, in rows, bytes and blocks; the numbers are a device's.

    Attributes:
        rows: rows of a block, of loads and prefetches.
        store_rows: rows of a block, of stores.
        row_bytes: bytes of all blocks side by side.
        transposed_row_bytes: bytes of a row of a transposed load.
        prefetch_row_bytes: bytes of a row that a wide prefetch fills exactly, where there are such.
        blocks: blocks side by side.
        block_bytes: bytes that a block must have to get a neighbour.
    """

    rows: int
    store_rows: int
    row_bytes: int
    transposed_row_bytes: int
    prefetch_row_bytes: int
    blocks: int
    block_bytes: int


class BlockTile(NamedTuple):
    """A block shape read off a layout.

    Attributes:
        height, width: rows and columns of one block; columns count packed groups of `packed` elements.
        packed: elements of the contiguous dimension that move as one.
        blocks: blocks side by side.
        row_dim, column_dim: tile dimensions along the block's other dimension and along the lanes.
        transposed: whether the lanes run across the memory's contiguous dimension.
        vnni: whether rows are packed into 32-bit words on the way.
        register_bases: the layout's register bits in the order in which the messages fill them.
    """

    height: int
    width: int
    packed: int
    blocks: int
    row_dim: int
    column_dim: int
    transposed: bool
    vnni: bool
    register_bases: tuple[int, ...]


class _Growth:
    """A block that grows along a layout's bases, within the extents over which a mask stays the same."""

    def __init__(self, layout: LinearLayout, mask_constancy: Sequence[int] | None) -> None:
        self.extents = [1] * len(layout.out_dims)
        self.most = mask_constancy or layout.out_dim_sizes
        self.packed = 1
        self.register_bases: list[int] = []
        self.unused = [
            (1 << i, _single(vector)) for i, vector in enumerate(layout.bases["register"])
        ]

    def grow(self, dimension: int, takes: Callable[[int], bool]) -> None:
        """Take register bits that double the block along `dimension`, while `takes` the new extent."""
        kept: list[tuple[int, tuple[int, int] | None]] = []
        for register, step in self.unused:
            extent = self.extents[dimension]
            within = 2 * extent <= self.most[dimension]
            if step == (dimension, extent) and within and takes(2 * extent):
                self.extents[dimension] *= 2
                self.register_bases.append(register)
            else:
                kept.append((register, step))
        self.unused = kept

    def pack(self, dimension: int, limit: int) -> None:
        """Take neighbours along `dimension` that move as one, up to `limit` elements."""
        before = self.extents[dimension]
        self.grow(dimension, lambda extent: self.packed * extent // before <= limit)
        self.packed *= self.extents[dimension] // before


class Access(TypedDict, total=False):
    """What a message moves, and how much of it one may.

    `mask_constancy` of a masked access gives for each out dimension the elements in a row
    with the same mask, from a multiple of that power of two on. A message is masked as a
    whole, so none crosses such a run.
    """

    element_bits: Required[int]
    limits: Required[BlockLimits]
    mask_constancy: Sequence[int] | None


def load_tile(
    layout: LinearLayout, contiguous: int, *, one_matrix: bool = False, **moved: Unpack[Access]
) -> BlockTile | None:
    """The block of a load; arguments as in block_tile."""
    tile = block_tile(layout, contiguous, one_matrix=one_matrix, **moved)
    if tile is None:
        return None
    limits = moved["limits"]
    row_bytes = tile.width * tile.packed * moved["element_bits"] // 8
    if tile.transposed or tile.height * row_bytes < limits.block_bytes:
        return tile._replace(blocks=1)
    blocks = min(tile.blocks, limits.row_bytes // row_bytes, limits.blocks)
    return tile._replace(blocks=max(1, blocks))


def store_tile(
    layout: LinearLayout, contiguous: int, **moved: Unpack[Access]
) -> BlockTile | None:
    """The block of a store, which is neither transposed nor packed; arguments as in block_tile."""
    tile = block_tile(layout, contiguous, access="store", **moved)
    if tile is None or tile.transposed or tile.vnni:
        return None
    return tile._replace(blocks=1)


def prefetch_tile(
    layout: LinearLayout, contiguous: int, *, wide: bool = False, **moved: Unpack[Access]
) -> BlockTile | None:
    """The block of a prefetch: blocks side by side become one.

    With `wide` a row may have exactly `prefetch_row_bytes`.
    """
    tile = block_tile(layout, contiguous, access="prefetch", **moved)
    if tile is None:
        return None
    limits, bits = moved["limits"], tile.packed * moved["element_bits"]
    total = tile.width * tile.blocks * (bits // 8)
    filled = wide and total >= limits.prefetch_row_bytes > 0
    row_bytes = limits.prefetch_row_bytes if filled else min(total, limits.row_bytes)
    width = row_bytes // (bits // 8)
    if bits == 8 and width == 64:
        return tile._replace(width=32, blocks=2)
    return tile._replace(width=width, blocks=1)


def block_tile(
    layout: LinearLayout,
    contiguous: int,
    *,
    access: str = "load",
    one_matrix: bool = False,
    **moved: Unpack[Access],
) -> BlockTile | None:
    """The block that one message may move for `layout`, before the caps of its kind of access.

    `contiguous` is the index of the out dimension that is contiguous in memory; with
    `one_matrix` a transposed load stays within one DPAS operand. None when the layout's
    first elements form no block, or none within the mask's runs.

    LayoutError: unknown access, a layout without registers, lanes or two dimensions, or a
    constancy that is not one power of two for each dimension.
    """
    element_bits, mask_constancy = moved["element_bits"], moved.get("mask_constancy")
    _check_request(layout, contiguous, access)
    _check_constancy(layout, mask_constancy)
    lanes = layout.bases["lane"]
    first = _single(lanes[0]) if lanes else None
    if first is None or element_bits > 64:
        return None
    fast = first[0]
    transposed = fast != contiguous
    block = _Growth(layout, mask_constancy)
    block.pack(contiguous, -(-(_WORD_BITS if transposed else 64) // element_bits))
    if transposed and element_bits <= _WORD_BITS and block.packed * element_bits != _WORD_BITS:
        return None
    vnni = _walk_lanes(block, lanes, fast, element_bits)
    if vnni is None or prod(block.extents) // block.packed != 1 << len(lanes):
        return None
    bounds = _bounds(moved["limits"], access, element_bits, transposed=transposed)
    row = _grow_by_registers(block, contiguous, fast, bounds, one_matrix=one_matrix)
    if row is None or (transposed and element_bits == 64 and block.extents[fast] != 8):
        return None
    return _finished(block, row, fast, transposed=transposed, vnni=vnni)


def _check_request(layout: LinearLayout, contiguous: int, access: str) -> None:
    if access not in ("load", "store", "prefetch"):
        raise LayoutError(f"access '{access}' must be load, store or prefetch")
    if not (layout.has_in_dim("register") and layout.has_in_dim("lane")):
        raise LayoutError(
            f"a block message needs a layout of registers and lanes, not of {list(layout.in_dims)}"
        )
    if len(layout.out_dims) < 2 or not 0 <= contiguous < len(layout.out_dims):
        raise LayoutError(
            f"a block message needs two dimensions, one of them contiguous; dimension {contiguous} of "
            f"{list(layout.out_dims)} is not one"
        )


def _check_constancy(layout: LinearLayout, mask_constancy: Sequence[int] | None) -> None:
    if mask_constancy is None:
        return
    legal = all(n > 0 and not n & (n - 1) for n in mask_constancy)
    if not legal or len(mask_constancy) != len(layout.out_dims):
        raise LayoutError(
            f"a mask's constancy {list(mask_constancy)} must hold a power of two for each of "
            f"{list(layout.out_dims)}"
        )


def _grow_by_registers(
    block: _Growth, contiguous: int, fast: int, bounds: tuple[int, int], *, one_matrix: bool
) -> int | None:
    """Extend the lanes' block by registers up to `bounds` (rows, lanes); its row dimension.

    None where it is already too large, or cannot be transposed.
    """
    row = next((d for d, n in enumerate(block.extents) if n > 1 and d != fast), None)
    if row is not None and block.extents[row] > bounds[0]:
        return None
    if block.extents[fast] > bounds[1] or sum(extent > 1 for extent in block.extents) > 2:
        return None
    if any(extent > most for extent, most in zip(block.extents, block.most, strict=True)):
        return None
    transposed = fast != contiguous
    if transposed and block.extents[contiguous] == block.packed and not one_matrix:
        block.grow(fast, lambda extent: extent <= bounds[1])
    if row is None:
        unused = (step[0] for _, step in block.unused if step and step[0] != fast)
        row = next(unused, fast - 1 if fast else 1)
    block.grow(row, lambda extent: extent <= bounds[0])
    return None if transposed and row != contiguous else row


def _walk_lanes(
    block: _Growth, lanes: Sequence[Sequence[int]], fast: int, element_bits: int
) -> bool | None:
    """Grow along the lanes; whether rows were packed, None if they do not fill words."""
    vnni = False
    for vector in lanes:
        step = _single(vector)
        if step is None:
            return vnni
        dimension, value = step
        if block.extents[dimension] != value and block.packed == 1 and dimension != fast:
            block.pack(dimension, -(-_WORD_BITS // element_bits))
            if block.packed > 1 and block.packed * element_bits != _WORD_BITS:
                return None
            vnni = block.packed > 1
        if block.extents[dimension] != value:
            return vnni
        block.extents[dimension] *= 2
    return vnni


def _bounds(
    limits: BlockLimits, access: str, element_bits: int, *, transposed: bool
) -> tuple[int, int]:
    """Largest extents along the row dimension and along the lanes."""
    rows = limits.store_rows if access == "store" else limits.rows
    if not transposed:
        return rows, limits.row_bytes * 8 // element_bits
    row_bytes = limits.row_bytes if access == "prefetch" else limits.transposed_row_bytes
    return row_bytes * 8 // element_bits, 8 if element_bits == 64 else rows


def _finished(
    block: _Growth, row: int, fast: int, *, transposed: bool, vnni: bool
) -> BlockTile:
    across = row if transposed else fast
    extent = block.extents[across]
    block.grow(across, lambda _: True)
    blocks = block.extents[across] // extent
    block.extents[across] = extent
    height = block.extents[fast] if transposed else block.extents[row]
    packed_along = row if transposed else fast
    width = block.extents[packed_along]
    if not vnni:
        width //= block.packed
    return BlockTile(
        height=height,
        width=width,
        packed=1 if vnni else block.packed,
        blocks=blocks,
        row_dim=row,
        column_dim=fast,
        transposed=transposed,
        vnni=vnni,
        register_bases=(*block.register_bases, *(register for register, _ in block.unused)),
    )


def _single(vector: Sequence[int]) -> tuple[int, int] | None:
    moved = [(d, component) for d, component in enumerate(vector) if component]
    return moved[0] if len(moved) == 1 else None

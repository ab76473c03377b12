"""How a 2D block load for a DPAS operand is built up: tile, iterations, loads.

The layouts are printed as Intel's document prints them. `offset` counts what one DPAS
reads, row by row; `iteration` DPAS operands within one message; `load` messages. Components
count 32-bit words along a packed dimension in the tile and its iterations; those of `load`
are pairs (outer, inner) in elements, outer being M for A and N for B.

Source: intel/intel-xpu-backend-for-triton, docs/BLOCK_LOADS_LAYOUT.md, its listing of B's
iterations corrected by the code that printed it
(`LoadOpConversion::rewriteTensorPointerLoad`).
"""

from collections.abc import Sequence
from typing import NamedTuple

from xetile.layout.algebra.identities import doublings, identities
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.intel.dpas import Dpas

_WORD_BITS = 32


class MessageLimits(NamedTuple):
    """What one block load may be: rows of a block, and bytes of all blocks side by side."""

    rows: int
    row_bytes: int


class BlockLoadStages(NamedTuple):
    """offset, ... -> (dim0, dim1) of one DPAS operand, one message, one subgroup."""

    tile: LinearLayout
    iterations: LinearLayout
    loads: LinearLayout

    def __str__(self) -> str:
        titles = ("", " after adding iterations", " after adding loads")
        return "\n".join(
            f"Block load tile layout{title}:{stage}"
            for title, stage in zip(titles, self, strict=True)
        )


class _Operand(NamedTuple):
    """Extents of an operand in the memory's orientation: index 0 is the memory's rows."""

    instruction: tuple[int, int]
    shape: tuple[int, int]
    outer: int
    inner: int
    outer_warps: int
    outer_cluster: int


def block_load_stages(
    dpas: Dpas,
    operand: int,
    shape: Sequence[int],
    *,
    element_bits: int,
    limits: MessageLimits,
    transposed: bool = False,
) -> BlockLoadStages:
    """The stages of the block loads of operand 0 (A) or 1 (B).

    `shape` is the workgroup's tile as DPAS sees it (A: M x K, B: K x N), in elements;
    `transposed` says that B lies as N x K in memory, so that messages transpose it.

    LayoutError: no such operand, a shape that is not two powers of two, or a transposed A.
    """
    _check(operand, shape, element_bits, transposed=transposed)
    view = _view(dpas, operand, (shape[0], shape[1]), transposed=transposed)
    height, width = view.instruction
    steps = max(1, view.shape[view.inner] // view.instruction[view.inner])
    if transposed:
        slots = (height, width // (_WORD_BITS // element_bits))
        outer, inner = view.outer_cluster if dpas.threads_per_warp <= height else 1, 1
    else:
        slots = (_slot_rows(dpas, operand, height, width, element_bits), width)
        outer, inner = view.outer_cluster, steps
    outer, inner = _counts_within(limits, view, element_bits, (outer, inner))
    tile = identities(("offset", "dim1", slots[1]), ("offset", "dim0", slots[0]))
    tile = tile.transpose_outs(["dim0", "dim1"])
    moved = ((view.outer, outer), (view.inner, inner))
    iterations = tile * identities(*(("iteration", f"dim{d}", count) for d, count in moved))
    return BlockLoadStages(tile, iterations, _loads(iterations, view, outer, inner))


def _counts_within(
    limits: MessageLimits, view: _Operand, element_bits: int, wanted: tuple[int, int]
) -> tuple[int, int]:
    """How many operands one message moves along the outer and the inner dimension."""
    height, width = view.instruction
    most = (limits.rows // height, limits.row_bytes // (width * element_bits // 8))
    outer, inner = wanted
    return min(outer, max(1, most[view.outer])), min(inner, max(1, most[view.inner]))


def _loads(
    iterations: LinearLayout, view: _Operand, count_outer: int, count_inner: int
) -> LinearLayout:
    inner_step, outer_step = view.instruction[view.inner], view.instruction[view.outer]
    cluster = outer_step * view.outer_cluster
    outer_extent, inner_extent = view.shape[view.outer], view.shape[view.inner]
    spread = cluster * min(view.outer_warps, -(-outer_extent // cluster))
    bases = [
        *[(0, o) for o in doublings(inner_step * count_inner, inner_extent)],
        *[(o, 0) for o in doublings(outer_step * count_outer, cluster)],
        *[(o, 0) for o in doublings(spread, outer_extent)],
    ]
    sizes = dict(iterations.out_dims)
    if bases:
        sizes = {
            name: max(size, extent)
            for (name, size), extent in zip(
                sizes.items(), (outer_extent, inner_extent), strict=True
            )
        }
    return LinearLayout.from_bases(
        {**iterations.bases, "load": bases}, sizes, require_surjective=False
    )


def _view(dpas: Dpas, operand: int, shape: tuple[int, int], *, transposed: bool) -> _Operand:
    instruction = dpas.instruction_shapes[operand]
    outer = operand
    if transposed:
        instruction = (instruction[1], instruction[0])
        shape = (shape[1], shape[0])
        outer = 1 - operand
    along = operand - 2
    # A tile smaller than a subgroup's cluster is loaded once.
    cluster = min(dpas.rep_cluster[along], max(1, shape[outer] // instruction[outer]))
    return _Operand(instruction, shape, outer, 1 - outer, dpas.warps_per_cta[along], cluster)


def _slot_rows(dpas: Dpas, operand: int, height: int, width: int, element_bits: int) -> int:
    """Rows of 32-bit words (B) or of registers (A) that one DPAS operand takes."""
    per_lane = height * width // dpas.threads_per_warp
    if operand == 1:
        per_lane //= dpas.ops_per_channel
    elif element_bits == 8:
        per_lane //= 2
    return height // max(1, height // per_lane)


def _check(operand: int, shape: Sequence[int], element_bits: int, *, transposed: bool) -> None:
    if operand not in (0, 1):
        raise LayoutError(f"operand {operand} of a block load must be 0 (A) or 1 (B)")
    if len(shape) != 2 or any(extent < 1 or extent & (extent - 1) for extent in shape):
        raise LayoutError(f"shape {list(shape)} must be two powers of two")
    if transposed and (operand == 0 or element_bits > 16):
        raise LayoutError(
            f"operand {'AB'[operand]} of {element_bits} bits has no transposed stages; "
            "legal is B of 8 or 16 bits"
        )

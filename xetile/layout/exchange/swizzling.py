"""Layouts of shared memory through which registers are exchanged without bank conflicts.

The construction is that of Triton's generic swizzling (lib/Tools/GenericSwizzling.cpp;
Linear Layouts, arXiv 2505.23819, section 5): shared memory has vectors (one access of one
lane), banks (one row of all banks) and segments (the rows). Lanes conflict if
they access the same bank of different segments at once, so no sum of lanes' bases may be
one of segment bases.
"""

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

import xetile.layout.algebra.f2 as f2
from xetile.layout.algebra.dimensions import listed
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.algebra.moved_bases import (
    action_remove_broadcasted_regs,
    largest_vectorisation,
)

BANK_BITS = 32
VECTOR_BITS = 128


class Conflicts(NamedTuple):
    """Additional cycles of one access: 0 is an access without bank conflicts."""

    store: int
    load: int


def optimal_swizzling(
    source: LinearLayout, target: LinearLayout, element_bits: int, *, banks: int = 32
) -> LinearLayout:
    """Return the shared-memory layout through which a tensor goes from registers to registers.

    Both layouts are (register, lane, warp, block) -> dims, `source` surjective; `banks`
    have 32 bits each. The result is (vector, bank, segment, block, reps) -> dims, the
    offset of an element counting vector bits lowest; `reps` repeat the whole exchange, over
    registers of both sides.

    LayoutError: the layouts are of different tensors, or a block would need another's
    elements.
    """
    _check_pair(source, target)
    target = target.transpose_outs(source.out_dim_names)
    stored, loaded = _Sides(source.flatten_outs()), _Sides(target.flatten_outs())
    if stored.blocks != loaded.blocks:
        raise LayoutError("blocks hold different elements, but shared memory is one block's")
    bits = source.total_out_dim_size_log2
    vector = _vector(stored, loaded, element_bits)
    common = [*vector, *stored.blocks]
    segment = _rows(stored, loaded, common, bits, banks, element_bits << len(vector))
    bank = f2.complement_basis([*common, *segment], bits)
    if banks == 32:
        bank = _registers_first(bank, stored.registers, loaded.registers)
    kept = set(stored.registers) & set(loaded.registers)
    parts = {
        "vector": vector,
        "bank": bank,
        "segment": [basis for basis in segment if basis not in kept],
        "block": stored.blocks,
        "reps": [basis for basis in segment if basis in kept],
    }
    columns = {name: tuple(bases) for name, bases in parts.items()}
    return LinearLayout.of_columns(columns, dict(source.out_widths))


def bank_conflicts(
    source: LinearLayout,
    target: LinearLayout,
    shared: LinearLayout,
    element_bits: int,
    *,
    banks: int = 32,
) -> Conflicts:
    """Return the bank conflicts of storing `source` and loading `target` through `shared`.

    `shared` is a result of `optimal_swizzling`; for other layouts use
    `bank_conflicts_of_offsets`. Lanes that access the same 32-bit word do not conflict.
    """
    _check_pair(source, target)
    if not (shared.has_in_dim("vector") and shared.has_in_dim("segment")):
        raise LayoutError(
            f"no in-dim 'vector': the shared layout has in-dims {listed(shared.in_dim_names)}; "
            "for offsets there is bank_conflicts_of_offsets"
        )
    order = source.out_dim_names
    ordered = shared.transpose_outs(order)
    segment = _columns(ordered, "segment")
    access_bits = element_bits << shared.in_dim_size_log2("vector")
    # Neighboring vectors that share a word.
    within = _columns(ordered, "bank")[: _log2(max(1, BANK_BITS // access_bits))]
    return Conflicts(
        *(
            _conflicts(within, segment, _lanes_at_once(lanes, access_bits, banks, loads=loads))
            for lanes, loads in (
                (_columns(source, "lane"), False),
                (_columns(target.transpose_outs(order), "lane"), True),
            )
        )
    )


def bank_conflicts_of_offsets(
    registers: LinearLayout, shared: LinearLayout, element_bits: int, *, banks: int = 32
) -> int:
    """Return the bank conflicts of loads from (offset, ...), with the widest accesses.

    Offsets are in elements, banks have 32 bits. Lanes that access the same 32-bit word do
    not conflict. (Triton's `bankConflictsMemDesc` distinguishes parts of a word, and so
    misses conflicts of accesses below 32 bits.)

    LayoutError: a layout lacks its in-dim, they are of different dims, or a number is no
    power of two.
    """
    _check_access(registers, shared, element_bits, banks)
    distinct = action_remove_broadcasted_regs(registers).apply(registers)
    elements, _ = largest_vectorisation(distinct.invert_and_compose(shared), element_bits)
    access_bits = elements * element_bits
    row = _log2(max(1, banks * BANK_BITS // element_bits))
    offsets = _columns(shared.transpose_outs(registers.out_dim_names), "offset")
    lanes = _lanes_at_once(_columns(registers, "lane"), access_bits, banks, loads=True)
    within = offsets[: _log2(max(1, BANK_BITS // element_bits))]
    return _conflicts(within, offsets[row:], lanes)


class _Sides:
    """The non-zero bases of one side, by in-dim, over one flat out-dim."""

    def __init__(self, layout: LinearLayout) -> None:
        self.registers = _non_zero(layout, "register")
        self.lanes = _columns(layout, "lane")
        self.warps = _non_zero(layout, "warp")
        self.blocks = _non_zero(layout, "block")


def _columns(layout: LinearLayout, in_dim: str) -> list[int]:
    return list(layout.in_columns.get(in_dim, ()))


def _non_zero(layout: LinearLayout, in_dim: str) -> list[int]:
    return [column for column in _columns(layout, in_dim) if column]


def _vector(stored: _Sides, loaded: _Sides, element_bits: int) -> list[int]:
    """Return the bases of one access of one lane: registers of both sides, at most 128 bits.

    If they are less than a bank, they are extended to one, so that no two lanes share it: with
    registers of one side that are in the other's warps, with warps of both, with warps of
    either.
    """
    common = [basis for basis in stored.registers if basis in loaded.registers]
    vector = common[: _log2(max(1, VECTOR_BITS // element_bits))]
    wanted = _log2(max(1, BANK_BITS // element_bits))
    if len(vector) >= wanted:
        return vector
    stored_first = [b for b in stored.registers if b in loaded.warps and b not in vector]
    loaded_first = [b for b in loaded.registers if b in stored.warps and b not in vector]

    # Of equally many, prefer the side with the lowest basis, in the hope of fewer byte permutations.
    def rank(bases: list[int]) -> tuple[int, list[int]]:
        return -len(bases), bases

    fillers = min(stored_first, loaded_first, key=rank)
    fillers = [*fillers, *(b for b in stored.warps if b in loaded.warps)]
    for pair in zip_longest(stored.warps, loaded.warps):
        fillers += [basis for basis in pair if basis is not None]
    return [*vector, *f2.independent_of(fillers, [*vector, *stored.blocks])][:wanted]


def _lanes_at_once(
    lanes: Sequence[int], access_bits: int, banks: int, *, loads: bool
) -> list[int]:
    """Return bases of the lanes that are served together: as many as use all banks once."""
    count = _log2(max(1, banks * BANK_BITS // access_bits))
    if loads and len(lanes) == 6 and access_bits == VECTOR_BITS:
        # Subgroups of 64 lanes: 128-bit loads serve lanes 0-3 and 16-19 (with 64 banks also 8-11 and 24-27) first.
        order = (
            [lanes[0], lanes[1], lanes[4]] if count == 3 else [*lanes[:2], lanes[3], lanes[4]]
        )
        return [basis for basis in order if basis]
    return [basis for basis in lanes[:count] if basis]


def _rows(
    stored: _Sides,
    loaded: _Sides,
    common: Sequence[int],
    bits: int,
    banks: int,
    access_bits: int,
) -> list[int]:
    """Return bases of the rows of banks; `common` are those of vectors and blocks."""
    bank_bits = _log2(banks * BANK_BITS // access_bits)
    return _segment(
        [*common, *_lanes_at_once(stored.lanes, access_bits, banks, loads=False)],
        [*common, *_lanes_at_once(loaded.lanes, access_bits, banks, loads=True)],
        bits,
        max(0, bits - bank_bits - len(common)),
    )


def _segment(
    stored: Sequence[int], loaded: Sequence[int], bits: int, wanted: int
) -> list[int]:
    """Return bases of the rows of banks, with as few sums as possible in either side's span.

    First come bases that neither side accesses at once, then sums of one base of each side. If more
    are needed, pairs of bases themselves follow, each a conflict of its own side.
    """
    free = f2.complement_basis([*stored, *loaded], bits)[:wanted]
    fewer = f2.independent_of(sorted(stored), loaded)
    more = f2.independent_of(sorted(loaded), stored)
    if len(fewer) > len(more):
        fewer, more = more, fewer
    conflicts = min(max(0, wanted - len(fewer) - len(free)), len(fewer))
    summed = [a ^ b for a, b in zip(fewer[conflicts:], more[conflicts:], strict=False)]
    return [*free, *summed, *fewer[:conflicts], *more[:conflicts]][:wanted]


def _registers_first(
    bank: Sequence[int], stored: Sequence[int], loaded: Sequence[int]
) -> list[int]:
    """Return the bank's bases with one side's registers first, so that its accesses can be wider."""
    of_stored = [basis for basis in bank if basis in stored]
    of_loaded = [basis for basis in bank if basis in loaded]
    first = of_stored if len(of_stored) > len(of_loaded) else of_loaded
    return [*first, *(basis for basis in bank if basis not in first)]


def _conflicts(within: Sequence[int], rows: Sequence[int], lanes: Sequence[int]) -> int:
    """Return the additional cycles: words of one bank that lanes access, less the first.

    `within` are the places of one word, `rows` those of words of one bank.
    """
    same_bank = f2.intersection([*within, *rows], lanes)
    same_word = f2.intersection(within, lanes)
    return (1 << len(same_bank) - len(same_word)) - 1


def _check_access(
    registers: LinearLayout, shared: LinearLayout, element_bits: int, banks: int
) -> None:
    for layout, name in ((registers, "register"), (registers, "lane"), (shared, "offset")):
        if not layout.has_in_dim(name):
            raise LayoutError(
                f"no in-dim '{name}': the layout has in-dims {listed(layout.in_dim_names)}"
            )
    if any(n < 1 or n & (n - 1) for n in (element_bits, banks)):
        raise LayoutError(f"{element_bits} bits and {banks} banks must be powers of two")


def _check_pair(source: LinearLayout, target: LinearLayout) -> None:
    if source.out_dims != target.out_dims:
        raise LayoutError(
            f"layouts of different tensors: {source.out_dims} and {target.out_dims}"
        )
    for name, layout in (("source", source), ("target", target)):
        if not layout.is_surjective():
            raise LayoutError(
                f"the {name} layout does not hold every element of {layout.out_dims}"
            )


def _log2(size: int) -> int:
    return size.bit_length() - 1

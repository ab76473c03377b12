"""A conversion within a subgroup as columns over the elements' bits."""

from collections.abc import Sequence
from typing import NamedTuple

import xetile.layout.algebra.f2 as f2
from xetile.layout.algebra.dimensions import listed
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout

REGISTER = "register"
LANE = "lane"
WORD_BITS = 32


class Problem(NamedTuple):
    """A conversion from the elements of registers and lanes to other elements, one column for each bit.

    `own` bits of the registers' numbers select the element in a word of `word_bits`; words have
    the same elements on both sides. The columns omit these bits.
    """

    registers: tuple[int, ...]
    lanes: tuple[int, ...]
    wanted: tuple[int, ...]
    wanted_lanes: tuple[int, ...]
    word_bits: int
    own: int

    @property
    def is_possible(self) -> bool:
        """True if each subgroup has the elements that it needs."""
        held = [*self.registers, *self.lanes]
        needed = [*self.wanted, *self.wanted_lanes]
        return not f2.independent_of(needed, held)


def check_pair(source: LinearLayout, target: LinearLayout) -> None:
    """Raise for layouts between which there is no conversion.

    LayoutError: registers or lanes are missing, the layouts are of different tensors or
    hardware, or the source lacks elements.
    """
    if dict(source.out_dims) != dict(target.out_dims):
        raise LayoutError(
            f"layouts of different tensors: {dict(source.out_dims)} and {dict(target.out_dims)}"
        )
    for name, layout in (("source", source), ("target", target)):
        if REGISTER not in layout.in_dim_names or LANE not in layout.in_dim_names:
            raise LayoutError(
                f"the {name} layout needs in-dims 'register' and 'lane', got {listed(layout.in_dim_names)}"
            )
    ours, theirs = (
        {name: size for name, size in layout.in_dims.items() if name != REGISTER}
        for layout in (source, target)
    )
    if ours != theirs:
        raise LayoutError(f"layouts of different hardware: {ours} and {theirs}")
    if not source.is_surjective():
        raise LayoutError(
            f"the source layout does not hold every element of {source.out_dims}"
        )


def problem(source: LinearLayout, target: LinearLayout, element_bits: int) -> Problem:
    """Return the conversion of words as wide as both layouts allow, at most 32 bits (or an element)."""
    target = target.transpose_outs(source.out_dim_names)
    held, wanted = source.in_columns, target.in_columns
    whole = Problem(
        tuple(held[REGISTER]),
        tuple(held[LANE]),
        tuple(wanted[REGISTER]),
        tuple(wanted[LANE]),
        max(8, element_bits),
        0,
    )
    while (wider := _paired(whole)) is not None:
        whole = wider
    return whole


def _paired(narrow: Problem) -> Problem | None:
    """Return the same with words of twice the width, or None if two words do not always move together."""
    ours, theirs = narrow.registers, narrow.wanted
    if 2 * narrow.word_bits > WORD_BITS or ours[:1] != theirs[:1] or not ours:
        return None
    wider = narrow._replace(
        registers=ours[1:],
        wanted=theirs[1:],
        word_bits=2 * narrow.word_bits,
        own=narrow.own + 1,
    )
    return wider if wider.is_possible or not narrow.is_possible else None


def stages(columns: Sequence[int]) -> list[tuple[int, int]]:
    """Return a linear map of the lane as (mask, vector): it sums the vectors whose masks have odd parity."""
    masks: list[int] = []
    vectors: list[int] = []
    for bit, column in enumerate(columns):
        pivots = f2.echelon(f2.labelled(vectors), len(vectors))
        parts = f2.solve(pivots, len(vectors), column)
        if parts is None:
            masks.append(1 << bit)
            vectors.append(column)
            continue
        masks = [mask | (parts >> i & 1) << bit for i, mask in enumerate(masks)]
    return list(zip(masks, vectors, strict=True))

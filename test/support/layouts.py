"""Layouts of one subgroup over elements that are numbers."""

from collections.abc import Sequence
from random import Random

from xetile.layout.algebra.linear_layout import LinearLayout

LANE_BITS = 4


def layout_of_columns(registers: Sequence[int], lanes: Sequence[int]) -> LinearLayout:
    """(register, lane) -> dim0, as large as the columns ask for."""
    bits = max(map(int.bit_length, (*registers, *lanes)), default=0)
    return _layout(registers, lanes, bits)


def held_by(layout: LinearLayout) -> list[list[int]]:
    """The element's number in each lane's registers."""
    (dim,) = layout.out_dim_names
    return [
        [
            layout.apply({"register": register, "lane": lane})[dim]
            for register in range(layout.in_dim_size("register"))
        ]
        for lane in range(layout.in_dim_size("lane"))
    ]


def random_layout(
    random: Random, bits: int, *, lane_bits: int = LANE_BITS, most: int = 7, sums: float = 0.3
) -> LinearLayout:
    """A layout of 2^bits elements in 16 or other lanes that holds each at least once, in 2^most registers at most.

    Its bases are bits of the elements' numbers and zeros; as often as `sums` says, any sums of bits.
    """
    units = [1 << bit for bit in range(bits)]
    while True:
        registers = random.randint(max(0, bits - lane_bits), min(most, bits + 1))
        count = registers + lane_bits
        if random.random() < sums:
            columns = [random.randrange(1 << bits) for _ in range(count)]
        else:
            columns = [*units, *([0] * count)][: max(count, bits)]
            random.shuffle(columns)
            columns = columns[:count]
        layout = _layout(columns[lane_bits:], columns[:lane_bits], bits)
        if layout.is_surjective():
            return layout


def _layout(registers: Sequence[int], lanes: Sequence[int], bits: int) -> LinearLayout:
    parts = {"register": registers, "lane": lanes}
    bases = {name: [(column,) for column in columns] for name, columns in parts.items()}
    return LinearLayout.from_bases(bases, {"dim0": 1 << bits}, require_surjective=False)

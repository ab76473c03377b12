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


def random_layout(random: Random, bits: int) -> LinearLayout:
    """A layout of 2^bits elements in 16 lanes that holds each at least once."""
    units = [1 << bit for bit in range(bits)]
    while True:
        registers = random.randint(max(0, bits - LANE_BITS), min(7, bits + 1))
        count = registers + LANE_BITS
        if random.random() < 0.3:
            columns = [random.randrange(1 << bits) for _ in range(count)]
        else:
            columns = [*units, *([0] * count)][: max(count, bits)]
            random.shuffle(columns)
            columns = columns[:count]
        layout = _layout(columns[LANE_BITS:], columns[:LANE_BITS], bits)
        if layout.is_surjective():
            return layout


def _layout(registers: Sequence[int], lanes: Sequence[int], bits: int) -> LinearLayout:
    parts = {"register": registers, "lane": lanes}
    bases = {name: [(column,) for column in columns] for name, columns in parts.items()}
    return LinearLayout.from_bases(bases, {"dim0": 1 << bits}, require_surjective=False)

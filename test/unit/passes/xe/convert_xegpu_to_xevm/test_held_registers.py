"""One lane's part of a block: slices and other layouts select registers, or are none where lanes would exchange."""

import pytest
from xdsl.dialects.builtin import FloatTF32Type, VectorType, f16, f32
from xdsl.ir import Attribute
from xdsl.utils.test_value import create_ssa_value

from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.exchange.registers import register_permutation
from xetile.passes.xe.convert_xegpu_to_xevm.held_registers import (
    Registers,
    natural_type,
    register_bits,
)

ROWS = LinearLayout.from_bases(
    {"register": [(1, 0), (2, 0), (4, 0)], "lane": [(0, 1), (0, 2), (0, 4), (0, 8)]},
    {"dim0": 8, "dim1": 16},
)
"""A row in each register, a column in each lane."""


def block(layout: LinearLayout = ROWS) -> Registers:
    value = create_ssa_value(VectorType(f16, [8]))
    return Registers(value, f16, layout, word_bits=16)


def test_rows_are_registers() -> None:
    part = block().sliced((4, 0), (4, 16))
    assert part is not None
    assert (part.selection, part.shape) == ((4, 5, 6, 7), (4, 16))
    inner = part.sliced((2, 0), (2, 16))
    assert inner is not None
    assert inner.selection == (6, 7)


def test_some_columns_are_no_registers() -> None:
    assert block().sliced((0, 0), (8, 8)) is None


def test_rows_in_another_order_stay_in_their_lanes() -> None:
    turned = LinearLayout.from_bases(
        {"register": [(4, 0), (2, 0), (1, 0)], "lane": ROWS.bases["lane"]},
        {"dim0": 8, "dim1": 16},
    )
    moved = register_permutation(ROWS, turned)
    assert moved is not None
    arranged = block().selected(turned, moved)
    assert arranged.selection == (0, 4, 2, 6, 1, 5, 3, 7)
    assert not arranged.agrees_with(block())


@pytest.mark.parametrize(
    ("type", "bits", "natural"), [(f16, 16, f16), (f32, 32, f32), (FloatTF32Type(), 32, f32)]
)
def test_elements_in_registers(type: Attribute, bits: int, natural: Attribute) -> None:
    assert register_bits(type) == bits
    assert natural_type(type) == natural

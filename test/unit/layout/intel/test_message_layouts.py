"""2D block messages: what lands where, held against reading the message's bytes in order; and the fewest."""

from itertools import product
from time import perf_counter

import pytest

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.intel.dpas_layouts import dpas_operand_layout, dpas_register_word
from xetile.layout.intel.message_layouts import (
    BlockConfiguration,
    LoadPlan,
    block_load_layout,
    plan_block_load,
    register_word,
)

HEIGHTS = (1, 2, 4, 8, 16, 32)


def plain(bits: int) -> list[BlockConfiguration]:
    """All plain loads that fit a register row of 64 bytes."""
    return [
        BlockConfiguration(rows, columns, blocks)
        for rows, columns, blocks in product(HEIGHTS, (4, 8, 16, 32, 64), (1, 2, 4))
        if 32 <= columns * blocks * bits <= 512
        and rows * columns >= 16
        and bits * blocks <= 64
    ]


def packed(bits: int) -> list[BlockConfiguration]:
    return [
        BlockConfiguration(rows, 16, blocks, packed=True)
        for rows, blocks in product(HEIGHTS, (1, 2, 4))
        if blocks * bits <= 32 and rows * bits >= 32
    ]


def transposed(bits: int) -> list[BlockConfiguration]:
    return [
        BlockConfiguration(rows, columns * 32 // bits, 1, transposed=True)
        for rows, columns in product((16, 32), (1, 2, 4, 8))
    ]


Element = tuple[int, int, int]


def stream(shape: BlockConfiguration, bits: int) -> list[Element]:
    """The elements (row, column, block) of a message in the order of their bytes in the register file."""
    word = 32 // bits
    elements: list[Element] = []
    for block in range(shape.blocks):
        if shape.packed:
            order = product(range(shape.rows // word), range(shape.columns), range(word))
            elements += [(row * word + i, column, block) for row, column, i in order]
        elif shape.transposed:
            order = product(range(shape.columns // word), range(shape.rows), range(word))
            elements += [(row, column * word + i, block) for column, row, i in order]
        else:
            order = product(range(shape.rows), range(shape.columns))
            elements += [(row, column, block) for row, column in order]
    return elements


def test_elements_of_64_bits_are_rows_of_registers() -> None:
    shape = BlockConfiguration(8, 16, 1)
    layout = block_load_layout(**shape._asdict(), element_bits=64)
    for row, column in product(range(8), range(16)):
        point = {"row": row, "column": column, "block": 0}
        assert layout.apply({"register": row, "lane": column}) == point


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_registers_hold_the_bytes_in_order(bits: int) -> None:
    shapes = plain(bits) + (packed(bits) if bits < 32 else []) + transposed(bits)
    assert len(shapes) > 20
    for shape in shapes:
        layout = block_load_layout(**shape._asdict(), element_bits=bits)
        word = register_word(shape, element_bits=bits)
        elements = stream(shape, bits)
        assert layout.is_invertible() == (len(elements) >= 16 * word)
        for position, element in enumerate(elements):
            index, low = divmod(position, word)
            register, lane = divmod(index, 16)
            at = layout.apply({"register": register * word + low, "lane": lane})
            assert (at["row"], at["column"], at["block"]) == element


@pytest.mark.parametrize(
    "keywords, message",
    [
        ({"rows": 24}, "rows = 24 of a block message must be a power of two"),
        ({"element_bits": 4}, "element_bits = 4 must be 8, 16, 32 or 64"),
        ({"packed": True, "transposed": True}, "packed or transposed, not both"),
        ({"packed": True, "element_bits": 32}, "32 rows of 32 bits do not fill 32-bit words"),
        ({"packed": True, "element_bits": 8, "rows": 2}, "2 rows of 8 bits do not fill"),
        ({"transposed": True, "blocks": 2}, "a transposed message has 1 block, not 2"),
        ({"transposed": True, "columns": 1}, "1 columns of 16 bits do not fill"),
    ],
)
def test_messages_that_do_not_exist(keywords: dict[str, int], message: str) -> None:
    arguments = {"rows": 32, "columns": 16, "element_bits": 16} | keywords
    with pytest.raises(LayoutError, match=message):
        block_load_layout(
            rows=arguments["rows"],
            columns=arguments["columns"],
            blocks=arguments.get("blocks", 1),
            element_bits=arguments["element_bits"],
            packed=bool(arguments.get("packed", False)),
            transposed=bool(arguments.get("transposed", False)),
        )


def check_plan(plan: LoadPlan, wanted: LinearLayout, bits: int) -> None:
    """Every register of the wanted layout finds its element in the messages."""
    message = block_load_layout(**plan.configuration._asdict(), element_bits=bits)
    assert sorted(plan.shuffle) == list(range(plan.registers * plan.messages))
    for register, lane in product(range(len(plan.shuffle)), range(16)):
        index, inner = divmod(plan.shuffle[register], plan.registers)
        at = message.apply({"register": inner, "lane": lane})
        row = plan.offsets[index][0] + at["row"]
        column = plan.offsets[index][1] + at["block"] * plan.columns + at["column"]
        assert tuple(wanted.apply({"register": register, "lane": lane}).values()) == (
            row,
            column,
        )
    assert all(plan.stores[source] == i for i, source in enumerate(plan.shuffle))


# operand, elements per channel, tile, bits -> rows, columns, blocks, messages
GEMM_TILES = [
    ("a", 2, (32, 32), 16, (32, 16, 2), 1),
    ("b", 2, (32, 64), 16, (32, 16, 2), 2),
    ("a", 4, (32, 32), 8, (32, 32, 1), 1),
    ("b", 4, (32, 64), 8, (32, 16, 4), 1),
    ("a", 1, (32, 16), 32, (32, 8, 2), 1),
    ("b", 1, (16, 64), 32, (16, 16, 1), 4),
    ("c", 2, (32, 64), 32, (32, 16, 1), 4),
]


@pytest.mark.parametrize("operand, ops, tile, bits, shape, messages", GEMM_TILES)
def test_the_fewest_loads_of_gemm_tiles(
    operand: str,
    ops: int,
    tile: tuple[int, int],
    bits: int,
    shape: tuple[int, int, int],
    messages: int,
) -> None:
    wanted = dpas_operand_layout(operand, tile, ops_per_channel=ops)
    word = dpas_register_word(operand, ops_per_channel=ops)
    configurations = plain(bits) + (packed(bits) if bits < 32 else [])
    plan = plan_block_load(wanted, element_bits=bits, configurations=configurations, word=word)
    assert plan is not None
    assert plan[:3] == shape
    assert plan.packed == (operand == "b" and ops > 1)
    assert plan.messages == messages
    check_plan(plan, wanted, bits)


def test_without_a_word_only_the_given_kinds_count() -> None:
    wanted = dpas_operand_layout("b", (32, 64), ops_per_channel=4)
    plan = plan_block_load(wanted, element_bits=8, configurations=packed(8))
    assert plan is not None
    assert (plan.packed, plan.blocks, plan.messages) == (True, 4, 1)
    plan = plan_block_load(wanted, element_bits=8, configurations=plain(8) + packed(8))
    assert plan is not None
    assert not plan.packed


def test_a_transposed_operand_is_loaded_by_words() -> None:
    # B of 32 x 64 kept as N x K in memory: rows are N, columns are K.
    operand = dpas_operand_layout("b", (32, 64), ops_per_channel=2)
    wanted = operand.transpose_outs(["dim1", "dim0"])
    plan = plan_block_load(
        wanted, element_bits=16, configurations=plain(16) + transposed(16), word=2
    )
    assert plan is not None
    assert plan.transposed
    assert (plan.rows, plan.columns, plan.messages) == (32, 16, 4)
    check_plan(plan, wanted, 16)


def test_no_message_moves_elements_between_lanes() -> None:
    wanted = dpas_operand_layout("a", (32, 32), ops_per_channel=2).transpose_outs(
        ["dim1", "dim0"]
    )
    assert plan_block_load(wanted, element_bits=16, configurations=plain(16)) is None


def test_layouts_that_are_no_tile_are_refused() -> None:
    flat = LinearLayout.identity_1d(16, "lane", "dim0")
    with pytest.raises(LayoutError, match=r"not \(lane\) -> \(dim0\)"):
        plan_block_load(flat, element_bits=16, configurations=plain(16))
    wide = dpas_operand_layout("c", (8, 16), ops_per_channel=2, lanes=32)
    with pytest.raises(LayoutError, match="the layout has 32 lanes, the subgroup 16"):
        plan_block_load(wide, element_bits=16, configurations=plain(16))
    tile = dpas_operand_layout("c", (8, 16), ops_per_channel=2)
    with pytest.raises(LayoutError, match="must have at least one row, column and block"):
        plan_block_load(tile, element_bits=16, configurations=[(0, 16, 1, False, False)])


def test_a_plan_is_cheap() -> None:
    wanted = dpas_operand_layout("b", (64, 128), ops_per_channel=2)
    configurations = plain(16) + packed(16) + transposed(16)
    start = perf_counter()
    plan_block_load(wanted, element_bits=16, configurations=configurations, word=2)
    first = perf_counter() - start
    start = perf_counter()
    plan_block_load(wanted, element_bits=16, configurations=configurations, word=2)
    assert perf_counter() - start <= first

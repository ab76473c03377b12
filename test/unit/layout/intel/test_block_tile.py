"""Block shapes read off layouts: what Intel's Triton computes for random layouts, and its table of GEMMs."""

from collections.abc import Callable, Mapping
from itertools import product
from typing import TypedDict, cast

import pytest

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.intel.block_tile import (
    BlockLimits,
    BlockTile,
    block_tile,
    load_tile,
    prefetch_tile,
    store_tile,
)
from xetile.layout.intel.dpas import Dpas
from xetile.layout.intel.messages import block_load_layout
from xetile.layout.intel.tile_messages import (
    message_offsets,
    message_registers,
    message_shuffle,
    register_order,
    transposed_shuffle,
)
from xetile.layout.triton.encodings import Blocked

LIMITS = BlockLimits(
    rows=32,
    store_rows=8,
    row_bytes=64,
    transposed_row_bytes=32,
    prefetch_row_bytes=256,
    blocks=4,
    block_bytes=64,
)


class Tile(TypedDict):
    h: int
    w: int
    packed: int
    vBlocks: int
    rowDim: int
    colDim: int
    transpose: int
    vnni: int
    regBases: list[int]


class Case(TypedDict):
    contigDim: int
    elemBits: int
    layout: dict[str, object]
    valid: int
    tiles: dict[str, Tile | None]
    loads: list[list[int]]
    shuffle: list[int]


def as_recorded(tile: BlockTile | None) -> Tile | None:
    if tile is None:
        return None
    return {
        "h": tile.height,
        "w": tile.width,
        "packed": tile.packed,
        "vBlocks": tile.blocks,
        "rowDim": tile.row_dim,
        "colDim": tile.column_dim,
        "transpose": int(tile.transposed),
        "vnni": int(tile.vnni),
        "regBases": list(tile.register_bases),
    }


def test_recorded_tiles(
    recorded: Callable[[str, str], list[object]],
    recorded_layout: Callable[[Mapping[str, object]], LinearLayout],
) -> None:
    for case in cast("list[Case]", recorded("dpas_and_block_io", "blockio")):
        layout = recorded_layout(case["layout"])
        contiguous, bits = case["contigDim"], case["elemBits"]
        load = load_tile(layout, contiguous, element_bits=bits, limits=LIMITS)
        one = load_tile(layout, contiguous, element_bits=bits, limits=LIMITS, one_matrix=True)
        # Recorded before stores refuse what they do not take.
        store = block_tile(
            layout, contiguous, element_bits=bits, limits=LIMITS, access="store"
        )
        prefetch = prefetch_tile(layout, contiguous, element_bits=bits, limits=LIMITS)
        wide = prefetch_tile(layout, contiguous, element_bits=bits, limits=LIMITS, wide=True)
        found = (load, one, store, prefetch, wide)
        assert (
            dict(zip(case["tiles"], map(as_recorded, found), strict=True)) == case["tiles"]
        ), case
        assert (load is not None) == case["valid"]
        if load is None:
            continue
        lanes = layout.in_dim_size("lane")
        step = message_registers(load, lanes=lanes)
        offsets = message_offsets(load, layout)
        assert [[i * step, r, *at] for i, (r, at) in enumerate(offsets)] == case["loads"]
        if load.transposed:
            assert list(transposed_shuffle(load, lanes=lanes)) == case["shuffle"]


def gemm(ops: int, cluster: tuple[int, int] = (4, 2), lanes: int = 16) -> Dpas:
    return Dpas(8, 8, 16, ops, lanes, (8, 4), cluster)


# encoding, operand, shape, contiguous dimension, bits -> (height, width, packed, blocks, transposed, vnni),
# order of register bits, coordinates of the loads
Shape = tuple[int, int, int, int, int, int]
GEMMS: list[
    tuple[Dpas, int, tuple[int, int], int, int, Shape, list[int], list[tuple[int, int]]]
] = [
    (gemm(2), 0, (256, 32), 1, 16, (32, 16, 1, 2, 0, 0), [1, 2, 4, 8, 16, 32], [(0, 0)]),
    (gemm(2), 1, (32, 256), 1, 16, (32, 16, 1, 2, 0, 0), [1, 2, 4, 8, 32, 16, 64], [(0, 0), (0, 128)]),
    (gemm(2), 1, (32, 256), 0, 16, (32, 8, 2, 1, 1, 0), [1, 16, 2, 4, 8, 32, 64], [(0, 0), (16, 0), (0, 128), (16, 128)]),
    (gemm(2), 0, (256, 32), 0, 16, (32, 8, 2, 1, 1, 0), [1, 32, 2, 4, 8, 16], [(0, 0), (16, 0)]),
    (gemm(2), 2, (256, 256), 1, 32, (32, 16, 1, 1, 0, 0), [1, 2, 4, 16, 32, 8, 64], [(0, 0), (0, 16), (0, 128), (0, 144)]),
    (gemm(4), 0, (256, 64), 1, 8, (32, 16, 2, 2, 0, 0), [1, 2, 4, 8, 16, 32, 64], [(0, 0)]),
    (gemm(4), 1, (64, 256), 1, 8, (32, 16, 1, 2, 0, 0), [1, 2, 4, 8, 16, 32, 64, 128], [(0, 0), (32, 0), (0, 128), (32, 128)]),
    (gemm(1, (4, 1)), 0, (256, 32), 1, 32, (32, 8, 1, 2, 0, 0), [1, 2, 4, 8, 16, 32], [(0, 0), (0, 16)]),
    (gemm(1, (4, 1)), 1, (32, 256), 1, 32, (32, 16, 1, 1, 0, 0), [1, 2, 4, 8, 16, 32, 64], [(0, 0), (0, 64), (0, 128), (0, 192)]),
    (gemm(2, lanes=32), 1, (32, 256), 1, 16, (32, 16, 1, 2, 0, 1), [1, 2, 4, 16, 8, 32], [(0, 0), (0, 128)]),
]  # fmt: skip


@pytest.mark.parametrize(
    "dpas, operand, shape, contiguous, bits, expected, order, loads", GEMMS
)
def test_loads_of_gemm_operands(
    dpas: Dpas,
    operand: int,
    shape: tuple[int, int],
    contiguous: int,
    bits: int,
    expected: Shape,
    order: list[int],
    loads: list[tuple[int, int]],
) -> None:
    layout = dpas.operand_layout(operand, shape)
    tile = load_tile(layout, contiguous, element_bits=bits, limits=LIMITS)
    assert tile is not None
    found = (tile.height, tile.width, tile.packed, tile.blocks, tile.transposed, tile.vnni)
    assert found == expected
    assert list(tile.register_bases) == order
    assert [at for _, at in message_offsets(tile, layout)] == loads


@pytest.mark.parametrize(
    "dpas, operand, shape, bits, shuffle",
    [
        (gemm(2), 1, (32, 256), 16, (1, 4, 8, 16, 2)),
        (gemm(2), 0, (256, 32), 16, (1, 2, 4, 8, 16)),
        (gemm(4), 1, (64, 256), 8, (1, 2, 8, 16, 32, 4)),
    ],
)
def test_shuffles_of_transposed_loads(
    dpas: Dpas, operand: int, shape: tuple[int, int], bits: int, shuffle: tuple[int, ...]
) -> None:
    layout = dpas.operand_layout(operand, shape)
    tile = load_tile(layout, 0, element_bits=bits, limits=LIMITS)
    assert tile is not None
    assert transposed_shuffle(tile, lanes=16) == shuffle


def test_tall_transposed_loads_of_words() -> None:
    layout = gemm(1, (4, 1)).operand_layout(1, (32, 256))
    tile = load_tile(layout, 0, element_bits=32, limits=LIMITS)
    assert tile is not None
    assert (tile.height, tile.width, tile.blocks, tile.transposed) == (16, 8, 1, True)
    assert len(message_offsets(tile, layout)) == 16


def test_stores_are_neither_transposed_nor_packed() -> None:
    c = gemm(2).to_linear_layout((256, 256))
    store = store_tile(c, 1, element_bits=32, limits=LIMITS)
    assert store is not None
    assert (store.height, store.width, store.blocks) == (8, 16, 1)
    assert store_tile(c, 0, element_bits=32, limits=LIMITS) is None
    b = gemm(2, lanes=32).operand_layout(1, (32, 256))
    assert store_tile(b, 1, element_bits=16, limits=LIMITS) is None


def test_blocked_layouts() -> None:
    rows = Blocked((1, 1), (1, 16), (4, 1), (1, 0)).to_linear_layout((64, 64))
    tile = load_tile(rows, 1, element_bits=16, limits=LIMITS)
    assert tile is not None
    assert (tile.height, tile.width, tile.packed, tile.blocks) == (1, 16, 1, 1)
    assert len(message_offsets(tile, rows)) == 64
    scattered = Blocked((1, 8), (4, 4), (4, 1), (1, 0)).to_linear_layout((64, 64))
    assert load_tile(scattered, 1, element_bits=16, limits=LIMITS) is None


def test_unknown_access() -> None:
    with pytest.raises(LayoutError, match="access 'gather' must be load, store or prefetch"):
        block_tile(
            gemm(2).to_linear_layout((256, 256)),
            1,
            element_bits=32,
            limits=LIMITS,
            access="gather",
        )


@pytest.mark.parametrize(
    "dpas, operand, shape, contiguous, bits, expected, order, loads", GEMMS
)
def test_messages_fill_the_registers_of_gemm_operands(
    dpas: Dpas,
    operand: int,
    shape: tuple[int, int],
    contiguous: int,
    bits: int,
    expected: Shape,
    order: list[int],
    loads: list[tuple[int, int]],
) -> None:
    layout = dpas.operand_layout(operand, shape)
    tile = load_tile(layout, contiguous, element_bits=bits, limits=LIMITS)
    assert tile is not None
    packed = operand == 1 and bits < 32
    shuffle = message_shuffle(tile, layout, element_bits=bits, packed=packed)
    assert shuffle is not None
    message = block_load_layout(
        rows=tile.height,
        columns=tile.width * tile.packed,
        blocks=tile.blocks,
        element_bits=bits,
        packed=(packed or tile.vnni) and not tile.transposed,
        transposed=tile.transposed,
        lanes=dpas.threads_per_warp,
    )
    registers = register_order(tile)
    for n, (_, start) in enumerate(message_offsets(tile, layout)):
        for e, lane in product(range(len(shuffle)), (0, 1, 5, dpas.threads_per_warp - 1)):
            at = message.apply({"register": shuffle[e], "lane": lane})
            across = at["column"] + at["block"] * tile.width * tile.packed
            step = [at["row"], across] if contiguous == 1 else [across, at["row"]]
            register = registers.apply({"register": n * len(shuffle) + e})["register"]
            held = layout.apply({"register": register, "lane": lane, "warp": 0, "block": 0})
            assert list(held.values()) == [s + d for s, d in zip(start, step, strict=True)]


def test_a_message_whose_lanes_differ_has_no_shuffle() -> None:
    layout = gemm(2).to_linear_layout((256, 256))
    tile = load_tile(layout, 1, element_bits=32, limits=LIMITS)
    assert tile is not None
    wide = tile._replace(height=tile.height // 2, width=2 * tile.width)
    assert message_shuffle(wide, layout, element_bits=32) is None


def test_one_row_of_three_dimensions() -> None:
    layout = LinearLayout.from_bases(
        {"register": [], "lane": [(0, 0, 1 << bit) for bit in range(4)]},
        {"dim0": 1, "dim1": 1, "dim2": 16},
    )
    tile = load_tile(layout, 2, element_bits=32, limits=LIMITS)
    assert tile is not None
    assert (tile.height, tile.width, tile.row_dim, tile.column_dim) == (1, 16, 1, 2)
    assert message_shuffle(tile, layout, element_bits=32) == (0,)


@pytest.mark.parametrize(
    "layout, contiguous, message",
    [
        (LinearLayout.identity_1d(16, "lane", "dim0"), 0, "needs a layout of registers and lanes"),
        (LinearLayout.identity_1d(4, "register", "dim0") * LinearLayout.identity_1d(16, "lane", "dim0"), 0, "needs two dimensions"),
        (LinearLayout.identity_1d(4, "register", "dim0") * LinearLayout.identity_1d(16, "lane", "dim1"), 2, r"dimension 2 of \['dim0', 'dim1'\] is not one"),
    ],
)  # fmt: skip
def test_layouts_without_blocks(layout: LinearLayout, contiguous: int, message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        load_tile(layout, contiguous, element_bits=16, limits=LIMITS)


@pytest.mark.parametrize(
    "constancy, shape",
    [
        (None, (32, 16, 2)),
        ((256, 32), (32, 16, 2)),
        ((8, 32), (8, 16, 2)),
        ((2, 32), (2, 16, 2)),
        ((1, 32), (1, 16, 1)),
        ((256, 16), (32, 16, 1)),
        ((256, 8), None),
    ],
)
def test_a_message_stays_within_the_runs_of_a_mask(
    constancy: tuple[int, int] | None, shape: tuple[int, int, int] | None
) -> None:
    layout = gemm(2).operand_layout(0, (256, 32))
    tile = load_tile(layout, 1, element_bits=16, limits=LIMITS, mask_constancy=constancy)
    assert (tile and (tile.height, tile.width, tile.blocks)) == shape


def test_masked_words_are_not_torn() -> None:
    b = gemm(2).operand_layout(1, (32, 256))
    transposed = load_tile(b, 0, element_bits=16, limits=LIMITS, mask_constancy=(2, 16))
    assert transposed is not None
    assert (transposed.height, transposed.width, transposed.packed) == (16, 1, 2)
    assert load_tile(b, 0, element_bits=16, limits=LIMITS, mask_constancy=(1, 256)) is None


def test_masked_stores_and_prefetches() -> None:
    c = gemm(2).to_linear_layout((256, 256))
    store = store_tile(c, 1, element_bits=32, limits=LIMITS, mask_constancy=(4, 256))
    assert store is not None
    assert (store.height, store.width, store.blocks) == (4, 16, 1)
    a = gemm(2).operand_layout(0, (256, 32))
    prefetch = prefetch_tile(a, 1, element_bits=16, limits=LIMITS, mask_constancy=(16, 16))
    assert prefetch is not None
    assert (prefetch.height, prefetch.width, prefetch.blocks) == (16, 16, 1)


def test_no_recorded_message_crosses_a_run_of_its_mask(
    recorded: Callable[[str, str], list[object]],
    recorded_layout: Callable[[Mapping[str, object]], LinearLayout],
) -> None:
    narrowed = 0
    for case in cast("list[Case]", recorded("dpas_and_block_io", "blockio")):
        layout = recorded_layout(case["layout"])
        contiguous, bits = case["contigDim"], case["elemBits"]
        free = load_tile(layout, contiguous, element_bits=bits, limits=LIMITS)
        whole = load_tile(
            layout,
            contiguous,
            element_bits=bits,
            limits=LIMITS,
            mask_constancy=layout.out_dim_sizes,
        )
        assert whole == free
        for constancy in product((1, 4, 16, 64), repeat=layout.num_out_dims):
            tile = load_tile(
                layout, contiguous, element_bits=bits, limits=LIMITS, mask_constancy=constancy
            )
            assert tile is None or free is not None
            if tile is None:
                continue
            narrowed += tile != free
            moved = message_registers(tile, lanes=layout.in_dim_size("lane")).bit_length() - 1
            registers = [basis.bit_length() - 1 for basis in tile.register_bases[:moved]]
            steps = [*(layout.bases["register"][r] for r in registers), *layout.bases["lane"]]
            assert all(
                at < n for step in steps for at, n in zip(step, constancy, strict=True)
            ), case
    assert narrowed > 100


@pytest.mark.parametrize("constancy", [(8,), (8, 12), (0, 8), (-8, 8), (8, 8, 8)])
def test_a_masks_constancy_is_a_power_of_two_for_each_dimension(
    constancy: tuple[int, ...],
) -> None:
    layout = gemm(2).operand_layout(0, (256, 32))
    with pytest.raises(LayoutError, match="must hold a power of two for each of"):
        load_tile(layout, 1, element_bits=16, limits=LIMITS, mask_constancy=constancy)

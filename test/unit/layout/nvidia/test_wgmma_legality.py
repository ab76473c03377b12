"""Which shared layouts wgmma can read: TMA's tiles can; of others each swizzle says what it lacks."""

from itertools import product
from typing import Literal

import pytest

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.nvidia.shared_layouts import nvmma_shared_layout, swizzled_shared_layout
from xetile.layout.nvidia.wgmma import (
    Operand,
)
from xetile.layout.nvidia.wgmma_legality import match_operand

Major = Literal["K", "MN"]


MAJORS: tuple[Major, Major] = ("K", "MN")


# Element bits, swizzle, transposed, tile (M, K) of A; what the compiler of triton 3.9 emits for it: stride and leading
# offset in units of 16 bytes (None: unused), and the additions to the address field for the steps along K.
EMITTED = [
    (16, 32, False, (64, 64), 0x10, None, [0, 128, 256, 384]),
    (16, 64, False, (64, 64), 0x20, None, [0, 2, 256, 258]),
    (16, 128, False, (64, 64), 0x40, None, [0, 2, 4, 6]),
    (32, 128, False, (64, 32), 0x40, None, [0, 2, 4, 6]),
    (8, 64, False, (64, 128), 0x20, None, [0, 2, 256, 258]),
    (16, 32, True, (64, 16), 0x10, 32, [0]),
    (16, 32, True, (64, 64), 0x10, 128, [0, 32, 64, 96]),
    (16, 64, True, (64, 16), 0x20, 64, [0]),
    (16, 64, True, (64, 64), 0x20, 256, [0, 64, 128, 192]),
    (16, 128, True, (64, 64), 0x40, None, [0, 128, 256, 384]),
]


@pytest.mark.parametrize("bits, swizzle, transposed, tile, stride, leading, steps", EMITTED)
def test_tma_tiles_are_legal(
    bits: int,
    swizzle: int,
    transposed: bool,
    tile: tuple[int, int],
    stride: int,
    leading: int | None,
    steps: list[int],
) -> None:
    layout = nvmma_shared_layout(tile, swizzle, bits, transposed=transposed)
    operand, extent, starts = match_operand(layout, bits, "a")
    assert (operand.major, operand.swizzle) == ("MN" if transposed else "K", swizzle)
    assert operand.stride >> 4 == stride
    assert leading is None or operand.leading >> 4 == leading
    assert extent == 64
    assert [start >> 4 for start in starts[0]] == steps


@pytest.mark.parametrize("columns, extent", [(8, 8), (128, 128), (256, 256), (512, 256)])
def test_one_instruction_reads_at_most_256_columns_of_b(columns: int, extent: int) -> None:
    layout = nvmma_shared_layout((columns, 64), 128, 16, transposed=False)
    transposed = layout.transpose_outs(layout.out_dim_names[::-1])
    match = match_operand(transposed, 16, "b")
    assert match.extent == extent
    assert len(match.starts) == columns // extent


@pytest.mark.parametrize("bits, swizzle", [(8, 128), (16, 32), (16, 64), (16, 128), (32, 64)])
@pytest.mark.parametrize("operand", ["a", "b"])
def test_instructions_read_every_element_where_it_lies(
    bits: int, swizzle: int, operand: Literal["a", "b"]
) -> None:
    shape = (128, 1024 // bits * 2)
    layout = nvmma_shared_layout(
        shape if operand == "a" else shape[::-1], swizzle, bits, transposed=operand == "b"
    )
    assert_read(layout, bits, operand)


@pytest.mark.parametrize("swizzle", [32, 64, 128])
def test_transposed_16_bit_operands(swizzle: int) -> None:
    assert_read(nvmma_shared_layout([128, 64], swizzle, 16, transposed=True), 16, "a")
    assert_read(nvmma_shared_layout([64, 128], swizzle, 16), 16, "b")


def assert_read(layout: LinearLayout, bits: int, operand: Literal["a", "b"]) -> None:
    """Every instruction of the match reads each of its elements at the byte where the layout has it."""
    match = match_operand(layout, bits, operand)
    offsets = layout.sublayout(["offset"], layout.out_dim_names).invert()
    k_extent = 256 // bits
    for i, row in enumerate(match.starts):
        for j, start in enumerate(row):
            for mn, k in product(range(0, match.extent, 5), range(k_extent)):
                at = (i * match.extent + mn, j * k_extent + k)
                dims = dict(
                    zip(offsets.in_dim_names, at if operand == "a" else at[::-1], strict=True)
                )
                lies = offsets.apply(dims)["offset"] * bits // 8
                assert match.operand.address(mn, k, start=start) == lies


def test_unswizzled_core_matrices_are_legal() -> None:
    offsets: list[tuple[Major, int, int]] = [
        ("K", 1024, 128),
        ("K", 128, 256),
        ("MN", 128, 256),
        ("MN", 1024, 128),
    ]
    for major, leading, stride in offsets:
        operand = Operand(16, major, 0, leading, stride)
        in_bytes = operand.layout((64, 16))
        layout = in_bytes.invert_and_compose(
            LinearLayout.strided_1d(1024, 2, "offset", "offset")
        ).invert()
        renamed = layout.reshape_outs({"dim0": 64, "dim1": 16})
        assert match_operand(renamed, 16, "a").operand == operand


K_ROWS = "no swizzle fits a K-major operand; none: mn=1 lies at byte 32, needs 16; 32 bytes: mn=4 lies at byte 144"


@pytest.mark.parametrize(
    "layout, bits, operand, message",
    [
        (nvmma_shared_layout([64, 16], 0, 16), 16, "a", K_ROWS),
        (
            nvmma_shared_layout([64, 64], 0, 16),
            16,
            "a",
            "none: mn=1 lies at byte 128, needs 16",
        ),
        (
            nvmma_shared_layout([64, 32], 128, 32, transposed=True),
            32,
            "a",
            "an MN-major operand of 32-bit elements: wgmma transposes 16-bit elements only",
        ),
        (
            nvmma_shared_layout([64, 128], 128, 8),
            8,
            "b",
            "an MN-major operand of 8-bit elements",
        ),
        (
            nvmma_shared_layout([32, 64], 128, 16),
            16,
            "a",
            "a tile of 32 x 64 (mn x k) elements is smaller than what one instruction reads, 64 x 16",
        ),
        (nvmma_shared_layout([64, 8], 0, 16), 16, "a", "a tile of 64 x 8 (mn x k)"),
        (
            nvmma_shared_layout([64, 64], 128, 8, fp4_padded=True),
            8,
            "a",
            "does not have exactly one offset for each element",
        ),
        (
            swizzled_shared_layout([64, 64], 1, 1, 8, [1, 0]),
            16,
            "a",
            "no swizzle fits a K-major operand",
        ),
        (
            swizzled_shared_layout([64, 64], 8, 1, 8, [1, 0]).reshape_outs(
                {"dim0": 64, "dim1": 8, "x": 8}
            ),
            16,
            "a",
            "expected (offset) -> two dimensions",
        ),
        (
            LinearLayout.from_bases(
                {"offset": [(1 << i % 6, 0) if i % 2 else (0, 1 << i // 2) for i in range(6)]},
                {"dim0": 64, "dim1": 16},
                require_surjective=False,
            ),
            16,
            "a",
            "does not have exactly one offset",
        ),
    ],
)
def test_illegal_operands(
    layout: LinearLayout, bits: int, operand: Literal["a", "b"], message: str
) -> None:
    with pytest.raises(LayoutError) as caught:
        match_operand(layout, bits, operand)
    assert message in str(caught.value)

"""wgmma's operands: recorded addresses and descriptors, the PTX text's examples."""

from collections.abc import Callable
from itertools import product
from typing import Literal, TypedDict, cast

import pytest

from xetile.layout.algebra.linear_layout import LayoutError
from xetile.layout.nvidia.shared_layouts import swizzled_shared_layout
from xetile.layout.nvidia.wgmma import (
    SWIZZLES,
    Descriptor,
    Operand,
    accumulator_layout,
    base_offset_of,
    register_operand_layout,
    swizzle_atom,
    swizzled_address,
    tma_address,
)
from xetile.layout.nvidia.wgmma_legality import match_operand

Major = Literal["K", "MN"]
MAJORS: tuple[Major, Major] = ("K", "MN")


class Case(TypedDict):
    dtype: str
    bits: int
    major: Major
    swizzle: int
    T: int
    tile: tuple[int, int]
    LBO: int
    SBO: int
    f2_linear: bool
    mn: dict[str, int]
    k: dict[str, int]
    desc: str


def test_recorded_modes(recorded: Callable[[str, str], list[object]]) -> None:
    for case in cast("list[Case]", recorded("wgmma_cases", "all")):
        tile = (case["tile"][0], case["tile"][1])
        operand = Operand.compact(case["bits"], case["major"], case["swizzle"], tile)
        assert operand.unit == case["T"]
        assert (operand.leading, operand.stride) == (case["LBO"], case["SBO"])
        assert {
            str(1 << i): operand.address(1 << i, 0) for i in range(len(case["mn"]))
        } == case["mn"]
        assert {
            str(1 << i): operand.address(0, 1 << i) for i in range(len(case["k"]))
        } == case["k"]
        assert operand.descriptor().encode() == int(case["desc"], 16)
        layout = operand.layout(tile)
        assert case["f2_linear"]
        assert layout.is_injective()
        for mn, k in product(range(0, tile[0], 3), range(tile[1])):
            assert layout.apply({"mn": mn, "k": k})["offset"] == operand.address(mn, k)


Modes = tuple[tuple[int, int], ...]
# The PTX text's worked examples: element bytes, major, swizzle, LBO and SBO in elements, tile, CuTe's strides, and
# the descriptor. The second one is wrong as a layout: K extends over two rows of its swizzle.
Example = tuple[int, Major, int, int, int, tuple[int, int], Modes, Modes, int, int]
EXAMPLES: list[Example] = [
    (
        4,
        "K",
        0,
        64,
        32,
        (16, 16),
        ((8, 4), (2, 32)),
        ((4, 1), (4, 64)),
        0x0000000800100000,
        256,
    ),
    (
        4,
        "K",
        32,
        4,
        64,
        (16, 16),
        ((8, 8), (2, 64)),
        ((4, 1), (4, 4)),
        0xC000001000010000,
        136,
    ),
    (
        2,
        "MN",
        0,
        128,
        64,
        (16, 16),
        ((8, 1), (2, 64)),
        ((8, 8), (2, 128)),
        0x0000000800100000,
        256,
    ),
    (
        2,
        "MN",
        32,
        128,
        256,
        (32, 16),
        ((8, 1), (2, 8), (2, 128)),
        ((8, 16), (2, 256)),
        0xC000002000100000,
        512,
    ),
    (
        2,
        "MN",
        64,
        256,
        512,
        (64, 16),
        ((8, 1), (4, 8), (2, 256)),
        ((8, 32), (2, 512)),
        0x8000004000200000,
        1024,
    ),
]


def strided(coordinate: int, modes: Modes) -> int:
    """CuTe's index: the coordinate's digits by the modes' sizes, times their strides."""
    index = 0
    for size, stride in modes:
        index += coordinate % size * stride
        coordinate //= size
    return index


@pytest.mark.parametrize("example", EXAMPLES)
def test_worked_examples(example: Example) -> None:
    size, major, swizzle, leading, stride, tile, mn_modes, k_modes, descriptor, distinct = (
        example
    )
    operand = Operand(size * 8, major, swizzle, leading * size, stride * size)
    for mn, k in product(range(tile[0]), range(tile[1])):
        index = strided(mn, mn_modes) + strided(k, k_modes)
        assert operand.offset(mn, k) == index * size
        assert operand.address(mn, k) == swizzled_address(index * size, swizzle)
    assert operand.descriptor().encode() == descriptor
    assert operand.distinct_addresses(tile) == distinct


def test_the_example_that_is_no_layout_is_reported() -> None:
    operand = Operand(32, "K", 32, 16, 256)
    assert operand.address(0, 8) != operand.address(1, 0) or operand.offset(
        0, 8
    ) == operand.offset(1, 0)
    assert operand.offset(0, 8) == operand.offset(1, 0) == 32
    with pytest.raises(LayoutError, match="no linear layout: k=8 lies at byte 32"):
        operand.layout((16, 16))
    assert operand.layout((16, 8)).is_injective()


def test_canonical_texts() -> None:
    texts = [
        Operand(16, major, swizzle, 0, 0).text
        for major in MAJORS[::-1]
        for swizzle in SWIZZLES
    ]
    assert texts == [
        "Swizzle<0,4,3> o ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO))",
        "Swizzle<1,4,3> o ((T,2,m),(8,k)):((1,T,LBO),(2T,SBO))",
        "Swizzle<2,4,3> o ((T,4,m),(8,k)):((1,T,LBO),(4T,SBO))",
        "Swizzle<3,4,3> o ((T,8,m),(8,k)):((1,T,LBO),(8T,SBO))",
        "Swizzle<0,4,3> o ((8,m),(T,2k)):((1T,SBO),(1,LBO))",
        "Swizzle<1,4,3> o ((8,m),(T,2k)):((2T,SBO),(1,T))",
        "Swizzle<2,4,3> o ((8,m),(T,2k)):((4T,SBO),(1,T))",
        "Swizzle<3,4,3> o ((8,m),(T,2k)):((8T,SBO),(1,T))",
    ]


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("swizzle", SWIZZLES)
def test_atoms(bits: int, swizzle: int) -> None:
    units = max(1, swizzle // 16)
    assert Operand(bits, "K", swizzle, 0, 0).atom == (8, units * 128 // bits)
    assert Operand(bits, "MN", swizzle, 0, 0).atom == (units * 128 // bits, 8)
    for major in MAJORS:
        atom = swizzle_atom(bits, major, swizzle)
        operand = Operand(bits, major, swizzle, 0, 0)
        assert (atom.out_dim_size("mn"), atom.out_dim_size("k")) == operand.atom
        for offset in range(atom.total_in_dim_size):
            at = atom.apply({"offset": offset})
            assert operand.address(**at) == offset * bits // 8


def test_ptx_figure_of_mn_major_tf32_counts_bytes() -> None:
    """Element (0, 1) of the 128-byte swizzled tile is the 36th in the text's figure 165: byte 144."""
    assert Operand(32, "MN", 128, 1024, 1024).address(0, 1) == 144


def test_descriptor_round_trip() -> None:
    for swizzle, base_offset in product(SWIZZLES, range(8)):
        fields = Descriptor(0x3FFF0, 1024, 0x2A0, base_offset, swizzle)
        assert Descriptor.decode(fields.encode()) == fields
    in_cluster = Descriptor(0x5000400, 16, 1024, 0, 128)
    assert Descriptor.decode(in_cluster.encode()).start == 0x400


def test_base_offset_is_subtracted_from_the_phase() -> None:
    assert [base_offset_of(start, 128) for start in (0, 1024, 128, 896)] == [0, 0, 1, 7]
    assert [base_offset_of(start, 64) for start in (512, 640)] == [0, 1]
    assert [base_offset_of(start, 32) for start in (256, 384)] == [0, 1]
    assert base_offset_of(896, 0) == 0
    operand = Operand(16, "K", 128, 16, 1024)
    for start in (128, 896, 5 * 128):
        relative = base_offset_of(start, 128)
        for mn, k in product(range(16), range(0, 64, 8)):
            # The same pattern as at an aligned start, moved.
            moved = operand.address(mn, k, start=start, base_offset=relative)
            assert moved - start == operand.address(mn, k)


@pytest.mark.parametrize("swizzle", SWIZZLES)
def test_tma_places_what_wgmma_reads(swizzle: int) -> None:
    inner = swizzle or 16
    operand = Operand(16, "K", swizzle, 1 << 10, 8 * inner)
    for start in (0, 1024, 4096 + 256):
        for row, element in product(range(64), range(inner // 2)):
            placed = tma_address(
                row, element * 2, inner_bytes=inner, swizzle=swizzle, start=start
            )
            assert placed == operand.address(row, element, start=start)


def test_tma_rows_narrower_than_the_swizzle_keep_its_pitch() -> None:
    assert tma_address(1, 0, inner_bytes=32, swizzle=128) == 128 ^ 16
    assert tma_address(1, 0, inner_bytes=96, swizzle=0) == 96
    with pytest.raises(
        LayoutError, match="a box with rows of 256 bytes cannot have a swizzle of 128 bytes"
    ):
        tma_address(0, 0, inner_bytes=256, swizzle=128)


def test_register_fragments() -> None:
    accumulators = accumulator_layout(64)
    for register, lane, warp in product(range(32), range(32), range(4)):
        at = accumulators.apply({"register": register, "lane": lane, "warp": warp})
        assert at["dim0"] == 16 * warp + lane // 4 + 8 * (register >> 1 & 1)
        assert at["dim1"] == 8 * (register >> 2) + 2 * (lane % 4) + (register & 1)


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_register_operands(bits: int) -> None:
    def column(lane: int, r: int, j: int) -> int:
        if bits == 32:
            return lane % 4 + 4 * (r >> 1)
        return {16: 2, 8: 4}[bits] * (lane % 4) + {16: 8, 8: 16}[bits] * (r >> 1) + j

    layout = register_operand_layout(bits)
    for r, j, lane, warp in product(range(4), range(32 // bits), range(32), range(4)):
        at = layout.apply({"register": r * (32 // bits) + j, "lane": lane, "warp": warp})
        assert at["dim0"] == 16 * warp + lane // 4 + 8 * (r & 1)
        assert at["dim1"] == column(lane, r, j)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: Operand(64, "K", 0, 0, 0), "elements of 64 bits: must be 8, 16 or 32"),
        (
            lambda: Operand(16, "K", 16, 0, 0),
            "swizzle of 16 bytes: must be one of (0, 32, 64, 128)",
        ),
        (
            lambda: Operand(16, cast("Major", "N"), 0, 0, 0),
            "major dimension 'N': must be 'K' or 'MN'",
        ),
        (
            lambda: Descriptor(8, 0, 0, 0, 0).encode(),
            "start of 8 bytes must be a multiple of 16",
        ),
        (
            lambda: Descriptor(0, 0, 24, 0, 0).encode(),
            "stride of 24 bytes must be a multiple of 16",
        ),
        (lambda: Descriptor(0, 0, 0, 8, 0).encode(), "base offset 8 must be from 0 to 7"),
        (
            lambda: Descriptor.decode(1 << 64),
            "descriptor 0x10000000000000000 must have 64 bits",
        ),
        (
            lambda: Operand(16, "K", 0, 1024, 128).layout((48, 16)),
            "extent 48 of mn must be a power of two",
        ),
        (
            lambda: Operand(16, "K", 0, 96 * 16, 128).layout((64, 16)),
            "no linear layout: k=8 lies at byte 1536",
        ),
    ],
)
def test_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        call()
    assert message in str(caught.value)


def test_operands_that_wgmma_has_not() -> None:
    tile = swizzled_shared_layout((64, 64), 8, 1, 8, (1, 0))
    with pytest.raises(
        LayoutError, match="operand 'c' of wgmma in shared memory must be 'a' or 'b'"
    ):
        match_operand(tile, 16, cast("Literal['a']", "c"))
    with pytest.raises(LayoutError, match="elements of 0 bits: must be 8, 16 or 32"):
        match_operand(tile, 0, "a")

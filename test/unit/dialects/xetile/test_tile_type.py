"""XeTile's types and attributes from Python: one type for one meaning, and what is refused."""

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import (
    IntegerAttr,
    IntegerType,
    NoneAttr,
    StringAttr,
    VectorType,
    bf16,
    f8E4M3FN,
    f16,
    f32,
    i32,
    i64,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import ParseError, VerifyException

from xetile.dialects.modules import Parser, context, parse
from xetile.dialects.xetile import SubgroupMapAttr, TileAttr, TileType, WorkgroupMapAttr
from xetile.dialects.xetile.xetile_attributes import GLOBAL, SHARED, memory_space_of
from xetile.layout.algebra.linear_layout import LayoutError
from xetile.parser import parse_error_location

MAP = WorkgroupMapAttr([8, 4], [32, 32])


def tile(text: str) -> Attribute:
    return Parser(context(), text).parse_type()


def test_a_tile_says_what_passes_ask() -> None:
    type = TileType([256, 32], f16, TileAttr(wg_map=MAP))
    assert type.shape == (256, 32)
    assert type.element_type == f16
    assert type.wg_map == MAP
    assert type.order == (1, 0)
    assert type.inner_blocks is None
    assert type.memory_space == GLOBAL
    assert type.scattered is False
    assert type.value_shape == (256, 32)
    assert type.vector_type == VectorType(f16, [256, 32])


def test_blocks_make_the_value_4d() -> None:
    type = TileType([64, 32], bf16, TileAttr(inner_blocks=[8, 16]))
    assert type.inner_blocks == (8, 16)
    assert type.value_shape == (8, 2, 8, 16)


def test_with_changes_what_is_named_and_nothing_else() -> None:
    type = TileType([256, 32], f16, TileAttr(wg_map=MAP, order=[0, 1], memory_space=3))
    assert type.with_() == type
    assert type.with_(shape=[32, 32], wg_map=None) == TileType(
        [32, 32], f16, TileAttr(order=[0, 1], memory_space=3)
    )
    assert type.with_(element_type=f32).element_type == f32
    assert type.with_(inner_blocks=[16, 16]).inner_blocks == (16, 16)
    assert type.with_(inner_blocks=[16, 16]).with_(inner_blocks=None) == type
    assert type.with_(order=[1, 0], memory_space=0, wg_map=None) == TileType([256, 32], f16)
    assert type.with_(scattered=True).scattered
    assert type.with_(sg_map=SubgroupMapAttr([2, 8], [1, 2])).sg_map == SubgroupMapAttr(
        [2, 8], [1, 2]
    )


@pytest.mark.parametrize(
    "attribute",
    [
        TileAttr(),
        TileAttr(order=(1, 0)),
        TileAttr(memory_space=0),
        TileAttr(memory_space=1),
        TileAttr(scattered=False),
        TileAttr(wg_map=None, sg_map=None, inner_blocks=None),
    ],
)
def test_only_defaults_are_no_attribute(attribute: TileAttr) -> None:
    assert TileType([8, 16], f32, attribute) == TileType([8, 16], f32)
    assert str(TileType([8, 16], f32, attribute)) == "!xetile.tile<8x16xf32>"


@pytest.mark.parametrize(
    "text",
    [
        "!xetile.tile<8x16xf32, #xetile.tile_attr<>>",
        "!xetile.tile<8x16xf32, <>>",
        "!xetile.tile<8x16xf32, <order = [1, 0]>>",
        "!xetile.tile<8x16xf32, <order = array<i32: 1, 0>>>",
        "!xetile.tile<8x16xf32, <memory_space = 1 : i32, scattered = false>>",
        "!xetile.tile<8x16xf32, <array_length = 1 : i64>>",
    ],
)
def test_defaults_are_read_as_nothing(text: str) -> None:
    assert tile(text) == TileType([8, 16], f32)


@pytest.mark.parametrize("space", ["3", "3 : i32", "3 : i64", "#gpu.address_space<workgroup>"])
def test_shared_memory_has_one_spelling(space: str) -> None:
    found = tile(f"!xetile.tile<8x16xf32, <memory_space = {space}>>")
    assert found == TileType([8, 16], f32, TileAttr(memory_space=SHARED))


def test_memory_spaces_of_memrefs() -> None:
    spaces = {0: GLOBAL, 1: GLOBAL, 3: SHARED, 2: None, 5: None}
    for number, expected in spaces.items():
        assert memory_space_of(IntegerAttr(number, i64)) == expected
        assert memory_space_of(IntegerAttr(number, i32)) == expected
    assert memory_space_of(NoneAttr()) == GLOBAL
    assert memory_space_of(StringAttr("shared")) is None


@pytest.mark.parametrize("width", [1, 2, 3, 7, 8, 16, 33, 64])
def test_integers_of_any_width_but_four(width: int) -> None:
    assert TileType([8, 16], IntegerType(width)).element_type == IntegerType(width)


def test_the_distribution_of_a_map() -> None:
    distribution = MAP.distribution([256, 32])
    assert [distribution.units(d) for d in (0, 1)] == [8, 1]
    assert distribution.is_shared
    with pytest.raises(LayoutError, match="extent 100 of dimension 0"):
        MAP.distribution([100, 32])
    assert WorkgroupMapAttr([8, 4], [32, 64]).transposed() == WorkgroupMapAttr(
        [4, 8], [64, 32]
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TileType([64], f16), "rank 1, expected 2"),
        (lambda: TileType([0, 32], f16), "positive"),
        (lambda: TileType([64, 31], IntegerType(4)), "two elements of i4 share a byte"),
        (lambda: TileType([64, 32], VectorType(f16, [2])), "legal are i1 to i64"),
        (lambda: TileType([64, 33], f16, TileAttr(inner_blocks=[16, 16])), "do not divide"),
        (
            lambda: TileType([100, 32], f16, TileAttr(wg_map=MAP)),
            "not a multiple of sg_data 32",
        ),
        (lambda: TileAttr(order=[0, 0]), r"'order' is \[0, 0\]"),
        (lambda: TileAttr(memory_space=2), "'memory_space' is 2"),
        (lambda: WorkgroupMapAttr([8], [32, 32]), r"'sg_layout' is \[8\]"),
        (lambda: WorkgroupMapAttr([8, 4], [32, 0]), r"'sg_data' is \[32, 0\]"),
        (lambda: SubgroupMapAttr([1, 16], [1]), r"'wi_data' is \[1\]"),
    ],
)
def test_what_is_refused(make: Callable[[], Attribute], message: str) -> None:
    with pytest.raises(VerifyException, match=message):
        make()


def test_fp8_tiles() -> None:
    assert tile("!xetile.tile<32x32xf8E4M3FN>") == TileType([32, 32], f8E4M3FN)


@pytest.mark.parametrize(
    ("line", "token"),
    [
        ("!xetile.tile<64x32xf16, <ordre = [0, 1]>>", "ordre"),
        ("!xetile.tile<64x32xf16, <order = [0, 2]>>", "[0, 2]"),
        ("!xetile.tile<64x32xf16, <memory_space = 7>>", "7"),
        ("!xetile.tile<64x32xf16, <scattered = maybe>>", "maybe"),
        (
            "!xetile.tile<64x32xf16, #xetile.wg_map<sg_layout = [0, 1], sg_data = [8, 8]>>",
            "[0, 1]",
        ),
        ("!xetile.tile<64x32xf16, #xetile.cache_hint<warm>>", "warm"),
        ("!xetile.tile<64x32xf16, 3 : i32>", "3 : i32"),
        ("!xetile.tile<4x4x4xf16>", "<4x4x4xf16>"),
    ],
)
def test_errors_point_at_the_token(line: str, token: str) -> None:
    with pytest.raises(ParseError) as found:
        parse(f"func.func private @f({line})")
    assert found.value.span.text == token
    row, column, _ = parse_error_location(found.value)
    assert (row, column) == (1, len("func.func private @f(") + line.index(token) + 1)

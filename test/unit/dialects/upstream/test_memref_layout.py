"""Strides and offsets of memref types."""

from typing import cast

import pytest
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute

from xetile.dialects.modules import Parser, context
from xetile.dialects.upstream.memref.memref_layout import is_static, strides_and_offset


def memref(text: str) -> MemRefType[Attribute]:
    type = Parser(context(), text).parse_type()
    assert isinstance(type, MemRefType)
    return cast("MemRefType[Attribute]", type)


MEMREFS = [
    ("memref<f16>", ((), 0), True),
    ("memref<8xf16>", ((1,), 0), True),
    ("memref<4x8x16xf16>", ((128, 16, 1), 0), True),
    ("memref<4x?x16xf16>", ((None, 16, 1), 0), False),
    ("memref<?x16xf16>", ((16, 1), 0), False),
    ("memref<64x64xf16, strided<[128, 1], offset: 5>>", ((128, 1), 5), True),
    ("memref<64x64xf16, strided<[128, 1], offset: ?>>", ((128, 1), None), True),
    ("memref<64x64xf16, strided<[?, 1]>>", ((None, 1), 0), False),
    ("memref<96x128xf16, affine_map<(d0, d1) -> (d1, d0)>>", ((1, 96), 0), True),
    (
        "memref<2x96x128xf16, affine_map<(d0, d1, d2) -> (d0, d2, d1)>>",
        ((12288, 1, 96), 0),
        True,
    ),
    ("memref<?x128xf16, affine_map<(d0, d1) -> (d1, d0)>>", ((1, None), 0), False),
    ("memref<64x64xf16, affine_map<(d0, d1) -> (d0 * 80 + d1 + 3)>>", ((80, 1), 3), True),
    ("memref<64x64xf16, affine_map<(d0, d1) -> ((d0 + 1) * 80 + d1)>>", ((80, 1), 80), True),
    (
        "memref<64x64xf16, affine_map<(d0, d1)[s0] -> (d0 * 80 + d1 + s0)>>",
        ((80, 1), None),
        True,
    ),
    ("memref<8xf16, affine_map<(d0) -> (d0 * 2)>>", ((2,), 0), True),
    ("memref<8xf16, affine_map<(d0) -> (d0)>>", ((1,), 0), True),
]


@pytest.mark.parametrize(("text", "expected", "static"), MEMREFS)
def test_strides_and_offset(text: str, expected: object, static: bool) -> None:
    assert strides_and_offset(memref(text)) == expected
    assert is_static(memref(text)) is static


def test_stock_xdsl_knows_no_strides_of_maps() -> None:
    """Gap of xDSL 0.75: once this fails, its `get_strides` may do."""
    type = memref("memref<64x64xf16, affine_map<(d0, d1) -> (d0 * 80 + d1 + 3)>>")
    assert type.get_strides() is None


@pytest.mark.parametrize(
    "map",
    [
        "(d0, d1) -> (d0 floordiv 8, d1, d0 mod 8)",
        "(d0, d1) -> (d0 mod 8)",
        "(d0, d1) -> (d0, d0)",
        "(d0) -> (d0)",
    ],
)
def test_layouts_without_strides(map: str) -> None:
    type = memref(f"memref<64x64xf16, affine_map<{map}>>")
    assert strides_and_offset(type) is None
    assert not is_static(type)

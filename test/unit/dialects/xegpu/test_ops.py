"""XeGPU: read, print, read again; upstream takes our text, and refuses what we refuse."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from xdsl.utils.exceptions import ParseError, VerifyException

from xetile.dialects.modules import parse

ARGUMENTS = (
    "%A: memref<64x64xf16>, %D: memref<?x?xf16>, %p: i64, %h: index, %w: index, "
    "%v8: vector<8x16xf16>, %v16: vector<8x16x2xf16>, %f: vector<8x16xf32>, "
    "%t: !xegpu.tensor_desc<8x16xf16>, %t2: !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>"
)

GOOD = [
    "%0 = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>",
    "%0 = xegpu.create_nd_tdesc %D, shape : [%h, %w], strides : [%w, 1] : memref<?x?xf16> -> !xegpu.tensor_desc<32x16xf16>",
    "%0 = xegpu.create_nd_tdesc %p, shape : [64, %w], strides : [64, 1] : i64 -> !xegpu.tensor_desc<32x16xf16>",
    "%0 = xegpu.create_nd_tdesc %A[%h, 16] : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<boundary_check = false>>",
    "%0 = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16, #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>>",
    "%0 = xegpu.load_nd %t[%h, 16]  : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>",
    "%0 = xegpu.load_nd %t2[0, %w] <{l1_hint = #xegpu.cache_hint<cached>, packed}> : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<2x4x16x2xf16>",
    "xegpu.store_nd %v8, %t[%h, %w] <{l1_hint = #xegpu.cache_hint<write_back>}> : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>",
    "xegpu.prefetch_nd %t[%h, %w]  : !xegpu.tensor_desc<8x16xf16>",
    "%0 = xegpu.update_nd_offset %t, [%h, 16] : !xegpu.tensor_desc<8x16xf16>",
    "%0 = xegpu.dpas %v8, %v16 : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>",
    "%0 = xegpu.dpas %v8, %v16, %f : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>",
    "xegpu.fence memory_kind = global, fence_scope = workgroup",
    "xegpu.fence memory_kind = slm, fence_scope = gpu",
]

BAD = [
    (
        "%0 = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf32>",
        "has elements of f32, the source of f16",
    ),
    (
        "%0 = xegpu.create_nd_tdesc %p : i64 -> !xegpu.tensor_desc<8x16xf32>",
        "'shape' and 'strides' are missing",
    ),
    (
        "%0 = xegpu.create_nd_tdesc %A[%h] : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>",
        "rank",
    ),
    (
        "%0 = xegpu.load_nd %t[%h] : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>",
        "'offsets' has 1 entries",
    ),
    (
        "%0 = xegpu.load_nd %t[%h, 0] : !xegpu.tensor_desc<8x16xf16> -> vector<16x8xf16>",
        "expected [8, 16] from",
    ),
    (
        "%0 = xegpu.load_nd %t[%h, 0] : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf32>",
        "has elements of f32, the descriptor of f16",
    ),
    (
        "%0 = xegpu.load_nd %t[%h, 0] <{l1_hint = #xegpu.cache_hint<write_back>}> : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>",
        "'l1_hint' is write_back",
    ),
    (
        "xegpu.store_nd %v8, %t2[%h, 0] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>",
        "array_length 2, a store takes 1",
    ),
    (
        "%0 = xegpu.dpas %v8, %v8 : vector<8x16xf16>, vector<8x16xf16> -> vector<8x16xf32>",
        "k is 16 in 'lhs' and 8 in 'rhs'",
    ),
    (
        "%0 = xegpu.dpas %v8, %v16 : vector<8x16xf16>, vector<8x16x2xf16> -> vector<4x16xf32>",
        "m is 8 in 'lhs' and 4",
    ),
]


def module_text(op: str) -> str:
    return f"func.func @f({ARGUMENTS}) {{\n  {op}\n  func.return\n}}\n"


@pytest.mark.parametrize("op", GOOD)
def test_round_trip(op: str, round_trip: Callable[[str], None]) -> None:
    assert op in str(parse(module_text(op)))
    round_trip(module_text(op))


@pytest.mark.mlir_opt
def test_upstream_takes_them_and_gives_them_back(mlir_opt: Path) -> None:
    text = "".join(module_text(op).replace("@f(", f"@f{i}(") for i, op in enumerate(GOOD))
    text = str(parse(text))
    done = subprocess.run([mlir_opt], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert parse(done.stdout).is_structurally_equivalent(parse(text))


@pytest.mark.parametrize(("op", "message"), BAD)
def test_refused(op: str, message: str) -> None:
    with pytest.raises((VerifyException, ParseError)) as found:
        parse(module_text(op)).verify()
    assert message in str(found.value)


@pytest.mark.mlir_opt
def test_upstream_refuses_them_too(
    upstream_refuses: Callable[[Sequence[str]], list[bool]],
) -> None:
    refused = upstream_refuses([module_text(op) for op, _ in BAD])
    assert [
        op for (op, _), is_refused in zip(BAD, refused, strict=True) if not is_refused
    ] == []


def test_a_property_in_both_dictionaries_is_refused() -> None:
    text = """#a = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>
    func.func @f(%a: vector<8x16xf16>, %b: vector<16x16xf16>) {
      %d = xegpu.dpas %a, %b <{layout_a = #a}> {layout_a = #a} : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
      return
    }"""
    twice = "'layout_a' is given twice, as property and as attribute"
    with pytest.raises(ParseError, match=twice):
        parse(text)

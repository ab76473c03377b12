"""XeTile: the forms of docs/xetile-dialect.md are read, printed in one way, and wrong ones answered."""

from io import StringIO

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError, VerifyException

from xetile.dialects.modules import parse

MAP = "#xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 32]>"
TILE = "!xetile.tile<64x32xf16>"
ARGUMENTS = (
    "%src: memref<1024x1024xf16>, %dyn: memref<?x?xf16>, %col: memref<64x64xf16, strided<[1, 64]>>, "
    "%batch: memref<4x64x64xf16>, %p: i64, %m: index, %n: index, %h: index, %w: index, "
    f"%t: {TILE}, %v: vector<64x32xf16>, %b: vector<32x128xf16>, %c: vector<64x128xf32>, "
    "%x: vector<64x32xf32>, %y: vector<1x2x64x16xf32>, %idx: vector<4x32xindex>, %flat: memref<1024xf16>, "
    "%s: !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, "
    "%slm: memref<64x64xf16, 3>, %f: memref<64x64xf32>, "
    "%blocked: !xetile.tile<64x32xf16, #xetile.tile_attr<inner_blocks = [16, 16]>>, %i: vector<64x32xi8>, %j: vector<32x16xi8>"
)

# What is written, and what is printed where it is not the same.
FORMS: list[tuple[str, str | None]] = [
    (f"%0 = xetile.init_tile %src[%m, 16] : memref<1024x1024xf16> -> {TILE}", None),
    (
        f"%0 = xetile.init_tile %src[%m, 16] : memref<1024x1024xf16> into {TILE}",
        f"%0 = xetile.init_tile %src[%m, 16] : memref<1024x1024xf16> -> {TILE}",
    ),
    (
        f"%0 = xetile.init_tile %dyn[%m, %n], [%h, %w], [%w, 1] : memref<?x?xf16> -> {TILE}",
        None,
    ),
    (f"%0 = xetile.init_tile %p[%m, 8], [%h, 128], [128, 1] : i64 -> {TILE}", None),
    (f"%0 = xetile.init_tile %batch[%n, %m, 0] : memref<4x64x64xf16> -> {TILE}", None),
    (
        "%0 = xetile.init_tile %col[%m, 0] : memref<64x64xf16, strided<[1, 64]>> -> !xetile.tile<64x32xf16, #xetile.tile_attr<order = [0, 1]>>",
        None,
    ),
    (
        "%0 = xetile.init_tile %slm[0, 0] : memref<64x64xf16, 3> -> !xetile.tile<64x32xf16, #xetile.tile_attr<memory_space = 3 : i32>>",
        "%0 = xetile.init_tile %slm[0, 0] : memref<64x64xf16, 3 : i64> -> !xetile.tile<64x32xf16, #xetile.tile_attr<memory_space = 3>>",
    ),
    (
        "%0 = xetile.init_tile %flat, %idx : memref<1024xf16>, vector<4x32xindex> -> !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>",
        None,
    ),
    (
        f"%0 = xetile.init_tile %src[0, 0] : memref<1024x1024xf16> -> !xetile.tile<64x64xf16, {MAP}>",
        "%0 = xetile.init_tile %src[0, 0] : memref<1024x1024xf16> -> !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>>",
    ),
    (f"%0 = xetile.load_tile %t : {TILE} -> vector<64x32xf16>", None),
    (
        f"%0 = xetile.load_tile %t {{padding = 1.000000e+00 : f32, l1_hint = #xetile.cache_hint<cached>}} : {TILE} -> vector<64x32xf16>",
        None,
    ),
    (
        "%0 = xetile.load_tile %blocked : !xetile.tile<64x32xf16, #xetile.tile_attr<inner_blocks = [16, 16]>> -> vector<4x2x16x16xf16>",
        None,
    ),
    (f"xetile.store_tile %v, %t : vector<64x32xf16>, {TILE}", None),
    (f"xetile.prefetch_tile %t {{l1_hint = #xetile.cache_hint<cached>}} : {TILE}", None),
    (
        f"xetile.prefetch_tile %t locality<3> : {TILE}",
        f"xetile.prefetch_tile %t {{locality = 3 : i64}} : {TILE}",
    ),
    (f"%0 = xetile.update_tile_offset %t, [%m, 32] : {TILE}", None),
    (
        f"%0 = xetile.update_tile_offset %t, %m, %n : {TILE}, index, index -> {TILE}",
        f"%0 = xetile.update_tile_offset %t, [%m, %n] : {TILE}",
    ),
    (
        "%0 = xetile.update_tile_offset %s, %idx : !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, vector<4x32xindex>",
        None,
    ),
    (
        "%0 = xetile.tile_mma %v, %b : vector<64x32xf16>, vector<32x128xf16> -> vector<64x128xf32>",
        None,
    ),
    (
        f"%0 = xetile.tile_mma %v, %b, %c {{wg_map_c = {MAP}}} : vector<64x32xf16>, vector<32x128xf16>, vector<64x128xf32> -> vector<64x128xf32>",
        None,
    ),
    (
        f"%0 = xetile.tile_mma %v, %b, %c {{{MAP}}} : vector<64x32xf16>, vector<32x128xf16>, vector<64x128xf32> -> vector<64x128xf32>",
        f"%0 = xetile.tile_mma %v, %b, %c {{wg_map_c = {MAP}}} : vector<64x32xf16>, vector<32x128xf16>, vector<64x128xf32> -> vector<64x128xf32>",
    ),
    (
        "%0 = xetile.tile_mma %i, %j : vector<64x32xi8>, vector<32x16xi8> -> vector<64x16xi32>",
        None,
    ),
    (
        "%0 = xetile.tile_pack %x {inner_blocks = array<i64: 16, 16>} : vector<64x32xf32> -> vector<4x2x16x16xf32>",
        None,
    ),
    (
        "%0 = xetile.tile_pack %x {inner_blocks = [16, 16]} : vector<64x32xf32> -> vector<4x2x16x16xf32>",
        "%0 = xetile.tile_pack %x {inner_blocks = array<i64: 16, 16>} : vector<64x32xf32> -> vector<4x2x16x16xf32>",
    ),
    (
        "%0 = xetile.tile_unpack %y {inner_blocks = array<i64: 64, 16>} : vector<1x2x64x16xf32> -> vector<64x32xf32>",
        None,
    ),
]

BAD: list[tuple[str, str]] = [
    (
        f"%0 = xetile.init_tile %f[0, 0] : memref<64x64xf32> -> {TILE}",
        "elements of f32, the tile of f16",
    ),
    (
        f"%0 = xetile.init_tile %src[0] : memref<1024x1024xf16> -> {TILE}",
        "'offsets' has 1 entries",
    ),
    (
        f"%0 = xetile.init_tile %src[0, 0], [%h, %w], [%w, 1] : memref<1024x1024xf16> -> {TILE}",
        "whose type says them",
    ),
    (f"%0 = xetile.init_tile %dyn[0, 0] : memref<?x?xf16> -> {TILE}", "'sizes' has 0 entries"),
    (
        f"%0 = xetile.init_tile %p[0, 0], [%h, %w], [%w, 2] : i64 -> {TILE}",
        "needs stride 1 along dimension 1",
    ),
    (f"%0 = xetile.init_tile %slm[0, 0] : memref<64x64xf16, 3> -> {TILE}", "memory_space = 3"),
    (
        f"%0 = xetile.init_tile %col[0, 0] : memref<64x64xf16, strided<[1, 64]>> -> {TILE}",
        "this is order = [0, 1]",
    ),
    (
        "%0 = xetile.init_tile %src[0, 0] : memref<1024x1024xf16> -> !xetile.tile<64x32xf16, #xetile.tile_attr<order = [0, 1]>>",
        "this is order = [1, 0]",
    ),
    (
        "%0 = xetile.init_tile %src[0, 0] : memref<1024x1024xf16> -> !xetile.tile<33x32xf16, #xetile.tile_attr<inner_blocks = [16, 16]>>",
        "do not divide",
    ),
    (
        "%0 = xetile.init_tile %flat, %idx : memref<1024xf16>, vector<4x32xindex> -> !xetile.tile<4x32xf16>",
        "need a scattered tile",
    ),
    (f"%0 = xetile.load_tile %t : {TILE} -> vector<32x64xf16>", "needs vector<64x32xf16>"),
    (
        f"%0 = xetile.load_tile %t {{padding = true}} : {TILE} -> vector<64x32xf16>",
        "need a float",
    ),
    (
        f"%0 = xetile.load_tile %t {{l1_hint = #xetile.cache_hint<write_back>}} : {TILE} -> vector<64x32xf16>",
        "legal here are cached",
    ),
    (f"xetile.store_tile %t, %v : {TILE}, vector<64x32xf16>", "the value comes first"),
    (f"xetile.prefetch_tile %t locality<4> : {TILE}", "'locality' is 4"),
    (f"%0 = xetile.update_tile_offset %t, [%m] : {TILE}", "expected 2"),
    (
        "%0 = xetile.tile_mma %v, %v : vector<64x32xf16>, vector<64x32xf16> -> vector<64x32xf32>",
        "do not fit",
    ),
    (
        "%0 = xetile.tile_mma %v, %b : vector<64x32xf16>, vector<32x128xf16> -> vector<64x128xi32>",
        "accumulator of f16 is f32 or f16",
    ),
    (
        f"%0 = xetile.tile_mma %v, %b {{{MAP}, {MAP}}} : vector<64x32xf16>, vector<32x128xf16> -> vector<64x128xf32>",
        "2 maps without names",
    ),
    (
        "%0 = xetile.tile_pack %x {inner_blocks = array<i64: 24, 16>} : vector<64x32xf32> -> vector<2x2x24x16xf32>",
        "do not divide 64x32",
    ),
    (
        "%0 = xetile.tile_unpack %y {inner_blocks = array<i64: 64, 8>} : vector<1x2x64x16xf32> -> vector<64x32xf32>",
        "make 64x32",
    ),
    (
        "%0 = xetile.tile_pack %x : vector<64x32xf32> -> vector<4x2x16x16xf32>",
        "{inner_blocks = array<i64: 16, 16>} expected",
    ),
]


def module_text(op: str) -> str:
    return f"func.func @f({ARGUMENTS}) {{\n  {op}\n  func.return\n}}\n"


def printed(module: ModuleOp, *, generic: bool = False) -> str:
    stream = StringIO()
    Printer(stream, print_generic_format=generic).print_op(module)
    return stream.getvalue()


@pytest.mark.parametrize(("written", "canonical"), FORMS)
def test_read_and_printed_in_one_form(written: str, canonical: str | None) -> None:
    module = parse(module_text(written))
    module.verify()
    assert (canonical or written) in printed(module)
    for generic in (False, True):
        again = parse(printed(module, generic=generic))
        again.verify()
        assert again.is_structurally_equivalent(module)


@pytest.mark.parametrize(("op", "message"), BAD)
def test_refused(op: str, message: str) -> None:
    with pytest.raises((VerifyException, ParseError)) as found:
        parse(module_text(op)).verify()
    assert message in str(found.value)


def test_pairs_of_pack_and_unpack_and_moves_by_zero_fold() -> None:
    from xdsl.transforms.canonicalize import CanonicalizePass

    from xetile.dialects.modules import context

    text = module_text(
        """%u = xetile.tile_unpack %y {inner_blocks = array<i64: 64, 16>} : vector<1x2x64x16xf32> -> vector<64x32xf32>
        %packed = xetile.tile_pack %u {inner_blocks = array<i64: 64, 16>} : vector<64x32xf32> -> vector<1x2x64x16xf32>
        %z = arith.constant 0 : index
        %q = xetile.update_tile_offset %t, [%z, 0] : !xetile.tile<64x32xf16>
        %k = xetile.tile_unpack %packed {inner_blocks = array<i64: 64, 16>} : vector<1x2x64x16xf32> -> vector<64x32xf32>
        "test.use"(%packed, %q, %k) : (vector<1x2x64x16xf32>, !xetile.tile<64x32xf16>, vector<64x32xf32>) -> ()"""
    )
    shared = context()
    shared.allow_unregistered = True
    module = parse(text, context=shared)
    CanonicalizePass().apply(shared, module)
    left = printed(module)
    assert "tile_pack" not in left
    assert "update_tile_offset" not in left
    assert left.count("tile_unpack") == 1

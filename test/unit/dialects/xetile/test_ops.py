"""XeTile's ops from Python: constructors, positions of errors, forms that only text or only Python has."""

import subprocess
from pathlib import Path

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import (
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    Signedness,
    VectorType,
    bf16,
    f8E5M2,
    f16,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import ParseError, VerifyException

from xetile.api import parse_text, text
from xetile.dialects.atomic_kinds import ATOMIC_KINDS
from xetile.dialects.modules import Parser, context, parse
from xetile.dialects.xetile import (
    AtomicRMWTileOp,
    CacheHint,
    CacheHintAttr,
    InitTileOp,
    LoadGatherOp,
    LoadTileOp,
    PrefetchTileOp,
    StoreScatterOp,
    StoreTileOp,
    TileAttr,
    TileBroadcastOp,
    TileConvLayoutOp,
    TileMMAOp,
    TilePackOp,
    TileReduceOp,
    TileTransposeOp,
    TileType,
    TileUnpackOp,
    UpdateTileOffsetOp,
    WorkgroupMapAttr,
)
from xetile.dialects.xetile.aliases import ALIASES
from xetile.parser import parse_error_location

SCATTERED = TileAttr(scattered=True)
MAP = WorkgroupMapAttr([2, 2], [32, 32])


def value(type: Attribute) -> SSAValue:
    return test.TestOp(result_types=[type]).results[0]


def vector(*shape: int, of: Attribute = f32) -> SSAValue:
    return value(VectorType(of, shape))


def tile(*shape: int, of: Attribute = f32, attribute: TileAttr | None = None) -> SSAValue:
    return value(TileType(shape, of, attribute))


def verified(op: Operation) -> str:
    op.verify()
    return str(op)


def test_tiles_of_memrefs_and_addresses() -> None:
    m, h = value(IndexType()), value(IndexType())
    source = value(MemRefType(f16, [64, 64]))
    op = InitTileOp(source, [m, 16], [], [], TileType([8, 16], f16))
    op.verify()
    assert op.mixed_offsets == [m, 16]
    assert (op.mixed_sizes, op.mixed_strides, op.indices) == ([], [], None)
    op = InitTileOp(value(i64), [0, m], [h, 64], [64, 1], TileType([8, 16], f16))
    op.verify()
    assert (op.mixed_offsets, op.mixed_sizes, op.mixed_strides) == ([0, m], [h, 64], [64, 1])


def test_scattered_tiles() -> None:
    indices = vector(4, 32, of=IndexType())
    source = value(MemRefType(f16, [64]))
    op = InitTileOp(source, [], [], [], TileType([4, 32], f16, SCATTERED), indices=indices)
    op.verify()
    assert op.indices is indices
    assert "const_offsets" not in op.properties
    moved = UpdateTileOffsetOp(op.tile, indices=indices)
    assert " %" in verified(moved)
    assert moved.result.type == op.tile.type
    mask = vector(4, 32, of=i1)
    load = LoadGatherOp(op.tile, mask, padding=2.5, hints=[CacheHint.CACHED])
    load.verify()
    assert load.padding == FloatAttr(2.5, f32)
    StoreScatterOp(load.result, op.tile, mask, hints=[None, CacheHint.WRITE_BACK]).verify()


def test_loads_have_the_tiles_vector() -> None:
    load = LoadTileOp(tile(64, 32, of=f16, attribute=TileAttr(inner_blocks=[16, 16])))
    load.verify()
    assert load.result.type == VectorType(f16, [4, 2, 16, 16])
    store = StoreTileOp(load.result, load.source, hints=[CacheHintAttr(CacheHint.UNCACHED)])
    store.verify()
    assert store.hints() == [CacheHintAttr(CacheHint.UNCACHED), None, None]
    prefetch = PrefetchTileOp(load.source, hints=[CacheHint.CACHED], locality=2)
    prefetch.verify()
    assert prefetch.locality == IntegerAttr(2, i64)


@pytest.mark.parametrize(
    ("element_type", "padding", "expected"),
    [
        (f16, 1, FloatAttr(1.0, f32)),
        (f64, 0.1, FloatAttr(0.1, f64)),
        (i8, -1, IntegerAttr(-1, i8)),
        (IndexType(), 7, IntegerAttr(7, i64)),
        (f16, FloatAttr(1.0, bf16), FloatAttr(1.0, bf16)),
        (f16, None, None),
    ],
)
def test_paddings_from_numbers(
    element_type: Attribute, padding: float | Attribute | None, expected: Attribute | None
) -> None:
    op = LoadTileOp(tile(8, 16, of=element_type), padding=padding)
    op.verify()
    assert op.padding == expected


@pytest.mark.parametrize(
    ("element_type", "padding", "legal"),
    [
        (i8, IntegerAttr(255, i32), True),
        (i8, IntegerAttr(256, i32), False),
        (i8, IntegerAttr(-129, i32), False),
        (IntegerType(8, Signedness.SIGNED), IntegerAttr(128, i32), False),
        (IntegerType(8, Signedness.UNSIGNED), IntegerAttr(255, i32), True),
        (IntegerType(8, Signedness.UNSIGNED), IntegerAttr(255, i8), True),
        (
            IntegerType(8, Signedness.UNSIGNED),
            IntegerAttr(-1, IntegerType(8, Signedness.SIGNED)),
            False,
        ),
        (i1, IntegerAttr(1, i1), True),
        (i1, IntegerAttr(2, i32), False),
        (f8E5M2, FloatAttr(0.1, f64), True),
    ],
)
def test_paddings_must_be_values_of_the_element_type(
    element_type: Attribute, padding: Attribute, legal: bool
) -> None:
    op = LoadTileOp(tile(8, 16, of=element_type), padding=padding)
    if legal:
        op.verify()
        return
    with pytest.raises(VerifyException, match="'padding' is"):
        op.verify()


def test_moves() -> None:
    m = value(IndexType())
    op = UpdateTileOffsetOp(tile(8, 16), [m, 32])
    op.verify()
    assert op.mixed_offsets == [m, 32]
    assert op.fold() is None
    still = UpdateTileOffsetOp(op.result, [0, 0])
    assert still.fold() == (op.result,)


def test_products() -> None:
    a, b, c = vector(64, 32, of=f16), vector(32, 64, of=f16), vector(64, 64)
    op = TileMMAOp(a, b, c, wg_map_c=MAP)
    op.verify()
    assert op.result.type == c.type
    bare = TileMMAOp(a, b, None, result_type=VectorType(f16, [64, 64]))
    bare.verify()
    assert bare.c is None
    with pytest.raises(ValueError, match="result_type"):
        TileMMAOp(a, b, None)


U8, S8, U4 = (
    IntegerType(w, s)
    for w, s in ((8, Signedness.UNSIGNED), (8, Signedness.SIGNED), (4, Signedness.UNSIGNED))
)
LEGAL_PRODUCTS = [
    (f16, f16, f16),
    (bf16, bf16, bf16),
    (bf16, bf16, f32),
    (f8E5M2, f8E5M2, bf16),
    (f32, f32, f32),
    (f64, f64, f64),
    (i8, U8, i32),
    (S8, U8, i32),
    (IntegerType(4), U4, i32),
]


@pytest.mark.parametrize(("a", "b", "c"), LEGAL_PRODUCTS)
def test_element_types_that_multiply(a: Attribute, b: Attribute, c: Attribute) -> None:
    TileMMAOp(
        vector(8, 16, of=a), vector(16, 16, of=b), None, result_type=VectorType(c, [8, 16])
    ).verify()


@pytest.mark.parametrize(
    ("a", "b", "c", "message"),
    [
        (f16, bf16, f32, "'b' of bf16; expected f16 in both"),
        (i8, IntegerType(4), i32, "expected i8 or si8 or ui8 in both"),
        (f16, f16, bf16, "the accumulator of f16 is f32 or f16, found bf16"),
        (f8E5M2, f8E5M2, f16, "is f32 or bf16, found f16"),
        (i32, i32, i32, "which tile_mma does not multiply"),
    ],
)
def test_element_types_that_do_not(
    a: Attribute, b: Attribute, c: Attribute, message: str
) -> None:
    with pytest.raises(VerifyException, match=message):
        TileMMAOp(
            vector(8, 16, of=a), vector(16, 16, of=b), None, result_type=VectorType(c, [8, 16])
        ).verify()


def test_several_units_of_k_are_legal_where_no_subgroups_divide_it() -> None:
    a, b = vector(64, 128, of=f16), vector(128, 64, of=f16)
    TileMMAOp(
        a,
        b,
        None,
        result_type=VectorType(f32, [64, 64]),
        wg_map_a=WorkgroupMapAttr([4, 1], [16, 32]),
        wg_map_b=WorkgroupMapAttr([4, 1], [128, 64]),
        wg_map_c=WorkgroupMapAttr([4, 1], [16, 64]),
    ).verify()


def test_vectors_rearranged() -> None:
    source = vector(64, 32)
    transposed = TileTransposeOp(source)
    transposed.verify()
    assert transposed.result.type == VectorType(f32, [32, 64])
    blocked = TileTransposeOp(vector(4, 2, 16, 8))
    blocked.verify()
    assert blocked.result.type == VectorType(f32, [2, 4, 8, 16])
    total = TileReduceOp("maximumf", source, [1])
    total.verify()
    assert total.result.type == VectorType(f32, [64, 1])
    everything = TileReduceOp("add", vector(4, 2, 16, 8), [3, 1, 0, 2])
    everything.verify()
    assert everything.result.type == VectorType(f32, [1, 1, 1, 1])
    TileBroadcastOp(total.result, [1], VectorType(f32, [64, 32])).verify()
    TileConvLayoutOp(vector(64, 64), MAP).verify()
    packed = TilePackOp(source, [16, 16])
    packed.verify()
    assert packed.result.type == VectorType(f32, [4, 2, 16, 16])
    unpacked = TileUnpackOp(packed.result)
    unpacked.verify()
    assert unpacked.fold() == (source,)


def test_atomics() -> None:
    op = AtomicRMWTileOp("maxs", vector(8, 16, of=i32), tile(8, 16, of=i32))
    op.verify()
    assert op.kind == IntegerAttr(6, i64)
    assert op.kind_name == "maxs"


@pytest.mark.parametrize("kind", ATOMIC_KINDS)
def test_every_kind_of_atomic_is_read_as_printed(kind: str) -> None:
    of = "f32" if kind.endswith("f") else "i32"
    text = f"xetile.atomic_rmw_tile <{kind}> %v, %t : vector<8x16x{of}>, !xetile.tile<8x16x{of}> -> vector<8x16x{of}>"
    module = parse(
        f"func.func @f(%v: vector<8x16x{of}>, %t: !xetile.tile<8x16x{of}>) {{\n  %r = {text}\n  func.return\n}}"
    )
    module.verify()
    assert text in str(module)


@pytest.mark.mlir_opt
def test_kinds_of_atomics_have_the_numbers_of_mlir(mlir_opt: Path) -> None:
    for number, kind in enumerate(ATOMIC_KINDS):
        of = "f32" if kind.endswith("f") else "i32"
        text = (
            f"func.func @f(%m: memref<4x{of}>, %i: index, %v: {of}) {{\n"
            f"%0 = memref.atomic_rmw {kind} %v, %m[%i] : ({of}, memref<4x{of}>) -> {of}\nreturn }}"
        )
        done = subprocess.run(
            [str(mlir_opt), "--mlir-print-op-generic"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        assert f"<{{kind = {number} : i64}}>" in done.stdout


@pytest.mark.parametrize("alias", ALIASES)
def test_other_names_in_generic_form(alias: str) -> None:
    """Intel's names, with properties among the attributes as older MLIR printed them."""
    forms = {
        "xetile.atomic_rmw": '"{}"(%v, %t) {{kind = 0 : i64}} : (vector<8x16xf32>, !xetile.tile<8x16xf32>) -> vector<8x16xf32>',
        "xetile.transpose": '"{}"(%v) {{permutation = array<i64: 1, 0>}} : (vector<8x16xf32>) -> vector<16x8xf32>',
        "xetile.reduction": '"{}"(%v) {{kind = #vector.kind<add>, reduction_dims = array<i64: 1>}} : (vector<8x16xf32>) -> vector<8x1xf32>',
        "xetile.broadcast": '"{}"(%r) {{broadcast_dims = array<i64: 0>}} : (vector<1x16xf32>) -> vector<8x16xf32>',
        "xetile.convert_layout": '"{}"(%v) <{{wg_map_result = #xetile.wg_map<sg_layout = [1, 1], sg_data = [8, 16]>}}> : (vector<8x16xf32>) -> vector<8x16xf32>',
        "xetile.load": '"{}"(%g, %m) : (!xetile.tile<8x16xf32, #xetile.scatter>, vector<8x16xi1>) -> vector<8x16xf32>',
        "xetile.store": '"{}"(%v, %g, %m) : (vector<8x16xf32>, !xetile.tile<8x16xf32, #xetile.scatter>, vector<8x16xi1>) -> ()',
        "xetile.tile_upack": '"{}"(%w) {{inner_blocks = array<i64: 8, 16>, test.note = "kept"}} : (vector<1x1x8x16xf32>) -> vector<8x16xf32>',
    }
    forms |= {
        "xetile.reduce": forms["xetile.reduction"],
        "xetile.conv_layout": forms["xetile.convert_layout"],
    }
    result = "" if alias == "xetile.store" else "%0 = "
    module = parse(
        "func.func @f(%v: vector<8x16xf32>, %t: !xetile.tile<8x16xf32>, %r: vector<1x16xf32>, %w: vector<1x1x8x16xf32>, "
        "%g: !xetile.tile<8x16xf32, #xetile.scatter>, %m: vector<8x16xi1>) {\n"
        f"  {result}{forms[alias].format(alias)}\n  func.return\n}}"
    )
    module.verify()
    made = next(op for op in module.walk() if op.name.startswith("xetile."))
    assert type(made) is ALIASES[alias]
    assert list(made.attributes) == (["test.note"] if alias == "xetile.tile_upack" else [])


@pytest.mark.parametrize(
    ("line", "token"),
    [
        ("%0 = xetile.load_tile %t : !xetile.tile<8x16xf32> => vector<8x16xf32>", "="),
        (
            "%0 = xetile.load_tile %t {locality = 3} : !xetile.tile<8x16xf32> -> vector<8x16xf32>",
            "locality = 3",
        ),
        ("%0 = xetile.load_tile %t : i32 -> vector<8x16xf32>", "i32"),
        ("%0 = xetile.load_tile %t : !xetile.tile<8x16xf32> -> f32", "-> f32"),
        ("xetile.store_tile %v, %t : (vector<8x16xf32>, !xetile.tile<8x16xf32>)", "("),
        ("%0 = xetile.update_tile_offset %t, %v : !xetile.tile<8x16xf32>", "%v"),
        ("%0 = xetile.tile_transpose %v #map : vector<8x16xf32> -> vector<16x8xf32>", "#map"),
        ("%0 = xetile.tile_reduce <sum>, %v [1] : vector<8x16xf32> -> vector<8x1xf32>", "sum"),
        ("%0 = xetile.tile_reduce <add>, %v 1 : vector<8x16xf32> -> vector<8x1xf32>", "1"),
        (
            "%0 = xetile.atomic_rmw_tile <swap> %v, %t : vector<8x16xf32>, !xetile.tile<8x16xf32> -> vector<8x16xf32>",
            "swap",
        ),
        (
            "%0 = xetile.tile_pack %v {inner_blocks = 16} : vector<8x16xf32> -> vector<1x1x8x16xf32>",
            "inner_blocks = 16",
        ),
    ],
)
def test_errors_point_at_the_token(line: str, token: str) -> None:
    with pytest.raises(ParseError) as found:
        parse(
            f"func.func @f(%v: vector<8x16xf32>, %t: !xetile.tile<8x16xf32>) {{\n{line}\nfunc.return\n}}"
        )
    row, column, _ = parse_error_location(found.value)
    assert (row, found.value.span.text) == (2, token)
    assert line[column - 1 :].startswith(token)


def test_map_is_wg_map_on_every_op_and_other_maps_are_left_alone() -> None:
    module = parse(
        """func.func @f(%v: vector<64x64xf32>) {
  %0 = arith.addf %v, %v {first, map = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 32]>, last} : vector<64x64xf32>
  %1 = "arith.negf"(%v) <{fastmath = #arith.fastmath<none>}> {map = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 32]>} : (vector<64x64xf32>) -> vector<64x64xf32>
  %2 = arith.negf %v {map = affine_map<(d0) -> (d0)>} : vector<64x64xf32>
  func.return
}"""
    )
    added, negated, other = (op for op in module.walk() if op.name.startswith("arith."))
    assert list(added.attributes) == ["first", "wg_map", "last"]
    assert added.attributes["wg_map"] == negated.attributes["wg_map"] == MAP
    assert list(other.attributes) == ["map"]


def test_forward_references() -> None:
    """A loop of blocks may use a tile before the text defines it."""
    parser = Parser(
        context(),
        """"func.func"() <{sym_name = "f", function_type = () -> ()}> ({
^bb0:
  "cf.br"() [^bb2] : () -> ()
^bb1:
  %v = xetile.load_tile %t : !xetile.tile<8x16xf32> -> vector<8x16xf32>
  "func.return"() : () -> ()
^bb2:
  %t = "test.op"() : () -> !xetile.tile<8x16xf32>
  "cf.br"() [^bb1] : () -> ()
}) : () -> ()""",
    )
    assert "xetile.load_tile %t" in str(parser.parse_module())


def test_accesses_with_padding_are_copied():
    module = parse_text(
        "func.func @f(%t: !xetile.tile<8x16xf16>) {\n"
        "  %v = xetile.load_tile %t {padding = 0 : i32} : !xetile.tile<8x16xf16> -> vector<8x16xf16>\n"
        "  func.return\n}\n",
        "f.mlir",
    )
    assert text(module.clone()) == text(module)

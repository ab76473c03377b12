"""Which accesses become gathers and scatters, and what is said of them."""

from collections import Counter

import pytest
from xdsl.dialects.builtin import ModuleOp

from xetile.dialects.modules import context, parse
from xetile.errors import XetileError
from xetile.kernels import gemm_module
from xetile.passes.pipelines import lower
from xetile.passes.xe.xetile_blockop_fallback import XeTileBlockOpFallback
from xetile.targets.target import Assume


def kernel(body: str, arguments: str) -> ModuleOp:
    return parse(
        f"gpu.module @m {{ gpu.func @k({arguments}) kernel {{\n{body}\n gpu.return\n}} }}",
        "k.mlir",
    )


def copied(tile: str, source: str, to: str = "") -> ModuleOp:
    """A tile of one matrix, stored to another that lies alike or as is said."""
    vector = f"vector<{tile.partition(',')[0]}>"
    of = f"!xetile.tile<{tile}>"
    return kernel(
        f"""%t = xetile.init_tile %A[0, 0] : {source} -> {of}
        %u = xetile.init_tile %B[0, 0] : {to or source} -> {of}
        %v = xetile.load_tile %t : {of} -> {vector}
        xetile.store_tile %v, %u : {vector}, {of}""",
        f"%A: {source}, %B: {to or source}",
    )


def falls(module: ModuleOp, assume: Assume = "block", device: str = "bmg") -> Counter[str]:
    """How often each access stands in a kernel behind the pass."""
    XeTileBlockOpFallback(device, assume).apply(context(), module)
    module.verify()
    names = Counter(op.name.removeprefix("xetile.") for op in module.walk())
    kinds = ("load_tile", "store_tile", "prefetch_tile", "load_gather", "store_scatter")
    return Counter({kind: names[kind] for kind in kinds if names[kind]})


BLOCKS = Counter(load_tile=1, store_tile=1)
GATHERS = Counter(load_gather=1, store_scatter=1)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("%c8 = index.constant 8\n%i = index.mul %x, %c8", BLOCKS),
        ("%c3 = index.constant 3\n%i = index.mul %x, %c3", GATHERS),
        ("%i = affine.apply affine_map<(d0) -> (d0 * 32 + 16)>(%x)", BLOCKS),
        ("%i = affine.apply affine_map<(d0) -> (d0 * 32 + 15)>(%x)", GATHERS),
        ("%i = affine.min affine_map<(d0) -> (d0 * 32, 48)>(%x)", BLOCKS),
        ("%i = affine.max affine_map<(d0) -> (d0 * 32, 7)>(%x)", GATHERS),
        ("%i = affine.apply affine_map<(d0)[s0] -> (d0 * 32 + s0)>(%x)[%n]", BLOCKS),
        ("%i = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%x)[%n]", GATHERS),
    ],
)
def test_columns_that_other_dialects_compute(place: str, expected: Counter[str]) -> None:
    module = kernel(
        f"""%x = gpu.block_id x
        {place}
        %t = xetile.init_tile %A[0, %i] : memref<64x64xf16> -> !xetile.tile<16x16xf16>
        %v = xetile.load_tile %t : !xetile.tile<16x16xf16> -> vector<16x16xf16>
        xetile.store_tile %v, %t : vector<16x16xf16>, !xetile.tile<16x16xf16>""",
        "%A: memref<64x64xf16>, %n: index",
    )
    assert falls(module) == expected


@pytest.mark.parametrize(("step", "expected"), [(16, BLOCKS), (15, GATHERS)])
def test_columns_that_a_loop_counts_or_carries(step: int, expected: Counter[str]) -> None:
    for column in ("%k", "%i"):
        module = kernel(
            f"""%c0 = arith.constant 0 : index
            %c64 = arith.constant 64 : index
            %step = arith.constant {step} : index
            %end = scf.for %i = %c0 to %c64 step %step iter_args(%k = %c0) -> (index) {{
              %t = xetile.init_tile %A[0, {column}] : memref<64x64xf16> -> !xetile.tile<16x16xf16>
              %v = xetile.load_tile %t : !xetile.tile<16x16xf16> -> vector<16x16xf16>
              xetile.store_tile %v, %t : vector<16x16xf16>, !xetile.tile<16x16xf16>
              %next = index.add %k, %step
              scf.yield %next : index
            }}""",
            "%A: memref<64x64xf16>",
        )
        assert falls(module) == expected, column


@pytest.mark.parametrize(
    ("tile", "source", "reason"),
    [
        ("16x16xf16", "memref<64x100xf16>", "a pitch of 200 bytes"),
        ("16x16xf16", "memref<64x31xf16, strided<[32, 1]>>", "rows of 62 bytes"),
        ("16x16xf16", "memref<64x33xf16, strided<[64, 1]>>", "rows of 66 bytes"),
        ("16x16xi8", "memref<64x65xi8, strided<[80, 1]>>", "rows of 65 bytes"),
        ("16x16xf16", "memref<64x16xf16>", "rows of 32 bytes"),
        (
            "16x16xf16",
            "memref<64x64xf16, strided<[64, 1], offset: 3>>",
            "a base that may lie 6",
        ),
        ("8x1xf32", "memref<64x64xf32>", "bmg stores no tile of 8x1 f32 in 2D blocks"),
        ("8x8xi8", "memref<64x64xi8>", "bmg stores no tile of 8x8 i8 in 2D blocks"),
        (
            "2x16xf32, #xetile.tile_attr<order = [0, 1]>",
            "memref<64x64xf32, strided<[1, 64]>>",
            "bmg stores no tile of 2x16 f32 in 2D blocks, which have 4, 8 or 16 rows",
        ),
    ],
)
def test_what_2d_blocks_do_not_reach(
    tile: str, source: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = falls(copied(tile, source))
    assert found["store_tile"] == 0
    assert found["store_scatter"] == 1
    stores = reason.startswith("bmg")
    assert found["load_gather"] == (0 if stores else 1)
    lines = [line for line in capsys.readouterr().err.splitlines() if "remark" in line]
    assert len(lines) == (1 if stores else 2)
    assert all(reason in line for line in lines)
    assert lines[-1].startswith("k.mlir:3:")
    assert "scatters in place of 2D block stores" in lines[-1]


def test_other_accesses_keep_their_messages() -> None:
    module = copied("16x16xf16", "memref<64x100xf16>", "memref<64x64xf16>")
    assert falls(module) == Counter(load_gather=1, store_tile=1)


def test_nothing_changes_where_nothing_falls_back() -> None:
    module = gemm_module(m=64, n=64, k=64, workgroup_tile=(64, 64), subgroup_tile=(32, 32))
    lower(context(), module, "subgroup", "bmg")
    before = str(module)
    XeTileBlockOpFallback("bmg").apply(context(), module)
    assert str(module) == before


@pytest.mark.parametrize("offsets", ["[0, 1]", "[%c0, %c1]", "[%c1, %c1]"])
@pytest.mark.parametrize("moved", ["in", "by"])
def test_columns_that_no_message_begins_at(
    offsets: str, moved: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Said by literals or constants, where the tile is made or where it is moved."""
    tile = "!xetile.tile<16x16xf16>"
    first, step = (offsets, "[0, 2]") if moved == "in" else ("[0, 2]", offsets)
    module = kernel(
        f"""%c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %t = xetile.init_tile %A{first} : memref<64x64xf16> -> {tile}
        %u = xetile.update_tile_offset %t, {step} : {tile}
        %v = xetile.load_tile %u : {tile} -> vector<16x16xf16>
        xetile.store_tile %v, %t : vector<16x16xf16>, {tile}""",
        "%A: memref<64x64xf16>",
    )
    assert falls(module) == GATHERS
    assert "column offset" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("arith.muli %x, %c16", BLOCKS),
        ("arith.muli %x, %c1", GATHERS),
        ("arith.addi %n, %c1", GATHERS),
        ("arith.addi %n, %c16", BLOCKS),
    ],
)
def test_columns_that_are_computed(column: str, expected: Counter[str]) -> None:
    """Ids are any number; what a host gives is even enough until something odd is added."""
    tile = "!xetile.tile<16x16xf16>"
    module = kernel(
        f"""%c1 = arith.constant 1 : index
        %c16 = arith.constant 16 : index
        %x = gpu.block_id x
        %column = {column} : index
        %t = xetile.init_tile %A[0, %column] : memref<64x64xf16> -> {tile}
        %v = xetile.load_tile %t : {tile} -> vector<16x16xf16>
        xetile.store_tile %v, %t : vector<16x16xf16>, {tile}""",
        "%A: memref<64x64xf16>, %n: index",
    )
    assert falls(module) == expected


@pytest.mark.parametrize(
    ("sizes", "strides", "problem"),
    [
        ("[64, 16]", "[64, 1]", "rows of 32 bytes"),
        ("[%c64, %c16]", "[%c64, %c1]", "rows of 32 bytes"),
        ("[%c64, %c64]", "[%c66, %c1]", "a pitch of 132 bytes"),
    ],
)
def test_constant_surfaces_are_checked_as_literal_ones(
    sizes: str, strides: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tile = "!xetile.tile<16x16xf16>"
    constants = "\n".join(f"%c{n} = arith.constant {n} : index" for n in (1, 16, 64, 66))
    module = kernel(
        f"""{constants}
        %t = xetile.init_tile %A[0, 0], {sizes}, {strides} : memref<?x?xf16> -> {tile}
        %v = xetile.load_tile %t : {tile} -> vector<16x16xf16>
        xetile.store_tile %v, %t : vector<16x16xf16>, {tile}""",
        "%A: memref<?x?xf16>",
    )
    assert falls(module) == GATHERS
    assert f"the matrix has {problem}" in capsys.readouterr().err


def test_what_is_dynamic_is_remarked_once(capsys: pytest.CaptureFixture[str]) -> None:
    tile = "!xetile.tile<8x16xf32>"
    module = kernel(
        f"""%t = xetile.init_tile %A[0, 0], [%n, %n], [%n, 1] : memref<?x?xf32> -> {tile}
        %u = xetile.init_tile %A[8, 0], [%n, %n], [%n, 1] : memref<?x?xf32> -> {tile}
        %v = xetile.load_tile %t : {tile} -> vector<8x16xf32>
        xetile.store_tile %v, %u : vector<8x16xf32>, {tile}""",
        "%A: memref<?x?xf32>, %n: index",
    )
    lower(context(), module, "xegpu", "bmg")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(
        "k.mlir:2:1: remark: the height, width, pitch of this matrix are known at run time"
    )


def test_a_stride_along_rows_that_only_running_tells(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tile = "!xetile.tile<16x16xf16>"
    module = kernel(
        f"""%t = xetile.init_tile %A[0, 0], [64, 64], [64, %s] : memref<?x?xf16> -> {tile}
        %v = xetile.load_tile %t : {tile} -> vector<16x16xf16>
        xetile.store_tile %v, %t : vector<16x16xf16>, {tile}""",
        "%A: memref<?x?xf16>, %s: index",
    )
    lower(context(), module, "xegpu", "bmg")
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(
        "k.mlir:2:1: remark: the stride along rows of this matrix is known at run time only"
    )
    assert line.endswith("and a stride of 1 along rows")


def test_a_base_is_proven_by_what_the_program_says() -> None:
    """Without a proof `gather` relies on no base; with one it does."""
    source = "memref<64x64xf16>"
    assert falls(copied("16x16xf16", source), "gather") == GATHERS
    tile = "!xetile.tile<16x16xf16>"
    body = f"""%t = xetile.init_tile $[0, 0] : {source} -> {tile}
        %v = xetile.load_tile %t : {tile} -> vector<16x16xf16>
        xetile.store_tile %v, %t : vector<16x16xf16>, {tile}"""
    assumed = f"%a = memref.assume_alignment %A, 64 : {source}\n" + body.replace("$", "%a")
    assert falls(kernel(assumed, f"%A: {source}"), "gather") == BLOCKS
    given = kernel(body.replace("$", "%A"), f"%A: {source} {{llvm.align = 64 : i64}}")
    assert falls(given, "gather") == BLOCKS
    less = kernel(body.replace("$", "%A"), f"%A: {source} {{llvm.align = 16 : i64}}")
    assert falls(less, "gather") == GATHERS


def test_an_offset_of_a_view_counts() -> None:
    view = "memref<32x64xf16, strided<[64, 1], offset: ?>>"
    tile = "!xetile.tile<16x16xf16>"

    def cut(row: str, column: str) -> ModuleOp:
        return kernel(
            f"""%c1 = arith.constant 1 : index
            %view = memref.subview %A[{row}, {column}] [32, 64] [1, 1] : memref<64x128xf16, strided<[64, 1]>> to {view}
            %t = xetile.init_tile %view[0, 0] : {view} -> {tile}
            %v = xetile.load_tile %t : {tile} -> vector<16x16xf16>
            xetile.store_tile %v, %t : vector<16x16xf16>, {tile}""",
            "%A: memref<64x128xf16, strided<[64, 1]>>, %n: index",
        )

    assert falls(cut("%n", "0")) == BLOCKS
    assert falls(cut("%n", "%c1")) == GATHERS


def test_prefetches_of_what_is_gathered_go() -> None:
    tile = "!xetile.tile<16x16xf16>"
    module = kernel(
        f"""%t = xetile.init_tile %A[0, 0] : memref<64x100xf16> -> {tile}
        xetile.prefetch_tile %t : {tile}
        %v = xetile.load_tile %t : {tile} -> vector<16x16xf16>""",
        "%A: memref<64x100xf16>",
    )
    assert falls(module) == Counter(load_gather=1)


def test_an_assumption_that_there_is_not() -> None:
    with pytest.raises(XetileError) as found:
        falls(copied("16x16xf16", "memref<64x64xf16>"), "blocks")  # pyright: ignore[reportArgumentType]
    assert found.value.message == "unknown assumption 'blocks'; expected block, check, gather"


def test_it_asks_for_subgroup_level_first() -> None:
    module = gemm_module(m=64, n=64, k=64, workgroup_tile=(64, 64), subgroup_tile=(32, 32))
    with pytest.raises(XetileError, match="run xetile-wg-to-sg first"):
        falls(module)


@pytest.mark.parametrize(
    ("rounds", "steps", "order", "masked"),
    [
        (4, "[16, 0]", "load first", False),
        (5, "[16, 0]", "load first", True),
        (4, "[16, 0]", "move first", True),
        (3, "[16, 16]", "move first", False),
        (7, "[8, 15]", "load first", True),
        (4, "[-16, 0]", "load first", True),
    ],
)
def test_masks_only_where_a_tile_may_lie_outside(
    rounds: int, steps: str, order: str, *, masked: bool
) -> None:
    """Of tiles that loops move it is known how far they come."""
    tile, vector = "!xetile.tile<16x16xf16>", "vector<16x16xf16>"
    load = "%v = xetile.load_tile ${TILE} : " + f"{tile} -> {vector}"
    move = f"%next = xetile.update_tile_offset %a, {steps} : {tile}"
    body = [load.replace("${TILE}", "%a"), move]
    if order == "move first":
        body = [move, load.replace("${TILE}", "%next")]
    lines = "\n".join(body)
    module = kernel(
        f"""%c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %n = arith.constant {rounds} : index
        %t = xetile.init_tile %A[0, 0] : memref<64x100xf16> -> {tile}
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> ({tile}) {{
          {lines}
          scf.yield %next : {tile}
        }}""",
        "%A: memref<64x100xf16>",
    )
    assert falls(module) == Counter(load_gather=1)
    assert ("vector.create_mask" in str(module)) == masked


def test_too_many_addresses_are_refused() -> None:
    """Before they are counted one by one."""
    tile = "!xetile.tile<4096x4096xf16>"
    body = f"""%t = xetile.init_tile %A[0, 0] : memref<64x100xf16> -> {tile}
    %v = xetile.load_tile %t : {tile} -> vector<4096x4096xf16>"""
    with pytest.raises(XetileError) as found:
        XeTileBlockOpFallback("bmg").apply(context(), kernel(body, "%A: memref<64x100xf16>"))
    assert found.value.message == (
        "'xetile.load_tile' accesses a tile of 4096x4096 element by element; expected at most 131072 elements; "
        "use smaller tiles or more subgroups"
    )

"""What the passes refuse: one message, at the op, with the values and what would be legal."""

import pytest
from xdsl.dialects.builtin import ModuleOp

from xetile.dialects.modules import context, parse
from xetile.errors import XetileError
from xetile.kernels import gemm
from xetile.passes.convert_xetile_to_xegpu import ConvertXeTileToXeGPU
from xetile.passes.pipelines import lower


def refused(module: ModuleOp, level: str, device: str = "bmg") -> XetileError:
    with pytest.raises(XetileError) as found:
        lower(context(), module, level, device)  # pyright: ignore[reportArgumentType]
    return found.value


def kernel(body: str, arguments: str, attributes: str = "") -> ModuleOp:
    return parse(
        f"gpu.module @m {{ gpu.func @k({arguments}) kernel attributes {{{attributes}}} {{\n{body}\n gpu.return\n}} }}",
        "k.mlir",
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"n": 207}, ["rows of 414 bytes", "multiple of 4"]),
        ({"n": 202}, ["pitch of 404 bytes", "multiple of 16"]),
        ({"k": 16}, ["rows of 32 bytes", "at least 64"]),
        ({"a": "f32"}, ["no matrix instruction for A f32", "f16 -> f32 or f16"]),
    ],
)
def test_shapes_and_types_that_2d_access_or_dpas_lack(
    changes: dict[str, object], words: list[str]
) -> None:
    arguments: dict[str, object] = {
        "m": 64,
        "n": 64,
        "k": 64,
        "a": "f16",
        "accumulator": "f32",
        "workgroup_tile": (64, 64),
        "subgroup_tile": (32, 32),
        "k_step": 32,
    }
    error = refused(gemm(**(arguments | changes)), "xegpu")  # pyright: ignore[reportArgumentType]
    for word in words:
        assert word in error.message


def test_k_spread_over_subgroups_names_the_map_that_is_meant() -> None:
    module = kernel(
        """
    %a = xetile.init_tile %A[0, 0] : memref<64x128xf16> -> !xetile.tile<64x128xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 4], sg_data = [32, 32]>>>
    %b = xetile.init_tile %B[0, 0] : memref<128x64xf16> -> !xetile.tile<128x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 4], sg_data = [128, 16]>>>
    %va = xetile.load_tile %a : !xetile.tile<64x128xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 4], sg_data = [32, 32]>>> -> vector<64x128xf16>
    %vb = xetile.load_tile %b : !xetile.tile<128x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 4], sg_data = [128, 16]>>> -> vector<128x64xf16>
    %c = xetile.tile_mma %va, %vb {wg_map_c = #xetile.wg_map<sg_layout = [2, 4], sg_data = [32, 16]>} : vector<64x128xf16>, vector<128x64xf16> -> vector<64x64xf32>
    """,
        "%A: memref<64x128xf16>, %B: memref<128x64xf16>",
    )
    error = refused(module, "subgroup")
    assert error.message == (
        "K = 128 is spread over 4 subgroups (sg_layout [2, 4]); use sg_data [32, 128]"
    )
    assert error.location is not None
    assert error.location.line.data == 7


def test_maps_that_contradict_are_both_named() -> None:
    module = kernel(
        """
    %a = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>>
    %c = xetile.init_tile %C[0, 0] : memref<64x64xf32> -> !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [16, 64]>>>
    %v = xetile.load_tile %a : !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>> -> vector<64x64xf32>
    xetile.store_tile %v, %c : vector<64x64xf32>, !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [16, 64]>>>
    """,
        "%A: memref<64x64xf32>, %C: memref<64x64xf32>",
    )
    message = refused(module, "subgroup").message
    assert "sg_layout = [2, 2], sg_data = [32, 32]" in message
    assert "sg_layout = [4, 1], sg_data = [16, 64]" in message
    assert "'xetile.init_tile' at k.mlir:3:5" in message
    assert "'xetile.init_tile' at k.mlir:4:5" in message


def test_a_vector_without_map_asks_for_one() -> None:
    module = kernel(
        """
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>>
    xetile.prefetch_tile %t : !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>>
    %z = arith.constant dense<0.0> : vector<64x64xf32>
    %n = arith.negf %z : vector<64x64xf32>
    """,
        "%A: memref<64x64xf32>",
    )
    assert (
        "no wg_map is known for %z of type vector<64x64xf32>"
        in refused(module, "subgroup").message
    )


def test_more_subgroups_than_the_workgroup_has() -> None:
    module = kernel(
        """
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>>
    xetile.prefetch_tile %t : !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>>
    """,
        "%A: memref<64x64xf32>",
        "known_block_size = array<i32: 32, 1, 1>",
    )
    assert (
        "sg_layout [2, 2] has 4 subgroups, the workgroup has 2"
        in refused(module, "subgroup").message
    )


def test_blocking_asks_for_subgroup_level_first() -> None:
    from xetile.passes.xetile_blocking import XeTileBlocking

    module = gemm(m=64, n=64, k=64, workgroup_tile=(64, 64), subgroup_tile=(32, 32))
    with pytest.raises(XetileError, match="run xetile-wg-to-sg first"):
        XeTileBlocking("bmg").apply(context(), module)


def test_an_unknown_device_is_refused() -> None:
    module = gemm(m=64, n=64, k=64, workgroup_tile=(64, 64), subgroup_tile=(32, 32))
    assert "known are pvc, bmg, " in refused(module, "xegpu", "bmh").message


@pytest.mark.parametrize(
    ("tile", "source", "word"),
    [
        (
            "2x16xf32, #xetile.tile_attr<order = [0, 1]>",
            "memref<64x64xf32, strided<[1, 64]>>",
            "no 2D block store for blocks of 2x16 f32 in a column-major tile of 2x16",
        ),
        (
            "8x16xf32, #xetile.tile_attr<memory_space = 3>",
            "memref<64x64xf32, 3>",
            "shared memory",
        ),
    ],
)
def test_forms_that_are_not_lowered_yet_say_so(tile: str, source: str, word: str) -> None:
    vector = f"vector<{tile.partition(',')[0]}>"
    module = kernel(
        f"%t = xetile.init_tile %A[0, 0] : {source} -> !xetile.tile<{tile}>\n"
        f"%v = xetile.load_tile %t : !xetile.tile<{tile}> -> {vector}\n"
        f"xetile.store_tile %v, %t : {vector}, !xetile.tile<{tile}>",
        f"%A: {source}",
    )
    assert word in refused(module, "xegpu").message


def test_a_tile_from_outside_has_no_surface() -> None:
    tile = "!xetile.tile<8x16xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>"
    module = parse(f"""func.func @f(%t: {tile}) -> vector<1x1x8x16xf32> {{
      %v = xetile.load_tile %t : {tile} -> vector<1x1x8x16xf32>
      func.return %v : vector<1x1x8x16xf32>
    }}""")
    with pytest.raises(XetileError) as found:
        ConvertXeTileToXeGPU("bmg").apply(context(), module)
    assert found.value.message == f"{tile} is not lowered to XeGPU yet"


def test_padding_other_than_zero_needs_masks_only_where_the_tile_may_hang_over() -> None:
    def padded(offsets: str) -> ModuleOp:
        return kernel(
            f"""
    %t = xetile.init_tile %A[{offsets}] : memref<64x64xf32> -> !xetile.tile<8x16xf32>
    %v = xetile.load_tile %t {{padding = 1.0 : f32}} : !xetile.tile<8x16xf32> -> vector<8x16xf32>
    xetile.store_tile %v, %t : vector<8x16xf32>, !xetile.tile<8x16xf32>
    """,
            "%A: memref<64x64xf32>",
        )

    def selects(offsets: str) -> bool:
        lowered = padded(offsets)
        lower(context(), lowered, "xevm", "bmg")
        return any(op.name == "arith.select" for op in lowered.walk())

    assert not selects("56, 48")
    assert selects("60, 48")


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


@pytest.mark.parametrize("offsets", ["[0, 1]", "[%c0, %c1]", "[%c1, %c1]"])
@pytest.mark.parametrize("moved", ["in", "by"])
def test_columns_that_no_message_begins_at(offsets: str, moved: str) -> None:
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
    column = 2 if moved == "in" else 6
    assert refused(module, "xegpu").message == (
        f"the matrix has a column offset of {column} bytes; 2D block access needs a multiple of 4"
    )


@pytest.mark.parametrize(
    ("sizes", "strides", "problem"),
    [
        ("[64, 16]", "[64, 1]", "rows of 32 bytes"),
        ("[%c64, %c16]", "[%c64, %c1]", "rows of 32 bytes"),
        ("[%c64, %c64]", "[%c66, %c1]", "a pitch of 132 bytes"),
    ],
)
def test_constant_surfaces_are_checked_as_literal_ones(
    sizes: str, strides: str, problem: str
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
    assert refused(module, "xegpu").message.startswith(f"the matrix has {problem}")


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

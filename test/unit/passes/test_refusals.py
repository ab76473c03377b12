"""What the passes refuse: one message, at the op, with the values and what would be legal."""

import pytest
from xdsl.dialects.builtin import ModuleOp

from xetile.dialects.modules import context, parse
from xetile.errors import XetileError
from xetile.kernels import gemm_module
from xetile.passes.pipelines import lower
from xetile.passes.xe.convert_xetile_to_xegpu import ConvertXeTileToXeGPU


def refused(module: ModuleOp, level: str, device: str = "bmg") -> XetileError:
    with pytest.raises(XetileError) as found:
        lower(context(), module, level, device)
    return found.value


def kernel(body: str, arguments: str, attributes: str = "") -> ModuleOp:
    return parse(
        f"gpu.module @m {{ gpu.func @k({arguments}) kernel attributes {{{attributes}}} {{\n{body}\n gpu.return\n}} }}",
        "k.mlir",
    )


def test_types_that_dpas_lacks() -> None:
    module = gemm_module(
        m=64, n=64, k=64, a="f32", workgroup_tile=(64, 64), subgroup_tile=(32, 32), k_step=32
    )
    message = refused(module, "xegpu").message
    assert "no matrix instruction for A f32" in message
    assert "f16 -> f32 or f16" in message


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
    from xetile.passes.xe.xetile_blocking import XeTileBlocking

    module = gemm_module(m=64, n=64, k=64, workgroup_tile=(64, 64), subgroup_tile=(32, 32))
    with pytest.raises(XetileError, match="run xetile-wg-to-sg first"):
        XeTileBlocking("bmg").apply(context(), module)


def test_an_unknown_device_is_refused() -> None:
    module = gemm_module(m=64, n=64, k=64, workgroup_tile=(64, 64), subgroup_tile=(32, 32))
    assert "known are pvc, bmg, " in refused(module, "xegpu", "bmh").message


def test_arguments_of_kernels_are_in_global_memory() -> None:
    tile, source = "8x16xf32, #xetile.tile_attr<memory_space = 3>", "memref<64x64xf32, 3>"
    module = kernel(
        f"%t = xetile.init_tile %A[0, 0] : {source} -> !xetile.tile<{tile}>\n"
        f"%v = xetile.load_tile %t : !xetile.tile<{tile}> -> vector<8x16xf32>\n"
        f"xetile.store_tile %v, %t : vector<8x16xf32>, !xetile.tile<{tile}>",
        f"%A: {source}",
    )
    assert "is not in global memory" in refused(module, "llvm").message


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

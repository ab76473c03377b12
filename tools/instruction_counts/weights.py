"""A product of f16 and weights of bytes, 4096 x 4096, which become f16 in the loop, with or without scales of columns.

Workgroups of 8 x 4 subgroups or others, of which each has 32x64 of C, steps of 32.
"""

from string import Template


def weights(*, scaled: bool = False, subgroups: tuple[int, int] = (8, 4)) -> str:
    """The kernel, at workgroup level; scales are a row for all of K."""
    rows, columns = (32 * subgroups[0], 64 * subgroups[1])
    return TEXT.substitute(
        layout=list(subgroups),
        rows=rows,
        columns=columns,
        lanes=16 * subgroups[0] * subgroups[1],
        grid=f"{4096 // rows}, {4096 // columns}",
        scales=SCALES if scaled else "",
        scale="%b = arith.mulf %w_f16, %scales : !vb" if scaled else "",
        b="%b" if scaled else "%w_f16",
    )


SCALES = """%s_tile = xetile.init_tile %S[0, %n] : memref<1x4096xf16> -> !s
    %row = xetile.load_tile %s_tile : !s -> !vs
    %scales = xetile.tile_broadcast %row [0] : !vs -> !vb"""

TEXT = Template("""
#a = #xetile.wg_map<sg_layout = $layout, sg_data = [32, 32]>
#b = #xetile.wg_map<sg_layout = $layout, sg_data = [32, 64]>
#s = #xetile.wg_map<sg_layout = $layout, sg_data = [1, 64]>
!a = !xetile.tile<${rows}x32xf16, #xetile.tile_attr<wg_map = #a>>
!b = !xetile.tile<32x${columns}xi8, #xetile.tile_attr<wg_map = #b>>
!s = !xetile.tile<1x${columns}xf16, #xetile.tile_attr<wg_map = #s>>
!c = !xetile.tile<${rows}x${columns}xf32, #xetile.tile_attr<wg_map = #b>>
!va = vector<${rows}x32xf16>
!vs = vector<1x${columns}xf16>
!vb = vector<32x${columns}xf16>
!vc = vector<${rows}x${columns}xf32>
gpu.module @kernels {
  gpu.func @gemm(%A: memref<4096x4096xf16>, %W: memref<4096x4096xi8>, %S: memref<1x4096xf16>, %C: memref<4096x4096xf32>)
      kernel attributes {known_block_size = array<i32: $lanes, 1, 1>, known_grid_size = array<i32: $grid, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %rows = arith.constant $rows : index
    %columns = arith.constant $columns : index
    %c4096 = arith.constant 4096 : index
    %block_x = gpu.block_id x
    %block_y = gpu.block_id y
    %m = arith.muli %block_x, %rows : index
    %n = arith.muli %block_y, %columns : index
    %a_start = xetile.init_tile %A[%m, 0] : memref<4096x4096xf16> -> !a
    %w_start = xetile.init_tile %W[0, %n] : memref<4096x4096xi8> -> !b
    $scales
    %zero = arith.constant {wg_map = #b} dense<0.0> : !vc
    %end:3 = scf.for %k = %c0 to %c4096 step %c32
        iter_args(%a_tile = %a_start, %w_tile = %w_start, %acc = %zero) -> (!a, !b, !vc) {
      %a = xetile.load_tile %a_tile : !a -> !va
      %w = xetile.load_tile %w_tile : !b -> vector<32x${columns}xi8>
      %w_f16 = arith.sitofp %w : vector<32x${columns}xi8> to !vb
      $scale
      %next = xetile.tile_mma %a, $b, %acc : !va, !vb, !vc -> !vc
      %a_next = xetile.update_tile_offset %a_tile, [%c0, %c32] : !a
      %w_next = xetile.update_tile_offset %w_tile, [%c32, %c0] : !b
      scf.yield %a_next, %w_next, %next : !a, !b, !vc
    }
    %c_tile = xetile.init_tile %C[%m, %n] : memref<4096x4096xf32> -> !c
    xetile.store_tile %end#2, %c_tile : !vc, !c
    gpu.return
  }
}
""")

"""Flash attention of one subgroup: 8 or 16 queries, 64 keys a round, D = 64, f16; the number of keys is an argument.

Q is scaled in the kernel, by log2(e) / 8, so that exp2 is enough; the sum of a row is kept as 16 partial sums until
the loop has ended. V is loaded where it is used: with K, its registers would not suffice for 16 rows.
"""

from string import Template
from typing import Literal

Stored = Literal["D x keys", "keys x D"]
"""How K lies in memory; as keys x D it is transposed."""


def attention(rows: int, stored: Stored) -> str:
    """The kernel."""
    by_d = stored == "D x keys"
    return TEXT.substitute(
        rows=rows,
        k="64x4096" if by_d else "4096x64",
        load=BY_D if by_d else BY_KEYS,
        step="[%c0, %c64]" if by_d else "[%c64, %c0]",
        **{
            f"s{i}": f"{{offsets = [0, {16 * i}], sizes = [{rows}, 16], strides = [1, 1]}}"
            for i in range(4)
        },
    )


BY_D = "%k = xetile.load_tile %k_tile : !kv -> vector<64x64xf16>"
BY_KEYS = """%k_rows = xetile.load_tile %k_tile : !kv -> vector<64x64xf16>
      %k = xetile.tile_transpose %k_rows, [1, 0] : vector<64x64xf16> -> vector<64x64xf16>"""

TEXT = Template("""
!kv = !xetile.tile<64x64xf16>
!q = vector<${rows}x64xf16>
!s = vector<${rows}x64xf32>
!l = vector<${rows}x16xf32>
!m = vector<${rows}x1xf32>
gpu.module @kernels {
  gpu.func @attention(%Q: memref<4096x64xf16>, %K: memref<${k}xf16>, %V: memref<4096x64xf16>, %O: memref<4096x64xf32>,
      %keys: index) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %rows = arith.constant ${rows} : index
    %block = gpu.block_id x
    %first = arith.muli %block, %rows : index
    %q_tile = xetile.init_tile %Q[%first, 0] : memref<4096x64xf16> -> !xetile.tile<${rows}x64xf16>
    %q_loaded = xetile.load_tile %q_tile : !xetile.tile<${rows}x64xf16> -> !q
    %scale = arith.constant dense<0.180336878> : !q
    %q = arith.mulf %q_loaded, %scale : !q
    %k_start = xetile.init_tile %K[0, 0] : memref<${k}xf16> -> !kv
    %v_start = xetile.init_tile %V[0, 0] : memref<4096x64xf16> -> !kv
    %zero = arith.constant dense<0.0> : !s
    %l_zero = arith.constant dense<0.0> : !l
    %m_none = arith.constant dense<0xFF800000> : !m
    %end:5 = scf.for %at = %c0 to %keys step %c64
        iter_args(%o = %zero, %l = %l_zero, %m = %m_none, %k_tile = %k_start, %v_tile = %v_start)
        -> (!s, !l, !m, !kv, !kv) {
      ${load}
      %s = xetile.tile_mma %q, %k, %zero : !q, vector<64x64xf16>, !s -> !s
      %largest = xetile.tile_reduce <maxnumf>, %s [1] : !s -> !m
      %m_next = arith.maxnumf %m, %largest : !m
      %change = arith.subf %m, %m_next : !m
      %rescale = math.exp2 %change : !m
      %m_all = xetile.tile_broadcast %m_next [1] : !m -> !s
      %below = arith.subf %s, %m_all : !s
      %p = math.exp2 %below : !s
      %p0 = vector.extract_strided_slice %p ${s0} : !s to !l
      %p1 = vector.extract_strided_slice %p ${s1} : !s to !l
      %p2 = vector.extract_strided_slice %p ${s2} : !s to !l
      %p3 = vector.extract_strided_slice %p ${s3} : !s to !l
      %p01 = arith.addf %p0, %p1 : !l
      %p012 = arith.addf %p01, %p2 : !l
      %parts = arith.addf %p012, %p3 : !l
      %rescale_l = xetile.tile_broadcast %rescale [1] : !m -> !l
      %l_kept = arith.mulf %l, %rescale_l fastmath<contract> : !l
      %l_next = arith.addf %l_kept, %parts fastmath<contract> : !l
      %rescale_o = xetile.tile_broadcast %rescale [1] : !m -> !s
      %o_kept = arith.mulf %o, %rescale_o : !s
      %p_f16 = arith.truncf %p : !s to !q
      %v = xetile.load_tile %v_tile : !kv -> vector<64x64xf16>
      %o_next = xetile.tile_mma %p_f16, %v, %o_kept : !q, vector<64x64xf16>, !s -> !s
      %k_next = xetile.update_tile_offset %k_tile, ${step} : !kv
      %v_next = xetile.update_tile_offset %v_tile, [%c64, %c0] : !kv
      scf.yield %o_next, %l_next, %m_next, %k_next, %v_next : !s, !l, !m, !kv, !kv
    }
    %sum = xetile.tile_reduce <add>, %end#1 [1] : !l -> !m
    %sums = xetile.tile_broadcast %sum [1] : !m -> !s
    %result = arith.divf %end#0, %sums fastmath<arcp> : !s
    %o_tile = xetile.init_tile %O[%first, 0] : memref<4096x64xf32> -> !xetile.tile<${rows}x64xf32>
    xetile.store_tile %result, %o_tile : !s, !xetile.tile<${rows}x64xf32>
    gpu.return
  }
}
""")

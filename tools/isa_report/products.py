"""Products of 4096 x 4096 as the report has them: one subgroup's 32x64 of C, operands either way round in memory."""

from string import Template
from typing import Literal

Order = Literal["rows", "columns"]
"""Whether memory has rows of an operand one after the other, or columns."""


def product(
    element: str = "f16",
    *,
    step: int = 32,
    a: Order = "rows",
    b: Order = "rows",
    c: str = "f32",
    after: str = "",
) -> str:
    """The kernel; `after` makes `%out` of the sums `%end#2`, which are stored themselves without it."""
    a_shape = f"{step}x32" if a == "columns" else f"32x{step}"
    b_shape = f"64x{step}" if b == "columns" else f"{step}x64"
    a_vector, b_vector = f"vector<32x{step}x{element}>", f"vector<{step}x64x{element}>"
    result = "%out" if after else "%end#2"
    narrow = ""
    if c != "f32":
        narrow = f"%narrow = arith.truncf {result} : !sums to vector<32x64x{c}>"
        result = "%narrow"
    return TEXT.substitute(
        element=element,
        step=step,
        c=c,
        a_shape=a_shape,
        b_shape=b_shape,
        a_vector=a_vector,
        b_vector=b_vector,
        a_start="[%c0, %m]" if a == "columns" else "[%m, %c0]",
        b_start="[%n, %c0]" if b == "columns" else "[%c0, %n]",
        a_step="[%c_step, %c0]" if a == "columns" else "[%c0, %c_step]",
        b_step="[%c0, %c_step]" if b == "columns" else "[%c_step, %c0]",
        load_a=_load("a", a_shape, a_vector, element, turned=a == "columns"),
        load_b=_load("b", b_shape, b_vector, element, turned=b == "columns"),
        after=after,
        narrow=narrow,
        out=result,
    )


def _load(name: str, shape: str, vector: str, held: str, *, turned: bool) -> str:
    loaded = f"vector<{shape}x{held}>"
    start = f"xetile.load_tile %{name}_tile : !{name} -> {loaded}"
    if turned:
        return (
            f"%{name}_turned = {start}\n      %{name} = xetile.tile_transpose %{name}_turned, [1, 0] : "
            f"{loaded} -> {vector}"
        )
    return f"%{name} = {start}"


RELU = "%out = arith.maxnumf %end#2, %zero : !sums"
BIAS_RELU = """%bias_tile = xetile.init_tile %bias[0, %n] : memref<1x4096xf32> -> !xetile.tile<1x64xf32>
    %row = xetile.load_tile %bias_tile : !xetile.tile<1x64xf32> -> vector<1x64xf32>
    %all = xetile.tile_broadcast %row [0] : vector<1x64xf32> -> !sums
    %sum = arith.addf %end#2, %all : !sums
    %out = arith.maxnumf %sum, %zero : !sums"""

TEXT = Template("""\
!a = !xetile.tile<${a_shape}x${element}>
!b = !xetile.tile<${b_shape}x${element}>
!c = !xetile.tile<32x64x${c}>
!sums = vector<32x64xf32>
gpu.module @kernels {
  gpu.func @gemm(%A: memref<4096x4096x${element}>, %B: memref<4096x4096x${element}>, %bias: memref<1x4096xf32>,
      %C: memref<4096x4096x${c}>) kernel
      attributes {known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 16, 16, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %c4096 = arith.constant 4096 : index
    %c_step = arith.constant ${step} : index
    %block_x = gpu.block_id x
    %block_y = gpu.block_id y
    %subgroup = gpu.subgroup_id : index
    %subgroup_row = arith.divui %subgroup, %c4 : index
    %subgroup_column = arith.remui %subgroup, %c4 : index
    %m_block = arith.muli %block_x, %c256 : index
    %n_block = arith.muli %block_y, %c256 : index
    %m_inside = arith.muli %subgroup_row, %c32 : index
    %n_inside = arith.muli %subgroup_column, %c64 : index
    %m = arith.addi %m_block, %m_inside : index
    %n = arith.addi %n_block, %n_inside : index
    %a_first = xetile.init_tile %A${a_start} : memref<4096x4096x${element}> -> !a
    %b_first = xetile.init_tile %B${b_start} : memref<4096x4096x${element}> -> !b
    %zero = arith.constant dense<0.0> : !sums
    %end:3 = scf.for %k = %c0 to %c4096 step %c_step
        iter_args(%a_tile = %a_first, %b_tile = %b_first, %acc = %zero) -> (!a, !b, !sums) {
      ${load_a}
      ${load_b}
      %next = xetile.tile_mma %a, %b, %acc : ${a_vector}, ${b_vector}, !sums -> !sums
      %a_next = xetile.update_tile_offset %a_tile, ${a_step} : !a
      %b_next = xetile.update_tile_offset %b_tile, ${b_step} : !b
      scf.yield %a_next, %b_next, %next : !a, !b, !sums
    }
    ${after}
    ${narrow}
    %c_tile = xetile.init_tile %C[%m, %n] : memref<4096x4096x${c}> -> !c
    xetile.store_tile ${out}, %c_tile : vector<32x64x${c}>, !c
    gpu.return
  }
}
""")

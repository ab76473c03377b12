"""Kernels of eight subgroups, each with its number %n."""

HEADER = """
  gpu.func @k(%out: memref<8xindex>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %sg = gpu.subgroup_id : index
    %b = gpu.block_id x
    %b4 = arith.muli %b, %c4 : index
    %n = arith.addi %b4, %sg : index
"""


def kernel(body: str, functions: str = "") -> str:
    return f"gpu.module @m {{{functions}{HEADER}{body}\n gpu.return\n }}\n }}"


STORE = "memref.store %r, %out[%n] : memref<8xindex>"

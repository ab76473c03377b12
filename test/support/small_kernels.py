"""Kernels of a few ops at lane level, for tests of what executes them."""

from xdsl.dialects.builtin import ModuleOp

from xetile.dialects.modules import parse

FILE = "k.mlir"
PLACE = f"{FILE}:2:3"
"""Where the kernel stands."""


def lane_kernel(body: str, *types: str) -> ModuleOp:
    """A module with the kernel `k` of one workgroup of one subgroup; it takes `%arg0` ... of these types."""
    arguments = ", ".join(f"%arg{number}: {type}" for number, type in enumerate(types))
    sizes = "known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>"
    return parse(
        f"""gpu.module @m {{
  gpu.func @k({arguments}) kernel attributes {{{sizes}, xetile.level = "lane"}} {{
    {body}
    gpu.return
  }}
}}""",
        FILE,
    )


def copy_word() -> ModuleOp:
    """Copies an i32 from the first argument to the second."""
    return lane_kernel(
        """%from = llvm.inttoptr %arg0 : i64 to !llvm.ptr<1>
    %to = llvm.inttoptr %arg1 : i64 to !llvm.ptr<1>
    %v = llvm.load %from : !llvm.ptr<1> -> i32
    llvm.store %v, %to : i32, !llvm.ptr<1>""",
        "i64",
        "i64",
    )


def copy_block() -> ModuleOp:
    """Copies 8x16 i32 by 2D block messages from the first argument to the second."""
    extents = "elem_size_in_bits = 32 : i32, tile_width = 16 : i32, tile_height = 8 : i32"
    return lane_kernel(
        f"""%from = llvm.inttoptr %arg0 : i64 to !llvm.ptr<1>
    %to = llvm.inttoptr %arg1 : i64 to !llvm.ptr<1>
    %width = arith.constant 64 : i32
    %height = arith.constant 8 : i32
    %zero = arith.constant 0 : i32
    %v = xevm.blockload2d %from, %width, %height, %width, %zero, %zero
        <{{{extents}, v_blocks = 1 : i32, transpose = false, pack_register = false}}>
        : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
    xevm.blockstore2d %to, %width, %height, %width, %zero, %zero, %v <{{{extents}}}>
        : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi32>)""",
        "i64",
        "i64",
    )


def endless() -> ModuleOp:
    """Doubles the f32 that the argument has, 2^40 times."""
    return lane_kernel(
        """%c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 1099511627776 : index
    %p = llvm.inttoptr %arg0 : i64 to !llvm.ptr<1>
    scf.for %i = %c0 to %n step %c1 {
      %v = llvm.load %p : !llvm.ptr<1> -> f32
      %w = arith.addf %v, %v : f32
      llvm.store %w, %p : f32, !llvm.ptr<1>
    }""",
        "i64",
    )


def crashing() -> ModuleOp:
    """Stores to the first page, which no process has."""
    return lane_kernel(
        """%page = arith.constant 4096 : i64
    %p = llvm.inttoptr %page : i64 to !llvm.ptr<1>
    %v = arith.constant 1 : i32
    llvm.store %v, %p : i32, !llvm.ptr<1>"""
    )


def keep_numbers(*types: str) -> ModuleOp:
    """Stores numbers of these types at multiples of 8 bytes from the first argument on."""
    stores = "\n    ".join(
        f"""%o{number} = arith.constant {8 * number} : i64
    %a{number} = arith.addi %base, %o{number} : i64
    %p{number} = llvm.inttoptr %a{number} : i64 to !llvm.ptr<1>
    llvm.store %arg{number + 1}, %p{number} : {type}, !llvm.ptr<1>"""
        for number, type in enumerate(types)
    )
    body = """%start = llvm.inttoptr %arg0 : i64 to !llvm.ptr<1>
    %base = llvm.ptrtoint %start : !llvm.ptr<1> to i64
    """
    return lane_kernel(body + stores, "i64", *types)

"""A GEMM of f16 as people and upstream's passes write it at the level of a subgroup: B not packed, small loads.

One subgroup has 32 rows and 64 columns of C; a step of K is 32.
"""

from collections.abc import Iterator
from itertools import product

ROWS, COLUMNS, STEP = 32, 64, 32
BLOCK = 16


def upstream_gemm(m: int, n: int, k: int, *, a_rows: int = BLOCK, layout: str = "") -> str:
    """C += A B of these sizes (elements); A in loads of `a_rows` rows, `layout` on each descriptor."""
    return "\n".join(_lines(m, n, k, a_rows, layout and f", {layout}"))


def _lines(m: int, n: int, k: int, a_rows: int, layout: str) -> Iterator[str]:
    tiles = [*product(range(0, ROWS, 8), range(0, COLUMNS, BLOCK))]
    c = "vector<8x16xf32>"
    yield "gpu.module @kernels {"
    yield (
        f"gpu.func @gemm(%A: memref<{m}x{k}xf16>, %B: memref<{k}x{n}xf16>, %C: memref<{m}x{n}xf32>) kernel "
        f"attributes {{known_block_size = array<i32: 16, 1, 1>, "
        f"known_grid_size = array<i32: {m // ROWS}, {n // COLUMNS}, 1>}} {{"
    )
    for number in sorted({0, 8, BLOCK, 24, 32, 48, COLUMNS, k}):
        yield f"%c{number} = arith.constant {number} : index"
    yield "%bx = gpu.block_id x"
    yield "%by = gpu.block_id y"
    yield f"%m = arith.muli %bx, %c{ROWS} : index"
    yield f"%n = arith.muli %by, %c{COLUMNS} : index"
    for row in range(0, ROWS, 8):
        yield f"%m{row} = arith.addi %m, %c{row} : index"
    for column in range(0, COLUMNS, BLOCK):
        yield f"%n{column} = arith.addi %n, %c{column} : index"
    descriptors = {
        name: f"!xegpu.tensor_desc<{shape}{layout}>"
        for name, shape in (("A", f"{a_rows}x16xf16"), ("B", "16x16xf16"), ("C", "8x16xf32"))
    }
    for (name, type), sizes in zip(
        descriptors.items(), (f"{m}x{k}xf16", f"{k}x{n}xf16", f"{m}x{n}xf32"), strict=True
    ):
        yield f"%d{name} = xegpu.create_nd_tdesc %{name} : memref<{sizes}> -> {type}"
    yield f"%zero = arith.constant dense<0.0> : {c}"
    carried = ", ".join(f"%acc{row}_{column} = %zero" for row, column in tiles)
    types = ", ".join([c] * len(tiles))
    yield f"%r:{len(tiles)} = scf.for %k = %c0 to %c{k} step %c{STEP} iter_args({carried}) -> ({types}) {{"
    product_of = {tile: f"%acc{tile[0]}_{tile[1]}" for tile in tiles}
    for depth in range(0, STEP, BLOCK):
        yield f"%k{depth} = arith.addi %k, %c{depth} : index"
        yield from _loads(depth, a_rows, descriptors)
        for row, column in tiles:
            result = f"%p{depth}_{row}_{column}"
            yield (
                f"{result} = xegpu.dpas %a{depth}_{row}, %b{depth}_{column}, {product_of[row, column]} "
                f": vector<8x16xf16>, vector<16x16xf16>, {c} -> {c}"
            )
            product_of[row, column] = result
    yield f"scf.yield {', '.join(product_of.values())} : {types}"
    yield "}"
    for number, (row, column) in enumerate(tiles):
        yield f"xegpu.store_nd %r#{number}, %dC[%m{row}, %n{column}] : {c}, {descriptors['C']}"
    yield "gpu.return"
    yield "}"
    yield "}"


def _loads(depth: int, a_rows: int, descriptors: dict[str, str]) -> Iterator[str]:
    type = f"vector<{a_rows}x16xf16>"
    for top in range(0, ROWS, a_rows):
        loaded = f"%a{depth}_{top}" if a_rows == 8 else f"%l{depth}_{top}"
        yield f"{loaded} = xegpu.load_nd %dA[%m{top}, %k{depth}] : {descriptors['A']} -> {type}"
        for row in range(0, a_rows if a_rows > 8 else 0, 8):
            yield (
                f"%a{depth}_{top + row} = vector.extract_strided_slice {loaded} "
                f"{{offsets = [{row}, 0], sizes = [8, 16], strides = [1, 1]}} : {type} to vector<8x16xf16>"
            )
    for column in range(0, COLUMNS, BLOCK):
        yield (
            f"%b{depth}_{column} = xegpu.load_nd %dB[%k{depth}, %n{column}] : {descriptors['B']} "
            "-> vector<16x16xf16>"
        )

"""XeGPU texts of products at subgroup level: one subgroup's tile of C in blocks of the matrix instruction.

Operands come in loads as large as the surface of a message allows, with `array_length`, which upstream's own passes
never choose, and are cut into blocks by slices.
"""

from collections.abc import Iterator
from typing import NamedTuple

from tools.isa_report.upstream.blocks import Text, descriptor

SIZE = 4096
GROUP = 128
"""Of K, to which a row of scales applies."""


class Product(NamedTuple):
    """A product at subgroup level.

    Attributes:
        element, c: types of A and B, and of C in memory; sums are f32.
        subgroup, workgroup: tiles of C (elements); step: of K.
        array_length: blocks side by side in a load of A and of B.
        load_rows: rows of a load of A, and of B.
        prefetched: whether every subgroup prefetches its part of both tiles three steps ahead.
        a_transposed, b_transposed: whether memory has A as K x M, B as N x K.
        scaled: whether B is i8 in memory, and scaled by a row for each 128 of K as it becomes the type of A.
        after: what happens to the sums: "", "relu" or "bias, relu".
    """

    element: str = "f16"
    c: str = "f32"
    subgroup: tuple[int, int] = (32, 64)
    workgroup: tuple[int, int] = (256, 256)
    step: int = 32
    array_length: int = 2
    load_rows: tuple[int, int] = (32, 32)
    prefetched: bool = False
    a_transposed: bool = False
    b_transposed: bool = False
    scaled: bool = False
    after: str = ""

    @property
    def held_b(self) -> str:
        """The type of B in memory."""
        return "i8" if self.scaled else self.element


def text(product: Product) -> str:
    """The module."""
    out = Text()
    _places(out, product)
    _descriptors(out, product)
    rows, columns = product.subgroup
    blocks = [(i, j) for i in range(0, rows, 8) for j in range(0, columns, 16)]
    zero = out.new("arith.constant dense<0.0> : vector<8x16xf32>")
    names = [f"%acc_{i}_{j}" for i, j in blocks]
    types = ", ".join(["vector<8x16xf32>"] * len(blocks))
    carried = ", ".join(f"{name} = {zero}" for name in names)
    out.add(
        f"%sums:{len(blocks)} = scf.for %k = %c0 to %c_size step %c_step iter_args({carried}) -> ({types}) {{"
    )
    sums = _round(out, product, dict(zip(blocks, names, strict=True)))
    out.add(f"scf.yield {', '.join(sums)} : {types}")
    out.add("}")
    _stores(out, product, blocks)
    body = "\n    ".join(out.lines)
    (workgroup_rows, workgroup_columns) = product.workgroup
    items = workgroup_rows // rows * (workgroup_columns // columns) * 16
    bias = f", %bias: memref<1x{SIZE}xf32>" if "bias" in product.after else ""
    if product.scaled:
        bias += f", %scales: memref<{SIZE // GROUP}x{SIZE}xf32>"
    matrix = f"memref<{SIZE}x{SIZE}x{product.element}>"
    return f"""!A = {matrix}
!B = memref<{SIZE}x{SIZE}x{product.held_b}>
!C = memref<{SIZE}x{SIZE}x{product.c}>
gpu.module @kernels {{
  gpu.func @gemm(%A: !A, %B: !B, %C: !C{bias}) kernel
      attributes {{known_block_size = array<i32: {items}, 1, 1>, intel_reqd_sub_group_size = 16 : i32,
      known_grid_size = array<i32: {SIZE // workgroup_rows}, {SIZE // workgroup_columns}, 1>}} {{
    {body}
    gpu.return
  }}
}}
"""


def _places(out: Text, product: Product) -> None:
    rows, columns = product.subgroup
    across = product.workgroup[1] // columns
    for line in (
        "%c0 = arith.constant 0 : index",
        f"%c_step = arith.constant {product.step} : index",
        f"%c_size = arith.constant {SIZE} : index",
        "%block_x = gpu.block_id x",
        "%block_y = gpu.block_id y",
        "%subgroup = gpu.subgroup_id : index",
        f"%across = arith.constant {across} : index",
        "%subgroup_row = arith.divui %subgroup, %across : index",
        "%subgroup_column = arith.remui %subgroup, %across : index",
        f"%c_wg_rows = arith.constant {product.workgroup[0]} : index",
        f"%c_wg_columns = arith.constant {product.workgroup[1]} : index",
        f"%c_rows = arith.constant {rows} : index",
        f"%c_columns = arith.constant {columns} : index",
        "%m0 = arith.muli %block_x, %c_wg_rows : index",
        "%n0 = arith.muli %block_y, %c_wg_columns : index",
        "%m1 = arith.muli %subgroup_row, %c_rows : index",
        "%n1 = arith.muli %subgroup_column, %c_columns : index",
        "%m = arith.addi %m0, %m1 : index",
        "%n = arith.addi %n0, %n1 : index",
    ):
        out.add(line)


def _shapes(product: Product) -> tuple[tuple[int, int], tuple[int, int]]:
    """One load of A, and one of B."""
    rows = product.load_rows
    a = (16, 16) if product.a_transposed else (min(rows[0], product.subgroup[0]), 16)
    b = (16, 16) if product.b_transposed else (min(rows[1], product.step), 16)
    return a, b


def _descriptors(out: Text, product: Product) -> None:
    a, b = _shapes(product)
    lengths = [
        1 if transposed else product.array_length
        for transposed in (product.a_transposed, product.b_transposed)
    ]
    for name, shape, length in (("a", a, lengths[0]), ("b", b, lengths[1])):
        element = product.element if name == "a" else product.held_b
        kind = descriptor(shape, element, length)
        out.add(f"%{name} = xegpu.create_nd_tdesc %{name.upper()} : !{name.upper()} -> {kind}")
    out.types["c"] = descriptor((8, 16), product.c)
    out.add(f"%c = xegpu.create_nd_tdesc %C : !C -> {out.types['c']}")
    if product.scaled:
        kind = f"memref<{SIZE // GROUP}x{SIZE}xf32> -> {descriptor((1, 16), 'f32')}"
        out.add(f"%scale_tile = xegpu.create_nd_tdesc %scales : {kind}")
    if product.prefetched:
        out.types["ahead"] = descriptor((8, 16), product.element, 2)
        for name in "AB":
            kind = f"!{name} -> {out.types['ahead']}"
            out.add(f"%ahead_{name} = xegpu.create_nd_tdesc %{name} : {kind}")
        for line in (
            "%c8 = arith.constant 8 : index",
            "%c32 = arith.constant 32 : index",
            "%pm1 = arith.muli %subgroup, %c8 : index",
            "%pm = arith.addi %m0, %pm1 : index",
            "%prow = arith.divui %subgroup, %c8 : index",
            "%pcolumn = arith.remui %subgroup, %c8 : index",
            "%pk0 = arith.muli %prow, %c8 : index",
            "%c_ahead = arith.constant 96 : index",
            "%pk = arith.addi %pk0, %c_ahead : index",
            "%pn1 = arith.muli %pcolumn, %c32 : index",
            "%pn = arith.addi %n0, %pn1 : index",
        ):
            out.add(line)


def _round(out: Text, product: Product, sums: dict[tuple[int, int], str]) -> list[str]:
    a_shape, b_shape = _shapes(product)
    rows, columns = product.subgroup
    tiles = (rows, product.step), (product.step, columns)
    if product.a_transposed:
        a = dict(_transposed(out, product, "a", tiles[0], 8))
    else:
        a = dict(_operand(out, product, "a", tiles[0], a_shape, (8, 16)))
    if product.b_transposed:
        b = dict(_transposed(out, product, "b", tiles[1], 16))
    else:
        b = dict(_operand(out, product, "b", tiles[1], b_shape, (16, 16)))
    if product.scaled:
        b = _scaled(out, product, b)
    if product.prefetched:
        ka = out.new("arith.addi %k, %c_ahead : index")
        kb = out.new("arith.addi %k, %pk : index")
        out.add(f"xegpu.prefetch_nd %ahead_A[%pm, {ka}] : {out.types['ahead']}")
        out.add(f"xegpu.prefetch_nd %ahead_B[{kb}, %pn] : {out.types['ahead']}")
    element, tile = product.element, "vector<8x16xf32>"
    kinds = f"vector<8x16x{element}>, vector<16x16x{element}>, {tile} -> {tile}"
    for (i, j), total in sums.items():
        for k in range(0, product.step, 16):
            operands = f"{a[i, k]}, {b[k, j]}, {total}"
            total = out.new(f"xegpu.dpas {operands} : {kinds}")
        sums[i, j] = total
    return list(sums.values())


def _operand(
    out: Text,
    product: Product,
    name: str,
    tile: tuple[int, int],
    shape: tuple[int, int],
    block: tuple[int, int],
) -> Iterator[tuple[tuple[int, int], str]]:
    """The blocks of an operand's tile, by their first row and column."""
    length = product.array_length
    element = product.element if name == "a" else product.held_b
    for row in range(0, tile[0], shape[0]):
        for column in range(0, tile[1], shape[1] * length):
            first, second = ("%m", "%k") if name == "a" else ("%k", "%n")
            place = out.plus(first, row), out.plus(second, column)
            parts = out.load(f"%{name}", place, shape, element, blocks=length)
            for number, part in enumerate(parts):
                for inside in range(0, shape[0], block[0]):
                    yield (
                        (row + inside, column + number * shape[1]),
                        out.rows(part, inside, block[0], shape, element),
                    )


def _scaled(
    out: Text, product: Product, blocks: dict[tuple[int, int], str]
) -> dict[tuple[int, int], str]:
    """Weights as numbers of the other operand's type, times the scales of their columns.

    Scales are f32 in memory: upstream makes a block of 0 bits of 16 elements of f16.
    """
    kind = f"vector<16x16x{product.element}>"
    line = out.new(f"arith.divui %k, {out.constant(GROUP)} : index")
    rows: dict[int, str] = {}
    for column in range(0, product.subgroup[1], 16):
        place = line, out.plus("%n", column)
        (row,) = out.load("%scale_tile", place, (1, 16), "f32")
        line_type = f"vector<1x16x{product.element}>"
        narrow = out.new(f"arith.truncf {row} : vector<1x16xf32> to {line_type}")
        rows[column] = out.new(f"vector.broadcast {narrow} : {line_type} to {kind}")
    scaled: dict[tuple[int, int], str] = {}
    for (k, n), held in blocks.items():
        number = out.new(f"arith.sitofp {held} : vector<16x16xi8> to {kind}")
        scaled[k, n] = out.new(f"arith.mulf {number}, {rows[n]} : {kind}")
    return scaled


def _transposed(
    out: Text, product: Product, name: str, tile: tuple[int, int], block_rows: int
) -> Iterator[tuple[tuple[int, int], str]]:
    """The blocks of an operand that memory has the other way round."""
    kind = f"vector<16x16x{product.element}>"
    for row in range(0, tile[0], 16):
        for column in range(0, tile[1], 16):
            first, second = ("%m", "%k") if name == "a" else ("%k", "%n")
            place = out.plus(second, column), out.plus(first, row)
            (loaded,) = out.load(f"%{name}", place, (16, 16), product.element)
            turned = out.new(f"vector.transpose {loaded}, [1, 0] : {kind} to {kind}")
            for inside in range(0, 16, block_rows):
                part = out.rows(turned, inside, block_rows, (16, 16), product.element)
                yield (row + inside, column), part


def _stores(out: Text, product: Product, blocks: list[tuple[int, int]]) -> None:
    kind = "vector<8x16xf32>"
    rows: dict[int, str] = {}
    if "bias" in product.after:
        out.add(
            f"%bias_tile = xegpu.create_nd_tdesc %bias : memref<1x{SIZE}xf32> -> {descriptor((1, 16), 'f32')}"
        )
        for j in range(0, product.subgroup[1], 16):
            row = out.new(
                f"xegpu.load_nd %bias_tile[%c0, {out.plus('%n', j)}] : {descriptor((1, 16), 'f32')} -> vector<1x16xf32>"
            )
            rows[j] = out.new(f"vector.broadcast {row} : vector<1x16xf32> to {kind}")
    floor = out.new(f"arith.constant dense<0.0> : {kind}") if product.after else ""
    for number, (i, j) in enumerate(blocks):
        value = f"%sums#{number}"
        if rows:
            value = out.new(f"arith.addf {value}, {rows[j]} : {kind}")
        if product.after:
            value = out.new(f"arith.maxnumf {value}, {floor} : {kind}")
        stored = kind
        if product.c != "f32":
            stored = f"vector<8x16x{product.c}>"
            value = out.new(f"arith.truncf {value} : {kind} to {stored}")
        out.add(
            f"xegpu.store_nd {value}, %c[{out.plus('%m', i)}, {out.plus('%n', j)}] : {stored}, {out.types['c']}"
        )

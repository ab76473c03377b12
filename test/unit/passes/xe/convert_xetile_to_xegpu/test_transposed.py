"""Operands that lie transposed in memory: the same bits at every level, and the fewest messages."""

import ml_dtypes
import numpy
import pytest
from support.subgroup import Array, Shape, same, tile, vector
from xdsl.dialects.builtin import ModuleOp

from xetile.dialects.modules import context, parse
from xetile.dialects.xegpu import LoadNdOp
from xetile.interpreter import execute
from xetile.passes.pipelines import lower

TYPES = {
    "f16": numpy.float16,
    "bf16": ml_dtypes.bfloat16,
    "i8": numpy.int8,
    "tf32": numpy.float32,
}
COLUMNS = "order = [0, 1]"
M, N, K = 32, 64, 32


def operand(name: str, shape: Shape, element: str, form: str) -> tuple[str, str]:
    """The parameter of an operand, and the lines that load a K step of it."""
    rows, columns = shape
    in_memory = (columns, rows) if form == "transposed" else shape
    turned, along_rows = form == "transposed", name == "b"
    height, width = in_memory
    height, width = (2 * height, width) if along_rows != turned else (height, 2 * width)
    layout = f", strided<[1, {height}]>" if form == "columns" else ""
    type = f"memref<{height}x{width}x{element}{layout}>"
    attributes = COLUMNS if form == "columns" else ""
    loaded = tile(in_memory, element, attributes)
    at = "%p, 0" if along_rows != turned else "0, %p"
    lines = f"""
      %t{name} = xetile.init_tile %{name}[{at}] : {type} -> {loaded}
      %{"l" if turned else "v"}{name} = xetile.load_tile %t{name} : {loaded} -> {vector(in_memory, element)}"""
    if turned:
        lines += f"""
      %v{name} = xetile.tile_transpose %l{name}, [1, 0] : {vector(in_memory, element)} -> {vector(shape, element)}"""
    return f"%{name}: {type}", lines


def product(element: str, a: str, b: str) -> str:
    total = "i32" if element == "i8" else "f32"
    (a_type, load_a), (b_type, load_b) = (
        operand("a", (M, K), element, a),
        operand("b", (K, N), element, b),
    )
    c = vector((M, N), total)
    return f"""
    gpu.module @m {{ gpu.func @k({a_type}, {b_type}, %c: memref<{M}x{N}x{total}>) kernel attributes {{
        known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
      %c0 = arith.constant 0 : index
      %step = arith.constant {K} : index
      %end = arith.constant {2 * K} : index
      %zero = arith.constant dense<{0 if total == "i32" else 0.0}> : {c}
      %sum = scf.for %p = %c0 to %end step %step iter_args(%s = %zero) -> ({c}) {{
        {load_a}{load_b}
        %d = xetile.tile_mma %va, %vb, %s : {vector((M, K), element)}, {vector((K, N), element)}, {c} -> {c}
        scf.yield %d : {c}
      }}
      %t = xetile.init_tile %c[0, 0] : memref<{M}x{N}x{total}> -> {tile((M, N), total)}
      xetile.store_tile %sum, %t : {c}, {tile((M, N), total)}
      gpu.return
    }} }}"""


def given(shape: Shape, element: str, form: str) -> Array:
    numbers = numpy.random.default_rng(shape[0]).standard_normal(shape) * 8
    values = numpy.asarray(numbers).astype(TYPES[element])
    if form == "rows":
        return values
    return (
        numpy.asfortranarray(values)
        if form == "columns"
        else numpy.ascontiguousarray(values.T)
    )


def result(module: ModuleOp, element: str, a: str, b: str) -> Array:
    c = numpy.zeros((M, N), numpy.int32 if element == "i8" else numpy.float32)
    given_a, given_b = given((M, 2 * K), element, a), given((2 * K, N), element, b)
    execute(module, "k", [given_a, given_b, c])
    return c


FORMS = (
    ("rows", "columns"),
    ("rows", "transposed"),
    ("columns", "rows"),
    ("transposed", "rows"),
    ("transposed", "columns"),
)
"""Of A and B."""

CASES = [
    (element, a, b)
    for element in TYPES
    for a, b in FORMS
    if element != "i8"
    or a == "rows"  # columns of 32 bytes are less than 2D block access needs
]


@pytest.mark.parametrize(("element", "a", "b"), CASES)
def test_products_of_transposed_operands(element: str, a: str, b: str) -> None:
    expected = result(parse(product(element, a, b)), element, a, b)
    for level in ("blocked", "xegpu"):
        module = parse(product(element, a, b))
        lower(context(), module, level, "bmg")
        assert same(result(module, element, a, b), expected), level


@pytest.mark.parametrize("form", ["columns", "transposed"])
def test_half_a_product_of_transposed_b_takes_nine_loads(form: str) -> None:
    """One of A, eight of B in words of 32 bits, of 16 rows in memory each."""
    module = parse(product("f16", "rows", form))
    lower(context(), module, "xegpu", "bmg")
    loads = [str(op.operands[0].type) for op in module.walk() if isinstance(op, LoadNdOp)]
    assert loads.count("!xegpu.tensor_desc<16x8xi32>") == 8
    assert len(loads) == 9

"""Products of fewer columns or steps of K than the instruction has, or of no multiple: the same bits at every level.

Those of test_gemms.py are executed on a device too.
"""

import numpy
import pytest
from support.spread import spread
from support.subgroup import NUMPY
from support.tiled.case import Array, Case, copies, module_of

from xetile.api import lower
from xetile.interpreter import execute

COLUMNS = (1, 3, 8, 24)
DEPTHS = (8, 24, 40)
ROWS = (1, 7, 8, 16, 19, 24)
ELEMENTS = ("f16", "bf16", "i8", "tf32")


def numbers(rows: int, columns: int, element: str) -> Array:
    count = numpy.arange(rows * columns).reshape(rows, columns)
    return ((count * 7 + count // 3) % 9 - 4).astype(NUMPY[element])


def product(element: str, n: int, k: int) -> Case:
    """A product that is added to C in a loop: tiles of the matrices' whole extents, of a pitch that messages take."""
    m = ROWS[(COLUMNS.index(n) * len(DEPTHS) + DEPTHS.index(k)) % len(ROWS)]
    total = "i32" if element == "i8" else "f32"
    of_a, of_b = f"!xetile.tile<{m}x{k}x{element}>", f"!xetile.tile<{k}x{n}x{element}>"
    of_c, sum = f"!xetile.tile<{m}x{n}x{total}>", f"vector<{m}x{n}x{total}>"
    a, b = numbers(m, 64, element), numbers(k, 64, element)
    c = numpy.zeros((m, 64), NUMPY[total])
    left = a[:, :k].astype(NUMPY[total]) @ b[:, :n].astype(NUMPY[total])
    expected = c.copy()
    expected[:, :n] = 2 * left
    types = [
        f"memref<{rows}x64x{of}>" for rows, of in ((m, element), (k, element), (m, total))
    ]
    return Case(
        f"mma_{element}_{m}x{n}x{k}",
        [f"%{name}: {type}" for name, type in zip("ABC", types, strict=True)],
        f"""
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %ta = xetile.init_tile %A[0, 0] : {types[0]} -> {of_a}
    %tb = xetile.init_tile %B[0, 0] : {types[1]} -> {of_b}
    %tc = xetile.init_tile %C[0, 0] : {types[2]} -> {of_c}
    %start = xetile.load_tile %tc : {of_c} -> {sum}
    %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%s = %start) -> ({sum}) {{
      %va = xetile.load_tile %ta : {of_a} -> vector<{m}x{k}x{element}>
      %vb = xetile.load_tile %tb : {of_b} -> vector<{k}x{n}x{element}>
      %d = xetile.tile_mma %va, %vb, %s : vector<{m}x{k}x{element}>, vector<{k}x{n}x{element}>, {sum} -> {sum}
      scf.yield %d : {sum}
    }}
    xetile.store_tile %r, %tc : {sum}, {of_c}""",
        [a, b, c],
        {2: expected},
    )


@pytest.mark.parametrize(
    "size, element", spread([(n, k) for n in COLUMNS for k in DEPTHS], ELEMENTS), ids=str
)
def test_narrow_products(size: tuple[int, int], element: str) -> None:
    n, k = size
    case = product(element, n, k)
    module = module_of([case])
    for level in (None, "blocked", "xegpu", "xevm"):
        lowered = module if level is None else lower(module, to=level, device="bmg")
        found = copies(case.arrays)
        execute(lowered, case.name, found)
        assert numpy.array_equal(found[2], case.expected[2]), level

"""vector.mask against numpy: what is masked off takes no part."""

import numpy as np
import pytest

from xetile.api import parse
from xetile.errors import XetileError
from xetile.interpreter import execute

M = "memref<8x16xf32>"
V = "vector<8x16xf32>"
KERNEL = """gpu.module @k {{ gpu.func @f(%A: memref<8x16xf32>, %B: memref<8x16xf32>, %rows: index, %columns: index) kernel attributes {{known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %nine = arith.constant 9.0 : f32
  %m = vector.create_mask %rows, %columns : vector<8x16xi1>
  %a = vector.transfer_read %A[%c0, %c0], %z {{in_bounds = [true, true]}} : memref<8x16xf32>, vector<8x16xf32>
  %b = vector.transfer_read %B[%c0, %c0], %z {{in_bounds = [true, true]}} : memref<8x16xf32>, vector<8x16xf32>
{body}
  gpu.return
}} }}"""
STORE = f"  vector.transfer_write %r, %B[%c0, %c0] {{in_bounds = [true, true]}} : {V}, {M}"
ROW = "  vector.transfer_write %r, %B[%c0, %c0] {in_bounds = [true]} : vector<8xf32>, memref<8x16xf32>"
ROWS, COLUMNS = 5, 11
INSIDE = (np.arange(8)[:, None] < ROWS) & (np.arange(16) < COLUMNS)


def launched(body: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    found = b.copy()
    execute(parse(KERNEL.format(body=body)), None, [a, found, ROWS, COLUMNS])
    return found


def numbers() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    a, b = (generator.integers(-9, 10, (8, 16)).astype(np.float32) for _ in range(2))
    return a, b


def test_reads_are_padded_and_pass_through() -> None:
    a, b = numbers()
    read = f"vector.transfer_read %A[%c4, %c0], %nine : {M}, {V}"
    moved = np.concatenate([a[4:], np.full((4, 16), 9, np.float32)])
    body = f"  %r = vector.mask %m {{ {read} }} : vector<8x16xi1> -> {V}\n{STORE}"
    assert (launched(body, a, b) == np.where(INSIDE, moved, 9)).all()
    body = f"  %r = vector.mask %m, %b {{ {read} }} : vector<8x16xi1> -> {V}\n{STORE}"
    assert (launched(body, a, b) == np.where(INSIDE, moved, b)).all()


def test_two_masks_are_both_asked() -> None:
    a, b = numbers()
    body = (
        "  %k = vector.create_mask %c4, %rows : vector<8x16xi1>\n"
        f"  %r = vector.mask %m {{ vector.transfer_read %A[%c0, %c0], %nine, %k : {M}, {V} }} : vector<8x16xi1> -> {V}\n{STORE}"
    )
    both = INSIDE & (np.arange(8)[:, None] < 4) & (np.arange(16) < ROWS)
    assert (launched(body, a, b) == np.where(both, a, 9)).all()


def test_masks_have_the_dimensions_of_the_memref() -> None:
    a, b = numbers()
    body = (
        "  %k = vector.create_mask %c4, %rows : vector<8x16xi1>\n"
        f"  %t = vector.mask %k {{ vector.transfer_read %A[%c0, %c0], %nine {{permutation_map = affine_map<(d0, d1) -> (d1, d0)>}} : {M}, vector<16x8xf32> }} : vector<8x16xi1> -> vector<16x8xf32>\n"
        f"  %r = vector.transpose %t, [1, 0] : vector<16x8xf32> to {V}\n{STORE}"
    )
    inside = (np.arange(8)[:, None] < 4) & (np.arange(16) < ROWS)
    assert (launched(body, a, b) == np.where(inside, a, 9)).all()


def test_writes_leave_what_is_masked_off() -> None:
    a, b = numbers()
    body = f"  vector.mask %m {{ vector.transfer_write %a, %B[%c0, %c0] : {V}, {M} }} : vector<8x16xi1>"
    assert (launched(body, a, b) == np.where(INSIDE, a, b)).all()


@pytest.mark.parametrize("kind", ["add", "mul", "maximumf", "minnumf"])
def test_reductions_leave_elements_out(kind: str) -> None:
    a, b = numbers()
    a[~INSIDE] = np.nan
    a[INSIDE] = np.sign(a[INSIDE]) + 2
    body = (
        f"  %s = vector.transfer_read %B[%c0, %c0], %z {{in_bounds = [true]}} : {M}, vector<8xf32>\n"
        f"  %r = vector.mask %m {{ vector.multi_reduction <{kind}>, %a, %s [1] : {V} to vector<8xf32> }} : vector<8x16xi1> -> vector<8xf32>\n{ROW}"
    )
    function = {"add": np.add, "mul": np.multiply, "maximumf": np.maximum, "minnumf": np.fmin}
    of = function[kind]
    expected = b[0, :8].copy()
    expected[:ROWS] = of(of.reduce(a[:ROWS, :COLUMNS], axis=1), expected[:ROWS])
    assert (launched(body, a, b)[0, :8] == expected).all()


def test_a_sum_of_nothing_keeps_the_sign_of_zero() -> None:
    a, b = numbers()
    b[0] = -0.0
    body = (
        "  %k = vector.create_mask %c0, %c0 : vector<8x16xi1>\n"
        f"  %s = vector.transfer_read %B[%c0, %c0], %z {{in_bounds = [true]}} : {M}, vector<8xf32>\n"
        f"  %r = vector.mask %k {{ vector.multi_reduction <add>, %a, %s [1] : {V} to vector<8xf32> }} : vector<8x16xi1> -> vector<8xf32>\n{ROW}"
    )
    assert np.signbit(launched(body, a, b)[0, :8]).all()


PRODUCT = """  %k = MASK : vector<8x8x16xi1>
  %c = vector.extract_strided_slice %b {{offsets = [0, 0], sizes = [8, 8], strides = [1, 1]}} : vector<8x16xf32> to vector<8x8xf32>
  %r = vector.mask %k {{ vector.contract {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}} %a, %b, %c : vector<8x16xf32>, vector<8x16xf32> into vector<8x8xf32> }} : vector<8x8x16xi1> -> vector<8x8xf32>
  vector.transfer_write %r, %B[%c0, %c0] {{in_bounds = [true, true]}} : vector<8x8xf32>, memref<8x16xf32>""".replace(
    "{{", "{"
).replace("}}", "}")


def test_products_are_left_out() -> None:
    a, b = numbers()
    a[:, COLUMNS:] = np.inf
    body = PRODUCT.replace("MASK", "vector.create_mask %rows, %c4, %columns")
    expected = b[:, :8].copy()
    expected[:ROWS, :4] += a[:ROWS, :COLUMNS] @ b[:4, :COLUMNS].T
    assert (launched(body, a, b)[:, :8] == expected).all()


def test_products_with_masks_of_other_kinds_are_refused() -> None:
    a, b = numbers()
    bits = ", ".join("true" if n % 3 else "false" for n in range(16))
    rows = ", ".join("true" for _ in range(16))
    row, other = f"[{bits}]", f"[{rows}]"
    planes = ", ".join([f"[{', '.join([row] * 8)}]"] + [f"[{', '.join([other] * 8)}]"] * 7)
    body = PRODUCT.replace("MASK", f"arith.constant dense<[{planes}]>")
    with pytest.raises(XetileError, match="whose mask is not a range in each dimension"):
        launched(body, a, b)


def test_outer_products_leave_the_accumulator() -> None:
    a, b = numbers()
    rows = f"  %x = vector.transfer_read %A[%c0, %c0], %z {{in_bounds = [true]}} : {M}, vector<8xf32>\n  %y = vector.transfer_read %A[%c4, %c0], %z {{in_bounds = [true]}} : {M}, vector<16xf32>\n"
    body = f"{rows}  %r = vector.mask %m {{ vector.outerproduct %x, %y, %b : vector<8xf32>, vector<16xf32> }} : vector<8x16xi1> -> {V}\n{STORE}"
    expected = np.where(INSIDE, b + np.outer(a[0, :8], a[4]), b)
    assert (launched(body, a, b) == expected).all()


def test_gathers_ask_both_masks() -> None:
    a, b = numbers()
    body = f"""  %i = vector.step : vector<16xindex>
  %k = vector.create_mask %columns : vector<16xi1>
  %o = vector.create_mask %rows : vector<16xi1>
  %p = vector.broadcast %nine : f32 to vector<16xf32>
  %r = vector.mask %o {{ vector.gather %A[%c0, %c0] [%i], %k, %p : {M}, vector<16xindex>, vector<16xi1>, vector<16xf32> into vector<16xf32> }} : vector<16xi1> -> vector<16xf32>
  vector.transfer_write %r, %B[%c0, %c0] {{in_bounds = [true]}} : vector<16xf32>, {M}"""
    assert (launched(body, a, b)[0] == np.where(np.arange(16) < ROWS, a[0], 9)).all()


def test_a_region_without_an_op_hands_values_on() -> None:
    a, b = numbers()
    body = (
        f"  %r = vector.mask %m {{ vector.yield %a : {V} }} : vector<8x16xi1> -> {V}\n{STORE}"
    )
    assert (launched(body, a, b) == a).all()

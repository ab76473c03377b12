"""Masks that say bounds, each as vectors and on tiles; and which masks are refused."""

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from xetile.api import lower, parse
from xetile.dialects.modules import context
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.passes.tiles.convert_vector_to_xetile import ConvertVectorToXeTile

Array = NDArray[np.float32]

KERNEL = """gpu.module @k {{ gpu.func @f(%A: {a}, %B: {a}, %i: index, %n: index, %bits: vector<16x32xi1>) kernel
    attributes {{known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
{body}
  gpu.return
}} }}"""
M = "memref<64x96xf32>"
T = "vector<16x32xf32>"
H = "vector<16x32xf16>"
IN = "{in_bounds = [true, true]}"
K = "vector<16x32xi1>"


def read(mask: str, padding: str = "zero", bounds: str = IN, at: str = "%c0, %c0") -> str:
    return f"vector.transfer_read %A[{at}], %{padding}, %{mask} {bounds} : {M}, {T}"


WRITE = f"  vector.transfer_write %v, %B[%c0, %c0] {IN} : {T}, {M}"
MATRICES = (
    f"  %wa = vector.transfer_read %A[%c0, %c0], %zero, %kk {IN} : {M}, {T}\n  %a = arith.truncf %wa : {T} to {H}\n"
    f"  %wb = vector.transfer_read %A[%c32, %c0], %zero, %kk {IN} : {M}, {T}\n  %b = arith.truncf %wb : {T} to {H}\n"
    f"  %c = vector.transfer_read %B[%c0, %c0], %zero {IN} : {M}, vector<16x16xf32>\n"
)
CONTRACT = (
    "vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], "
    f'iterator_types = ["parallel", "parallel", "reduction"]}} %a, %b, %c : {H}, {H} into vector<16x16xf32>'
)
PRODUCT = (
    f"  %r = vector.mask %kp {{ {CONTRACT} }} : vector<16x16x32xi1> -> vector<16x16xf32>\n"
)
STORED = f"vector<16x16xf32>, {M}"

BODIES = {
    "any bounds": f"  %k = vector.create_mask %c3, %n : {K}\n  %v = {read('k', at='%i, %c3')}\n{WRITE}",
    "a padding": f"  %k = vector.create_mask %n, %c3 : {K}\n  %v = {read('k', 'one', at='%i, %c3')}\n{WRITE}",
    "a mask of numbers": f"  %k = vector.constant_mask [7, 20] : {K}\n  %v = {read('k', 'one')}\n{WRITE}",
    "a mask of everything": f"  %k = arith.constant dense<true> : {K}\n  %v = {read('k', 'one', at='%i, %i')}\n{WRITE}",
    "bounds of mask and memref": f"  %x = arith.constant 70 : index\n  %k = vector.create_mask %c32, %n : {K}\n  %v = {read('k', 'one', '', '%x, %x')}\n{WRITE}",
    "numbers of mask and memref": f"  %x = arith.constant 40 : index\n  %k = vector.constant_mask [7, 20] : {K}\n  %v = {read('k', 'one', '', '%x, %x')}\n{WRITE}",
    "a write": f"  %v = vector.transfer_read %A[%c0, %c0], %zero {IN} : {M}, {T}\n  %k = vector.create_mask %n, %n : {K}\n"
    f"  vector.transfer_write %v, %B[%i, %c3], %k {IN} : {T}, {M}",
    "a subview": f"  %s = memref.subview %A[%i, 16] [%n, %n] [1, 1] : {M} to memref<?x?xf32, strided<[96, 1], offset: ?>>\n"
    f"  %k = vector.create_mask %n, %n : {K}\n  %v = vector.transfer_read %s[%c0, %c0], %one, %k : memref<?x?xf32, strided<[96, 1], offset: ?>>, {T}\n{WRITE}",
    "transposed": "  %k = vector.create_mask %c3, %n : vector<32x16xi1>\n"
    f"  %v = vector.mask %k {{ vector.transfer_read %A[%i, %c0], %one {{in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>}} : {M}, {T} }} : vector<32x16xi1> -> {T}\n{WRITE}",
    "a row": "  %k = vector.create_mask %n : vector<32xi1>\n"
    f"  %r = vector.transfer_read %A[%i, %c0], %one, %k {{in_bounds = [true]}} : {M}, vector<32xf32>\n"
    f"  vector.transfer_write %r, %B[%c0, %c0] {{in_bounds = [true]}} : vector<32xf32>, {M}",
    "sums": f"  %k = vector.create_mask %n, %n : {K}\n  %v = {read('k', 'one')}\n"
    f"  %s = vector.transfer_read %B[%c0, %c0], %zero {{in_bounds = [true]}} : {M}, vector<16xf32>\n"
    f"  %r = vector.mask %k {{ vector.multi_reduction <add>, %v, %s [1] : {T} to vector<16xf32> }} : {K} -> vector<16xf32>\n"
    f"  vector.transfer_write %r, %B[%c0, %c0] {{in_bounds = [true]}} : vector<16xf32>, {M}",
    "the largest": f"  %k = vector.create_mask %n, %n : {K}\n  %v = vector.transfer_read %A[%c0, %c0], %zero {IN} : {M}, {T}\n"
    f"  %s = vector.transfer_read %B[%c0, %c0], %zero {{in_bounds = [true]}} : {M}, vector<32xf32>\n"
    f"  %r = vector.mask %k {{ vector.multi_reduction <maximumf>, %v, %s [0] : {T} to vector<32xf32> }} : {K} -> vector<32xf32>\n"
    f"  vector.transfer_write %r, %B[%c0, %c0] {{in_bounds = [true]}} : vector<32xf32>, {M}",
    "a product": f"  %kk = vector.create_mask %c32, %n : {K}\n{MATRICES}"
    f"  %kp = vector.create_mask %n, %c3, %n : vector<16x16x32xi1>\n{PRODUCT}"
    f"  %kw = vector.create_mask %n, %c3 : vector<16x16xi1>\n  vector.transfer_write %r, %B[%c0, %c0], %kw {IN} : {STORED}",
    "a product that is used as a whole": f"  %kk = vector.create_mask %c32, %n : {K}\n{MATRICES}"
    f"  %kp = vector.create_mask %n, %c3, %n : vector<16x16x32xi1>\n{PRODUCT}"
    f"  vector.transfer_write %r, %B[%c0, %c0] {IN} : {STORED}",
    "a product of more than its mask": f"  %kk = vector.create_mask %c32, %c32 : {K}\n{MATRICES}"
    f"  %kp = vector.create_mask %c32, %c32, %n : vector<16x16x32xi1>\n{PRODUCT}"
    f"  vector.transfer_write %r, %B[%c0, %c0] {IN} : {STORED}",
    "a product in a loop": f"  %kk = vector.create_mask %c32, %n : {K}\n{MATRICES}"
    "  %kp = vector.create_mask %n, %c3, %n : vector<16x16x32xi1>\n"
    "  %s = scf.for %q = %c0 to %c3 step %c1 iter_args(%t = %c) -> (vector<16x16xf32>) {\n"
    f"    %r = vector.mask %kp {{ {CONTRACT.replace('%c :', '%t :')} }} : vector<16x16x32xi1> -> vector<16x16xf32>\n    scf.yield %r : vector<16x16xf32>\n  }}\n"
    f"  %u = arith.addf %s, %s : vector<16x16xf32>\n  %kw = vector.create_mask %n, %c3 : vector<16x16xi1>\n"
    f"  vector.transfer_write %u, %B[%c0, %c0], %kw {IN} : {STORED}",
    "an outer product": f"  %x = vector.transfer_read %A[%c0, %c0], %zero {{in_bounds = [true]}} : {M}, vector<16xf32>\n"
    f"  %y = vector.transfer_read %A[%c1, %c0], %zero {{in_bounds = [true]}} : {M}, vector<32xf32>\n"
    f"  %a = vector.transfer_read %B[%c0, %c0], %zero {IN} : {M}, {T}\n  %k = vector.create_mask %n, %c3 : {K}\n"
    f"  %v = vector.mask %k {{ vector.outerproduct %x, %y, %a : vector<16xf32>, vector<32xf32> }} : {K} -> {T}\n{WRITE}",
}  # fmt: skip

WITHOUT_SELECTS = ("a product", "a product in a loop")
"""Where padded reads and masked writes say all that the mask of the product does."""


def text(body: str) -> str:
    return KERNEL.format(a=M, body=body)


def converted(source: str) -> ModuleOp:
    module = parse(source)
    ConvertVectorToXeTile().apply(context(), module)
    module.verify()
    return module


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("count", [11, 40])
def test_tiles_do_what_masked_vectors_do(name: str, count: int) -> None:
    generator = np.random.default_rng(2)
    a, b = (generator.integers(-9, 9, (64, 96)).astype(np.float32) for _ in range(2))
    at = (5, count, np.ones((16, 32), np.bool))
    source = text(BODIES[name])
    source = source.replace(", %bits: vector<16x32xi1>", "")
    results: list[Array] = [b.copy() for _ in range(3)]
    tiles = converted(source)
    execute(parse(source), None, [a, results[0], *at[:2]])
    execute(tiles, None, [a, results[1], *at[:2]])
    # the rows of a surface may be narrower than messages take
    lowered = lower(tiles, to="xevm", device="bmg", assume="check")
    execute(lowered, None, [a, results[2], *at[:2]])
    assert (results[0] != b).any()
    for result in results[1:]:
        assert (result.view(np.int32) == results[0].view(np.int32)).all()
    if name.startswith("a product"):
        selects = any(op.name == "arith.select" for op in tiles.walk())
        assert selects == (name not in WITHOUT_SELECTS)


REFUSED = {
    "the mask %bits of 'vector.transfer_read' is given; a tile has bounds, as vector.create_mask and vector.constant_mask say them": f"  %v = {read('bits')}",
    "the mask %k of 'vector.transfer_write' is made by 'arith.cmpf'": f"  %v = vector.transfer_read %A[%c0, %c0], %zero {IN} : {M}, {T}\n"
    f"  %k = arith.cmpf olt, %v, %v : {T}\n  vector.transfer_write %v, %B[%c0, %c0], %k {IN} : {T}, {M}",
    "%v is passed through where the mask is false; a tile is padded with a number": f"  %k = vector.create_mask %n, %n : {K}\n  %v = {read('k')}\n"
    f"  %w = vector.mask %k, %v {{ vector.transfer_read %A[%c0, %c0], %zero : {M}, {T} }} : {K} -> {T}",
    "'vector.transfer_read' has a mask of its own inside of vector.mask": f"  %k = vector.create_mask %n, %n : {K}\n"
    f"  %w = vector.mask %k {{ {read('k')} }} : {K} -> {T}",
    "'vector.reduction' does not become an operation on tiles, with a mask or without": "  %k = vector.create_mask %n : vector<16xi1>\n"
    "  %r = arith.constant dense<0.0> : vector<16xf32>\n"
    "  %w = vector.mask %k { vector.reduction <add>, %r : vector<16xf32> into f32 } : vector<16xi1> -> f32",
    "dimension 0 of memref<2x64x96xf32> has a bound that may mask its one element off": "  %s = memref.alloca() : memref<2x64x96xf32>\n  %k = vector.create_mask %n, %n, %n : vector<1x16x32xi1>\n"
    "  %w = vector.transfer_read %s[%c0, %c0, %c0], %zero, %k {in_bounds = [true, true, true]} : memref<2x64x96xf32>, vector<1x16x32xf32>",
}  # fmt: skip


@pytest.mark.parametrize("words", REFUSED)
def test_masks_without_a_tile_are_refused_at_the_op(words: str) -> None:
    with pytest.raises(XetileError) as refused:
        converted(text(REFUSED[words]))
    assert str(refused.value).startswith("<text>:")
    assert words in str(refused.value)

"""Forms of the vector dialect, each as it is and on tiles; and what is refused."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from xetile.api import lower, parse
from xetile.dialects.modules import context
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.passes.convert_vector_to_xetile import ConvertVectorToXeTile

KERNEL = """gpu.module @k {{ gpu.func @f(%A: {a}, %B: {b}, %i: index, %j: index) kernel
    attributes {{known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n1 = arith.constant -0.0 : f32
{body}
  gpu.return
}} }}"""
M = "memref<64x128xf32>"
V = "memref<128xf32>"
IN = "{in_bounds = [true, true]}"
READ = f"  %v = vector.transfer_read %A[%c0, %c0], %zero {IN} : {M}, vector<32x64xf32>\n"
ROW = f"  %r = vector.transfer_read %A[%c3, %c0], %zero {{in_bounds = [true]}} : {M}, vector<64xf32>\n"

BODIES = {
    "edges": f"  %v = vector.transfer_read %A[%i, %j], %one : {M}, vector<32x64xf32>\n"
    f"  vector.transfer_write %v, %B[%i, %j] : vector<32x64xf32>, {M}",
    "negative zero as padding": f"  %v = vector.transfer_read %A[%i, %j], %n1 : {M}, vector<32x64xf32>\n"
    f"  vector.transfer_write %v, %B[%c0, %c0] : vector<32x64xf32>, {M}",
    "bounds of the subview": f"  %s = memref.subview %A[%c0, %c0] [24, 48] [1, 1] : {M} to memref<24x48xf32, strided<[128, 1], offset: ?>>\n"
    "  %v = vector.transfer_read %s[%c0, %c0], %one : memref<24x48xf32, strided<[128, 1], offset: ?>>, vector<32x64xf32>\n"
    f"  vector.transfer_write %v, %B[%c0, %c0] : vector<32x64xf32>, {M}",
    "subview of a subview": f"  %s = memref.subview %A[16, 32] [40, 80] [1, 1] : {M} to memref<40x80xf32, strided<[128, 1], offset: 2080>>\n"
    "  %t = memref.subview %s[3, 0] [1, 80] [1, 1] : memref<40x80xf32, strided<[128, 1], offset: 2080>> to memref<80xf32, strided<[1], offset: 2464>>\n"
    "  %r = vector.transfer_read %t[%c0], %zero {in_bounds = [true]} : memref<80xf32, strided<[1], offset: 2464>>, vector<64xf32>\n"
    "  %v = vector.broadcast %r : vector<64xf32> to vector<32x64xf32>\n"
    f"  vector.transfer_write %v, %B[%c0, %c0] {IN} : vector<32x64xf32>, {M}",
    "a column as a row": f"  %r = vector.transfer_read %A[%c0, %c3], %zero {{in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>}} : {M}, vector<32xf32>\n"
    f"  vector.transfer_write %r, %B[%c3, %c0] {{in_bounds = [true]}} : vector<32xf32>, {M}\n"
    f"  vector.transfer_write %r, %B[%c0, %c1] {{in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>}} : vector<32xf32>, {M}",
    "transposed by maps": f"  %v = vector.transfer_read %A[%c0, %c0], %zero {{in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>}} : {M}, vector<64x32xf32>\n"
    f"  vector.transfer_write %v, %B[%c0, %c0] {{in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>}} : vector<64x32xf32>, {M}",
    "copied by maps": f"  %v = vector.transfer_read %A[%c3, %c0], %zero {{in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (0, d1)>}} : {M}, vector<32x64xf32>\n"
    f"  %w = vector.transfer_read %A[%c0, %c3], %zero {{in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d0, 0)>}} : {M}, vector<32x64xf32>\n"
    "  %x = arith.addf %v, %w : vector<32x64xf32>\n"
    f"  vector.transfer_write %x, %B[%c0, %c0] {IN} : vector<32x64xf32>, {M}",
    "rows, sums and carried rows": READ + ROW + "  %s = scf.for %k = %c0 to %c3 step %c1 iter_args(%t = %r) -> (vector<64xf32>) {\n"
    "    %u = vector.multi_reduction <add>, %v, %t [0] : vector<32x64xf32> to vector<64xf32>\n    scf.yield %u : vector<64xf32>\n  }\n"
    "  %m = vector.multi_reduction <maximumf>, %v, %r2 [1] : vector<32x64xf32> to vector<32xf32>\n"
    f"  vector.transfer_write %s, %B[%c0, %c0] {{in_bounds = [true]}} : vector<64xf32>, {M}\n"
    f"  vector.transfer_write %m, %B[%c1, %c0] {{in_bounds = [true]}} : vector<32xf32>, {M}",
    "outer products": ROW + f"  %s = vector.transfer_read %A[%c1, %c0], %zero {{in_bounds = [true]}} : {M}, vector<32xf32>\n" + READ
    + "  %o = vector.outerproduct %s, %r, %v : vector<32xf32>, vector<64xf32>\n"
    "  %p = vector.outerproduct %r, %one, %r : vector<64xf32>, f32\n"
    f"  vector.transfer_write %o, %B[%c0, %c0] {IN} : vector<32x64xf32>, {M}\n"
    f"  vector.transfer_write %p, %B[%c3, %c0] {{in_bounds = [true]}} : vector<64xf32>, {M}",
    "dimensions of one element": READ + "  %w = vector.shape_cast %v : vector<32x64xf32> to vector<1x32x1x64xf32>\n"
    "  %t = vector.transpose %w, [0, 3, 2, 1] : vector<1x32x1x64xf32> to vector<1x64x1x32xf32>\n"
    "  %u = vector.shape_cast %t : vector<1x64x1x32xf32> to vector<64x32xf32>\n"
    f"  vector.transfer_write %u, %B[%c0, %c0] {IN} : vector<64x32xf32>, {M}",
}  # fmt: skip
BODIES["rows, sums and carried rows"] = BODIES["rows, sums and carried rows"].replace(
    "  %m =", "  %r2 = arith.constant dense<1.0> : vector<32xf32>\n  %m ="
)

SCATTERED = {
    "gathers": "  %x = vector.step : vector<16xindex>\n  %y = arith.addi %x, %x : vector<16xindex>\n"
    "  %k = arith.constant dense<[1,1,1,0,1,1,0,1,1,1,1,1,0,0,0,1]> : vector<16xi1>\n"
    "  %p = arith.constant dense<7.0> : vector<16xf32>\n"
    f"  %g = vector.gather %A[%i] [%y], %k, %p : {V}, vector<16xindex>, vector<16xi1>, vector<16xf32> into vector<16xf32>\n"
    f"  vector.scatter %B[%c3] [%y], %k, %g : {V}, vector<16xindex>, vector<16xi1>, vector<16xf32>",
    "masked": "  %k = vector.create_mask %i : vector<16xi1>\n  %p = arith.constant dense<7.0> : vector<16xf32>\n"
    f"  %g = vector.maskedload %A[%c3], %k, %p : {V}, vector<16xi1>, vector<16xf32> into vector<16xf32>\n"
    f"  vector.maskedstore %B[%c1], %k, %g : {V}, vector<16xi1>, vector<16xf32>",
}  # fmt: skip


def text(body: str, memref: str = M) -> str:
    return KERNEL.format(a=memref, b=memref, body=body)


def converted(source: str) -> ModuleOp:
    module = parse(source)
    ConvertVectorToXeTile().apply(context(), module)
    module.verify()
    return module


@pytest.mark.parametrize("name", [*BODIES, *SCATTERED])
def test_tiles_do_what_vectors_do(name: str) -> None:
    source = text(BODIES[name]) if name in BODIES else text(SCATTERED[name], V)
    shape = (64, 128) if name in BODIES else (128,)
    a = np.random.default_rng(1).integers(-9, 9, shape).astype(np.float32)
    for at in (
        ((0, 0), (40, 96)) if name in ("edges", "negative zero as padding") else ((5, 0),)
    ):
        results = [np.zeros(shape, np.float32) for _ in range(3)]
        tiles = converted(source)
        execute(parse(source), None, [a, results[0], *at])
        execute(tiles, None, [a, results[1], *at])
        execute(lower(tiles, to="xevm", device="bmg"), None, [a, results[2], *at])
        assert results[0].any()
        for result in results[1:]:
            assert (result.view(np.int32) == results[0].view(np.int32)).all()


REFUSED = {
    "the padding is known at run time only": "  %p = memref.load %A[%i, %j] : memref<64x128xf32>\n"
    f"  %v = vector.transfer_read %A[%i, %j], %p : {M}, vector<32x64xf32>",
    r"has strides \[128, 2\]; a tile is of a matrix whose rows are contiguous": "  %s = memref.subview %A[0, 0] [32, 64] [1, 2] : memref<64x128xf32> to memref<32x64xf32, strided<[128, 2]>>\n"
    f"  %v = vector.transfer_read %s[%c0, %c0], %zero {IN} : memref<32x64xf32, strided<[128, 2]>>, vector<32x64xf32>",
    "more than two dimensions whose extent is not 1": READ
    + "  %b = vector.broadcast %v : vector<32x64xf32> to vector<2x32x64xf32>",
    "'kind' is maxnumf; matrix instructions add products": READ
    + "  %x = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], "
    'iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<maxnumf>} %v, %v, %acc : vector<32x64xf32>, vector<32x64xf32> into vector<32x32xf32>',
    "'vector.extract_strided_slice' does not become an operation on tiles": READ
    + "  %x = vector.extract_strided_slice %v {offsets = [0, 0], sizes = [8, 16], strides = [1, 1]} : vector<32x64xf32> to vector<8x16xf32>\n"
    f"  vector.transfer_write %x, %B[%c0, %c0] {IN} : vector<8x16xf32>, {M}",
}  # fmt: skip


REFUSED["'linalg.fill' was not vectorised; tile it, then vectorise the tiles"] = (
    f"  linalg.fill ins(%zero : f32) outs(%B : {M})"
)


@pytest.mark.parametrize("words", REFUSED)
def test_what_has_no_tile_is_refused_at_its_op(words: str) -> None:
    acc = "  %acc = arith.constant dense<0.0> : vector<32x32xf32>\n"
    with pytest.raises(XetileError, match=words) as refused:
        converted(text(acc + REFUSED[words]))
    assert str(refused.value).startswith("<text>:")


def test_functions_without_vectors_stay() -> None:
    source = "func.func @f(%a: memref<4xf32>, %i: index) -> f32 {\n  %x = memref.load %a[%i] : memref<4xf32>\n  return %x : f32\n}"
    assert str(converted(source)) == str(parse(source))

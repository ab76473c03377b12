"""Forms of the vector dialect, each as it is and on tiles; and what is refused."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from xetile.api import lower, parse
from xetile.dialects.modules import context
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.passes.tiles.convert_vector_to_xetile import ConvertVectorToXeTile

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
    "a column that a subview is": "  %s = memref.subview %A[%i, %j] [20, 1] [1, 1] : memref<64x128xf32> to memref<20xf32, strided<[128], offset: ?>>\n"
    "  %r = vector.transfer_read %s[%c1], %one {in_bounds = [true]} : memref<20xf32, strided<[128], offset: ?>>, vector<16xf32>\n"
    f"  vector.transfer_write %r, %B[%c3, %c0] {{in_bounds = [true]}} : vector<16xf32>, {M}\n"
    "  %t = memref.subview %B[%i, 5] [20, 1] [1, 1] : memref<64x128xf32> to memref<20xf32, strided<[128], offset: ?>>\n"
    "  vector.transfer_write %r, %t[%c1] {in_bounds = [true]} : vector<16xf32>, memref<20xf32, strided<[128], offset: ?>>",
    "numbers out of rows": ROW + "  %x = vector.extract %r[3] : f32 from vector<64xf32>\n  %y = vector.extract %r[%i] : f32 from vector<64xf32>\n"
    "  %z = arith.addf %x, %y : f32\n  %w = vector.broadcast %z : f32 to vector<1x16x32xf32>\n"
    "  %e = vector.extract %w[0] : vector<16x32xf32> from vector<1x16x32xf32>\n"
    f"  vector.transfer_write %e, %B[%c0, %c0] {IN} : vector<16x32xf32>, {M}",
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
    "gathers by numbers of 32 bits": "  %y = arith.constant dense<[3,1,4,1,5,9,2,6,5,3,5,8,9,7,9,3]> : vector<16xi32>\n"
    "  %k = vector.constant_mask [13] : vector<16xi1>\n  %p = arith.constant dense<7.0> : vector<16xf32>\n"
    f"  %g = vector.gather %A[%c3] [%y], %k, %p : {V}, vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>\n"
    "  %z = arith.constant dense<[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]> : vector<16xi32>\n"
    f"  vector.scatter %B[%c1] [%z], %k, %g : {V}, vector<16xi32>, vector<16xi1>, vector<16xf32>",
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
    "'a' has elements of i32, which tile_mma does not multiply; legal are": "  %x = arith.constant dense<1> : vector<32x32xi32>\n"
    "  %y = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], "
    'iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %x, %x, %x : vector<32x32xi32>, vector<32x32xi32> into vector<32x32xi32>',
    r"vector<\[4\]x32xf32> is scalable; a tile has a size that is known": f"  %v = vector.transfer_read %A[%c0, %c0], %zero : {M}, vector<[4]x32xf32>",
    "'vector.load' does not become an operation on tiles; these do": f"  %v = vector.load %A[%c0, %c0] : {M}, vector<32xf32>\n  vector.store %v, %B[%c0, %c0] : {M}, vector<32xf32>",
    "takes vector<64xf32> out of vector<32x64xf32>, which moves elements between lanes": READ + "  %x = vector.extract %v[3] : vector<64xf32> from vector<32x64xf32>\n"
    f"  vector.transfer_write %x, %B[%c0, %c0] {{in_bounds = [true]}} : vector<64xf32>, {M}",
    "'base' is memref<20xf32, strided<.2.>>, which has a stride": "  %b = memref.alloc() : memref<40xf32>\n  %s = memref.subview %b[0] [20] [2] : memref<40xf32> to memref<20xf32, strided<[2]>>\n"
    "  %k = vector.create_mask %i : vector<16xi1>\n  %p = arith.constant dense<7.0> : vector<16xf32>\n"
    "  %g = vector.maskedload %s[%c0], %k, %p : memref<20xf32, strided<[2]>>, vector<16xi1>, vector<16xf32> into vector<16xf32>",
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


def test_functions_keep_the_vectors_that_their_callers_know() -> None:
    source = (
        "func.func @f(%v: vector<4x32xf32>) -> vector<32xf32> {\n  %z = arith.constant dense<0.0> : vector<32xf32>\n"
        "  %r = vector.multi_reduction <add>, %v, %z [0] : vector<4x32xf32> to vector<32xf32>\n  return %r : vector<32xf32>\n}"
    )
    with pytest.raises(XetileError, match="returns vector<32xf32>, and the vector of a tile"):
        converted(source)


THREE = """gpu.module @k { gpu.func @f(%A: memref<3x40x72xf32>, %B: memref<3x40x72xf32>, %i: index, %j: index) kernel
    attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.5 : f32
BODY
  gpu.return
} }"""
MIDDLE = """  %s = memref.subview %A[0, %i, %j] [3, 1, 40] [1, 1, 1] : memref<3x40x72xf32> to memref<3x40xf32, strided<[2880, 1], offset: ?>>
  %v = vector.transfer_read %s[%c1, %c0], %one {in_bounds = [true, true]} : memref<3x40xf32, strided<[2880, 1], offset: ?>>, vector<2x32xf32>
  vector.transfer_write %v, %B[%c1, %c0, %c0] {in_bounds = [true, true]} : vector<2x32xf32>, memref<3x40x72xf32>"""


@pytest.mark.parametrize("place", [(0, 0), (7, 16)])
def test_a_view_without_a_dimension_in_the_middle_is_the_matrix(
    place: tuple[int, int],
) -> None:
    """Its rows are far apart: a tile of the memref would have neighbours for them."""
    source = THREE.replace("BODY", MIDDLE)
    a = np.random.default_rng(2).integers(-9, 9, (3, 40, 72)).astype(np.float32)
    results = [np.zeros_like(a) for _ in range(2)]
    execute(parse(source), None, [a, results[0], *place])
    execute(converted(source), None, [a, results[1], *place])
    assert (results[0][1, :2, :32] == a[1:, place[0], place[1] : place[1] + 32]).all()
    assert (results[0] == results[1]).all()


@pytest.mark.parametrize(
    "access",
    [
        "%v = vector.transfer_read %A[%i, %c0, %c0], %one {in_bounds = [false, true, true]} : memref<3x40x72xf32>, vector<1x16x32xf32>\n"
        "  vector.transfer_write %v, %B[%c1, %c0, %c0] {in_bounds = [true, true, true]} : vector<1x16x32xf32>, memref<3x40x72xf32>",
        "%v = arith.constant dense<0.0> : vector<1x16x32xf32>\n  vector.transfer_write %v, %B[%i, %c0, %c0] {in_bounds = [false, true, true]} : vector<1x16x32xf32>, memref<3x40x72xf32>",
    ],
)
def test_a_dimension_in_front_has_to_be_in_bounds(access: str) -> None:
    source = THREE.replace("BODY", f"  {access}")
    with pytest.raises(XetileError, match="dimension 0 of memref<3x40x72xf32> may be left"):
        converted(source)
    sure = source.replace("[%i, %c0, %c0]", "[%c1, %c0, %c0]")
    assert "xetile.init_tile" in str(converted(sure))

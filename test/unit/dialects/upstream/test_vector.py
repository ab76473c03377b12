"""The vector dialect: what xDSL lacks, pure where it is pure."""

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import arith, test
from xdsl.dialects import vector as stock
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IndexType,
    MemRefType,
    VectorType,
    f16,
    f32,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser as StockParser
from xdsl.traits import (
    MemoryEffectKind,
    has_exact_effect,
    is_side_effect_free,
    is_speculatable,
)
from xdsl.utils.exceptions import ParseError, VerifyException

from xetile.dialects.modules import context, parse
from xetile.dialects.upstream import vector
from xetile.dialects.upstream.vector.vector_support import dense
from xetile.rewriting.kept_positions import canonicalize

Check = Callable[[str], None]

OPS = """
func.func @f(%a: vector<32x16xf16>, %b: vector<8x16xf16>, %v4: vector<2x3x8x16xf16>, %f: f16, %v: vector<16xf16>, %i: index, %m: memref<?x?xf32>, %mask: vector<16xi1>, %idx: vector<16xindex>, %p: vector<16xf32>, %m1: memref<?xf32>, %i32v: vector<16xi32>, %s0: vector<f16>, %sc: vector<4x[4]xf16>) {
  %0 = vector.extract_strided_slice %a {offsets = [0, 0], sizes = [8, 16], strides = [1, 1]} : vector<32x16xf16> to vector<8x16xf16>
  %1 = vector.extract_strided_slice %a {foo, offsets = [4], sizes = [8], strides = [1]} : vector<32x16xf16> to vector<8x16xf16>
  %2 = vector.insert_strided_slice %b, %a {offsets = [0, 0], strides = [1, 1]} : vector<8x16xf16> into vector<32x16xf16>
  %3 = vector.insert_strided_slice %v, %a {offsets = [4, 0], strides = [1], zoo = 1 : i32} : vector<16xf16> into vector<32x16xf16>
  %4 = vector.shape_cast %a {foo} : vector<32x16xf16> to vector<512xf16>
  %5 = vector.transpose %a, [1, 0] {foo} : vector<32x16xf16> to vector<16x32xf16>
  %6 = vector.transpose %sc, [1, 0] : vector<4x[4]xf16> to vector<[4]x4xf16>
  %7 = vector.multi_reduction <add>, %a, %v [0] : vector<32x16xf16> to vector<16xf16>
  %8 = vector.multi_reduction <maxnumf>, %a, %f {foo} [0, 1] : vector<32x16xf16> to f16
  %9 = vector.from_elements %f, %f, %f, %f {foo} : vector<2x2xf16>
  %10 = vector.from_elements %f : vector<f16>
  %11 = vector.constant_mask [4, 8] {foo} : vector<8x16xi1>
  %12 = vector.step {foo} : vector<16xindex>
  %13 = vector.gather %m1[%i] [%idx], %mask, %p : memref<?xf32>, vector<16xindex>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %14 = vector.gather %m[%i, %i] [%i32v], %mask, %p {alignment = 8 : i64} : memref<?x?xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  vector.scatter %m1[%i] [%idx], %mask, %p {alignment = 8 : i64} : memref<?xf32>, vector<16xindex>, vector<16xi1>, vector<16xf32>
  %15 = vector.extract %a[0] : vector<16xf16> from vector<32x16xf16>
  %16 = vector.extract %a[%i, 1] : f16 from vector<32x16xf16>
  %17 = vector.extract %v4[0, 1] : vector<8x16xf16> from vector<2x3x8x16xf16>
  %18 = vector.extract %s0[] : f16 from vector<f16>
  %19 = vector.insert %v, %a [0] : vector<16xf16> into vector<32x16xf16>
  %20 = vector.insert %f, %a [%i, 0] : f16 into vector<32x16xf16>
  %21 = vector.shuffle %v, %v [0, -1, 2, 31] {foo} : vector<16xf16>, vector<16xf16>
  %22 = vector.shuffle %a, %b [0, 1, 33] : vector<32x16xf16>, vector<8x16xf16>
  %23 = vector.shuffle %s0, %s0 [0, 1] : vector<f16>, vector<f16>
  %24 = vector.bitcast %v {foo} : vector<16xf16> to vector<8xi32>
  %25 = vector.broadcast %v : vector<16xf16> to vector<32x16xf16>
  %26 = vector.fma %a, %a, %a : vector<32x16xf16>
  %27 = vector.reduction <add>, %v fastmath<reassoc> : vector<16xf16> into f16
  %28 = vector.reduction <maximumf>, %v, %f {foo} : vector<16xf16> into f16
  %29 = vector.load %m[%i, %i] {alignment = 16 : i64, nontemporal = true} : memref<?x?xf32>, vector<8xf32>
  vector.store %29, %m[%i, %i] : memref<?x?xf32>, vector<8xf32>
  %30 = vector.maskedload %m1[%i], %mask, %p : memref<?xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  vector.maskedstore %m1[%i], %mask, %p {alignment = 4 : i64} : memref<?xf32>, vector<16xi1>, vector<16xf32>
  %31 = vector.create_mask %i, %i : vector<8x16xi1>
  func.return
}
"""

TO_ELEMENTS = """
func.func @f(%v: vector<2x2xf16>) -> f16 {
  %0:4 = vector.to_elements %v {foo} : vector<2x2xf16>
  func.return %0#3 : f16
}
"""


def test_round_trip(round_trip: Check):
    round_trip(OPS)
    round_trip(TO_ELEMENTS)


@pytest.mark.mlir_opt
def test_round_trip_through_mlir(mlir_round_trip: Check):
    mlir_round_trip(OPS)


@pytest.mark.parametrize(
    "line",
    [
        "%0 = vector.extract_strided_slice %v {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>",
        "%0 = vector.insert_strided_slice %v, %v {offsets = [0], strides = [1]} : vector<4xf32> into vector<4xf32>",
        "%0 = vector.shape_cast %v : vector<4xf32> to vector<2x2xf32>",
        "%0 = vector.transpose %v, [0] : vector<4xf32> to vector<4xf32>",
        "%0 = vector.from_elements %f : vector<1xf32>",
        "%0:4 = vector.to_elements %v : vector<4xf32>",
        "%0 = vector.constant_mask [2] : vector<4xi1>",
        "%0 = vector.step : vector<4xindex>",
        "%0 = vector.multi_reduction <add>, %v, %f [0] : vector<4xf32> to f32",
    ],
)
def test_stock_xdsl_refuses(line: str, stock_context: Context):
    """Gaps of xDSL 0.75; one that fails here needs no replacement any more."""
    text = f"func.func @f(%v: vector<4xf32>, %f: f32) {{ {line}\n func.return }}"
    parse(text).verify()
    with pytest.raises(ParseError):
        StockParser(stock_context, text).parse_module()


def test_stock_traits_are_missing():
    """Gaps of xDSL 0.75; each that fails here needs no replacement any more."""
    v, m, i = test.TestOp(
        result_types=[VectorType(f32, [4]), MemRefType(f32, [4]), IndexType()]
    ).results
    mask = DenseArrayBase.from_list(i64, [0, 1])
    pair = stock.ShuffleOp(v, v, mask, result_type=VectorType(f32, [2]))
    assert not is_speculatable(pair)
    assert not is_side_effect_free(stock.BitcastOp(v, VectorType(i32, [4])))
    assert not is_side_effect_free(stock.CreateMaskOp([i], VectorType(i1, [4])))
    assert not has_exact_effect(
        stock.LoadOp(m, [i], VectorType(f32, [4])), MemoryEffectKind.READ
    )
    reduction = stock.ReductionOp(v, stock.CombiningKindAttr(stock.CombiningKindFlag.ADD))
    assert reduction.dest.type == v.type


def test_every_op_is_in_the_dialect_once_and_none_is_lost():
    names = [operation.name for operation in vector.Vector.operations]
    assert len(names) == len(set(names))
    assert {operation.name for operation in stock.Vector.operations} <= set(names)


def test_ops_from_python_are_pure_and_have_their_types():
    a, v, i, f = test.TestOp(
        result_types=[VectorType(f16, [32, 16]), VectorType(f16, [8]), IndexType(), f16]
    ).results
    made: list[tuple[Operation, Attribute]] = [
        (vector.ExtractStridedSliceOp(a, [8], [4]), VectorType(f16, [4, 16])),
        (vector.InsertStridedSliceOp(v, a, [3, 8]), VectorType(f16, [32, 16])),
        (vector.ShapeCastOp(a, VectorType(f16, [512])), VectorType(f16, [512])),
        (vector.TransposeOp(a, [1, 0]), VectorType(f16, [16, 32])),
        (vector.MultiReductionOp("add", a, v, [0]), VectorType(f16, [16])),
        (vector.FromElementsOp([f, f], VectorType(f16, [2])), VectorType(f16, [2])),
        (vector.ConstantMaskOp([2], VectorType(i1, [4])), VectorType(i1, [4])),
        (vector.ShuffleOp(a, a, [0, 40]), VectorType(f16, [2, 16])),
        (vector.BitcastOp(v, VectorType(i32, [4])), VectorType(i32, [4])),
        (vector.CreateMaskOp([i], VectorType(i1, [4])), VectorType(i1, [4])),
    ]
    for operation, type in made:
        if operation.name != "vector.multi_reduction":
            operation.verify()
        assert operation.results[0].type == type
        assert is_side_effect_free(operation)
        assert is_speculatable(operation)
    with pytest.raises(VerifyException):
        made[4][0].verify()  # the accumulator has 8 elements, the sum 16


def test_memory_effects():
    arguments = (
        "%v: vector<4xf32>, %m: memref<16xf32>, %i: index, %k: vector<4xi1>, %x: vector<4xi32>"
    )
    at = "%m[%i]"
    reads = [
        f"vector.load {at} {{alignment = 16 : i64}} : memref<16xf32>, vector<4xf32>",
        f"vector.maskedload {at}, %k, %v : memref<16xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>",
        f"vector.gather {at} [%x], %k, %v : memref<16xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>",
    ]
    writes = [
        f"vector.store %v, {at} {{nontemporal = true}} : memref<16xf32>, vector<4xf32>",
        f"vector.maskedstore {at}, %k, %v : memref<16xf32>, vector<4xi1>, vector<4xf32>",
        f"vector.scatter {at} [%x], %k, %v : memref<16xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>",
    ]
    kinds = {MemoryEffectKind.READ: reads, MemoryEffectKind.WRITE: writes}
    for kind, texts in kinds.items():
        for text in texts:
            module = parse(
                f"func.func @f({arguments}) {{ {'%r = ' * (kind == MemoryEffectKind.READ)}{text} return }}"
            )
            operation = next(op for op in module.walk() if op.name.startswith("vector."))
            assert has_exact_effect(operation, kind)


def constant(values: np.ndarray, element: Attribute) -> SSAValue:
    type = VectorType(element, values.shape)
    return arith.ConstantOp(dense(type, values.tobytes())).result


def test_folding_slices_of_constants_is_numpys():
    values = np.arange(24, dtype=np.int32).reshape(4, 6)
    shuffled = vector.ShuffleOp(constant(values, i32), constant(values, i32), [3, 4, 0])
    assert shuffled.fold() == (dense(VectorType(i32, [3, 6]), values[[3, 0, 0]].tobytes()),)
    cast = vector.ShapeCastOp(constant(values, i32), VectorType(i32, [8, 3]))
    assert cast.fold() == (dense(VectorType(i32, [8, 3]), values.tobytes()),)
    rows = values.astype(np.int8)
    bits = vector.BitcastOp(constant(rows, i8), VectorType(i16, [4, 3]))
    assert bits.fold() == (dense(VectorType(i16, [4, 3]), rows.view(np.int16).tobytes()),)
    part = vector.ExtractStridedSliceOp(constant(values, i32), [1], [2])
    assert part.fold() is None  # only splats


def test_bits_of_booleans_are_not_folded():
    value = constant(np.zeros((8,), np.int8), i1)
    assert vector.BitcastOp(value, VectorType(i8, [1])).fold() is None


def shuffled(length: int, outer: list[int], inner: list[int], *, second: bool) -> list[int]:
    """What the canonicalized shuffles take, numbered through two vectors of `length`."""
    lanes = len(inner)
    operands = "%x, %s" if second else "%s, %x"
    text = f"""
func.func @f(%a: vector<{length}xi32>, %b: vector<{length}xi32>, %x: vector<{lanes}xi32>) -> vector<{len(outer)}xi32> {{
  %s = vector.shuffle %a, %b {inner} : vector<{length}xi32>, vector<{length}xi32>
  %r = vector.shuffle {operands} {outer} : vector<{lanes}xi32>, vector<{lanes}xi32>
  func.return %r : vector<{len(outer)}xi32>
}}"""
    module = parse(text)
    canonicalize(context(), module)
    module.verify()
    (left,) = (op for op in module.walk() if isinstance(op, vector.ShuffleOp))
    assert [operand.name_hint for operand in left.operands] == ["a", "b"]
    return list(left.mask.get_values())


def test_shuffles_compose():
    inner = [5, 0, 7, 2, -1]
    assert shuffled(4, [1, 4, 2, 0], inner, second=False) == [0, -1, 7, 5]
    assert shuffled(4, [6, 9, -1, 5], inner, second=True) == [0, -1, -1, 5]


def test_masks_of_constants():
    module = parse(
        "%a = arith.constant 3 : index\n%b = arith.constant 9 : index\n"
        '%m = vector.create_mask %a, %b : vector<4x8xi1>\n"test.op"(%m) : (vector<4x8xi1>) -> ()'
    )
    canonicalize(context(), module)
    (mask,) = (op for op in module.walk() if isinstance(op, vector.ConstantMaskOp))
    assert mask.mask_dim_sizes.get_values() == (3, 8)


def test_constants_are_materialized_by_arith():
    module = parse(
        "%a = arith.constant dense<1.0> : vector<4x4xf32>\n"
        '%t = vector.transpose %a, [1, 0] : vector<4x4xf32> to vector<4x4xf32>\n"test.op"(%t) : (vector<4x4xf32>) -> ()'
    )
    canonicalize(context(), module)
    (use,) = (op for op in module.walk() if op.name == "test.op")
    owner = use.operands[0].owner
    assert isinstance(owner, arith.ConstantOp)
    assert isinstance(owner.value, DenseIntOrFPElementsAttr)

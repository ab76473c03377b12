"""The memref dialect: the custom forms that xDSL lacks."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import memref as stock
from xdsl.dialects import test
from xdsl.dialects.builtin import (
    MemRefType,
    StridedLayoutAttr,
    f32,
)
from xdsl.ir import Attribute, Operation
from xdsl.parser import Parser as StockParser
from xdsl.traits import is_side_effect_free, is_speculatable
from xdsl.utils.exceptions import ParseError

from xetile.dialects.modules import Parser, context, parse
from xetile.dialects.upstream import memref
from xetile.dialects.upstream.memref.views import casts

Check = Callable[[str], None]

OPS = """
memref.global "private" constant @g : memref<2xf32> = dense<[1.0, 2.0]>
memref.global @h : memref<2xf32, 3> {foo}
memref.global @h2 : memref<2xf32> = uninitialized {alignment = 64 : i64}
func.func @f(%a: memref<16x32xf32>, %d: memref<?x?xf32>, %i: index, %u: memref<*xf32>, %s: memref<16x32xf32, strided<[64, 1], offset: 4>>, %b: memref<2048xi8>, %x: f32) {
  %0 = memref.cast %a {foo} : memref<16x32xf32> to memref<?x?xf32>
  %1 = memref.cast %u : memref<*xf32> to memref<?xf32>
  %2 = memref.cast %s : memref<16x32xf32, strided<[64, 1], offset: 4>> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  memref.copy %a, %d {foo} : memref<16x32xf32> to memref<?x?xf32>
  %3 = memref.transpose %a (i, j) -> (j, i) {foo} : memref<16x32xf32> to memref<32x16xf32, strided<[1, 32]>>
  %4 = memref.extract_aligned_pointer_as_index %a : memref<16x32xf32> -> index {foo}
  %5 = memref.extract_aligned_pointer_as_index %u : memref<*xf32> -> index
  %6 = memref.reinterpret_cast %a to offset: [0], sizes: [8, 8], strides: [32, 1] : memref<16x32xf32> to memref<8x8xf32, strided<[32, 1]>>
  %7 = memref.view %b[%i][] : memref<2048xi8> to memref<64x4xf32>
  %8 = memref.subview %a[4, 0] [8, 16] [1, 1] : memref<16x32xf32> to memref<8x16xf32, strided<[32, 1], offset: 128>>
  %9 = memref.subview %d[%i, 0] [%i, 16] [1, 1] : memref<?x?xf32> to memref<?x16xf32, strided<[?, 1], offset: ?>>
  %10 = memref.alloc(%i) {alignment = 64 : i64} : memref<?xf32>
  %11 = memref.alloca() : memref<16xf32, #gpu.address_space<workgroup>>
  memref.dealloc %10 : memref<?xf32>
  %12 = memref.load %a[%i, %i] : memref<16x32xf32>
  memref.store %12, %a[%i, %i] : memref<16x32xf32>
  %13 = memref.dim {foo} %d, %i : memref<?x?xf32>
  %14 = memref.rank %d {foo} : memref<?x?xf32>
  %15 = memref.memory_space_cast %a {foo} : memref<16x32xf32> to memref<16x32xf32, 3>
  %16 = memref.collapse_shape %a [[0, 1]] : memref<16x32xf32> into memref<512xf32>
  %17 = memref.atomic_rmw addf %x, %a[%i, %i] {foo} : (f32, memref<16x32xf32>) -> f32
  %18 = memref.get_global @g : memref<2xf32>
  func.return
}
"""

METADATA = """
func.func @f(%d: memref<?x?xf32>) -> index {
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %d : memref<?x?xf32> -> memref<f32>, index, index, index, index, index
  func.return %strides#1 : index
}
"""


def test_round_trip(round_trip: Check):
    round_trip(OPS)
    round_trip(METADATA)


@pytest.mark.mlir_opt
def test_round_trip_through_mlir(mlir_round_trip: Check):
    mlir_round_trip(OPS)


@pytest.mark.parametrize(
    "line",
    [
        "%0 = memref.cast %a : memref<4xf32> to memref<?xf32>",
        "memref.copy %a, %a : memref<4xf32> to memref<4xf32>",
        "%0 = memref.extract_aligned_pointer_as_index %a : memref<4xf32> -> index",
        "%0 = memref.rank %a : memref<4xf32>",
        "%0 = memref.memory_space_cast %a : memref<4xf32> to memref<4xf32, 3>",
        "%0 = memref.transpose %a (i) -> (i) : memref<4xf32> to memref<4xf32, strided<[1]>>",
        "%0 = memref.atomic_rmw addf %x, %a[%i] : (f32, memref<4xf32>) -> f32",
    ],
)
def test_stock_xdsl_refuses(line: str, stock_context: Context):
    """Gaps of xDSL 0.75; one that fails here needs no replacement any more."""
    text = f"func.func @f(%a: memref<4xf32>, %x: f32, %i: index) {{ {line}\n func.return }}"
    parse(text).verify()
    with pytest.raises(ParseError):
        StockParser(stock_context, text).parse_module()


def test_every_op_is_in_the_dialect_once_and_none_is_lost():
    names = [operation.name for operation in memref.MemRef.operations]
    assert len(names) == len(set(names))
    assert {operation.name for operation in stock.MemRef.operations} <= set(names)


def test_ops_from_python():
    a, i = test.TestOp(result_types=[MemRefType(f32, [16, 32]), parse_type("index")]).results
    transposed = memref.TransposeOp(a, [1, 0])
    assert transposed.result.type == MemRefType(f32, [32, 16], StridedLayoutAttr([1, 32], 0))
    pointer = memref.ExtractAlignedPointerAsIndexOp(a)
    made: list[Operation] = [
        transposed,
        pointer,
        memref.CastOp(a, MemRefType(f32, [-1, 32])),
        memref.DimOp(a, i),
    ]
    for operation in made:
        operation.verify()
    assert is_side_effect_free(pointer)
    assert is_speculatable(pointer)
    assert not is_speculatable(memref.DimOp(a, i))


def parse_type(text: str) -> Attribute:
    return Parser(context(), text).parse_type()


CASTS = [
    ("memref<4xf32>", "memref<?xf32>", True),
    ("memref<4xf32>", "memref<5xf32>", False),
    ("memref<4xf32>", "memref<4xf16>", False),
    ("memref<4xf32>", "memref<4x1xf32>", False),
    ("memref<4xf32>", "memref<4xf32, 3>", False),
    ("memref<4xf32>", "memref<*xf32>", True),
    ("memref<*xf32>", "memref<*xf32>", False),
    ("memref<*xf32>", "memref<4xf16>", False),
    ("memref<4x4xf32>", "memref<?x?xf32, strided<[?, 1], offset: ?>>", True),
    ("memref<4x4xf32>", "memref<4x4xf32, strided<[4, 1]>>", True),
    ("memref<4x4xf32>", "memref<4x4xf32, strided<[8, 1]>>", False),
    ("memref<4x4xf32, strided<[?, 1]>>", "memref<4x4xf32, strided<[8, 1]>>", True),
    ("memref<4x4xf32>", "memref<4x4xf32, strided<[4, 1], offset: 2>>", False),
]


@pytest.mark.parametrize(("source", "dest", "legal"), CASTS)
def test_casts(source: str, dest: str, legal: bool):
    assert casts(parse_type(source), parse_type(dest)) == legal


@pytest.mark.mlir_opt
def test_casts_are_mlirs(mlir_opt: Path):
    for source, dest, legal in CASTS:
        text = f"func.func @f(%a: {source}) {{ %0 = memref.cast %a : {source} to {dest}\n return }}"
        done = subprocess.run(
            [str(mlir_opt)], input=text, capture_output=True, text=True, check=False
        )
        assert (done.returncode == 0) == legal, (source, dest, done.stderr)

"""vector.mask: text, and what mlir-opt refuses."""

from collections.abc import Callable

import pytest
from xdsl.context import Context
from xdsl.parser import Parser as StockParser
from xdsl.traits import is_side_effect_free
from xdsl.utils.exceptions import ParseError, VerifyException

from xetile.dialects.modules import parse
from xetile.dialects.upstream.vector import MaskOp

HEAD = """func.func @f(%a: memref<?x?xf32>, %m: vector<8x16xi1>, %m3: vector<8x16x4xi1>, %m1: vector<16xi1>, %mt: vector<16x8xi1>, %p: f32, %i: index, %v: vector<8x16xf32>, %x: vector<8x4xf32>, %y: vector<4x16xf32>, %r: vector<8xf32>, %g: memref<?xf32>, %j: vector<16xindex>, %w: vector<16xf32>) {
"""
READ = "vector.transfer_read %a[%i, %i], %p : memref<?x?xf32>, vector<8x16xf32>"
SUMS = "vector.multi_reduction <add>, %v, %r [1] : vector<8x16xf32> to vector<8xf32>"
LINES = (
    f"%0 = vector.mask %m {{ {READ} }} : vector<8x16xi1> -> vector<8x16xf32>",
    f"%1 = vector.mask %m, %v {{ {READ} }} : vector<8x16xi1> -> vector<8x16xf32>",
    "%2 = vector.mask %mt { vector.transfer_read %a[%i, %i], %p {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<?x?xf32>, vector<8x16xf32> } : vector<16x8xi1> -> vector<8x16xf32>",
    "vector.mask %m { vector.transfer_write %v, %a[%i, %i] : vector<8x16xf32>, memref<?x?xf32> } : vector<8x16xi1>",
    "%3 = vector.mask %m3 { vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], "
    'iterator_types = ["parallel", "parallel", "reduction"]} %x, %y, %v : vector<8x4xf32>, vector<4x16xf32> into vector<8x16xf32> } : vector<8x16x4xi1> -> vector<8x16xf32>',
    f"%4 = vector.mask %m {{ {SUMS} }} {{foo}} : vector<8x16xi1> -> vector<8xf32>",
    "%5 = vector.mask %m1 { vector.reduction <add>, %w : vector<16xf32> into f32 } : vector<16xi1> -> f32",
    "%6 = vector.mask %m1 { vector.gather %g[%i] [%j], %m1, %w : memref<?xf32>, vector<16xindex>, vector<16xi1>, vector<16xf32> into vector<16xf32> } : vector<16xi1> -> vector<16xf32>",
    "%7 = vector.mask %m { vector.outerproduct %r, %w : vector<8xf32>, vector<16xf32> } : vector<8x16xi1> -> vector<8x16xf32>",
    "%8 = vector.mask %m { vector.yield %v : vector<8x16xf32> } : vector<8x16xi1> -> vector<8x16xf32>",
)


def text(*lines: str) -> str:
    body = "\n".join(f"  {line}" for line in lines)
    return f"{HEAD}{body}\n  func.return\n}}\n"


def test_round_trip(round_trip: Callable[[str], None]):
    round_trip(text(*LINES))


@pytest.mark.mlir_opt
def test_round_trip_through_mlir(mlir_round_trip: Callable[[str], None]):
    mlir_round_trip(text(*LINES))


def test_a_region_without_an_op_yields_nothing():
    module = parse(text("vector.mask %m { } : vector<8x16xi1>"))
    (op,) = (op for op in module.walk() if isinstance(op, MaskOp))
    assert op.masked is None
    op.verify()


def test_stock_xdsl_refuses(stock_context: Context):
    """A gap of xDSL 0.75; if this fails, it needs no replacement any more."""
    with pytest.raises(ParseError):
        StockParser(stock_context, text(LINES[0])).parse_module()


def test_effects_are_those_of_the_op_inside():
    module = parse(text(LINES[3], LINES[5]))
    write, sums = (op for op in module.walk() if isinstance(op, MaskOp))
    assert not is_side_effect_free(write)
    assert is_side_effect_free(sums)


WRONG = {
    "'arith.addf' has no masked form; these have: vector.transfer_read, ": "%0 = vector.mask %m { arith.addf %v, %v : vector<8x16xf32> } : vector<8x16xi1> -> vector<8x16xf32>",
    "'mask' is vector<16x8xi1>, expected vector<8x16xi1> for 'vector.multi_reduction'": f"%0 = vector.mask %mt {{ {SUMS} }} : vector<16x8xi1> -> vector<8xf32>",
    "the region yields vector<8xf32>, the results are vector<16xf32>": f"%0 = vector.mask %m {{ {SUMS} }} : vector<8x16xi1> -> vector<16xf32>",
    "the region yields vector<8xf32>, the results are nothing": f"vector.mask %m {{ {SUMS} }} : vector<8x16xi1>",
    "'vector.multi_reduction' passes nothing through, only vector.transfer_read does": f"%0 = vector.mask %m, %r {{ {SUMS} }} : vector<8x16xi1> -> vector<8xf32>",
    "'passthru' is vector<8xf32>, expected vector<8x16xf32>": f'%0 = "vector.mask"(%m, %r) ({{ %1 = {READ}\n vector.yield %1 : vector<8x16xf32> }}) : (vector<8x16xi1>, vector<8xf32>) -> vector<8x16xf32>',
    "the region has 2 ops to mask, expected one": f"%0 = vector.mask %m {{ %1 = {SUMS}\n {SUMS} }} : vector<8x16xi1> -> vector<8xf32>",
    "the region does not yield what 'vector.multi_reduction' gives": f"%0 = vector.mask %m {{ %1 = {SUMS}\n vector.yield %r : vector<8xf32> }} : vector<8x16xi1> -> vector<8xf32>",
    "the region has arguments, expected none": '%0 = "vector.mask"(%m) ({\n^bb0(%k: index):\n  vector.yield %r : vector<8xf32> }) : (vector<8x16xi1>) -> vector<8xf32>',
    "the region does not end with vector.yield": '"vector.mask"(%m) ({\n^bb0:\n  llvm.unreachable\n  }) : (vector<8x16xi1>) -> ()',
}  # fmt: skip


@pytest.mark.parametrize("words", WRONG)
def test_what_does_not_fit_is_refused(words: str):
    module = parse(text(WRONG[words]))
    with pytest.raises(VerifyException) as refused:
        next(op for op in module.walk() if isinstance(op, MaskOp)).verify()
    assert words in str(refused.value)

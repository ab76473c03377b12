"""vector.contract and vector.outerproduct: text, and what mlir-opt refuses."""

from collections.abc import Callable

import pytest
from xdsl.context import Context
from xdsl.parser import Parser as StockParser
from xdsl.utils.exceptions import ParseError, VerifyException

from xetile.dialects.modules import parse
from xetile.dialects.upstream.vector import ContractionOp

OPS = """
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
#trait = {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
func.func @f(%a: vector<8x16xf16>, %b: vector<16x4xf16>, %c: vector<8x4xf32>, %v: vector<8xf32>, %w: vector<4xf32>, %s: f32, %t: vector<3x8x16xf16>, %u: vector<3x4x16xf16>, %x: vector<3x8x4xf32>) {
  %0 = vector.contract #trait %a, %b, %c : vector<8x16xf16>, vector<16x4xf16> into vector<8x4xf32>
  %1 = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<maxnumf>} %a, %b, %c {foo} : vector<8x16xf16>, vector<16x4xf16> into vector<8x4xf32>
  %2 = vector.contract {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} %t, %u, %x : vector<3x8x16xf16>, vector<3x4x16xf16> into vector<3x8x4xf32>
  %3 = vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %v, %v, %s : vector<8xf32>, vector<8xf32> into f32
  %4 = vector.outerproduct %v, %w, %c {kind = #vector.kind<maxnumf>} : vector<8xf32>, vector<4xf32>
  %5 = vector.outerproduct %v, %w : vector<8xf32>, vector<4xf32>
  %6 = vector.outerproduct %v, %s, %v {foo} : vector<8xf32>, f32
  func.return
}
"""


def test_round_trip(round_trip: Callable[[str], None]):
    round_trip(OPS)


@pytest.mark.mlir_opt
def test_round_trip_through_mlir(mlir_round_trip: Callable[[str], None]):
    mlir_round_trip(OPS)


@pytest.mark.parametrize("line", [line for line in OPS.splitlines() if " = vector." in line])
def test_stock_xdsl_refuses(line: str, stock_context: Context):
    """Gaps of xDSL 0.75; one that fails here needs no replacement any more."""
    text = "\n".join([*OPS.splitlines()[:6], line, "  func.return\n}"])
    with pytest.raises(ParseError):
        StockParser(stock_context, text).parse_module()


WRONG = {
    "has 2 maps, expected 3": "[#a, #b], %a, %b, %c : vector<8x16xf16>, vector<16x4xf16> into vector<8x4xf32>",
    "dimension 2 has extent 8 in 'rhs', 16 before": "[#a, #b, #c], %a, %b, %c : vector<8x16xf16>, vector<8x4xf16> into vector<8x4xf32>",
    "goes from 3 dimensions to 2": "[#a, #b, #c], %a, %b, %c : vector<8x16xf16>, vector<16xf16> into vector<8x4xf32>",
    "dimension 1 is parallel, and is not one of": "[#a, #b, #a], %a, %b, %c : vector<8x16xf16>, vector<16x4xf16> into vector<8x16xf32>",
}


@pytest.mark.parametrize("words", WRONG)
def test_what_does_not_fit_is_refused(words: str):
    maps, _, rest = WRONG[words].partition("], ")
    values, _, types = rest.partition(" : ")
    one, two, three = types.replace(" into ", ", ").split(", ")
    text = "\n".join(OPS.splitlines()[:4]) + (
        f"\nfunc.func @f(%a: {one}, %b: {two}, %c: {three}) {{\n"
        f'  %0 = vector.contract {{indexing_maps = {maps}], iterator_types = ["parallel", "parallel", "reduction"]}} '
        f"{values} : {types}\n  func.return\n}}"
    )
    module = parse(text)
    with pytest.raises(VerifyException, match=words.replace("'", ".")):
        next(op for op in module.walk() if isinstance(op, ContractionOp)).verify()

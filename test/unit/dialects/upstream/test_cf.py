"""Branches hand on what blocks take."""

from pathlib import Path

from xdsl.context import Context
from xdsl.dialects import cf as stock
from xdsl.parser import Parser as StockParser

from xetile.dialects.modules import parse
from xetile.dialects.upstream import cf

PROGRAMS = Path(__file__).parents[3] / "ir" / "dialects" / "upstream" / "cf" / "invalid.mlir"

RIGHT = """
func.func @f(%c: i1, %k: i32, %x: f32, %y: i64) -> i64 {
  cf.cond_br %c, ^bb1(%x : f32), ^bb2
^bb1(%a: f32):
  cf.br ^bb3(%y : i64)
^bb2:
  cf.switch %k : i32, [
    default: ^bb1(%x : f32),
    7: ^bb3(%y : i64),
    8: ^bb4
  ]
^bb3(%b: i64):
  func.return %b : i64
^bb4:
  func.return %y : i64
}
"""


def test_right_branches_verify() -> None:
    parse(RIGHT).verify()


def test_stock_xdsl_does_not_compare_types(stock_context: Context) -> None:
    """Gap of xDSL 0.75: once this fails, its dialect may do."""
    for chunk in PROGRAMS.read_text().split("// -----\n"):
        StockParser(stock_context, chunk).parse_module().verify()


def test_every_op_is_in_the_dialect() -> None:
    names = [operation.name for operation in cf.Cf.operations]
    assert names == [operation.name for operation in stock.Cf.operations]

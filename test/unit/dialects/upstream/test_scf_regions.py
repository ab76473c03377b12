"""scf.if and scf.while are checked where xDSL leaves them unchecked."""

import pytest
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, i1, i32
from xdsl.ir import Block, Region
from xdsl.parser import Parser as StockParser
from xdsl.utils.exceptions import ParseError

from xetile.api import parse
from xetile.dialects.modules import parse as read
from xetile.dialects.upstream.arith import ConstantOp
from xetile.errors import XetileError

WRONG = {
    "nothing yielded": (
        """func.func @f(%c: i1, %x: i32) -> i32 {
  %r = scf.if %c -> (i32) {
  } else {
    scf.yield %x : i32
  }
  func.return %r : i32
}
""",
        "<text>:2:3: error: it gives (), expected (i32)",
    ),
    "another type yielded": (
        """func.func @f(%c: i1, %x: i32) -> i32 {
  %r = scf.if %c -> (i32) {
    scf.yield %c : i1
  } else {
    scf.yield %x : i32
  }
  func.return %r : i32
}
""",
        "<text>:3:5: error: it gives (i1), expected (i32)",
    ),
    "no else": (
        """func.func @f(%c: i1, %x: i32) -> i32 {
  %r = "scf.if"(%c) ({
    scf.yield %x : i32
  }, {
  }) : (i1) -> i32
  func.return %r : i32
}
""",
        "<text>:2:3: error: it has 1 results and no else region that would give them",
    ),
    "while passes too little": (
        """func.func @f(%c: i1, %x: i32) -> i32 {
  %r = scf.while (%a = %x) : (i32) -> i32 {
    scf.condition(%c)
  } do {
  ^bb0(%b: i32):
    scf.yield %b : i32
  }
  func.return %r : i32
}
""",
        "<text>:3:5: error: it gives (), expected (i32)",
    ),
    "while takes something else": (
        """func.func @f(%c: i1, %x: i32) -> i32 {
  %r = scf.while (%a = %x) : (i32) -> i32 {
    scf.condition(%c) %a : i32
  } do {
  ^bb0(%b: i64):
    scf.yield %x : i32
  }
  func.return %r : i32
}
""",
        "<text>:2:3: error: its after region takes (i64), expected (i32)",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused(name: str):
    source, message = WRONG[name]
    with pytest.raises(XetileError) as error:
        parse(source)
    assert str(error.value) == message


def test_xdsl_still_leaves_a_yield_of_scf_if_unchecked():
    condition = ConstantOp(IntegerAttr(1, i1))
    regions = [Region(Block([scf.YieldOp()])) for _ in range(2)]
    scf.IfOp(condition.results[0], [i32], regions[0], regions[1]).verify()


REDUCED = """
func.func @f(%i: index, %x: f32) -> f32 {
  %r = scf.parallel (%k) = (%i) to (%i) step (%i) init (%x) -> f32 {
    scf.reduce(%x : f32) {
    ^bb0(%l: f32, %m: f32):
      scf.reduce.return %m : f32
    }
  }
  func.return %r : f32
}
"""


def test_stock_xdsl_reads_no_custom_form(stock_context: Context):
    """Gap of xDSL 0.75: once this fails, scf.parallel may be xDSL's."""
    read(REDUCED).verify()
    with pytest.raises(ParseError):
        StockParser(stock_context, REDUCED).parse_module()


def test_stock_xdsl_reads_no_single_type_without_parentheses(stock_context: Context):
    """Gap of xDSL 0.75: once this fails, scf.if and scf.for may be xDSL's."""
    text = """func.func @f(%p: i1, %a: f32) {
  %y = scf.if %p -> f32 {
    scf.yield %a : f32
  } else {
    scf.yield %a : f32
  }
  func.return
}"""
    read(text).verify()
    with pytest.raises(ParseError):
        StockParser(stock_context, text).parse_module()

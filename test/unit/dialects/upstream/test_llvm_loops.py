"""What branches of the llvm dialect say of loops."""

from collections.abc import Callable

import pytest
from xdsl.context import Context
from xdsl.parser import Parser as StockParser
from xdsl.utils.exceptions import ParseError

from xetile.dialects.modules import parse
from xetile.dialects.upstream.llvm import annotation_of

Check = Callable[[str], None]

LOOPS = """
llvm.func @k(%n: i32) {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.br ^head(%0 : i32)
^head(%k: i32):
  %again = llvm.icmp "slt" %k, %n : i32
  llvm.cond_br %again, ^body, ^other
^body:
  llvm.br ^head(%k : i32) {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
^other:
  llvm.cond_br %again, ^other, ^end {loop_annotation = #llvm.loop_annotation<disableNonforced = false,
      unroll = <disable = false, count = 4 : i32, runtimeDisable = false, full = false>, mustProgress = true>}
^end:
  llvm.return
}
"""


def test_round_trip(round_trip: Check):
    round_trip(LOOPS)


@pytest.mark.mlir_opt
def test_round_trip_through_mlir(mlir_round_trip: Check):
    """The custom and the generic form, in which mlir-opt gives attributes names of their own."""
    mlir_round_trip(LOOPS)


def test_where_the_annotation_is():
    said = [annotation_of(op) for op in parse(LOOPS).walk()]
    assert [str(found) for found in said if found is not None] == [
        "#llvm.loop_annotation<unroll = <disable = true>>",
        "#llvm.loop_annotation<disableNonforced = false, unroll = <disable = false, count = 4 : i32, "
        "runtimeDisable = false, full = false>, mustProgress = true>",
    ]


def test_stock_xdsl_refuses(stock_context: Context):
    """Where this fails, xDSL has annotations of its own."""
    with pytest.raises(ParseError, match="loop_annotation"):
        StockParser(stock_context, LOOPS).parse_module()


def test_what_is_said_of_other_transformations():
    text = LOOPS.replace("unroll = <disable = true>", "vectorize = <disable = true>")
    with pytest.raises(
        ParseError, match=r"'vectorize' is no parameter.*legal are disableNonf"
    ):
        parse(text)

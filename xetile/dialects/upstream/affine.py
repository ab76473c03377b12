"""The affine dialect of xDSL, with affine.max, which xDSL 0.75 lacks (test_affine.py fails once it has it).

Source: `llvm 22.1.8 mlir/include/mlir/Dialect/Affine/IR/AffineOps.td`, the text as mlir-opt 22 reads it.
"""

from typing import Self

from xdsl.dialects.affine import Affine as StockAffine
from xdsl.dialects.affine import MinOp
from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.upstream.bases import dialect_over


@irdl_op_definition
class MaxOp(IRDLOperation):
    """The largest of the results of a map, as signed numbers."""

    name = "affine.max"

    arguments = var_operand_def(IndexType())
    result = result_def(IndexType())

    map = prop_def(AffineMapAttr)

    traits = traits_def(Pure())

    def verify_(self) -> None:
        map = self.map.data
        expected, found = map.num_dims + map.num_symbols, len(self.arguments)
        if found != expected:
            raise VerifyException(f"the map takes {expected} operands, {found} are given")
        if not map.results:
            raise VerifyException("the map has no results; expected one or more")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        like = MinOp.parse(parser)
        made = cls.create(
            operands=list(like.operands),
            result_types=[IndexType()],
            properties={"map": like.map},
        )
        like.erase()
        return made

    def print(self, printer: Printer) -> None:
        map = self.map.data
        printer.print_string(" ")
        printer.print_attribute(self.map)
        dimensions, symbols = self.arguments[: map.num_dims], self.arguments[map.num_dims :]
        with printer.in_parens():
            printer.print_list(dimensions, printer.print_operand)
        if symbols:
            with printer.in_square_brackets():
                printer.print_list(symbols, printer.print_operand)


Affine = dialect_over(StockAffine, [MaxOp])

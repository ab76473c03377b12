"""The scf dialect of xDSL, with the form of `scf.parallel` that xDSL 0.75 lacks (test_scf_regions.py fails when not).

Source: `llvm 22.1.8 mlir/Dialect/SCF/IR/SCFOps.td`, the text as mlir-opt 22 prints it.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext

from xdsl.dialects.builtin import IndexType
from xdsl.dialects.scf import ParallelOp as StockParallelOp
from xdsl.dialects.scf import Scf as StockScf
from xdsl.ir import Dialect, Operation, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from xetile.dialects.upstream.scf_results import ForOp, IfOp, parse_types


class ParallelOp(StockParallelOp):
    """A nest of loops whose iterations do not depend on one another."""

    @classmethod
    def parse(cls, parser: Parser) -> "ParallelOp":
        """Read `(%i) = (%lower) to (%upper) step (%step) init (%x) -> type { ... }`."""
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        lower = _parse_indices(parser, "=")
        upper = _parse_indices(parser, "to")
        step = _parse_indices(parser, "step")
        start: Sequence[SSAValue] = ()
        if parser.parse_optional_keyword("init") is not None:
            position, names = parser.pos, _parse_names(parser)
            parser.parse_punctuation("->")
            start = parser.resolve_operands(names, parse_types(parser), position)
        body = parser.parse_region([argument.resolve(IndexType()) for argument in arguments])
        operation = cls(lower, upper, step, body, start)
        operation.attributes |= parser.parse_optional_attr_dict()
        return operation

    def print(self, printer: Printer) -> None:
        heads = (" ", " = ", " to ", " step ")
        lists = (self.body.block.args, self.lowerBound, self.upperBound, self.step)
        for head, values in zip(heads, lists, strict=True):
            printer.print_string(head)
            _print_values(printer, values)
        if self.initVals:
            printer.print_string(" init ")
            _print_values(printer, self.initVals)
            printer.print_string(" -> ")
            types = self.initVals.types
            with nullcontext() if len(types) == 1 else printer.in_parens():
                printer.print_list(types, printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes)


def _parse_names(parser: Parser) -> list[UnresolvedOperand]:
    return parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, parser.parse_unresolved_operand
    )


def _parse_indices(parser: Parser, word: str) -> Sequence[SSAValue]:
    parser.parse_characters(word)
    return [parser.resolve_operand(name, IndexType()) for name in _parse_names(parser)]


def _print_values(printer: Printer, values: Sequence[SSAValue]) -> None:
    with printer.in_parens():
        printer.print_list(values, printer.print_ssa_value)


_OURS: Mapping[str, type[Operation]] = {op.name: op for op in (ForOp, IfOp, ParallelOp)}

Scf = Dialect(
    "scf",
    [_OURS.get(op.name, op) for op in StockScf.operations],
)

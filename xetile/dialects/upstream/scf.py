"""The scf dialect: xDSL's, with the custom forms of scf.parallel and scf.reduce, which it lacks in 0.74.0.

Source: `llvm 22.1.8 mlir/Dialect/SCF/IR/SCFOps.td`, the text as mlir-opt 22 prints it.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import IndexType
from xdsl.dialects.scf import ParallelOp as StockParallelOp
from xdsl.dialects.scf import ReduceOp as StockReduceOp
from xdsl.dialects.scf import Scf as StockScf
from xdsl.ir import Attribute, Dialect, Operation, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer


class ParallelOp(StockParallelOp):
    """A nest of loops whose iterations do not depend on one another."""

    @classmethod
    def parse(cls, parser: Parser) -> "ParallelOp":
        """Read `(%i) = (%lower) to (%upper) step (%step) init (%x) -> type { ... }`."""
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        parser.parse_punctuation("=")
        lower = _parse_indices(parser)
        parser.parse_keyword("to")
        upper = _parse_indices(parser)
        parser.parse_keyword("step")
        step = _parse_indices(parser)
        start: Sequence[SSAValue] = ()
        if parser.parse_optional_keyword("init") is not None:
            position = parser.pos
            names = _parse_names(parser)
            parser.parse_punctuation("->")
            start = parser.resolve_operands(names, _parse_types(parser), position)
        body = parser.parse_region([argument.resolve(IndexType()) for argument in arguments])
        operation = cls(lower, upper, step, body, start)
        operation.attributes |= parser.parse_optional_attr_dict()
        return operation

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        _print_values(printer, self.body.block.args)
        for word, values in ((" = ", self.lowerBound), (" to ", self.upperBound)):
            printer.print_string(word)
            _print_values(printer, values)
        printer.print_string(" step ")
        _print_values(printer, self.step)
        if self.initVals:
            printer.print_string(" init ")
            _print_values(printer, self.initVals)
            printer.print_string(" -> ")
            types = [value.type for value in self.initVals]
            if len(types) == 1:
                printer.print_attribute(types[0])
            else:
                with printer.in_parens():
                    printer.print_list(types, printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes)


class ReduceOp(StockReduceOp):
    """Hands the values of an iteration on, and says how each is added to what there is."""

    @classmethod
    def parse(cls, parser: Parser) -> "ReduceOp":
        """Read `(%x, %y : type, type) { ... }, { ... } {...}`."""
        operands: Sequence[SSAValue] = ()
        position = parser.pos
        if parser.parse_optional_punctuation("(") is not None:
            names = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, parser.parse_unresolved_operand
            )
            parser.parse_punctuation(":")
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
            parser.parse_punctuation(")")
            operands = parser.resolve_operands(names, types, position)
        regions: list[Region] = []
        while len(regions) < len(operands):
            if regions:
                parser.parse_punctuation(",")
            regions.append(parser.parse_region())
        operation = cls(operands, regions)
        operation.attributes |= parser.parse_optional_attr_dict()
        return operation

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        if self.args:
            with printer.in_parens():
                printer.print_list(self.args, printer.print_ssa_value)
                printer.print_string(" : ")
                types = [value.type for value in self.args]
                printer.print_list(types, printer.print_attribute)
            printer.print_string(" ")
            printer.print_list(self.reductions, printer.print_region)
        printer.print_op_attributes(self.attributes)


def _parse_names(parser: Parser) -> list[UnresolvedOperand]:
    return parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, parser.parse_unresolved_operand
    )


def _parse_indices(parser: Parser) -> Sequence[SSAValue]:
    return [parser.resolve_operand(name, IndexType()) for name in _parse_names(parser)]


def _parse_types(parser: Parser) -> Sequence[Attribute]:
    found = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if found is None else found


def _print_values(printer: Printer, values: Sequence[SSAValue]) -> None:
    with printer.in_parens():
        printer.print_list(values, printer.print_ssa_value)


_OURS: Mapping[str, type[Operation]] = {op.name: op for op in (ParallelOp, ReduceOp)}

Scf = Dialect(
    "scf",
    [_OURS.get(op.name, op) for op in StockScf.operations],
)

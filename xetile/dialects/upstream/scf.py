"""The scf dialect of xDSL, with forms that xDSL 0.75 lacks (test_scf_regions.py fails once it has them).

- `scf.parallel`, as mlir-opt 22 prints it.
  Source: `llvm 22.1.8 mlir/Dialect/SCF/IR/SCFOps.td`.
- `scf.if` and `scf.for` with one type without parentheses.
  Source: `llvm 22.1.8 mlir/lib/Dialect/SCF/IR/SCF.cpp`, `parseOptionalArrowTypeList`.
"""

from collections.abc import Sequence
from contextlib import nullcontext

from xdsl.dialects.builtin import IndexType, i1
from xdsl.dialects.scf import ForOp as StockForOp
from xdsl.dialects.scf import IfOp as StockIfOp
from xdsl.dialects.scf import ParallelOp as StockParallelOp
from xdsl.dialects.scf import Scf as StockScf
from xdsl.dialects.utils import parse_assignment
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import SingleBlockImplicitTerminator, ensure_terminator

from xetile.dialects.upstream.bases import dialect_over


class IfOp(StockIfOp):
    """A region that is executed where the condition holds, and another where it does not."""

    @classmethod
    def parse(cls, parser: Parser) -> "IfOp":
        """Read `%condition -> type { ... } else { ... }`."""
        condition = parser.parse_operand(i1)
        types = parse_arrow_types(parser)
        then = cls.parse_region_with_yield(parser)
        has_else = parser.parse_optional_keyword("else") is not None
        otherwise = cls.parse_region_with_yield(parser) if has_else else Region()
        return cls(condition, types, then, otherwise, parser.parse_optional_attr_dict())


class ForOp(StockForOp):
    """A loop that carries values from one iteration to the next."""

    @classmethod
    def parse(cls, parser: Parser) -> "ForOp":
        """Read `%i = %lower to %upper step %step iter_args(%x = %start) -> type : type { ... }`."""
        counter = parser.parse_argument(expect_type=False)
        bounds: list[UnresolvedOperand] = []
        for word in ("=", "to", "step"):
            parser.parse_characters(word)
            bounds.append(parser.parse_unresolved_operand())
        position = parser.pos
        carried: list[tuple[Parser.UnresolvedArgument, UnresolvedOperand]] = []
        types: Sequence[Attribute] = ()
        if parser.parse_optional_keyword("iter_args") is not None:
            carried = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parse_assignment(parser)
            )
            types = _parse_types_of(parser, len(carried))
        start = parser.resolve_operands([value for _, value in carried], types, position)
        counts = IndexType()
        if parser.parse_optional_punctuation(":") is not None:
            counts = parser.parse_type()
        lower, upper, step = (parser.resolve_operand(bound, counts) for bound in bounds)
        inner = [
            argument.resolve(type) for (argument, _), type in zip(carried, types, strict=True)
        ]
        body = parser.parse_region((counter.resolve(counts), *inner))
        loop = cls(lower, upper, step, start, body)
        loop.attributes |= parser.parse_optional_attr_dict()
        if not carried:
            for trait in loop.get_traits_of_type(SingleBlockImplicitTerminator):
                ensure_terminator(loop, trait)
        return loop


def _parse_types_of(parser: Parser, count: int) -> Sequence[Attribute]:
    start = parser.pos
    types = parse_arrow_types(parser)
    if len(types) != count:
        parser.raise_error(
            f"{count} values in iter_args, {len(types)} type{'s' * (len(types) != 1)} after `->`; "
            "more than one stand in parentheses",
            start,
            parser.pos,
        )
    return types


def parse_arrow_types(parser: Parser) -> Sequence[Attribute]:
    """Read `-> type`, `-> (type, type)`, or nothing."""
    if parser.parse_optional_punctuation("->") is None:
        return ()
    return parse_types(parser)


def parse_types(parser: Parser) -> Sequence[Attribute]:
    """Read one type, or types in parentheses."""
    found = parser.parse_optional_comma_separated_list(
        parser.Delimiter.PAREN, parser.parse_type
    )
    return [parser.parse_type()] if found is None else found


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


Scf = dialect_over(StockScf, [ForOp, IfOp, ParallelOp])

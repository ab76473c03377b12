"""The text form that the memory messages of XeVM share."""

from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.printer import Printer

from xetile.dialects.formats import parse_dictionaries, print_dictionaries


class MessageOp(IRDLOperation):
    """What messages share: `name %p, %value <{...}> : (types) -> result`."""

    @classmethod
    def parse(cls, parser: Parser) -> "IRDLOperation":
        """Read the op."""
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        properties, attributes = parse_dictionaries(parser, cls)
        parser.parse_punctuation(":")
        start = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        if len(types) != len(names):
            parser.raise_error(f"{len(types)} types for {len(names)} operands", start)
        results: list[Attribute] = []
        if parser.parse_optional_punctuation("->") is not None:
            results.append(parser.parse_type())
        return cls.create(
            operands=[parser.resolve_operand(n, t) for n, t in zip(names, types, strict=True)],
            result_types=results,
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print the op."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        print_dictionaries(printer, self)
        printer.print_string(" : ")
        with printer.in_parens():
            printer.print_list([v.type for v in self.operands], printer.print_attribute)
        if self.results:
            printer.print_string(" -> ")
            printer.print_attribute(self.results[0].type)

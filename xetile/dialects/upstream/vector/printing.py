"""vector.print with its custom form, text and punctuation, which xDSL 0.74.0 lacks.

Source: `llvm 22.1.8 mlir/Dialect/Vector/IR/VectorOps.td`.
"""

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, OpaqueSyntaxAttribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    opt_operand_def,
    opt_prop_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum


class Punctuation(StrEnum):
    """What follows a value."""

    NO_PUNCTUATION = "no_punctuation"
    NEWLINE = "newline"
    COMMA = "comma"
    OPEN = "open"
    CLOSE = "close"


@irdl_attr_definition
class PunctuationAttr(EnumAttribute[Punctuation], OpaqueSyntaxAttribute):
    """`#vector.punctuation<comma>`."""

    name = "vector.punctuation"

    def print_parameter(self, printer: Printer) -> None:
        """Print it in angles, with and without the name before it."""
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Punctuation:
        """Read it in angles."""
        with parser.in_angle_brackets():
            return parser.parse_str_enum(Punctuation)


@irdl_op_definition
class PrintOp(IRDLOperation):
    """Prints a value or a text, then punctuation, by default a line break."""

    name = "vector.print"

    source = opt_operand_def()
    punctuation = opt_prop_def(PunctuationAttr)
    string_literal = opt_prop_def(StringAttr, prop_name="stringLiteral")

    def __init__(
        self,
        source: SSAValue | Operation | None = None,
        punctuation: Punctuation | None = None,
        text: str | None = None,
    ) -> None:
        properties: dict[str, Attribute | None] = {
            "punctuation": None if punctuation is None else PunctuationAttr(punctuation),
            "stringLiteral": None if text is None else StringAttr(text),
        }
        super().__init__(operands=[source], properties=properties)

    @property
    def ending(self) -> Punctuation:
        """What is printed after the value."""
        return Punctuation.NEWLINE if self.punctuation is None else self.punctuation.data

    @classmethod
    def parse(cls, parser: Parser) -> "PrintOp":
        """Read `%value : type`, `str "text"`, `punctuation <comma>`."""
        source = None
        name = parser.parse_optional_unresolved_operand()
        if name is not None:
            parser.parse_punctuation(":")
            source = parser.resolve_operand(name, parser.parse_type())
        text = parser.parse_str_literal() if parser.parse_optional_keyword("str") else None
        punctuation = None
        if parser.parse_optional_keyword("punctuation") is not None:
            punctuation = PunctuationAttr.parse_parameter(parser)
        operation = cls(source, punctuation, text)
        operation.attributes |= parser.parse_optional_attr_dict()
        return operation

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        if self.source is not None:
            printer.print_string(" ")
            printer.print_ssa_value(self.source)
            printer.print_string(" : ")
            printer.print_attribute(self.source.type)
        if self.string_literal is not None:
            printer.print_string(" str ")
            printer.print_string_literal(self.string_literal.data)
        if self.punctuation is not None and self.ending != Punctuation.NEWLINE:
            printer.print_string(" punctuation ")
            self.punctuation.print_parameter(printer)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        """A value or a text, not both."""
        if self.source is not None and self.string_literal is not None:
            raise VerifyException("'source' and 'stringLiteral' are both there; one is printed")

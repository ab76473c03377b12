"""`xetile.check`: what a kernel holds to be true, of a scalar or of every element of a vector."""

from typing import ClassVar

from xdsl.dialects.builtin import StringAttr, VectorType, i1
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.xetile.op import XeTileOp
from xetile.dialects.xetile.parsing import parse_colon, parse_operand_name
from xetile.dialects.xetile.reading import (
    Format,
    parse_dictionary,
    print_dictionary,
    print_types,
    print_values,
)
from xetile.hints import isa


@irdl_op_definition
class CheckOp(XeTileOp):
    """`xetile.check %inside, "rows lie inside" : vector<64x1xi1>`: an error where an element is false.

    It is executed on numpy down to level B, with the first such element in the message; XeGPU has none.
    """

    name = "xetile.check"
    FORMAT: ClassVar[Format] = Format("check", ())

    condition = operand_def()
    message = prop_def(StringAttr)

    def __init__(self, condition: SSAValue, message: str | StringAttr) -> None:
        text = StringAttr(message) if isinstance(message, str) else message
        super().__init__(operands=[condition], properties={"message": text})

    @classmethod
    def parse(cls, parser: Parser) -> "CheckOp":
        """Read the op; a dictionary may follow the message."""
        condition = parse_operand_name(parser, "the condition")
        parser.parse_punctuation(",", " before the message")
        message = parser.parse_str_literal(" that says what is held to be true")
        entries = parse_dictionary(parser, cls.FORMAT)
        parse_colon(parser)
        type = parser.parse_type()
        return cls.made(parser, [(condition, type)], [], entries, message=StringAttr(message))

    def print(self, printer: Printer) -> None:
        print_values(printer, self.condition)
        printer.print_string(", ")
        printer.print_string_literal(self.message.data)
        print_dictionary(printer, self, self.FORMAT)
        print_types(printer, self.operands, ())

    def verify_(self) -> None:
        super().verify_()
        type = self.condition.type
        element = type.element_type if isa(type, VectorType) else type
        if element != i1:
            raise VerifyException(f"'condition' is {type}, expected i1 or a vector of i1")

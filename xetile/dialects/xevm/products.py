"""The matrix instruction of XeVM."""

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.xevm.attributes import MMAShapeAttr, MMATypesAttr
from xetile.dialects.xevm.constraints import RegistersConstraint


@irdl_op_definition
class MMAOp(IRDLOperation):
    """`xevm.mma %a, %b, %c {shape = <...>, types = <...>} : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> ...`."""

    name = "xevm.mma"

    a = operand_def(RegistersConstraint())
    b = operand_def(RegistersConstraint())
    c = opt_operand_def(RegistersConstraint())
    shape = prop_def(MMAShapeAttr)
    types = prop_def(MMATypesAttr)
    d = result_def(RegistersConstraint())

    traits = traits_def(Pure())

    def __init__(
        self,
        a: SSAValue,
        b: SSAValue,
        c: SSAValue | None = None,
        *,
        shape: tuple[int, int, int],
        types: tuple[str, str, str, str | None],
        result_type: Attribute,
    ) -> None:
        super().__init__(
            operands=[a, b, [] if c is None else [c]],
            result_types=[result_type],
            properties={"shape": MMAShapeAttr.of(*shape), "types": MMATypesAttr.of(*types)},
        )

    @classmethod
    def parse(cls, parser: Parser) -> "MMAOp":
        """Read the op."""
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        properties: dict[str, Attribute] = {}
        attributes: dict[str, Attribute] = {}

        def field() -> None:
            key = parser.parse_identifier()
            parser.parse_punctuation("=")
            if key == "shape":
                properties[key] = _nested(parser, MMAShapeAttr)
            elif key == "types":
                properties[key] = _nested(parser, MMATypesAttr)
            else:
                attributes[key] = parser.parse_attribute()

        parser.parse_comma_separated_list(parser.Delimiter.BRACES, field)
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        parser.parse_punctuation("->")
        return cls.create(
            operands=[parser.resolve_operand(n, t) for n, t in zip(names, types, strict=True)],
            result_types=[parser.parse_type()],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print the op."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_string(" {shape = ")
        self.shape.print_parameters(printer)
        printer.print_string(", types = ")
        self.types.print_parameters(printer)
        for name, value in self.attributes.items():
            printer.print_string(f", {name} = ")
            printer.print_attribute(value)
        printer.print_string("} : ")
        with printer.in_parens():
            printer.print_list([v.type for v in self.operands], printer.print_attribute)
        printer.print_string(" -> ")
        printer.print_attribute(self.d.type)

    def verify_(self) -> None:
        """The accumulator has the result's type."""
        if self.c is not None and self.c.type != self.d.type:
            raise VerifyException(
                f"type of C operand must match result type: {self.c.type} and {self.d.type}"
            )


def _nested(parser: Parser, kind: type[MMAShapeAttr] | type[MMATypesAttr]) -> Attribute:
    if parser.lexer.input.at(parser.pos) == "<":
        return kind.new(kind.parse_parameters(parser))
    return parser.parse_attribute()

"""The base of the dialect's ops: the textual form (operands, dictionary, types), and the check of the dictionary."""

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from xetile.dialects.xetile.shared_formats import (
    Entries,
    Format,
    print_dictionary,
    print_types,
    print_values,
)
from xetile.dialects.xetile.tile_support import verify_dictionary


class XeTileOp(IRDLOperation):
    """An op that prints as `xetile.name %a, %b {...} : type, type -> type`."""

    FORMAT: ClassVar[Format]

    @classmethod
    def made(
        cls,
        parser: Parser,
        operands: Sequence[tuple[UnresolvedOperand, Attribute]],
        results: Sequence[Attribute],
        entries: Entries,
        **properties: Attribute,
    ) -> Self:
        """The op that was read: operands with their types, and the properties that stood outside of the dictionary."""
        return cls.create(
            operands=[parser.resolve_operand(name, type) for name, type in operands],
            result_types=results,
            properties=properties | entries.properties,
            attributes=entries.attributes,
        )

    def print(self, printer: Printer) -> None:
        before, after = self.around_operands()
        printer.print_string(before)
        print_values(printer, *self.operands)
        printer.print_string(after)
        print_dictionary(printer, self, self.FORMAT)
        print_types(printer, self.operands, self.results)

    def around_operands(self) -> tuple[str, str]:
        """Return the text before and after the operands."""
        return "", ""

    def verify_(self) -> None:
        verify_dictionary(self, self.FORMAT)

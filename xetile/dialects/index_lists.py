"""Lists that mix values of type index with literals, such as `[%a, 16]`: read, printed, split and joined."""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IndexType,
    IntegerType,
)
from xdsl.dialects.utils import parse_dynamic_index_list_without_types
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    ParsingState,
    PrintingState,
    VariadicOperandVariable,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.directives import Directive, expect_space
from xetile.dialects.shared_attributes import integer_array
from xetile.hints import isa

Mixed = int | SSAValue


class IndexList(Directive):
    """`[%a, 16]`: values of type index, and literals with DYNAMIC_INDEX in the values' places."""

    values: VariadicOperandVariable
    literals: AttributeVariable

    LEAST = 0
    """Entries that there must be."""

    def parse(self, parser: Parser, state: ParsingState) -> None:
        start = parser.pos
        values, literals = parse_dynamic_index_list_without_types(parser, DYNAMIC_INDEX)
        if len(literals) < self.LEAST:
            parser.raise_error("expected a list of values or integers", start, parser.pos)
        resolve_mixed(parser, values)  # a value of another type is refused where it stands
        self.values.set(state, values)
        self.values.set_types(state, [IndexType()] * len(values))
        self.literals.set(state, integer_array(literals))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        print_mixed(printer, self._entries(op))

    def _entries(self, op: IRDLOperation) -> list[Mixed]:
        return join_mixed(self.values.get(op), self.literals.get(op))

    def set_empty(self, state: ParsingState) -> None:
        self.values.set_empty(state)
        self.values.set_types(state, ())

    def is_present(self, op: IRDLOperation) -> bool:
        return self.literals.get(op) is not None

    def is_anchorable(self) -> bool:
        return True


class OptionalIndexList(IndexList):
    """As `IndexList`; a list without an entry is not printed, and not read."""

    LEAST = 1

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if parser.lexer.input.at(parser.pos) == "[":
            super().parse(parser, state)
        else:
            self.set_empty(state)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        if self._entries(op):
            super().print(printer, state, op)
        expect_space(state)

    def is_optional_like(self) -> bool:
        return True


def split_mixed(
    entries: Sequence[Mixed],
) -> tuple[list[SSAValue], DenseArrayBase[IntegerType]]:
    """The values among the entries, and the literals with DYNAMIC_INDEX in the values' places."""
    values = [entry for entry in entries if not isinstance(entry, int)]
    literals = [entry if isinstance(entry, int) else DYNAMIC_INDEX for entry in entries]
    return values, integer_array(literals)


def join_mixed(values: Sequence[SSAValue], literals: Attribute | None) -> list[Mixed]:
    """The entries in order; values alone where there are no literals."""
    if not isa(literals, DenseArrayBase[IntegerType]):
        return list(values)
    remaining = iter(values)
    return [next(remaining) if n == DYNAMIC_INDEX else n for n in literals.get_values()]


def verify_count(name: str, values: Sequence[SSAValue], literals: Attribute | None) -> None:
    """Refuse literals whose places for values do not match the values."""
    if not isa(literals, DenseArrayBase[IntegerType]):
        return
    places = literals.get_values().count(DYNAMIC_INDEX)
    if places != len(values):
        raise VerifyException(
            f"'{name}' has {places} dynamic entries and {len(values)} values"
        )


def resolve_mixed(parser: Parser, entries: Sequence[int | UnresolvedOperand]) -> list[Mixed]:
    """Entries that a hand-written parser has read, their values resolved as index."""
    return [
        entry if isinstance(entry, int) else parser.resolve_operand(entry, IndexType())
        for entry in entries
    ]


def print_mixed(printer: Printer, entries: Sequence[Mixed]) -> None:
    """Print `[%a, 16]`."""
    with printer.in_square_brackets():
        printer.print_list(
            entries,
            lambda e: (
                printer.print_int(e) if isinstance(e, int) else printer.print_ssa_value(e)
            ),
        )

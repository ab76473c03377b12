"""Lists of indices that mix values and literals, as `[%a, 16]`: shared by our dialects' formats."""

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerType, i64
from xdsl.ir import SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

DYNAMIC = -(2**63)
"""Stands among the literals for an entry that is a value (MLIR's ShapedType::kDynamic)."""

Mixed = int | SSAValue


def split_mixed(entries: Sequence[Mixed]) -> tuple[list[SSAValue], DenseArrayBase[IntegerType]]:
    """The values among the entries, and the literals with `DYNAMIC` in the values' places."""
    values = [entry for entry in entries if not isinstance(entry, int)]
    literals = [entry if isinstance(entry, int) else DYNAMIC for entry in entries]
    return values, DenseArrayBase.from_list(i64, literals)


def join_mixed(
    values: Sequence[SSAValue], literals: DenseArrayBase[IntegerType] | None
) -> list[Mixed]:
    """The entries in order; values alone where there are no literals."""
    if literals is None:
        return list(values)
    remaining = iter(values)
    return [next(remaining) if n == DYNAMIC else n for n in literals.get_values()]


def parse_mixed(parser: Parser) -> list[Mixed]:
    """Read `[%a, 16]`."""

    def entry() -> int | UnresolvedOperand:
        operand = parser.parse_optional_unresolved_operand()
        return parser.parse_integer(allow_boolean=False) if operand is None else operand

    entries = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, entry)
    return resolve_mixed(parser, entries)


def parse_optional_mixed(parser: Parser) -> list[Mixed]:
    """Read `[%a, 16]` with at least one entry where a bracket follows, else none."""
    start = parser.pos
    if parser.lexer.input.at(start) != "[":
        return []
    entries = parse_mixed(parser)
    if not entries:
        parser.raise_error("expected a list of values or integers", start, parser.pos)
    return entries


def resolve_mixed(parser: Parser, entries: Sequence[int | UnresolvedOperand]) -> list[Mixed]:
    """Parsed entries with their values resolved as index."""
    return [
        entry if isinstance(entry, int) else parser.resolve_operand(entry, IndexType())
        for entry in entries
    ]


def print_mixed(printer: Printer, entries: Sequence[Mixed]) -> None:
    """Print `[%a, 16]`."""

    def one(entry: Mixed) -> None:
        if isinstance(entry, int):
            printer.print_string(str(entry))
        else:
            printer.print_ssa_value(entry)

    with printer.in_square_brackets():
        printer.print_list(entries, one)


def verify_count(
    name: str, values: Sequence[SSAValue], literals: DenseArrayBase[IntegerType] | None
) -> None:
    """Refuse literals whose places for values do not match the values."""
    if literals is None:
        return
    places = sum(n == DYNAMIC for n in literals.get_values())
    if places != len(values):
        raise VerifyException(f"'{name}' has {places} dynamic entries and {len(values)} values")

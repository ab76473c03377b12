"""The signature of gpu.func as text: arguments, results and buffers, each with a dictionary of attributes."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute, BlockArgument
from xdsl.parser import Parser
from xdsl.printer import Printer

from xetile.dialects.upstream.gpu.formats import print_typed

_Argument = tuple[Parser.Argument, DictionaryAttr]
_Item = TypeVar("_Item")


def parse_arguments(parser: Parser) -> list[_Argument]:
    """Arguments in parentheses, each with the dictionary of its attributes."""

    def parse_argument() -> _Argument:
        argument = parser.parse_argument()
        attributes = DictionaryAttr(parser.parse_optional_dictionary_attr_dict())
        argument.location = parser.parse_optional_location()
        return argument, attributes

    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_argument)


def parse_results(parser: Parser) -> list[tuple[Attribute, DictionaryAttr]]:
    """Types behind an arrow, each with the dictionary of its attributes; none without the arrow."""

    def parse_result() -> tuple[Attribute, DictionaryAttr]:
        return parser.parse_type(), DictionaryAttr(
            parser.parse_optional_dictionary_attr_dict()
        )

    if parser.parse_optional_punctuation("->") is None:
        return []
    found = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parse_result)
    return [(parser.parse_type(), DictionaryAttr({}))] if found is None else found


def dictionaries(
    arguments: Sequence[tuple[object, DictionaryAttr]],
) -> ArrayAttr[DictionaryAttr] | None:
    """The dictionaries of what was read, None where all are empty."""
    if not any(attributes.data for _, attributes in arguments):
        return None
    return ArrayAttr(attributes for _, attributes in arguments)


def print_all(
    printer: Printer,
    items: Sequence[_Item],
    attributes: ArrayAttr[DictionaryAttr] | None,
    print_one: Callable[[Printer, _Item, DictionaryAttr | None], None],
) -> None:
    """Items in parentheses, each with its dictionary, if there is any."""
    dictionaries = [None] * len(items) if attributes is None else attributes.data
    with printer.in_parens():
        printer.print_list(
            zip(items, dictionaries, strict=True), lambda pair: print_one(printer, *pair)
        )


def print_buffer(
    printer: Printer, buffer: BlockArgument, attributes: DictionaryAttr | None
) -> None:
    """A buffer with its type and its attributes."""
    print_typed(printer, buffer)
    if attributes is not None:
        printer.print_op_attributes(attributes.data)

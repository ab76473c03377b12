"""Pieces of MLIR's textual syntax that xDSL's declarative formats lack, for hand-written parsers and printers.

- the property dictionary `<{...}>` followed by the attribute dictionary `{...}`: MLIR prints a space before the
  first even where it is empty, sorts both by name, and takes a property from either;
- structs of named parameters in attributes, in any order: `<sg_layout = [8, 4], order = [0, 1]>`.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, OptionalDef
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer

_Parameter = TypeVar("_Parameter", bound=Attribute)

SEGMENT_SIZES = "operandSegmentSizes"
"""The property that says how the operands are cut into groups; no custom syntax prints it."""


# Dictionaries of properties and attributes


def parse_dictionaries(
    parser: Parser, op: type[IRDLOperation], *, properties: bool = True
) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """Read `<{...}>` (where the syntax has it) and `{...}`, both optional.

    Returns the op's properties, and the discardable attributes. An optional property may stand in either (the first
    wins), a required one only in the first.
    """
    inherent = parser.parse_optional_properties_dict() if properties else {}
    discardable = parser.parse_optional_attr_dict()
    for name, definition in op.get_irdl_definition().properties.items():
        if isinstance(definition, OptionalDef) and name in discardable:
            inherent.setdefault(name, discardable.pop(name))
    return inherent, discardable


def print_dictionaries(printer: Printer, op: Operation, elide: Collection[str] = ()) -> None:
    """Print ` <{...}> {...}`; the first space stands even where there is no property."""
    printer.print_string(" ")
    shown = _sorted_without(op.properties, elide)
    if shown:
        with printer.in_angle_brackets():
            printer.print_attr_dict(shown)
    printer.print_op_attributes(_sorted_without(op.attributes, ()))


def print_joint_dictionary(printer: Printer, op: Operation, elide: Collection[str] = ()) -> None:
    """Print properties and attributes as one ` {...}`; nothing where there are none."""
    printer.print_op_attributes(_sorted_without({**op.properties, **op.attributes}, elide))


def _sorted_without(
    entries: Mapping[str, Attribute], elide: Collection[str]
) -> dict[str, Attribute]:
    return {
        name: entries[name]
        for name in sorted(entries)
        if name not in elide and name != SEGMENT_SIZES
    }


def present(**properties: Attribute | None) -> dict[str, Attribute]:
    """The properties that are given, sorted by name as MLIR prints them."""
    return {name: value for name, value in sorted(properties.items()) if value is not None}


# Structs of named parameters


def parse_struct(
    parser: AttrParser, fields: Mapping[str, Callable[[AttrParser], Attribute]]
) -> dict[str, Attribute]:
    """Read `<name = value, ...>`: the fields in any order, each at most once, `<>` for none."""
    found: dict[str, Attribute] = {}

    def parse_field() -> None:
        start = parser.pos
        name = parser.parse_identifier()
        if name in found:
            parser.raise_error(f"'{name}' is given twice", start, parser.pos)
        if name not in fields:
            legal = ", ".join(fields)
            parser.raise_error(f"'{name}' is no parameter; legal are {legal}", start, parser.pos)
        parser.parse_punctuation("=")
        found[name] = fields[name](parser)

    parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parse_field)
    return found


def print_struct(printer: Printer, fields: Sequence[tuple[str, Callable[[], None]]]) -> None:
    """Print `<name = value, ...>`; each field comes with what prints its value."""

    def print_field(field: tuple[str, Callable[[], None]]) -> None:
        name, print_value = field
        printer.print_string(f"{name} = ")
        print_value()

    with printer.in_angle_brackets():
        printer.print_list(fields, print_field)


def parse_i32_array(parser: AttrParser) -> DenseArrayBase[IntegerType]:
    """Read `[8, 4]` as an array of i32."""
    return DenseArrayBase.from_list(i32, _parse_integers(parser))


def parse_i64_array(parser: AttrParser) -> DenseArrayBase[IntegerType]:
    """Read `[8, 4]` as an array of i64."""
    return DenseArrayBase.from_list(i64, _parse_integers(parser))


def _parse_integers(parser: AttrParser) -> list[int]:
    return parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
    )


def print_array(printer: Printer, array: DenseArrayBase[IntegerType]) -> None:
    """Print `[8, 4]`."""
    with printer.in_square_brackets():
        printer.print_list(array.get_values(), printer.print_int)


def parse_parameter(parser: AttrParser, expected: type[_Parameter], description: str) -> _Parameter:
    """Read an attribute of class `expected`, or fail at its place saying that a `description` is expected."""
    start = parser.pos
    attribute = parser.parse_attribute()
    if not isinstance(attribute, expected):
        parser.raise_error(f"expected {description}, got {attribute}", start, parser.pos)
    return attribute

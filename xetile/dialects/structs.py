"""Attributes that are structs of named parameters: `<sg_layout = [8, 4], order = [0, 1]>`.

A table says of each parameter how it is read and printed, and what it is where it is not
given.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, NoneAttr
from xdsl.ir import Attribute, Data, ParametrizedAttribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from xetile.advice import hint
from xetile.hints import isa

_Parameter = TypeVar("_Parameter", bound=Attribute)
_Word = TypeVar("_Word", bound=StrEnum)


@dataclass(frozen=True)
class Field:
    """How one parameter of a struct is read and printed; what has its default is not printed."""

    read: Callable[[AttrParser], Attribute]
    default: Attribute | None = None
    """None where the parameter must be given."""
    show: Callable[[Printer, Attribute], None] = Printer.print_attribute


def attribute_field(
    kind: type[Attribute], name: str, default: Attribute | None = None
) -> Field:
    """A parameter that is any attribute of one class, `name` in the words of a refusal."""
    return Field(lambda parser: parse_parameter(parser, kind, name), default)


def array_field(element: IntegerType) -> Field:
    """An optional parameter such as `[8, 4]`."""
    return Field(lambda parser: parse_array(parser, element), NoneAttr(), print_array)


class WordAttr(Data[_Word]):
    """An attribute that is one word of an enumeration, printed `<word>`."""

    words: ClassVar[type[StrEnum]]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> _Word:
        with parser.in_angle_brackets():
            return cast(_Word, parser.parse_str_enum(cls.words))

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)


class StructAttr(ParametrizedAttribute):
    """An attribute `<name = value, ...>`; the parameters come in any order and are printed in that of `FIELDS`."""

    FIELDS: ClassVar[Mapping[str, Field]]
    UNNAMED: ClassVar[int] = 0
    """How many parameters come first and without their names."""

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        start = parser.pos
        found: dict[str, Attribute] = {}

        def parse_field() -> None:
            at = parser.pos
            if len(found) < cls.UNNAMED:
                name = tuple(cls.FIELDS)[len(found)]
                found[name] = cls.FIELDS[name].read(parser)
                return
            name = parser.parse_identifier()
            if name in found:
                parser.raise_error(f"'{name}' is given twice", at, parser.pos)
            if name not in cls.FIELDS:
                legal = ", ".join(cls.FIELDS)
                parser.raise_error(
                    f"'{name}' is no parameter{hint(name, cls.FIELDS) or ';'} legal are {legal}",
                    at,
                    parser.pos,
                )
            parser.parse_punctuation("=")
            found[name] = cls.FIELDS[name].read(parser)

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parse_field)
        values = [found.get(name, field.default) for name, field in cls.FIELDS.items()]
        if None in values:
            *names, last = (
                name if field.default is None else f"optionally {name}"
                for name, field in cls.FIELDS.items()
            )
            parser.raise_error(
                f"expected {', '.join(names)} and {last}, found {', '.join(found)}", start
            )
        return [value for value in values if value is not None]

    @property
    def given(self) -> dict[str, Attribute]:
        """The parameters that do not have their defaults."""
        named = zip(self.FIELDS.items(), self.parameters, strict=True)
        return {name: value for (name, field), value in named if value != field.default}

    def print_parameters(self, printer: Printer) -> None:
        def print_field(name: str) -> None:
            if name not in tuple(self.FIELDS)[: self.UNNAMED]:
                printer.print_string(f"{name} = ")
            self.FIELDS[name].show(printer, given[name])

        given = self.given
        with printer.in_angle_brackets():
            printer.print_list(given, print_field)


def parse_array(parser: AttrParser, element: IntegerType) -> DenseArrayBase[IntegerType]:
    """Read `[8, 4]`."""
    integers = parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
    )
    return DenseArrayBase.from_list(element, integers)


def print_array(printer: Printer, array: Attribute) -> None:
    """Print `[8, 4]`."""
    assert isa(array, DenseArrayBase[IntegerType])
    with printer.in_square_brackets():
        printer.print_list(array.get_values(), printer.print_int)


def print_bare(printer: Printer, attribute: Attribute) -> None:
    """Print a number, word or map without its type, quotes or name."""
    found = attribute.value if isa(attribute, IntegerAttr) else attribute
    assert isinstance(found, Data)
    printer.print_string(str(cast(Data[object], found).data))


def parse_parameter(
    parser: AttrParser,
    expected: type[_Parameter] | tuple[type[_Parameter], ...],
    description: str,
) -> _Parameter:
    """Read an attribute of class `expected`, or fail at its place saying that a `description` is expected."""
    start = parser.pos
    attribute = parser.parse_attribute()
    if not isinstance(attribute, expected):
        parser.raise_error(f"expected {description}, got {attribute}", start, parser.pos)
    return attribute

"""Directives of declarative formats, to be listed in `custom_directives`; more are in `index_lists`.

- `custom<SameType>(type($a), type($b))`: one type for both;
- `custom<AtomicKind>($kind)`: the number of an atomic operation, as arith's word for it;
- `custom<Quoted>($string)`: `"private"`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeVar

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    FormatDirective,
    ParsingState,
    PrintingState,
    TypeDirective,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from xetile.advice import hint
from xetile.dialects.atomic_kinds import ATOMIC_KINDS
from xetile.hints import isa

_Attribute = TypeVar("_Attribute", bound=Attribute)


def expect_space(state: PrintingState) -> None:
    """Ask for a space before what follows."""
    state.should_emit_space = True
    state.last_was_punctuation = False


class Directive(CustomDirective, ABC):
    """A directive whose annotations are its parameters; xDSL's `irdl_custom_directive` takes 0.45 ms to say so."""

    def __init_subclass__(cls) -> None:
        cls.parameters = {**getattr(cls, "parameters", {}), **cls.__annotations__}

    def __init__(self, *parameters: FormatDirective) -> None:
        for name, parameter in zip(self.parameters, parameters, strict=True):
            setattr(self, name, parameter)


class OneType(Directive, ABC):
    """The type of the first parameter, from which those of the others follow."""

    KIND = Attribute
    """The class that the type must be an instance of."""

    def parse(self, parser: Parser, state: ParsingState) -> None:
        type = parse_type_of(parser, self.KIND)
        all_types = ((type,), *self.others(type))
        for name, types in zip(self.parameters, all_types, strict=True):
            getattr(self, name).set(state, types)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        getattr(self, next(iter(self.parameters))).print(printer, state, op)

    @abstractmethod
    def others(self, type: Attribute) -> Sequence[Sequence[Attribute]]:
        """The types of the other parameters."""


class SameType(OneType):
    """One type that two operands or results have; that they do is the verifier's to say."""

    first: TypeDirective
    second: TypeDirective

    def others(self, type: Attribute) -> Sequence[Sequence[Attribute]]:
        return ((type,),)


def parse_type_of(parser: Parser, kind: type[_Attribute]) -> _Attribute:
    """Read a type of this class, or refuse what stands there."""
    start = parser.pos
    type = parser.parse_type()
    if not isinstance(type, kind):
        parser.raise_error(f"expected a {kind.name} type, found {type}", start, parser.pos)
    return type


class Quoted(Directive):
    """`"private"`, or nothing where it is optional; xDSL's `$attribute` takes any attribute for a string."""

    string: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        is_optional = self.string.is_optional
        found = (
            parser.parse_optional_str_literal() if is_optional else parser.parse_str_literal()
        )
        if found is not None:
            self.string.set(state, StringAttr(found))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        self.string.print(printer, state, op)


class Word(Directive, ABC):
    """The number of a word, which xDSL has for upstream's enumerations, as that word."""

    number: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        start, (what, words) = parser.pos, self.meaning(state.op_type)
        word = self.read(parser)
        if word not in words:
            message = f"{what} is '{word}', it has to be one of {', '.join(words)}"
            parser.raise_error(message + hint(word, words), start, start + len(word))
        self.number.set(state, IntegerAttr(words.index(word), i64))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        number = self.number.get(op)
        assert isa(number, IntegerAttr)
        printer.print_string(self.meaning(type(op))[1][number.value.data])

    def read(self, parser: Parser) -> str:
        return parser.parse_identifier()

    @abstractmethod
    def meaning(self, op: type[IRDLOperation]) -> tuple[str, Sequence[str]]:
        """Return the noun for messages, and the words of the enumeration in the order of their numbers."""


class AtomicKind(Word):
    """The number of an atomic operation as arith's word for it."""

    def read(self, parser: Parser) -> str:
        return parser.parse_optional_str_literal() or super().read(parser)

    def meaning(self, op: type[IRDLOperation]) -> tuple[str, Sequence[str]]:
        return "kind", ATOMIC_KINDS

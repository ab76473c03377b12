"""Parsing IR: extensions of the stock xDSL parser.

Gaps of xDSL 0.75 that are closed here, each with a test in test/unit/test_parser.py that
fails once upstream has closed it:

- a hexadecimal element of `dense<...>` with a float type is read as an integer, where MLIR reads it
  as the bits of the float;
- no op and no block argument gets a source position;
- a value that is used and never defined is reported at the end of the file, not at the use;
- an unknown op is reported at the token that follows its name;
- an element of `dense<...>` that is too large for its float type is an error, where MLIR rounds it to infinity, and
  an index accepts integers of any size;
- for `%v_1_0` the name `v_1` is kept, under which a second `%v` is printed;
- errors raised while an attribute is built (`VerifyException`, `ValueError`, ...) carry no place.

No dialect is known here; `xetile.dialects.modules` has a parser that knows ours.

Numbers of MLIR text: bit patterns, numbers that a type rounds to infinity, lists of plain numbers.
"""

import re
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    FileLineColLoc,
    FloatAttr,
    FusedLoc,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    ModuleOp,
    StringAttr,
    UnknownLoc,
    UnregisteredOp,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.parser import AttrParser
from xdsl.parser import Parser as StockParser
from xdsl.utils.exceptions import (
    ArgSpecParseError,
    DiagnosticException,
    ParseError,
    VerifyException,
)
from xdsl.utils.lexer import Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from xetile.complaints.verifying import unbuilt_complaint
from xetile.digits import StartOfRange, is_python_limit, longest_number
from xetile.errors import XetileError, one_line
from xetile.scopes import NotedParseError, ScopedParser, meant_op

SAFE = 65504
"""Numbers up to this one fit every type: it is the largest of f16."""

_NUMBER = r"-?+(?:[1-9][0-9]{0,200}+|0(?![0-9x]))(?:\.[0-9]*+(?:[eE][-+]?[0-9]{1,9}+)?+)?+"
_NUMBERS = re.compile(rf"\s*+(?:{_NUMBER}\s*+,\s*+)*+{_NUMBER}\s*+\]", re.ASCII)
_EACH = re.compile(_NUMBER, re.ASCII)


class HexadecimalInteger(int):
    """An integer that the source writes in hexadecimal: bits, where a float is expected."""


def is_index(value: int) -> bool:
    """Return True if an index can have that value: it has 64 bits, the first one its sign."""
    return -(1 << 63) <= value < 1 << 63


def float_of_bits(parser: AttrParser, bits: int, float_type: AnyFloat, at: Span) -> float:
    """Return the float with the bit pattern `bits`; raise at `at` if that is too wide or negative."""
    if bits < 0:
        parser.raise_error("hexadecimal float literal with a leading minus sign", at)
    if bits >> float_type.bitwidth:
        parser.raise_error(f"hexadecimal float literal has more bits than {float_type}", at)
    raw = bits.to_bytes(float_type.compile_time_size, "little")
    return next(iter(float_type.iter_unpack(raw)))


def end_of_numbers(text: str, start: int) -> int | None:
    """Return the end of the list whose first element begins at `start`, or None unless all are plain decimals."""
    found = _NUMBERS.match(text, start)
    return None if found is None else found.end()


def numbers(text: str, start: int, end: int) -> Iterator[tuple[int | float, int, int]]:
    """Yield the numbers there, each with its beginning and end."""
    for found in _EACH.finditer(text, start, end):
        word = found[0]
        yield (float(word) if "." in word else int(word)), *found.span()


_WITHOUT_TEXT: dict[type[BaseException], str] = {
    NotImplementedError: "elements of this type are not supported",
    MemoryError: "more elements than there is memory for",
}

_NAME = re.compile(r'(?:%[^=\n]*=\s*)?"?([\w.$]+)')
"""The name of an op at the start of its text, after the names of its results."""

_WHOLE_NUMBER = re.compile(r"-?\s*\d+(?![\w.])")

_Result = TypeVar("_Result")

# Errors, other than ParseError, that xDSL raises while it builds attributes and ops from well-formed tokens.
_UNPLACED_ERRORS = (
    VerifyException,
    ValueError,
    OverflowError,
    AssertionError,
    KeyError,
    NotImplementedError,
    struct.error,
    MemoryError,
)


BYTE_ORDER_MARK = "\ufeff"
"""Mark that some editors put at the start of a text."""

_NO_INDEX = "integer {} is out of range for index, which has 64 bits"


class Parser(ScopedParser):
    """xDSL's parser with the gaps above closed.

    `location` of every op is the `FileLineColLoc` of its first token, of every block
    argument that of its name; lines and columns count from 1. An explicit `loc(...)` wins,
    except `loc(unknown)`.
    """

    usual_dialect: ClassVar[str] = "builtin"
    """The dialect that an unknown op without a dialect may have been meant to be in."""

    def __init__(self, ctx: Context, input: str | bytes, name: str = "<unknown>") -> None:
        text = input.decode("utf-8") if isinstance(input, bytes) else input
        self.statement: Span | None = None
        super().__init__(ctx, text.removeprefix(BYTE_ORDER_MARK), name)

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        """Parse as xDSL does, but report an undefined value at its first use, and accept no text as an empty module."""
        try:
            module = super().parse_module(allow_implicit_module)
        except RecursionError:
            self.raise_error("nested too deeply")
        except NotedParseError:
            raise
        except ParseError as error:
            at_end = self._current_token.kind is MLIRTokenKind.EOF and allow_implicit_module
            if not (at_end and error.msg.startswith("Could not parse entire input")):
                raise self.in_our_words(error) from error
            module = ModuleOp([])
        if isinstance(module.location, UnknownLoc):
            module.location = self.position_at(0)
        return module

    def parse_operation(self) -> Operation:
        """Parse as xDSL does, and give the op its position."""
        start = self._current_token.span
        outer, self.statement = self.statement, start
        operation = self._placed(super().parse_operation, start)
        self.statement = outer
        if isinstance(operation.location, UnknownLoc):
            operation.location = self.position_at(start.start)
        for region in operation.regions:
            _place_end(region, operation.location)
        return operation

    def parse_verbatim(self) -> str:
        """Return the text between `<` and the `>` that closes it."""
        if self._current_token.kind is not MLIRTokenKind.LESS:
            self.raise_error("'<' expected")
        return self._parse_dialect_symbol_body()

    def _register_ssa_definition(
        self, name: str, values: Sequence[SSAValue], span: Span
    ) -> None:
        super()._register_ssa_definition(name, values, span)
        for value in values:
            _drop_suffixes(value)

    def _parse_block(self) -> Block:
        block = super()._parse_block()
        _drop_suffixes(block)
        return block

    def _get_op_by_name(self, name: str) -> type[Operation]:
        try:
            operation = super()._get_op_by_name(name)
        except ParseError as error:
            named = self._current_token.text == "="
            advice = (
                f"; the name of a value begins with '%': write %{name}"
                if named
                else meant_op(self.ctx, name, self.usual_dialect)
            )
            place = self.statement or self._span(error.span.start)
            raise NotedParseError(place, f"there is no op '{name}'{advice}") from None
        if issubclass(operation, UnregisteredOp) and not self._is_quoted(name):
            raise NotedParseError(
                self.statement or self._span(self.pos),
                f"'{name}' is of an unknown dialect, of which only the generic form is read: "
                f'"{name}"(...) : (...) -> ...',
            )
        return operation

    def _is_quoted(self, name: str) -> bool:
        """Return True if `name`, the token before the current one, is in quotation marks."""
        text = self.lexer.input.content
        end = text.rfind(name, 0, self._current_token.span.start) + len(name)
        return text[end] == '"'

    def _parse_alias_def(self) -> None:
        self._placed(super()._parse_alias_def, self._current_token.span)

    def _placed(self, parse: Callable[[], _Result], start: Span) -> _Result:
        """Run `parse`; report errors without a place at `start`."""
        try:
            return parse()
        except _UNPLACED_ERRORS as error:
            if is_python_limit(error):
                raise self._too_many_digits(start) from error
            message = one_line(str(error)) or _WITHOUT_TEXT.get(
                type(error), f"malformed text ({type(error).__name__})"
            )
            name = self._name_of_statement(start)
            raise NotedParseError(start, unbuilt_complaint(name, message)) from error

    def _too_many_digits(self, start: Span) -> NotedParseError:
        """Return the error on a number between `start` and the current token."""
        end = self._current_token.span.end
        place, message = longest_number(self.lexer.input.content[start.start : end])
        return NotedParseError(self._span(start.start + place), message)

    def _name_of_statement(self, start: Span) -> str:
        """Return the name of the op whose text begins at `start`."""
        found = _NAME.match(self.lexer.input.content, start.start)
        return found[1] if found else start.text

    def _parse_optional_bool_int_or_float(self) -> tuple[bool | int | float, Span] | None:
        start = self._current_token
        found = super()._parse_optional_bool_int_or_float()
        if found is None or start.kind not in (MLIRTokenKind.INTEGER_LIT, MLIRTokenKind.MINUS):
            return found
        value, span = found
        if isinstance(value, int) and span.text.lstrip("-")[:2] in ("0x", "0X"):
            return HexadecimalInteger(value), span
        return found

    def parse_optional_builtin_int_or_float_attr(self) -> IntegerAttr | FloatAttr | None:
        """Parse a number and its type; an index has 64 bits, and a float type accepts no whole number."""
        start = self._current_token.span
        found = super().parse_optional_builtin_int_or_float_attr()
        if isinstance(found, FloatAttr):
            self._refuse_whole_number(start, found)
        elif isinstance(found, IntegerAttr) and isinstance(found.type, IndexType):
            value = found.value.data
            if not is_index(value):
                self.raise_error(_NO_INDEX.format(value), start)
        return found

    def _refuse_whole_number(self, start: Span, found: FloatAttr) -> None:
        """Raise for decimal digits without a point for a float, as MLIR does."""
        digits = _WHOLE_NUMBER.match(self.lexer.input.content, start.start)
        if digits is not None:
            raise NotedParseError(
                start,
                f"{digits[0]} is a whole number, {found.type} takes one with a point; "
                f"write {digits[0]}.0",
            )

    def _parse_location(self) -> LocationAttr:
        """Parse a location, also fused ones with metadata and ranges in a file, which xDSL does not read."""
        start = self._current_token.span
        if self.parse_optional_keyword("fused") and self.parse_optional_punctuation("<"):
            metadata = self.parse_attribute()
            self.parse_punctuation(">")
            locations = self.parse_comma_separated_list(
                self.Delimiter.SQUARE, self._parse_location
            )
            return FusedLoc(tuple(locations), metadata)
        self._resume_from(start.start)
        found = super()._parse_location()
        if not isinstance(found, FileLineColLoc) or not self.parse_optional_keyword("to"):
            return found
        line = self.parse_optional_integer(False, False)
        self.parse_punctuation(":")
        end = found.line.data if line is None else line, self.parse_integer(False, False)
        column = IntAttr(StartOfRange(found.column.data, end))
        return FileLineColLoc(found.filename, found.line, column)

    _Element = StockParser._TensorLiteralElement

    class _HexadecimalElement(_Element):
        """An element of `dense<...>` that the stock parser reads differently from MLIR.

        A float type accepts hexadecimal integers as bit patterns, and rounds numbers that are
        too large to infinity.
        """

        def to_type(
            self, parser: AttrParser, type: AnyFloat | IntegerType | IndexType | ComplexType
        ) -> int | float | tuple[float, float] | tuple[int, int]:
            part = type.element_type if isinstance(type, ComplexType) else type
            if isinstance(part, IndexType) and isinstance(self.value, int):
                signed = -self.value if self.is_negative else self.value
                if not is_index(signed):
                    parser.raise_error(_NO_INDEX.format(signed), self.span)
            if not isinstance(part, AnyFloat):
                return super().to_type(parser, type)
            if isinstance(self.value, tuple) and isinstance(type, ComplexType):
                real, imaginary = self.value
                return (self._float(parser, real, part), self._float(parser, imaginary, part))
            return self._float(parser, self.value, part)

        def _float(self, parser: AttrParser, value: object, type: AnyFloat) -> float:
            if isinstance(value, HexadecimalInteger):
                return float_of_bits(parser, value, type, self.span)
            if not isinstance(value, int | float):
                parser.raise_error(f"expected a {type} literal", self.span)
            return type.round(float(value))

    def _parse_tensor_literal_element(self) -> StockParser._TensorLiteralElement:
        element = super()._parse_tensor_literal_element()
        parts = element.value if isinstance(element.value, tuple) else (element.value,)
        if not any(isinstance(p, HexadecimalInteger) or abs(p) > SAFE for p in parts):
            return element
        return self._HexadecimalElement(element.is_negative, element.value, element.span)

    def _parse_tensor_literal(
        self,
    ) -> tuple[list[StockParser._TensorLiteralElement], list[int]]:
        """Parse as xDSL does, but read a list of plain numbers at once."""
        input, opening = self.lexer.input, self._current_token
        if opening.kind is not MLIRTokenKind.L_SQUARE:
            return super()._parse_tensor_literal()
        end = end_of_numbers(input.content, opening.span.end)
        if end is None:
            return super()._parse_tensor_literal()
        found: list[StockParser._TensorLiteralElement] = []
        for value, start, stop in numbers(input.content, opening.span.end, end):
            kind = self._HexadecimalElement if abs(value) > SAFE else self._Element
            found.append(kind(value < 0, value, Span(start, stop, input)))
        self._resume_from(end)
        return found, [len(found)]


def _place_end(region: Region, location: LocationAttr) -> None:
    """Give an implicit terminator the position of the op around it."""
    end = None if region.last_block is None else region.last_block.last_op
    if end is not None and isinstance(end.location, UnknownLoc):
        end.location = location


def _drop_suffixes(named: SSAValue | Block) -> None:
    """Keep `v` of `v_1_0`: xDSL drops one suffix when a name is set, and prints a second `%v` as `%v_1`.

    A name like `_1`, which is only a suffix, is dropped.
    """
    before = None
    while named.name_hint and before != named.name_hint:
        before = named.name_hint
        named.name_hint = before
    named.name_hint = named.name_hint or None


def refusal(error: ParseError) -> XetileError:
    """Return the parse error as a diagnostic: one line, the place that every diagnostic has, its notes."""
    line, column, message = parse_error_location(error)
    name = StringAttr(error.span.input.name)
    notes = error.notes if isinstance(error, NotedParseError) else ()
    return XetileError(message, FileLineColLoc(name, IntAttr(line), IntAttr(column)), notes)


def parse_error_location(error: ParseError) -> tuple[int, int, str]:
    """Return the line, the column (both from 1) and the message, on one line, of a parse error."""
    place = error.span.get_location()
    return place.line, place.col, one_line(error.msg)


def as_wrong_input(error: BaseException) -> XetileError | None:
    """Return the diagnostic for an exception on wrong input, or None for a fault of the program."""
    match error:
        case XetileError():
            return error
        case ParseError():
            return refusal(error)
        case OSError(filename=str() as name, strerror=str() as reason):
            return XetileError(f"'{name}': {reason.lower()}")
        case MemoryError():
            return XetileError("it takes more memory than there is")
        case ArgSpecParseError():
            return XetileError(str(error))
        case ValueError() if is_python_limit(error):
            return XetileError(
                "a number of the input has more digits than are read or printed"
            )
        case DiagnosticException() if not isinstance(error, VerifyException):
            return XetileError(str(error))
        case _:
            return None

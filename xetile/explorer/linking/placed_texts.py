"""Print or read the text of a module, and record where each op and each value's name is in it.

The explorer uses these places to link lines and to mark ops and values. `printed` makes the text of a module as
`xetile.text` does. `text_of` finds the text that a user wrote: it reads the source again, and gives the places of the
ops read to the equal ops of the module.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Span as Characters

from xetile.dialects.modules import Parser, context
from xetile.errors import collected_remarks, position


class Span(NamedTuple):
    """Characters of one line of a text, half open; lines and columns count from 0."""

    line: int
    first: int
    last: int


@dataclass
class Text:
    """The text of a module with the spans of ops (up to the end of their first line) and of values' names."""

    lines: list[str] = field(default_factory=list[str])
    ops: dict[Operation, Span] = field(default_factory=dict[Operation, Span])
    values: dict[SSAValue, Span] = field(default_factory=dict[SSAValue, Span])

    def place_the_rest(self, module: Operation) -> None:
        """Give ops without text (the end of a body that yields nothing) the place of the op around them."""
        for op in module.walk():
            if op not in self.ops:
                outer = op.parent_op()
                self.ops[op] = Span(0, 0, 0) if outer is None else self.ops[outer]

    def moved(self, pairs: Iterable[tuple[Operation, Operation]]) -> "Text":
        """Return the text for other ops: each pair is an op of this text and the equal op that gets its places."""
        result = Text(self.lines)
        for own, other in pairs:
            result.ops[other] = self.ops[own]
            for value, like in zip(values_of(own), values_of(other), strict=True):
                if value in self.values:
                    result.values[like] = self.values[value]
        return result


def printed(module: Operation) -> Text:
    """Return the text of a module as `xetile.text` prints it, with its places."""
    stream = StringIO()
    printer = _NotingPrinter(stream)
    printer.print_op(module)
    text = printer.noted
    text.lines = stream.getvalue().split("\n")
    for op, span in text.ops.items():
        if span.last < 0:  # it continues on the next lines
            text.ops[op] = span._replace(last=len(text.lines[span.line]))
    text.place_the_rest(module)
    return text


def values_of(op: Operation) -> Iterator[SSAValue]:
    """Yield the results of an op, then the arguments of its blocks: in this order they are numbered."""
    yield from op.results
    for region in op.regions:
        for block in region.blocks:
            yield from block.args


class _NotingPrinter(Printer):
    """xDSL's printer, which also records where ops and names begin and end."""

    def __init__(self, stream: StringIO) -> None:
        super().__init__(stream=stream)
        self.noted = Text()
        self._emit = stream.write
        self._written = stream
        self._texts: dict[int, tuple[Attribute, str]] = {}
        """By the identity of an attribute, which is kept alive so that no other gets it, its text."""

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        """Print as xDSL does, without calling `print` for each word."""
        if "\n" in text:
            super().print_string(text, indent=indent)
            return
        self._current_column += len(text)
        self._emit(text)

    def print_attribute(self, attribute: Attribute) -> None:
        """Print as xDSL does; print known attributes, as most types are, from their stored text."""
        known = self._texts.get(id(attribute))
        if known is not None:
            self.print_string(known[1])
            return
        start = self._written.tell()
        super().print_attribute(attribute)
        self._written.seek(start)
        text = self._written.read()
        if "\n" not in text:  # which would be indented
            self._texts[id(attribute)] = attribute, text

    def print_op(self, op: Operation) -> None:
        line, column = self._current_line, self._current_column
        self.noted.ops[op] = Span(line, column, -1)
        super().print_op(op)
        if self._current_line == line:
            self.noted.ops[op] = Span(line, column, self._current_column)

    def print_ssa_value(self, value: SSAValue) -> str:
        """Print as xDSL does; an argument is defined at its name's first place, unless its block is printed later."""
        column = self._current_column
        name = super().print_ssa_value(value)
        if isinstance(value, BlockArgument) and value not in self.noted.values:
            self._note(value, column)
        return name

    def print_block_argument(self, arg: BlockArgument, print_type: bool = True) -> None:
        self.noted.values.pop(arg, None)
        super().print_block_argument(arg, print_type)

    def _print_results(self, op: Operation) -> None:
        if not op.results:
            return
        self.print_list(op.results, self._print_result)
        self.print_string(" = ")

    def _print_result(self, value: SSAValue) -> None:
        column = self._current_column
        super().print_ssa_value(value)
        self._note(value, column)

    def _note(self, value: SSAValue, column: int) -> None:
        self.noted.values[value] = Span(self._current_line, column, self._current_column)


_REMARK = re.compile(r"\s*(//.*)?$")
"""The text that may follow an op on its line."""


def source_file(module: Operation) -> str:
    """Return the name of the file that the positions of a module name first, or an empty string."""
    found = next((place for op in module.walk() if (place := position(op)) is not None), None)
    return "" if found is None else found.filename.data


def text_of(module: ModuleOp, source: str | None) -> Text | None:
    """Return the text that a module was read from (`source`, else its file's), with the places of its ops.

    Return None if there is none, or if it parses to something else: the file, or the module, has changed since.
    """
    file = source_file(module)
    if source is None and file.endswith(".mlir"):
        source = _read(file)
    return None if source is None else _read_again(module, source, file)


def _read(name: str) -> str | None:
    """Return the text of a file, or None if it cannot be read."""
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def _read_again(module: ModuleOp, source: str, name: str) -> Text | None:
    try:
        with collected_remarks():  # they were reported when the module was read
            parser = _NotingParser(context(), source, name)
            again = parser.parse_module()
    except ParseError:
        return None
    if not module.is_structurally_equivalent(again):
        return None
    return parser.text(again).moved(zip(again.walk(), module.walk(), strict=True))


class _NotingParser(Parser):
    """The usual parser, which also records the places of ops and of values' names."""

    def __init__(self, ctx: Context, input: str, name: str) -> None:
        self._ops: dict[Operation, tuple[int, int]] = {}
        self._spans: dict[SSAValue, Characters] = {}
        super().__init__(ctx, input, name)

    def parse_operation(self) -> Operation:
        start = self._current_token.span.start
        operation = super().parse_operation()
        self._ops[operation] = (start, self._current_token.span.start)
        return operation

    def _register_ssa_definition(
        self, name: str, values: Sequence[SSAValue], span: Characters
    ) -> None:
        super()._register_ssa_definition(name, values, span)
        for value in values:
            self._spans[value] = span

    def text(self, module: ModuleOp) -> Text:
        """Return the text with the recorded places."""
        content = self.lexer.input.content
        found = Text(content.removesuffix("\n").split("\n"))
        for op, (start, end) in self._ops.items():
            found.ops[op] = self._op_span(start, end)
        found.place_the_rest(module)
        for value, name in self._spans.items():
            line, column = self._line_and_column(name.start)
            found.values[value] = Span(line, column, column + name.end - name.start)
        return found

    def _op_span(self, start: int, end: int) -> Span:
        """Return the span of an op to the end of its first line, without a comment after it."""
        line, column = self._line_and_column(start)
        first = self.lexer.input.content[start:end].split("\n", 1)[0]
        return Span(line, column, column + len(_REMARK.sub("", first)))

    def _line_and_column(self, offset: int) -> tuple[int, int]:
        place = self.place_at(offset)
        return place.line.data - 1, place.column.data - 1

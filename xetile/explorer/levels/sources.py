"""The text that a user wrote, with the places of the ops of the module that was read from it."""

import re
from collections.abc import Sequence
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Span as Characters

from xetile.dialects.modules import Parser, context
from xetile.errors import collected_remarks, position
from xetile.explorer.levels.placed_texts import Span, Text

_REMARK = re.compile(r"\s*(//.*)?$")
"""What may stand behind an op in its line."""


def source_file(module: Operation) -> str:
    """The name of the file that the positions of a module name first; empty where it has none."""
    found = next((place for op in module.walk() if (place := position(op)) is not None), None)
    return "" if found is None else found.filename.data


def text_of(module: ModuleOp, source: str | None) -> Text | None:
    """The text that a module was read from, with the places of its ops: `source`, else that of its file.

    None where there is none, and where it reads as something else: the file, or the module, has changed since.
    """
    file = source_file(module)
    if source is None and file.endswith(".mlir"):
        source = _read(file)
    return None if source is None else _written(module, source, file)


def _read(name: str) -> str | None:
    """The text of a file; None where it cannot be read."""
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def _written(module: ModuleOp, source: str, name: str) -> Text | None:
    try:
        with collected_remarks():  # they were made when the module was read
            parser = _NotingParser(context(), source, name)
            again = parser.parse_module()
    except ParseError:
        return None
    if not module.is_structurally_equivalent(again):
        return None
    return parser.text(again).moved(zip(again.walk(), module.walk(), strict=True))


class _NotingParser(Parser):
    """Reads as everywhere, and notes where ops and names of values stand."""

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
        """What was noted."""
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
        """From an op's first character to the end of its first line, without a remark behind it."""
        line, column = self._line_and_column(start)
        first = self.lexer.input.content[start:end].split("\n", 1)[0]
        return Span(line, column, column + len(_REMARK.sub("", first)))

    def _line_and_column(self, offset: int) -> tuple[int, int]:
        place = self.place_at(offset)
        return place.line.data - 1, place.column.data - 1

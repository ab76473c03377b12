"""Parsing of names: where each was defined, what contradicts that, and suggestions for unknown ones.

xDSL 0.75 reports a name that is defined twice, or used with another type, without the other place.
No dialect is known here.

Tokens of MLIR text are read by one regular expression.

xDSL 0.75 tests a dozen conditions for each character that begins a token, a sixth of the time of reading
20,000 constants. Text that the expression does not match, rare tokens and mistakes, goes to xDSL's lexer.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, LocationAttr, StringAttr, UnknownLoc
from xdsl.ir import Attribute, Block, BlockArgument, SSAValue
from xdsl.parser import Parser as StockParser
from xdsl.parser import ParserState, UnresolvedOperand
from xdsl.utils.exceptions import MultipleSpansParseError, ParseError
from xdsl.utils.lexer import Input, Span, Token
from xdsl.utils.mlir_lexer import (
    KIND_BY_PUNCTUATION_SPELLING,
    MLIRLexer,
    MLIRToken,
    MLIRTokenKind,
)

from xetile.advice import hint, meant
from xetile.complaints.parsing import parse_complaint
from xetile.errors import Note

_KINDS = {
    r"[a-zA-Z_][a-zA-Z0-9_$.]*+": MLIRTokenKind.BARE_IDENT,
    r"%(?:[0-9]++|[a-zA-Z$._-][a-zA-Z0-9$._-]*+)": MLIRTokenKind.PERCENT_IDENT,
    r"(?:[1-9][0-9]*+|0(?!x))(?![0-9.])": MLIRTokenKind.INTEGER_LIT,
}
_MARKS = ":,()}[]<>=+/*?|"
"""Punctuation that is no prefix of a longer token."""
_TOKEN = re.compile(
    rf"\s*+(?:{'|'.join(f'({kind})' for kind in _KINDS)}|([{re.escape(_MARKS)}])(?!/))",
    re.ASCII,
)
_KIND_OF_GROUP = (None, *_KINDS.values())


class Lexer(MLIRLexer):
    """xDSL's lexer: the same tokens, faster."""

    def lex(self) -> MLIRToken:
        """Return the next token, and move `pos` past it."""
        found = _TOKEN.match(self.input.content, self.pos)
        if found is None:
            return super().lex()
        group = found.lastindex
        assert group is not None
        kind = _KIND_OF_GROUP[group] if group < len(_KIND_OF_GROUP) else None
        start, self.pos = found.span(group)
        if kind is None:
            kind = KIND_BY_PUNCTUATION_SPELLING[found[group]]
        return Token(kind, Span(start, self.pos, self.input))


_Type = TypeVar("_Type", bound=Attribute)


class NotedParseError(ParseError):
    """A parse error with our message, perhaps with other places."""

    def __init__(self, span: Span, message: str, notes: Sequence[Note] = ()) -> None:
        super().__init__(span, message)
        self.notes = tuple(notes)


class ScopedParser(StockParser):
    """xDSL's parser, which also records the places of names."""

    def __init__(self, ctx: Context, input: str | bytes, name: str = "<unknown>") -> None:
        text = input.decode("utf-8") if isinstance(input, bytes) else input
        self._file = StringAttr(name)
        self._line_starts = _line_starts(text)
        self._defined: dict[str, list[Span]] = {}
        """Every definition of a value of each name, in all scopes."""
        self._first_uses: dict[str, tuple[Span, Attribute, Mapping[str, object]]] = {}
        """For values that are not defined yet: the first use, its type, the names visible there."""
        self._aliases: dict[str, Span] = {}
        super().__init__(ctx, text, name)
        self._parser_state = ParserState(Lexer(Input(text, name)))

    def position_at(self, offset: int) -> LocationAttr:
        """Return the position that ops and arguments get for character `offset` of the text."""
        return self.place_at(offset)

    def place_at(self, offset: int) -> FileLineColLoc:
        """Return the position of character `offset` of the text."""
        line = bisect_right(self._line_starts, offset)
        column = offset - self._line_starts[line - 1] + 1
        return FileLineColLoc(self._file, IntAttr(line), IntAttr(column))

    def in_our_words(self, error: ParseError) -> NotedParseError:
        """Rewrite xDSL's error to say what was found and what to write."""
        if isinstance(error, MultipleSpansParseError) and self.forward_block_references:
            return self._missing_block()
        if error.msg.startswith("values used but not defined"):
            return self._undefined_value(error)
        text = self.lexer.input.content
        said = parse_complaint(error.msg, text, error.span.start, self.ssa_values)
        notes = [Note(message, self.place_at(start)) for message, start in said.notes]
        start, end = error.span.start, error.span.end
        if said.start != start:
            start = end = said.start
        return NotedParseError(Span(start, end, self.lexer.input), said.message, notes)

    # Values.

    def resolve_operand(self, operand: UnresolvedOperand, type: _Type) -> SSAValue[_Type]:
        """Resolve as xDSL does, but report a value of another type with its definition."""
        name = operand.operand_name
        values = self.ssa_values.get(name)
        if values is None:
            known = self._first_uses.setdefault(name, (operand.span, type, self.ssa_values))
            before = self.forward_ssa_references.get(name, {}).get(operand.index)
            if before is not None and before.type != type:
                self._refuse_type(operand, type, before.type, known[0], "used")
        elif operand.index >= len(values):
            raise NotedParseError(
                operand.span,
                f"%{name} has {len(values)} part{'s' * (len(values) != 1)}, "
                f"#{operand.index} is none of them",
                self._notes("defined here", self._place_of(name)),
            )
        elif (other := values[operand.index].type) != type:
            self._refuse_type(operand, type, other, self._place_of(name), "defined")
        return super().resolve_operand(operand, type)

    def _refuse_type(
        self,
        operand: UnresolvedOperand,
        type: Attribute,
        other: Attribute,
        place: Span | None,
        what: str,
    ) -> None:
        raise NotedParseError(
            operand.span,
            f"%{operand.operand_name} is used as {type} here, it is {what} as {other}",
            self._notes(f"{what} here as {other}", place),
        )

    def _place_of(self, name: str) -> Span | None:
        """Return where a visible value was defined: the last definition, since inner scopes are closed."""
        return self._defined[name][-1] if name in self._defined else None

    def _register_ssa_definition(
        self, name: str, values: Sequence[SSAValue], span: Span
    ) -> None:
        if name in self.ssa_values:
            raise NotedParseError(
                span,
                f"redefinition of value %{name}; give one of the two another name",
                self._notes("previously defined here", self._place_of(name)),
            )
        for index, use in self.forward_ssa_references.get(name, {}).items():
            if index < len(values) and use.type != values[index].type:
                found = values[index].type
                raise NotedParseError(
                    span,
                    f"%{name} is {found} here, it was used as {use.type} before",
                    self._notes(f"used here as {use.type}", self._first_uses[name][0]),
                )
        super()._register_ssa_definition(name, values, span)
        self._defined.setdefault(name, []).append(span)
        for value in values:
            if isinstance(value, BlockArgument) and isinstance(value.location, UnknownLoc):
                value.location = self.position_at(span.start)

    def _undefined_value(self, error: ParseError) -> NotedParseError:
        """Report a value that has no visible definition, at its first use."""
        name = next(iter(self.forward_ssa_references))
        if name not in self._first_uses:
            return NotedParseError(
                self._span(error.span.start), f"value %{name} is not defined"
            )
        span, _, seen = self._first_uses[name]
        message = f"value %{name} is used but not defined"
        elsewhere = self._defined.get(name, ())
        if elsewhere:
            note = "defined here, in a body that this place is not in"
            advice = "; a loop or branch gives values out by its yield and its results"
            return NotedParseError(span, message + advice, self._notes(note, elsewhere[0]))
        return NotedParseError(span, message + hint(name, seen, "%"))

    # Blocks and aliases.

    def _parse_block(self) -> Block:
        label = self._current_token.span
        if self.blocks.get(label.text[1:], (None, None))[1] is not None:
            before = self.blocks[label.text[1:]][1]
            raise NotedParseError(
                label,
                f"redefinition of block {label.text}; give one of the two another label",
                self._notes("previously defined here", before),
            )
        forward = label.text[1:] in self.blocks
        block = super()._parse_block()
        if forward:
            self.blocks[label.text[1:]] = (block, label)
        return block

    def _missing_block(self) -> NotedParseError:
        name, uses = next(iter(self.forward_block_references.items()))
        advice = hint(name, [label for label in self.blocks if label != name], "^")
        message = f"block ^{name} is branched to but not defined in this body"
        return NotedParseError(uses[0], message + advice)

    def _parse_alias_def(self) -> None:
        name = self._current_token.span
        if name.text in self.attribute_aliases:
            raise NotedParseError(
                name,
                f"redefinition of alias '{name.text}'; give one of the two another name",
                self._notes("previously defined here", self._aliases.get(name.text)),
            )
        super()._parse_alias_def()
        self._aliases[name.text] = name

    def _parse_extended_type_or_attribute(
        self, attr_or_dialect_name: str, is_type: bool
    ) -> Any:
        """Parse as xDSL does, but report an unknown alias, type or attribute with suggestions."""
        name = attr_or_dialect_name
        if "." in name:
            self._refuse_unknown(name, is_type=is_type)
        elif self._current_token.text != "<":
            mark = "!" if is_type else "#"
            if mark + name not in self.attribute_aliases:
                self._refuse_alias(mark, name)
        return super()._parse_extended_type_or_attribute(name, is_type)

    def _refuse_unknown(self, name: str, *, is_type: bool) -> None:
        find = self.ctx.get_optional_type if is_type else self.ctx.get_optional_attr
        if find(name) is not None:
            return
        mark, what = ("!", "type") if is_type else ("#", "attribute")
        message = f"there is no {what} '{mark}{name}'{hint(name, self._names(name, is_type=is_type), mark)}"
        raise NotedParseError(self.name_before(), message)

    def _names(self, name: str, *, is_type: bool) -> list[str]:
        """Return the types or attributes of the dialect of a name."""
        from xdsl.ir import TypeAttribute

        dialect = self.ctx.get_optional_dialect(name.partition(".")[0])
        found = [] if dialect is None else list(dialect.attributes)
        return [one.name for one in found if issubclass(one, TypeAttribute) == is_type]

    def _refuse_alias(self, mark: str, name: str) -> None:
        known = [one[1:] for one in self.attribute_aliases if one[0] == mark]
        raise NotedParseError(
            self.name_before(),
            f"there is no alias '{mark}{name}'{hint(name, known, mark)}",
            self._later(mark + name),
        )

    def _later(self, alias: str) -> tuple[Note, ...]:
        """Return the note on a definition of an alias after its use."""
        import re

        text = self.lexer.input.content
        found = re.search(rf"(?m)^\s*({re.escape(alias)})\s*=", text)
        place = None if found is None else self._span(found.start(1))
        return self._notes("defined here; an alias is defined before it is used", place)

    def name_before(self) -> Span:
        """Return the name of a type or attribute, with its mark, that ends before the current token."""
        text, end = self.lexer.input, self._current_token.span.start
        start = max(text.content.rfind("#", 0, end), text.content.rfind("!", 0, end))
        return Span(start, end, text)

    # Places.

    def _span(self, start: int) -> Span:
        return Span(start, start, self.lexer.input)

    def _notes(self, message: str, at: Span | None) -> tuple[Note, ...]:
        return () if at is None else (Note(message, self.place_at(at.start)),)


def _line_starts(text: str) -> list[int]:
    """Return the offsets at which the lines of `text` start."""
    starts = [0]
    newline = text.find("\n")
    while newline >= 0:
        starts.append(newline + 1)
        newline = text.find("\n", newline + 1)
    return starts


def meant_op(ctx: Context, name: str, usual_dialect: str) -> str:
    """Return a hint at the op that an unknown one may mean: of its dialect, of a similar one, of the usual ones."""
    dialect, dot, rest = name.rpartition(".")
    own = dict.fromkeys([dialect, *_dialects_like(ctx, dialect)]) if dot else ()
    for one in own:
        if found := hint(f"{one}.{rest}", _ops(ctx, one)):
            return found
    if dialect == "linalg":
        return "; mlir-opt makes vectors of it, by transform.structured.vectorize"
    usual = [op for one in (usual_dialect, *_USUAL) for op in _ops(ctx, one)]
    return hint(rest, usual) or hint(f"{usual_dialect}.{rest}", usual)


_USUAL = ("arith", "scf", "gpu", "math", "func", "builtin")
"""Dialects in which an op without a dialect, or with an unknown one, may have been meant to be."""


def _dialects_like(ctx: Context, dialect: str) -> Collection[str]:
    return meant(dialect, ctx.registered_dialect_names)


def _ops(ctx: Context, dialect: str) -> list[str]:
    known = ctx.get_optional_dialect(dialect)
    return [] if known is None else [op.name for op in known.operations]

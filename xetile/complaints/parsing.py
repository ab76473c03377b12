"""Errors of xDSL's parser, rewritten to say what was found and what to write.

The rewriting uses the message, the text and the place; it parses nothing.

It also finds the brackets that are open at a place, and braces that another brace's partner seems to close.
"""

import re
from collections.abc import Callable, Collection
from typing import NamedTuple

from xetile.advice import attribute_for, hint

CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
"""The closing bracket of each opening one."""

_BRACKETS = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"|->|[<>=]=|[()\[\]{}<>]')


class Brackets(NamedTuple):
    """The brackets that are open at a place, innermost last, and braces that are closed at another indentation."""

    open: list[tuple[str, int]]
    odd: list[tuple[int, int]]


def brackets(text: str, end: int) -> Brackets:
    """Return the brackets of a text before an offset."""
    found = Brackets([], [])
    for match in _BRACKETS.finditer(text, 0, end):
        sign = match[0]
        if sign in CLOSING:
            found.open.append((sign, match.start()))
        elif any(CLOSING[opened] == sign for opened, _ in found.open):
            _close(found, text, sign, match.start())
    return found


def _close(found: Brackets, text: str, sign: str, place: int) -> None:
    while found.open:
        opened, start = found.open.pop()
        if CLOSING[opened] != sign:
            continue
        line = _line_of(text, place)
        own = sign == "}" and line.lstrip().startswith("}")
        if own and "\n" in text[start:place] and indent(line) not in _indents(text, start):
            found.odd.append((start, place))
        return


def _indents(text: str, place: int) -> set[int]:
    """Return the indents of a line and of the lines above that it continues: less indented, opening no body."""
    found = {indent(_line_of(text, place))}
    start = text.rfind("\n", 0, place)
    while start >= 0:
        above = _line_of(text, start - 1) if start else ""
        code = above.split("//")[0].rstrip()
        if not code or code.endswith(("{", "}")) or indent(above) >= min(found):
            break
        found.add(indent(above))
        start = text.rfind("\n", 0, start)
    return found


def _line_of(text: str, place: int) -> str:
    start = text.rfind("\n", 0, place) + 1
    end = text.find("\n", place)
    return text[start : len(text) if end < 0 else end]


def indent(line: str) -> int:
    """Return the number of blanks that a line begins with."""
    return len(line) - len(line.lstrip())


_TOKEN = re.compile(r'->|::|"(?:[^"\\\n]|\\.)*"|[%#!@^]?[\w$][\w$.]*|\S')
_WORD = re.compile(r"(?:(?:\d+|\?)?x)*([A-Za-z_]\w*)")
_TYPES = (
    *("i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "index"),
    *("f16", "bf16", "tf32", "f32", "f64", "f8E4M3FN", "f8E5M2"),
)
_END = "the end of the file"


class Complaint(NamedTuple):
    """A message, the offset in the text that it is about, and notes on other places."""

    message: str
    start: int
    notes: tuple[tuple[str, int], ...] = ()


class _Found(NamedTuple):
    """An error as xDSL reports it: its text, the program, the offset, the names of values visible there."""

    match: re.Match[str]
    text: str
    start: int
    values: Collection[str]

    @property
    def token(self) -> str:
        return token_at(self.text, self.start)

    @property
    def shown(self) -> str:
        return f"'{self.token}'" if self.token else _END


def parse_complaint(
    message: str, text: str, start: int, values: Collection[str] = ()
) -> Complaint:
    """Rewrite an error on `text` at offset `start`; `values` are the names of visible values."""
    line = plain(message)
    for pattern, answer in _ANSWERS:
        if match := re.search(pattern, line):
            said = answer(_Found(match, text, start, values))
            break
    else:
        said = Complaint(line, start)
    return _at_the_line_before(said, text)


_OF_WHAT_IS_THERE = ("expected ", "this ", "unexpected ", "there is ", "'")
"""How messages begin that are about the token at the place; others are about text that was read before."""


def token_at(text: str, start: int) -> str:
    """Return the first token at or after an offset, or an empty string at the end of the text."""
    match = _TOKEN.search(text, start)
    return match[0] if match else ""


_CLASSES = {
    "ArrayAttr": "a list in brackets",
    "DenseArrayBase": "a list such as array<i64: 1, 2>",
    "DictionaryAttr": "a dictionary in braces",
    "FloatAttr": "a number with a point",
    "FunctionType": "a type of functions",
    "IntegerAttr": "a whole number",
    "StringAttr": "a string",
    "SymbolRefAttr": "a symbol such as @name",
    "UnitAttr": "no value",
}
"""Names of attributes for users, by xDSL's classes."""


_WRONG_CLASS = re.compile(r"expected (\w+) attribute, but got '?<class '[\w.]*?(\w+)'>'?")


def plain(message: str) -> str:
    """Return the message on one line, in lower case at the start, without a full stop."""
    line = " ".join(message.split()).replace("`", "'").rstrip(".! ")
    if wrong := _WRONG_CLASS.fullmatch(line):
        wanted, found = (_CLASSES.get(name, name) for name in wrong.groups())
        return f"{found} where {wanted} should stand"
    line = re.sub(r"\. ([A-Z])(?=[a-z ])", lambda found: f"; {found[1].lower()}", line)
    return line[:1].lower() + line[1:] if line[1:2].islower() else line


def _at_the_line_before(said: Complaint, text: str) -> Complaint:
    """Move a message on something missing to the end of the token before, if the next token is on a later line."""
    end = end_of_token_before(text, said.start)
    if "\n" not in text[end : said.start]:
        return said
    if said.message.startswith("expected "):
        return said._replace(start=end)
    if said.message.startswith(_OF_WHAT_IS_THERE):
        return said
    line = text.rfind("\n", 0, end) + 1
    return said._replace(start=line + indent(text[line:end]))


def end_of_token_before(text: str, start: int) -> int:
    """Return the offset after the last token before another offset; comments and blanks are not tokens."""
    end = start
    while end > 0:
        line_start = text.rfind("\n", 0, end) + 1
        line = text[line_start:end]
        code = re.split(r"//", line, maxsplit=1)[0].rstrip()
        if code:
            return line_start + len(code)
        end = line_start - 1
    return start


def _odd(odd: list[tuple[int, int]]) -> list[tuple[str, int]]:
    """Return a note on the first brace that another brace's partner seems to close."""
    return (
        [("this '{' is closed by a '}' that is indented otherwise", odd[0][0])] if odd else []
    )


def _unclosed(found: _Found) -> Complaint:
    """Report a body that does not end, or something in it that is not an op."""
    if found.token:
        return Complaint(f"expected an operation or '}}', found {found.shown}", found.start)
    opened, odd = brackets(found.text, found.start)
    notes = _odd(odd) or [
        ("this '{' is not closed", place) for sign, place in opened[-1:] if sign == "{"
    ]
    message = f"expected '}}' before {_END}"
    return Complaint(message, found.start, tuple(notes))


def _no_operation(found: _Found) -> Complaint:
    if found.token != "}":
        return Complaint(f"expected an operation, found {found.shown}", found.start)
    notes = _odd(brackets(found.text, found.start).odd)
    message = (
        "this '}' closes nothing, since every '{' above is closed already; remove one '}'"
    )
    return Complaint(message, found.start, tuple(notes))


def _punctuation(found: _Found) -> Complaint:
    sign, context = found.match[1], found.match[2]
    opened = brackets(found.text, found.start).open[-1:]
    notes = [
        (f"to close this '{bracket}'", place)
        for bracket, place in opened
        if CLOSING[bracket] == sign
    ]
    where = context or f" before {found.shown}"
    if found.token == "=" and not context:
        where += "; is the op above complete? it takes the name before '=' as its own"
    found_there = "" if where.startswith(" before ") else f", found {found.shown}"
    return Complaint(f"expected '{sign}'{where}{found_there}", found.start, tuple(notes))


# Words where something else is expected.


def _type(found: _Found) -> Complaint:
    """Report a word where a type is expected: perhaps a type of another language."""
    word = _WORD.match(found.text, found.start)
    if word is None or word[1] in _TYPES:
        return Complaint(
            f"expected {found.match[1] or 'a type'}, found {found.shown}", found.start
        )
    advice = hint(word[1], _TYPES)
    return Complaint(f"there is no type '{word[1]}'{advice}", word.start(1))


def _attribute(found: _Found) -> Complaint:
    if re.search(r"![\w.$]+\s*=\s*$", found.text[: found.start]):  # the alias of a type
        advice = f"; write !{found.token}" if re.match(r"[A-Za-z]", found.token) else ""
        return Complaint(f"expected a type, found {found.shown}{advice}", found.start)
    written = attribute_for(found.token) if re.fullmatch(r"[A-Za-z_]\w*", found.token) else ""
    advice = f"; write {written}" if written else ""
    return Complaint(
        f"expected an attribute such as 1 : i32, found {found.shown}{advice}", found.start
    )


def _string(found: _Found) -> Complaint:
    word = re.fullmatch(r"[A-Za-z_]\w*", found.token)
    advice = f'; write "{found.token}"' if word else ""
    return Complaint(
        f"expected a string in quotation marks, found {found.shown}{advice}", found.start
    )


def _value(found: _Found) -> Complaint:
    token = found.token
    if token.isidentifier():
        advice = f"; did you mean %{token}?" if token in found.values else f"; write %{token}"
    elif re.fullmatch(r"[\d.]+", token):
        advice = f"; make the number a value first: %number = arith.constant {token} : type"
    else:
        advice = ""
    return Complaint(
        f"expected a value such as %name, found {found.shown}{advice}", found.start
    )


def _one_of(found: _Found) -> Complaint:
    legal = re.findall(r"'(\w+)'", found.match[1])
    advice = hint(found.token, legal)
    message = f"expected one of {', '.join(legal)}, found {found.shown}{advice}"
    return Complaint(message, found.start)


def _results(found: _Found) -> Complaint:
    """Report more or fewer names before '=' than the op has results."""
    count, named = (int(found.match[group]) for group in (1, 2))
    if not count:
        message = "this op has no result; leave out what stands before it, up to the '='"
    else:
        plural, verb = "" if count == 1 else "s", "is" if named == 1 else "are"
        message = f"this op has {count} result{plural}, {named} {verb} named before '='"
    return Complaint(message, found.start)


def _symbol(found: _Found) -> Complaint:
    advice = f"; write @{found.token}" if found.token.isidentifier() else ""
    return Complaint(
        f"expected a name such as @name, found {found.shown}{advice}", found.start
    )


def _character(found: _Found) -> Complaint:
    character = found.match[1]
    advice = "; an op ends with its line" if character == ";" else ""
    return Complaint(f"unexpected character '{character}'{advice}", found.start)


_SIGNS = {
    "#": "'#' begins the name of an attribute, such as #map; a comment begins with //",
    "!": "'!' begins the name of a type, such as !tile",
    "%": "'%' begins the name of a value, such as %a",
    "^": "'^' begins the name of a block, such as ^bb0",
}


def _sign(found: _Found) -> Complaint:
    sign = found.text[found.start : found.start + 1]
    return Complaint(_SIGNS.get(sign, f"'{sign}' stands alone"), found.start)


def _says(message: str) -> Callable[[_Found], Complaint]:
    """Return an answer: the message with the pattern's groups for {1}, {2}, and the token found for {found}."""

    def answer(found: _Found) -> Complaint:
        groups = ("", *(group or "" for group in found.match.groups()))
        return Complaint(message.format(*groups, found=found.shown), found.start)

    return answer


def _expected(what: str) -> Callable[[_Found], Complaint]:
    return _says(f"expected {what}, found {{found}}")


_ANSWERS: tuple[tuple[str, Callable[[_Found], Complaint]], ...] = (
    (r"^in block definition$", _unclosed),
    (r"^expected an operation$|^could not parse entire input$", _no_operation),
    (
        r"^expected 'x' in shape delimiter",
        _says(
            "expected 'x' between the extents, found {found}; "
            "extents and the type of the elements are written as in 64x32xf16"
        ),
    ),
    (r"^((?:',' or )?'->') or .* expected( before .*)?$", _expected("{1}{2}")),
    (r"^expected '([^\w\s']+)'( .*)?$", _punctuation),
    (r"^'([^\w\s']+)' expected( .*)?$", _punctuation),
    (r"^expected ('\w+'(?:, '\w+')*,? or '\w+')$", _one_of),
    (r"^expected ('\w+'(?: .*)?)$", _expected("{1}")),
    (r"^('\w+') expected$", _expected("{1}")),
    (r"^(?:type expected|expected (?:vector element|shape) type)()$", _type),
    (r"^attribute expected$", _attribute),
    (r"^string literal expected|^expected a string$", _string),
    (r"^operand expected$|^expected an operand$|an SSA value such as %value$", _value),
    (r"^expect(?:ed)? symbol name$", _symbol),
    (r"^unexpected character: (.)$", _character),
    (r"^expected suffix identifier after", _sign),
    (
        r"^end of file reached before closing string literal$",
        _says("this string has no end; close it with a quotation mark on its line"),
    ),
    (
        r"^@ identifier expected|^unexpected end of file after @",
        _says("'@' begins a symbol, such as @name: a letter, '_' or a quotation mark follows"),
    ),
    (
        r"^expected SSA value tuple size$",
        _says(
            "expected the number of results behind ':', found {found}; "
            "between the name of a result and its op stands '='"
        ),
    ),
    (
        r"^operation has (\d+) results, but was given (\d+) to bind$",
        _results,
    ),
    (
        r"^expected (\d+) operand types but had (\d+)$",
        _says("{1} types for {2} operands; write one type for each operand"),
    ),
    (
        r"^floating point value is not valid for integer type$",
        _says(
            "a number with a point where an integer is expected; "
            "write a whole number, or a type such as f32"
        ),
    ),
    (
        r"^invalid type given for integer or float attribute$",
        _says(
            "a number is of an integer type, index, or a float type such as f32; "
            "a vector of it is dense<...> : vector<...>"
        ),
    ),
    (
        r"^duplicate key '(.*)' in (?:dictionary attribute|properties dictionary)$",
        _says("the key '{1}' occurs twice in the dictionary"),
    ),
    (
        r"^expected bare-id or string-literal here as part of attribute entry$",
        _expected("a key of the dictionary"),
    ),
    (
        r"^(?:block argument expected|expected block argument|expected argument or type)$",
        _expected("an argument such as %name: type"),
    ),
    (
        r"^expected all arguments to be named or all arguments to be unnamed$",
        _says("some arguments have names and some have none; name all of them: %name: type"),
    ),
    (
        r"^invalid block name in region with named arguments$",
        _says(
            "the first block of this body has no label; its arguments are named before the '{{'"
        ),
    ),
    (r"^expected region$", _expected("'{{' and a body")),
    (r"^expected integer literal(.*)$", _expected("a whole number{1}")),
    (r"^expected float literal(.*)$", _expected("a number with a point{1}")),
    (r"^expected boolean literal(.*)$", _expected("true or false{1}")),
    (r"^identifier expected(.*)$", _expected("a name{1}")),
    (r"^operation name expected$", _expected("the name of an op")),
    (
        r"^(?:integer|number)(?:, boolean,)? or float literal expected(.*)$",
        _expected("a number{1}"),
    ),
    (
        r"^unbalanced '(.)' in dialect symbol body$",
        _says(
            "'{1}' closes nothing here; brackets are closed in the order in which they were opened"
        ),
    ),
    (r"^(?:function type signature|':') expected$", _expected("':' and the types")),
    (r"^expected ((?:(?!\bgot\b|\bfound\b|;).)*)$", _expected("{1}")),
    (r"^(\w[\w ]*) expected$", _expected("{1}")),
)

"""The grammar of layout attributes: `#dialect.name<{key = value, ...}>`, parsed to plain data."""

from collections.abc import Callable
from typing import NamedTuple, NoReturn, TypeAlias

from xetile.layout.algebra.linear_layout import LayoutError

Value: TypeAlias = "int | bool | str | list[Value] | dict[str, Value] | Attribute"

_DEEPEST = 64
_LONGEST_NUMBER = 18
_SCALARS = {"true": True, "false": False}
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")


class Attribute(NamedTuple):
    """An attribute's name without `#`, its keyed fields, and values without a key."""

    name: str
    fields: "dict[str, Value]"
    values: "list[Value]"


def read_attribute(text: str) -> Attribute:
    """Parse the attribute `text`; LayoutError with the position where parsing stopped."""
    reader = _Reader(text)
    attribute = reader.attribute()
    if not reader.at_end():
        reader.refuse("the end")
    return attribute


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.depth = 0

    def at_end(self) -> bool:
        self._skip_space()
        return self.position == len(self.text)

    def refuse(self, expected: str) -> NoReturn:
        rest = self.text[self.position :][:20]
        found = f"'{rest}'" if rest else "the end"
        raise LayoutError(
            f"layout attribute: expected {expected} at character {self.position}, found {found}"
        )

    def attribute(self) -> Attribute:
        self._expect("#", "an attribute such as #ttg.blocked<{...}>")
        attribute = Attribute(self._word("an attribute's name"), {}, [])
        if not self._take("<"):
            return attribute
        braced = self._take("{")
        self._fields(attribute, "}" if braced else ">")
        if braced:
            self._expect(">", "'>'")
        return attribute

    def _items(self, closing: str, read: Callable[[], None]) -> None:
        if self._take(closing):
            return
        read()
        while not self._take(closing):
            self._expect(",", f"',' or '{closing}'")
            read()

    def _fields(self, attribute: Attribute, closing: str) -> None:
        def read() -> None:
            start = self.position
            value = self._value()
            if not isinstance(value, str) or not self._take("="):
                attribute.values.append(value)
                return
            if value in attribute.fields:
                self.position = start
                self.refuse(f"'{value}' only once")
            attribute.fields[value] = self._value()

        self._items(closing, read)

    def _value(self) -> Value:
        if self.depth == _DEEPEST:
            self.refuse(f"at most {_DEEPEST} values inside of one another")
        self.depth += 1
        value = self._one_value()
        self.depth -= 1
        return value

    def _one_value(self) -> Value:
        if self._peek("#"):
            return self.attribute()
        if self._take("["):
            values: list[Value] = []
            self._items("]", lambda: values.append(self._value()))
            return values
        if self._take("{"):
            inner = Attribute("", {}, [])
            self._fields(inner, "}")
            return inner.fields
        word = self._word("a value")
        if word in _SCALARS:
            return _SCALARS[word]
        if word.removeprefix("-").isdigit():
            if len(word) > _LONGEST_NUMBER:
                self.position -= len(word)
                self.refuse(f"a number of at most {_LONGEST_NUMBER} digits")
            number = int(word)
            if self._take(":"):
                self._word("a type")
            return number
        return word

    def _word(self, expected: str) -> str:
        self._skip_space()
        start = self.position
        while self.position < len(self.text) and self.text[self.position] in _WORD:
            self.position += 1
        if start == self.position:
            self.refuse(expected)
        return self.text[start : self.position]

    def _skip_space(self) -> None:
        while self.position < len(self.text) and self.text[self.position].isspace():
            self.position += 1

    def _peek(self, symbol: str) -> bool:
        self._skip_space()
        return self.text.startswith(symbol, self.position)

    def _take(self, symbol: str) -> bool:
        if not self._peek(symbol):
            return False
        self.position += len(symbol)
        return True

    def _expect(self, symbol: str, expected: str) -> None:
        if not self._take(symbol):
            self.refuse(expected)

"""Layouts as text: `register: K1 K2^N8; lane: N1 N2 -> K=4 N=16`, the notation of the explorer's page.

After each in dimension come the images of 1, 2, 4, ...: the dimensions in which they are not 0, joined by `^`, or 0.
`K8` is 8 in K; a dimension whose name ends in a digit takes a sign, as `dim0=8`. After `->` are the sizes of the out
dimensions; the default is the smallest sizes that fit the images. The page reads and prints the same notation
(`explorer/page/type.js`), and also chains of layouts.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple, NoReturn

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout

MOST = 1 << 30
"""The largest number in a layout: the page has numbers of 32 bits."""

_TOKEN = re.compile(r"->|[A-Za-z_]\w*|\d+|\S", re.ASCII)
_NAME = re.compile(r"[A-Za-z_]")
_NAME_AND_NUMBER = re.compile(r"([A-Za-z_]+)(\d+)", re.ASCII)


class NotationError(LayoutError):
    """An error in a text, with its line and column, from 1."""

    def __init__(self, what: str, line: int, column: int) -> None:
        super().__init__(f"{line}:{column}: {what}")
        self.what, self.line, self.column = what, line, column


class _Token(NamedTuple):
    text: str
    at: int


class _Term(NamedTuple):
    """A number in a dimension, and its position."""

    name: str
    number: int
    token: _Token


def read_notation(text: str, sizes: Mapping[str, int] | None = None) -> LinearLayout:
    """Parse a layout; `sizes` are the out dimensions if the text gives none and uses no others.

    Errors: NotationError. The layout need not reach every element.
    """
    return _Reader(text, sizes or {}).whole()


def notation(layout: LinearLayout) -> str:
    """Return a layout as text on one line."""
    inputs = [
        " ".join([f"{name}:", *(_vector(layout.out_dim_names, vector) for vector in vectors)])
        for name, vectors in layout.bases.items()
    ]
    sizes = [f"{name}={size}" for name, size in layout.out_dims.items()]
    return f"{'; '.join(inputs)} -> {' '.join(sizes)}"


def _vector(dims: tuple[str, ...], vector: tuple[int, ...]) -> str:
    terms = [
        f"{dim}{'=' if dim[-1].isdigit() else ''}{number}"
        for dim, number in zip(dims, vector, strict=True)
        if number
    ]
    return "^".join(terms) or "0"


class _Reader:
    def __init__(self, text: str, sizes: Mapping[str, int]) -> None:
        self.text = text
        self.sizes = sizes
        self.tokens = [_Token(match[0], match.start()) for match in _TOKEN.finditer(text)]
        self.tokens.append(_Token("", len(text)))
        self.next = 0

    def whole(self) -> LinearLayout:
        if not (_NAME.match(self.peek()) and self.peek(1) == ":"):
            self.refuse("expected a layout, such as register: K1 K2")
        images: dict[str, list[list[_Term]]] = {}
        while self.peek(1) == ":":
            name = self.take()
            if name.text in images:
                self.refuse(f"'{name.text}' is there twice", name)
            self.take()
            images[name.text] = self.vectors()
            if self.peek() == ";":
                self.take()
        said = self.tail() if self.peek() == "->" else None
        if self.peek():
            self.refuse("expected the end")
        return self.made(images, said)

    def vectors(self) -> list[list[_Term]]:
        found: list[list[_Term]] = []
        while self.peek() == "0" or (_NAME.match(self.peek()) and self.peek(1) != ":"):
            found.append(self.vector())
        return found

    def vector(self) -> list[_Term]:
        if self.peek() == "0":
            self.take()
            return []
        terms = [self.term()]
        while self.peek() == "^":
            self.take()
            terms.append(self.term())
        return terms

    def term(self) -> _Term:
        token = self.take()
        name, digits = token.text, ""
        if self.peek() == "=":
            self.take()
            if not self.peek().isdigit():
                self.refuse("expected a number")
            digits = self.take().text
        elif split := _NAME_AND_NUMBER.fullmatch(token.text):
            name, digits = split.groups()
        else:
            self.refuse("expected a dimension and a number, such as K8", token)
        if len(digits) > len(str(MOST)) or int(digits) > MOST:
            self.refuse(f"numbers are at most {MOST}", token)
        return _Term(name, int(digits), token)

    def tail(self) -> dict[str, int]:
        self.take()
        sizes: dict[str, int] = {}
        while _NAME.match(self.peek()):
            name, number, token = self.term()
            if name in sizes:
                self.refuse(f"'{name}' is there twice", token)
            if number.bit_count() != 1:
                self.refuse(f"{name} = {number} is no power of two", token)
            sizes[name] = number
        return sizes

    def made(
        self, images: Mapping[str, list[list[_Term]]], said: dict[str, int] | None
    ) -> LinearLayout:
        terms = [term for vectors in images.values() for vector in vectors for term in vector]
        sizes = self.inferred(terms) if said is None else said
        for name, number, token in terms:
            if name not in sizes:
                self.refuse(
                    f"there is no dimension '{name}'; there are {', '.join(sizes)}", token
                )
            if number >= sizes[name]:
                self.refuse(f"{name}{number} is outside: {name} has {sizes[name]}", token)
        bases = {
            name: [_image(vector, sizes) for vector in vectors]
            for name, vectors in images.items()
        }
        return LinearLayout.from_bases(bases, sizes, require_surjective=False)

    def inferred(self, terms: list[_Term]) -> dict[str, int]:
        """Return the known sizes if all dimensions are among them, else the smallest that fit the images."""
        if self.sizes and all(term.name in self.sizes for term in terms):
            return dict(self.sizes)
        found: dict[str, int] = {}
        for name, number, _ in terms:
            found[name] = max(found.get(name, 1), 1 << number.bit_length())
        return found

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[min(self.next + ahead, len(self.tokens) - 1)].text

    def take(self) -> _Token:
        token = self.tokens[self.next]
        self.next = min(self.next + 1, len(self.tokens) - 1)
        return token

    def refuse(self, what: str, token: _Token | None = None) -> NoReturn:
        wrong = self.tokens[self.next] if token is None else token
        if what.startswith("expected"):
            what += f", found '{wrong.text}'" if wrong.text else ", found the end"
        before = self.text[: wrong.at]
        line, start = before.count("\n") + 1, before.rfind("\n") + 1
        raise NotationError(what, line, wrong.at - start + 1)


def _image(vector: list[_Term], sizes: Mapping[str, int]) -> tuple[int, ...]:
    image = dict.fromkeys(sizes, 0)
    for term in vector:
        image[term.name] ^= term.number
    return tuple(image.values())

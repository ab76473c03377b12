"""Pieces of the source of a kernel: statements with what stands in them."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar

INDENT = "    "


@dataclass
class Statement:
    """A line, and the blocks below it: of an `if` with an `else` two, else at most one."""

    text: str
    blocks: "list[list[Self]]" = field(default_factory=list["list[Self]"])

    def lines(self, depth: int) -> Iterator[str]:
        """The text, indented."""
        for number, block in enumerate(self.blocks or [[]]):
            yield INDENT * depth + ("else:" if number else self.text)
            for statement in block:
                yield from statement.lines(depth + 1)
            if self.blocks and not block:
                yield INDENT * (depth + 1) + "pass"


Some = TypeVar("Some", bound=Statement)


def without_each(body: list[Some]) -> Iterator[list[Some]]:
    """The same statements with one of them left out, or its blocks in its place; inner ones last."""
    for i, statement in enumerate(body):
        yield [*body[:i], *body[i + 1 :]]
        if statement.blocks:
            inner = [one for block in statement.blocks for one in block]
            yield [*body[:i], *inner, *body[i + 1 :]]
        if len(statement.blocks) > 1:
            yield [*body[:i], replace(statement, blocks=statement.blocks[:1]), *body[i + 1 :]]
        for j, block in enumerate(statement.blocks):
            for smaller in without_each(block):
                blocks = [*statement.blocks[:j], smaller, *statement.blocks[j + 1 :]]
                yield [*body[:i], replace(statement, blocks=blocks), *body[i + 1 :]]

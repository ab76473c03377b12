"""docs/xetile-dialect.md and the dialect say the same: every example on the page is read and printed as it stands."""

import re
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from xetile.dialects.modules import parse, verify
from xetile.dialects.xetile import XeTile
from xetile.dialects.xetile.aliases import ALIASES

PAGE = Path(__file__).parents[4] / "docs" / "xetile-dialect.md"


class Example(NamedTuple):
    title: str
    printed: str
    also_read: list[str]


def examples(page: str) -> list[Example]:
    section = page.split("\n## Examples\n")[1]
    found: list[Example] = []
    for part in section.split("\n### ")[1:]:
        printed = re.findall(r"```mlir\n(.*?)```", part, re.DOTALL)
        also_read = re.findall(r"```mlir also read\n(.*?)```", part, re.DOTALL)
        assert len(printed) == 1
        found.append(Example(part.split("\n")[0].strip("`"), printed[0], also_read))
    return found


EXAMPLES = examples(PAGE.read_text())
ALSO_READ = [
    pytest.param(example, text, id=f"{example.title}-{number}")
    for example in EXAMPLES
    for number, text in enumerate(example.also_read)
]


def printed(module: ModuleOp, *, generic: bool = False) -> str:
    stream = StringIO()
    printer = Printer(stream, print_generic_format=generic)
    for op in module.body.block.ops:
        printer.print_op(op)
        printer.print_string("\n")
    return stream.getvalue()


def read(text: str) -> ModuleOp:
    module = parse(text)
    verify(module)
    return module


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.title for example in EXAMPLES])
def test_printed_as_it_stands(example: Example) -> None:
    assert printed(read(example.printed)) == example.printed


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.title for example in EXAMPLES])
def test_generic_form_gives_the_same_ir(example: Example) -> None:
    module = read(example.printed)
    generic = printed(module, generic=True)
    assert "xetile." not in re.sub(r'"xetile[^"]*"|[#!]xetile', "", generic)
    again = read(generic)
    assert printed(again) == example.printed
    assert printed(again, generic=True) == generic


@pytest.mark.parametrize(("example", "text"), ALSO_READ)
def test_also_read(example: Example, text: str) -> None:
    assert printed(read(text)) == example.printed


def test_every_op_and_every_name_has_an_example() -> None:
    shown = "".join(example.printed for example in EXAMPLES)
    also_read = "".join(text for example in EXAMPLES for text in example.also_read)
    names = {op.name for op in XeTile.operations}
    assert {name for name in names - set(ALIASES) if f"{name} " not in shown} == set()
    assert {name for name in ALIASES if f"{name} " not in also_read} == set()
    assert set(ALIASES) <= names


def rows(page: str) -> list[str]:
    """The ops of the page's table."""
    return re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)


def rows_without_example(page: str) -> set[str]:
    shown = "".join(example.printed for example in examples(page))
    return {name for name in rows(page) if not re.search(rf"\bxetile\.{name} ", shown)}


def test_every_row_of_the_table_has_an_example() -> None:
    page = PAGE.read_text()
    assert rows_without_example(page) == set()
    section = "\n### `tile_reduce`\n"
    before, after = page.split(section)
    cut = before + "\n###" + after.split("\n###", 1)[1]
    assert rows_without_example(cut) == {"tile_reduce"}
    row = (
        "| `tile_square` | `%r = xetile.tile_square %v : vector<8x8xf32>` | |\n| `tile_mma` |"
    )
    assert rows_without_example(page.replace("| `tile_mma` |", row)) == {"tile_square"}


def test_every_op_of_the_table_is_an_op() -> None:
    assert {f"xetile.{name}" for name in rows(PAGE.read_text())} == {
        op.name for op in XeTile.operations
    } - set(ALIASES)

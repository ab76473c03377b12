"""Lines by kind, and the budgets of the rooms."""

import tomllib

import pytest

from tools import size
from tools.size import BUDGETS, ROOT, over_budget, rooms, size_of

TEXT = '''"""A module.

Of two lines.
"""

import os
from a import (
    b,
)

# why
X = """a

text"""
"""Of an attribute."""


def f(x):  # an argument
    """A function."""
    # why

    def g():
        return (
            x
        )

    return g
'''


def test_each_line_is_of_one_kind() -> None:
    found = size_of(TEXT)
    assert found.lines == {"docstring": 4, "import": 4, "comment": 2, "code": 9, "blank": 8}
    assert found.total == len(TEXT.splitlines())
    assert found.functions == [6, 4]


def test_tokens_are_those_of_code() -> None:
    assert size_of('"""Text."""\n\n# why\nx = (1 +\n  2)\n').tokens == 7


def test_rooms_keep_their_budgets() -> None:
    table = tomllib.loads(BUDGETS.read_text())
    assert list(over_budget(rooms(ROOT / "xetile"), table["code"], table["long"])) == []


def test_budgets_are_only_lowered() -> None:
    sizes = {"a": size_of("x = 1\n"), "b": size_of("x = 1\n")}
    text = '# why\n[code]\n"a" = 5\n"gone" = 5\n"b" = 0\n'
    assert size.tightened(text, sizes) == '# why\n[code]\n"a" = 1\n"b" = 0\n'


def test_what_is_over_budget_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = rooms(ROOT / "xetile" / "targets")
    assert [*over_budget(sizes, {"xe": 10, "gone": 5}, {})] == [
        ".: expected a budget in size.toml, found none; write one",
        f"xe: expected at most 10 code lines, found {sizes['xe'].lines['code']}",
        "gone: expected a room, found none; remove its budget",
    ]
    assert size.main([str(ROOT / "xetile" / "targets"), "--check"]) == 1
    assert "xe: expected a budget" in capsys.readouterr().out

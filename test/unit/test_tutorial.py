"""docs/tutorial.md: its files are written, its commands run, and what it shows is what they print."""

from pathlib import Path

import pytest
from support.consoles import fits, ran

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"


TOOLS = [(), pytest.param(("ocloc", "opencl"), marks=[pytest.mark.ocloc, pytest.mark.opencl])]


@pytest.mark.parametrize("tools", TOOLS, ids=["alone", "with tools"])
def test_what_is_shown_is_what_is_printed(tools: tuple[str, ...], tmp_path: Path) -> None:
    count = 0
    for command, shown, printed in ran(PAGE, tmp_path, tools):
        assert fits(shown, printed), f"$ {command}\n{printed}"
        count += 1
    assert count >= 17


def test_other_texts_do_not_fit() -> None:
    assert fits("a\n...\nd", "a\nb\nc\nd\n")
    assert not fits("a\n...\nd", "a\nb\nc\n")
    assert not fits("total: 38", "total: 39")

"""docs/tutorial.md: its files are written, its commands run, and what it shows is what they print."""

from pathlib import Path

from support.consoles import fits, ran

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"


def test_what_is_shown_is_what_is_printed(tmp_path: Path) -> None:
    count = 0
    for command, shown, printed in ran(PAGE, tmp_path):
        assert fits(shown, printed), f"$ {command}\n{printed}"
        count += 1
    assert count >= 17


def test_other_texts_do_not_fit() -> None:
    assert fits("a\n...\nd", "a\nb\nc\nd\n")
    assert not fits("a\n...\nd", "a\nb\nc\n")
    assert not fits("total: 38", "total: 39")

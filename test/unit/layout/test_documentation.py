"""The page on linear layouts: its examples and command lines give what it says, its pictures are current."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from xetile.cli.layout_commands.shown_layout import main

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "linear-layouts.md"


def fences(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)


def test_examples() -> None:
    code = "\n".join(fences("python"))
    test = doctest.DocTestParser().get_doctest(code, {}, "page", str(PAGE), 0)
    failures: list[str] = []
    outcome = doctest.DocTestRunner(verbose=False).run(test, out=failures.append)
    assert outcome.attempted > 30
    assert not failures, "".join(failures)


@pytest.mark.parametrize("text", fences("console"))
def test_command_lines(
    text: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command, _, expected = text.removeprefix("$ ").partition("\n")
    (tmp_path / "docs" / "pictures").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    program, *arguments = shlex.split(command)
    assert program == "xetile-layout"
    assert main(arguments) == 0
    assert capsys.readouterr().out == expected
    drawn = list((tmp_path / "docs" / "pictures").iterdir())
    assert len(drawn) == command.count("--svg")
    for picture in drawn:
        kept = ROOT / "docs" / "pictures" / picture.name
        assert kept.read_text() == picture.read_text(), f"run {command}"


OTHER_PAGES = ("code-quality.svg",)
"""Pictures of pages that a tool writes; test/unit/tools/isa_report holds them."""


def test_pictures_are_made_by_the_page() -> None:
    text = PAGE.read_text()
    readme = (ROOT / "README.md").read_text()
    for picture in (ROOT / "docs" / "pictures").glob("*.svg"):
        if f"(docs/pictures/{picture.name})" in readme or picture.name in OTHER_PAGES:
            continue
        assert f"(pictures/{picture.name})" in text
        assert f"--svg docs/pictures/{picture.name}" in text

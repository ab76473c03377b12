"""The page on the explorer: its commands and its Python are run, and the pages that it links are what is made now."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from support.pages import executed

from tools.explorer_pages import PAGES, stale
from xetile.explorer.serving.command import main

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "explorer.md"
TEXT = PAGE.read_text()
COMMANDS = re.findall(r"^    xetile-explore ([^:\n]+)$", TEXT, re.MULTILINE)


def test_commands_are_shown() -> None:
    assert len(COMMANDS) == 6
    assert [command for command in COMMANDS if "--serve" in command] == [COMMANDS[-1]]


@pytest.mark.ocloc
def test_commands_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copy(ROOT / "examples" / "softmax.mlir", tmp_path / "mine.mlir")
    monkeypatch.chdir(tmp_path)
    for command in COMMANDS[:-1]:
        assert main(shlex.split(command)) == 0, command
    assert {path.name for path in tmp_path.glob("*.*")} == {
        "mine.mlir",
        "gemm_f16_plain.html",
        "mine.html",
        "before.json",
    }


@pytest.mark.ocloc
def test_its_python_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    (block,) = executed(PAGE, tmp_path, ["ocloc"])
    assert block.agrees
    assert (tmp_path / "gemm.html").stat().st_size > 50_000


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", TEXT)
    assert {f"explorer/{name}.html" for name in PAGES} <= set(links)
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []


@pytest.mark.ocloc
def test_pages_are_what_is_made_now() -> None:
    assert [*stale()] == [], "run python -m tools.explorer_pages"

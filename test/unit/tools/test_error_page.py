"""docs/errors.md is made of the tests, all of whose refusals have a cause."""

from pathlib import Path

import pytest

from tools import error_page
from tools.error_page import CAUSES, TESTS, Refusal, main, page, refusals


def test_the_page_is_what_is_made_now(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, "run python -m tools.error_page"
    assert page().count("\n| ") > 400
    assert capsys.readouterr().out == ""


def test_another_page_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(error_page, "ROOT", tmp_path)
    monkeypatch.setattr(error_page, "PAGE", tmp_path / "errors.md")
    (tmp_path / "errors.md").write_text("old")
    assert main(["--check"]) == 1


def test_refusals_of_all_rooms_are_on_it() -> None:
    left = {
        path.relative_to(TESTS).parts[0]
        for path in TESTS.rglob("*.mlir")
        if list(refusals(path))
        and not any(path.is_relative_to(TESTS / folder) for folder in CAUSES)
    }
    assert left <= {"cli"}, "tests of the commands have programs that are wrong on purpose"
    said = [
        one.message for path in (TESTS / "mistakes").glob("*.mlir") for one in refusals(path)
    ]
    assert "'sg_layout' is missing in wg_map" in said


def test_the_line_is_that_of_the_op(tmp_path: Path) -> None:
    test = tmp_path / "test.mlir"
    test.write_text(
        "// expected-error @below {{a}}\n// expected-note @below {{b}}\n  %x = op |\n// CHECK:{{.*}}t.mlir:1:2: error: c\n// CHECK-NEXT:  %y\n"
    )
    assert list(refusals(test)) == [Refusal("a", "%x = op |"), Refusal("c", "%y")]

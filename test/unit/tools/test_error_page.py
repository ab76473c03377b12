"""docs/errors.md is made of the tests, all of whose refusals have a cause."""

from pathlib import Path

import pytest

from tools import error_page
from tools.error_page import (
    CAUSES,
    COMMANDS,
    TESTS,
    TOPICS,
    WRONG_KERNELS,
    Refusal,
    main,
    page,
    refusals,
    sections,
    wrong_commands,
    wrong_kernels,
)


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


def test_every_topic_of_wrong_kernels_has_a_cause() -> None:
    assert set(TOPICS) == {path.stem for path in WRONG_KERNELS.glob("*.txt")}
    said = {one.message: one.line for one in wrong_kernels(WRONG_KERNELS / "bound.txt")}
    assert (
        said["'x' is bound in the other branch of the `if` at line 3, which is traced"]
        == "y = x + 1.0"
    )


def test_commands_of_pytest_and_of_lit_are_on_it() -> None:
    said = {one.message: one.line for one in wrong_commands()}
    assert said["--tolerance goes with --against"] == "xetile-run gemm.mlir --tolerance 1e-3"
    assert said["unknown pass 'csee'; did you mean 'cse'?"] == "xetile-opt -p csee a.mlir"
    assert not [message for message in said if message.endswith(("expected one of", ";"))]


def test_each_message_is_told_once_below_its_cause() -> None:
    made = list(sections())
    assert made[-1][0] == COMMANDS
    for cause, rows in made:
        messages = [one.message for one in rows]
        assert messages, cause.title
        assert len(messages) == len(set(messages))
        assert page().count(f"\n## {cause.title}\n\n{cause.see}\n") == 1

import os
import subprocess
import sys
from pathlib import Path

import pytest
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr
from xdsl.utils.exceptions import PassFailedException, VerifyException

from xetile.cli.frame.tools import ToolParser, run_tool
from xetile.errors import XetileError

PLACE = FileLineColLoc(StringAttr("a.mlir"), IntAttr(3), IntAttr(7))


def outcome(
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    arguments: list[str] | None = None,
) -> tuple[int, str]:
    def main(_: list[str]) -> int:
        raise error

    status = run_tool("tool", main, arguments or [])
    return status, capsys.readouterr().err


def test_wrong_input_with_a_place_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    error = XetileError("tile is\n 3x4", PLACE)
    assert outcome(capsys, error) == (1, "a.mlir:3:7: error: tile is 3x4\n")


def test_wrong_input_without_a_place_names_the_program(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert outcome(capsys, XetileError("no such device")) == (
        1,
        "tool: error: no such device\n",
    )


def test_a_failed_pass_is_wrong_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(capsys, PassFailedException("no way")) == (1, "tool: error: no way\n")


def test_a_file_that_is_not_there_is_wrong_input(capsys: pytest.CaptureFixture[str]) -> None:
    error = FileNotFoundError(2, "No such file or directory", "x.mlir")
    assert outcome(capsys, error) == (1, "tool: error: 'x.mlir': no such file or directory\n")


def test_too_little_memory_is_wrong_input(capsys: pytest.CaptureFixture[str]) -> None:
    said = "tool: error: it takes more memory than there is\n"
    assert outcome(capsys, MemoryError()) == (1, said)


@pytest.mark.parametrize("error", [KeyError("x"), VerifyException("x"), RecursionError("x")])
def test_a_fault_of_the_program_is_status_70(
    capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    status, text = outcome(capsys, error)
    assert status == 70
    assert text.startswith(f"internal error: {type(error).__name__}: ")
    assert text.endswith(" (--debug shows the trace)\n")
    assert text.count("\n") == 1


def test_debug_shows_the_trace(capsys: pytest.CaptureFixture[str]) -> None:
    status, text = outcome(capsys, KeyError("x"), ["--debug"])
    assert status == 70
    assert "Traceback" in text


def test_an_interrupt_is_status_130(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(capsys, KeyboardInterrupt()) == (130, "")


def test_option_errors_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    def main(arguments: list[str]) -> int:
        ToolParser("tool", "does things").parse_args(arguments)
        return 0

    assert run_tool("tool", main, ["--nothing"]) == 1
    assert (
        capsys.readouterr().err
        == "tool: error: unrecognized argument '--nothing'; see tool --help\n"
    )
    assert run_tool("tool", main, ["--help"]) == 0


def test_a_broken_pipe_is_quiet(tmp_path: Path) -> None:
    script = tmp_path / "tool.py"
    script.write_text(
        "import sys\n"
        "from xetile.cli.frame.tools import run_tool\n"
        "def main(arguments):\n"
        "    for _ in range(100000): print('x' * 100)\n"
        "    return 0\n"
        "sys.exit(run_tool('tool', main, []))\n"
    )
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        done = subprocess.run(
            [sys.executable, script], stdout=pipe, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (141, b"")


def test_an_interrupt_while_a_class_is_made_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    class Interrupting:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    def work(_: list[str]) -> int:
        type("Made", (), {"field": Interrupting()})
        return 0

    assert run_tool("tool", work, []) == 130
    assert capsys.readouterr().err == ""


def test_an_error_that_is_its_own_cause_is_answered(
    capsys: pytest.CaptureFixture[str],
) -> None:
    error = XetileError("wrong")
    error.__cause__ = error
    assert outcome(capsys, error) == (1, "tool: error: wrong\n")

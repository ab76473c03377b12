"""What counts as an answer that a user can be given."""

import pytest

from tools.fuzz.case import MAIN_FILE, Answer, Case, Streams
from tools.fuzz.verdict import judged

CASE = Case("xetile-opt", (MAIN_FILE,), {MAIN_FILE: b"x", "out": b"old"}, placed=True)


def answer(status: int, errors: str = "", **changed: bytes) -> Answer:
    return Answer(status, b"", errors.encode(), {**CASE.files, **changed})


@pytest.mark.parametrize(
    "given",
    [
        answer(0),
        answer(0, "remark: the device is pvc\n"),
        answer(0, "in.mlir:1:2: warning: hardly meant\nsource\n  ^\n"),
        answer(0, "xetile-run:  50% after 3 s\n"),
        answer(1, "in.mlir:1:2: error: wrong\n"),
        answer(
            1, "in.mlir:1:2: error: wrong\nsource\n  ^\nin.mlir:1:1: note: here\nsource\n^\n"
        ),
    ],
)
def test_answers(given: Answer):
    assert judged(CASE, given).finding is None


@pytest.mark.parametrize(
    "given, what",
    [
        (answer(70, "internal error: KeyError: 'x'\n"), "status 70: internal error: KeyError: 'x'"),
        (answer(-11), "signal 11"),
        (answer(130), "status 130: nothing said"),
        (answer(141), "status 141: nothing said"),
        (answer(1), "status 1 with 0 errors"),
        (answer(0, "in.mlir:1:2: error: wrong\n"), "status 0 with 1 errors"),
        (answer(1, "wrong\n"), "no diagnostic: 'wrong'"),
        (answer(1, "in.mlir:1:2: error: a\nb\nc\n"), "no diagnostic: 'c'"),
        (answer(1, "xetile-opt: error: wrong\n"), "no place: xetile-opt: error: wrong"),
        (answer(1, "in.mlir:1:2: error: 'NoneType' is bad\n"),
        "speaks Python: in.mlir:1:2: error: 'NoneType' is bad"),
        (answer(1, "in.mlir:1:2: error: wrong\n", out=b"half"), "status 1, but 'out' is another"),
        (answer(0, "", **{".out.7.tmp": b"half"}), "left behind: .out.7.tmp"),
        (answer(0)._replace(hung="takes long"), "takes long"),
    ],
)  # fmt: skip
def test_findings(given: Answer, what: str):
    finding = judged(CASE, given).finding
    assert finding is not None
    assert finding.what == what


def test_a_broken_pipe_that_the_fuzzer_made_is_none_of_the_commands():
    broken = CASE._replace(streams=Streams(output="broken"))
    assert judged(broken, answer(141)).finding is None


def test_what_runs_long_and_can_be_interrupted_is_no_finding():
    assert judged(CASE, answer(130)._replace(endless=True)) == ("endless", None, False)

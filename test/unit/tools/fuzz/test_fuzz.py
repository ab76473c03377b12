"""A few hundred of the fuzzer's inputs; `python -m tools.fuzz` runs thousands. Faults that are planted are found."""

import os
import signal
import time
from mmap import mmap

import pytest
from xdsl.dialects.builtin import ModuleOp

from tools.fuzz import __main__ as command
from tools.fuzz import pool
from tools.fuzz.case import MAIN_FILE, Answer, Case, Finding, Outcome, Streams
from tools.fuzz.check import check
from tools.fuzz.differential import refused
from tools.fuzz.families import family_of, make
from tools.fuzz.pool import Name, alone, tried
from tools.fuzz.running import run
from tools.fuzz.shrink import shrunk
from xetile.dialects import modules

GOOD = "func.func @main() {\n  return\n}\n"


@pytest.mark.parametrize("first", range(0, 240, 40))
def test_every_input_has_an_answer(first: int):
    names = [Name(family_of(number), 0, number) for number in range(first, first + 40)]
    outcomes = dict(tried(names, 1))
    assert set(outcomes) == set(names)
    assert {name: o.finding for name, o in outcomes.items() if o.finding is not None} == {}
    assert len({outcome.reached for outcome in outcomes.values()}) > 1


# Planted faults.


def test_a_fault_of_a_verifier_is_found_with_its_place(monkeypatch: pytest.MonkeyPatch):
    def verify(module: ModuleOp) -> None:
        raise KeyError("planted")

    cases = [make("generic", 0, number) for number in range(10)]
    monkeypatch.setattr(modules, "verify", verify)
    findings = [check(case).finding for case in cases]
    assert any(
        finding is not None and "KeyError: 'planted'" in finding.what for finding in findings
    )


def test_a_crash_is_found_and_the_others_are_tried():
    def attempt(name: Name) -> Outcome:
        if name.number == 3:
            os.kill(os.getpid(), signal.SIGSEGV)
        return Outcome("done")

    outcomes = dict(tried([Name("host", 0, n) for n in range(8)], 2, attempt))
    assert [name.number for name, o in outcomes.items() if o.finding is not None] == [3]
    assert outcomes[Name("host", 0, 3)].finding == Finding(
        "signal", "the process ends with status -11"
    )
    assert len(outcomes) == 8


def test_a_hang_is_found(monkeypatch: pytest.MonkeyPatch):
    def attempt(name: Name) -> Outcome:
        time.sleep(0.0 if name.number else 60.0)
        return Outcome("done")

    monkeypatch.setattr(pool, "LONGEST_SILENCE", 0.5)
    outcomes = dict(tried([Name("host", 0, n) for n in range(3)], 1, attempt))
    assert outcomes.pop(Name("host", 0, 0)).finding == Finding(
        "hang", "no answer within 0.5 s"
    )
    assert set(outcomes.values()) == {Outcome("done")}


def test_a_worker_of_a_large_process_has_memory_of_its_own(monkeypatch: pytest.MonkeyPatch):
    def attempt(name: Name) -> Outcome:
        try:
            return Outcome(str(len(bytes(name.number << 20))))
        except MemoryError:
            return Outcome("refused")

    monkeypatch.setattr(pool, "MEMORY", 256 << 20)
    with mmap(-1, 512 << 20):
        outcomes = dict(tried([Name("host", 0, n) for n in (64, 512)], 1, attempt))
    assert [outcome.reached for outcome in outcomes.values()] == [str(64 << 20), "refused"]


def test_loops_that_disagree_are_found():
    def call(case: Case) -> Answer:
        return Answer(0, b"7\n" if case.threshold else b"0\n", b"", case.files)

    finding = check(Case("xetile-run", (), {}, threshold=0), call).finding
    assert finding is not None
    assert finding.step == "loops"


def test_output_that_is_lost_is_found():
    def call(case: Case) -> Answer:
        kept = case.streams is not None and case.streams.output == "kept"
        return Answer(0, b"7\n" if kept else b"", b"", case.files)

    finding = check(Case("xetile-opt", (), {}, streams=Streams(output="full")), call).finding
    assert finding == Finding("output", "output is lost with status 0 (full)")


def test_a_loop_without_end_is_interrupted():
    text = GOOD.replace("return", "cf.br ^again\n^again:\n  cf.br ^again")
    assert check(Case("xetile-run", (MAIN_FILE, "--entry", "main"), {}).with_text(text)) == (
        "endless",
        None,
        False,
    )


@pytest.mark.mlir_opt
def test_what_mlir_opt_refuses_is_found():
    bad = GOOD.replace("return", "return\n  return")
    assert [place for place, _ in refused([GOOD, bad, GOOD, bad])] == [1, 3]


# Processes of their own, and the command line.


@pytest.mark.parametrize("fresh", [False, True])
def test_streams_are_those_of_the_case(fresh: bool):
    case = Case("xetile-opt", (), {}, input=GOOD.encode(), streams=Streams(fresh=fresh))
    answer = run(case)
    assert answer.status == 0
    assert b"@main" in answer.output
    broken = run(case._replace(streams=Streams(output="broken", fresh=fresh)))
    assert broken.status == 141


def test_lines_that_do_not_matter_are_left_out():
    assert shrunk("a\nb\nc\nd\ne", lambda text: "b" in text and "d" in text) == "b\nd"


def test_one_input_is_shown(capsys: pytest.CaptureFixture[str]):
    assert command.main(["--family", "host", "--only", "5", "--seed", "2"]) in (0, 1)
    said = capsys.readouterr().out
    assert "--- in.mlir\n" in said
    assert make("host", 2, 5).text in said


def test_findings_are_grouped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def outcomes(names: list[Name], jobs: int):
        for name in names:
            finding = Finding(
                "status", f"status 70: '%{name.number}' has {name.number} elements"
            )
            yield name, Outcome("status 70", finding if name.number > 1 else None)

    monkeypatch.setattr(command, "tried", outcomes)
    assert command.main(["--count", "5", "--family", "arrays"]) == 1
    said = capsys.readouterr().out
    assert "      5 arrays: status 70\n" in said
    assert (
        "3 x status: status 70: '%2' has 2 elements  (--family arrays --seed 0 --only 2)\n"
        in said
    )
    assert alone(Name("arrays", 0, 0), lambda _: Outcome("x")) == Outcome("x")

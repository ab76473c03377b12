"""The part of `tools/golden.py` that compares; running two trees is its own work."""

from pathlib import Path

import pytest

from tools.witness.capture import Answer, Cleaner, captured
from tools.witness.commands import split_line
from tools.witness.comparison import compare, difference_lines, report, without_attribute
from tools.witness.store import Result, Store


def stored(store: Store, name: str, **texts: str) -> Result:
    return Result(name, {part: store.keep(text.encode()) for part, text in texts.items()})


def test_results_that_differ_are_shown_once(tmp_path: Path):
    base, head = Store(tmp_path / "base"), Store(tmp_path / "head")
    old = [stored(base, f"{n}", status="0", stdout=f"same\n%{n} = a\n") for n in range(3)]
    new = [stored(head, f"{n}", status="0", stdout=f"same\n%{n} = b\n") for n in range(2)]
    new.append(stored(head, "2", status="0", stdout="same\n%2 = a\n"))
    found = compare(old, new, read_base=base.text, read_head=head.text)
    assert [(d.name, d.part) for d in found] == [("0", "stdout"), ("1", "stdout")]
    lines = report(found, most=20)
    assert {"-%0 = a", "+%0 = b"} <= set(lines)
    assert lines[-1] == "-- the same in 1 more: 1 [stdout]"


def test_a_result_on_one_side_only_differs(tmp_path: Path):
    store = Store(tmp_path)
    result = stored(store, "x", status="0")
    for base, head, where in (([result], [], "the base"), ([], [result], "this tree")):
        (found,) = compare(base, head, read_base=store.text, read_head=store.text)
        assert found.lines[-1] == f"+ only in {where}"


@pytest.mark.parametrize(
    "text, rest",
    [
        ('op %a {m.x = "b}", y = 1}', "op %a {y = 1}"),
        ("op %a {y = 1, m.x = <[1, 2], {z = 3}>}", "op %a {y = 1}"),
        ("op %a {m.x} : f32", "op %a : f32"),
        ('"op"() <{m.x = array<i64: 1, 2>}> : f32', '"op"() : f32'),
        ("op {a = 1, m.x = 2 : i32, b = 3}", "op {a = 1, b = 3}"),
        ("op {a = 1, m.x = 2 : i32}", "op {a = 1}"),
        ("op {a = 1, m.x, b = 3}", "op {a = 1, b = 3}"),
        ("op attributes {m.x = 1} {}", "op {}"),
        ("op {m.xy = 1, other.m.x = 2}", "op {m.xy = 1, other.m.x = 2}"),
    ],
)
def test_an_ignored_attribute_goes(text: str, rest: str):
    assert without_attribute(text, "m.x") == rest


def test_ignored_attributes_are_no_difference():
    assert difference_lines(b"op {a = 1, m.x = 2}", b"op {a = 1}", ["m.x"]) == ()
    assert difference_lines(b"op {a = 1, m.x = 2}", b"op {a = 1}", []) != ()


def test_bytes_differ_at_a_place():
    assert difference_lines(b"\xff\x00", b"\xff\x01\x02", [])[-1] == (
        "+ 2 and 3 bytes, different from byte 1"
    )


def test_folders_and_seconds_are_taken_out():
    cleaner = Cleaner((("/tmp/a/tree", "<tree>"),))
    answer = Answer("1", b"/tmp/a/tree/x.py", b"Parser  0.0123 s\n")
    clean = cleaner.clean(answer, timed=True)
    assert (clean.stdout, clean.stderr) == (b"<tree>/x.py", b"Parser <seconds>\n")


def test_whatever_a_call_raises_is_its_answer():
    def leave() -> None:
        print("said")
        raise SystemExit(3)

    answer = captured(leave)
    assert (answer.status, answer.stdout) == ("exit 3", b"said\n")


def test_command_lines_are_taken_apart():
    ((first, second),) = split_line("not X=1 xetile-opt a 'b c' 2>&1 >/dev/null | FileCheck a")
    assert first.words == ["xetile-opt", "a", "b c"]
    assert (first.environment, first.stdout, second.words) == (
        {"X": "1"},
        "/dev/null",
        ["FileCheck", "a"],
    )

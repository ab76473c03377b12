"""The tool that plants faults: a toy project whose tests notice one, miss another and hang on a third."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tools.mutants.edits import changes_the_program, edits_of
from tools.mutants.faults import Recorded, choose, recorded_faults
from tools.mutants.judge import Failed, Suite, copy_project, judge, measure

PROGRAM = '''
from functools import lru_cache


@lru_cache(maxsize=4)
def width(bits: int) -> int:
    """At least 1."""
    if bits < 1:
        raise ValueError(f"{bits + 1} bits")
    return 1 << bits


def count(number: int) -> int:
    steps = 0
    while number > 0:
        number //= 2
        steps += 1
    return steps
'''
TESTS = """
from toy.widths import count, width

def test_first():
    assert width(3) == 8

def test_again():
    assert width(3) == 8

def test_count():
    assert count(9) == 4
"""
SUITE = Suite(("toy",), ("test",), {}, ("toy", "test", "pytest.ini"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name, text in {
        "toy/__init__.py": "",
        "toy/widths.py": PROGRAM,
        "test/test_toy.py": TESTS,
        "pytest.ini": "[pytest]\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_faults_are_killed_survive_and_hang(project: Path, tmp_path: Path):
    copy = tmp_path / "copy"
    copy_project(project, copy, SUITE)
    baseline = measure([copy], SUITE, store=tmp_path / "store")
    shift, guard, loop = recorded_faults(
        project,
        [
            Recorded("shift", "toy/widths.py", "1 << bits", "bits << 1"),
            Recorded("guard", "toy/widths.py", "bits < 1", "bits < 0"),
            Recorded("loop", "toy/widths.py", "number //= 2", "pass"),
        ],
    )
    # a cache does not hide that both tests need the function
    assert [name.partition("::")[2] for name in sorted(baseline.reaching(shift))] == [
        "test_again",
        "test_first",
    ]
    first = judge(shift, copy, SUITE, baseline, budget=9, start=9)
    assert first.killed
    assert first.by.startswith("test/test_toy.py::test_")
    second = judge(guard, copy, SUITE, baseline, budget=9, start=9)
    assert (second.killed, second.by) == (False, "2 tests")
    third = judge(loop, copy, SUITE, baseline, budget=9, start=3)
    assert (third.killed, third.by) == (True, "a hang")
    assert (copy / "toy/widths.py").read_text() == PROGRAM
    assert (project / "toy/widths.py").read_text() == PROGRAM


def test_tests_that_fail_without_a_fault_are_said(project: Path, tmp_path: Path):
    (project / "test/test_toy.py").write_text(TESTS.replace("== 4", "== 5"))
    copy_project(project, tmp_path / "copy", SUITE)
    with pytest.raises(Failed, match="test_count"):
        measure([tmp_path / "copy"], SUITE, store=tmp_path / "store")


def test_only_files_with_failures_are_run_again(project: Path, tmp_path: Path):
    runs = tmp_path / "runs"
    (project / "test/test_once.py").write_text(
        f"def test_once():\n    with open({str(runs)!r}, 'a') as file:\n        file.write('run ')\n"
    )
    (project / "test/test_toy.py").write_text(TESTS.replace("== 4", "== 5"))
    copy_project(project, tmp_path / "copy", SUITE)
    with pytest.raises(Failed, match="test_count"):
        measure([tmp_path / "copy"], SUITE, store=tmp_path / "store")
    (tmp_path / "copy/test/test_toy.py").write_text(TESTS)
    baseline = measure([tmp_path / "copy"], SUITE, store=tmp_path / "store")
    assert len(baseline.tests) == 4
    assert runs.read_text() == "run "


def test_the_choice_is_the_seeds_and_is_spread(project: Path):
    for folder, lines in (("toy/large", 30), ("toy/small", 10)):
        (project / folder).mkdir()
        text = "".join(f"v{n} = {n} + {n}\n" for n in range(lines))
        (project / folder / "numbers.py").write_text(text)
    (project / "toy/widths.py").unlink()

    def chosen(seed: int) -> Sequence[str]:
        return [str(fault) for fault in choose(project, seed=seed, count=8, rooms=["toy"])]

    assert chosen(1) == chosen(1) != chosen(2)
    assert [sum(room in fault for fault in chosen(1)) for room in ("large", "small")] == [6, 2]
    assert len({fault.partition("  ")[0] for fault in chosen(1)}) == 8


@pytest.mark.parametrize(
    "before, after",
    [
        ("x = a < b", {"a <= b", "a >= b"}),
        ("x = not a", {"(a)"}),
        ("x = 32 // a", {"32 % a", "a // 32"}),
        ("x = a and b", {"(a or b)"}),
        ("x = a - b", {"a + b", "b - a"}),
        ("x = (a, b)", {"(b, a)"}),
        ("x = a in (b, c)", {"a not in (b, c)"}),
        ("x = min(a, b)", {"max"}),
        ("x = sorted(a)", {"sorted(a, reverse=True)"}),
        ("x = a[1:]", {"", "2", "0", ":"}),
        ("for a in b:\n    f(a)", {"pass"}),
        ("def f(a=2):\n    return a", {"1", "3"}),
        ("if a:\n    c = b", {"not (a)"}),
        (
            "def f():\n    if a:\n        return 1\n    g()",
            {"False", "not (a)", "0", "2", "pass"},
        ),
    ],
)
def test_the_faults_of_a_program(before: str, after: set[str]):
    found = {edit.after for edit in edits_of(before) if changes_the_program(edit, before)}
    assert found == after - {""}


@pytest.mark.parametrize(
    "text",
    [
        '"""At least 1."""',
        "x: tuple[Literal[1], ...]",
        "x = dict[int, A | B]",
        "assert a < b",
        "raise ValueError(f'{a + 1} is not {b - 1}')",
        "isinstance(a, (Tile, Grid))",
        "@lru_cache(maxsize=3)\ndef f(): ...",
        "if TYPE_CHECKING:\n    x = 1",
        "x = zip(a, b, strict=True)",
    ],
)
def test_what_no_test_could_notice_is_left_alone(text: str):
    assert [edit.after for edit in edits_of(text) if edit.after != "pass"] == []


def test_a_record_that_no_longer_fits_is_said(project: Path):
    with pytest.raises(ValueError, match=r"toy/widths\.py does not hold 'a - b' once"):
        recorded_faults(project, [Recorded("old", "toy/widths.py", "a - b", "b - a")])

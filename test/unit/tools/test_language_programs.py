"""Random kernels in Python compute eagerly what their trace computes; what differs is found and made small."""

import pytest

from tools.language_programs import __main__ as command
from tools.language_programs import judging
from tools.language_programs.drawing import Program, draw
from tools.language_programs.judging import Judged, judged, smallest
from tools.language_programs.statements import Statement

SEED = 7
BATCHES = (range(12), range(12, 24))


@pytest.mark.parametrize("numbers", BATCHES, ids=["0-11", "12-23"])
def test_traces_compute_what_python_computes(numbers: range) -> None:
    found = [judged(draw(SEED, number)) for number in numbers]
    wrong = [one for one in found if one.verdict != "equal"]
    assert not wrong, f"{wrong[0].detail}\n{wrong[0].program.text()}"


def test_programs_have_what_control_carries() -> None:
    text = "\n".join(draw(SEED, number).text() for number in range(50))
    for piece in (
        "in xt.range(",
        "while ",
        "else:",
        "nonlocal ",
        "Pair(",
        "@xt.function",
        "@ H[",
    ):
        assert text.count(piece) >= 10, piece
    assert draw(SEED, 3).text() == draw(SEED, 3).text() != draw(SEED, 4).text()


def program(*body: Statement) -> Program:
    return Program(
        "planted", [], [*body], [Statement("O[0:8, 0:16] = x"), Statement("P[0:8, 0:16] = 1")]
    )


PLANTED = program(
    Statement("y = F[8:16, 0:16]"),
    Statement("x = F[0:8, 0:16]"),
    Statement("for k in xt.range(3):", [[Statement("y = y + 1.0"), Statement("x = x + 1.0")]]),
    Statement("if k_is_traced():", [[Statement("x = x * 2.0")], [Statement("y = y * 2.0")]]),
)


def test_a_kernel_that_asks_whether_it_is_traced_differs_and_is_made_small(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    head = Statement(
        "def k_is_traced():",
        [
            [
                Statement("from xetile.language.builder import current"),
                Statement("return not current().eager"),
            ]
        ],
    )
    planted = PLANTED._replace(helpers=[head])
    found = judged(planted)
    assert (found.verdict, found.detail) == ("differs", "121 elements of O")
    small = smallest(found)
    assert [line for one in small.program.body for line in one.lines(0)] == [
        "x = F[0:8, 0:16]",
        "if k_is_traced():",
        "    x = x * 2.0",
    ]

    def drawn(seed: int, number: int) -> Program:
        return planted

    monkeypatch.setattr(command, "draw", drawn)
    assert command.main(["--only", "0"]) == 1
    assert "planted: differs: 113 elements of O\n" in capsys.readouterr().out


def test_refusals_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    found = judged(program(Statement("x = F[0:8, 0:16] + F[0:4, 0:16]")))
    assert found == Judged(
        found.program,
        "refused",
        "planted.py:9:9: error: '+' of a tile of 8x16xf32 and a tile of 4x16xf32: extents are equal, "
        "or one of them is 1",
    )
    assert judged(program()).verdict == "broken"
    assert command.main(["--count", "2", "--seed", "7"]) == 0
    assert capsys.readouterr().out == "2 equal\n"


def test_arguments_are_the_same_each_time() -> None:
    for one, other in zip(judging.arguments(), judging.arguments(), strict=True):
        assert (one == other).all()

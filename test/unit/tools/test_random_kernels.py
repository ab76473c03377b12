"""Random kernels compute what numpy does at every level; one that does not is found and made small."""

import numpy as np
import pytest

from tools.random_kernels import __main__ as command
from tools.random_kernels.drawing import Program, draw
from tools.random_kernels.judging import Judged, judged
from tools.random_kernels.nodes import Frame, Kind, Node, Value, name
from tools.random_kernels.shrinking import smallest

SEED = 7
DEVICES = ("bmg", "pvc", "cri")
BATCHES = [range(first, first + 5) for first in range(0, 100, 5)]


@pytest.mark.parametrize("numbers", BATCHES, ids=lambda numbers: f"from {numbers[0]}")
def test_kernels_compute_what_numpy_does(numbers: range) -> None:
    verdicts: list[str] = []
    for number in numbers:
        program = draw(SEED, number, DEVICES)
        found = judged(program)
        assert found.verdict in ("right", "refused"), f"{found}\n{program.text()}"
        verdicts.append(found.verdict)
    assert verdicts.count("right") >= 3


def test_kernels_have_what_goes_wrong() -> None:
    programs = [draw(SEED, number, DEVICES) for number in range(100)]
    text = "\n".join(program.text() for program in programs)
    for piece in ("xt.index(", ".T[", ".T)", "'E", ", None]", "mask=", " @ ", ".add(", "if "):
        assert text.count(piece) >= 5, piece
    assert {program.assume for program in programs} == {"block", "check", "gather"}
    assert any(len(program.expected()) > 1 for program in programs)
    assert programs[3].text() == draw(SEED, 3, DEVICES).text() != draw(SEED, 4, DEVICES).text()


def planted() -> Program:
    """A kernel of which numpy is told something else in its first expression that is stored."""
    program = draw(SEED, 0)
    store = program.body[-1]
    value = next(node for node in store.nodes if node.kind.rows and node.kind.element != "i1")

    def one_more(_: Frame, values: list[Value]) -> Value:
        return values[0] + 1

    wrong = Node(value.kind, "({})", one_more, 0, 0, (value,))
    store.nodes = tuple(wrong if node is value else node for node in store.nodes)
    return program


def test_a_wrong_result_is_found_and_made_small() -> None:
    program = planted()
    found = judged(program, "W")
    assert (found.verdict, found.place) == ("wrong", "W")
    small, again = smallest(program, found, lambda other: judged(other, "W"))
    assert (again.verdict, again.place) == ("wrong", "W")
    assert len(small.text()) < len(program.text())


def test_a_name_that_is_missing_is_no_finding() -> None:
    program = draw(SEED, 0)
    found = judged(program._replace(body=program.body[-1:]), "W")
    assert found == Judged("refused", "numpy", found.detail)


def test_the_command_counts_verdicts(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--only", "0", "--seed", "7", "--levels", "W", "--jobs", "1"]) == 0
    assert capsys.readouterr().out.startswith("1 ")


def test_integers_wrap() -> None:
    frame = Frame((0, 0), {}, {"x": np.full((1, 1), 130)})
    x = name("x", Kind("i8", 1, 1), -128, 127)
    assert x.value(frame).item() == -126

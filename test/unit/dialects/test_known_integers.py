"""Which integers a program says."""

import pytest
from xdsl.ir import SSAValue

from xetile.dialects.known_integers import folded_integer, known_integer
from xetile.dialects.modules import parse


def last(text: str) -> SSAValue:
    return [op for op in parse(text).walk() if op.results][-1].results[0]


def test_constants() -> None:
    assert known_integer(last("%v = arith.constant 7 : index")) == 7
    assert known_integer(last("%v = arith.constant 2.0 : f32")) is None
    assert folded_integer(last("%v = arith.constant -7 : index")) == -7


@pytest.mark.parametrize(
    ("op", "number"),
    [
        ("arith.index_cast %a : i32 to index", 12),
        ("arith.addi %b, %b : index", 10),
        ("arith.subi %b, %c : index", 2),
        ("arith.muli %b, %c : index", 15),
        ("arith.subi %c, %b : index", None),  # a number below 0 may come of wrapping around
        ("arith.divui %b, %c : index", None),
        ("arith.muli %d, %d : i8", None),
        ("arith.muli %a, %e : i32", None),
        ("gpu.block_id x", None),
    ],
)
def test_arithmetic(op: str, number: int | None) -> None:
    text = """
    %a = arith.constant 12 : i32
    %b = arith.constant 5 : index
    %c = arith.constant 3 : index
    %d = arith.constant 4 : i8
    %e = arith.constant 2147483647 : i32
    """
    assert known_integer(last(f"{text}%v = {op}")) is None
    assert folded_integer(last(f"{text}%v = {op}")) == number


def test_chains_are_bounded() -> None:
    lines = ["%v0 = arith.constant 0 : index"]
    lines += [f"%v{n} = arith.addi %v{n - 1}, %v{n - 1} : index" for n in range(1, 200)]
    assert folded_integer(last("\n".join(lines))) is None
    assert folded_integer(last("\n".join(lines[:4]))) == 0

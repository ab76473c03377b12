"""Refusals and remarks: which place they name, and where they go."""

import pytest

from xetile.dialects.modules import parse
from xetile.errors import XetileError, collected_remarks, fail, position, remark

TEXT = "func.func @f(%a: i32) {\n  %b = arith.addi %a, %a : i32\n  func.return\n}\n"


def test_a_refusal_names_the_place_of_the_op() -> None:
    (add,) = [op for op in parse(TEXT, "input.mlir").walk() if op.name == "arith.addi"]
    with pytest.raises(XetileError) as caught:
        fail(add, "no sums today")
    assert str(caught.value).startswith("input.mlir:2:")
    assert str(caught.value).endswith(": error: no sums today")
    assert str(XetileError("no file")) == "no file"


def test_an_argument_stands_where_its_function_stands() -> None:
    (add,) = [op for op in parse(TEXT, "input.mlir").walk() if op.name == "arith.addi"]
    found = position(add.operands[0])
    assert found is not None
    assert found.line.data == 1
    assert position(None) is None


def test_remarks_are_printed_or_collected(capsys: pytest.CaptureFixture[str]) -> None:
    (add,) = [op for op in parse(TEXT, "input.mlir").walk() if op.name == "arith.addi"]
    with collected_remarks() as remarks:
        remark(add, "even sums are assumed")
    assert remarks == [(2, "even sums are assumed")]
    assert capsys.readouterr().err == ""
    remark(None, "nowhere")
    assert capsys.readouterr().err == "remark: nowhere\n"

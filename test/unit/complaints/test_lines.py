"""What is said in place of xDSL's complaints: each kind once, the whole line."""

import pytest

from xetile.api import parse_text
from xetile.complaints.parsing import brackets, end_of_token_before, parse_complaint
from xetile.errors import XetileError

FUNCTION = """func.func @f(%a: f32, %b: i32, %m: memref<4x4xf32>, %c: index, %v: vector<8xf32>) {
  BODY
  func.return
}
"""


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (
            "%s = arith.addf %b, %b : i32",
            "2:3: error: operand 'lhs' is i32, which 'arith.addf' does not take; did you mean 'arith.addi'?",
        ),
        (
            "%s = arith.constant 1.0 : vector<8xf32>",
            "2:3: error: a number is of an integer type, index, or a float type such as f32; "
            "a vector of it is dense<...> : vector<...>",
        ),
        (
            "%s = arith.constant dense<[1.0, 2.0]> : vector<8xf32>",
            "2:3: error: shape mismatch in dense literal; expected [8] shape from the type, but got [2] shape",
        ),
        ("%s = gpu.block_id", "2:20: error: expected one of x, y, z, found 'func.return'"),
        (
            "%s = arith.addi %b#1, %b : i32",
            "2:19: error: %b has 1 part, #1 is none of them",
        ),
        (
            '%s = "arith.addi"(%b, %b) {a, a} : (i32, i32) -> i32',
            "2:36: error: the key 'a' occurs twice in the dictionary",
        ),
        (
            '%s = "arith.addi"(%b, %b) <{overflow = 1 : i32}> : (i32, i32) -> i32',
            "2:3: error: 'arith.addi' has no property 'overflow', its properties: overflowFlags; "
            "did you mean 'overflowFlags'?",
        ),
        (
            "%s = arith.addf %v, %v : vector[8xf32]",
            "2:34: error: expected '<' after builtin name, found '['",
        ),
        ("%s = math.exp %b : i32", "2:3: error: 'math.exp' does not take i32"),
        (
            "%s = vector.extract %b[0] : i32 from i32",
            "2:3: error: 'vector.extract' has i32 where a vector is expected",
        ),
        (
            "%s = vector.reduction <sum>, %v : vector<8xf32> into f32",
            "2:3: error: 'sum' is no combining kind of 'vector.reduction'; legal are add, mul, minui, minsi, "
            "minnumf, minimumf, maxui, maxsi, maxnumf, maximumf, and, or, xor; did you mean 'add'?",
        ),
        (
            'gpu.printf "x %f" %a',
            "2:23: error: expected '=' after operation result list, found 'func.return'",
        ),
        (
            "%s = memref.alloc() : memref<4xf32, #gpu.address_space<shared>>",
            "2:58: error: expected one of global, workgroup, private, found 'shared'; did you mean 'workgroup'?",
        ),
        ("func.call @g(&a) : (f32) -> ()", "2:16: error: unexpected character '&'"),
        ("func.call @ : () -> ()", None),
    ],
)
def test_the_line(body: str, line: str | None) -> None:
    with pytest.raises(XetileError) as caught:
        parse_text(FUNCTION.replace("BODY", body), "k.mlir")
    if line is None:
        assert "'@' begins a symbol" in str(caught.value)
    else:
        assert str(caught.value) == f"k.mlir:{line}"


@pytest.mark.parametrize(
    ("message", "text", "expected"),
    [
        ("Expected 'kernel'.", "x", "expected 'kernel', found 'x'"),
        ("Expected integer literal in list", "]", "expected a whole number in list, found ']'"),
        ("integer or float literal expected", "", "expected a number, found the end of the file"),
        ("string literal expected", "bmg", "expected a string in quotation marks, found 'bmg'; write \"bmg\""),
        ("Something is wrong! ", "x", "something is wrong"),
        ("One thing. The other", "x", "one thing; the other"),
        ("MLIR: a message", "x", "MLIR: a message"),
        ("expected ArrayAttr attribute, but got '<class 'a.b.IntegerAttr'>'", "x", "a whole number where a list in brackets should stand"),
        ("expected 3 of them, got 2", "x", "expected 3 of them, got 2"),
    ],
)  # fmt: skip
def test_complaints_by_themselves(message: str, text: str, expected: str) -> None:
    assert parse_complaint(message, text, 0).message == expected


def test_brackets_in_strings_comments_and_arrows_do_not_count() -> None:
    text = 'a(b[ "{(" -> // <{\n >= <'
    assert brackets(text, len(text)).open == [("(", 1), ("[", 3), ("<", len(text) - 1)]
    closed = "f {\n  g {\n}\n"
    assert brackets(closed, len(closed)) == ([("{", 2)], [(8, 10)])


def test_the_token_before_is_no_comment() -> None:
    assert end_of_token_before("ab // c\n\n  // d\n x", 17) == 2
    assert end_of_token_before("  x", 2) == 2

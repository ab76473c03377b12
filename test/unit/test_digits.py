"""Numbers of more digits than Python reads are refused in words of ours, at their place."""

from collections.abc import Callable
from pathlib import Path

import pytest

import xetile
from xetile.cli.layout_commands import shown_layout as layout
from xetile.cli.opt import opt_command as opt
from xetile.digits import longest_number, whole_number
from xetile.errors import XetileError

DIGITS = 100_000
NUMBER = "9" * DIGITS
SAID = f"a number of {DIGITS} digits; at most 4300 are read"


@pytest.mark.parametrize(
    "text",
    [
        "func.func @f() { %a = arith.constant NUMBER : i32\n func.return }",
        "func.func @f() { %a = arith.constant -NUMBER : index\n func.return }",
        "func.func @f() { %a = arith.constant NUMBER : f32\n func.return }",
        "func.func @f() { %a = arith.constant dense<[1, NUMBER]> : vector<2xi32>\n func.return }",
        "module attributes {a = [1, NUMBER]} {}",
        "func.func @f(%a: vector<4xNUMBERxf32>) { func.return }",
        "func.func @f(%a: iNUMBER) { func.return }",
        "func.func @f(%a: memref<4xf32, strided<[NUMBER]>>) { func.return }",
        "func.func @f(%a: !xetile.tile<NUMBERx4xf16>) { func.return }",
        "#map = #xetile.wg_map<sg_layout = [NUMBER, 1], sg_data = [32, 32]>",
        "#map = affine_map<(d0) -> (d0 + NUMBER)>",
        "func.func @f(%a: i32) -> i32 { func.return %a#NUMBER : i32 }",
        'module attributes {b = "123", a = NUMBER} {}  // 5',
    ],
)
def test_a_number_in_a_source(text: str) -> None:
    column = text.index("NUMBER") + 1
    with pytest.raises(XetileError) as caught:
        xetile.parse(text.replace("NUMBER", NUMBER).encode(), name="a.mlir")
    assert str(caught.value).splitlines()[0] == f"a.mlir:1:{column}: error: {SAID}"


def test_a_number_that_is_read_and_cannot_be_printed() -> None:
    text = f"func.func @f() {{ %a = arith.constant 0x{NUMBER} : i32\n func.return }}"
    with pytest.raises(
        XetileError, match=r"a number of 100000 hexadecimal digits is too large"
    ):
        xetile.parse(text.encode())


@pytest.mark.parametrize(
    ("main", "arguments", "said"),
    [
        (opt.main, ["a.mlir"], f"a.mlir:2:10: error: {SAID}"),
        (
            opt.main,
            ["b.mlir", "-p", "xetile-wg-to-sg{exchange-bytes=NUMBER}"],
            f"xetile-opt: error: pass pipeline: {SAID}",
        ),
        (
            opt.main,
            ["b.mlir", "-t", "llvm{x=NUMBER}"],
            f"xetile-opt: error: target 'llvm': {SAID}",
        ),
        (
            opt.main,
            ["c.mlir", "--verify-diagnostics"],
            'c.mlir:1:1: error: expected error "x" was not produced',
        ),
        (
            layout.main,
            ["--bases", '{"register": [[0, NUMBER]]}'],
            f"xetile-layout: error: --bases is no JSON: {SAID}",
        ),
    ],
)
def test_a_number_of_a_command(
    main: Callable[[list[str]], int],
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.mlir").write_text(f"#map =\n  vector<{NUMBER}xf32>\n")
    Path("b.mlir").write_text("")
    Path("c.mlir").write_text(f"// expected-error@+{NUMBER} {{{{x}}}}\n")
    assert main([one.replace("NUMBER", NUMBER) for one in arguments]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == said
    assert len(lines) in (1, 3)
    assert max(map(len, lines)) < 400


def test_strings_and_comments_have_no_numbers() -> None:
    text = '"12345678" 123 // 1234567\n "a\\"9999" 0xFFFFF 12'
    assert longest_number(text) == (
        text.index("0x"),
        "a number of 5 hexadecimal digits is too large",
    )
    assert longest_number("none") == (0, "a number of too many digits")


def test_whole_numbers() -> None:
    assert whole_number("-12") == -12
    with pytest.raises(ValueError, match=r"^invalid literal"):
        whole_number("1x")
    with pytest.raises(ValueError, match=f"^{SAID}$"):
        whole_number(f"-{NUMBER}")

"""A symbol that is not seen: where it stands, where it is looked for; or that there is none."""

import pytest

from xetile.api import parse_text
from xetile.errors import XetileError

OUTSIDE = """func.func private @h() -> ()
gpu.module @m {
  gpu.func @k() kernel {
    func.call @h() : () -> ()
    gpu.return
  }
}
"""
BESIDE = """gpu.module @m {
  func.func private @h() -> ()
}
gpu.module @n {
  gpu.func @k() kernel {
    func.call @h() : () -> ()
    gpu.return
  }
}
"""
INSIDE = """gpu.module @m {
  func.func private @h() -> ()
}
func.func @main() {
  func.call @h() : () -> ()
  func.return
}
"""


@pytest.mark.parametrize(
    ("text", "place", "message", "note"),
    [
        (
            OUTSIDE,
            "4:5",
            "'@h' stands outside of the gpu.module '@m', where 'func.call' looks for it; put it there",
            "1:1",
        ),
        (
            BESIDE,
            "6:5",
            "'@h' stands in the gpu.module '@m', 'func.call' looks for it in the gpu.module '@n'; put it there",
            "2:3",
        ),
        (
            INSIDE,
            "5:3",
            "'@h' stands in the gpu.module '@m', 'func.call' looks for it in the builtin.module; put it there",
            "2:3",
        ),
    ],
)
def test_a_symbol_of_another_table(text: str, place: str, message: str, note: str) -> None:
    with pytest.raises(XetileError) as refused:
        parse_text(text, "a.mlir")
    lines = refused.value.render().splitlines()
    assert lines[0] == f"a.mlir:{place}: error: {message}"
    assert f"a.mlir:{note}: note: '@h' is here" in lines


def test_a_symbol_that_there_is_nowhere() -> None:
    with pytest.raises(XetileError) as refused:
        parse_text(OUTSIDE.replace("call @h", "call @mm"), "a.mlir")
    assert refused.value.message == "there is no symbol '@mm'; did you mean '@m'?"

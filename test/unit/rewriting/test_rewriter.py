"""What every pass's walk shares: handlers by class and by name, and what a pass leaves."""

import pytest
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation

from xetile import parse
from xetile.dialects.upstream import arith
from xetile.dialects.xegpu import FenceOp
from xetile.errors import XetileError
from xetile.rewriting.one_to_many import Expansion
from xetile.rewriting.rewriter import Handlers, check_lowered, on

TEXT = """
func.func @f(%n: index) {
  %c = arith.constant 1 : index
  %0 = arith.addi %n, %c : index
  xegpu.fence memory_kind = global, fence_scope = workgroup
  func.return
}
"""


def _function() -> Operation:
    module = parse(TEXT)
    return next(op for op in module.walk() if op.name == "func.func")


def test_a_handler_takes_the_ops_of_its_class_and_others_are_copied():
    found: list[str] = []

    def fence(view: Expansion, op: FenceOp) -> None:
        found.append(op.scope_name)

    def add(view: Expansion, op: Operation) -> None:
        view.bind(op.results[0], view.single(op.operands[1]))

    handlers: Handlers[Expansion] = {**on(FenceOp, fence), "arith.addi": add}
    function = _function()
    Expansion(function, handlers).run()
    assert found == ["workgroup"]
    assert [op.name for op in function.regions[0].block.ops] == [
        "arith.constant",
        "func.return",
    ]


def test_what_a_value_became_has_its_name_or_its_own():
    def moved(view: Expansion, op: Operation) -> None:
        view.bind(
            op.results[0], view.new(arith.AddiOp(view.single(op.operands[0]), view.index(7)))
        )

    def named(view: Expansion, op: Operation) -> None:
        value = view.new(arith.ConstantOp.from_int_and_width(2, IndexType()))
        value.name_hint = "two"
        view.bind(op.results[0], value)

    text = TEXT.replace("%0 = ", "%sum = ").replace("xegpu.fence", "// xegpu.fence")
    module = parse(text)
    function = next(op for op in module.walk() if op.name == "func.func")
    Expansion(function, {"arith.addi": moved, "arith.constant": named}).run()
    names = {value.name_hint for op in function.walk() for value in op.results}
    assert {"sum", "two"} <= names
    assert "c" not in names


def test_what_a_pass_leaves_is_refused():
    function = _function()
    check_lowered(function, "xevm", "LLVM")
    with pytest.raises(XetileError, match=r"'xegpu\.fence' is not lowered to XeVM yet"):
        check_lowered(function, "xegpu", "XeVM")

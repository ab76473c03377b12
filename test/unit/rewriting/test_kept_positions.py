"""Rewriting hands source positions on."""

import pytest
from xdsl.dialects.arith import ConstantOp, MuliOp
from xdsl.dialects.builtin import FileLineColLoc, IntegerAttr, ModuleOp, UnknownLoc
from xdsl.dialects.scf import ForOp, YieldOp
from xdsl.ir import Block, Operation, Region
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.transforms.canonicalize import CanonicalizePass

from xetile.dialects.modules import context, parse
from xetile.errors import XetileError, fail
from xetile.rewriting.kept_positions import canonicalize, fill_positions, walk


def lines(module: ModuleOp) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for operation in module.walk():
        location = operation.location
        line = location.line.data if isinstance(location, FileLineColLoc) else 0
        found.append((operation.name, line))
    return found


class DoubleBecomesProduct(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if op.name != "arith.addi" or op.operands[0] is not op.operands[1]:
            return
        type = op.operands[0].type
        two = ConstantOp(IntegerAttr(2, 32), type)
        rewriter.replace(op, [two, MuliOp(op.operands[0], two.result)])


class AddBecomesLoop(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if op.name != "arith.addi":
            return
        index = IntegerAttr.from_index_int_value(0)
        bound = ConstantOp(index)
        body = Block(arg_types=[bound.result.type, op.results[0].type])
        product = MuliOp(body.args[1], op.operands[1])
        body.add_ops([product, YieldOp(product.result)])
        loop = ForOp(bound, bound, bound, [op.operands[0]], Region(body))
        rewriter.replace(op, [bound, loop])


class Refuse(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if op.name == "arith.addi":
            fail(op, "no sums today")


SUM = """func.func @f(%a: i32) -> i32 {
  %b =
    arith.addi %a, %a : i32

  func.return %b : i32
}"""


def test_what_a_pattern_creates_has_the_position_of_what_it_matched():
    module = parse(SUM)
    assert walk(module, [DoubleBecomesProduct()], recursive=True)
    assert lines(module) == [
        ("builtin.module", 1),
        ("func.func", 1),
        ("arith.constant", 2),
        ("arith.muli", 2),
        ("func.return", 5),
    ]


def test_regions_that_a_pattern_creates_have_positions():
    module = parse(SUM)
    assert walk(module, AddBecomesLoop(), recursive=False)
    assert {
        line for name, line in lines(module) if name not in ("func.func", "builtin.module")
    } == {2, 5}
    (loop,) = (operation for operation in module.walk() if operation.name == "scf.for")
    for argument in loop.regions[0].block.args:
        assert isinstance(argument.location, FileLineColLoc)


@pytest.mark.parametrize("sums", [(True, False), (False, True), (False, False)])
def test_a_change_in_one_region_of_several_is_a_change(sums: tuple[bool, bool]):
    first, second = ("arith.addi %a, %a" if sum else "arith.subi %a, %a" for sum in sums)
    module = parse(f"""func.func @f(%p: i1, %a: i32) -> i32 {{
      %r = scf.if %p -> (i32) {{
        %x = {first} : i32
        scf.yield %x : i32
      }} else {{
        %y = {second} : i32
        scf.yield %y : i32
      }}
      func.return %r : i32
    }}""")
    (branch,) = (op for op in module.walk() if op.name == "scf.if")
    assert walk(branch, DoubleBecomesProduct(), recursive=True) == any(sums)
    assert ("arith.muli" in {op.name for op in branch.walk()}) == any(sums)


def test_stock_walker_gives_no_positions():
    """Gap of xDSL 0.75; once this fails, `walk` need not place ops."""
    module = parse(SUM)
    PatternRewriteWalker(DoubleBecomesProduct()).rewrite_module(module)
    assert ("arith.muli", 0) in lines(module)


def test_stock_canonicalize_gives_no_positions():
    """Gap of xDSL 0.75; once this fails, `canonicalize` here can go."""
    module = parse(CONSTANTS)
    CanonicalizePass().apply(context(), module)
    assert ("arith.constant", 0) in lines(module)


CONSTANTS = """func.func @f() -> i32 {
  %a = arith.constant 1 : i32

  %b = arith.addi %a, %a : i32
  func.return %b : i32
}"""


def test_canonicalize_keeps_positions():
    module = parse(CONSTANTS)
    assert canonicalize(context(), module)
    assert lines(module)[2:] == [("arith.constant", 4), ("func.return", 5)]
    assert not canonicalize(context(), module)


class Nothing(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        pass


def test_dead_ops_stay():
    module = parse("%a = arith.constant 1 : i32")
    assert not walk(module, [Nothing()], recursive=True)
    assert len(list(module.ops)) == 1


def test_refusals_come_out_as_they_are():
    with pytest.raises(XetileError) as caught:
        walk(parse(SUM, "sum.mlir"), [Refuse()], recursive=True)
    assert str(caught.value) == "sum.mlir:2:3: error: no sums today"
    assert not hasattr(caught.value, "__notes__")


def test_stock_walker_prints_the_module_into_refusals():
    """Gap of xDSL 0.75; once this fails, `walk` need not carry refusals past the walker."""
    with pytest.raises(XetileError) as caught:
        PatternRewriteWalker(Refuse()).rewrite_module(parse(SUM))
    assert caught.value.__notes__


def test_missing_positions_are_filled_from_the_next_op():
    module = parse(SUM)
    for operation in module.walk():
        if operation.name in ("arith.addi", "func.func"):
            operation.location = UnknownLoc()
    fill_positions(module)
    assert lines(module) == [
        ("builtin.module", 1),
        ("func.func", 1),
        ("arith.addi", 5),
        ("func.return", 5),
    ]


def test_missing_positions_at_the_end_are_filled_from_the_op_before():
    module = parse(CONSTANTS)
    for operation in module.walk():
        if operation.name in ("arith.addi", "func.return"):
            operation.location = UnknownLoc()
    fill_positions(module)
    assert lines(module)[2:] == [("arith.constant", 2), ("arith.addi", 2), ("func.return", 2)]

"""What loops and branches make one value, and classes of such values with what is known of them."""

from xdsl.dialects.builtin import f32
from xdsl.utils.test_value import create_ssa_value

from xetile.analysis.same_value import Classes, carried, carried_pairs
from xetile.dialects.modules import parse

LOOPS = """
func.func @f(%n: index, %flag: i1, %a: f32, %b: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (f32) {
    %y = scf.if %flag -> (f32) {
      scf.yield %x : f32
    } else {
      scf.yield %b : f32
    }
    scf.yield %y : f32
  }
  func.return %r : f32
}
"""


def names(op_name: str) -> set[tuple[str | None, str | None, str]]:
    (op,) = [op for op in parse(LOOPS).walk() if op.name == op_name]
    return {(c.source.name_hint, c.target.name_hint, c.by.name) for c in carried(op)}


def test_a_loop_carries_from_its_start_its_rounds_and_to_its_result() -> None:
    assert names("scf.for") == {
        ("a", "x", "scf.for"),
        ("y", "x", "scf.yield"),
        ("x", "r", "scf.for"),
    }


def test_a_branch_carries_from_both_of_its_sides() -> None:
    assert names("scf.if") == {("x", "y", "scf.yield"), ("b", "y", "scf.yield")}


def test_facts_of_values_that_are_one_are_joined() -> None:
    module = parse(LOOPS)
    values = {
        v.name_hint: v
        for op in module.walk()
        for r in op.regions
        for b in r.blocks
        for v in b.args
    }
    values |= {v.name_hint: v for op in module.walk() for v in op.results}
    classes = Classes[frozenset[str]](lambda left, right: left | right)
    classes.give(values["a"], frozenset({"start"}))
    for op in module.walk():
        for left, right in carried_pairs(op):
            classes.unite(left, right)
    classes.give(values["b"], frozenset({"other"}))
    assert classes.fact(values["r"]) == {"start", "other"}
    assert classes.find(values["r"]) == classes.find(values["x"])
    assert classes.fact(values["n"]) is None


def test_facts_of_a_class_stand_in_the_order_in_which_its_values_were_united() -> None:
    """And the value that was named first stands for the class."""
    a, b, c = (create_ssa_value(f32) for _ in range(3))
    classes = Classes[tuple[str, ...]](lambda left, right: left + right)
    for value, fact in ((c, "c"), (b, "b"), (a, "a")):
        classes.give(value, (fact,))
    classes.unite(b, c)
    classes.unite(a, c)
    assert classes.fact(c) == ("a", "b", "c")
    assert classes.find(c) is classes.find(b) is a

"""What is tidied up between two levels is what xDSL's passes make of it, at a price that grows with the ops alone."""

import cProfile
import pstats
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination
from xdsl.transforms.dead_code_elimination import DeadCodeElimination

from xetile.api import parse, parse_text, text
from xetile.dialects.modules import context
from xetile.levels import passes_to
from xetile.passes import load_pass
from xetile.rewriting.dead_code import RemoveDeadCode
from xetile.rewriting.effects import is_needless, is_pure, kind_of, may_write, only_reads
from xetile.rewriting.tidying import Canonicalize, ShareValues
from xetile.targets import find

ROOT = Path(__file__).parents[3]
STEPS: tuple[tuple[ModulePass, ModulePass], ...] = (
    (Canonicalize(), CanonicalizePass()),
    (ShareValues(), CommonSubexpressionElimination()),
    (RemoveDeadCode(), DeadCodeElimination()),
)
EXAMPLES = ("flash_attention", "gemm_bias_gelu", "gemm_f16", "gemm_int8_weights", "softmax")


FEWEST = dict.fromkeys(EXAMPLES, 3) | {"softmax": 2}
"""Steps that change something: in softmax, whose flags say that there is no NaN, only those that share values."""


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_level_is_tidied_as_xdsl_does(name: str) -> None:
    module = parse(ROOT / "examples" / f"{name}.mlir")
    changed = 0
    for _, names in passes_to("xevm", find("bmg").path):
        for pass_name in names:
            step = load_pass(pass_name)
            step.from_pass_spec(step().pipeline_pass_spec()).apply(context(), module)
        for ours, theirs in STEPS:
            other, before = module.clone(), text(module)
            ours.apply(context(), module)
            theirs.apply(context(), other)
            assert text(module) == text(other)
            changed += text(module) != before
    assert changed >= FEWEST[name]


BLOCKS = """
func.func @f(%m: memref<8xf32>, %n: memref<8xf32>, %i: index, %c: i1) -> (f32, f32, f32, f32, f32) {
  %x = memref.load %m[%i] : memref<8xf32>
  %y = memref.load %m[%i] : memref<8xf32>
  memref.store %y, %n[%i] : memref<8xf32>
  %z = memref.load %m[%i] : memref<8xf32>
  %p = scf.if %c -> (f32) {
    %u = memref.load %m[%i] : memref<8xf32>
    %v = memref.load %m[%i] : memref<8xf32>
    %w = arith.addf %u, %v : f32
    scf.yield %w : f32
  } else {
    %u = arith.addf %x, %x : f32
    memref.store %u, %n[%i] : memref<8xf32>
    scf.yield %u : f32
  }
  %q = memref.load %m[%i] : memref<8xf32>
  %r = arith.addf %x, %x : f32
  %unused = memref.load %n[%i] : memref<8xf32>
  %s = arith.addf %x, %x {wg_map = 1 : i64} : f32
  return %x, %z, %p, %q, %r : f32, f32, f32, f32, f32
}
func.func @g(%c: i1) -> index {
  %a = arith.constant 1 : index
  %b = arith.constant 1 : index
  cf.cond_br %c, ^one(%a : index), ^two(%b : index)
^one(%x: index):
  %unused = arith.addi %x, %x : index
  cf.br ^two(%x : index)
^two(%y: index):
  return %y : index
}
"""


@pytest.mark.parametrize(
    ("ours", "theirs"), STEPS, ids=["canonical", "common values", "dead code"]
)
def test_writes_and_regions_are_heeded_as_xdsl_does(
    ours: ModulePass, theirs: ModulePass
) -> None:
    module = parse_text(BLOCKS, "blocks.mlir")
    tidied, other = module.clone(), module.clone()
    ours.apply(context(), tidied)
    theirs.apply(context(), other)
    assert text(tidied) == text(other)
    assert text(tidied) != text(module.clone())


def test_what_says_nothing_of_effects_may_have_all() -> None:
    module = parse_text(
        "func.func private @f()\nfunc.func @g() { func.call @f() : () -> () return }\n", "c"
    )
    (call,) = [op for op in module.walk() if op.name == "func.call"]
    assert may_write(call)
    assert not any(tells(call) for tells in (is_pure, only_reads, is_needless))
    assert kind_of(type(call)).effects


def _same_loads(count: int) -> str:
    ops = "\n".join(
        f"%v{i} = memref.load %m[%i] : memref<8xf32>\n%s{i + 1} = arith.addf %s{i}, %v{i} : f32"
        for i in range(count)
    )
    return f"func.func @f(%m: memref<8xf32>, %i: index, %s0: f32) -> f32 {{\n{ops}\nreturn %s{count} : f32 }}\n"


def _nested(count: int) -> str:
    """Constants that all loops see, and as many loops."""
    constants = "\n".join(f"%c{i} = arith.constant {i} : index" for i in range(count + 1))
    loops = "\n".join(
        f"scf.for %i{i} = %c0 to %c{i + 1} step %c1 {{\nmemref.store %s, %m[%c{i}] : memref<8xf32> }}"
        for i in range(count)
    )
    return f"func.func @f(%m: memref<8xf32>, %s: f32) {{\n{constants}\n{loops}\nreturn }}\n"


def _calls(step: ModulePass, module: ModuleOp) -> int:
    profile = cProfile.Profile()
    profile.runcall(step.apply, context(), module)
    found: Mapping[object, tuple[int, int]] = vars(pstats.Stats(profile))["stats"]
    return sum(calls for _, calls, *_ in found.values())


@pytest.mark.parametrize("step", [ours for ours, _ in STEPS[1:]], ids=["common", "dead"])
@pytest.mark.parametrize("make", [_same_loads, _nested])
def test_the_work_grows_with_the_ops(make: Callable[[int], str], step: ModulePass) -> None:
    few, many = (parse_text(make(count), "grown.mlir") for count in (50, 200))
    assert _calls(step, many) <= 4.2 * _calls(step, few)

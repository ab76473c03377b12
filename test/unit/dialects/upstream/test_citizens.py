"""Our ops of shared dialects are xDSL's to everybody who asks by class: patterns, passes, `isinstance`.

They inherit nothing: `test/data/shared_ops.txt` lists what folds, which traits and which canonicalization patterns each op
has, so that a change shows. After a wanted one, write the file anew:

    python -m test.unit.dialects.upstream.test_citizens
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from xdsl.dialects import get_all_dialects
from xdsl.interfaces import HasCanonicalizationPatternsInterface, HasFolderInterface
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait, OpTrait
from xdsl.xdsl_opt_main import xDSLOptMain

from xetile.cli.opt.opt_command import main as opt
from xetile.dialects import NEW_DIALECTS, OWN_DIALECTS, dialect_factory

DATA = Path(__file__).parents[3] / "data"
KERNELS = sorted((DATA / "foreign_passes").glob("*.mlir"))
LISTED = DATA / "shared_ops.txt"

SHARED = [name for name in OWN_DIALECTS if name not in NEW_DIALECTS]

PASSES = (
    *("approximate-math-with-bitcast", "arith-add-fastmath", "canonicalize"),
    *("constant-fold-interp", "control-flow-hoist", "convert-arith-to-riscv"),
    *("convert-func-to-riscv-func", "convert-memref-to-ptr", "convert-memref-to-riscv"),
    *("convert-scf-to-cf", "convert-scf-to-openmp", "convert-scf-to-riscv-scf"),
    *("convert-scf-to-x86-scf", "convert-vector-to-ptr", "cse", "dce"),
    *("function-persist-arg-names", "gpu-map-parallel-loops", "licm"),
    *("loop-hoist-memref", "memref-to-gpu", "scf-for-loop-flatten"),
    *(
        "scf-for-loop-range-folding",
        "scf-for-loop-unroll",
        "scf-parallel-loop-tiling{parallel-loop-tile-sizes=8,8}",
    ),
    *("test-add-timers-to-top-level-funcs", "test-constant-folding"),
)
"""xDSL's passes on arith, scf, memref, vector, func, gpu, cf and math, with options where they need one."""

OURS_KNOW_MORE = {
    ("canonicalize", "integers"): "xDSL folds no conversions there and back",
    ("cse", "launch"): "xDSL does not say that gpu.thread_id is pure",
}


def replaced() -> Iterator[tuple[type[IRDLOperation], type[IRDLOperation]]]:
    """Our op and xDSL's, of each name that both have."""
    stock = get_all_dialects()
    for name in SHARED:
        if name in stock:
            theirs = {op.name: op for op in stock[name]().operations}
            for op in dialect_factory(name)().operations:
                if op.name in theirs:
                    assert issubclass(op, IRDLOperation)
                    other = theirs[op.name]
                    assert issubclass(other, IRDLOperation)
                    yield op, other


def test_every_op_is_xdsls() -> None:
    pairs = list(replaced())
    assert sum(ours is not stock for ours, stock in pairs) >= 95
    assert [ours.name for ours, stock in pairs if not issubclass(ours, stock)] == []


def test_every_attribute_is_xdsls() -> None:
    stock = get_all_dialects()
    pairs = [
        (ours, theirs)
        for name in SHARED
        if name in stock
        for theirs in stock[name]().attributes
        for ours in dialect_factory(name)().attributes
        if ours.name == theirs.name
    ]
    assert sum(ours is not stock for ours, stock in pairs) >= 5
    assert [ours.name for ours, stock in pairs if not issubclass(ours, stock)] == []


def test_a_pattern_reads_the_same_values() -> None:
    for ours, stock in replaced():
        mine, theirs = ours.get_irdl_definition(), stock.get_irdl_definition()
        for parts in ("operands", "results", "regions", "successors"):
            names = [name for name, _ in getattr(theirs, parts)]
            assert [name for name, _ in getattr(mine, parts)] == names, ours.name
        for accessor in theirs.accessor_names:
            assert accessor in mine.accessor_names, ours.name


def listed() -> str:
    """A line for each op of the shared dialects."""
    lines: list[str] = []
    for dialect in SHARED:
        for op in sorted(dialect_factory(dialect)().operations, key=lambda op: op.name):
            if not hasattr(op, "traits"):
                lines.append(f"{op.name}: an older spelling, read as another op\n")
                continue
            names = {type(trait).__name__ for trait in op.get_traits_of_type(OpTrait)}
            traits = sorted(name for name in names if not name.startswith("_"))
            says = [*traits, *(f"pattern {name}" for name in patterns(op))]
            if issubclass(op, HasFolderInterface):
                says.append("folds")
            lines.append(f"{op.name}: {', '.join(says) or 'nothing'}\n")
    return "".join(lines)


def patterns(op: type[Operation]) -> Iterator[str]:
    """The names of an op's canonicalization patterns."""
    found: tuple[RewritePattern, ...] = ()
    if issubclass(op, HasCanonicalizationPatternsInterface):
        found = op.get_canonicalization_patterns()
    elif trait := op.get_trait(HasCanonicalizationPatternsTrait):
        found = trait.get_canonicalization_patterns()
    yield from (type(pattern).__name__ for pattern in found)


def test_what_folds_and_which_traits_and_patterns_each_op_has() -> None:
    assert listed() == LISTED.read_text()


def by_xdsl(step: str, kernel: Path, capsys: pytest.CaptureFixture[str]) -> str | None:
    """What xDSL's driver prints with its own dialects, None if it fails."""
    arguments = ["-p", step, "--print-op-generic", str(kernel)]
    try:
        xDSLOptMain(args=arguments).run()
    except Exception:  # whatever a pass raises
        return None
    return capsys.readouterr().out


def by_xetile(step: str, kernel: Path, capsys: pytest.CaptureFixture[str]) -> str | None:
    """What ours prints, None if it refuses."""
    status = opt(["-p", step, "--print-op-generic", str(kernel)])
    said = capsys.readouterr()
    assert status in (0, 1) or "made IR that does not verify" in said.err
    return said.out if status == 0 else None


@pytest.mark.filterwarnings("ignore:Unable to remove cast")
@pytest.mark.parametrize("step", PASSES)
def test_passes_of_others_do_the_same(step: str, capsys: pytest.CaptureFixture[str]) -> None:
    for kernel in KERNELS:
        theirs, ours = by_xdsl(step, kernel, capsys), by_xetile(step, kernel, capsys)
        if (step, kernel.stem) in OURS_KNOW_MORE:
            assert ours != theirs, "xDSL has caught up"
        else:
            assert ours == theirs, kernel.stem


def test_most_passes_change_something(capsys: pytest.CaptureFixture[str]) -> None:
    plain = {kernel: by_xdsl("dce", kernel, capsys) for kernel in KERNELS}
    idle = {
        step
        for step in PASSES
        if all(by_xdsl(step, kernel, capsys) in (plain[kernel], None) for kernel in KERNELS)
    }
    assert idle == IDLE


IDLE = {"dce"}
"""Passes that do nothing more than `dce` to these kernels."""


@pytest.mark.parametrize("steps", ["", "xetile-blocking{device=bmg},"])
@pytest.mark.parametrize("driver", ["xdsl-opt", "xetile-opt"])
def test_flags_reach_every_float_op(
    driver: str, steps: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = by_xdsl if driver == "xdsl-opt" else by_xetile
    out = run(f"{steps}arith-add-fastmath", DATA / "foreign_passes" / "floats.mlir", capsys)
    assert out is not None
    assert out.count("fastmath<fast>") == 5
    assert out.count("fastmath<none>") == 1, "xDSL's pass leaves arith.negf"


def test_a_pass_that_indexes_a_table_by_type_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    step, kernel = "convert-arith-to-varith", DATA / "foreign_passes" / "floats.mlir"
    assert opt(["-p", step, str(kernel)]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert (
        said.err.partition("KeyError")[0]
        == f"xetile-opt: error: cannot run xDSL's pass '{step}' on this module: "
    )
    assert said.err.count("\n") == 1


def test_a_pass_that_asks_a_table_for_a_type_changes_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    step, kernel = "convert-arith-to-x86", DATA / "foreign_passes" / "floats.mlir"
    theirs, ours = by_xdsl(step, kernel, capsys), by_xetile(step, kernel, capsys)
    assert theirs is not None
    assert ours is not None
    assert "arith.addf" not in theirs
    assert "arith.addf" in ours


if __name__ == "__main__":
    LISTED.write_text(listed())

"""Costs: every instruction has a class and belongs to one op or to the compiler; sums over levels are the kernel's."""

from collections import Counter

import pytest
from support.explored_registers import (
    EXAMPLES,
    SPILLING,
    classes,
    explored,
    per_step,
    scratch_messages,
)

from xetile.api import parse
from xetile.codegen import statistics
from xetile.explanation import explain
from xetile.explorer.model import Costs, Kernel
from xetile.toolchain.assembly import COUNTED


def costs_of(kernel: Kernel) -> Costs:
    assert kernel.costs is not None
    return kernel.costs


def owners(kernel: Kernel, letter: str) -> list[tuple[int, ...]]:
    """By instruction the ops of a level that it came of."""
    levels = kernel.levels
    level = next(number for number, one in enumerate(levels) if one.id == "I")
    wanted = next(number for number, one in enumerate(levels) if one.id == letter)
    found = [op.parents for op in levels[level].ops]
    above = levels[level].of
    while above is not None and above != wanted:
        ops = levels[above].ops
        found = [tuple(p for op in own for p in ops[op].parents) for own in found]
        above = levels[above].of
    return found


@pytest.mark.ocloc
@pytest.mark.parametrize("device", ["bmg", "pvc", "cri"])
@pytest.mark.parametrize(
    "name", ["gemm_f16.mlir", "softmax.mlir", "flash_attention.mlir", SPILLING]
)
def test_sums_over_parents_are_the_kernels(name: str, device: str) -> None:
    kernel = explored(name, device)
    kinds = classes(kernel)
    for level in kernel.levels:
        if level.id in "IP":
            continue
        own = owners(kernel, level.id)
        assert len(own) == len(kinds)
        assert all(len(ops) <= 1 for ops in own)
        by_op: dict[tuple[int, ...], Counter[str]] = {}
        for ops, kind in zip(own, kinds, strict=True):
            by_op.setdefault(ops, Counter())[kind] += 1
        assert sum(by_op.values(), Counter[str]()) == Counter(kinds)
        # what no op has is the compiler's own: little
        assert by_op.get((), Counter[str]()).total() <= 0.01 * len(kinds) + 20


@pytest.mark.ocloc
@pytest.mark.parametrize("device", ["bmg", "pvc"])
@pytest.mark.parametrize(
    "name", ["gemm_f16_plain.mlir", "gemm_i8.mlir", "flash_attention.mlir"]
)
def test_counts_are_those_of_stats(name: str, device: str) -> None:
    kernel, costs = explored(name, device), costs_of(explored(name, device))
    module = parse((EXAMPLES / name).read_text())
    stats = statistics(module, device)[kernel.name]
    counted = per_step(kernel)
    for key in (*COUNTED, "total", "loop_unroll"):
        assert counted[key] == pytest.approx(stats[key], abs=1e-4)
    assert len(costs.asm) - counted["total"] * counted["loop_unroll"] == stats["outside"]
    assert (costs.grf, costs.spill, costs.scratch) == (
        stats["grf_count"],
        stats["spill_size"],
        stats["scratch"],
    )


@pytest.mark.ocloc
def test_counts_are_those_of_explain() -> None:
    kernel = explored("gemm_f16_plain.mlir", "bmg")
    (told,) = explain(parse((EXAMPLES / "gemm_f16_plain.mlir").read_text()), "bmg").kernels
    (hot,) = kernel.loops
    assert (hot.asm[1] - hot.asm[0] + 1) / hot.unroll == pytest.approx(
        told.instructions, abs=1e-4
    )
    assert costs_of(kernel).spill == told.spilled
    moved = {
        level: sum(size for at, _, size in costs_of(kernel).bytes if at == level)
        for level in range(len(kernel.levels) - 2)
    }
    # a subgroup's load of A, of B, and its store of C; the same at every level but L, which has all rounds
    assert set(list(moved.values())[:5]) == {sum(access.bytes for access in told.accesses)}


@pytest.mark.ocloc
def test_loops_are_those_of_the_source() -> None:
    (hot,) = explored("gemm_f16_plain.mlir", "bmg").loops
    assert (hot.unroll, hot.step, hot.trips, hot.is_hot) == (16, "K 32", 128, True)
    outer, inner = explored("gemm_int8_weights.mlir", "bmg").loops
    assert (outer.trips, inner.trips, outer.is_hot, inner.is_hot) == (32, 4, False, True)
    assert outer.op != inner.op
    kernel = explored("gemm_f16_plain.mlir", "bmg")
    assert hot.op is not None
    level, op = hot.op
    assert kernel.names[kernel.levels[level].ops[op].name] == "scf.for"


def test_bytes_and_how_often_they_are_read() -> None:
    kernel = explored("gemm_f16_plain.mlir", "bmg")
    costs = costs_of(kernel)
    names = {op: kernel.names[one.name] for op, one in enumerate(kernel.levels[0].ops)}
    bytes = [(names[op], size) for level, op, size in costs.bytes if level == 0]
    assert bytes == [
        ("xetile.load_tile", 32 * 32 * 2),
        ("xetile.load_tile", 32 * 64 * 2),
        ("xetile.store_tile", 32 * 64 * 4),
    ]
    # 32 subgroups, as 8 x 4: each row of A's tile is read by 4, each column of B's by 8
    assert [times for level, _, times in costs.rereads if level == 0] == [4, 8, 1]


@pytest.mark.ocloc
@pytest.mark.parametrize("device", ["bmg", "pvc", "cri"])
def test_spills_are_told_by_line(device: str) -> None:
    kernel = explored(SPILLING, device)
    spills = scratch_messages(kernel)
    assert len(spills) > 300
    assert costs_of(kernel).spill > 4096
    first = kernel.levels[0]
    own = owners(kernel, first.id)
    by_line = Counter(first.lines[first.ops[op].line].strip() for n in spills for op in own[n])
    assert any("tile_mma" in line for line, _ in by_line.most_common(2))
    assert sum(by_line.values()) == len(spills)


@pytest.mark.ocloc
def test_what_is_certain_is_said() -> None:
    kernel = explored("gemm_f16_plain.mlir", "bmg")
    said = {key: text.partition(":")[0] for key, text in kernel.certainty.items()}
    assert said["instructions"] == said["registers"] == "exact"
    assert said["bytes"] == said["rereads"] == "modelled"
    assert said["moves"] == said["links"] == "guessed"
    assert "on bmg messages add a constant" in kernel.certainty["rounds"]
    other = explored("gemm_f16_plain.mlir", "pvc")
    assert "on pvc messages add no constant" in other.certainty["rounds"]

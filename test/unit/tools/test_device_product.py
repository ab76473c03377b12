"""The full product judges what it should: a part of it, and a device that computes something else."""

from collections.abc import Sequence
from dataclasses import replace

import numpy
import pytest

from tools.device_product import workers
from tools.device_product.__main__ import main, report
from tools.device_product.case import Case, Given, Judged, Program, Result, Row, Verdict
from tools.device_product.families import FAMILIES, all_cases
from tools.device_product.families.numbers import in_memory
from tools.device_product.judging import Judge

QUICK = (
    "gemm f16 f16 f32 ragged",
    "control loops",
    "move f16 hints of stores",
    "elementwise f16 scalars",
)


def test_names_are_different():
    names = [case.name for case in all_cases()]
    assert len(set(names)) == len(names)
    assert set(QUICK) <= set(names)
    assert all(make() for make in FAMILIES.values())


@pytest.mark.opencl
@pytest.mark.parametrize("name", QUICK)
def test_a_part_of_it(name: str):
    case = next(case for case in all_cases() if case.name == name)
    case = replace(case, parts=case.parts[::9])
    judge = Judge()
    try:
        judged = judge.judge(case, ("bmg",))
    finally:
        judge.close()
    kinds = [verdict.kind for row in judged.rows for verdict in row.verdicts.values()]
    assert judged.built == 1
    assert "equal" in kinds
    assert "differs" not in kinds


COPY = """
gpu.module @m { gpu.func @k(%A: memref<8x16xf32>, %C: memref<8x16xf32>) kernel attributes {
    known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
  %a = xetile.init_tile %A[0, 0] : memref<8x16xf32> -> !xetile.tile<8x16xf32>
  %v = xetile.load_tile %a : !xetile.tile<8x16xf32> -> vector<8x16xf32>
  %c = xetile.init_tile %C[0, 0] : memref<8x16xf32> -> !xetile.tile<8x16xf32>
  xetile.store_tile %v, %c : vector<8x16xf32>, !xetile.tile<8x16xf32>
  gpu.return
} }
"""


class Fake(Judge):
    """A device that adds something to the last array."""

    def __init__(self, added: float) -> None:
        super().__init__()
        self.added = added

    def _launch(self, lowered: object, program: Program, device: str) -> list[Given]:
        a = program.arrays[0]
        assert isinstance(a, numpy.ndarray)
        return [a, (a + numpy.float32(self.added)).astype(numpy.float32)]


@pytest.mark.parametrize(
    ("added", "result", "kind"),
    [
        (0.0, Result(), "equal"),
        (1.0, Result(), "differs"),
        (1.0, Result(open="MLIR does not say"), "open"),
        (2.0**-22, Result(function="math.exp"), "within"),
        (2.0**-20, Result(function="math.exp"), "differs"),
        (numpy.nan, Result(), "differs"),
    ],
)
def test_verdicts(added: float, result: Result, kind: str):
    ones = numpy.ones((8, 16), numpy.float32)

    def build(parts: Sequence[str]) -> Program:
        return Program(COPY, [ones, numpy.zeros_like(ones)], "k", results={1: result})

    judged = Fake(added).judge(Case("copy", build), ("pvc", "bmg"))
    assert [verdict.kind for verdict in judged.rows[0].verdicts.values()] == [kind, kind]
    assert (judged.built, judged.shared) == (1, 1)


@pytest.mark.parametrize(("added", "kind"), [(0.0, "changes nothing"), (1.0, "differs")])
def test_a_kernel_that_changes_nothing_is_told_apart(added: float, kind: str):
    """Equal bits say nothing where those before the launch are the same."""
    ones = numpy.ones((8, 16), numpy.float32)

    def build(parts: Sequence[str]) -> Program:
        return Program(COPY, [ones, ones.copy()], "k", results={1: Result()})

    (row,) = Fake(added).judge(Case("copy", build), ("bmg",)).rows
    assert row.verdicts["bmg"].kind == kind


class Many:
    """Workers of which one case is judged, and the next is not."""

    is_open = True

    def __init__(self, devices: Sequence[str]) -> None: ...

    def judge(self, name: str) -> Judged:
        if name == "fails":
            raise ValueError(name)
        return Judged([], 0, 0)

    def close(self) -> None:
        Many.is_open = False


def test_processes_end_with_what_asks(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(workers, "_Workers", Many)
    with pytest.raises(ValueError, match="fails"):
        list(workers.judged(["good", "fails"], ("bmg",), 1))
    assert not Many.is_open
    Many.is_open = True
    found = workers.judged(["good", "good"], ("bmg",), 1)
    next(found)
    assert Many.is_open
    del found
    assert not Many.is_open


def test_programs_that_are_refused_are_no_difference():
    def build(parts: Sequence[str]) -> Program:
        shown = "vector.print %v : vector<8x16xf32>"
        return Program(COPY.replace("%c =", f"{shown}\n  %c ="), [], "k")

    (row,) = Judge().judge(Case("refused", build), ("bmg",)).rows
    assert row.verdicts["bmg"].kind == "refused"
    assert "vector.print" in row.verdicts["bmg"].detail


def test_the_table_shows_what_differs(capsys: pytest.CaptureFixture[str]):
    rows = [
        Row("good", {"pvc": Verdict("equal"), "bmg": Verdict("equal")}),
        Row("idle", {"pvc": Verdict("changes nothing")}),
        Row(
            "bad",
            {
                "pvc": Verdict("differs", "why"),
                "bmg": Verdict("refused", "'op' has no lowering"),
            },
        ),
    ]
    assert report(iter([Judged(rows, 2, 1)]), show_all=False) == 1
    printed = capsys.readouterr().out
    assert "bad | pvc | differs: why" in printed
    assert "good" not in printed
    assert "     1 change no array\n" in printed
    assert "3 kernels, 5 with their devices; 2 SPIR-V modules launched, 1 shared" in printed
    assert "1 refused: 'op' has no lowering" in printed
    assert report(iter([Judged(rows[:1], 1, 1)]), show_all=True) == 0
    assert "good | pvc bmg | equal" in capsys.readouterr().out


def test_names_are_listed(capsys: pytest.CaptureFixture[str]):
    assert main(["--list", "--only", "control *"]) == 0
    assert "control loops" in capsys.readouterr().out.splitlines()


def test_halves_of_64_bits_lie_in_two_rows():
    numbers = numpy.arange(128, dtype=numpy.float64)
    result = Result(dtype=numbers.dtype)
    assert numpy.array_equal(result.numbers(in_memory(numbers)), numbers.reshape(2, 64))


class Untouched(Judge):
    """A device that leaves everything as it is."""

    def _launch(self, lowered: object, program: Program, device: str) -> list[Given]:
        return list(program.arrays)


@pytest.mark.spirv_val
@pytest.mark.parametrize("shape", ["vectors", "scalars"])
def test_bits_are_valid_spirv(shape: str):
    """LLVM's SPIR-V back end ends the process on some of these, and makes invalid modules of others."""
    case = next(case for case in all_cases() if case.name == f"elementwise i1 {shape}")
    parts = (
        "arith.muli",
        "arith.minsi",
        "arith.cmpi slt",
        "arith.extsi to i64",
        "arith.sitofp to f32",
    )
    rows = Untouched().judge(replace(case, parts=parts), ("bmg",)).rows
    details = [row.verdicts["bmg"].detail for row in rows]
    assert not any("spirv-val" in detail or "error" in detail.lower() for detail in details)
    assert all(row.verdicts["bmg"].kind in ("equal", "differs") for row in rows)

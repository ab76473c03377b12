"""Kernels on their way down: texts, links, values."""

from pathlib import Path

import pytest

import xetile
from xetile.explorer.model import Kernel, Level
from xetile.levels import LevelName, levels

EXAMPLES = Path(__file__).parents[3] / "examples"
GEMM = EXAMPLES / "gemm_f16_plain.mlir"


def kernel_of(path: Path, device: str) -> Kernel:
    (kernel,) = xetile.explore(xetile.parse(path), device, assembly=False).model.kernels
    return kernel


@pytest.fixture(scope="module")
def gemm() -> Kernel:
    return kernel_of(GEMM, "bmg")


def text_at(level: Level, line: int, first: int, last: int) -> str:
    return level.lines[line][first:last]


def test_the_first_level_is_the_source_as_written(gemm: Kernel) -> None:
    assert "\n".join(gemm.levels[0].lines) + "\n" == GEMM.read_text()


@pytest.mark.parametrize("row", levels()[1:], ids=lambda row: row.letter)
def test_texts_are_those_of_lower(gemm: Kernel, row: tuple[str, LevelName]) -> None:
    lowered = xetile.lower(xetile.parse(GEMM), to=row[1], device="bmg")
    (level,) = (level for level in gemm.levels if level.id == row[0])
    assert "\n".join(level.lines) + "\n" == xetile.text(lowered)


def test_ops_stand_where_their_names_are(gemm: Kernel) -> None:
    for level in gemm.levels:
        for op in level.ops:
            name = gemm.names[op.name]
            assert name == "builtin.module" or name in text_at(
                level, op.line, op.first, op.last
            )


def test_values_stand_where_they_are_defined(gemm: Kernel) -> None:
    for level in gemm.levels:
        for value in level.values:
            assert text_at(level, value.line, value.first, value.last).startswith("%")
    source = gemm.levels[0]
    results = [
        value for value in source.values if gemm.names[source.ops[value.op].name] == "scf.for"
    ]
    names = [text_at(source, value.line, value.first, value.last) for value in results]
    assert names == ["%result"] * 3 + ["%k", "%a_tile", "%b_tile", "%acc"]


def test_uses_name_the_values_that_the_text_names(gemm: Kernel) -> None:
    for level in gemm.levels:
        for use in level.uses:
            value, op = level.values[use.value], level.ops[use.op]
            name = text_at(level, value.line, value.first, value.last)
            assert any(name in line for line in level.lines[op.line : op.line + 6])


def test_parents_of_the_product(gemm: Kernel) -> None:
    """All matrix instructions come of the one product of the source."""
    (product,) = (
        index
        for index, op in enumerate(gemm.levels[0].ops)
        if gemm.names[op.name] == "xetile.tile_mma"
    )
    found = {product}
    levels = [level for level in gemm.levels if level.id in "SBXVL"]
    for level in levels:
        found = {index for index, op in enumerate(level.ops) if found & set(op.parents)}
    instructions = [gemm.names[levels[-1].ops[index].name] for index in found]
    assert instructions.count("llvm.call") == 512

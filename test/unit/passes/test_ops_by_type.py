"""Every op of the dialect's page in every element type: docs/ops-by-type.md says how far each comes, and it is so.

Every kernel is executed at every level and compiled for bmg; other devices compile some of each op.
"""

import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

import pytest
from support.tiled.case import Case, module_of
from support.tiled.launching import compiled
from support.tiled.reaching import Level, followed
from support.tiled.table import BMG, COMPILED, DEVICES, LETTERS, cell, letter, rows

from xetile.api import lower, text
from xetile.levels import LevelName
from xetile.runtime.launch import Compiled
from xetile.toolchain.ocloc import compile_spirv

PAGE = Path(__file__).parents[3] / "docs" / "ops-by-type.md"
ROWS = {row.op: row for row in rows()}
REACHED = LETTERS["spirv"]
SPLIT = "\n// -----\n"

PARTS = range(6)
"""Modules that hold the kernels of some ops each: what a module costs grows faster than its kernels."""

EVERY = 4
"""Of so many types of an op one is compiled for devices other than bmg."""

MOST_EXCEPTIONS = 3
"""Ops and types that stop above assembly where the device has them."""

PRODUCTS = "`tile_mma` of A and B"


@cache
def written() -> Mapping[str, Sequence[str]]:
    """The page's cells by op."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    return {
        cells[0]: cells[1:]
        for cells in ([cell.strip() for cell in line[1:-1].split(" | ")] for line in lines)
    }


def said(op: str, type: str) -> str:
    return written()[op][written()["op"].index(type)]


def test_the_page_has_every_row() -> None:
    assert list(written()) == ["op", *ROWS]


def test_all_devices_stand_on_the_page() -> None:
    assert all(device in PAGE.read_text() for device in DEVICES)


def test_what_ops_do_not_take_has_no_kernel() -> None:
    for op, row in ROWS.items():
        none = {t for t in written()["op"] if said(op, t) == "-"}
        assert none == set(written()["op"]) - row.cases.keys(), op


def test_exceptions_are_few_and_have_their_reasons() -> None:
    stop = [
        (op, t) for op, row in ROWS.items() for t in row.cases if REACHED not in said(op, t)
    ]
    assert len(stop) <= MOST_EXCEPTIONS, stop
    some = [(op, t) for op, row in ROWS.items() for t in row.cases if said(op, t) != REACHED]
    reasons = PAGE.read_text().split("\n| op |")[0]
    assert all(op == PRODUCTS and t in reasons for op, t in some), some


@pytest.mark.parametrize("op", ROWS)
def test_every_level_computes_the_same(op: str) -> None:
    found: dict[str, Level] = {
        t: followed(case, BMG).level for t, case in ROWS[op].cases.items()
    }
    assert {t: LETTERS[level] for t, level in found.items()} == {
        t: letter(said(op, t), BMG) for t in found
    }


class Built(NamedTuple):
    """Kernels of some ops that a device has, and their code."""

    cases: Sequence[Case]
    kernels: Mapping[str, Compiled]

    @property
    def spirv(self) -> bytes:
        return next(iter(self.kernels.values())).spirv


def chosen(device: str, part: int) -> list[Case]:
    """Those that reach assembly: of bmg all, of others one in some of each op, and all products."""
    return [
        case
        for place, (op, row) in enumerate(ROWS.items())
        if place * len(PARTS) // len(ROWS) == part
        for number, (t, case) in enumerate(row.cases.items(), place)
        if letter(said(op, t), device) == REACHED
        and (device == BMG or number % EVERY == 0 or op == PRODUCTS)
    ]


@cache
def built(device: str, part: int) -> Built:
    cases = chosen(device, part)
    return Built(cases, compiled(cases, device))


@pytest.mark.parametrize("device", COMPILED[1:])
def test_products_reach_as_far_as_the_page_says(device: str) -> None:
    cases = ROWS[PRODUCTS].cases
    found = {t: LETTERS[followed(c, device, executed=False).level] for t, c in cases.items()}
    assert found == {t: letter(said(PRODUCTS, t), device) for t in cases}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("device", COMPILED)
def test_devices_have_code(device: str, part: int) -> None:
    assert built(device, part).spirv


@pytest.mark.ocloc
@pytest.mark.parametrize("device", COMPILED)
def test_intels_compiler_takes_it(device: str) -> None:
    for part in PARTS:
        options = next(iter(built(device, part).kernels.values())).options
        compile_spirv(built(device, part).spirv, device, list(options.values()))


@pytest.mark.spirv_val
@pytest.mark.parametrize("device", COMPILED)
def test_its_spirv_is_valid(device: str, spirv_val: Path, tmp_path: Path) -> None:
    for part in PARTS:
        file = tmp_path / f"{part}.spv"
        file.write_bytes(built(device, part).spirv)
        subprocess.run([spirv_val, file], check=True)


@pytest.mark.mlir_opt
@pytest.mark.parametrize("part", PARTS)
def test_upstream_reads_it(part: int, mlir_opt: Path) -> None:
    levels = cast("Sequence[LevelName]", ("xegpu", "xevm"))
    module = module_of(chosen(BMG, part))
    source = SPLIT.join(text(lower(module, to=level, device=BMG)) for level in levels)
    done = subprocess.run(
        [mlir_opt, "--split-input-file"],
        input=source,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:2000]


def test_cells_name_the_devices_that_differ() -> None:
    found = dict.fromkeys(DEVICES, "spirv") | {"pvc": "blocked"}
    given = cast("Mapping[str, Level]", found)
    assert cell(given) == f"B pvc, {REACHED} bmg lnl ptl cri"
    assert [letter(cell(given), d) for d in ("pvc", "cri")] == ["B", REACHED]

"""Every op has a position and a parent: of all examples and of the library, on every device."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from support.spread import label, spread
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp, UnknownLoc

import xetile
from tools.library_variants import VARIANTS
from xetile.errors import XetileError, collected_remarks
from xetile.explanation.compile_options import Options
from xetile.explorer.linking.trace import traced, write
from xetile.explorer.model import Kernel
from xetile.targets import names

EXAMPLES = Path(__file__).parents[3] / "examples"
SYNTAX = EXAMPLES / "rfc" / "main-text.mlir"
"""Functions that show how things are written, of which few can be lowered."""

FILES = sorted({*EXAMPLES.glob("*.mlir"), *EXAMPLES.glob("rfc/*.mlir")} - {SYNTAX})
"""Examples that are lowered, each for one device."""


def is_declaration(op: object) -> bool:
    return isinstance(op, llvm.FuncOp) and not op.body.blocks


def check(module: ModuleOp, device: str) -> list[Kernel]:
    """Every op but declarations has a position of the user's and one parent; every value stands at its name."""
    with collected_remarks():
        traces = traced(module, device, Options(assembly=False))
    for trace in traces:
        write(trace)
        assert trace.kernel.notes == []
        for level in trace.kernel.levels[1:]:
            for op, live in zip(level.ops, trace.ops[level.id], strict=True):
                assert is_declaration(live) or len(op.parents) == 1, live
        for level in trace.kernel.levels:
            for value in level.values:
                assert level.lines[value.line][value.first : value.last].startswith("%")
    return [trace.kernel for trace in traces]


@pytest.mark.parametrize("file, device", spread(FILES, names()), ids=label)
def test_ops_of_examples_are_linked(file: Path, device: str) -> None:
    letters = [
        "".join(level.id for level in one.levels) for one in check(xetile.parse(file), device)
    ]
    assert letters
    assert all(one in "WSBXVL" and one.endswith("XVL") for one in letters)


def chosen_variants() -> Iterator[tuple[str, str]]:
    """Each kernel of the library on two devices, in a variant each."""
    kernels = dict.fromkeys(variant.kernel for variant in VARIANTS.values())
    for place, kernel in enumerate(kernels):
        own = [name for name, variant in VARIANTS.items() if variant.kernel is kernel]
        for number in (place, place + 2):
            device = names()[number % len(names())]
            taking = [name for name in own if device in (VARIANTS[name].devices or names())]
            yield taking[number % len(taking)], device


@pytest.mark.parametrize(("name", "device"), list(chosen_variants()))
def test_ops_of_the_library_are_linked(name: str, device: str) -> None:
    variant = VARIANTS[name]
    module = variant.kernel.specialize(**variant.types, **variant.constants).module
    (kernel,) = check(module, device)
    assert "".join(level.id for level in kernel.levels) == "YWSBXVL"
    assert all(op.parents for op in kernel.levels[1].ops), "ops of W come of Python"


POSITIONED: Mapping[str, str] = {
    "gemm_f16.mlir": "arith.addi",
    "host_gemm_f16.mlir": "scf.yield",
    "rfc/2.5-two-cache-levels.mlir": "arith.constant",
}
"""Ops that passes or the parser once left without a position, with a kernel that has them."""


@pytest.mark.parametrize("file", POSITIONED)
def test_ops_have_positions_outside_of_the_explorer_too(file: str) -> None:
    module = xetile.parse(EXAMPLES / file)
    with collected_remarks():
        lowered = xetile.lower(module, to="xevm", device="bmg")
    assert POSITIONED[file] in {op.name for op in lowered.walk()}
    assert [op for op in lowered.walk() if isinstance(op.location, UnknownLoc)] == []


def test_what_stops_on_the_way_is_said() -> None:
    traces = traced(xetile.parse(SYNTAX), "bmg", Options())
    notes = {trace.kernel.name: trace.kernel.notes for trace in traces}
    (note,) = notes["store_tile"]
    assert "is not reached: " in note
    assert f"{SYNTAX}:152:1: error: the function is given a tile" in note
    assert notes["load_tile"] == []
    reached = {one.kernel.name: one.kernel.levels[-1].id for one in traces}
    assert reached["load_tile"] == "L"
    assert reached["store_tile"] == "S"


def test_functions_that_no_host_launches_are_explored_too() -> None:
    (kernel,) = xetile.explore(
        xetile.parse(SYNTAX), "bmg", kernel="tile_mma", assembly=False
    ).model.kernels
    assert "L" in [level.id for level in kernel.levels]


def test_what_cannot_be_lowered_at_all_is_refused() -> None:
    with pytest.raises(XetileError, match="337:1: error: the workgroup-level function takes"):
        traced(xetile.parse(SYNTAX), "bmg", Options("table_tile_mma_with_map"))

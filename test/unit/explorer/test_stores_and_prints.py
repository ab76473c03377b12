"""Kernels that print, add atomically, and store in several blocks: links of what has no result, costs, the page."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page
from support.tiled.across import histogram, split_k
from support.tiled.case import module_of
from unit.explorer.test_block_order import spirv_turned
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from xetile.api import parse_text
from xetile.codegen import lower_to_llvm
from xetile.codegen.spirv_emitter import Instruction
from xetile.explorer import explore
from xetile.explorer.isa import spirv_marks as marks
from xetile.explorer.isa.spirv_marks import (
    OP_CALL,
    OP_LABEL,
    OP_STORE,
    Marked,
    bodies,
    marked,
    names_of,
)
from xetile.explorer.model import Kernel, Model, as_json
from xetile.explorer.page.single_file import page as built

MAP = "#xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 32]>"
TILE = f"!xetile.tile<32x64xf32, #xetile.tile_attr<wg_map = {MAP}>>"
BRANCHES = f"""
gpu.module @m {{
  gpu.func @k(%A: memref<32x64xf32>, %B: memref<32x64xf32>, %C: memref<32x64xf32>, %D: memref<32x64xf32>, %n: index)
      kernel attributes {{known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 1, 1>}} {{
    %a_tile = xetile.init_tile %A[0, 0] : memref<32x64xf32> -> {TILE}
    %b_tile = xetile.init_tile %B[0, 0] : memref<32x64xf32> -> {TILE}
    %c_tile = xetile.init_tile %C[0, 0] : memref<32x64xf32> -> {TILE}
    %d_tile = xetile.init_tile %D[0, 0] : memref<32x64xf32> -> {TILE}
    %a = xetile.load_tile %a_tile : {TILE} -> vector<32x64xf32>
    %b = xetile.load_tile %b_tile : {TILE} -> vector<32x64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %block = gpu.block_id x
    %first = arith.cmpi eq, %block, %c0 : index
    scf.if %first {{
      gpu.printf "block %d of %d", %block, %n : index, index
      xetile.store_tile %b, %c_tile : vector<32x64xf32>, {TILE}
      xetile.store_tile %a, %d_tile : vector<32x64xf32>, {TILE}
    }} else {{
      xetile.store_tile %a, %c_tile : vector<32x64xf32>, {TILE}
      xetile.store_tile %b, %d_tile : vector<32x64xf32>, {TILE}
    }}
    scf.for %i = %c0 to %n step %c1 {{
      %sum = arith.addf %a, %b : vector<32x64xf32>
      %before = xetile.atomic_rmw_tile <addf> %sum, %d_tile : vector<32x64xf32>, {TILE} -> vector<32x64xf32>
    }}
    gpu.return
  }}
}}
"""


def branches() -> ModuleOp:
    return parse_text(BRANCHES, "branches.mlir")


KERNELS = {
    "branches": branches,
    "split_k_f16": lambda: module_of([split_k("f16")]),
    "histogram": lambda: module_of([histogram()]),
}


def wrong(found: Marked) -> tuple[int, list[Operation]]:
    """How many operands of stores and calls without results are known by marks; ops whose operand is another op's."""
    numbers = {op: number for number, op in enumerate(found.ops)}
    count, others = 0, list[Operation]()
    for _, places in bodies(found.instructions):
        owner = {
            one.operands[1]: found.parents[place]
            for place in places
            if len((one := found.instructions[place]).operands) > 1
        }
        for place in places:
            one, parent = found.instructions[place], found.parents[place]
            op = None if parent is None else found.ops[parent]
            if one.opcode == OP_STORE and isinstance(op, llvm.StoreOp):
                used, values = one.operands[:2], (op.ptr, op.value)
            elif one.opcode == OP_CALL and isinstance(op, llvm.CallOp) and not op.results:
                used, values = one.operands[3:], tuple(op.args)
            else:
                continue
            for id, value in zip(used, values, strict=False):
                if owner.get(id) in (None, parent) or isinstance(value.owner, Block):
                    continue  # what LLVM added is its user's
                count += 1
                others += [op] * (owner[id] != numbers[value.owner])
    return count, others


def check(module: ModuleOp) -> None:
    """Every store, and every call that gives nothing, has an op whose operands are what it takes."""
    found = marked(module)
    for _, places in bodies(found.instructions):
        assert all(
            found.parents[p] is not None
            for p in places
            if found.instructions[p].opcode in (OP_STORE, OP_CALL)
        )
    count, others = wrong(found)
    assert count >= 4
    assert others == []


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("order", ["of LLVM", "turned"])
def test_stores_are_linked_to_those_of_their_block(
    name: str, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if order == "turned":
        monkeypatch.setattr(marks, "to_spirv", spirv_turned)
    check(lower_to_llvm(KERNELS[name](), "bmg"))


Names = dict[int, str]


def _labels(module: Sequence[Instruction]) -> list[int]:
    return [one.operands[0] for one in module if one.opcode == OP_LABEL]


def _in_order(module: Sequence[Instruction], names: Names) -> Names:
    """Each block has the name of the one that stands where it stood before blocks were turned."""
    named = [label for label in _labels(module) if label in names]
    turned_back = [named[0], *reversed(named[1:])]
    return names | {one: names[other] for one, other in zip(named, turned_back, strict=True)}


def _nameless(module: Sequence[Instruction], names: Names) -> Names:
    """No block is known."""
    return {id: name for id, name in names.items() if id not in _labels(module)}


@pytest.mark.parametrize("fault", [_in_order, _nameless])
def test_stores_that_are_matched_across_blocks_are_noticed(
    fault: Callable[[Sequence[Instruction], Names], Names], monkeypatch: pytest.MonkeyPatch
) -> None:
    def planted(module: Sequence[Instruction]) -> Names:
        return fault(module, names_of(module))

    monkeypatch.setattr(marks, "to_spirv", spirv_turned)
    monkeypatch.setattr(marks, "names_of", planted)
    with pytest.raises(AssertionError):
        check(lower_to_llvm(branches(), "bmg"))


def explored(name: str) -> Model:
    return explore(KERNELS[name](), "bmg", assembly=True).model


def linked(kernel: Kernel, name: str) -> int:
    """How many instructions came of ops of the source with a name."""
    parents = [list(range(len(kernel.levels[0].ops)))]
    for level in kernel.levels[1:]:
        assert level.of is not None
        above = parents[level.of]
        parents.append([above[op.parents[0]] if op.parents else -1 for op in level.ops])
    names = [kernel.names[op.name] for op in kernel.levels[0].ops]
    return sum(root >= 0 and names[root] == name for root in parents[-1])


@pytest.mark.ocloc
@pytest.mark.browser
@pytest.mark.parametrize(
    ("name", "ops"),
    [
        ("branches", ["gpu.printf", "xetile.store_tile", "xetile.atomic_rmw_tile"]),
        ("split_k_f16", ["xetile.atomic_rmw_tile", "xetile.tile_mma"]),
        ("histogram", ["xetile.atomic_rmw_tile", "gpu.barrier"]),
    ],
)
def test_prints_and_atomics_are_linked_counted_and_shown(
    page: Page, tmp_path: Path, name: str, ops: list[str]
) -> None:
    model = explored(name)
    (kernel,) = model.kernels
    assert [level.id for level in kernel.levels] == ["W", "S", "B", "X", "V", "L", "P", "I"]
    assert kernel.costs is not None
    classes = [kernel.costs.classes[number] for number in kernel.costs.asm]
    assert len(classes) == len(kernel.levels[-1].ops)
    assert classes.count("atomic") >= (1 if name == "histogram" else 2)
    for op in ops:
        assert linked(kernel, op) > 0, op
    data = json.loads(json.dumps(as_json(model)))
    file = tmp_path / "page.html"
    file.write_text(built([data]), encoding="utf-8")
    page.goto(file.as_uri())
    page.wait_for_selector("#costs table")
    for op in ops:
        at = next(
            n for n, one in enumerate(kernel.levels[0].ops) if kernel.names[one.name] == op
        )
        page.evaluate("op => X.main.panes.select([0, op, null], false)", at)
        counted = page.evaluate("op => X.main.panes.kernel.counts(0, op).instructions", at)
        assert counted > 0, op
        assert page.locator("#pane-I .row.first").count() > 0
    page.keyboard.press("t")
    page.keyboard.press("]")

"""`xetile.explore`: what it takes, what it says, and how it shows itself."""

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

import xetile
from xetile.codegen import only_kernel
from xetile.errors import XetileError, file_position, kept_remarks
from xetile.explanation.compile_options import Options
from xetile.explorer.linking.trace import number, number_of, traced, write
from xetile.explorer.model import Kernel
from xetile.kernels.gemm_module import gemm_module
from xetile.levels import LevelName
from xetile.planning.xe.register_layouts import RegisterLayouts

EXAMPLES = Path(__file__).parents[3] / "examples"
GEMM = EXAMPLES / "gemm_f16_plain.mlir"

PAIR = """gpu.module @kernels {
  gpu.func @first(%A: memref<64x64xf16>, %B: memref<64x64xf16>) kernel {
    %a = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<16x32xf16> // the first tile
    %v = xetile.load_tile %a : !xetile.tile<16x32xf16> -> vector<16x32xf16>
    %b = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<16x32xf16>
    xetile.store_tile %v, %b : vector<16x32xf16>, !xetile.tile<16x32xf16>
    gpu.return
  }
  gpu.func @second(%A: memref<64x64xf16>) kernel {
    %a = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<16x32xf16>
    xetile.prefetch_tile %a : !xetile.tile<16x32xf16>
    gpu.return
  }
}
"""


def names_at(kernel: Kernel, level: int) -> list[str]:
    found = kernel.levels[level]
    return [found.lines[op.line][op.first : op.last].strip() for op in found.ops]


def test_each_kernel_of_a_module_is_traced_by_itself() -> None:
    module = xetile.parse(PAIR)
    before = xetile.text(module)
    first, second = xetile.explore(module, "bmg", source=PAIR, assembly=False).model.kernels
    assert [first.name, second.name] == ["first", "second"]
    assert first.levels[0].lines == second.levels[0].lines == PAIR.rstrip("\n").split("\n")
    assert "xetile.prefetch_tile %a : !xetile.tile<16x32xf16>" in names_at(second, 0)
    assert not [name for name in names_at(first, 0) if "prefetch" in name or "//" in name]
    assert not any("@second" in line for line in first.levels[1].lines)
    assert first.levels[0].id == "S"
    assert xetile.text(module) == before


def test_one_kernel_is_chosen_by_its_name() -> None:
    module = xetile.parse(PAIR)
    found = xetile.explore(module, "bmg", kernel="second", assembly=False).model
    assert [kernel.name for kernel in found.kernels] == ["second"]
    with pytest.raises(
        XetileError, match="there is no kernel 'third'; the module has: first, second"
    ):
        xetile.explore(module, "bmg", kernel="third")


def test_a_module_that_is_not_what_its_source_says_is_printed() -> None:
    module = xetile.parse(PAIR)
    other = xetile.explore(
        module, "bmg", source=PAIR.replace("[0, 0]", "[8, 0]"), assembly=False
    )
    assert (
        "\n".join(other.model.kernels[0].levels[0].lines[:2])
        == "builtin.module {\n  gpu.module @kernels {"
    )


@pytest.mark.parametrize("level", ["subgroup", "blocked", "xegpu", "xevm", "llvm"])
def test_kernels_of_lower_levels_begin_there(level: LevelName) -> None:
    module = xetile.lower(xetile.parse(GEMM), to=level, device="bmg")
    (kernel,) = xetile.explore(module, "bmg", assembly=False).model.kernels
    first = {"subgroup": "S", "blocked": "B", "xegpu": "X", "xevm": "V", "llvm": "L"}[level]
    letters = "".join(one.id for one in kernel.levels)
    assert letters == "SBXVLP"["SBXVL".index(first) :]
    assert kernel.levels[0].lines == xetile.text(module).split("\n")[:-1]
    assert all(op.parents for one in kernel.levels[1:-2] for op in one.ops)


def test_positions_of_what_is_said_meanwhile_are_the_users() -> None:
    """The same remarks, with the same places, as when a kernel is lowered without the explorer."""
    module = xetile.parse(EXAMPLES / "rfc" / "1-row-major.mlir")
    with kept_remarks() as usual:
        xetile.lower(module, to="llvm", device="bmg")
    with kept_remarks() as exploring:
        xetile.explore(module, "bmg", assembly=False)
    assert len(usual) == 4
    assert [one.text for one in exploring] == [one.text for one in usual]


def test_positions_of_refusals_are_the_users() -> None:
    module = xetile.parse(EXAMPLES / "rfc" / "main-text.mlir")
    one = only_kernel(module, "store_tile_blocked")
    with pytest.raises(XetileError, match=r"main-text\.mlir:244:3: error: ") as usual:
        xetile.lower(one, to="llvm", device="bmg")
    with pytest.raises(XetileError) as exploring:
        xetile.explore(module, "bmg", kernel="store_tile_blocked")
    assert str(exploring.value) == str(usual.value)


def test_numbers_are_read_back_and_positions_stay() -> None:
    module = xetile.parse(PAIR)
    places = [file_position(op.location) for op in module.walk()]
    ops = number(module, "W", None)
    number(module, "S", "W")
    assert [number_of(op, "S") for op in ops] == list(range(len(ops)))
    assert {number_of(op, "W") for op in ops} == {None}
    assert [file_position(op.location) for op in module.walk()] == places


def test_what_passes_told_speaks_of_values_of_the_level_above() -> None:
    (trace,) = traced(xetile.parse(GEMM), "bmg", Options())
    (layouts,) = [what for _, what in trace.told["V"] if isinstance(what, RegisterLayouts)]
    places = [trace.values.get(value) for value in layouts.vectors]
    assert places
    assert {place and place[0] for place in places} == {trace.level("X")}
    for letter, ops in trace.ops.items():
        index = trace.level(letter)
        assert [trace.op(op) for op in ops] == [(index, number) for number in range(len(ops))]


def test_levels_are_written_once_they_are_wanted() -> None:
    (trace,) = traced(xetile.parse(GEMM), "bmg", Options())
    assert not any(level.lines for level in trace.kernel.levels)
    write(trace)
    for level in trace.kernel.levels:
        named = [level.lines[op.line][op.first : op.last] for op in level.ops]
        names = [trace.kernel.names[op.name] for op in level.ops]
        assert (
            sum(name in text for name, text in zip(names, named, strict=True))
            > len(names) * 3 // 4
        )


def test_what_is_missing_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xetile.explorer.exploration.find_ocloc", lambda: None)
    found = xetile.explore(xetile.parse(PAIR)).model
    assert found.device == "pvc"
    assert any("XETILE_OCLOC" in note for note in found.notes)
    assert any(
        note.startswith("the device is pvc, since nothing names one") for note in found.notes
    )
    named = xetile.explore(xetile.parse(PAIR), "bmg", assembly=False).model
    assert named.notes == []


def test_it_shows_itself(tmp_path: Path) -> None:
    found: Any = xetile.explore(xetile.parse(PAIR), "bmg", assembly=False)
    assert repr(found) == "<exploration of <text> for bmg: first (SBXVLP), second (SBXVLP)>"
    frame: str = found._repr_html_()
    assert re.match(
        r'<iframe sandbox="allow-scripts" style="width: 100%; height: 640px; border: 0" srcdoc="',
        frame,
    )
    inside = frame.split('srcdoc="')[1].removesuffix('"></iframe>')
    assert '"' not in inside
    assert html.unescape(inside) == found.html()
    found.save(tmp_path / "page.html")
    found.save(tmp_path / "model.json")
    assert (tmp_path / "page.html").read_text() == found.html()
    assert json.loads((tmp_path / "model.json").read_text()) == json.loads(found.json())


def test_warnings_of_passes_are_notes(capsys: pytest.CaptureFixture[str]) -> None:
    module = gemm_module(m=4096, n=4096, k=4096, subgroup_tile=(64, 64))
    notes = xetile.explore(module, "bmg", assembly=False).model.kernels[0].notes
    (note,) = [note for note in notes if ": warning: " in note]
    assert "a tile of 64x32x32 has about" in note
    assert note in capsys.readouterr().err

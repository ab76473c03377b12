"""What LLVM or ocloc refuses is a note of the page, which shows the levels above; kernels of a file are linked apart."""

from pathlib import Path

import pytest
from unit.explorer.test_lines import check_links

import xetile
from xetile.explorer.exploration import Exploration
from xetile.explorer.isa import spirv_marks as marks
from xetile.explorer.model import as_json
from xetile.explorer.page.single_file import page

EXAMPLE = Path(__file__).parents[3] / "examples/gemm_f16_plain.mlir"


def explored() -> Exploration:
    return xetile.explore(xetile.parse(EXAMPLE), "bmg")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'error: no such register' >&2; exit 3", "no such register"),
        ("exit 0", "ocloc refuses the kernel for bmg"),
        ("kill -9 $$", "ocloc refuses the kernel for bmg"),
        ("echo nothing > kernel.bin", "level I is missing"),
    ],
    ids=["exit", "nothing", "signal", "damaged"],
)
def test_what_ocloc_refuses_is_a_note(
    script: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "ocloc"
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    monkeypatch.setenv("XETILE_OCLOC", str(tool))
    found = explored()
    (kernel,) = found.model.kernels
    assert "".join(level.id for level in kernel.levels) == "WSBXVLP"
    (note,) = [note for note in kernel.notes if note.startswith("level I is missing: ")]
    assert said in note
    assert "Traceback" not in note
    assert page([as_json(found.model)])


def test_what_llvm_refuses_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(*_: object) -> bytes:
        raise xetile.XetileError("LLVM refuses the module: cannot select")

    monkeypatch.setattr(marks, "to_spirv", refusing)
    (kernel,) = explored().model.kernels
    assert "".join(level.id for level in kernel.levels) == "WSBXVL"
    assert "level P is missing: LLVM refuses the module: cannot select" in kernel.notes


@pytest.mark.ocloc
def test_kernels_of_a_file_are_linked_each_to_its_own() -> None:
    text = EXAMPLE.read_text()
    start, end = text.index("  gpu.func @gemm"), text.rindex("}")
    both = text[:end] + text[start:end].replace("@gemm", "@other") + text[end:]
    found = xetile.explore(xetile.parse(both), "bmg").model.kernels
    assert [kernel.name for kernel in found] == ["gemm", "other"]
    for kernel in found:
        check_links(kernel)
    first, second = ([op.parents for op in one.levels[-1].ops] for one in found)
    assert first == second

"""Where dumps of IR go: standard error, or a folder whose files have mlir-opt's names."""

import subprocess
from pathlib import Path

import pytest

from xetile.cli.opt.opt_command import main

PROGRAM = """
gpu.module @kernels {
  gpu.func @kernel() kernel {
    gpu.return
  }
}
func.func @host() {
  return
}
func.func private @declared(index)
module {
  func.func @host() {
    return
  }
}
"""
PIPELINE = (
    "--pass-pipeline=builtin.module(cse,func.func(cse,canonicalize),gpu.module(gpu.func(cse),canonicalize),"
    "builtin.module(func.func(cse)),canonicalize)"
)
FLAGS = ("--mlir-print-ir-after-all", "--mlir-print-ir-before=cse", "--mlir-disable-threading")


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.mlir"
    path.write_text(PROGRAM)
    return str(path)


def written(folder: Path) -> dict[str, str]:
    """The files below a folder, with their first lines."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(p.relative_to(folder)): p.read_text().splitlines()[0] for p in sorted(files)}


def test_a_folder_has_the_files_of_mlir_opt(
    program: str, tmp_path: Path, mlir_opt: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [PIPELINE, *FLAGS, "--mlir-print-ir-module-scope", program]
    tree = "--mlir-print-ir-tree-dir"
    assert main([*arguments, f"{tree}={tmp_path / 'ours'}"]) == 0
    assert capsys.readouterr().err == ""
    folder = f"{tree}={tmp_path / 'theirs'}"
    subprocess.run([mlir_opt, *arguments, folder], check=True, capture_output=True)
    ours, theirs = written(tmp_path / "ours"), written(tmp_path / "theirs")
    assert len(theirs) == 14
    words = (("CSE (cse)", "cse"), ("Canonicalizer (canonicalize)", "canonicalize"))
    for name, head in theirs.items():
        for word, ours_is in words:
            head = head.replace(word, ours_is)
        assert ours.pop(name) == head
    assert ours == {}


def test_an_op_is_dumped_alone_or_with_the_module(
    program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pipeline = "--pass-pipeline=builtin.module(gpu.module(gpu.func(cse)))"
    assert main([pipeline, "--mlir-print-ir-after-all", program]) == 0
    alone = capsys.readouterr().err
    assert alone == (
        "// -----// IR Dump After cse //----- //\ngpu.func @kernel() kernel {\n  gpu.return\n}\n\n\n"
    )
    flags = ["--mlir-print-ir-after-all", "--mlir-print-ir-module-scope"]
    assert main([pipeline, *flags, program]) == 0
    head, first, *_ = capsys.readouterr().err.splitlines()
    assert head == "// -----// IR Dump After cse ('gpu.func' operation: @kernel) //----- //"
    assert first == "builtin.module {"


@pytest.mark.parametrize(
    ("flags", "status", "said"),
    [
        (
            ["--mlir-print-ir-before=csee"],
            1,
            "xetile-opt: error: argument --mlir-print-ir-before: unknown pass 'csee'; did you mean 'cse'?",
        ),
        (
            ["--mlir-print-ir-after=nobody"],
            1,
            "xetile-opt: error: argument --mlir-print-ir-after: unknown pass 'nobody'",
        ),
        (
            ["--mlir-print-ir-after=licm"],
            0,
            "warning: --mlir-print-ir-after=licm prints nothing: the pipeline has no such pass",
        ),
        (
            ["--mlir-print-ir-module-scope"],
            0,
            "warning: --mlir-print-ir-module-scope has no effect without a dump; add --mlir-print-ir-after-all",
        ),
        (
            ["--mlir-print-ir-after-all", "--mlir-print-ir-tree-dir=/dev/null"],
            1,
            "xetile-opt: error: argument --mlir-print-ir-tree-dir: cannot make "
            "'/dev/null/builtin_module_no-symbol-name': not a directory",
        ),
    ],
)
def test_flags_that_print_nothing_are_told(
    flags: list[str], status: int, said: str, program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--cse", *flags, program]) == status
    assert capsys.readouterr().err.splitlines() == [said]

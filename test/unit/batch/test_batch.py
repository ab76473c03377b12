"""Many sources for many devices: names, what is up to date, failures beside successes, processes."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from xetile.api import emit, parse, text
from xetile.batch import compile_many
from xetile.batch.outcomes import Outcome
from xetile.batch.outputs import KINDS, Options, output_name, stem
from xetile.batch.stamps import stamp_path
from xetile.errors import XetileError
from xetile.kernels import gemm_module


@pytest.fixture
def sources(tmp_path: Path) -> list[str]:
    """Two small products."""
    paths: list[str] = []
    for name, m in (("a", 64), ("b", 128)):
        path = tmp_path / f"{name}.mlir"
        path.write_text(text(_product(m)))
        paths.append(str(path))
    return paths


def _product(m: int) -> ModuleOp:
    return gemm_module(m=m, n=64, k=64, workgroup_tile=(64, 64), subgroup_tile=(32, 32))


def states(outcomes: Sequence[Outcome]) -> list[str]:
    return [outcome.state for outcome in outcomes]


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_every_source_for_every_device(sources: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "new" / "out"
    reported: list[Outcome] = []
    outcomes = compile_many(
        sources, folder, devices=["bmg", "pvc"], jobs=1, report=reported.append
    )
    assert reported == outcomes
    names = ["a.bmg.spv", "a.pvc.spv", "b.bmg.spv", "b.pvc.spv"]
    assert [Path(outcome.wanted.output).name for outcome in outcomes] == names
    assert states(outcomes) == ["written"] * 4
    for outcome in outcomes:
        code = emit(parse(outcome.wanted.source), "spirv", outcome.wanted.device)
        assert Path(outcome.wanted.output).read_bytes() == code
        assert outcome.size == len(code)
    visible = {name for name in files(folder) if not name.startswith(".")}
    assert visible == {*names, *(f"{name}.json" for name in names)}


def test_what_is_written_does_not_depend_on_the_processes(
    sources: list[str], tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.mlir"
    wrong.write_text("gpu.module @k {\n  oops\n}\n")
    given = [sources[0], str(wrong), sources[1]]
    one, two = (
        compile_many(given, tmp_path / str(jobs), devices=["bmg", "pvc"], jobs=jobs)
        for jobs in (1, 2)
    )
    assert files(tmp_path / "1") == files(tmp_path / "2")
    assert states(one) == ["written", "written", "failed", "failed", "written", "written"]
    assert [_without_folder(each) for each in one] == [_without_folder(each) for each in two]


def _without_folder(outcome: Outcome) -> Outcome:
    return replace(
        outcome, wanted=replace(outcome.wanted, output=Path(outcome.wanted.output).name)
    )


def test_a_failure_names_the_place_and_the_device(sources: list[str], tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.mlir"
    wrong.write_text("gpu.module @k {\n  oops\n}\n")
    _, placed, missing = compile_many(
        [sources[0], str(wrong), str(tmp_path / "gone.mlir")], tmp_path / "out", jobs=1
    )
    assert placed.failure is not None
    assert placed.failure.text.splitlines() == [
        f"{wrong}:2:3: error: there is no op 'oops'",
        "  oops",
        "  ^",
    ]
    assert missing.failure is not None
    assert "no such file" in missing.failure.text
    one, _ = compile_many([str(wrong)], tmp_path / "out", devices=["bmg", "pvc"], jobs=1)
    assert one.failure is not None
    assert one.failure.text.splitlines()[0].endswith("there is no op 'oops' (for bmg)")
    assert sorted(files(tmp_path / "out")) == [
        ".xetile/a.spv.json",
        "a.spv",
        "a.spv.json",
    ]


@pytest.mark.parametrize("emit", ["xegpu", "xevm", "llvm", "ll"])
def test_a_register_file_goes_with_what_has_registers(emit: str) -> None:
    with pytest.raises(XetileError, match=f"^grf is small, but {emit} does not depend on"):
        Options(emit=emit, grf="small")
    assert Options(emit=emit, grf="small", statistics=True).grf == "small"


def test_what_is_up_to_date_is_left(sources: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "out"

    def again(options: Options | None = None, *, force: bool = False) -> list[str]:
        return states(
            compile_many(
                sources, folder, devices=["bmg"], options=options, jobs=1, force=force
            )
        )

    assert again() == ["written", "written"]
    os.utime(sources[0])  # content decides, not time
    assert again() == ["up to date", "up to date"]
    assert again(force=True) == ["written", "written"]
    assert again(Options(grf="small")) == ["written", "written"]
    assert again() == ["written", "written"]
    Path(sources[0]).write_text(Path(sources[0]).read_text() + "// one more line\n")
    assert again() == ["written", "up to date"]
    (folder / "b.bmg.spv.json").write_text("{}")
    assert again() == ["up to date", "written"]
    (folder / "a.bmg.spv").unlink()
    assert again() == ["written", "up to date"]
    for spoilt in ("", "[]", "{}", '{"key": 1}'):
        stamp_path(str(folder / "a.bmg.spv")).write_text(spoilt)
        assert again() == ["written", "up to date"]


def test_another_compiler_makes_everything_again(
    sources: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from xetile.batch import stamps

    compile_many(sources[:1], tmp_path / "out", jobs=1)
    monkeypatch.setattr(stamps, "compiler", lambda: "another")
    (outcome,) = compile_many(sources[:1], tmp_path / "out", jobs=1)
    assert outcome.state == "written"


def test_a_failed_source_leaves_its_old_output(sources: list[str], tmp_path: Path) -> None:
    folder, source = tmp_path / "out", Path(sources[0])
    compile_many([source], folder, devices=["bmg"], jobs=1)
    before, good = files(folder), source.read_text()
    source.write_text(good.replace("gpu.return", "gpu.retrun"))
    assert states(compile_many([source], folder, devices=["bmg"], jobs=1)) == ["failed"]
    assert files(folder) == before
    source.write_text(good)
    assert states(compile_many([source], folder, devices=["bmg"], jobs=1)) == ["up to date"]


def test_remarks_are_told_again_where_nothing_is_compiled(
    sources: list[str], tmp_path: Path
) -> None:
    first = compile_many(sources, tmp_path / "out", jobs=1)
    second = compile_many(sources, tmp_path / "out", jobs=1)
    assert states(second) == ["up to date", "up to date"]
    for outcome in (*first, *second):
        (said,) = outcome.said
        assert said.once.startswith("the device is pvc, since nothing names one")
        assert said.text.startswith(f"{outcome.wanted.source}:")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("xegpu", "k.bmg.xegpu.mlir"),
        ("xevm", "k.bmg.xevm.mlir"),
        ("llvm", "k.bmg.llvm.mlir"),
        ("ll", "k.bmg.ll"),
        ("spirv", "k.bmg.spv"),
        ("zebin", "k.bmg.bin"),
        ("asm", "k.bmg.asm"),
    ],
)
def test_names_of_outputs(kind: str, name: str) -> None:
    assert kind in KINDS
    assert output_name(stem("folder/k.mlir"), "bmg", kind) == name
    assert output_name(stem("-"), None, kind) == name.replace("k.bmg", "stdin")


@pytest.mark.parametrize("kind", ["xegpu", "xevm", "llvm", "ll"])
def test_text_has_no_contract(kind: str, sources: list[str], tmp_path: Path) -> None:
    (outcome,) = compile_many(
        sources[:1], tmp_path / "out", devices=["bmg"], options=Options(emit=kind), jobs=1
    )
    assert outcome.state == "written"
    name = output_name("a", "bmg", kind)
    assert sorted(files(tmp_path / "out")) == [f".xetile/{name}.json", name]


def test_what_is_wrong_with_all_is_refused(sources: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with pytest.raises(XetileError, match="unknown device 'x'"):
        compile_many(sources, folder, devices=["x"])
    with pytest.raises(
        XetileError, match="unknown kind of code 'object'; expected one of xegpu"
    ):
        compile_many(sources, folder, options=Options(emit="object"))
    with pytest.raises(XetileError, match="0 is no number of processes; expected one from 1"):
        compile_many(sources, folder, jobs=0)
    assert not folder.exists()


def test_a_place_that_cannot_be_written_fails_alone(
    sources: list[str], tmp_path: Path
) -> None:
    (tmp_path / "out" / "a.bmg.spv").mkdir(parents=True)
    first, second = compile_many(sources, tmp_path / "out", devices=["bmg"], jobs=1)
    assert first.failure is not None
    assert first.failure.text.endswith(
        f"cannot write '{tmp_path}/out/a.bmg.spv': is a directory"
    )
    assert second.state == "written"


@pytest.mark.parametrize("jobs", [1, 2])
def test_faults_of_ours_are_told_with_the_source(
    jobs: int, sources: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An offline compiler that ends the process that asks it, for one of two devices."""
    ocloc = tmp_path / "ocloc"
    ocloc.write_text('#!/bin/sh\n[ "$1" = compile ] && kill -9 $PPID\necho 1\n')
    ocloc.chmod(0o755)
    monkeypatch.setenv("XETILE_OCLOC", str(ocloc))
    if jobs == 1:

        def wrong(*given: object, **named: object) -> None:
            raise AssertionError("not today")

        monkeypatch.setattr("xetile.batch.compiled_source.compile_text", wrong)
        expected = f"{sources[0]}: AssertionError: not today"
    else:
        expected = f"{sources[0]}: the process that was to make {tmp_path}/out/a.bin ended"
    outcomes = compile_many(
        sources, tmp_path / "out", options=Options(emit="zebin"), jobs=jobs
    )
    assert states(outcomes) == ["failed", "failed"]
    failure = outcomes[0].failure
    assert failure is not None
    assert (failure.text, failure.is_internal) == (expected, True)

"""Which tests `make check-fast` runs for a change, and `make check` with and without oracles."""

from pathlib import PurePath

import pytest

from tools import check
from tools.check import mirrored_tests, oracle_runners


@pytest.mark.parametrize(
    "changed, unit, ir",
    [
        ("xetile/layout/intel/dpas.py", ["test/unit/layout/intel/test_dpas.py"], []),
        (
            "xetile/passes/convert_xevm_to_llvm/vectors.py",
            ["test/unit/passes/convert_xevm_to_llvm"],
            ["test/ir/passes/convert-xevm-to-llvm"],
        ),
        ("xetile/targets/surface.py", ["test/unit/targets"], []),
        ("xetile/cli/opt.py", ["test/unit/cli"], ["test/ir/cli"]),
        ("test/unit/conftest.py", ["test/unit"], []),
        ("test/ir/cli/run.mlir", [], ["test/ir/cli/run.mlir"]),
        ("test/ir/cli/Inputs/wrong.mlir", [], []),
        ("docs/mlir.md", [], []),
        ("xetile/errors.py", ["test/unit/test_errors.py"], []),
        ("xetile/api.py", ["test/unit/api"], []),
        ("xetile/py.typed", [], []),
    ],
)
def test_a_change_asks_for_the_tests_of_its_room(
    changed: str, unit: list[str], ir: list[str]
) -> None:
    assert mirrored_tests([PurePath(changed)], "unit") == unit
    assert mirrored_tests([PurePath(changed)], "ir") == ir


def test_what_lies_in_a_room_that_is_tested_whole_is_not_named_again() -> None:
    paths = [
        PurePath("xetile/targets/surface.py"),
        PurePath("test/unit/targets/test_tables.py"),
    ]
    assert mirrored_tests(paths, "unit") == ["test/unit/targets"]


def test_with_oracles_what_has_a_marker_and_lit_files_that_need_one_are_run() -> None:
    commands = oracle_runners(1)
    assert set(commands) == {"pytest", "lit"}
    assert commands["pytest"][-2] == "-m"
    assert {"ocloc", "mlir_bindings"} <= set(commands["pytest"][-1].split(" or "))
    assert "test/ir/cli/compile-ocloc.mlir" in commands["lit"]
    assert "test/ir/dialects/xegpu/ops.mlir" in commands["lit"]  # in part
    assert "test/ir/cli/run.mlir" not in commands["lit"]


def test_what_cannot_be_hidden_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        check, "missing_oracles", lambda: sorted({*check.ORACLES} - {"triton"})
    )
    for variable in (*check.PROGRAMS, "XETILE_REQUIRE_ORACLES"):
        monkeypatch.setenv(variable, "x")
    with pytest.raises(SystemExit, match=r"without oracles, found triton; use another one"):
        check.bare_runners(1)


def test_without_oracles_their_programs_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "missing_oracles", lambda: [*check.ORACLES])
    for variable in (*check.PROGRAMS, "XETILE_REQUIRE_ORACLES"):
        monkeypatch.setenv(variable, "x")
    commands = check.bare_runners(1)
    assert set(commands) == set(check.runners(1))
    assert commands["pytest"][-1] == f"not ({check.MARKERS})"
    assert {check.os.environ[variable] for variable in check.PROGRAMS} == {""}
    assert "XETILE_REQUIRE_ORACLES" not in check.os.environ

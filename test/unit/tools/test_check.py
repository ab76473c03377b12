"""What `make check` runs with and without oracles."""

import pytest

from tools import check
from tools.check import oracle_runners


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

"""Times of phases do not hold what is imported in them."""

import sys
import time
from pathlib import Path

import pytest

from xetile.cli.opt.instrumentation import Dumps, Instrumentation, timing_report


def rows(report: str) -> dict[str, float]:
    lines = [line.split() for line in report.splitlines() if "%)" in line]
    return {line[-1]: float(line[0]) for line in lines}


def test_imports_have_a_row_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "slow_outside.py").write_text("import slow_inside, time\ntime.sleep(0.2)\n")
    (tmp_path / "slow_inside.py").write_text("import time\ntime.sleep(0.2)\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    before = list(sys.meta_path)
    instrumentation = Instrumentation(Dumps(), timing=True)
    with instrumentation.phase("Parser"):
        __import__("slow_outside")
        time.sleep(0.1)
    instrumentation.report()
    found = rows(capsys.readouterr().err)
    assert 0.4 <= found["Imports"] < 0.8
    assert 0.1 <= found["Parser"] < 0.4
    assert list(found) == ["Imports", "Parser", "Rest", "Total"]
    assert sum(found.values()) - found["Total"] == pytest.approx(found["Total"], abs=1e-3)
    assert sys.meta_path == before


def test_a_report_of_nothing() -> None:
    assert "Total" in timing_report([], 0.0)

"""Kernels of the library have loops of no more instructions than the same kernels written as IR, and no spills."""

import json
from pathlib import Path
from typing import Any

import pytest

from tools.isa_report.library import LIKE

FIGURES: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[4] / "tools" / "isa_report" / "figures.json").read_text()
)


@pytest.mark.parametrize("name", LIKE)
def test_loops_are_as_short(name: str) -> None:
    like, _ = LIKE[name]
    assert len(FIGURES[name]) == 5
    for device, row in FIGURES[name].items():
        assert row["ours"]["spill_size"] == 0
        assert row["ours"]["total"] <= FIGURES[like][device]["ours"]["total"], device

"""Recorded results of Triton and of Intel's fork of it (test/data/README.md)."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

import pytest

from xetile.layout.algebra.linear_layout import LinearLayout

FOLDER = Path(__file__).parents[2] / "data" / "layouts"
PROPERTY = "recorded vectors"


@pytest.fixture
def recorded(
    record_property: Callable[[str, object], None],
) -> Callable[[str, str], list[object]]:
    """Reads a section of a file of vectors ("all" of one without sections)."""

    def read(name: str, section: str) -> list[object]:
        text = (FOLDER / f"{name}.json").read_text()
        content = cast("dict[str, list[object]] | list[object]", json.loads(text))
        cases = content if isinstance(content, list) else content[section]
        record_property(PROPERTY, f"{section} of {name}: {len(cases)}")
        return cases

    return read


@pytest.fixture(scope="session")
def recorded_layout() -> Callable[[Mapping[str, object]], LinearLayout]:
    """Makes the layout of `{"in": [[dim, bases], ...], "out": [[dim, size], ...]}`."""

    def make(text: Mapping[str, object]) -> LinearLayout:
        ins = cast("list[tuple[str, list[list[int]]]]", text["in"])
        outs = cast("list[tuple[str, int]]", text["out"])
        return LinearLayout.from_bases(dict(ins), dict(outs), require_surjective=False)

    return make


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    ran: Counter[str] = Counter()
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            if name == PROPERTY:
                ran[str(value)] += 1
    for text in sorted(ran):
        terminalreporter.write_line(f"{PROPERTY} met: {text}")

"""Faults in links of assembly, planted: the checks that guard them must tell."""

from collections.abc import Callable

import pytest
from unit.explorer.test_lines import test_instructions_are_linked as check

from xetile.explorer.isa import instruction_levels as lines
from xetile.explorer.isa.debug_lines import Row, lines_at

Lines = list[int | None]


def _off_by_one(found: Lines) -> Lines:
    return [None if line is None else line + 1 for line in found]


def _swapped(found: Lines) -> Lines:
    return found[::-1]


def _lost(found: Lines) -> Lines:
    return [None if place % 50 == 0 else line for place, line in enumerate(found)]


@pytest.mark.ocloc
@pytest.mark.parametrize("fault", [_off_by_one, _swapped, _lost])
def test_wrong_lines_are_noticed(
    fault: Callable[[Lines], Lines], monkeypatch: pytest.MonkeyPatch
) -> None:
    def planted(rows: list[Row], section: str, addresses: list[int]) -> Lines:
        return fault(lines_at(rows, section, addresses))

    monkeypatch.setattr(lines, "lines_at", planted)
    with pytest.raises(AssertionError):
        check("gemm_f16_plain", "bmg")

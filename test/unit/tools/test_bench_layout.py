"""The comparison of speeds with triton's class: what is timed computes the same, and slower ones are marked."""

import re

import pytest

from tools.bench_layout import Side, bound_of, main
from xetile.layout.algebra.linear_layout import LinearLayout

pytestmark = pytest.mark.triton

NAMED = {
    "construct, DPAS C",
    "construct, blocked",
    "construct, sizes inferred",
    "construct and ==",
    "construct and str",
    "* once",
    "* of six identities",
    "apply, one point",
    "== of equal ones",
    "== of different ones",
    "str",
    "is_surjective",
}


def test_no_operation_may_take_more_than_one_and_a_half_times_what_triton_takes() -> None:
    bounds = {name: bound_of(name) for name in Side(LinearLayout).calls()}
    assert {name: bounds[name] for name in NAMED} == dict.fromkeys(NAMED, 1.5)
    assert max(bounds.values()) == 1.5


def test_every_ratio_is_printed_and_those_above_one_are_marked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.bench_layout.SECONDS_PER_ROUND", 1e-5)
    monkeypatch.setattr("tools.bench_layout.POINTS", 64)
    status = main(["--rounds", "1"])
    head, *rows, last = capsys.readouterr().out.splitlines()
    assert head.split() == ["operation", "xetile", "us", "triton", "us", "ratio", "bound"]
    timed = {*Side(LinearLayout).calls()}
    assert timed <= {row[:44].rstrip() for row in rows}
    assert timed >= NAMED
    slower = exceeded = 0
    for row in rows:
        found = re.fullmatch(r".{68} *([\d.]+) +([\d.]+)(.*)", row)
        assert found is not None, row
        ratio, bound, mark = found.groups()
        slower += float(ratio) > 1
        exceeded += "bound" in mark
        assert bool(mark) == (float(ratio) > 1 or float(ratio) > float(bound)), row
    assert last == f"{slower} above 1, {exceeded} above their bounds"
    assert status == (exceeded > 0)

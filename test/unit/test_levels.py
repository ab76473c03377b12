"""The levels: their names once, and the paths of the targets through them."""

from importlib.util import find_spec

import pytest

from xetile import targets
from xetile.errors import XetileError
from xetile.levels import below, check_level, levels, passes_to
from xetile.passes import PASSES
from xetile.targets.target import UNITS


def test_levels_from_high_to_low() -> None:
    assert "".join(level.letter for level in levels()) == "WSBXVL"
    assert {level.unit for level in levels()} == set(UNITS)
    path = targets.find("bmg").path
    assert [level.name for level in below("blocked", path)] == ["xegpu", "xevm", "llvm"]
    assert below("workgroup", path) == levels()[1:]


def test_the_path_of_a_target_goes_down() -> None:
    for name in targets.names():
        path = targets.find(name).path
        order = [levels().index(step.level) for step in path]
        assert order == sorted(set(order))
        assert all(known in PASSES for step in path for known in step.passes)
        assert find_spec(f"xetile.codegen.{targets.find(name).emitter}") is not None


def test_the_passes_down_to_a_level() -> None:
    steps = passes_to("blocked", targets.find("bmg").path)
    assert [name for _, names in steps for name in names] == [
        "xetile-wg-to-sg",
        "xetile-init-duplicate",
        "xetile-blockop-fallback",
        "xetile-blocking",
    ]


def test_levels_that_cannot_be_lowered_to() -> None:
    with pytest.raises(
        XetileError, match="unknown level 'workgroup'; expected one of subgroup, b"
    ):
        check_level("workgroup")
    with pytest.raises(
        XetileError, match="unknown level 'workgroup'; known are subgroup, blocked"
    ):
        passes_to("workgroup", targets.find("bmg").path)

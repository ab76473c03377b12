"""The few combinations that sweeps take have every value of every parameter."""

import pytest
from support.spread import label, spread


@pytest.mark.parametrize("sizes", [(14, 4), (3, 12), (4, 4, 2), (5, 5), (1, 7, 3)])
@pytest.mark.parametrize("times", [1, 2])
def test_each_value_is_met(sizes: tuple[int, ...], times: int) -> None:
    rows = spread(*map(range, sizes), times=times)
    assert max(sizes) <= len(rows) <= times * max(sizes)
    assert len(set(rows)) == len(rows)
    for axis, size in enumerate(sizes):
        assert {row[axis] for row in rows} == set(range(size))


def test_labels_are_short() -> None:
    assert label("f32") == "f32"
    assert label((1, 2)) == "(1, 2)"

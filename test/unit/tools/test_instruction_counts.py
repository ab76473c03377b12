"""Kernels whose instructions are counted: what they compute, and that ocloc makes no more of them than that."""

import numpy
import pytest
from support.on_device import Place, levels_and_places
from support.tiled.attention import ERROR, attended

from tools.instruction_counts.attention import Stored, attention
from tools.instruction_counts.kernels import KERNELS, counts
from xetile.api import lower, parse_text
from xetile.levels import LevelName

KEYS = 128


@pytest.mark.parametrize(
    ("level", "place"), levels_and_places(None, "xevm"), indirect=["place"]
)
@pytest.mark.parametrize("rows, stored", [(8, "D x keys"), (16, "keys x D")])
def test_attention(rows: int, stored: Stored, level: LevelName | None, place: Place) -> None:
    random = numpy.random.default_rng(0)
    q, k, v = (random.standard_normal((4096, 64)).astype(numpy.float16) for _ in range(3))
    found = numpy.zeros((4096, 64), numpy.float32)
    module = parse_text(attention(rows, stored), "kernel.mlir")
    if level is not None:
        module = lower(module, to=level, device="bmg")
    held = k.T.copy() if stored == "D x keys" else k
    place.execute(module, "attention", [q, held, v, found, KEYS], grid=(2, 1, 1))
    expected = attended(q[: 2 * rows], k[:KEYS], v[:KEYS])
    error = abs(found[: 2 * rows] - expected).max() / abs(expected).max()
    assert error <= ERROR
    assert not found[2 * rows :].any()


@pytest.mark.ocloc
@pytest.mark.parametrize(
    ("name", "device"),
    [(name, device) for name, kernel in KERNELS.items() for device in kernel.most],
)
def test_instructions_of_the_loop(name: str, device: str) -> None:
    kernel = KERNELS[name]
    found = counts(kernel, device)
    assert found["spill_size"] == found["scratch"] == 0
    assert found["load2d"] == kernel.loads[device]
    assert found["total"] <= kernel.most[device]
    assert found["outside"] <= kernel.outside.get(device, found["outside"])

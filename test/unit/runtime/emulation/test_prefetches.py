"""Prefetches change nothing, and say so where their surface is none."""

import re

import numpy
import pytest
from support.builtin_runs import Blocks, Payloads, empty_registers
from support.builtins_reference import Surface
from support.emission import blocks, payload_prefetches

from xetile.errors import XetileError
from xetile.runtime.open_device import Device

NARROW = "^the matrix has rows of 60 bytes; 2D block access needs at least 64"
PREFETCHES = [block for block in blocks() if block.action == "prefetch"]


def surface(width: int = 128, height: int = 16, pitch: int = 128) -> Surface:
    return Surface(numpy.full(4096, 7, numpy.uint8), width, height, pitch)


@pytest.mark.opencl
@pytest.mark.parametrize("cached", [False, True], ids=["", "cached"])
def test_prefetches(opencl_cpu: Device, cached: bool) -> None:
    program = Blocks(opencl_cpu, PREFETCHES, cached=cached)
    table = [(n, x, y) for n in range(len(PREFETCHES)) for x, y in ((0, 0), (-8, 1 << 20))]
    registers, memory = program.run(surface(), table, empty_registers(len(table)))
    assert (registers == 0xCD).all()
    assert (memory == 7).all()
    # each looks at its surface
    for n in range(len(PREFETCHES)):
        with pytest.raises(XetileError, match=NARROW):
            program.run(surface(60), [(n, 0, 0)], empty_registers(1))


@pytest.fixture(scope="module")
def payloads(opencl_cpu: Device) -> Payloads:
    return Payloads(opencl_cpu, payload_prefetches())


@pytest.mark.opencl
def test_payloads(payloads: Payloads) -> None:
    for which in range(len(payload_prefetches())):
        payloads.run(which, surface())
        with pytest.raises(XetileError, match=NARROW):
            payloads.run(which, surface(60))


@pytest.mark.opencl
@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            surface(60),
            "rows of 60 bytes; 2D block access needs at least 64 and a multiple of 4",
        ),
        (surface(height=0), "a height of 0; 2D block access needs at least one row"),
        (surface(pitch=112), "a pitch of 112 bytes under rows of 128; expected at least that"),
        (
            surface(1 << 24, pitch=128),
            "a pitch of 128 bytes under rows of 16777216; expected at least that",
        ),
        (
            surface(-64),
            "rows of -64 bytes; 2D block access needs at least 64 and a multiple of 4",
        ),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_payloads_of_what_is_no_surface(payloads: Payloads, given: Surface, text: str) -> None:
    """Reported where the payload is used; one that is only made is no fault."""
    payloads.run(-1, given)
    with pytest.raises(XetileError, match=f"^the matrix has {re.escape(text)}$"):
        payloads.run(5, given)
    payloads.run(5, surface())

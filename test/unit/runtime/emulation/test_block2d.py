"""2D block messages on the device and at level V, held against the extensions' text as the tests read it."""

from itertools import product
from typing import Any

import numpy
import pytest
from numpy.typing import NDArray
from support.builtin_runs import Blocks, empty_registers
from support.builtins_reference import Surface, read, written
from support.emission import Block, blocks

from xetile.runtime.device import Device

Array = NDArray[Any]

WIDTH, HEIGHT, PITCH = 272, 37, 320
"""No power of two, and whole elements of all sizes; what lies between width and pitch is no part of the surface."""

FAR = 1 << 31


def surface() -> Surface:
    random = numpy.random.default_rng(3)
    memory = random.integers(1, 256, HEIGHT * PITCH).astype(numpy.uint8)
    return Surface(memory, WIDTH, HEIGHT, PITCH)


def places(block: Block) -> list[tuple[int, int]]:
    """Inside, across every edge and corner, beyond every edge, and as far as coordinates go."""
    bits, rows, columns, count = block.shape
    step = max(1, 32 // bits)
    whole = WIDTH * 8 // bits
    across = columns * count
    xs = {0, step, -step, -across, whole, whole - step, (whole - across) // step * step}
    ys = {0, 3, -1, -rows, 1 - rows, HEIGHT, HEIGHT - 1, HEIGHT - rows}
    edges = {(x, 3) for x in xs} | {(step, y) for y in ys}
    corners = set(product((-step, whole - step), (-1, HEIGHT - 1)))
    far = {(-FAR, 0), (FAR - 4, 0), (0, -FAR), (0, FAR - 1), (FAR - 4, FAR - 1)}
    return sorted(edges | corners | far)


def some(found: list[tuple[int, int]], *, few: bool) -> list[tuple[int, int]]:
    """All places, or a few of them: functions with a cache option are the others with a parameter more."""
    return found[:: max(1, len(found) // 3)] if few else found


def defined(*actions: str) -> list[Block]:
    """All messages but those that IGC has otherwise than the extension."""
    return [
        block
        for block in blocks()
        if block.action in actions
        and not (
            block.action == "read_transpose"
            and block.shape.bits == 64
            and block.shape.rows < 16
            and block.shape.columns > 2
        )
    ]


READS = ("read", "read_transform", "read_transpose")


@pytest.mark.opencl
@pytest.mark.parametrize("cached", [False, True], ids=["", "cached"])
def test_reads(opencl_cpu: Device, cached: bool) -> None:
    """Every one that a device compiles or xevm's verifier takes, at all edges; nothing behind the registers changes."""
    messages = defined(*READS)
    program = Blocks(opencl_cpu, messages, cached=cached)
    given = surface()
    table = [
        (n, x, y)
        for n, block in enumerate(messages)
        for x, y in some(places(block), few=cached)
    ]
    found, memory = program.run(given, table, empty_registers(len(table)))
    for (n, x, y), registers in zip(table, found, strict=True):
        expected = read(messages[n], given, x, y)
        bytes = expected.shape[1]
        assert (registers[:, :bytes] == expected).all(), (messages[n], x, y)
        assert (registers[:, bytes:] == 0xCD).all(), messages[n]
    assert (memory[0] == given.memory).all()


@pytest.mark.opencl
@pytest.mark.parametrize("cached", [False, True], ids=["", "cached"])
def test_writes(opencl_cpu: Device, cached: bool) -> None:
    """The same for writes: what is outside is dropped, and no byte beside the block changes."""
    messages = defined("write")
    program = Blocks(opencl_cpu, messages, cached=cached)
    given = surface()
    random = numpy.random.default_rng(5)
    for n, block in enumerate(messages):
        table = [(n, x, y) for x, y in some(places(block), few=cached)]
        registers = random.integers(1, 256, empty_registers(len(table)).shape)
        registers = registers.astype(numpy.uint8)
        found, memory = program.run(given, table, registers, own_surfaces=True)
        assert (found == registers).all()
        for (_, x, y), held, left in zip(table, registers, memory, strict=True):
            assert (left == written(block, given, x, y, held)).all(), (block, x, y)

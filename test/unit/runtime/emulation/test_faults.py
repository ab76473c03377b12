"""What the documents leave undefined is reported, in words, with the value found."""

import re
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from numpy.typing import NDArray
from support.builtin_runs import Blocks, empty_registers
from support.builtins_reference import Surface, read, written
from support.emission import Block

from xetile.errors import XetileError
from xetile.passes.xe.convert_xevm_to_llvm.builtins import BlockShape
from xetile.runtime.emulation import fault_text
from xetile.runtime.emulation.faults import RESTRICTIONS, Fault
from xetile.runtime.open_device import Device
from xetile.targets.xe.device import LANES
from xetile.targets.xe.surface import SURFACE

Array = NDArray[Any]

MESSAGES = [
    Block("read", BlockShape(16, 8, 16, 1)),
    Block("read", BlockShape(8, 8, 32, 1)),
    Block("read", BlockShape(64, 8, 4, 1)),
    Block("write", BlockShape(16, 8, 16, 1)),
    Block("prefetch", BlockShape(16, 8, 16, 1)),
]
READ, READ_8, READ_64, WRITE, PREFETCH = range(5)


@pytest.fixture(scope="module")
def program(opencl_cpu: Device) -> Blocks:
    return Blocks(opencl_cpu, MESSAGES)


def surface(width: int = 128, height: int = 16, pitch: int = 128) -> Surface:
    return Surface(numpy.full(8192, 7, numpy.uint8), width, height, pitch)


FAULTS: list[tuple[Surface, int, dict[str, int], str]] = [
    (
        surface(),
        READ,
        {"misplaced": 4},
        "the matrix has a base 4 bytes above a multiple of 64; 2D block access needs a multiple of 64",
    ),
    (
        surface(60),
        READ,
        {},
        "the matrix has rows of 60 bytes; 2D block access needs at least 64 and a multiple of 4",
    ),
    (
        surface(66),
        READ,
        {},
        "the matrix has rows of 66 bytes; 2D block access needs at least 64 and a multiple of 4",
    ),
    (
        surface(-128),
        READ,
        {},
        "the matrix has rows of -128 bytes; 2D block access needs at least 64 and a multiple of 4",
    ),
    (
        surface(68),
        READ_64,
        {},
        "the matrix has rows of 68 bytes; 2D block access needs whole elements, of 8 bytes",
    ),
    (
        surface((1 << 24) + 4),
        READ,
        {},
        "the matrix has rows of 16777220; 2D block access reaches at most 16777216",
    ),
    (
        surface(height=0),
        READ,
        {},
        "the matrix has a height of 0; 2D block access needs at least one row",
    ),
    (
        surface(height=-1),
        READ,
        {},
        "the matrix has a height of -1; 2D block access needs at least one row",
    ),
    (
        surface(height=(1 << 24) + 1),
        READ,
        {},
        "the matrix has a height of 16777217; 2D block access reaches at most 16777216",
    ),
    (
        surface(pitch=136),
        READ,
        {},
        "the matrix has a pitch of 136 bytes; 2D block access needs at least 64 and a multiple of 16",
    ),
    (
        surface(pitch=112),
        READ,
        {},
        "the matrix has a pitch of 112 bytes under rows of 128; expected at least that",
    ),
    (
        surface(pitch=-128),
        READ,
        {},
        "the matrix has a pitch of -128 bytes under rows of 128; expected at least that",
    ),
    (
        surface(),
        READ,
        {"x": 3},
        "the matrix has a column offset of 6 bytes; 2D block access needs a multiple of 4",
    ),
    (
        surface(),
        READ,
        {"x": -1},
        "the matrix has a column offset of -2 bytes; 2D block access needs a multiple of 4",
    ),
    (
        surface(),
        READ_8,
        {"x": 2},
        "the matrix has a column offset of 2 bytes; 2D block access needs a multiple of 4",
    ),
    (
        surface(),
        READ,
        {"slope": 2},
        "lanes of one subgroup give different operands for the same 2D block access; it needs one value of each",
    ),
    (
        surface(60),
        WRITE,
        {},
        "the matrix has rows of 60 bytes; 2D block access needs at least 64 and a multiple of 4",
    ),
    (
        surface(60),
        PREFETCH,
        {},
        "the matrix has rows of 60 bytes; 2D block access needs at least 64 and a multiple of 4",
    ),
]


@pytest.mark.opencl
@pytest.mark.parametrize(
    ("given", "which", "more", "text"), FAULTS, ids=[f[3][11:60] for f in FAULTS]
)
def test_faults(
    program: Blocks, given: Surface, which: int, more: dict[str, int], text: str
) -> None:
    """One line, and the next launch is none the worse."""
    place = which, more.get("x", 0), 0
    with pytest.raises(XetileError, match=f"^{re.escape(text)}$"):
        program.run(
            given,
            [place],
            empty_registers(1),
            misplaced=more.get("misplaced", 0),
            slope=more.get("slope", 0),
        )
    program.run(surface(), [(which, 0, 0)], empty_registers(1))


@pytest.mark.opencl
def test_what_is_legal_at_its_limits(program: Blocks) -> None:
    limits = [
        surface(64, 1, 64),
        surface(1 << 24, 1, 1 << 24),
        surface(128, 1 << 24, 128),
        surface(68, 2, 80),
    ]
    for given in limits:
        program.run(given, [(READ, 0, 0), (READ, -2, 0)], empty_registers(2))


@pytest.mark.opencl
def test_a_subgroup_that_is_not_whole_is_a_fault(opencl_cpu: Device) -> None:
    program = Blocks(opencl_cpu, MESSAGES[:1], lanes=8)
    # refused by the launch, or else by what is launched
    words = r"some of fewer than 16 work-items|^a block or matrix instruction runs in a subgroup of 8; it needs 16$"
    with pytest.raises(XetileError, match=words):
        program.run(surface(), [(0, 0, 0)], empty_registers(1))


UNCHECKED = [
    (surface(60, 5, 68), 2, 3),
    (surface(66, 16, 70), 0, 0),
    (surface(130, 9, 130), 1, -3),
    (surface(128, 16, 112), 2, 6),
]


@pytest.mark.opencl
def test_without_checks_surfaces_are_taken_as_they_stand(trusting_cpu: Device) -> None:
    unchecked = Blocks(trusting_cpu, MESSAGES)
    random = numpy.random.default_rng(1)
    block = MESSAGES[READ]
    for given, misplaced, x in UNCHECKED:
        filled = given._replace(memory=random.integers(1, 255, 8192).astype(numpy.uint8))
        found, _ = unchecked.run(
            filled, [(READ, x, 1)], empty_registers(1), misplaced=misplaced
        )
        expected = read(block, filled, x, 1)
        assert (found[0, :, : expected.shape[1]] == expected).all()
        registers = random.integers(1, 255, empty_registers(1).shape).astype(numpy.uint8)
        _, left = unchecked.run(filled, [(WRITE, x, 1)], registers, misplaced=misplaced)
        if filled.pitch >= filled.width:
            assert (left[0] == written(MESSAGES[WRITE], filled, x, 1, registers[0])).all()


def test_the_numbers_are_those_that_the_compiler_plans_with() -> None:
    """Read from the documents twice; what the documents leave open, the compiler may take narrower."""
    assert RESTRICTIONS.base_alignment == SURFACE.base_alignment
    assert RESTRICTIONS.least_width == SURFACE.least_width == SURFACE.least_pitch
    assert SURFACE.least_height == 1
    assert RESTRICTIONS.width_multiple == SURFACE.width_multiple
    assert RESTRICTIONS.pitch_multiple == SURFACE.pitch_multiple
    assert RESTRICTIONS.column_multiple == SURFACE.column_multiple
    assert RESTRICTIONS.most == SURFACE.most
    assert RESTRICTIONS.lanes == LANES


@pytest.mark.parametrize(
    ("fault", "value", "problem"),
    [
        (Fault.WIDTH, 60, lambda: SURFACE.problem(width=60)),
        (Fault.PITCH, 136, lambda: SURFACE.problem(pitch=136)),
        (Fault.NARROW_PITCH, 112 | 128 << 32, lambda: SURFACE.problem(width=128, pitch=112)),
        (Fault.WIDE, 1 << 25, lambda: SURFACE.problem(width=1 << 25)),
        (Fault.HIGH, 1 << 25, lambda: SURFACE.problem(height=1 << 25)),
        (Fault.HEIGHT, 0, lambda: SURFACE.problem(height=0)),
        (Fault.COLUMN, 6, lambda: SURFACE.problem(column=6)),
    ],
    ids=["width", "pitch", "narrow pitch", "wide", "high", "height", "column"],
)
def test_words_are_those_of_the_compiler(
    fault: Fault, value: int, problem: Callable[[], str | None]
) -> None:
    assert fault_text(fault, value) == problem()


def test_what_payloads_report_in_words() -> None:
    """Extents of another message, as columns, rows and blocks of ten bits each; and too many matrices."""
    assert fault_text(Fault.BLOCK, 32 << 20 | 8 << 10 | 1) == (
        "a message goes through an address payload of blocks of 8x32, 1 of them; it needs its own extents"
    )
    assert fault_text(Fault.PAYLOADS, 4095) == (
        "the kernel makes address payloads for more than 4095 surfaces; the emulation keeps no more"
    )

"""Ops of index, and affine's that compute a number, on edge values: numpy's execution is the device's."""

import re
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from support.on_device import ON_NUMPY, Place

from xetile import api
from xetile.runtime.open_device import Device

LANES = 16
FAR = (0, 1, -1, 7, -8, 2**31 - 1, -(2**31), 2**31, 2**32 - 1, 2**40 + 3, 2**63 - 1, -(2**63))
DIVISORS = (1, 2, 7, -3, 2**31, 2**63 - 1, -(2**63))
SHIFTS = (0, 1, 31, 32, 40, 63)

PLAIN = ("add", "sub", "mul", "and", "or", "xor", "maxs", "maxu", "mins", "minu")
DIVIDING = ("divs", "divu", "ceildivs", "ceildivu", "floordivs", "rems", "remu")
SHIFTING = ("shl", "shrs", "shru")
ORDERS = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
WIDTHS = (8, 16, 32, 64)
MAPS = (
    "(d0, d1) -> (d0 + d1 * 3 - 5)",
    "(d0, d1) -> (d0 mod 7)",
    "(d0, d1) -> (d0 floordiv 8 + d1 ceildiv 4)",
    "(d0, d1) -> ((d0 mod 16) * -2 + 1)",
)
LEAST = "(d0, d1) -> (d0, d1 + 3, 100)"


def ops() -> Iterator[tuple[str, str]]:
    """What stands before the result's name, of %x and %y, and which operands it takes."""
    for names, operands in ((PLAIN, "far"), (DIVIDING, "divisors"), (SHIFTING, "shifts")):
        for name in names:
            yield f"%r = index.{name} %x, %y", operands
    for order in ORDERS:
        yield f"%b = index.cmp {order}(%x, %y)\n%r = index.castu %b : i1 to index", "far"
    for bits in WIDTHS:
        for there, back in product("su", repeat=2):
            lines = f"%n = index.cast{there} %x : index to i{bits}\n%r = index.cast{back} %n : i{bits} to index"
            yield lines, "far"
    for map in MAPS:
        yield f"%r = affine.apply affine_map<{map}>(%x, %y)", "near"
    for name in ("min", "max"):
        yield f"%r = affine.{name} affine_map<{LEAST}>(%x, %y)", "far"
    yield "%s = index.sizeof\n%r = index.add %x, %s", "far"
    yield (
        "%c = index.constant -5\n%t = index.bool.constant true\n%r = arith.select %t, %c, %x : index",
        "far",
    )


SECOND = {"far": FAR, "divisors": DIVISORS, "shifts": SHIFTS, "near": (-100, -1, 0, 3, 50)}


def pairs(kind: str) -> list[tuple[int, int]]:
    """Operands in memory, whole rounds of them."""
    if kind == "ids":
        return [(0, 0)] * LANES
    first = (-1000, -17, -1, 0, 1, 8, 999) if kind == "near" else FAR
    found = list(product(first, SECOND[kind]))
    return found + [(0, 1)] * (-len(found) % LANES)


def numbered(body: str, number: int) -> str:
    """A body whose values have names of their own, but %x and %y."""
    return re.sub(r"%(?![xy]\b)(\w+)", rf"%\g<1>_{number}", body)


def kernel(kind: str) -> str:
    """Each lane computes a row of results; operands are from memory, or from ids, of few bits."""
    bodies = [body for body, operands in ALL if kind in (operands, "ids")]
    operands = """
        %x64 = memref.load %A[%at] : memref<?xi64>
        %y64 = memref.load %B[%at] : memref<?xi64>
        %x = arith.index_cast %x64 : i64 to index
        %y = arith.index_cast %y64 : i64 to index"""
    if kind == "ids":
        operands = """
        %c5 = arith.constant 5 : index
        %x = arith.subi %lane, %c5 : index
        %y = arith.addi %lane, %c1 : index"""
    lines = [
        f"""
        {numbered(body, n)}
        %r64_{n} = arith.index_cast %r_{n} : index to i64
        %place{n} = arith.constant {n} : index
        memref.store %r64_{n}, %R[%at, %place{n}] : memref<?x{len(bodies)}xi64>"""
        for n, body in enumerate(bodies)
    ]
    return f"""
  gpu.func @{kind}(%A: memref<?xi64>, %B: memref<?xi64>, %R: memref<?x{len(bodies)}xi64>) kernel attributes {{
      known_block_size = array<i32: {LANES}, 1, 1>, known_grid_size = array<i32: 1, 1, 1>, xetile.level = "lane"}} {{
    %lane = gpu.lane_id
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant {LANES} : index
    %rounds = arith.constant {len(pairs(kind)) // LANES} : index
    scf.for %i = %c0 to %rounds step %c1 {{
        %first = arith.muli %i, %c16 : index
        %at = arith.addi %first, %lane : index{operands}{"".join(lines)}
    }}
    gpu.return
  }}"""


ALL = list(ops())
KINDS = ("far", "divisors", "shifts", "near", "ids")
MODULE = f"gpu.module @m {{{''.join(map(kernel, KINDS))}\n}}"


def run(place: Place, kind: str) -> dict[str, list[int]]:
    """The results of each op."""
    bodies = [body for body, operands in ALL if kind in (operands, "ids")]
    a, b = (np.array(column, np.int64) for column in zip(*pairs(kind), strict=True))
    r = np.zeros((len(a), len(bodies)), np.int64)
    place.execute(api.parse(MODULE), kind, [a, b, r])
    return {body: r[:, n].tolist() for n, body in enumerate(bodies)}


@pytest.mark.opencl
@pytest.mark.parametrize("kind", KINDS)
def test_every_op(kind: str, opencl_cpu: Device) -> None:
    expected, found = run(ON_NUMPY, kind), run(Place(opencl_cpu), kind)
    assert expected == found


def test_numpy_is_right_at_the_edges() -> None:
    """A few that are written down."""
    found = {kind: run(ON_NUMPY, kind) for kind in KINDS}
    for kind, body, pair, expected in (
        ("divisors", "%r = index.floordivs %x, %y", (-8, 7), -2),
        ("divisors", "%r = index.ceildivs %x, %y", (-8, 7), -1),
        ("divisors", "%r = index.ceildivu %x, %y", (-1, 2), -(2**63)),
        ("divisors", "%r = index.divu %x, %y", (-(2**31), -(2**63)), 1),
        ("divisors", "%r = index.remu %x, %y", (-1, 7), (2**64 - 1) % 7),
        ("shifts", "%r = index.shrs %x, %y", (-8, 63), -1),
        ("near", f"%r = affine.apply affine_map<{MAPS[1]}>(%x, %y)", (-17, 0), 4),
        ("near", f"%r = affine.apply affine_map<{MAPS[2]}>(%x, %y)", (-17, 3), -2),
    ):
        assert found[kind][body][pairs(kind).index(pair)] == expected, body


@pytest.mark.ocloc
@pytest.mark.parametrize("device", ["bmg", "pvc"])
def test_the_devices_compile_them(device: str, ocloc: object) -> None:
    assert api.emit(api.parse(MODULE), "asm", device)

"""Kernels of several blocks: a device goes the ways that numpy's execution goes."""

from collections.abc import Callable

import numpy as np
import pytest
from support.on_device import Place

from xetile import api

HEAD = """
  gpu.func @NAME(%A: memref<16xi32>, %B: memref<16xi32>) kernel attributes {
      known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>, xetile.level = "lane"} {
    %i = gpu.lane_id
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0 : i32
    %x = memref.load %A[%i] : memref<16xi32>
    %p = arith.cmpi ult, %i, %c4 : index"""

BODIES = {
    "joined": """
    cf.cond_br %p, ^then(%x : i32), ^else
  ^else:
    %n = arith.subi %zero, %x : i32
    cf.br ^join(%n : i32)
  ^join(%w: i32):
    memref.store %w, %B[%i] : memref<16xi32>
    gpu.return
  ^then(%y: i32):
    %z = arith.addi %y, %y : i32
    cf.br ^join(%z : i32)""",
    "loop": """
    cf.br ^head(%c0, %zero : index, i32)
  ^head(%n: index, %s: i32):
    %more = arith.cmpi ult, %n, %i : index
    cf.cond_br %more, ^body, ^done
  ^body:
    %t = arith.addi %s, %x : i32
    %m = arith.addi %n, %c1 : index
    cf.br ^head(%m, %t : index, i32)
  ^done:
    memref.store %s, %B[%i] : memref<16xi32>
    gpu.return""",
    "one_block_by_two_ways": """
    cf.cond_br %p, ^next(%x : i32), ^next(%zero : i32)
  ^next(%w: i32):
    memref.store %w, %B[%i] : memref<16xi32>
    gpu.return""",
    "vectors": """
    %v = vector.broadcast %x : i32 to vector<12xi32>
    cf.cond_br %p, ^next(%v : vector<12xi32>), ^other
  ^other:
    %w = arith.addi %v, %v : vector<12xi32>
    cf.br ^next(%w : vector<12xi32>)
  ^next(%u: vector<12xi32>):
    %e = vector.extract %u[9] : i32 from vector<12xi32>
    memref.store %e, %B[%i] : memref<16xi32>
    gpu.return""",
    "two_ends": """
    cf.cond_br %p, ^first, ^second
  ^first:
    memref.store %x, %B[%i] : memref<16xi32>
    gpu.return
  ^second:
    scf.if %p {
      memref.store %zero, %B[%i] : memref<16xi32>
    }
    gpu.return""",
}

EXPECTED: dict[str, Callable[[int, int], int]] = {
    "joined": lambda i, x: 2 * x if i < 4 else -x,
    "loop": lambda i, x: i * x,
    "one_block_by_two_ways": lambda i, x: x if i < 4 else 0,
    "vectors": lambda i, x: x if i < 4 else 2 * x,
    "two_ends": lambda i, x: x if i < 4 else 9,
}

KERNELS = "".join(f"{HEAD.replace('NAME', name)}{body}\n  }}" for name, body in BODIES.items())
MODULE = f"gpu.module @m {{{KERNELS}\n}}"


@pytest.mark.parametrize("name", BODIES)
def test_ways(name: str, place: Place) -> None:
    x = np.arange(16, dtype=np.int32) * 3 - 20
    found = np.full(16, 9, np.int32)
    place.execute(api.parse(MODULE), name, [x, found])
    assert found.tolist() == [EXPECTED[name](i, int(n)) for i, n in enumerate(x)]


@pytest.mark.ocloc
@pytest.mark.parametrize("device", ["bmg", "pvc"])
def test_the_devices_compile_them(device: str, ocloc: object) -> None:
    assert api.emit(api.parse(MODULE), "asm", device)

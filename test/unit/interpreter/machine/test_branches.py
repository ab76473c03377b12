"""Branches between blocks: each thread goes its own way."""

from collections.abc import Callable

import numpy as np
import pytest
from support.numbered import STORE, kernel

from xetile.errors import XetileError

Run = Callable[..., None]


COLLATZ = """
func.func @steps(%start: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  cf.br ^head(%start, %c0 : index, index)
^head(%x: index, %steps: index):
  %done = arith.cmpi eq, %x, %c1 : index
  cf.cond_br %done, ^exit(%steps : index), ^body
^body:
  %more = arith.addi %steps, %c1 : index
  %odd = arith.remui %x, %c2 : index
  %is_odd = arith.cmpi eq, %odd, %c1 : index
  cf.cond_br %is_odd, ^up, ^down
^up:
  %triple = arith.muli %x, %c3 : index
  %next = arith.addi %triple, %c1 : index
  cf.br ^head(%next, %more : index, index)
^down:
  %half = arith.divui %x, %c2 : index
  cf.br ^head(%half, %more : index, index)
^exit(%count: index):
  func.return %count : index
}
"""


def collatz(number: int) -> int:
    steps = 0
    while number != 1:
        number, steps = (3 * number + 1 if number % 2 else number // 2), steps + 1
    return steps


def test_branches_between_blocks(run: Run):
    out = np.zeros(8, np.int64)
    body = f"%m = arith.addi %n, %c1 : index\n%r = func.call @steps(%m) : (index) -> index\n{STORE}"
    run(kernel(body, COLLATZ), out)
    assert out.tolist() == [collatz(n + 1) for n in range(8)]


def test_a_kernel_of_blocks(run: Run):
    """A switch; what was computed before it is used after; all meet at the barrier."""
    out = np.zeros(8, np.int64)
    run(
        kernel(
            f"""
            %s = memref.alloc() : memref<4xindex, 3>
            %square = arith.muli %n, %n : index
            %i = arith.index_cast %n : index to i32
            cf.switch %i : i32, [default: ^other(%c0 : index), 1: ^one, 6: ^other(%c4 : index)]
          ^one:
            %five = arith.addi %c4, %c1 : index
            cf.br ^join(%five : index)
          ^other(%x: index):
            %y = arith.addi %x, %square : index
            cf.br ^join(%y : index)
          ^join(%z: index):
            memref.store %z, %s[%sg] : memref<4xindex, 3>
            gpu.barrier
            %up = arith.addi %sg, %c1 : index
            %next = arith.remui %up, %c4 : index
            %r = memref.load %s[%next] : memref<4xindex, 3>
            {STORE}
            """
        ),
        out,
    )
    values = [5 if n == 1 else n * n + (4 if n == 6 else 0) for n in range(8)]
    assert out.tolist() == [*values[1:4], values[0], *values[5:8], values[4]]


def test_a_barrier_in_one_of_two_ways(run: Run):
    text = kernel(
        """
        %is = arith.cmpi eq, %sg, %c2 : index
        cf.cond_br %is, ^join, ^wait
      ^wait:
        gpu.barrier
        cf.br ^join
      ^join:
        """
    )
    with pytest.raises(
        XetileError, match=r"reached by 3 of the 4 subgroups .* subgroup 2 is missing"
    ):
        run(text, np.zeros(8, np.int64))

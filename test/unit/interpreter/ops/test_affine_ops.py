"""Loops, conditions and bounds of the affine dialect."""

from collections.abc import Callable

import numpy as np
from support.numbered import STORE, kernel

Run = Callable[..., None]


def test_nests_of_loops(run: Run):
    out = np.zeros(8, np.int64)
    run(
        kernel(
            f"""
            %r = "scf.parallel"(%c0, %c1, %n, %c4, %c1, %c2, %c1) ({{
            ^bb0(%i: index, %j: index):
              %t = arith.muli %i, %j : index
              scf.reduce(%t : index) {{
              ^bb0(%x: index, %y: index):
                %s = arith.addi %x, %y : index
                scf.reduce.return %s : index
              }}
            }}) {{operandSegmentSizes = array<i32: 2, 2, 2, 1>}} : (index, index, index, index, index, index, index) -> index
            {STORE}
            """
        ),
        out,
    )
    assert out.tolist() == [1 + sum(i * j for i in range(n) for j in (1, 3)) for n in range(8)]


def test_affine_loops_and_conditions(run: Run):
    out = np.zeros(8, np.int64)
    run(
        kernel(
            """
            %r = affine.for %i = max affine_map<(d0) -> (0, d0 - 3)>(%n) to min affine_map<(d0)[s0] -> (d0 * 2, s0)>(%n)[%c4]
                step 2 iter_args(%t = %c0) -> (index) {
              %x = "affine.if"(%i, %n) ({
                %y = affine.apply affine_map<(d0)[s0] -> (d0 * 10 + s0 mod 3)> (%i)[%n]
                affine.yield %y : index
              }, {
                %y = affine.apply affine_map<(d0) -> (-d0)> (%i)
                affine.yield %y : index
              }) {condition = affine_set<(d0, d1) : (d0 >= 1, d1 - d0 >= 0)>} : (index, index) -> index
              %s = arith.addi %t, %x : index
              affine.yield %s : index
            }
            affine.store %r, %out[%n] : memref<8xindex>
            """
        ),
        out,
    )
    expected: list[int] = []
    for n in range(8):
        steps = range(max(0, n - 3), min(2 * n, 4), 2)
        expected.append(sum(i * 10 + n % 3 if i >= 1 and n - i >= 0 else -i for i in steps))
    assert out.tolist() == expected


def test_affine_parallel_and_minimum(run: Run):
    out = np.zeros(8, np.int64)
    run(
        kernel(
            f"""
            %most = affine.min affine_map<(d0) -> (d0, 5)> (%n)
            %r = "affine.parallel"(%most, %c2) ({{
            ^bb0(%i: index, %j: index):
              %t = affine.apply affine_map<(d0, d1) -> (d0 floordiv 2 + d1 ceildiv 2)> (%i, %j)
              affine.yield %t : index
            }}) {{reductions = ["addi"],
                 lowerBoundsMap = affine_map<() -> (0, 1)>, lowerBoundsGroups = dense<1> : vector<2xi32>,
                 upperBoundsMap = affine_map<(d0) -> (d0, 4)>, upperBoundsGroups = dense<1> : vector<2xi32>,
                 steps = [1 : i64, 2 : i64]}} : (index, index) -> index
            {STORE}
            """
        ),
        out,
    )
    expected = [
        2 + sum(i // 2 + -(-j // 2) for i in range(min(n, 5)) for j in (1, 3))
        for n in range(8)
    ]
    assert out.tolist() == expected

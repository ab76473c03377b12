from collections.abc import Callable
from itertools import product

import pytest

from xetile.analysis.ranges import OPERATIONS, Interval, infer_ranges
from xetile.dialects.modules import parse

TOP = Interval(-(2**63), 2**63 - 1)


def ranges_of(body: str, attributes: str = "") -> dict[str, Interval]:
    """The interval of every named value of a kernel with this body."""
    text = f"""gpu.module @m {{
      gpu.func @k(%x: index, %i: i32, %m: memref<64x?xf32>) kernel attributes {{{attributes}}} {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %c32 = arith.constant 32 : index
        %c100 = arith.constant 100 : index
        %c256 = arith.constant 256 : index
        {body}
        gpu.return
      }}
    }}"""
    module = parse(text, "kernel.mlir")
    function = next(op for op in module.walk() if op.name == "gpu.func")
    return {value.name_hint or "": found for value, found in infer_ranges(function).items()}


LAUNCH = "known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 16, 8, 1>"


def test_constants_arguments_and_types():
    found = ranges_of("%t = arith.constant true")
    assert found["c32"] == (32, 32)
    assert found["x"] == TOP
    assert found["i"] == (-(2**31), 2**31 - 1)
    assert found["t"].low in (0, -1)


def test_ids_are_bounded_by_the_launch():
    found = ranges_of(
        """%bx = gpu.block_id x
        %by = gpu.block_id y
        %tx = gpu.thread_id x
        %sg = gpu.subgroup_id : index
        %lane = gpu.lane_id
        %dim = gpu.block_dim x
        %m0 = arith.muli %bx, %c256 : index
        %row = arith.divui %sg, %c4 : index
        %column = arith.remui %sg, %c4 : index""",
        LAUNCH,
    )
    assert found["bx"] == (0, 15)
    assert found["by"] == (0, 7)
    assert found["tx"] == (0, 511)
    assert found["sg"] == (0, 31)
    assert found["lane"] == (0, 15)
    assert found["dim"] == (512, 512)
    assert found["m0"] == (0, 15 * 256)
    assert found["row"] == (0, 7)
    assert found["column"] == (0, 3)


def test_ids_without_launch_sizes_are_natural():
    found = ranges_of(
        "%bx = gpu.block_id x upper_bound 5\n%by = gpu.block_id y\n%sg = gpu.subgroup_id : index"
    )
    assert found["bx"] == (0, 4)
    assert found["by"].low == 0
    assert found["by"].high == 2**32 - 2
    assert found["sg"].high < 2**31


def test_loops_bound_what_they_carry():
    found = ranges_of(
        """%r:4 = scf.for %k = %c4 to %c100 step %c32
            iter_args(%same = %c0, %up = %c1, %down = %c100, %two = %c0)
            -> (index, index, index, index) {
          %same1 = arith.addi %same, %c0 : index
          %up1 = arith.addi %c32, %up : index
          %down1 = arith.subi %down, %c4 : index
          %two0 = arith.addi %two, %c32 : index
          %two1 = arith.addi %two0, %c1 : index
          scf.yield %same1, %up1, %down1, %two1 : index, index, index, index
        }
        %same_after = arith.addi %r#0, %c0 : index
        %up_after = arith.addi %r#1, %c0 : index
        %down_after = arith.addi %r#2, %c0 : index
        %two_after = arith.addi %r#3, %c0 : index"""
    )
    assert found["k"] == (4, 68)  # rounds at 4, 36, 68
    assert found["same"] == (0, 0)
    assert found["up"] == (1, 65)
    assert found["up1"] == (33, 97)
    assert found["down"] == (92, 100)
    assert found["two"] == (0, 66)
    assert found["same_after"] == (0, 0)
    assert found["up_after"] == (1, 97)
    assert found["down_after"] == (88, 100)
    assert found["two_after"] == (0, 99)


def test_loops_with_unknown_bounds():
    found = ranges_of(
        """%r = scf.for %k = %c0 to %x step %c32 iter_args(%a = %c0) -> (index) {
          %a1 = arith.addi %a, %c32 : index
          scf.yield %a1 : index
        }
        %s = scf.for %j = %c0 to %c100 step %x iter_args(%b = %c0) -> (index) {
          %b1 = arith.addi %b, %c32 : index
          scf.yield %b1 : index
        }"""
    )
    assert found["k"] == (0, 2**63 - 32)
    assert found["a"] == (0, 2**63 - 32)
    assert found["j"] == (0, 99)
    assert found["b"] == TOP


def test_a_loop_that_does_not_run():
    found = ranges_of(
        """%r = scf.for %k = %c100 to %c4 step %c1 iter_args(%a = %c32) -> (index) {
          %a1 = arith.addi %a, %c1 : index
          scf.yield %a1 : index
        }
        %after = arith.addi %r, %c0 : index"""
    )
    assert found["after"] == (32, 32)


def test_what_moves_otherwise_is_widened_until_it_holds():
    found = ranges_of(
        """%r:2 = scf.for %k = %c0 to %c100 step %c1 iter_args(%a = %c0, %b = %c4) -> (index, index) {
          %a1 = arith.remui %k, %c32 : index
          %b1 = arith.muli %b, %c4 : index
          scf.yield %a1, %b1 : index, index
        }
        %after = arith.addi %r#0, %c0 : index"""
    )
    assert found["a"] == (0, 31)
    assert found["after"] == (0, 31)
    assert found["b"] == TOP


def test_values_swapped_by_a_loop():
    found = ranges_of(
        """%r:2 = scf.for %k = %c0 to %c100 step %c1 iter_args(%a = %c1, %b = %c4) -> (index, index) {
          scf.yield %b, %a : index, index
        }"""
    )
    assert found["a"] == found["b"] == (1, 4)


def test_nested_loops():
    found = ranges_of(
        """%r = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %c0) -> (index) {
          %s = scf.for %j = %k to %c100 step %c32 iter_args(%b = %k) -> (index) {
            %b1 = arith.addi %b, %c1 : index
            scf.yield %b1 : index
          }
          scf.yield %s : index
        }"""
    )
    assert found["j"] == (0, 99)
    assert found["b"] == (0, 3 + 3)
    assert found["s"] == (0, 3 + 4)
    assert found["a"] == (0, 7)


def test_branches_join():
    found = ranges_of(
        """%p = arith.cmpi slt, %x, %c4 : index
        %r = scf.if %p -> (index) {
          scf.yield %c4 : index
        } else {
          scf.yield %c100 : index
        }
        %s = arith.select %p, %c1, %c32 : index
        %after = arith.addi %r, %c0 : index"""
    )
    assert found["p"] == (0, 1)
    assert found["after"] == (4, 100)
    assert found["s"] == (1, 32)


def test_what_leaves_its_type_wraps_around():
    found = ranges_of(
        """%c = arith.constant 2147483647 : i32
        %one = arith.constant 1 : i32
        %s = arith.addi %c, %one : i32
        %wide = arith.extsi %c : i32 to i64
        %narrow = arith.index_cast %x : index to i32"""
    )
    assert found["s"] == (-(2**31), 2**31 - 1)
    assert found["wide"] == (2**31 - 1, 2**31 - 1)
    assert found["narrow"] == (-(2**31), 2**31 - 1)


def test_extents_of_memrefs():
    found = ranges_of(
        """%d0 = memref.dim %m, %c0 : memref<64x?xf32>
        %d1 = memref.dim %m, %c1 : memref<64x?xf32>"""
    )
    assert found["d0"] == (64, 64)
    assert found["d1"] == (0, 2**63 - 1)


EXACT: dict[str, Callable[[int, int], int | None]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "divui": lambda a, b: a // b if a >= 0 and b > 0 else None,
    "remui": lambda a, b: a % b if a >= 0 and b > 0 else None,
    "ceildivui": lambda a, b: -(-a // b) if a >= 0 and b > 0 else None,
    "floordivsi": lambda a, b: a // b if b else None,
    "ceildivsi": lambda a, b: -(-a // b) if b else None,
    "minsi": min,
    "maxsi": max,
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
    "shli": lambda a, b: a << b if b >= 0 else None,
    "shrsi": lambda a, b: a >> b if b >= 0 else None,
    "shrui": lambda a, b: a >> b if a >= 0 and b >= 0 else None,
}


@pytest.mark.parametrize("name", EXACT)
def test_interval_arithmetic_holds_every_result(name: str):
    ends = (-3, -1, 0, 1, 2, 5)
    intervals = [(low, high) for low, high in product(ends, ends) if low <= high]
    for a, b in product(intervals, intervals):
        bounds = OPERATIONS[f"arith.{name}"](a, b)
        if bounds is None:
            continue
        pairs = product(range(a[0], a[1] + 1), range(b[0], b[1] + 1))
        results = [EXACT[name](x, y) for x, y in pairs]
        assert all(bounds[0] <= r <= bounds[1] for r in results if r is not None), (
            a,
            b,
            bounds,
        )


def test_interval_arithmetic_is_exact_where_it_matters():
    assert OPERATIONS["arith.divui"]((0, 31), (4, 4)) == (0, 7)
    assert OPERATIONS["arith.remui"]((0, 31), (4, 4)) == (0, 3)
    assert OPERATIONS["arith.remui"]((1, 2), (4, 4)) == (1, 2)
    assert OPERATIONS["arith.muli"]((-2, 3), (4, 4)) == (-8, 12)
    assert OPERATIONS["arith.divui"]((-1, 31), (4, 4)) is None


def test_intervals():
    assert Interval(0, 2**31 - 1).fits(32)
    assert not Interval(0, 2**31).fits(32)
    assert Interval(-1, 4).holds(Interval(0, 4))
    assert not Interval(0, 3).holds(Interval(0, 4))
    assert Interval(0, 3).join(Interval(-2, 1)) == Interval(-2, 3)

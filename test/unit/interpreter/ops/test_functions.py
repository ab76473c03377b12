"""Calls of device functions, what threads print, assertions, loop nests."""

from collections.abc import Callable

import numpy as np
import pytest

from xetile.errors import XetileError

Run = Callable[..., None]

HEADER = """
  gpu.func @k(%out: memref<8xindex>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %sg = gpu.subgroup_id : index
    %b = gpu.block_id x
    %b4 = arith.muli %b, %c4 : index
    %n = arith.addi %b4, %sg : index
"""


def kernel(body: str, functions: str = "") -> str:
    return f"gpu.module @m {{{functions}{HEADER}{body}\n gpu.return\n }}\n }}"


STORE = "memref.store %r, %out[%n] : memref<8xindex>"


def test_calls_see_their_own_arguments(run: Run):
    out = np.zeros(8, np.int64)
    run(
        kernel(
            f"""
            %low = arith.cmpi slt, %n, %c4 : index
            %r = scf.if %low -> (index) {{
              %x, %y = func.call @both(%n, %c2) : (index, index) -> (index, index)
              %z, %w = func.call @both(%y, %x) : (index, index) -> (index, index)
              scf.yield %z : index
            }} else {{
              scf.yield %c0 : index
            }}
            {STORE}
            """,
            """
            func.func @both(%x: index, %y: index) -> (index, index) {
              %s = func.call @sum(%x, %y) : (index, index) -> index
              %p = arith.muli %x, %y : index
              func.return %s, %p : index, index
            }
            func.func @sum(%x: index, %y: index) -> index {
              %s = arith.addi %x, %y : index
              func.return %s : index
            }
            """,
        ),
        out,
    )
    assert out.tolist() == [2 * n + n + 2 if n < 4 else 0 for n in range(8)]


def test_functions_on_tiles_and_memory(run: Run):
    source, out = np.arange(64, dtype=np.float32).reshape(8, 8), np.zeros((8, 8), np.float32)
    run(
        """
        gpu.module @m {
          func.func @doubled(%t: !xetile.tile<8x8xf32>) -> vector<8x8xf32> {
            %v = xetile.load_tile %t : !xetile.tile<8x8xf32> -> vector<8x8xf32>
            %w = arith.addf %v, %v : vector<8x8xf32>
            func.return %w : vector<8x8xf32>
          }
          gpu.func @k(%in: memref<8x8xf32>, %out: memref<8x8xf32>) kernel
              attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
            %t = xetile.init_tile %in[0, 0] : memref<8x8xf32> -> !xetile.tile<8x8xf32>
            %u = xetile.init_tile %out[0, 0] : memref<8x8xf32> -> !xetile.tile<8x8xf32>
            %v = func.call @doubled(%t) : (!xetile.tile<8x8xf32>) -> vector<8x8xf32>
            xetile.store_tile %v, %u : vector<8x8xf32>, !xetile.tile<8x8xf32>
            gpu.return
          }
        }
        """,
        source,
        out,
    )
    np.testing.assert_array_equal(out, source * 2)


@pytest.mark.parametrize(
    "function, message",
    [
        ("func.func @f(%x: index) -> index {\n%r = func.call @f(%x) : (index) -> index\nfunc.return %r : index\n}",
         "'f' calls itself, which no device does"),
        ("func.func private @f(index) -> index\n", "'f' is declared only"),
    ],
)  # fmt: skip
def test_calls_that_are_refused(run: Run, function: str, message: str):
    text = kernel(f"%r = func.call @f(%n) : (index) -> index\n{STORE}", function)
    with pytest.raises(XetileError, match=message):
        run(text, np.zeros(8, np.int64))


def test_assertions(run: Run):
    text = kernel('%ok = arith.cmpi ne, %n, %c4 : index\ncf.assert %ok, "not four"')
    with pytest.raises(XetileError) as caught:
        run(text, np.zeros(8, np.int64))
    assert caught.value.message == (
        "assertion failed for workgroup [1, 0, 0], subgroup 0: not four"
    )
    run(kernel('%ok = arith.cmpi sge, %n, %c0 : index\ncf.assert %ok, "no"'), np.zeros(8, np.int64))


def test_printf(run: Run, capsys: pytest.CaptureFixture[str]):
    run(
        kernel(
            """
            %x = arith.constant 2.5 : f16
            %m = arith.constant -3 : i32
            %some = arith.cmpi sge, %n, %c4 : index
            scf.if %some {
              gpu.printf "%lld: %5.2f %u%% %d\\0A", %n, %x, %sg, %m : index, f16, index, i32
            }
            """
        ),
        np.zeros(8, np.int64),
    )
    assert capsys.readouterr().out == "".join(f"{n}:  2.50 {n - 4}% -3\n" for n in range(4, 8))


@pytest.mark.parametrize(
    "op, message",
    [
        ('gpu.printf "%d %d", %n : index', "2 conversions for 1 values"),
        ('gpu.printf "%f", %n : index', "'%f' for a value of type index"),
        ('gpu.printf "%s", %n : index', "'%s' for a value of type index"),
        ('gpu.printf "100 %"', "a % that begins no conversion"),
    ],
)
def test_formats_that_are_refused(run: Run, op: str, message: str):
    with pytest.raises(XetileError, match=message):
        run(kernel(op), np.zeros(8, np.int64))


def test_vectors_are_printed(run: Run, capsys: pytest.CaptureFixture[str]):
    run(
        kernel(
            """
            %v = arith.constant dense<[[1.5, 2.0], [-3.0, 4.0]]> : vector<2x2xf32>
            %w = arith.constant dense<[true, false]> : vector<2xi1>
            %last = arith.constant 7 : index
            %is = arith.cmpi eq, %n, %last : index
            scf.if %is {
              "vector.print"(%v) : (vector<2x2xf32>) -> ()
              "vector.print"(%w) : (vector<2xi1>) -> ()
              "vector.print"(%n) : (index) -> ()
            }
            """
        ),
        np.zeros(8, np.int64),
    )
    assert capsys.readouterr().out == "( ( 1.5, 2 ), ( -3, 4 ) )\n( 1, 0 )\n7\n"


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
        2 + sum(i // 2 + -(-j // 2) for i in range(min(n, 5)) for j in (1, 3)) for n in range(8)
    ]
    assert out.tolist() == expected


def test_what_must_not_be_reached(run: Run):
    text = kernel("scf.execute_region {\n ub.unreachable\n}")
    with pytest.raises(XetileError, match=r"'ub.unreachable' is reached"):
        run(text, np.zeros(8, np.int64))


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

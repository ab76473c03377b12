"""Calls of device functions, what threads print, assertions, loop nests."""

from collections.abc import Callable

import numpy as np
import pytest
from support.numbered import STORE, kernel

from xetile.errors import XetileError

Run = Callable[..., None]


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
    run(
        kernel('%ok = arith.cmpi sge, %n, %c0 : index\ncf.assert %ok, "no"'),
        np.zeros(8, np.int64),
    )


def test_what_must_not_be_reached(run: Run):
    text = kernel("scf.execute_region {\n ub.unreachable\n}")
    with pytest.raises(XetileError, match=r"'ub.unreachable' is reached"):
        run(text, np.zeros(8, np.int64))


def test_functions_of_other_pipelines(run: Run):
    target = np.zeros((16, 16), np.float32)
    run(
        """
        func.func @k(%0: memref<16x16xf32>) attributes {known_block_size = array<i32: 32, 1, 1>} {
          %c8 = arith.constant 8 : index
          %sg = gpu.subgroup_id : index
          %x = arith.muli %sg, %c8 : index
          %v = arith.constant dense<2.0> : vector<8x16xf32>
          %t = xetile.init_tile %0[%x, 0] : memref<16x16xf32> -> !xetile.tile<8x16xf32>
          xetile.store_tile %v, %t : vector<8x16xf32>, !xetile.tile<8x16xf32>
          func.return
        }
        """,
        target,
        grid=(1, 1, 1),
    )
    assert (target == 2).all()

"""Vector ops against numpy."""

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from xetile.errors import XetileError
from xetile.interpreter.machine.runtime_values import Array

Run = Callable[..., None]


def apply(
    compute: Run,
    op: str,
    source: Array,
    shape: tuple[int, ...],
    kind: str = "f32",
    to: str = "",
) -> Array:
    """The result of ops on %v, loaded from `source`; they define %r of `shape`."""
    to = to or kind
    dtypes = {
        "f32": np.float32,
        "i8": np.int8,
        "i16": np.int16,
        "i32": np.int32,
        "f16": np.float16,
    }
    result = np.zeros(shape, dtypes[to])

    def vector(extents: tuple[int, ...], element: str) -> str:
        return f"{'x'.join(map(str, extents))}x{element}"

    given, made = vector(source.shape, kind), vector(shape, to)
    zeros, results = ", ".join(["%c0"] * source.ndim), ", ".join(["%c0"] * len(shape))
    compute(
        f"""
        %v = vector.load %0[{zeros}] : memref<{given}>, vector<{given}>
        {op.replace("GIVEN", f"vector<{given}>").replace("MADE", f"vector<{made}>")}
        vector.store %r, %1[{results}] : memref<{made}>, vector<{made}>
        """,
        f"memref<{given}>; memref<{made}>",
        source,
        result,
    )
    return result


def numbers(*shape: int) -> Array:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def test_slices(compute: Run):
    x = numbers(3, 4, 5)
    op = "%r = vector.extract_strided_slice %v {offsets = [1, 2], sizes = [2, 1], strides = [1, 1]} : GIVEN to MADE"
    np.testing.assert_array_equal(apply(compute, op, x, (2, 1, 5)), x[1:3, 2:3])
    op = "%r = vector.extract %v[1, 2] : vector<5xf32> from GIVEN"
    np.testing.assert_array_equal(apply(compute, op, x, (5,)), x[1, 2])
    op = """
    %w = vector.extract_strided_slice %v {offsets = [0, 1], sizes = [1, 2], strides = [1, 1]} : GIVEN to vector<1x2x5xf32>
    %r = vector.insert_strided_slice %w, %v {offsets = [2, 0, 0], strides = [1, 1, 1]} : vector<1x2x5xf32> into GIVEN
    """
    expected = x.copy()
    expected[2:3, 0:2] = x[0:1, 1:3]
    np.testing.assert_array_equal(apply(compute, op, x, (3, 4, 5)), expected)


def test_insert(compute: Run):
    x = numbers(3, 4)
    op = """
    %f = arith.constant 9.0 : f32
    %w = vector.insert %f, %v[1, 2] : f32 into GIVEN
    %row = vector.extract %v[0] : vector<4xf32> from GIVEN
    %r = vector.insert %row, %w[2] : vector<4xf32> into GIVEN
    """
    expected = x.copy()
    expected[1, 2] = 9
    expected[2] = x[0]
    np.testing.assert_array_equal(apply(compute, op, x, (3, 4)), expected)


def test_positions_that_differ_between_threads(run: Run):
    target = np.zeros((4, 4), np.float32)
    run(
        """
        gpu.module @m {
          gpu.func @k(%0: memref<4x4xf32>) kernel
              attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
            %c0 = arith.constant 0 : index
            %sg = gpu.subgroup_id : index
            %table = arith.constant dense<[5.0, 6.0, 7.0, 8.0]> : vector<4xf32>
            %zero = arith.constant dense<0.0> : vector<4xf32>
            %x = vector.extract %table[%sg] : f32 from vector<4xf32>
            %v = vector.insert %x, %zero[%sg] : f32 into vector<4xf32>
            vector.store %v, %0[%sg, %c0] : memref<4x4xf32>, vector<4xf32>
            gpu.return
          }
        }
        """,
        target,
    )
    np.testing.assert_array_equal(target, np.diag([5, 6, 7, 8]))


def test_a_position_outside_is_an_error(compute: Run):
    with pytest.raises(XetileError, match="position 4 of a dimension of extent 4"):
        compute("%v = arith.constant dense<0.0> : vector<4xf32>\n%x = vector.extract %v[%0] : f32 from vector<4xf32>",
                "index", 4)  # fmt: skip


def test_the_position_that_is_outside_is_told(run: Run) -> None:
    """One of four subgroups is outside, below all others."""
    with pytest.raises(XetileError, match="position -1 of a dimension of extent 4"):
        run(
            """
            gpu.module @m {
              gpu.func @k(%0: memref<4xf32>) kernel
                  attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
                %one = arith.constant 1 : index
                %sg = gpu.subgroup_id : index
                %at = arith.subi %sg, %one : index
                %table = arith.constant dense<[5.0, 6.0, 7.0, 8.0]> : vector<4xf32>
                %x = vector.extract %table[%at] : f32 from vector<4xf32>
                memref.store %x, %0[%sg] : memref<4xf32>
                gpu.return
              }
            }
            """,
            np.zeros(4, np.float32),
        )


def test_shapes(compute: Run):
    x = numbers(2, 6)
    np.testing.assert_array_equal(
        apply(compute, "%r = vector.shape_cast %v : GIVEN to MADE", x, (3, 4)), x.reshape(3, 4)
    )
    np.testing.assert_array_equal(
        apply(compute, "%r = vector.transpose %v, [1, 0] : GIVEN to MADE", x, (6, 2)), x.T
    )
    np.testing.assert_array_equal(
        apply(compute, "%r = vector.broadcast %v : GIVEN to MADE", numbers(3, 1), (2, 3, 4)),
        np.broadcast_to(numbers(3, 1), (2, 3, 4)),
    )


@pytest.mark.parametrize("mask", [[1, 2], [3, 0, 5, 4], [7, 6], [2]])
def test_shuffle(compute: Run, mask: list[int]):
    op = f"""
    %w = arith.addf %v, %v : GIVEN
    %r = vector.shuffle %v, %w {mask} : GIVEN, GIVEN
    """
    both = np.concatenate([numbers(4), 2 * numbers(4)])
    np.testing.assert_array_equal(apply(compute, op, numbers(4), (len(mask),)), both[mask])


def test_bitcast_puts_the_low_bits_first(compute: Run):
    x = np.array([1, 2, 3, 4], np.int8)
    op = "%r = vector.bitcast %v : GIVEN to MADE"
    np.testing.assert_array_equal(apply(compute, op, x, (2,), "i8", "i16"), [0x0201, 0x0403])
    back = apply(compute, op, np.array([[0x0201], [0x0403]], np.int16), (2, 2), "i16", "i8")
    np.testing.assert_array_equal(back, [[1, 2], [3, 4]])


def test_elements(compute: Run):
    op = """
    %a:4 = vector.to_elements %v : GIVEN
    %r = vector.from_elements %a#3, %a#2, %a#1, %a#0 : MADE
    """
    np.testing.assert_array_equal(apply(compute, op, numbers(4), (2, 2)), [[3, 2], [1, 0]])


def test_reductions_halve_the_index(compute: Run):
    x = np.array([[1, 2048, 1, 1], [2048, 1, 1, -2048]], np.float16)
    op = """
    %start = arith.constant dense<0.0> : vector<2xf16>
    %r = vector.multi_reduction <add>, %v, %start [1] : GIVEN to MADE
    """
    # (1 + 1) + (2048 + 1) and (2048 + 1) + (1 - 2048); 2048 + 1 is a tie, which goes to 2048
    np.testing.assert_array_equal(apply(compute, op, x, (2,), "f16"), [2050, 1])
    op = """
    %s = vector.reduction <maximumf>, %v : GIVEN into f32
    %r = vector.broadcast %s : f32 to MADE
    """
    np.testing.assert_array_equal(apply(compute, op, -numbers(4) - 1, (1,)), [-1])


@pytest.mark.parametrize(
    "kind, expected",
    [("minui", 1), ("maxui", -1), ("minsi", -128), ("maxsi", 5), ("xor", 123)],
)
def test_integer_reductions(compute: Run, kind: str, expected: int):
    x = np.array([5, -1, 1, -128], np.int8)
    op = f"%s = vector.reduction <{kind}>, %v : GIVEN into i8\n%r = vector.broadcast %s : i8 to MADE"
    if kind == "xor":
        expected = 5 ^ -1 ^ 1 ^ -128
    np.testing.assert_array_equal(apply(compute, op, x, (1,), "i8"), [expected])


def test_masked_memory(compute: Run):
    source, target = numbers(8), np.full(8, -1, np.float32)
    compute(
        """
        %c3 = arith.constant 3 : index
        %m = vector.create_mask %c3 : vector<4xi1>
        %z = arith.constant dense<7.0> : vector<4xf32>
        %c6 = arith.constant 6 : index
        %c2 = arith.constant 2 : index
        %two = vector.create_mask %c2 : vector<4xi1>
        %a = vector.maskedload %0[%c6], %two, %z : memref<8xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
        vector.maskedstore %1[%c0], %m, %a : memref<8xf32>, vector<4xi1>, vector<4xf32>
        %i = arith.constant dense<[0, 2, 1, 9]> : vector<4xi32>
        %g = vector.gather %0[%c3] [%i], %m, %z : memref<8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
        vector.scatter %1[%c3] [%i], %m, %g : memref<8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
        """,
        "memref<8xf32>; memref<8xf32>",
        source,
        target,
    )
    np.testing.assert_array_equal(target, [6, 7, 7, 3, 4, 5, -1, -1])


def test_bf16_in_memory(compute: Run):
    source = np.array([1.5, -2.0], ml_dtypes.bfloat16)
    target = np.zeros(2, ml_dtypes.bfloat16)
    compute(
        "%v = vector.load %0[%c0] : memref<2xbf16>, vector<2xbf16>\n"
        "%w = arith.mulf %v, %v : vector<2xbf16>\n"
        "vector.store %w, %1[%c0] : memref<2xbf16>, vector<2xbf16>",
        "memref<2xbf16>; memref<2xbf16>",
        source,
        target,
    )
    np.testing.assert_array_equal(target.astype(np.float32), [2.25, 4])

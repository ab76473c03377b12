"""arith and math on vectors, against numpy and Python."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from support.elementwise import DTYPES, binary, unary

from xetile.errors import XetileError
from xetile.interpreter.machine.runtime_values import Array

Run = Callable[..., None]

BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}


def pairs(kind: str) -> tuple[Array, Array]:
    bits = BITS[kind]
    edges = [0, 1, -1, 2, -2, 7, -7, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), 100, -100, 3]
    x, y = np.meshgrid(edges, edges)
    return x.reshape(-1).astype(DTYPES[kind]), y.reshape(-1).astype(DTYPES[kind])


def wrap(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def truncated(x: int, y: int) -> int:
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


Integers = Callable[[int, int], int]

SIGNED: dict[str, Integers] = {
    "addi": lambda x, y: x + y,
    "subi": lambda x, y: x - y,
    "muli": lambda x, y: x * y,
    "andi": lambda x, y: x & y,
    "ori": lambda x, y: x | y,
    "xori": lambda x, y: x ^ y,
    "minsi": min,
    "maxsi": max,
    "divsi": truncated,
    "floordivsi": lambda x, y: x // y,
    "ceildivsi": lambda x, y: -(-x // y),
    "remsi": lambda x, y: x - truncated(x, y) * y,
}
UNSIGNED: dict[str, Integers] = {
    "divui": lambda x, y: x // y,
    "ceildivui": lambda x, y: -(-x // y),
    "remui": lambda x, y: x % y,
    "minui": min,
    "maxui": max,
}


@pytest.mark.parametrize("kind", BITS)
@pytest.mark.parametrize("name", [*SIGNED, *UNSIGNED])
def test_integer_ops(compute: Run, name: str, kind: str):
    x, y = pairs(kind)
    bits = BITS[kind]
    if "div" in name or "rem" in name:
        # the only quotient that does not fit is left out: it has no value
        legal = (y != 0) & ~((y == -1) & (x == -(2 ** (bits - 1))))
        x, y = x[legal], y[legal]
    found = binary(compute, f"arith.{name}", kind, x, y)
    within = (1 << bits) - 1
    if name in SIGNED:
        expected = [
            wrap(SIGNED[name](int(a), int(b)), bits) for a, b in zip(x, y, strict=True)
        ]
    else:
        model = UNSIGNED[name]
        expected = [
            wrap(model(int(a) & within, int(b) & within), bits)
            for a, b in zip(x, y, strict=True)
        ]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", ["i8", "i32", "i64"])
def test_shifts(compute: Run, kind: str):
    bits = BITS[kind]
    values = [0, 1, -1, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), 0x5A, -0x5A]
    amounts = [0, 1, 3, bits - 1]
    x, y = (part.reshape(-1).astype(DTYPES[kind]) for part in np.meshgrid(values, amounts))
    within = (1 << bits) - 1
    models: dict[str, Integers] = {
        "shli": lambda a, b: a << b,
        "shrsi": lambda a, b: a >> b,
        "shrui": lambda a, b: (a & within) >> b,
    }
    for name, model in models.items():
        found = binary(compute, f"arith.{name}", kind, x, y)
        expected = [wrap(model(int(a), int(b)), bits) for a, b in zip(x, y, strict=True)]
        np.testing.assert_array_equal(found, expected)


def test_division_by_zero_is_an_error(compute: Run):
    with pytest.raises(XetileError, match=r"kernel\.mlir:.*'arith\.remui' divides by zero"):
        binary(
            compute,
            "arith.remui",
            "i32",
            np.array([1, 2], np.int32),
            np.array([1, 0], np.int32),
        )


COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "slt": lambda x, y: x < y,
    "sle": lambda x, y: x <= y,
    "sgt": lambda x, y: x > y,
    "sge": lambda x, y: x >= y,
    "ult": lambda x, y: x & 255 < y & 255,
    "ule": lambda x, y: x & 255 <= y & 255,
    "ugt": lambda x, y: x & 255 > y & 255,
    "uge": lambda x, y: x & 255 >= y & 255,
}


@pytest.mark.parametrize("predicate", COMPARISONS)
def test_integer_comparisons(compute: Run, predicate: str):
    x, y = pairs("i8")
    found = binary(compute, f"arith.cmpi {predicate},", "i8", x, y)
    model = COMPARISONS[predicate]
    expected = [model(int(a), int(b)) for a, b in zip(x, y, strict=True)]
    np.testing.assert_array_equal(found, expected)


FLOAT_COMPARISONS = {
    "oeq": "=", "ogt": ">", "oge": ">=", "olt": "<", "ole": "<=", "one": "<>", "ord": "<=>",
    "ueq": "u=", "ugt": "u>", "uge": "u>=", "ult": "u<", "ule": "u<=", "une": "u<>", "uno": "u",
}  # fmt: skip


@pytest.mark.parametrize("predicate", FLOAT_COMPARISONS)
def test_float_comparisons(compute: Run, predicate: str):
    values = [0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan]
    x, y = (part.reshape(-1).astype(np.float16) for part in np.meshgrid(values, values))
    found = binary(compute, f"arith.cmpf {predicate},", "f16", x, y)
    accepted = FLOAT_COMPARISONS[predicate]

    def relation(a: float, b: float) -> str:
        if math.isnan(a) or math.isnan(b):
            return "u"
        return "<" if a < b else ">" if a > b else "="

    expected = [relation(float(a), float(b)) in accepted for a, b in zip(x, y, strict=True)]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64", "tf32", "f8E4M3FN"])
@pytest.mark.parametrize("name", ["addf", "subf", "mulf", "divf"])
def test_float_ops_round_once(compute: Run, name: str, kind: str):
    rng = np.random.default_rng(11)
    x, y = (rng.standard_normal(64).astype(DTYPES[kind]) for _ in range(2))
    functions = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide}
    if kind == "tf32":
        x, y = (round_tf32_slowly(part) for part in (x, y))
    wide = np.float64 if kind != "f64" else np.longdouble
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = functions[name](x.astype(wide), y.astype(wide))
        found = binary(compute, f"arith.{name}", kind, x, y)
        expected = round_tf32_slowly(exact) if kind == "tf32" else exact.astype(DTYPES[kind])
    np.testing.assert_array_equal(found.astype(np.float64), expected.astype(np.float64))


def round_tf32_slowly(values: Array) -> Array:
    wide = values.astype(np.float64)
    unit = np.exp2(np.floor(np.log2(np.abs(np.where(wide == 0, 1, wide)))) - 10)
    return (np.rint(wide / unit) * unit).astype(np.float32)


def test_minimum_and_maximum(compute: Run):
    x = np.array([1.0, -0.0, 0.0, math.nan, 2.0], np.float32)
    y = np.array([2.0, 0.0, -0.0, 1.0, math.nan], np.float32)
    smaller = binary(compute, "arith.minimumf", "f32", x, y)
    larger = binary(compute, "arith.maximumf", "f32", x, y)
    np.testing.assert_array_equal(smaller, [1, 0, 0, math.nan, math.nan])
    np.testing.assert_array_equal(np.signbit(smaller[:3]), [False, True, True])
    np.testing.assert_array_equal(np.signbit(larger[:3]), [False, False, False])
    np.testing.assert_array_equal(binary(compute, "arith.minnumf", "f32", x, y)[3:], [1, 2])
    np.testing.assert_array_equal(binary(compute, "arith.maxnumf", "f32", x, y)[3:], [1, 2])


@pytest.mark.parametrize(
    "op, source, target, values, expected",
    [
        ("arith.extsi", "i8", "i32", [-1, 127, -128], [-1, 127, -128]),
        ("arith.extui", "i8", "i32", [-1, 127, -128], [255, 127, 128]),
        ("arith.extui", "i1", "i8", [True, False], [1, 0]),
        ("arith.extsi", "i1", "i8", [True, False], [-1, 0]),
        ("arith.trunci", "i32", "i8", [300, -129, 128], [44, 127, -128]),
        ("arith.trunci", "i32", "i1", [2, 3], [False, True]),
        ("arith.index_cast", "index", "i32", [-5, 2**33 + 1], [-5, 1]),
        ("arith.index_castui", "i8", "index", [-1], [255]),
        ("arith.sitofp", "i8", "f16", [-1, 100], [-1.0, 100.0]),
        ("arith.uitofp", "i8", "f32", [-1], [255.0]),
        ("arith.sitofp", "i32", "f32", [2**24 + 1, 2**25 + 3], [2**24, 2**25 + 4]),
        ("arith.fptosi", "f32", "i8", [-1.9, 1.9, 100.0], [-1, 1, 100]),
        ("arith.fptoui", "f32", "i8", [255.5], [-1]),
        ("arith.extf", "bf16", "f32", [1.5], [1.5]),
        ("arith.truncf", "f32", "f16", [1 + 2**-11, 1 + 3 * 2**-11, 1e6], [1.0, 1 + 2**-9, math.inf]),
        ("arith.truncf", "f32", "bf16", [1 + 2**-8, 1 + 3 * 2**-8], [1.0, 1 + 2**-6]),
        ("arith.truncf", "f64", "bf16", [1 + 2**-8 + 2**-40], [1 + 2**-7]),
        ("arith.truncf", "f32", "tf32", [1 + 2**-11, 1 + 3 * 2**-11], [1.0, 1 + 2**-9]),
        ("arith.bitcast", "i16", "bf16", [0x3F80], [1.0]),
        ("arith.bitcast", "f32", "i32", [1.0], [0x3F800000]),
    ],
)  # fmt: skip
def test_casts(
    compute: Run, op: str, source: str, target: str, values: list[float], expected: list[float]
):
    found = unary(compute, op, source, target, np.array(values).astype(DTYPES[source]))
    np.testing.assert_array_equal(found, np.array(expected).astype(DTYPES[target]))


def test_constants(compute: Run):
    target = np.zeros((4, 2, 3), np.float32)
    compute(
        """
        %a = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : vector<2x3xbf16>
        %b = arith.extf %a : vector<2x3xbf16> to vector<2x3xf32>
        %c = arith.constant dense<-2> : vector<2x3xi8>
        %d = arith.sitofp %c : vector<2x3xi8> to vector<2x3xf32>
        %e = arith.constant dense<0x7F800000> : vector<2x3xf32>
        %f = arith.constant dense<1.00048828125> : vector<2x3xtf32>
        %g = arith.extf %f : vector<2x3xtf32> to vector<2x3xf32>
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c3 = arith.constant 3 : index
        vector.store %b, %0[%c0, %c0, %c0] : memref<4x2x3xf32>, vector<2x3xf32>
        vector.store %d, %0[%c1, %c0, %c0] : memref<4x2x3xf32>, vector<2x3xf32>
        vector.store %e, %0[%c2, %c0, %c0] : memref<4x2x3xf32>, vector<2x3xf32>
        vector.store %g, %0[%c3, %c0, %c0] : memref<4x2x3xf32>, vector<2x3xf32>
        """,
        "memref<4x2x3xf32>",
        target,
    )
    np.testing.assert_array_equal(target[0], [[1, 2, 3], [4, 5, 6]])
    assert (target[1] == -2).all()
    assert (target[2] == math.inf).all()
    assert (target[3] == 1).all()


def test_select(compute: Run):
    condition = np.array([True, False, True])
    target = np.zeros((2, 3), np.int32)
    compute(
        """
        %m = vector.load %0[%c0] : memref<3xi1>, vector<3xi1>
        %a = arith.constant dense<[1, 2, 3]> : vector<3xi32>
        %b = arith.constant dense<[4, 5, 6]> : vector<3xi32>
        %c1 = arith.constant 1 : index
        %s = memref.load %0[%c1] : memref<3xi1>
        %r = arith.select %m, %a, %b : vector<3xi1>, vector<3xi32>
        %q = arith.select %s, %a, %b : vector<3xi32>
        vector.store %r, %1[%c0, %c0] : memref<2x3xi32>, vector<3xi32>
        vector.store %q, %1[%c1, %c0] : memref<2x3xi32>, vector<3xi32>
        """,
        "memref<3xi1>; memref<2x3xi32>",
        condition,
        target,
    )
    np.testing.assert_array_equal(target, [[1, 5, 3], [4, 5, 6]])


@pytest.mark.parametrize("op", ["divsi", "floordivsi", "ceildivsi", "remsi"])
@pytest.mark.parametrize("kind", ["i8", "i16", "i32", "i64", "index"])
def test_a_quotient_that_the_type_does_not_hold(compute: Run, op: str, kind: str):
    smallest = -(1 << (BITS[kind] - 1))
    x, y = (np.array(v, DTYPES[kind]) for v in ([7, smallest], [1, -1]))
    with pytest.raises(XetileError, match=rf"'arith.{op}' divides {smallest} by -1"):
        binary(compute, f"arith.{op}", kind, x, y)
    binary(compute, f"arith.{op}", kind, np.array([7, smallest + 1], DTYPES[kind]), y)


def test_unsigned_division_of_the_same_bits(compute: Run):
    x, y = (np.array(v, np.int8) for v in ([-128, -128], [-1, 1]))
    assert binary(compute, "arith.divui", "i8", x, y).tolist() == [0, -128]
    assert binary(compute, "arith.ceildivui", "i8", x, y).tolist() == [1, -128]


@pytest.mark.parametrize("kind", ["i8", "i32", "i64"])
def test_shifts_past_the_width_leave_nothing(compute: Run, kind: str):
    bits = BITS[kind]
    x = np.array([-5, 5, -1, 1], DTYPES[kind])
    y = np.array([bits, bits, bits + 1, 127], DTYPES[kind])
    assert binary(compute, "arith.shli", kind, x, y).tolist() == [0] * 4
    assert binary(compute, "arith.shrui", kind, x, y).tolist() == [0] * 4
    assert binary(compute, "arith.shrsi", kind, x, y).tolist() == [-1, 0, -1, 0]


@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("target", ["i8", "i16", "i32", "i64"])
def test_floats_out_of_range_give_the_nearest_integer(compute: Run, kind: str, target: str):
    low, high = -(1 << (BITS[target] - 1)), (1 << (BITS[target] - 1)) - 1
    numbers = [np.nan, np.inf, -np.inf, -0.0, -0.9, 1.9, 250.0, 3e4, -3e4]
    numbers += [float(high), float(low), -float(low)]
    with np.errstate(over="ignore"):
        values = np.array(numbers, np.float64).astype(DTYPES[kind])

    def model(value: float, low: int, high: int) -> int:
        if np.isnan(value):
            return 0
        return max(
            low, min(high, int(value) if np.isfinite(value) else (high if value > 0 else low))
        )

    found = unary(compute, "arith.fptosi", kind, target, values)
    assert found.tolist() == [model(float(v), low, high) for v in values]
    found = unary(compute, "arith.fptoui", kind, target, values)
    most = high - low
    assert [int(n) & most for n in found] == [model(float(v), 0, most) for v in values]


def test_large_integers_round_once(compute: Run):
    """2^60 + 2^52 + 1 is just above the middle of two bf16 numbers: f64 would drop the 1, and round to even."""
    values = np.array(
        [(1 << 60) + (1 << 52) + 1, (1 << 60) + (1 << 52), -(1 << 60) - (1 << 52) - 1]
    )
    found = unary(compute, "arith.sitofp", "i64", "bf16", values).astype(np.float64)
    assert found.tolist() == [2.0**60 + 2**53, 2.0**60, -(2.0**60) - 2**53]


def test_an_op_without_meaning_here_is_named(compute: Run):
    with pytest.raises(
        XetileError, match=r"kernel\.mlir:5:\d+: error: cannot execute 'gpu\.wait'"
    ):
        compute("gpu.wait", "i1", 1)

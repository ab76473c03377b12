"""Every kind of reduction and of atomic update, against Python's numbers that are rounded at each step."""

import math
from collections.abc import Callable, Mapping
from typing import SupportsFloat

import ml_dtypes
import numpy as np
import pytest
from support.reductions import halved, reduced, telling

from xetile.interpreter.machine.runtime_values import Array

Run = Callable[..., None]
Scalar = Callable[[float, float], float]

FLOATS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32}
INTEGERS = {"i8": 8, "i16": 16, "i32": 32}


def signed(value: float) -> tuple[float, float]:
    """A number, and its sign for zeros."""
    return value, math.copysign(1, value)


def extreme(*, largest: bool, number: bool) -> Scalar:
    def combined(x: float, y: float) -> float:
        if math.isnan(x) or math.isnan(y):
            return (y if math.isnan(x) else x) if number else math.nan
        return max(x, y, key=signed) if largest else min(x, y, key=signed)

    return combined


FLOAT_KINDS: Mapping[str, Scalar] = {
    "add": lambda x, y: x + y,
    "mul": lambda x, y: x * y,
    "minnumf": extreme(largest=False, number=True),
    "maxnumf": extreme(largest=True, number=True),
    "minimumf": extreme(largest=False, number=False),
    "maximumf": extreme(largest=True, number=False),
}


def integer_kinds(bits: int) -> Mapping[str, Callable[[int, int], int]]:
    within = (1 << bits) - 1
    return {
        "add": lambda x, y: x + y,
        "mul": lambda x, y: x * y,
        "minsi": min,
        "maxsi": max,
        "minui": lambda x, y: min(x, y, key=lambda v: v & within),
        "maxui": lambda x, y: max(x, y, key=lambda v: v & within),
        "and": lambda x, y: x & y,
        "or": lambda x, y: x | y,
        "xor": lambda x, y: x ^ y,
    }


def wrapped(value: int, bits: int) -> int:
    return ((value + (1 << bits - 1)) & ((1 << bits) - 1)) - (1 << bits - 1)


def float_data(kind: str) -> list[Array]:
    """All negative, all positive, zeros of both signs, and with NaN: what a wrong identity changes."""
    random = np.random.default_rng(5)
    negative = -np.abs(random.standard_normal(16)) - 0.5
    mixed = random.standard_normal(16)
    mixed[5] = np.nan
    zeros = np.where(np.arange(16) % 3 == 0, -0.0, 0.0)
    return [v.astype(FLOATS[kind]) for v in (negative, -negative, zeros, mixed)]


def one_by_one(model: Scalar, values: Array, start: float) -> Array:
    """The values combined as atomic updates are, each step rounded to their type."""
    total = values.dtype.type(start)
    for element in values:
        total = values.dtype.type(model(float(total), float(element)))
    return np.array([total])


def folded(model: Scalar, values: Array, start: float | None) -> Array:
    """The values combined in the order of reductions, the start last."""

    def combined(x: SupportsFloat, y: SupportsFloat) -> SupportsFloat:
        return values.dtype.type(model(float(x), float(y)))

    elements: list[SupportsFloat] = list(values)
    total = halved(elements, combined)
    return np.array([total if start is None else combined(total, values.dtype.type(start))])


def same(found: Array, expected: Array) -> None:
    wide = [v.astype(np.float64) for v in (found, expected)]
    np.testing.assert_array_equal(wide[0], wide[1])
    numbers = ~np.isnan(wide[0])
    np.testing.assert_array_equal(np.signbit(wide[0][numbers]), np.signbit(wide[1][numbers]))


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("name", FLOAT_KINDS)
def test_floats(compute: Run, kind: str, name: str):
    for values in float_data(kind):
        alone, with_start = np.zeros(1, FLOATS[kind]), np.zeros(1, FLOATS[kind])
        start = FLOATS[kind](-0.75)
        compute(
            f"""
            %v = vector.load %0[%c0] : memref<16x{kind}>, vector<16x{kind}>
            %a = vector.reduction <{name}>, %v : vector<16x{kind}> into {kind}
            memref.store %a, %1[%c0] : memref<1x{kind}>
            %b = vector.reduction <{name}>, %v, %3 : vector<16x{kind}> into {kind}
            memref.store %b, %2[%c0] : memref<1x{kind}>
            """,
            f"memref<16x{kind}>; memref<1x{kind}>; memref<1x{kind}>; {kind}",
            values, alone, with_start, float(start),
        )  # fmt: skip
        same(alone, folded(FLOAT_KINDS[name], values, None))
        same(with_start, folded(FLOAT_KINDS[name], values, float(start)))


@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("name", integer_kinds(8))
def test_integers(compute: Run, kind: str, name: str):
    bits = INTEGERS[kind]
    limits = 1 << bits - 1
    model = integer_kinds(bits)[name]
    for low, high in ((-limits, 0), (1, limits), (-limits, limits)):
        values = np.random.default_rng(3).integers(low, high, (4, 16)).astype(f"int{bits}")
        start = values[0].copy()
        result = np.zeros(16, values.dtype)
        compute(
            f"""
            %v = vector.load %0[%c0, %c0] : memref<4x16x{kind}>, vector<4x16x{kind}>
            %s = vector.load %1[%c0] : memref<16x{kind}>, vector<16x{kind}>
            %r = vector.multi_reduction <{name}>, %v, %s [0] : vector<4x16x{kind}> to vector<16x{kind}>
            vector.store %r, %2[%c0] : memref<16x{kind}>, vector<16x{kind}>
            """,
            f"memref<4x16x{kind}>; memref<16x{kind}>; memref<16x{kind}>",
            values, start, result,
        )  # fmt: skip
        for column in range(16):
            total = int(start[column])
            for row in range(4):
                total = wrapped(model(total, int(values[row, column])), bits)
            assert result[column] == total


LENGTHS = [*range(1, 65), 90]


@pytest.mark.parametrize("n", LENGTHS)
def test_every_length(compute: Run, n: int):
    """Sums of every length, in one row, in a column beside others, and in both, with and without accumulators."""
    v, dtype = f"vector<{n}x3xf16>", np.float16
    values, start = telling("add", dtype, (n, 3), n), np.array([0.0, -0.0, 1.0], dtype)
    found = [np.zeros(k, dtype) for k in (3, n, 1, 1)]
    compute(
        f"""
        %c2 = arith.constant 2 : index
        %v = vector.load %0[%c0, %c0] : memref<{n}x3xf16>, {v}
        %s = vector.load %1[%c0] : memref<3xf16>, vector<3xf16>
        %n = arith.constant dense<-0.0> : vector<{n}xf16>
        %z = arith.constant 0.0 : f16
        %r0 = vector.multi_reduction <add>, %v, %s [0] : {v} to vector<3xf16>
        vector.store %r0, %2[%c0] : memref<3xf16>, vector<3xf16>
        %r1 = vector.multi_reduction <add>, %v, %n [1] : {v} to vector<{n}xf16>
        vector.store %r1, %3[%c0] : memref<{n}xf16>, vector<{n}xf16>
        %r2 = vector.multi_reduction <add>, %v, %z [0, 1] : {v} to f16
        memref.store %r2, %4[%c0] : memref<1xf16>
        %r3 = vector.reduction <add>, %r1 : vector<{n}xf16> into f16
        memref.store %r3, %5[%c0] : memref<1xf16>
        """,
        f"memref<{n}x3xf16>; memref<3xf16>; memref<3xf16>; memref<{n}xf16>; memref<1xf16>; memref<1xf16>",
        values, start, *found,
    )  # fmt: skip
    columns, rows, both = (reduced("add", values, dims) for dims in ((0,), (1,), (0, 1)))
    wanted = [columns[0] + start, rows[:, 0], both[0] + dtype(0), reduced("add", rows, [0])[0]]
    for got, expected in zip(found, wanted, strict=True):
        assert got.tobytes() == expected.tobytes()


ATOMIC_FLOATS = {
    "addf": "add", "mulf": "mul", "minimumf": "minimumf", "maximumf": "maximumf", "minnumf": "minnumf", "maxnumf": "maxnumf",
}  # fmt: skip
ATOMIC_INTEGERS = {
    "addi": "add", "muli": "mul", "mins": "minsi", "maxs": "maxsi", "minu": "minui", "maxu": "maxui", "andi": "and", "ori": "or",
    "xori": "xor",
}  # fmt: skip


def atomic_kernel(name: str, kind: str) -> str:
    """Eight subgroups update one element of shared memory, and say what they found."""
    return f"""
    gpu.module @m {{
      gpu.func @k(%in: memref<8x{kind}>, %old: memref<8x{kind}>, %out: memref<1x{kind}>) kernel
          attributes {{known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
        %c0 = arith.constant 0 : index
        %sg = gpu.subgroup_id : index
        %s = memref.alloc() : memref<1x{kind}, 3>
        %first = arith.cmpi eq, %sg, %c0 : index
        %x = memref.load %in[%sg] : memref<8x{kind}>
        scf.if %first {{
          memref.store %x, %s[%c0] : memref<1x{kind}, 3>
        }}
        gpu.barrier
        %o = memref.atomic_rmw {name} %x, %s[%c0] : ({kind}, memref<1x{kind}, 3>) -> {kind}
        memref.store %o, %old[%sg] : memref<8x{kind}>
        gpu.barrier
        scf.if %first {{
          %r = memref.load %s[%c0] : memref<1x{kind}, 3>
          memref.store %r, %out[%c0] : memref<1x{kind}>
        }}
        gpu.return
      }}
    }}
    """


@pytest.mark.parametrize("name", ATOMIC_FLOATS)
def test_atomic_floats(run: Run, name: str):
    for values in float_data("f32"):
        given = values[:8].copy()
        old, out = np.zeros(8, np.float32), np.zeros(1, np.float32)
        run(atomic_kernel(name, "f32"), given, old, out)
        model = FLOAT_KINDS[ATOMIC_FLOATS[name]]
        totals = [one_by_one(model, given[:n], float(given[0])) for n in range(9)]
        same(out, totals[8])
        same(old, np.concatenate([[given[0]], *totals[1:8]]).astype(np.float32))


@pytest.mark.parametrize("name", [*ATOMIC_INTEGERS, "assign"])
def test_atomic_integers(run: Run, name: str):
    given = np.random.default_rng(9).integers(-(1 << 31), 1 << 31, 8).astype(np.int32)
    old, out = np.zeros(8, np.int32), np.zeros(1, np.int32)
    run(atomic_kernel(name, "i32"), given, old, out)
    total, expected = int(given[0]), list[int]()
    for value in given:
        expected.append(total)
        if name == "assign":
            total = int(value)
        else:
            total = wrapped(integer_kinds(32)[ATOMIC_INTEGERS[name]](total, int(value)), 32)
    assert old.tolist() == expected
    assert out[0] == total

"""Matrix products on the device and at level V, held against the extensions' text as the tests read it."""

from collections.abc import Iterator
from itertools import product as pairs
from typing import Any

import numpy
import pytest
from numpy.typing import NDArray
from support.builtin_runs import Products, empty_registers
from support.builtins_reference import (
    TYPES,
    lanes_of_a,
    lanes_of_columns,
    limits_of,
    multiplied,
)
from support.emission import Product, products
from support.lanes import lanes

from xetile.dialects.modules import parse
from xetile.interpreter import execute
from xetile.runtime.open_device import Device

Array = NDArray[Any]

B_AT, SUM_AT = 64, 96
"""Bytes of a lane's registers at which B and the accumulator begin."""

RANGES = {
    "s4": (-8, 8),
    "u4": (0, 16),
    "s8": (-128, 128),
    "u8": (0, 256),
    "s32": (-(2**31), 2**31),
}


def integers(random: numpy.random.Generator, type: str, shape: tuple[int, ...]) -> Array:
    return random.integers(*RANGES[type], shape).astype(TYPES[type])


def random_bits(random: numpy.random.Generator, type: str, shape: tuple[int, ...]) -> Array:
    """Any bits: subnormal numbers, infinities and NaNs among them."""
    size = numpy.dtype(TYPES[type]).itemsize
    raw = random.integers(0, 256, (*shape[:-1], shape[-1] * size)).astype(numpy.uint8)
    return raw.view(TYPES[type])


def moderate(random: numpy.random.Generator, type: str, shape: tuple[int, ...]) -> Array:
    return random.standard_normal(shape).astype(numpy.float32).astype(TYPES[type])


SPECIAL = [0.0, -0.0, 1.0, -1.0, numpy.inf, -numpy.inf, numpy.nan]


def special(random: numpy.random.Generator, type: str, shape: tuple[int, ...]) -> Array:
    """Zeros of both signs, infinities, NaN, the largest and the smallest numbers, mostly zero so that some survive."""
    limits = limits_of(TYPES[type])
    values = [*SPECIAL, limits.max, limits.min, limits.tiny, limits.smallest_subnormal]
    chosen = random.choice(numpy.array(values, numpy.float64), shape)
    chosen = numpy.where(
        random.random(shape) < 0.8, random.choice([0.0, -0.0, 1.0], shape), chosen
    )
    with numpy.errstate(all="ignore"):
        return chosen.astype(TYPES[type])


def ties(random: numpy.random.Generator, type: str, shape: tuple[int, ...]) -> Array:
    """Few bits and many magnitudes, so that sums lie in the middle of two numbers, or nearly."""
    limits = limits_of(TYPES[type])
    spread = min(9, limits.maxexp // 3)
    powers = 2.0 ** random.integers(-spread, spread + 1, shape)
    return (random.choice([-1.0, 1.0, 1.5], shape) * powers).astype(TYPES[type])


def one_bit_decides(
    random: numpy.random.Generator, kind: Product
) -> tuple[Array, Array, Array]:
    """Products in the middle of two numbers of 16 bits, and sums so small that only their sign counts."""
    near_one = 1 + 2.0 ** -random.integers(3, 7, (kind.depth, 16))
    a = numpy.zeros((kind.rows, kind.depth))
    rows = numpy.arange(kind.rows)
    a[rows, rows] = 1 + 2.0 ** -random.integers(3, 7, kind.rows)
    signs = random.choice([-1.0, 1.0], (kind.rows, 16))
    least = 2.0**-24 if kind.sum == "f16" else 2.0**-100
    return (
        a.astype(TYPES[kind.a]),
        near_one.astype(TYPES[kind.b]),
        (signs * least).astype(TYPES[kind.sum]),
    )


def nans_in_dropped_bits(
    random: numpy.random.Generator, kind: Product
) -> tuple[Array, Array, Array]:
    """Words that are NaNs of f32 and infinities of tf32, one in every row and column; none meets another or a zero."""
    a = numpy.ones((kind.rows, kind.depth), numpy.float32)
    b = numpy.ones((kind.depth, 16), numpy.float32)
    a.view(numpy.uint32)[:, 0] = random.choice([0x7F800001, 0xFF801FFF], kind.rows)
    b.view(numpy.uint32)[1, ::2] = 0x7F800001
    a[:, 1] = numpy.where(a.view(numpy.uint32)[:, 0] >> 31, -1.0, 1.0)
    return a, b, numpy.zeros((kind.rows, 16), numpy.float32)


def ends(type: str) -> tuple[int, int]:
    """The least integer and the greatest."""
    low, high = RANGES[type]
    return low, high - 1


def operands(kind: Product) -> Iterator[tuple[Array, Array, Array]]:
    """A, B and accumulators."""
    random = numpy.random.default_rng(11)
    shapes = (kind.rows, kind.depth), (kind.depth, 16), (kind.rows, 16)
    types = kind.a, kind.b, kind.sum
    if kind.sum == "s32":
        for _ in range(3):
            a, b, c = (integers(random, t, s) for t, s in zip(types, shapes, strict=True))
            yield a, b, c
        # as far as they go, and around
        for left, right in pairs(ends(kind.a), ends(kind.b)):
            if left * right != 0:
                last = 2**31 - 1 if left * right > 0 else -(2**31)
                a, b, c = (
                    numpy.full(shape, value, TYPES[type])
                    for type, shape, value in zip(
                        types, shapes, (left, right, last), strict=True
                    )
                )
                yield a, b, c
        return
    for make in (moderate, special, ties, random_bits):
        a, b, c = (make(random, t, s) for t, s in zip(types, shapes, strict=True))
        yield a, b, c
    yield one_bit_decides(random, kind)
    if kind.a == "tf32":
        yield nans_in_dropped_bits(random, kind)


@pytest.fixture(scope="module")
def program(opencl_cpu: Device) -> Products:
    return Products(opencl_cpu, list(products()))


def same(found: Array, expected: Array) -> bool:
    """Bit by bit, but that any NaN is as good as another."""
    if found.dtype.kind == "i":
        return bool((found == expected).all())
    word = numpy.dtype(f"u{found.itemsize}")
    bits = numpy.ascontiguousarray(found).view(word) == numpy.ascontiguousarray(expected).view(
        word
    )
    nan = numpy.isnan(found.astype(numpy.float32)) & numpy.isnan(
        expected.astype(numpy.float32)
    )
    return bool((bits | nan).all())


def lanes_of(kind: Product, a: Array, b: Array, c: Array) -> tuple[Array, Array, Array]:
    """What lanes pass of each operand: [lanes, bytes]."""
    return (
        lanes_of_a(a, kind.a),
        lanes_of_columns(b, kind.b),
        lanes_of_columns(c, kind.sum),
    )


@pytest.mark.opencl
def test_products(program: Products) -> None:
    """Every type, M from 1 to 8, random numbers, special ones, ties, extremes; nothing behind the result changes."""
    work = [(n, *given) for n, kind in enumerate(program.products) for given in operands(kind)]
    registers = empty_registers(len(work))
    for held, (n, a, b, c) in zip(registers, work, strict=True):
        parts = lanes_of(program.products[n], a, b, c)
        for at, part in zip((0, B_AT, SUM_AT), parts, strict=True):
            held[:, at : at + part.shape[1]] = part
    found = program.run([n for n, *_ in work], registers).copy()
    for after, before, (n, a, b, c) in zip(found, registers, work, strict=True):
        kind = program.products[n]
        expected = sums(kind, a, b, c)
        result = slice(SUM_AT, SUM_AT + expected.itemsize * kind.rows)
        columns = numpy.ascontiguousarray(after[:, result])
        assert same(columns.view(expected.dtype).T, expected), kind
        after[:, result] = before[:, result]
        assert (after == before).all(), kind


def sums(kind: Product, a: Array, b: Array, c: Array) -> Array:
    with numpy.errstate(all="ignore"):
        return multiplied(kind, a, b, c)


FLOATS_8 = ("f8E4M3FN", "f8E5M2")
WORDS = {"f32": "f32", "f16": "f16", "bf16": "bf16", "s32": "i32"}


@pytest.mark.parametrize(
    "kind",
    [kind for kind in products() if kind.a not in ("s4", "u4")],
    ids=lambda kind: "-".join(map(str, kind)),
)
def test_level_v(kind: Product) -> None:
    """The interpreter's `xevm.mma`, of the same registers."""
    word_a, word_b = ("f32", "f32") if kind.a == "tf32" else ("i16", "i32")
    rows, word = kind.rows, WORDS[kind.sum]
    # xevm has no 8-bit floats
    said = f"{{xetile.operand_types = [{kind.a}, {kind.b}]}}" if kind.a in FLOATS_8 else ""
    a, b = ("s8", "s8") if said else (kind.a, kind.b)
    held = max(1, rows // 2) if kind.a == "tf32" else rows
    text = lanes(
        f"""
        %lane = gpu.lane_id
        %a = vector.load %A[%lane, %i0] : memref<16x{held}x{word_a}>, vector<{held}x{word_a}>
        %b = vector.load %B[%lane, %i0] : memref<16x8x{word_b}>, vector<8x{word_b}>
        %c = vector.load %C[%lane, %i0] : memref<16x{rows}x{word}>, vector<{rows}x{word}>
        %d = xevm.mma %a, %b, %c
            {{shape = <m = {rows}, n = 16, k = {kind.depth}>,
              types = <d = {kind.sum}, a = {a}, b = {b}, c = {kind.sum}>}} {said}
            : (vector<{held}x{word_a}>, vector<8x{word_b}>, vector<{rows}x{word}>) -> vector<{rows}x{word}>
        vector.store %d, %C[%lane, %i0] : memref<16x{rows}x{word}>, vector<{rows}x{word}>
        """,
        f"%A: memref<16x{held}x{word_a}>, %B: memref<16x8x{word_b}>, %C: memref<16x{rows}x{word}>",
    )
    module = parse(text)
    for a, b, c in operands(kind):
        expected = sums(kind, a, b, c)
        of_a, of_b, of_c = map(numpy.ascontiguousarray, lanes_of(kind, a, b, c))
        result = of_c.view(expected.dtype)
        with numpy.errstate(all="ignore"):
            words = (
                of_a.view(f"{word_a[0]}{2 if word_a == 'i16' else 4}"),
                of_b.view(f"{word_b[0]}4"),
            )
            execute(module, None, [*words, result])
        assert same(result.T, expected)

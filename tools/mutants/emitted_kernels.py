"""The kernels whose LLVM IR is given faults, with what they are launched on.

Together they have what reaches SPIR-V: products of all types, ragged and dynamic sizes, batches, pitches, epilogues,
elementwise ops, transposes, slices, branches and loops. The matrices are such that faults show: random numbers, edges
inside of tiles, results that are larger than the operands (what is read beside these is seen), K that ends before the
matrices do (one round more is seen), several workgroups in each direction.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes
import numpy
from numpy.typing import NDArray

from xetile import api
from xetile.kernels import gemm_module

Array = NDArray[Any]
Extents = tuple[int, int, int]

_PROGRAMS = Path(__file__).with_name("programs")
_TYPES: dict[str, Any] = {
    "f16": numpy.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": numpy.float32,
    "tf32": numpy.float32,
    "i8": numpy.int8,
    "ui8": numpy.uint8,
    "i32": numpy.int32,
}


class Launch(NamedTuple):
    """What a kernel is launched on: its arguments, how many workgroups."""

    arguments: Sequence[Array | int]
    grid: Extents


class Kernel(NamedTuple):
    """A kernel: the device that it is compiled for, its text, its launches."""

    name: str
    device: str
    text: Callable[[], str]
    launches: Callable[[], Sequence[Launch]]


def random(type: str, *shape: int, seed: int = 0) -> Array:
    """Numbers of both signs: floats normally distributed, integers of 8 bits of the whole range, others of 12 bits."""
    generator = numpy.random.default_rng([seed, *shape])
    kind = _TYPES[type]
    if numpy.dtype(kind).kind not in "iu":
        return generator.standard_normal(shape).astype(kind)
    whole = numpy.iinfo(kind)
    low, high = max(whole.min, -2048), min(whole.max, 2047)
    return generator.integers(low, high + 1, shape).astype(kind)


def special(*shape: int, seed: int = 0, share: float = 0.4) -> Array:
    """Floats of which many are equal, ties where they become narrower, zeros of both signs, infinite, no numbers."""
    values = random("f32", *shape, seed=seed)
    generator = numpy.random.default_rng([seed, 1, *shape])
    odd = [0.0, -0.0, 1.0, -1.0, 257.0, 259.0, 2049.0, 2051.0, numpy.inf, numpy.nan]
    chosen = generator.choice(numpy.array(odd, numpy.float32), shape)
    return numpy.where(generator.random(shape) < share, chosen, values).astype(numpy.float32)


def small(*shape: int, seed: int = 0) -> Array:
    """Integers of which many are equal, and some large."""
    generator = numpy.random.default_rng([seed, 2, *shape])
    values = generator.integers(-9, 10, shape)
    return numpy.where(
        generator.random(shape) < 0.5, values, generator.integers(-(2**31), 2**31, shape)
    ).astype(numpy.int32)


def padded(rows: int, columns: int, type: str, *, pitch: int, seed: int = 0) -> Array:
    """A matrix that is a part of a wider one."""
    return random(type, rows, pitch, seed=seed)[:, :columns]


class Product(NamedTuple):
    """A GEMM whose operands have other extents than the result and the loop ask for."""

    a: str
    b: str
    accumulator: str
    c: str
    a_shape: tuple[int, int]
    b_shape: tuple[int, int]
    c_shape: tuple[int, int]
    k: int
    k_step: int
    prefetch: int | None = None

    def text(self) -> str:
        """The kernel's text."""
        (rows, columns), k = self.c_shape, self.k
        module = gemm_module(
            m=rows,
            n=columns,
            k=k,
            a=self.a,
            b=self.b,
            accumulator=self.accumulator,
            c=self.c,
            workgroup_tile=(32, 32),
            subgroup_tile=(16, 32),
            k_step=self.k_step,
            prefetch=self.prefetch,
        )
        text = api.text(module)
        for before, after, type in (
            ((rows, k), self.a_shape, self.a),
            ((k, columns), self.b_shape, self.b),
        ):
            text = text.replace(_memref(before, type), _memref(after, type))
        return text

    def launches(self) -> list[Launch]:
        """Random numbers; floats again as whole numbers, whose sums are often ties, with some that are no numbers."""
        rows, columns = self.c_shape
        c = random(self.c, *self.c_shape, seed=3)
        grid = (-(-rows // 32), -(-columns // 32), 1)
        a, b = random(self.a, *self.a_shape, seed=1), random(self.b, *self.b_shape, seed=2)
        launches = [Launch([a, b, c], grid)]
        if self.a in ("f16", "bf16", "tf32"):
            a, b = numpy.rint(8 * a), numpy.rint(8 * b)
            a[0:16:2, 5] = a[17:32:2, 6] = numpy.nan  # in each register of a lane
            a[5, 7] = b[9, 40] = numpy.inf
            launches.append(Launch([a, b, c], grid))
        return launches


def _memref(shape: tuple[int, int], type: str) -> str:
    return f"memref<{shape[0]}x{shape[1]}x{type}>"


def _product(name: str, device: str, *given: Any, **options: Any) -> Kernel:
    product = Product(*given, **options)
    return Kernel(name, device, product.text, product.launches)


def _program(name: str, device: str, launches: Callable[[], Sequence[Launch]]) -> Kernel:
    return Kernel(name, device, (_PROGRAMS / f"{name}.mlir").read_text, launches)


def _dynamic() -> list[Launch]:
    launches: list[Launch] = []
    for number, (rows, columns, depth, first, k, grid) in enumerate(
        (
            (40, 56, 80, 0, 80, (3, 2, 1)),
            (24, 72, 96, 8, 64, (2, 3, 1)),
            (33, 40, 40, 16, 33, (2, 2, 1)),
        )
    ):
        a = padded(rows, depth, "f16", pitch=depth + 8 * number, seed=number)
        b = padded(depth + number, columns, "f16", pitch=columns + 16, seed=number + 3)
        c = padded(rows + 5, columns + 4, "f32", pitch=columns + 8, seed=number + 6)
        launches.append(Launch([a, b, c, first, k], grid))
    return launches


def _batch() -> list[Launch]:
    a, b = random("bf16", 3, 24, 96), random("bf16", 3, 96, 48)
    return [Launch([a, b, random("f32", 3, 40, 56)], (3, 2, 3))]


def _epilogue() -> list[Launch]:
    launches: list[Launch] = []
    for is_special in (False, True):
        a, b = padded(40, 64, "f16", pitch=80), random("f16", 64, 56)
        c, d = padded(40, 56, "f32", pitch=64), random("f16", 40, 56)
        bias = random("f32", 40, 56)
        if is_special:  # sums that are zeros of both signs, ones, no numbers
            b[:, ::2] = c[:, ::2] = 0
            bias = special(40, 56, share=0.9)
        launches.append(Launch([a, b, bias, c, d], (3, 2, 1)))
    return launches


def _floats() -> list[Launch]:
    c, d, f = random("f32", 24, 40), random("i32", 24, 40), random("bf16", 24, 40)
    e = special(24, 40, seed=4)
    e.view(numpy.uint32)[e == 1] = 0x7F800001  # a NaN that signals
    plain = [random("f32", 24, 40, seed=1), random("f32", 24, 40, seed=2), c, d, e, f]
    odd = [special(24, 40, seed=1), special(24, 40, seed=2), c, d, e, f]
    return [Launch(plain, (3, 3, 1)), Launch(odd, (3, 3, 1))]


def _integers() -> list[Launch]:
    results = [random("i32", 24, 40), random("f32", 24, 40)]
    plain = [random("i32", 24, 40, seed=1), random("i32", 24, 40, seed=2)]
    odd = [small(24, 40, seed=1), small(24, 40, seed=2)]
    return [Launch([*plain, *results], (3, 3, 1)), Launch([*odd, *results], (3, 3, 1))]


def _branches() -> list[Launch]:
    arguments = [random("f32", 40, 48), random("f32", 40, 48, seed=1)]
    return [Launch([*arguments, n], (3, 3, 1)) for n in (13, 4, 0)]


def _transposed() -> list[Launch]:
    arguments = [
        random("f32", 48, 40),
        random("f16", 32, 64),
        random("f16", 24, 32),
        random("f32", 40, 48),
        random("f32", 24, 64),
    ]
    return [Launch(arguments, (3, 5, 1))]


_EDGES = partial(_product, a_shape=(40, 160), b_shape=(160, 48), c_shape=(56, 56))
"""Products whose K ends before the matrices do, and whose result is larger than both."""

KERNELS: tuple[Kernel, ...] = (
    _EDGES("f16", "bmg", "f16", "f16", "f32", "f32", k=96, k_step=32, prefetch=2),
    _EDGES("bf16_narrow", "pvc", "bf16", "bf16", "f32", "bf16", k=64, k_step=32),
    _EDGES("f16_accumulator", "lnl", "f16", "f16", "f16", "f16", k=96, k_step=32, prefetch=1),
    _EDGES("bf16_accumulator", "ptl", "bf16", "bf16", "bf16", "bf16", k=96, k_step=32),
    _EDGES("tf32", "bmg", "tf32", "tf32", "f32", "f32", k=48, k_step=16),
    _product("i8", "pvc", "i8", "i8", "i32", "i32", (40, 192), (160, 64), (56, 80), 128, 64),
    _product(
        "mixed_i8", "cri", "ui8", "i8", "i32", "f32", (40, 160), (192, 64), (56, 80), 128, 64
    ),
    _product(
        "ragged", "bmg", "f16", "f16", "f32", "f16", (56, 80), (80, 56), (56, 56), 80, 32
    ),
    _program("dynamic", "bmg", _dynamic),
    _program("batch", "ptl", _batch),
    _program("epilogue", "lnl", _epilogue),
    _program("floats", "bmg", _floats),
    _program("integers", "pvc", _integers),
    _program("branches", "bmg", _branches),
    _program("transposed", "pvc", _transposed),
)

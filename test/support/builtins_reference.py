"""What Intel's builtins do, in numpy, from the text of the extensions: a reading of its own, for tests only.

Sources: SPV_INTEL_2d_block_io, "Mapping Block Data to Invocations" and "Out-of-Bounds Behavior";
SPV_INTEL_subgroup_matrix_multiply_accumulate, "Mapping Matrix Data to Invocations".
"""

import math
from fractions import Fraction
from typing import Any, NamedTuple, cast

import ml_dtypes
import numpy
from numpy.typing import NDArray
from support.emission import Block, Product

Array = NDArray[Any]

LANES = 16
WORDS = {8: numpy.uint8, 16: numpy.uint16, 32: numpy.uint32, 64: numpy.uint64}


class Surface(NamedTuple):
    """A matrix in memory as messages see it: its bytes from the base on, and width and pitch in bytes."""

    memory: Array
    width: int
    height: int
    pitch: int

    def elements(self, bits: int) -> Array:
        """[rows, columns of the whole pitch]."""
        rows = self.memory[: self.height * self.pitch].reshape(self.height, self.pitch)
        return rows.view(WORDS[bits])


def _places(block: Block, surface: Surface, x: int, y: int) -> tuple[Array, Array, Array]:
    """Rows and columns of all blocks' elements, [blocks, rows, columns], and which are inside of the surface."""
    bits, rows, columns, blocks = block.shape
    row = y + numpy.arange(rows)[None, :, None]
    column = (
        x
        + numpy.arange(blocks)[:, None, None] * columns
        + numpy.arange(columns)[None, None, :]
    )
    row, column = numpy.broadcast_arrays(row, column)
    whole = surface.width * 8 // bits
    return row, column, (row >= 0) & (row < surface.height) & (column >= 0) & (column < whole)


def _dealt(matrix: Array) -> Array:
    """Rows of a matrix, whose width is a power of two, given to lanes: [lanes, what each has]."""
    rows, columns = matrix.shape
    if columns >= LANES:
        return matrix.reshape(rows, LANES, -1).transpose(1, 0, 2).reshape(LANES, -1)
    missing = -rows % (LANES // columns)
    return numpy.pad(matrix, ((0, missing), (0, 0))).reshape(-1, LANES).T


def _power_of_two(extent: int) -> int:
    return 1 << (extent - 1).bit_length()


def read(block: Block, surface: Surface, x: int, y: int, *, in_order: bool = False) -> Array:
    """The bytes of every lane's registers after a read: [lanes, bytes].

    `in_order`: registers as they come, which through a payload have elements of the message; a row that is wider than
    the subgroup gives a lane no neighbours then.
    """
    bits = block.shape.bits
    row, column, inside = _places(block, surface, x, y)
    elements = surface.elements(bits)
    values = numpy.zeros(inside.shape, elements.dtype)
    values[inside] = elements[row[inside], column[inside]]
    held: list[Array] = []
    for matrix in values:
        if block.action == "read_transform":
            together = 32 // bits
            padded = numpy.pad(matrix, ((0, -len(matrix) % together), (0, 0)))
            columnwise = padded.T.reshape(padded.shape[1], -1, together)
            matrix = numpy.ascontiguousarray(columnwise).view(numpy.uint32)[..., 0].T
        elif block.action == "read_transpose":
            matrix = matrix.T
        wide = _power_of_two(matrix.shape[1])
        rows = numpy.pad(matrix, ((0, 0), (0, wide - matrix.shape[1])))
        # registers as they come, of which ocloc moves none: the text would give neighbours to a lane
        untouched = wide > LANES and (in_order or block.action == "read_transpose")
        held.append(_dealt(rows.reshape(-1, LANES) if untouched else rows))
    return numpy.ascontiguousarray(numpy.concatenate(held, axis=1)).view(numpy.uint8)


def written(
    block: Block, surface: Surface, x: int, y: int, registers: Array, *, in_order: bool = False
) -> Array:
    """The surface's bytes after a write of registers [lanes, bytes], `in_order` as `read` has it."""
    row, column, inside = _places(block, surface, x, y)
    element = WORDS[block.shape.bits]
    # where the elements of the block go, read off by dealing out their numbers
    rows, columns = block.shape.rows, block.shape.columns
    wide = _power_of_two(columns)
    numbers = numpy.full((rows, wide), -1)
    numbers[:, :columns] = numpy.arange(rows * columns).reshape(rows, columns)
    if in_order and wide > LANES:
        numbers = numbers.reshape(-1, LANES)
    dealt = _dealt(numbers + 1) - 1
    words = numpy.ascontiguousarray(registers).view(element)[:, : dealt.shape[1]]
    values = numpy.zeros(rows * columns, element)
    values[dealt[dealt >= 0]] = words[dealt >= 0]
    memory = surface.memory.copy()
    target = surface._replace(memory=memory).elements(block.shape.bits)
    target[row[0][inside[0]], column[0][inside[0]]] = values.reshape(rows, columns)[inside[0]]
    return memory


TYPES: dict[str, Any] = {
    "f16": numpy.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": numpy.float32,
    "f32": numpy.float32,
    "s8": numpy.int8,
    "u8": numpy.uint8,
    "s4": numpy.int8,
    "u4": numpy.uint8,
    "s32": numpy.int32,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
}
"""How the tests hold a matrix; elements of 4 bits as bytes."""


def _bytes(matrix: Array, type: str) -> Array:
    """The bits of each row's elements, lower columns in lower bits: [rows, bytes]."""
    raw = numpy.ascontiguousarray(matrix).view(numpy.uint8).reshape(len(matrix), -1)
    if type in ("s4", "u4"):
        return (raw[:, 0::2] & 15) | (raw[:, 1::2] << 4)
    return raw


def lanes_of_a(matrix: Array, type: str) -> Array:
    """What every lane passes of A, [rows, K]: [lanes, bytes]."""
    rows, depth = matrix.shape
    raw = _bytes(matrix, type).reshape(rows, -1)
    if depth >= LANES:
        return raw.reshape(rows, LANES, -1).transpose(1, 0, 2).reshape(LANES, -1)
    each = raw.shape[1] // depth
    padded = numpy.pad(raw, ((0, rows % 2), (0, 0)))
    pairs = padded.reshape(-1, 2 * depth, each)
    return pairs.transpose(1, 0, 2).reshape(LANES, -1)


def lanes_of_columns(matrix: Array, type: str) -> Array:
    """What every lane passes of B or the accumulator, a column of it: [lanes, bytes]."""
    return _bytes(numpy.ascontiguousarray(matrix.T), type)


def _values(matrix: Array, type: str) -> Array:
    """Elements as the product sees them."""
    if type != "tf32":
        return matrix
    return (matrix.view(numpy.uint32) & numpy.uint32(0xFFFFE000)).view(numpy.float32)


def multiplied(product: Product, a: Array, b: Array, c: Array) -> Array:
    """c + a b, K ascending, rounded to the accumulator's type after each step."""
    left, right = _values(a, product.a), _values(b, product.b)
    if product.sum == "s32":
        exact = c.astype(object) + left.astype(object) @ right.astype(object)
        return numpy.array(exact & 0xFFFFFFFF, numpy.uint32).view(numpy.int32)
    sums = c.copy()
    for k in range(left.shape[1]):
        pair = left[:, k, None], right[None, k, :]
        if product.sum == "f32":
            sums += pair[0].astype(numpy.float32) * pair[1].astype(numpy.float32)
        else:
            exact = pair[0].astype(numpy.longdouble) * pair[1].astype(numpy.longdouble)
            sums = _rounded(sums, exact, TYPES[product.sum])
    return sums


def _rounded(sums: Array, products: Array, type: Any) -> Array:
    """The sum of each pair in `type`, rounded once: by fractions, and by hand where one is no number."""
    with numpy.errstate(all="ignore"):
        wide = sums.astype(numpy.float32).astype(numpy.longdouble) + products
        plain = wide.astype(numpy.float32).astype(type)
    result = plain.copy()
    for at in numpy.ndindex(*sums.shape):
        x, y = sums[at], products[at]
        if numpy.isfinite(x) and numpy.isfinite(y):
            result[at] = _nearest(x, y, plain[at], type)
    return result


def limits_of(type: Any) -> Any:
    """numpy's or ml_dtypes' `finfo`."""
    return cast(Any, ml_dtypes).finfo(type)


def _nearest(x: Any, y: Any, guess: Any, type: Any) -> Any:
    """The number of the type nearest to x + y among the neighbours of a guess; of two the even one."""
    exact = Fraction(float(x)) + Fraction(*y.as_integer_ratio())
    limits = limits_of(type)
    binade = Fraction(2) ** (math.frexp(float(limits.max))[1] - 1)
    too_large = Fraction(float(limits.max)) + Fraction(float(limits.eps)) * binade / 2
    if exact == 0 or abs(exact) >= too_large:
        return guess
    bits = int(numpy.asarray(guess).view(numpy.uint16))
    near: list[tuple[Fraction, int, Any]] = []
    for step in (-1, 0, 1):
        other = numpy.array((bits + step) & 0xFFFF, numpy.uint16)
        value = other.view(type)[()]
        if numpy.isfinite(value):
            near.append((abs(Fraction(float(value)) - exact), int(other) & 1, value))
    found = min(near, key=lambda one: one[:2])[2]
    return type(math.copysign(0.0, exact)) if found == 0 else found

"""Swizzled memrefs: where their elements lie, and that executing finds them there."""

import random
from collections.abc import Sequence

import numpy as np
import pytest

from xetile.api import execute, parse_text
from xetile.dialects.swizzle import SwizzleAttr
from xetile.errors import XetileError
from xetile.interpreter.machine.runtime_values import Array
from xetile.layout.algebra.f2 import rank

WIDE = SwizzleAttr([[0, 1], [0, 2], [0, 4], [0, 8], [1, 8], [2, 4], [4, 2], [8, 1]])


def at_random(widths: Sequence[int], seed: int) -> SwizzleAttr:
    """Any one-to-one layout of a shape of 2 ** width elements along each dimension."""
    number, bits = random.Random(seed), sum(widths)
    while True:
        columns = [number.randrange(1 << bits) for _ in range(bits)]
        if rank(columns) == bits:
            break
    vectors: list[list[int]] = []
    for column in columns:
        vectors.append([])
        for width in widths:
            vectors[-1].append(column & (1 << width) - 1)
            column >>= width
    return SwizzleAttr(vectors)


@pytest.mark.parametrize("seed", range(20))
def test_affine_map_and_steps_are_the_inverse_of_the_layout(seed: int) -> None:
    swizzle = at_random([seed % 4, 4], seed)
    layout, map = swizzle.layout, swizzle.get_affine_map()
    for offset in range(layout.in_dim_size("offset")):
        place = list(layout.apply({"offset": offset}).values())
        assert map.eval(place, []) == (offset,)
        found = 0
        for pair in zip(swizzle.steps, place, strict=True):
            found ^= _picked(*pair)
        assert found == offset


def _picked(steps: Sequence[int], index: int) -> int:
    found = 0
    for bit, step in enumerate(steps):
        found ^= step * (index >> bit & 1)
    return found


def test_transposing_twice_changes_nothing() -> None:
    swizzle = at_random([3, 5], 7)
    assert swizzle.shape == (8, 32)
    assert swizzle.transposed((1, 0)).shape == (32, 8)
    assert swizzle.transposed((1, 0)).transposed((1, 0)) == swizzle


def through(swizzle: SwizzleAttr) -> str:
    """A 16x16 matrix stored by rows in tiles, and loaded as the transpose."""
    attribute = f"#xetile.swizzle<offset = {[list(v) for v in swizzle.offset]}>"
    other = f"#xetile.swizzle<offset = {[list(v) for v in swizzle.transposed((1, 0)).offset]}>"
    return f"""
    %b = memref.alloc() : memref<16x16xf32, {attribute}, 3>
    %x = memref.transpose %b (i, j) -> (j, i) : memref<16x16xf32, {attribute}, 3> to memref<16x16xf32, {other}, 3>
    %8 = arith.constant 8 : index
    %16 = arith.constant 16 : index
    scf.for %i = %c0 to %16 step %8 {{
      scf.for %j = %c0 to %16 step %8 {{
        %g = xetile.init_tile %0[%i, %j] : memref<16x16xf32> -> !xetile.tile<8x8xf32>
        %s = xetile.init_tile %b[%i, %j] : memref<16x16xf32, {attribute}, 3> -> !xetile.tile<8x8xf32, <memory_space = 3>>
        %v = xetile.load_tile %g : !xetile.tile<8x8xf32> -> vector<8x8xf32>
        xetile.store_tile %v, %s : vector<8x8xf32>, !xetile.tile<8x8xf32, <memory_space = 3>>
      }}
    }}
    %e = memref.load %x[%c0, %8] : memref<16x16xf32, {other}, 3>
    memref.store %e, %b[%8, %c0] : memref<16x16xf32, {attribute}, 3>
    %r = xetile.init_tile %x[%c0, %c0] : memref<16x16xf32, {other}, 3> -> !xetile.tile<16x16xf32, <memory_space = 3>>
    %o = xetile.init_tile %1[%c0, %c0] : memref<16x16xf32> -> !xetile.tile<16x16xf32>
    %w = xetile.load_tile %r : !xetile.tile<16x16xf32, <memory_space = 3>> -> vector<16x16xf32>
    xetile.store_tile %w, %o : vector<16x16xf32>, !xetile.tile<16x16xf32>
    """


def kernel(body: str) -> str:
    return (
        "func.func @f(%0: memref<16x16xf32>, %1: memref<16x16xf32>) "
        "attributes {known_block_size = array<i32: 16, 1, 1>} {\n"
        f"%c0 = arith.constant 0 : index\n{body}\nfunc.return\n}}"
    )


def matrix() -> Array:
    return np.arange(256, dtype=np.float32).reshape(16, 16)


def run(text: str, *arrays: Array) -> None:
    execute(parse_text(text, "f.mlir"), "f", *arrays, grid=(1, 1, 1), sanitize=True)


@pytest.mark.parametrize("swizzle", [WIDE, at_random([4, 4], 1), at_random([4, 4], 2)])
def test_tiles_and_elements_are_found_through_it(swizzle: SwizzleAttr) -> None:
    found = np.zeros((16, 16), np.float32)
    run(kernel(through(swizzle)), matrix(), found)
    assert (found == matrix().T).all()


def test_what_the_sanitizer_says_of_an_element_names_its_place() -> None:
    text = kernel(through(WIDE).replace("%x[%c0, %8]", "%x[%8, %c0]"))
    text = text.replace("%c0 to %16 step %8 {", "%c0 to %8 step %8 {", 2)
    with pytest.raises(
        XetileError, match=r"reads element \[0, 8\] of .*, which nothing has written"
    ):
        run(text, matrix(), matrix())

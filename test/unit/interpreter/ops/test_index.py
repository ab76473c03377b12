"""The index dialect against Python's integers."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from math import ceil, floor, trunc

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from xetile.api import parse_text
from xetile.interpreter import execute_host

WIDE = 1 << 64
NUMBERS = (0, 1, 2, 3, 7, -1, -2, -7, 63, (1 << 63) - 1, -(1 << 63) + 1)


def unsigned(number: int) -> int:
    return number % WIDE


def signed(number: int) -> int:
    return (number + (WIDE >> 1)) % WIDE - (WIDE >> 1)


EXPECTED: Mapping[str, Callable[[int, int], int]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "and": lambda x, y: x & y,
    "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
    "maxs": lambda x, y: max(x, y),
    "mins": lambda x, y: min(x, y),
    "maxu": lambda x, y: max(unsigned(x), unsigned(y)),
    "minu": lambda x, y: min(unsigned(x), unsigned(y)),
    "divs": lambda x, y: trunc(Fraction(x, y)),
    "floordivs": lambda x, y: floor(Fraction(x, y)),
    "ceildivs": lambda x, y: ceil(Fraction(x, y)),
    "rems": lambda x, y: x - y * trunc(Fraction(x, y)),
    "divu": lambda x, y: unsigned(x) // unsigned(y),
    "ceildivu": lambda x, y: -(-unsigned(x) // unsigned(y)),
    "remu": lambda x, y: unsigned(x) % unsigned(y),
    "shl": lambda x, y: x << y,
    "shrs": lambda x, y: x >> y,
    "shru": lambda x, y: unsigned(x) >> y,
}
PREDICATES: Mapping[str, Callable[[int, int], bool]] = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "slt": lambda x, y: x < y,
    "sle": lambda x, y: x <= y,
    "sgt": lambda x, y: x > y,
    "sge": lambda x, y: x >= y,
    "ult": lambda x, y: unsigned(x) < unsigned(y),
    "ule": lambda x, y: unsigned(x) <= unsigned(y),
    "ugt": lambda x, y: unsigned(x) > unsigned(y),
    "uge": lambda x, y: unsigned(x) >= unsigned(y),
}


def call(module: ModuleOp, *arguments: int) -> list[int]:
    found = execute_host(module, "f", arguments, output=lambda _: None)
    return [int(result) for result in found]


@pytest.mark.parametrize("name", EXPECTED)
def test_binary(name: str) -> None:
    text = f"func.func @f(%x: index, %y: index) -> index {{\n%0 = index.{name} %x, %y\nreturn %0 : index\n}}"
    module = parse_text(text, "host.mlir")
    for x, y in product(NUMBERS, NUMBERS):
        if ("div" in name or "rem" in name) and y == 0:
            continue
        if name.startswith("sh") and not 0 <= y < 64:
            continue
        assert call(module, x, y) == [signed(EXPECTED[name](x, y))], (name, x, y)


@pytest.mark.parametrize("name", PREDICATES)
def test_comparison(name: str) -> None:
    text = f"func.func @f(%x: index, %y: index) -> i1 {{\n%0 = index.cmp {name}(%x, %y)\nreturn %0 : i1\n}}"
    module = parse_text(text, "host.mlir")
    for x, y in product(NUMBERS, NUMBERS):
        assert call(module, x, y) == [PREDICATES[name](x, y)], (name, x, y)


def test_casts_and_constants() -> None:
    text = """
    func.func @f(%x: index, %i: i8) -> (i8, index, index, index, i1, index) {
      %0 = index.casts %x : index to i8
      %1 = index.casts %i : i8 to index
      %2 = index.castu %i : i8 to index
      %3 = index.constant -4
      %4 = index.bool.constant true
      %5 = index.sizeof
      return %0, %1, %2, %3, %4, %5 : i8, index, index, index, i1, index
    }"""
    assert call(parse_text(text, "host.mlir"), 511, -3) == [-1, -3, 253, -4, True, 64]


def test_elements_are_64_bits() -> None:
    text = "func.func @f(%x: index) -> index {\nreturn %x : index\n}"
    (found,) = execute_host(
        parse_text(text, "host.mlir"), "f", [1 << 40], output=lambda _: None
    )
    assert found.dtype == np.int64

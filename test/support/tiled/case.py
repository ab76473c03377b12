"""A kernel on tiles with what it is launched with and what numpy computes; several of them in one module."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray
from support.subgroup import fresh
from xdsl.dialects.builtin import ModuleOp

from xetile.api import parse_text
from xetile.language.testing import NATIVE

Array = NDArray[Any]
Given = Array | int | float

LANES = 16


class Case(NamedTuple):
    """A kernel as text: its parameters and what stands in it.

    `expected` is by argument, in float64 where floats are computed; `tolerance` is the largest error, relative to the
    largest number that is expected; with 0 the bits are equal.
    """

    name: str
    parameters: Sequence[str]
    body: str
    arrays: Sequence[Given]
    expected: Mapping[int, Array]
    tolerance: float = 0.0
    subgroups: int = 1
    workgroups: int = 1
    source: str = ""
    """A whole module with this kernel, where it is written elsewhere; `parameters` and `body` are not read then."""
    reorders: bool = False
    """Whether passes may form its float sums in another order: then the bits are not those of the level above."""

    workgroup: Sequence[str] = ()
    """Its buffers in shared memory, written as parameters are."""

    @property
    def text(self) -> str:
        """The kernel, whose name is the case's."""
        sizes = f"known_block_size = array<i32: {LANES * self.subgroups}, 1, 1>, known_grid_size = array<i32: {self.workgroups}, 1, 1>"
        shared = f" workgroup({', '.join(self.workgroup)})" if self.workgroup else ""
        return f"""
  gpu.func @{self.name}({", ".join(self.parameters)}){shared} kernel attributes {{{sizes}}} {{{self.body}
    gpu.return
  }}"""


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with values in place of `$NAME`; a value may hold such names too."""
    while "$" in text:
        text = re.sub(r"\$([A-Z_]+)", lambda found: values[found[1]], text)
    return text


def module_of(cases: Sequence[Case]) -> ModuleOp:
    """All of them as kernels of one module; one that is a whole module stands alone."""
    if cases[0].source:
        assert len(cases) == 1
        return parse_text(cases[0].source, f"{cases[0].name}.mlir")
    kernels = "".join(case.text for case in cases)
    return parse_text(f"gpu.module @m {{{kernels}\n}}\n", "kernels.mlir")


def copies(arrays: Sequence[Given]) -> list[Given]:
    """The arguments of another launch, with the same strides."""
    return [fresh(a) if isinstance(a, numpy.ndarray) else a for a in arrays]


def assert_expected(case: Case, found: Sequence[Given], *, native: bool = False) -> None:
    """The arguments after a launch are what numpy computes, up to what OpenCL's `native` functions may be off."""
    tolerance = max(case.tolerance, NATIVE * native)
    for number, expected in case.expected.items():
        array = found[number]
        assert isinstance(array, numpy.ndarray)
        if tolerance == 0:
            assert numpy.array_equal(array, expected), f"{case.name}: argument {number}"
            continue
        values = array.astype(numpy.float64)
        assert numpy.array_equal(numpy.isnan(values), numpy.isnan(expected))
        scale = numpy.nanmax(abs(expected))
        error = float(numpy.nanmax(abs(values - expected)) / scale)
        assert error <= tolerance, f"{case.name}: argument {number}: {error:g} of {scale:g}"
        assert len(numpy.unique(array)) > 1, f"{case.name}: argument {number} is one number"


def same_bits(left: Sequence[Given], right: Sequence[Given]) -> bool:
    """Equal bits in all arrays, where any NaN is as good as another."""
    return all(
        _same(one, other)
        for one, other in zip(left, right, strict=True)
        if isinstance(one, numpy.ndarray) and isinstance(other, numpy.ndarray)
    )


def _same(left: Array, right: Array) -> bool:
    nan = left != left
    if not numpy.array_equal(nan, right != right):
        return False
    zero = numpy.zeros_like(left)
    return numpy.where(nan, zero, left).tobytes() == numpy.where(nan, zero, right).tobytes()

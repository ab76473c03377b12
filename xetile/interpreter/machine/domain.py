"""What elements are: the one object that ops and memory ask what floats are and how they are computed with.

The usual domain (`interpreter/common/ieee.py`) has IEEE's floats, another one (`interpreter/field/`) the elements of
a prime field.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import cast

import numpy as np
from xdsl.ir import Operation

from xetile.interpreter.machine.elements import Element, wrap
from xetile.interpreter.machine.runtime_values import Array
from xetile.interpreter.machine.storage import Storage

Usual = Callable[[], Array]
"""Computes what is the same in all domains."""


class Domain(ABC):
    """Floats and what is computed with them; `storage` says how memory holds elements."""

    storage: Storage

    @abstractmethod
    def dtype(self, of: Element) -> np.dtype[np.generic]:
        """The numpy type that elements are computed in."""

    @abstractmethod
    def floats(self, values: Array, of: Element) -> Array:
        """Numbers, f64, as floats of a type."""

    def numbers(self, values: Sequence[object], of: Element) -> Array:
        """Numbers of Python as elements: floats rounded, integers wrapped."""
        if of.is_float:
            return self.floats(np.array(values, np.float64), of)
        return whole_numbers(values, of)

    @abstractmethod
    def binary(self, name: str, x: Array, y: Array, of: Element) -> Array | None:
        """A function of two floats by arith's name, in the type of its operands; None for an unknown one."""

    def whole(
        self, at: Operation, name: str, x: Array, y: Array, of: Element, usual: Usual
    ) -> Array:
        """A function of two integers by arith's name, which `usual` computes."""
        return usual()

    @abstractmethod
    def negated(self, x: Array) -> Array:
        """Floats with the other sign."""

    @abstractmethod
    def compared(self, x: Array, y: Array, wanted: str) -> Array:
        """Whether floats are as `wanted` has it, letters for greater, equal, less, unordered."""

    @abstractmethod
    def resized(self, x: Array, to: Element) -> Array:
        """Floats as floats of another type."""

    @abstractmethod
    def from_integers(self, x: Array, to: Element) -> Array:
        """64-bit integers, signed or unsigned, as floats."""

    @abstractmethod
    def to_integers(self, x: Array, to: Element, *, unsigned: bool) -> Array:
        """Floats as integers, towards zero."""

    @abstractmethod
    def function(self, name: str, arguments: Sequence[Array], of: Element) -> Array:
        """A function of floats by the math dialect's name; the last argument may be of integers."""

    @abstractmethod
    def fused(self, at: Operation, x: Array, y: Array, z: Array, of: Element) -> Array:
        """The sum of z and a product, rounded once."""

    @abstractmethod
    def operand(self, values: Array, of: Element) -> Array:
        """What a matrix instruction takes of register words."""

    @abstractmethod
    def product(self, a: Array, b: Array, c: Array | None, accumulator: Element) -> Array:
        """The matrix product [threads or 1, rows, columns], as `multiply_accumulate` has it."""

    @abstractmethod
    def reinterpreted(
        self, at: Operation, values: Array, before: Element, to: Element
    ) -> Array:
        """The same bits as elements of another type; the last dimension changes where the size does."""


def whole_numbers(values: Sequence[object], of: Element) -> Array:
    """Numbers of Python as integers of a type, wrapped."""
    within = (1 << 64) - 1
    bits = np.array([int(cast(int, value)) & within for value in values], np.uint64)
    return wrap(bits.view(np.int64), of)

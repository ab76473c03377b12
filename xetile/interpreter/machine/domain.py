"""The domain of elements: one object that defines floats, and how ops and memory compute with them.

The usual domain (`interpreter/common/ieee.py`) has IEEE floats, another one (`interpreter/field/`) the elements of a
prime field.
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
"""Computes a result that is the same in all domains."""


class Domain(ABC):
    """Floats and the functions on them; `storage` defines how memory represents elements."""

    storage: Storage

    @abstractmethod
    def dtype(self, of: Element) -> np.dtype[np.generic]:
        """Return the numpy type in which elements are computed."""

    @abstractmethod
    def floats(self, values: Array, of: Element) -> Array:
        """Convert numbers, f64, to floats of a type."""

    def numbers(self, values: Sequence[object], of: Element) -> Array:
        """Convert Python numbers to elements: floats are rounded, integers wrapped."""
        if of.is_float:
            return self.floats(np.array(values, np.float64), of)
        return whole_numbers(values, of)

    @abstractmethod
    def binary(self, name: str, x: Array, y: Array, of: Element) -> Array | None:
        """Apply a function of two floats by arith's name, in the type of its operands; None for an unknown one."""

    def whole(
        self, at: Operation, name: str, x: Array, y: Array, of: Element, usual: Usual
    ) -> Array:
        """Apply a function of two integers by arith's name, which `usual` computes."""
        return usual()

    @abstractmethod
    def negated(self, x: Array) -> Array:
        """Negate floats."""

    @abstractmethod
    def compared(self, x: Array, y: Array, wanted: str) -> Array:
        """Return where floats compare as in `wanted`, letters for greater, equal, less, unordered."""

    @abstractmethod
    def resized(self, x: Array, to: Element) -> Array:
        """Convert floats to another float type."""

    @abstractmethod
    def from_integers(self, x: Array, to: Element) -> Array:
        """Convert 64-bit integers, signed or unsigned, to floats."""

    @abstractmethod
    def to_integers(self, x: Array, to: Element, *, unsigned: bool) -> Array:
        """Convert floats to integers, toward zero."""

    @abstractmethod
    def function(self, name: str, arguments: Sequence[Array], of: Element) -> Array:
        """Apply a function of floats by the math dialect's name; the last argument may be integers."""

    @abstractmethod
    def fused(self, at: Operation, x: Array, y: Array, z: Array, of: Element) -> Array:
        """Return the sum of z and a product, rounded once."""

    @abstractmethod
    def operand(self, values: Array, of: Element) -> Array:
        """Return the values that a matrix instruction uses of register words."""

    @abstractmethod
    def product(self, a: Array, b: Array, c: Array | None, accumulator: Element) -> Array:
        """Return the matrix product [threads or 1, rows, columns], as `multiply_accumulate` does."""

    @abstractmethod
    def reinterpreted(
        self, at: Operation, values: Array, before: Element, to: Element
    ) -> Array:
        """Reinterpret the bits as elements of another type; if the size changes, so does the last dimension."""


def whole_numbers(values: Sequence[object], of: Element) -> Array:
    """Convert Python numbers to integers of a type, wrapped."""
    within = (1 << 64) - 1
    bits = np.array([int(cast(int, value)) & within for value in values], np.uint64)
    return wrap(bits.view(np.int64), of)

"""What is computed with elements of the field; casts between types of floats change nothing."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from xdsl.ir import Operation

from xetile.interpreter.common.ieee import IEEE, ordered
from xetile.interpreter.common.products import multiply_accumulate
from xetile.interpreter.field.carried import carried
from xetile.interpreter.field.cells import (
    cells_of,
    cells_of_floats,
    floats_at,
    integers_of,
)
from xetile.interpreter.field.residues import (
    NAN,
    centred,
    inverse,
    of_floats,
    of_integers,
    power,
    product,
    scattered,
    times,
)
from xetile.interpreter.field.storage import CellStorage
from xetile.interpreter.machine.domain import Domain, Usual
from xetile.interpreter.machine.elements import Element, wrap
from xetile.interpreter.machine.values import Array, in_cells

Binary = Callable[[Array, Array], Array]


def _number(choose: Binary) -> Binary:
    """The chosen one of two, a number if one is."""
    return lambda x, y: np.where(x == NAN, y, np.where(y == NAN, x, choose(x, y)))


def _or_nan(choose: Binary) -> Binary:
    """The chosen one of two, NaN if one is."""
    return lambda x, y: np.where((x == NAN) | (y == NAN), NAN, choose(x, y))


_BINARY: Mapping[str, Binary] = {
    "addf": lambda x, y: centred(x + y),
    "subf": lambda x, y: centred(x - y),
    "mulf": times,
    "divf": lambda x, y: times(x, inverse(y)),
    "remf": lambda x, y: scattered("remf", np.broadcast_arrays(x, y)),
    "minimumf": _or_nan(np.minimum),
    "maximumf": _or_nan(np.maximum),
    "minnumf": _number(np.minimum),
    "maxnumf": _number(np.maximum),
}

_WHOLE = ("ceil", "floor", "round", "roundeven", "trunc")
"""Functions that leave integers as they are: elements count as integers."""


def _unchanged(x: Array) -> Array:
    return x


def _with_sign(x: Array, y: Array) -> Array:
    return np.where(y < 0, -np.abs(x), np.abs(x))


_FUNCTIONS: Mapping[str, Callable[..., Array]] = {
    **{f"math.{name}": _unchanged for name in _WHOLE},
    "math.absf": np.abs,
    "math.copysign": _with_sign,
    "math.fpowi": power,
}
"""Functions that the field has; all others are scattered."""


class FieldDomain(Domain):
    """Elements of a prime field, for one launch: its storage knows the launch's arrays."""

    def __init__(self) -> None:
        self.cells = CellStorage()
        self.storage = self.cells

    def dtype(self, of: Element) -> np.dtype[np.generic]:
        return np.dtype(np.int64) if of.is_float else of.dtype

    def floats(self, values: Array, of: Element) -> Array:
        return of_floats(values)

    def binary(self, name: str, x: Array, y: Array, of: Element) -> Array | None:
        function = _BINARY.get(name)
        return None if function is None else function(x, y)

    def negated(self, x: Array) -> Array:
        return -x

    def compared(self, x: Array, y: Array, wanted: str) -> Array:
        unordered = (x == NAN) | (y == NAN)
        result = ordered(x, y, wanted)
        return result | unordered if "u" in wanted else result & ~unordered

    def resized(self, x: Array, to: Element) -> Array:
        return x

    def from_integers(self, x: Array, to: Element) -> Array:
        return of_integers(x)

    def to_integers(self, x: Array, to: Element, *, unsigned: bool) -> Array:
        return wrap(x, to)

    def function(self, name: str, arguments: Sequence[Array], of: Element) -> Array:
        function = _FUNCTIONS.get(name)
        return scattered(name, arguments) if function is None else function(*arguments)

    def fused(self, at: Operation, x: Array, y: Array, z: Array, of: Element) -> Array:
        return centred(x * y + z)

    def operand(self, values: Array, of: Element) -> Array:
        return values

    def product(self, a: Array, b: Array, c: Array | None, accumulator: Element) -> Array:
        if not accumulator.is_float:
            return multiply_accumulate(a, b, c, accumulator)
        return product(a, b, c)

    def whole(
        self, at: Operation, name: str, x: Array, y: Array, of: Element, usual: Usual
    ) -> Array:
        if "V" in (x.dtype.kind, y.dtype.kind):
            return carried(at, name, [x, y], of)
        return usual()

    def reinterpreted(
        self, at: Operation, values: Array, before: Element, to: Element
    ) -> Array:
        """The same pieces; a float's are one float again, or what integers carry."""
        if before.name == to.name or (
            before.is_float and to.is_float and before.bits == to.bits
        ):
            return values
        if before.per_byte > 1 or to.per_byte > 1:
            return IEEE.reinterpreted(at, values, before, to)
        cells = _cells(values, before)
        if before.size != to.size:
            cells = cells.reshape(*cells.shape[:-2], -1, to.size)
        return floats_at(at, cells, to) if to.is_float else integers_of(cells, to)


def _cells(values: Array, of: Element) -> Array:
    if of.is_float:
        return cells_of_floats(values, of.size)
    return cells_of(values if values.dtype.kind == "V" else in_cells(values))

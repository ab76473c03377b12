"""Computation with elements of the field; casts between float types change nothing.

The memory of a launch in the field consists of cells, which begin as the bytes of the given arrays.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn, cast

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import ArrayLike
from xdsl.ir import Operation

from xetile.errors import XetileError
from xetile.interpreter.common.ieee import IEEE, ordered
from xetile.interpreter.common.products import multiply_accumulate
from xetile.interpreter.field.cells import (
    CELL,
    cells_of,
    cells_of_floats,
    floats_at,
    floats_of,
    identity,
    integers_of,
    opaque,
    opaque_of,
)
from xetile.interpreter.field.float_pieces import carried
from xetile.interpreter.field.prime_field import (
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
from xetile.interpreter.machine.domain import Domain, Usual
from xetile.interpreter.machine.elements import Element, wrap
from xetile.interpreter.machine.runtime_values import Array, alike, in_cells
from xetile.interpreter.machine.storage import Storage, bytes_of


class CellStorage(Storage):
    """A cell for each byte; arrays that share memory share cells."""

    unit = CELL

    def __init__(self) -> None:
        self._roots: dict[int, tuple[Array, Array]] = {}

    def new(self, size: int) -> Array:
        return np.zeros(size, np.uint64)

    def placed(self, array: Array) -> Array:
        if array.size == 0:
            return np.zeros(0, np.uint64)
        root, first, count = _root_of(array)
        if id(root) not in self._roots:
            self._roots[id(root)] = root, bytes_of(root).astype(np.uint64)
        cells = self._roots[id(root)][1][first : first + count]
        if _of_floats(array):
            _made_floats(cells, array)
        cells = cells[:]
        cells.flags.writeable = array.flags.writeable
        return cells

    def result(self, array: Array, name: str) -> Array:
        """Return the content of an array that was placed: int64 representatives of floats, integers as they are."""
        if array.size == 0:
            return array.astype(np.int64) if _of_floats(array) else array.copy()
        cells = cells_of(_elements(self.placed(array), array))
        if _of_floats(array):
            found = floats_of(cells, _element(array))
            return _refuse(name, array) if found is None else found
        found = integers_of(cells, _element(array))
        if found.dtype.kind == "V":
            _refuse(name, array)
        return found

    def held(self, of: Element) -> np.dtype[np.generic]:
        return opaque(of.size)

    def given(self, values: Array, of: Element) -> Array:
        return of_floats(values.astype(np.float64))

    def loaded(self, at: Operation, values: Array, of: Element) -> Array:
        cells = cells_of(values)
        return floats_at(at, cells, of) if of.is_float else integers_of(cells, of)

    def stored(self, values: ArrayLike, of: Element) -> ArrayLike:
        held = np.asarray(values)
        if held.dtype.kind == "V":
            return held
        if of.is_float:
            return opaque_of(cells_of_floats(held, of.size))
        return in_cells(held.astype(of.dtype))

    def filled(self, found: Array, where: Array, otherwise: Array, of: Element) -> Array:
        before = otherwise
        if otherwise.dtype.kind != "V":
            before = otherwise.astype(np.int64 if of.is_float else of.dtype)
        values, found = alike([before.copy(), found])
        values[where] = found
        return values

    def bits(self, values: Array, of: Element) -> Array:
        return identity(cells_of(cast(Array, self.stored(values, of))))


def _elements(cells: Array, array: Array) -> Array:
    """Return an array's elements in cells, as a view."""
    size, steps = array.itemsize, [CELL * step for step in array.strides]
    starts = cells[: len(cells) // size * size].view(opaque(size))
    return as_strided(starts, array.shape, steps)


def _element(array: Array) -> Element:
    bits, is_float = 8 * array.itemsize, _of_floats(array)
    return Element(array.dtype.name, bits, array.dtype, is_float=is_float)


def _made_floats(cells: Array, array: Array) -> None:
    """Convert the bytes of an array of floats to pieces of the field elements that they encode, once."""
    elements, of = _elements(cells, array), _element(array)
    found = floats_of(cells_of(elements), of)
    if found is not None:
        elements[...] = opaque_of(cells_of_floats(found, of.size))


def _refuse(name: str, array: Array) -> NoReturn:
    raise XetileError(
        f"{name} is an array of {array.dtype} and holds bits of floats after the launch, which elements of the field "
        "do not have; give an array of the floats' own type"
    )


def _of_floats(array: Array) -> bool:
    return array.dtype.kind not in "iub"


def _root_of(array: Array) -> tuple[Array, int, int]:
    """Return the array that owns this one's memory, the number of its first byte there, and how many it spans."""
    root = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    first, count = array.ctypes.data - root.ctypes.data, len(bytes_of(array))
    inside = first >= 0 and min(root.strides, default=0) >= 0
    if inside and first + count <= len(bytes_of(root)):
        return root, first, count
    return array, 0, count


Binary = Callable[[Array, Array], Array]


def _number(choose: Binary) -> Binary:
    """Return the choice as a function that ignores a NaN."""
    return lambda x, y: np.where(x == NAN, y, np.where(y == NAN, x, choose(x, y)))


def _or_nan(choose: Binary) -> Binary:
    """Return the choice as a function that returns NaN if one is NaN."""
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
"""Functions that leave integers unchanged; all field elements count as integers."""


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
"""Functions that are defined in the field; all others are scattered."""


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
        """Return the same pieces; those of a float become one float again, or an integer that carries them."""
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

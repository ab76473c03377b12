"""What integer ops make of integers that carry pieces of floats.

Bytes that are moved stay what they are. Of whole floats lowerings also take the sign, exchange them with integers in
their order, and round them to fewer digits, which changes nothing here. All else has no meaning and is refused.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, NoReturn, cast

import numpy as np
from xdsl.ir import Operation

from xetile.errors import fail
from xetile.interpreter.field.cells import (
    cells_of,
    floats_of,
    integers_of,
    inverted,
    is_inverted,
    is_piece,
)
from xetile.interpreter.field.prime_field import PRIME
from xetile.interpreter.machine.elements import TF32_DROPPED_BITS, Element
from xetile.interpreter.machine.runtime_values import Array, in_cells

Move = Callable[[Array, Array], "Array | None"]
"""What an op makes of cells; None where it means nothing."""

_F32_BYTES = 4

_ALL, _BITS = 255, 8
"""The byte of ones, and its bits."""


def refuse(op: Operation) -> NoReturn:
    """Say that an op takes floats' bits for a number."""
    fail(
        op,
        f"'{op.name}' takes the bits of floats for a number, and elements of the field have none",
    )


def carried(at: Operation, name: str, values: Sequence[Array], to: Element) -> Array:
    """What an op, by arith's name, makes of integers of which some carry pieces of floats."""
    cells = [_cells(value) for value in values]
    found = None
    if name in _RESIZED:
        found = _resized(cells[0], to)
    for moves in (_OF_FLOATS, _OF_BYTES):
        if found is None and name in moves:
            found = moves[name](*cells)
    return refuse(at) if found is None else integers_of(found, to)


def _cells(values: Array) -> Array:
    return cells_of(values if values.dtype.kind == "V" else in_cells(values))


_RESIZED = ("trunci", "extui")


def _resized(cells: Array, to: Element) -> Array:
    more = to.size - cells.shape[-1]
    if more <= 0:
        return cells[..., : to.size]
    return np.concatenate([cells, np.zeros((*cells.shape[:-1], more), np.uint64)], axis=-1)


def _either(x: Array, y: Array) -> Array | None:
    """Bytes of which one is zero give the other."""
    both = (x != 0) & (y != 0)
    if (np.maximum(x, y)[both] > _ALL).any():
        return None
    return np.where(x == 0, y, np.where(y == 0, x, x | y))


def _both(x: Array, y: Array) -> Array | None:
    """A byte under a mask of ones stays, under one of zeros it is zero."""
    x, y = np.broadcast_arrays(x, y)
    plain = ~is_piece(x) & ~is_piece(y)
    masked = (x == _ALL) | (y == _ALL) | (x == 0) | (y == 0)
    if not (plain | masked).all():
        return None
    kept = np.where(x == _ALL, y, np.where(y == _ALL, x, 0))
    return np.where(plain, x & y, kept).astype(np.uint64)


def _up(x: Array, y: Array) -> Array | None:
    return _shifted(x, y, 1)


def _down(x: Array, y: Array) -> Array | None:
    return _shifted(x, y, -1)


def _shifted(x: Array, y: Array, sign: int) -> Array | None:
    """Bytes moved by whole bytes."""
    if (y > _ALL).any() or (y[..., 1:] != 0).any() or (y[..., 0] % _BITS).any():
        return None
    size = x.shape[-1]
    steps: Array = (y[..., :1] // _BITS).astype(np.int64)
    source = cast(Array, np.arange(size) - sign * steps)
    inside = np.logical_and(source >= 0, source < size)
    x, source = np.broadcast_arrays(x, source)
    moved = np.take_along_axis(x, np.clip(source, 0, size - 1), axis=-1)
    return np.where(inside, moved, 0).astype(np.uint64)


_OF_BYTES: Mapping[str, Move] = {
    "ori": _either,
    "xori": _either,
    "andi": _both,
    "shli": _up,
    "shrui": _down,
}


def _number(cells: Array) -> Array | None:
    """Cells that are bytes as signed numbers."""
    if is_piece(cells).any():
        return None
    return np.ascontiguousarray(cells.astype(np.uint8)).view(f"i{cells.shape[-1]}")[..., 0]


class _Words(NamedTuple):
    """Words of which each is one whole float, or no float.

    Attributes:
        floats: which are floats.
        elements: those of the floats, else 0.
        numbers: the others as signed numbers, else 0.
        inverted: which are floats with the bits below the sign inverted.
    """

    floats: Array
    elements: Array
    numbers: Array
    inverted: Array


def _words(cells: Array) -> _Words | None:
    pieces, turned = is_piece(cells), is_inverted(cells)
    floats = np.logical_and.reduce(pieces, axis=-1)
    if (floats != np.logical_or.reduce(pieces, axis=-1)).any():
        return None
    size = cells.shape[-1]
    upright = np.where(turned, inverted(cells), np.where(pieces, cells, 0))
    elements = floats_of(upright, Element("", 8 * size, np.dtype(f"u{size}"), is_float=True))
    numbers = _number(np.where(pieces, 0, cells).astype(np.uint64))
    if elements is None or numbers is None:
        return None
    return _Words(floats, elements, numbers, np.logical_or.reduce(turned, axis=-1))


def _sign(x: Array, y: Array) -> Array | None:
    """All bits the sign's."""
    words, steps = _words(x), _number(y)
    if words is None or steps is None or (steps != _BITS * x.shape[-1] - 1).any():
        return None
    below = np.where(words.floats, words.elements, words.numbers) < 0
    return np.repeat(
        np.where(below, np.uint64(_ALL), np.uint64(0))[..., None], x.shape[-1], -1
    )


def _turned(x: Array, y: Array) -> Array | None:
    """The bits below the sign inverted, or not."""
    if is_piece(y).any():
        x, y = y, x
    words, mask = _words(x), _number(y)
    if words is None or mask is None:
        return None
    below = (1 << _BITS * x.shape[-1] - 1) - 1
    if not ((mask == 0) | (mask == below) | ~words.floats).all():
        return None
    turned = np.where((mask == below)[..., None], inverted(x), x)
    return np.where(words.floats[..., None], turned, x ^ y)


def _chosen(larger: Callable[[Array, Array], Array]) -> Move:
    def choose(x: Array, y: Array) -> Array | None:
        ours, theirs = _rank(x), _rank(y)
        if ours is None or theirs is None:
            return None
        return np.where(larger(ours, theirs)[..., None], x, y)

    return choose


def _rank(cells: Array) -> Array | None:
    """Where words stand in the order of integers, among which the smallest and the largest are no floats."""
    words = _words(cells)
    if words is None or (words.floats & (words.inverted != (words.elements < 0))).any():
        return None
    numbers, range = words.numbers, np.iinfo(words.numbers.dtype)
    if not ((numbers == range.min) | (numbers == range.max) | (numbers == 0)).all():
        return None
    return np.where(words.floats, words.elements, np.sign(numbers) * np.int64(PRIME))


def _rounding(compute: Move, limit: Callable[[Array], Array], kept: int) -> Move:
    """A step of rounding f32 to fewer digits: of floats all is kept (1), or none of the digits is found (0)."""

    def move(x: Array, y: Array) -> Array | None:
        words, number = _words(x), _number(y)
        if words is None or number is None or x.shape[-1] != _F32_BYTES:
            return None
        if not limit(number.astype(np.int64)).all():
            return None
        others = np.asarray(compute(words.numbers, number))
        cells = cells_of(in_cells(others.astype(np.int32)))
        return np.where(words.floats[..., None], x * np.uint64(kept), cells)

    return move


_QUIET = 1 << 22

_OF_FLOATS: Mapping[str, Move] = {
    "shrsi": _sign,
    "xori": _turned,
    "maxsi": _chosen(np.greater_equal),
    "minsi": _chosen(np.less_equal),
    "addi": _rounding(np.add, lambda y: (y >= 0) & (y < 1 << TF32_DROPPED_BITS), 1),
    "andi": _rounding(np.bitwise_and, lambda y: y == -(1 << TF32_DROPPED_BITS), 1),
    "ori": _rounding(np.bitwise_or, lambda y: y == _QUIET, 1),
    "shrui": _rounding(np.right_shift, lambda y: y == TF32_DROPPED_BITS, 0),
}

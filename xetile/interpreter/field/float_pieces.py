"""Integer ops on integers that carry pieces of floats.

Bytes that are moved stay unchanged. For whole floats, lowerings also read the sign, convert to and from integers of
the same order, and round to fewer digits, which changes nothing here. Anything else has no meaning and raises.
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
"""Applies an op to cells; None if the result has no meaning."""

_F32_BYTES = 4

_ALL, _BITS = 255, 8
"""The byte of ones, and its number of bits."""


def refuse(op: Operation) -> NoReturn:
    """Raise for an op that reads floats' bits as a number."""
    fail(
        op,
        f"'{op.name}' takes the bits of floats for a number, and elements of the field have none",
    )


def carried(at: Operation, name: str, values: Sequence[Array], to: Element) -> Array:
    """Apply an op, by arith's name, to integers of which some carry pieces of floats."""
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
    """Or bytes; if one of two is zero, the result is the other."""
    both = (x != 0) & (y != 0)
    if (np.maximum(x, y)[both] > _ALL).any():
        return None
    return np.where(x == 0, y, np.where(y == 0, x, x | y))


def _both(x: Array, y: Array) -> Array | None:
    """And bytes: under a mask of ones a byte stays, under zeros it becomes zero."""
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
    """Shift by whole bytes."""
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
    """Return cells that are bytes as signed numbers, or None."""
    if is_piece(cells).any():
        return None
    return np.ascontiguousarray(cells.astype(np.uint8)).view(f"i{cells.shape[-1]}")[..., 0]


class _Words(NamedTuple):
    """Words, each of which is one whole float or no float.

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
    """Return words that repeat the sign bit."""
    words, steps = _words(x), _number(y)
    if words is None or steps is None or (steps != _BITS * x.shape[-1] - 1).any():
        return None
    below = np.where(words.floats, words.elements, words.numbers) < 0
    return np.repeat(
        np.where(below, np.uint64(_ALL), np.uint64(0))[..., None], x.shape[-1], -1
    )


def _turned(x: Array, y: Array) -> Array | None:
    """Invert the bits below the sign, or not, depending on the mask."""
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
    """Return the rank of words in the order of integers; its smallest and largest values are not floats."""
    words = _words(cells)
    if words is None or (words.floats & (words.inverted != (words.elements < 0))).any():
        return None
    numbers, range = words.numbers, np.iinfo(words.numbers.dtype)
    if not ((numbers == range.min) | (numbers == range.max) | (numbers == 0)).all():
        return None
    return np.where(words.floats, words.elements, np.sign(numbers) * np.int64(PRIME))


def _rounding(compute: Move, limit: Callable[[Array], Array], kept: int) -> Move:
    """Return a step of rounding f32 to fewer digits: for floats the result is the float (1) or zero (0)."""

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

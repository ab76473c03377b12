"""Reductions: combining elements in ascending order, by the kinds of `vector.kind` and arith's AtomicRMWKind."""

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Operation

from xetile.dialects.atomic_kinds import ATOMIC_KINDS
from xetile.dialects.atomic_kinds import identity as neutral
from xetile.errors import fail
from xetile.interpreter.common.scalars import FLOATS, SIGNED, UNSIGNED, float_binary
from xetile.interpreter.machine.elements import Element, round_to, signed, unsigned, wrap
from xetile.interpreter.machine.reading import attribute
from xetile.interpreter.machine.values import Array

_SPELLINGS = {
    **{f"{kind}{end}": kind for kind in ("add", "mul", "and", "or", "xor") for end in "fi"},
    **{kind: f"{kind}i" for kind in ("mins", "maxs", "minu", "maxu")},
}
"""The kinds of `vector.kind` by arith's spellings."""


def kind_of(op: Operation, name: str = "kind") -> str:
    """The kind that a property names, in the spelling of `vector.kind`."""
    found = attribute(op, name)
    if found is None:
        fail(op, f"'{name}' is missing")
    return kind_word(found)


def kind_word(kind: Attribute) -> str:
    """The kind that an attribute names, in the spelling of `vector.kind`."""
    word = str(kind).strip('">').replace("<", " ").split()[-1]
    if isinstance(kind, IntegerAttr):
        number = kind.value.data
        word = ATOMIC_KINDS[number] if 0 <= number < len(ATOMIC_KINDS) else str(number)
    return _SPELLINGS.get(word, word)


def combine(at: Operation, kind: str, x: Array, y: Array, of: Element) -> Array:
    """Two values of the same type combined."""
    if kind == "assign":
        return y
    name = kind if kind.startswith(("min", "max")) else f"{kind}{'f' if of.is_float else 'i'}"
    if of.is_float and name in FLOATS:
        return float_binary(FLOATS[name], x, y, of)
    for functions, read in ((SIGNED, signed), (UNSIGNED, unsigned)):
        if not of.is_float and name in functions:
            return wrap(functions[name](read(x, of), read(y, of)), of)
    fail(at, f"cannot execute kind '{kind}' on elements of {of.name}")


def identity(kind: str, of: Element) -> Array:
    """The number that changes nothing in a combination."""
    number = neutral(kind, of.name, None if of.is_float else of.bits)
    if of.is_float:
        return round_to(np.array([number]), of)
    return wrap(np.array([number], np.int64), of)


def fold(
    at: Operation,
    kind: str,
    values: Array,
    dimensions: Sequence[int],
    start: Array,
    of: Element,
) -> Array:
    """`start` combined with the elements along some dimensions, ascending, the last dimension fastest.

    `values` is [threads or 1, *shape]; dimensions count without the leading axis. The result
    has them removed.
    """
    axes = [dimension + 1 for dimension in dimensions]
    moved = np.moveaxis(values, axes, range(len(axes)))
    count = prod(moved.shape[: len(axes)])
    steps = moved.reshape(count, *moved.shape[len(axes) :])
    start = start.reshape(*start.shape, *[1] * (steps.ndim - 1 - start.ndim))
    result = np.broadcast_to(start, np.broadcast_shapes(start.shape, steps.shape[1:]))
    for step in steps:
        result = combine(at, kind, result, step, of)
    return result

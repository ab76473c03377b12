"""Reductions in the one order of all levels, by the kinds of `vector.kind` and arith's AtomicRMWKind."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Operation

from xetile.dialects.atomic_kinds import ATOMIC_KINDS
from xetile.dialects.fast_math import half
from xetile.errors import fail
from xetile.interpreter.common.scalars import SIGNED, UNSIGNED, Binary, Read
from xetile.interpreter.machine.domain import Domain
from xetile.interpreter.machine.elements import Element, signed, unsigned, wrap
from xetile.interpreter.machine.reading import attribute
from xetile.interpreter.machine.runtime_values import Array

_SPELLINGS = {
    **{f"{kind}{end}": kind for kind in ("add", "mul", "and", "or", "xor") for end in "fi"},
    **{kind: f"{kind}i" for kind in ("mins", "maxs", "minu", "maxu")},
}
"""The kinds of `vector.kind` by arith's spellings."""


def kind_of(op: Operation, name: str = "kind") -> str:
    """Return the kind that a property names, in the spelling of `vector.kind`."""
    found = attribute(op, name)
    if found is None:
        fail(op, f"'{name}' is missing")
    return kind_word(found)


def kind_word(kind: Attribute) -> str:
    """Return the kind that an attribute names, in the spelling of `vector.kind`."""
    word = str(kind).strip('">').replace("<", " ").split()[-1]
    if isinstance(kind, IntegerAttr):
        number = kind.value.data
        word = ATOMIC_KINDS[number] if 0 <= number < len(ATOMIC_KINDS) else str(number)
    return _SPELLINGS.get(word, word)


def combine(
    at: Operation, kind: str, x: Array, y: Array, of: Element, domain: Domain
) -> Array:
    """Combine two values of the same type."""
    if kind == "assign":
        return y
    name = kind if kind.startswith(("min", "max")) else f"{kind}{'f' if of.is_float else 'i'}"
    if of.is_float and (found := domain.binary(name, x, y, of)) is not None:
        return found
    for functions, read in ((SIGNED, signed), (UNSIGNED, unsigned)):
        if not of.is_float and name in functions:
            usual = partial(_whole, functions[name], read, x, y, of)
            return domain.whole(at, name, x, y, of, usual)
    fail(at, f"cannot execute kind '{kind}' on elements of {of.name}")


def _whole(function: Binary, read: Read, x: Array, y: Array, of: Element) -> Array:
    return wrap(function(read(x, of), read(y, of)), of)


def fold(
    at: Operation,
    kind: str,
    values: Array,
    dimensions: Sequence[Sequence[int]],
    of: Element,
    domain: Domain,
) -> Array:
    """Combine the elements along some dimensions, one dimension after the other, by halving (`reduction_order`).

    `values` is [threads or 1, *shape]; dimensions count without the leading axis and are removed. Several dimensions
    that count as one, the last the fastest, form one group.
    """
    for together in dimensions:
        axes = [dimension + 1 for dimension in together]
        moved = np.moveaxis(values, axes, range(len(axes)))
        kept = moved.shape[len(axes) :]
        rest = moved.reshape(-1, *kept)
        while len(rest) > 1:
            step = half(len(rest))
            upper = rest[step:]
            alone = rest[len(upper) : step]
            joined = combine(at, kind, rest[: len(upper)], upper, of, domain)
            rest = np.concatenate([joined, alone]) if len(alone) else joined
        values = np.moveaxis(rest.reshape(*[1] * len(axes), *kept), range(len(axes)), axes)
    return values.squeeze(tuple(d + 1 for together in dimensions for d in together))

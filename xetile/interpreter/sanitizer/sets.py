"""Sets of subgroups of a workgroup: bits in as many words as needed, along an array's last axis."""

import numpy as np

from xetile.interpreter.machine.runtime_values import Array

_WORD_BITS = 64


def singletons(count: int) -> Array:
    """Return the set of each of `count` subgroups: [subgroups, words]."""
    numbers = np.arange(count)
    sets = np.zeros((count, -(-count // _WORD_BITS)), np.uint64)
    bits = np.left_shift(np.uint64(1), (numbers % _WORD_BITS).astype(np.uint64))
    sets[numbers, numbers // _WORD_BITS] = bits
    return sets


def union(sets: Array) -> Array:
    """Return the union of sets along the first axis."""
    return np.bitwise_or.reduce(sets, axis=0)


def several(sets: Array) -> Array:
    """Return which sets have more than one member; the last axis has extent 1."""
    return np.bitwise_count(sets).sum(axis=-1, keepdims=True) > 1


def some(sets: Array) -> Array:
    """Return which sets have a member; the last axis has extent 1."""
    return np.bitwise_or.reduce(sets, axis=-1, keepdims=True) != 0


def members(one: Array) -> list[int]:
    """Return the subgroups of one set, ascending."""
    return np.flatnonzero(
        np.unpackbits(one.astype("<u8").view(np.uint8), bitorder="little")
    ).tolist()

"""Attributes that a program has many times, made and verified once: xDSL takes as long for one as a pass for an op."""

from collections.abc import Sequence
from functools import cache, lru_cache

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, IntegerType, i64

INDEX = IndexType()


@cache
def integer_type(bits: int) -> IntegerType:
    """The signless integer of a width (bits)."""
    return IntegerType(bits)


@lru_cache(maxsize=4096)
def integer(value: int, type: IntegerType | IndexType) -> IntegerAttr[IntegerType | IndexType]:
    """An integer."""
    return IntegerAttr(value, type)


@lru_cache(maxsize=4096)
def word(value: int, bits: int = 32) -> IntegerAttr[IntegerType]:
    """A signless integer of a width (bits)."""
    return IntegerAttr(value, integer_type(bits))


def integer_array(values: Sequence[int]) -> DenseArrayBase[IntegerType]:
    """`array<i64: ...>`."""
    return _array(tuple(values))


@lru_cache(maxsize=1024)
def _array(values: tuple[int, ...]) -> DenseArrayBase[IntegerType]:
    return DenseArrayBase.from_list(i64, values)

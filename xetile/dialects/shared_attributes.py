"""Attributes that a program has many times, made and verified once: xDSL takes as long for one as a pass for an op.

A constraint that says in words what it takes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from typing_extensions import TypeVar
from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, IntegerType, i64
from xdsl.ir import Attribute
from xdsl.irdl import AttrConstraint, IntConstraint, VerificationContext
from xdsl.utils.exceptions import VerifyException

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


@dataclass(frozen=True)
class TypeConstraint(AttrConstraint[Attribute]):
    """A type that `takes` accepts; another one is refused with `wanted`, what it must be."""

    takes: Callable[[Attribute], bool]
    wanted: str

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not self.takes(attr):
            raise VerifyException(f"{attr} must be {self.wanted}")

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> "TypeConstraint":
        return self

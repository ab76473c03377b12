"""A constraint that says in words what it takes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from typing_extensions import TypeVar
from xdsl.ir import Attribute
from xdsl.irdl import AttrConstraint, IntConstraint, VerificationContext
from xdsl.utils.exceptions import VerifyException


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

"""Scalars: numbers and truth values of an element type, the same in every subgroup."""

from typing import Self

from xdsl.ir import Attribute, SSAValue

from xetile.language.arithmetic import Arithmetic, Single
from xetile.language.held import Held, described
from xetile.language.refusals import refuse
from xetile.language.types import ElementType
from xetile.language.values import Value


class Scalar(Arithmetic, Single):
    """A number of a type."""

    __slots__ = ("_element", "_value")

    def __init__(self, value: SSAValue, element: ElementType) -> None:
        self._value = value
        self._element = element

    @property
    def element(self) -> ElementType:
        return self._element

    @property
    def shape(self) -> tuple[()]:
        """No extents."""
        return ()

    @property
    def type(self) -> Attribute:
        return self._value.type

    def ssa(self) -> SSAValue:
        return self._value

    def made(self, held: Held) -> Self:
        return type(self)(held.value, held.element)

    def takes(self, other: Value) -> bool:
        """Scalars. Indices take integers themselves, as tiles take scalars."""
        return isinstance(other, Scalar)

    def describe(self) -> str:
        return described(self._element, None)

    def to(self, type: ElementType) -> Self:
        if type.kind == "index":
            refuse("a scalar becomes an index by xt.index(x)")
        return super().to(type)

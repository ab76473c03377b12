"""The element types as kernels write them: `xt.f16["M", "K"]` is an array, `xt.f32(0.5)` a scalar of the type."""

from typing import overload

from xetile.language import types
from xetile.language.arithmetic import Single
from xetile.language.conversions import converted
from xetile.language.functions import value_of
from xetile.language.indices import Index
from xetile.language.literals import literal, number_of
from xetile.language.refusals import refuse
from xetile.language.scalars import Scalar
from xetile.language.tiles import Tile
from xetile.language.types import ElementType
from xetile.language.values import Value, describe


class Element(ElementType):
    """A type of elements that makes values of others."""

    @overload
    def __call__(self, value: Single | float) -> Scalar: ...
    @overload
    def __call__(self, value: Tile) -> Tile: ...
    def __call__(self, value: object) -> Scalar | Tile | Index:
        """A Python number or a value in this type."""
        return _made(self, value)


class IndexElement(ElementType):
    """The type of indices."""

    @overload
    def __call__(self, value: Single | int) -> Index: ...
    @overload
    def __call__(self, value: Tile) -> Tile: ...
    def __call__(self, value: object) -> Scalar | Tile | Index:
        """A Python number or an integer value as an index."""
        if not isinstance(value, Tile):
            return Index.of(value)
        return _made(self, value)


def _made(element: ElementType, value: object) -> Scalar | Tile | Index:
    if isinstance(value, Value):
        return value_of(converted(value.held(), element))
    number = number_of(value)
    if number is None:
        refuse(f"xt.{element} of {describe(value)}: expected a number or a value")
    return value_of(literal(number, element, None))


def _callable(type: ElementType) -> Element:
    return Element(type.name, type.kind, type.bits, type.digits)


f16 = _callable(types.f16)
bf16 = _callable(types.bf16)
tf32 = _callable(types.tf32)
f32 = _callable(types.f32)
f64 = _callable(types.f64)
f8E4M3FN = _callable(types.f8E4M3FN)
f8E5M2 = _callable(types.f8E5M2)
i1 = _callable(types.i1)
i4 = _callable(types.i4)
i8 = _callable(types.i8)
i16 = _callable(types.i16)
i32 = _callable(types.i32)
i64 = _callable(types.i64)
ui4 = _callable(types.ui4)
ui8 = _callable(types.ui8)
index = IndexElement(types.index.name, types.index.kind, types.index.bits, types.index.digits)

"""What the ops of the dialect share: hints, paddings, shapes in words."""

from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, VectorType
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.xetile.attributes import CacheHint, CacheHintAttr
from xetile.dialects.xetile.types import FLOAT_TYPES

LOAD_HINTS = (CacheHint.CACHED, CacheHint.UNCACHED, CacheHint.STREAMING, CacheHint.READ_INVALIDATE)
STORE_HINTS = (
    CacheHint.CACHED,
    CacheHint.UNCACHED,
    CacheHint.STREAMING,
    CacheHint.WRITE_BACK,
    CacheHint.WRITE_THROUGH,
)
HINTS = ("l1_hint", "l2_hint", "l3_hint")


def vector_of(value: SSAValue) -> VectorType[Attribute]:
    """The type of a value that the op's constraints make a vector."""
    return cast(VectorType[Attribute], value.type)


def in_words(shape: Sequence[int]) -> str:
    """`64x32`."""
    return "x".join(map(str, shape))


def verify_hints(hints: Iterator[CacheHintAttr | None], legal: Sequence[CacheHint]) -> None:
    """Refuse hints of the wrong direction."""
    for name, hint in zip(HINTS, hints, strict=True):
        if hint is not None and hint.data not in legal:
            raise VerifyException(f"'{name}' is {hint.data}, legal here are {', '.join(legal)}")


def verify_padding(padding: Attribute | None, element_type: Attribute) -> None:
    """Refuse a padding that is no value of the element type."""
    if padding is None:
        return
    if isinstance(element_type, FLOAT_TYPES):
        if not isinstance(padding, FloatAttr):
            raise VerifyException(
                f"'padding' is {padding}, elements of {element_type} need a float"
            )
        return
    if not isinstance(padding, IntegerAttr):
        raise VerifyException(f"'padding' is {padding}, elements of {element_type} need an integer")
    if not isinstance(element_type, IntegerType):
        return
    value, width = cast("IntegerAttr[IntegerType]", padding).value.data, element_type.bitwidth
    if not -(1 << (width - 1)) <= value < (1 << width):
        raise VerifyException(f"'padding' {value} does not fit {element_type}")

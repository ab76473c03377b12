"""What the ops of the dialect share: mixed index lists, maps, hints, shapes in words."""

from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.xetile.attributes import CacheHint, CacheHintAttr
from xetile.dialects.xetile.types import FLOAT_TYPES

DYNAMIC = -(2**63)
"""Stands in `const_offsets` and the like for an entry that is a value (MLIR's ShapedType::kDynamic)."""

LOAD_HINTS = (CacheHint.CACHED, CacheHint.UNCACHED, CacheHint.STREAMING, CacheHint.READ_INVALIDATE)
STORE_HINTS = (CacheHint.CACHED, CacheHint.UNCACHED, CacheHint.STREAMING, CacheHint.WRITE_BACK, CacheHint.WRITE_THROUGH)
HINTS = ("l1_hint", "l2_hint", "l3_hint")

Mixed = int | SSAValue


def split_mixed(entries: Sequence[Mixed]) -> tuple[list[SSAValue], DenseArrayBase[IntegerType]]:
    """The values among the entries, and the literals with `DYNAMIC` in the values' places."""
    values = [entry for entry in entries if not isinstance(entry, int)]
    literals = [entry if isinstance(entry, int) else DYNAMIC for entry in entries]
    return values, DenseArrayBase.from_list(i64, literals)


def join_mixed(values: Sequence[SSAValue], literals: DenseArrayBase[IntegerType] | None) -> list[Mixed]:
    """The entries in order; values alone where there are no literals."""
    if literals is None:
        return list(values)
    remaining = iter(values)
    return [next(remaining) if n == DYNAMIC else n for n in literals.get_values()]


def resolve_mixed(parser: Parser, entries: Sequence[int | UnresolvedOperand]) -> list[Mixed]:
    """Parsed entries with their values resolved as index."""
    return [
        entry if isinstance(entry, int) else parser.resolve_operand(entry, IndexType())
        for entry in entries
    ]


def print_mixed(printer: Printer, entries: Sequence[Mixed]) -> None:
    """Print `[%a, 16]`."""

    def one(entry: Mixed) -> None:
        if isinstance(entry, int):
            printer.print_string(str(entry))
        else:
            printer.print_ssa_value(entry)

    with printer.in_square_brackets():
        printer.print_list(entries, one)


def verify_count(name: str, values: Sequence[SSAValue], literals: DenseArrayBase[IntegerType] | None) -> None:
    """Refuse literals whose places for values do not match the values."""
    if literals is None:
        return
    places = sum(n == DYNAMIC for n in literals.get_values())
    if places != len(values):
        raise VerifyException(f"'{name}' has {places} dynamic entries and {len(values)} values")


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
            raise VerifyException(f"'padding' is {padding}, elements of {element_type} need a float")
        return
    if not isinstance(padding, IntegerAttr):
        raise VerifyException(f"'padding' is {padding}, elements of {element_type} need an integer")
    if not isinstance(element_type, IntegerType):
        return
    value, width = cast("IntegerAttr[IntegerType]", padding).value.data, element_type.width.data
    if not -(1 << (width - 1)) <= value < (1 << width):
        raise VerifyException(f"'padding' {value} does not fit {element_type}")

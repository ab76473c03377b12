"""Accessors of an op: its attributes, its operands as numbers, the types of its values."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TypeVar, cast

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    VectorType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.errors import fail
from xetile.interpreter.machine.elements import Element, element_of
from xetile.interpreter.machine.execution import Frame
from xetile.interpreter.machine.runtime_values import Array, uniform

_Part = TypeVar("_Part")


def attribute(op: Operation, name: str) -> Attribute | None:
    """Return a property or attribute by name, or None."""
    return op.properties[name] if name in op.properties else op.attributes.get(name)


def text(op: Operation, name: str) -> str:
    """Return a string, or the name of a symbol, by name; empty if it is absent."""
    found = attribute(op, name)
    if isinstance(found, SymbolRefAttr):
        return found.string_value()
    return found.data if isinstance(found, StringAttr) else ""


def integers(op: Operation, name: str) -> list[int]:
    """Return an array of integers by name; empty if it is absent."""
    found = attribute(op, name)
    if isinstance(found, DenseArrayBase):
        return [int(value) for value in found.get_values()]
    if isinstance(found, ArrayAttr):
        elements = cast("ArrayAttr[IntegerAttr]", found)
        return [element.value.data for element in elements]
    return []


def integer(op: Operation, name: str, default: int | None = None) -> int:
    """Return an integer by name."""
    found = attribute(op, name)
    if isinstance(found, IntegerAttr):
        return found.value.data
    if default is None:
        fail(op, f"'{name}' is missing")
    return default


def segments(op: Operation) -> list[Sequence[SSAValue]]:
    """Return the operands of an op, grouped by `operandSegmentSizes`."""
    return cut(op.operands, integers(op, "operandSegmentSizes"))


def cut(values: Sequence[_Part], sizes: Iterable[int]) -> list[Sequence[_Part]]:
    """Return values in groups of these sizes."""
    rest = iter(values)
    return [list(islice(rest, size)) for size in sizes]


def mixed(frame: Frame, constants: Sequence[int], dynamic: Sequence[SSAValue]) -> list[Array]:
    """Return numbers of which some are constants and the others operands, in 64 bits."""
    rest = iter(dynamic)
    if not constants:
        return all_numbers(frame, rest)
    return [
        number(frame, next(rest)) if constant == DYNAMIC_INDEX else uniform(constant)
        for constant in constants
    ]


def mixed_lists(
    frame: Frame, op: Operation, names: Sequence[str], dynamic: Sequence[Sequence[SSAValue]]
) -> list[list[Array]]:
    """Return lists of numbers by the names of their constants, with operands for the dynamic ones."""
    pairs = zip(names, dynamic, strict=True)
    return [mixed(frame, integers(op, name), values) for name, values in pairs]


def all_numbers(frame: Frame, values: Iterable[SSAValue]) -> list[Array]:
    """Return integer operands in 64 bits."""
    return [number(frame, value) for value in values]


def number(frame: Frame, value: SSAValue) -> Array:
    """Return an integer operand in 64 bits."""
    return frame.array(value).astype(np.int64, copy=False)


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """Return the shape of a vector; empty for a scalar."""
    type = value.type
    return tuple(type.get_shape()) if isinstance(type, VectorType) else ()


def element(value: SSAValue) -> Element:
    """Return the element type of a value."""
    return element_of(value.type, value)

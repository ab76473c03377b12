"""Arguments of a launch, checked against the kernel's parameters."""

from collections.abc import Sequence
from math import prod
from typing import cast

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerType, MemRefType, NoneAttr
from xdsl.ir import Attribute, BlockArgument, Operation

from xetile.analysis.promises import promised_multiples
from xetile.dialects.upstream.memref.memref_layout import strides_and_offset
from xetile.errors import XetileError, position
from xetile.interpreter.machine.elements import Element, element_of, round_to, wrap
from xetile.interpreter.machine.memory import Memory
from xetile.interpreter.machine.runtime_values import Array, MemRef, Value, uniform

LONGEST_SHOWN = 40
"""Characters of a value that diagnostics show."""

ADDRESS_BITS = 64
"""Bits of an integer parameter that accepts an array's address."""


def check_count(
    function: Operation, parameters: Sequence[BlockArgument], arrays: Sequence[object]
) -> None:
    """Raise for too many or too few arguments."""
    if len(parameters) != len(arrays):
        types = ", ".join(str(parameter.type) for parameter in parameters)
        what = "function" if function.name == "func.func" else "kernel"
        raise XetileError(
            f"the {what} takes {len(parameters)} arguments ({types}), {len(arrays)} are given",
            position(function),
        )


def place_all(
    memory: Memory, parameters: Sequence[BlockArgument], arrays: Sequence[object]
) -> list[Value]:
    """Return the values of parameters; arrays are placed in memory, where stores change them.

    Errors: XetileError, with the number of the argument, for one that does not fit.
    """
    pairs = enumerate(zip(parameters, arrays, strict=True))
    return [_place(memory, parameter, given, number) for number, (parameter, given) in pairs]


def _place(memory: Memory, parameter: BlockArgument, given: object, number: int) -> Value:
    name = f"argument {number}"
    type = parameter.type
    if isinstance(type, MemRefType):
        memref = cast("MemRefType[Attribute]", type)
        placed = _memref(memory, memref, given, name, element_of(memref, parameter))
        _check_promises(parameter, placed, name)
        return placed
    of = element_of(type, parameter)
    if isinstance(given, np.ndarray) and given.ndim > 0:
        return _address(memory, type, cast(Array, given), name)
    return _scalar(memory, cast(object, given), of, name)


def _check_promises(parameter: BlockArgument, given: MemRef, name: str) -> None:
    """Raise if an extent is not a positive multiple of the number that the kernel relies on."""
    for dimension, multiple in enumerate(promised_multiples(parameter) or ()):
        extent = int(given.sizes[dimension][0])
        if extent < 1 or extent % multiple:
            raise XetileError(
                f"{name} has extent {extent} in dimension {dimension}; the kernel relies on a multiple of {multiple}"
            )


def _address(memory: Memory, type: Attribute, given: Array, name: str) -> Array:
    if not isinstance(type, IntegerType) or type.bitwidth != ADDRESS_BITS:
        raise XetileError(
            f"{name} is {type}, which takes a number, not {_described(given)}; "
            "addresses of arrays are i64 or ui64"
        )
    if min(given.strides) < 0:
        raise XetileError(
            f"{name}: the array has strides {given.strides}; expected none below 0"
        )
    return np.array([memory.add(given, name)], np.int64)


def _scalar(memory: Memory, given: object, of: Element, name: str) -> Array:
    if isinstance(given, np.ndarray | np.generic):
        given = cast("Array | np.generic", given).item()
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise XetileError(
            f"{name} is {of.name}, which takes a number, not {_described(given)}"
        )
    is_number = given - given == 0  # neither infinite nor NaN
    if of.is_float:
        held = _rounded(given, of)
        if is_number and not np.isfinite(held.astype(np.float64)).all():
            raise XetileError(f"{name} is {of.name}, which does not hold {given}")
        return memory.storage.given(held, of)
    low, high = (0, 1 << of.bits) if of.unsigned else (-(1 << of.bits - 1), 1 << of.bits)
    if not is_number or given != int(given) or not low <= given < high:
        raise XetileError(f"{name} is {of.name}, which does not hold {given}")
    bits = np.array([int(given) & (1 << 64) - 1], np.uint64)
    return wrap(bits.view(np.int64), of)


def _rounded(given: float, of: Element) -> Array:
    """Return the number in the type; an infinity or NaN if it is out of range."""
    try:
        wide = np.array([given], np.float64)
    except OverflowError:  # an int
        wide = np.array([np.inf], np.float64)
    with np.errstate(over="ignore"):
        return round_to(wide, of)


def _described(given: object) -> str:
    if isinstance(given, np.ndarray):
        array = cast(Array, given)
        return (
            f"an array of {'x'.join(map(str, array.shape)) or 'no dimensions'} {array.dtype}"
        )
    shown = repr(given)
    return f"{type(given).__name__} {shown if len(shown) <= LONGEST_SHOWN else shown[:LONGEST_SHOWN] + '...'}"


def _memref(
    memory: Memory, type: MemRefType[Attribute], given: object, name: str, of: Element
) -> MemRef:
    if not isinstance(given, np.ndarray):
        raise XetileError(f"{name} is {type}, which takes an array, not {_described(given)}")
    array = cast(Array, given)
    if not _fits(array.dtype, of):
        raise XetileError(
            f"{name} is {type}, whose elements are {of.dtype}; the array has {array.dtype}"
        )
    shape, found = type.get_shape(), extents_in_elements(array.shape, of)
    if len(shape) != array.ndim or any(
        n not in (DYNAMIC_INDEX, extent) for n, extent in zip(shape, found, strict=True)
    ):
        halves = (
            "" if of.per_byte == 1 else f" of bytes, which have {of.per_byte} elements each"
        )
        raise XetileError(f"{name} is {type}; the array has shape {list(array.shape)}{halves}")
    strides, offset = _check_strides(type, array, name, of)
    if offset < 0:
        raise XetileError(f"{name} is {type}; an offset below 0 cannot be executed")
    shift = offset * of.size // of.per_byte
    base = memory.add(array, name, shift=shift) - shift
    return MemRef(
        uniform(base),
        uniform(offset),
        tuple(uniform(n) for n in found),
        tuple(map(uniform, strides)),
    )


def extents_in_elements(shape: Sequence[int], of: Element) -> tuple[int, ...]:
    """Return the extents in elements of an array of bytes that elements share; those of other arrays unchanged."""
    return (*shape[:-1], *(extent * of.per_byte for extent in shape[-1:]))


def strides_in_elements(array: Array, of: Element) -> tuple[int, ...]:
    """Return the strides of an array; if elements share bytes, neighboring bytes of a row are neighbors."""
    steps = [stride // max(1, array.itemsize) for stride in array.strides]
    if of.per_byte == 1:
        return tuple(steps)
    return (*(step * of.per_byte for step in steps[:-1]), *steps[-1:])


def _fits(dtype: np.dtype[np.generic], of: Element) -> bool:
    if dtype == of.dtype or (of.per_byte > 1 and dtype.name in ("uint8", "int8")):
        return True
    signless = not of.is_float and of.bits > 1 and of.name.startswith("i")
    return signless and dtype.kind == "u" and dtype.itemsize == of.size


def _check_strides(
    type: MemRefType[Attribute], array: Array, name: str, of: Element
) -> tuple[list[int], int]:
    """Return strides in elements and the offset of the memref's element zero; raise if they contradict the type.

    Along an extent of 1 the stride is the type's: it is never used, and numpy returns any number.
    """
    layout = strides_and_offset(type)
    if layout is None:
        raise XetileError(f"{name} is {type}, whose layout is not strided")
    strides, offset = layout
    found = list(strides_in_elements(array, of))
    shape = extents_in_elements(array.shape, of)
    if any(stride % array.itemsize or stride < 0 for stride in array.strides):
        raise XetileError(
            f"{name}: the array has strides of {list(array.strides)} bytes; "
            f"expected multiples of {array.itemsize}, none below 0"
        )
    if isinstance(type.layout, NoneAttr):
        strides = tuple(prod(shape[d + 1 :]) for d in range(array.ndim))
    for extent, stride, expected in zip(shape, found, strides, strict=True):
        if expected is not None and extent > 1 and array.size and stride != expected:
            shown = ["?" if s is None else s for s in strides]
            raise XetileError(
                f"{name} is {type}, whose strides are {shown} elements; the array has {found}"
            )
    taken = [
        stride if expected is None or extent != 1 else expected
        for extent, stride, expected in zip(shape, found, strides, strict=True)
    ]
    return taken, offset or 0

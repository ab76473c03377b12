"""Tiles made of numbers: `xt.zeros((64, 32), xt.f32)`, `xt.full((64, 1), 0.5, xt.f32)`, `xt.arange(64)`."""

from collections.abc import Sequence
from typing import cast

from xetile.language.arithmetic import Single, element_of
from xetile.language.builder import Pair
from xetile.language.conversions import converted
from xetile.language.elementwise import binary
from xetile.language.indices import Index, difference
from xetile.language.literals import literal, number_of, whole_of
from xetile.language.numbered import numbers
from xetile.language.rearranging import broadcast
from xetile.language.refusals import refuse
from xetile.language.tiles import Tile
from xetile.language.types import ElementType
from xetile.language.types import index as INDEX
from xetile.language.values import describe


def zeros(shape: Pair, type: ElementType) -> Tile:
    """A tile of zeros."""
    return full(shape, False if element_of(type).kind == "boolean" else 0, type)


def full(shape: Pair, value: Single | float, type: ElementType | None = None) -> Tile:
    """A tile of one value; a scalar brings its type."""
    shape = shape_of("xt.full", shape)
    if isinstance(value, Single):
        held = value.held() if type is None else converted(value.held(), element_of(type))
        return Tile(broadcast(held, shape).value, held.element, shape)
    number = number_of(value)
    if number is None:
        refuse(f"xt.full of {describe(value)}: expected a number")
    if type is None:
        refuse(f"xt.full({shape}, {value!r}): the type is missing, such as xt.f32")
    return Tile(literal(number, element_of(type), shape).value, type, shape)


def shape_of(name: str, shape: object) -> Pair:
    """Rows and columns that a kernel's author wrote.

    Errors: XetileError for what is no pair of positive numbers.
    """
    if isinstance(shape, tuple | list):
        extents = [number_of(extent) for extent in cast("Sequence[object]", shape)]
        match extents:
            case [int() as rows, int() as columns] if rows > 0 and columns > 0:
                return rows, columns
            case _:
                pass
    refuse(
        f"{name} of shape {shape!r}; a tile has rows and columns that are known before it runs, such as (64, 32)"
    )


def arange(
    start: Index | int,
    stop: Index | int | None = None,
    *,
    axis: int = 1,
    type: ElementType = INDEX,
) -> Tile:
    """The whole numbers from `start` up to `stop`, or those below `start`: a row, or with axis=0 a column."""
    if whole_of(axis) not in (0, 1):
        refuse(f"xt.arange along axis {axis!r}; a row has axis 1, a column axis 0")
    first, last = (0, start) if stop is None else (start, stop)
    count = difference(last, first)
    if count is None or count < 1:
        refuse(
            "xt.arange of a number of elements that is not known, or none; write xt.arange(N) + start"
            if count is None
            else f"xt.arange of {count} elements"
        )
    element = element_of(type)
    held = numbers(count, axis, element)
    begin = Index.of(first)
    if begin.known is None:
        held = binary("add", held, converted(begin.held(), element))
    elif begin.constant:
        held = binary("add", held, literal(begin.constant, element, held.shape))
    return Tile(held.value, element, (1, count) if axis == 1 else (count, 1))

"""Padding at the edges of a matrix: a workgroup reads the same as it is written, on XeGPU and on one lane's registers."""

import pytest
from support.on_device import Place
from support.subgroup import (
    Argument,
    Shape,
    distributed,
    kernel,
    random,
    run,
    tile,
    vector,
    window,
)

from xetile.dialects.modules import context
from xetile.errors import XetileError
from xetile.levels import LevelName
from xetile.passes.pipelines import lower

PADDING = 7.0
NOT_YET = "is not lowered to XeVM yet"
LEVELS: tuple[LevelName, ...] = ("subgroup", "blocked", "xegpu", "xevm")


def check(
    place: Place, argument: Argument, shape: Shape, top: int, left: int, attributes: str = ""
) -> None:
    """Load a tile at a corner and store it: numpy's window at every level.

    Masks have no registers yet: lane level refuses some tiles, none that lie inside.
    """
    read, write = tile(shape, "f32", attributes), tile(shape, "f32")
    filled = window(argument.before, top, left, shape, PADDING)
    c = Argument("C", f"memref<{shape[0]}x{shape[1]}xf32>", filled * 0, filled)
    body = f"""
    %t = xetile.init_tile %{argument.name}[{top}, {left}] : {argument.type} -> {read}
    %v = xetile.load_tile %t {{padding = {PADDING}}} : {read} -> {vector(shape, "f32")}
    %u = xetile.init_tile %C[0, 0] : {c.type} -> {write}
    xetile.store_tile %v, %u : {vector(shape, "f32")}, {write}"""
    text = kernel(distributed(body, {shape: (1, 1)}), [argument, c])
    run(text, [argument, c])
    inside = not (filled == PADDING).any()
    for level in place.levels(LEVELS):
        refusal = ""
        try:
            run(
                text,
                [argument, c],
                lambda m, to=level: lower(context(), m, to, "bmg"),
                place=place,
            )
        except XetileError as error:
            refusal = error.message
        if inside or level != "xevm":
            assert refusal == ""
        assert refusal.endswith(NOT_YET) or not refusal


@pytest.mark.parametrize("top", [55, 56, 62, 63, -1, -8])
@pytest.mark.parametrize("left", [0, 47, 49, -15])
def test_rows_and_columns_beyond_the_last(top: int, left: int, place: Place) -> None:
    """A matrix of 63 rows holds the tile at row 55 whole, and all but one row of that at 56."""
    values = random("f32", (63, 64))
    check(place, Argument("A", "memref<63x64xf32>", values, values), (8, 16), top, left)


@pytest.mark.parametrize("corner", [(88, 8), (0, 56), (80, 48), (-4, -4), (90, 60)], ids=str)
def test_a_column_major_matrix_ends_at_its_own_rows_and_columns(
    corner: Shape, place: Place
) -> None:
    """96 rows that stand side by side in memory, 64 columns: the plane of the message is 64 x 96."""
    values = random("f32", (64, 96)).T
    a = Argument("A", "memref<96x64xf32, strided<[1, 96]>>", values, values)
    check(place, a, (16, 16), *corner, "order = [0, 1]")

"""Reductions of tiles: along one axis, which stays with an extent of 1."""

from typing import TYPE_CHECKING, Literal, TypeAlias

from xetile.language.builder import current
from xetile.language.held import Held, flags
from xetile.language.literals import whole_of
from xetile.language.refusals import refuse

if TYPE_CHECKING:
    from xdsl.dialects.arith import FastMathFlagsAttr
    from xdsl.ir import Operation, SSAValue

Reduction: TypeAlias = Literal["sum", "prod", "max", "min", "nanmax", "nanmin"]


def reduced(kind: Reduction, held: Held, axis: object) -> Held:
    """The elements along `axis` combined, in the tile's own type."""
    from xetile.dialects.xetile import TileReduceOp

    if axis is None:
        refuse(f".{kind}() of a whole tile: write .{kind}(1).{kind}(0)")
    axis = axis_of(axis, f".{kind}({axis!r}): a tile has")
    assert held.shape is not None
    rows, columns = held.shape
    combining = _combining(kind, held)
    builder = current()
    if held.element.kind != "float":
        value = builder.pure_of(TileReduceOp, combining, held.value, (axis,))
    else:
        value = builder.pure_of(_of_floats, combining, held.value, axis, flags())
    return Held(value, held.element, (1, columns) if axis == 0 else (rows, 1))


def axis_of(axis: object, has: str) -> int:
    """An axis of a tile; XetileError, which begins with `has`, for what is neither 0 nor 1."""
    number = whole_of(axis)
    if number is None or number not in (0, 1):
        refuse(f"{has} axes 0 (down the columns) and 1 (along the rows)")
    return number


def _of_floats(
    kind: str, value: "SSAValue", axis: int, flags: "FastMathFlagsAttr | None"
) -> "Operation":
    from xetile.dialects.xetile import TileReduceOp

    return TileReduceOp(kind, value, (axis,), fastmath=flags)


def _combining(kind: str, held: Held) -> str:
    element = held.element
    if element.kind == "boolean":
        refuse(f".{kind} takes no {element}; write `.to(xt.i32).{kind}(...)`")
    if kind in ("sum", "prod"):
        return "add" if kind == "sum" else "mul"
    if element.kind == "float":
        return f"{kind.removeprefix('nan')}numf" if kind.startswith("nan") else f"{kind}imumf"
    kind = kind.removeprefix("nan")
    return f"{kind}ui" if element.unsigned else f"{kind}si"

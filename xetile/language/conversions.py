"""From one element type to another.

| from | to | value |
|---|---|---|
| float | float | rounded to nearest even; beyond the range an infinity (f8E4M3FN: NaN) |
| float | integer | towards zero; beyond the range the nearest, NaN 0 |
| integer | float | rounded to nearest even |
| integer | integer | modulo the width |
| any | i1 | whether it is not 0 |
| i1 | any | 0 or 1 |
"""

from typing import TYPE_CHECKING

from xdsl.ir import SSAValue

from xetile.language.builder import current
from xetile.language.held import Held, flags, type_of
from xetile.language.literals import literal
from xetile.language.refusals import refuse
from xetile.language.types import ElementType, f32, i64

if TYPE_CHECKING:
    from xdsl.ir import Operation


def converted(held: Held, to: ElementType) -> Held:
    """The value in another type."""
    if held.element == to:
        return held
    if to.name == "tf32" and held.element.digits > f32.digits:
        refuse(f"{held.describe()} to tf32 rounds twice; write `.to(xt.f32).to(xt.tf32)`")
    if to.kind == "boolean":
        return _truth(held, to)
    for step in (*_steps(held.element, to), to):
        held = _step(held, step)
    return held


def _steps(source: ElementType, to: ElementType) -> tuple[ElementType, ...]:
    """The types on the way for which there is no op."""
    if "float" not in (source.kind, to.kind):
        return ()
    if source.kind == to.kind == "float":
        return (f32,) if source.bits == to.bits else ()
    return (i64,) if "index" in (source.kind, to.kind) else ()


def _step(held: Held, to: ElementType) -> Held:
    op = _op(held.value, held, to)
    return Held(current().pure(op), to, held.shape)


def _op(value: SSAValue, held: Held, to: ElementType) -> "Operation":
    from xetile.dialects.upstream import arith

    source, type = held.element, type_of(to, held.shape)
    if source.kind == "float":
        if to.kind == "float":
            if to.bits < source.bits:
                return arith.TruncFOp(value, type, fastmath=flags())
            return arith.ExtFOp(value, type, fastmath=flags())
        return (arith.FPToUIOp if to.unsigned else arith.FPToSIOp)(value, type)
    positive = source.unsigned or source.kind == "boolean"
    if to.kind == "float":
        return (arith.UIToFPOp if positive else arith.SIToFPOp)(value, type)
    if "index" in (source.kind, to.kind):
        return (arith.IndexCastUIOp if positive else arith.IndexCastOp)(value, type)
    return _resized(value, held, to)


def _resized(value: SSAValue, held: Held, to: ElementType) -> "Operation":
    from xetile.dialects.upstream import arith

    source, type = held.element, type_of(to, held.shape)
    if to.bits < source.bits:
        return arith.TruncIOp(value, type)
    if to.bits > source.bits:
        positive = source.unsigned or source.kind == "boolean"
        return (arith.ExtUIOp if positive else arith.ExtSIOp)(value, type)
    return arith.BitcastOp(value, type)


def _truth(held: Held, to: ElementType) -> Held:
    from xetile.dialects.upstream import arith

    zero = literal(0, held.element, held.shape).value
    if held.element.kind == "float":
        op = arith.CmpfOp(held.value, zero, "une", flags())
    else:
        op = arith.CmpiOp(held.value, zero, "ne")
    return Held(current().pure(op), to, held.shape)

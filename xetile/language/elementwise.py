"""Ops on elements, on values in IR: operands of one type and shape, then one op. Classes of values stand above."""

from typing import NamedTuple

from xdsl.ir import SSAValue

from xetile.language.builder import Pair, current
from xetile.language.types import ElementType


class Held(NamedTuple):
    """A value in IR: elements of a type, in a tile of `shape` or (None) a single one."""

    value: SSAValue
    element: ElementType
    shape: Pair | None


def binary(kind: str, left: Held, right: Held) -> Held:
    """`left kind right`."""
    from xetile.dialects.upstream.arith import AddfOp

    assert kind == "add"
    return left._replace(value=current().pure(AddfOp(left.value, right.value)))

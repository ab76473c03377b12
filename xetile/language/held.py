"""What functions on elements work on: values in IR with their types. They know no classes of values."""

from functools import cache
from typing import NamedTuple

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, SSAValue

from xetile.language.builder import Pair, current
from xetile.language.refusals import refuse
from xetile.language.types import ElementType


class Held(NamedTuple):
    """A value in IR: elements of a type, in a tile of `shape` or (None) a single one."""

    value: SSAValue
    element: ElementType
    shape: Pair | None

    def describe(self) -> str:
        """What it is, for messages: `a tile of 8x16xf32`, `a scalar of f32`, `an index`."""
        return described(self.element, self.shape)


def described(element: ElementType, shape: Pair | None) -> str:
    """What a value of such a type is, for messages."""
    if shape is not None:
        return f"a tile of {shape[0]}x{shape[1]}x{element}"
    return "an index" if element.kind == "index" else f"a scalar of {element}"


@cache
def type_of(element: ElementType, shape: Pair | None) -> Attribute:
    """The type in IR."""
    fitting_in_memory(shape)
    return element.attribute if shape is None else VectorType(element.attribute, shape)


MOST_ELEMENTS = 1 << 22
"""Of a tile: several times what the registers of a workgroup hold, and little for numpy."""


def fitting_in_memory(shape: Pair | None) -> None:
    """Refuse a tile that is too large before memory is asked for."""
    if shape is not None and shape[0] * shape[1] > MOST_ELEMENTS:
        refuse(
            f"expected a tile of at most {MOST_ELEMENTS} elements, found {shape[0]}x{shape[1]}; "
            "write a loop over parts of it"
        )


def flags() -> FastMathFlagsAttr | None:
    """The fastmath flags that hold where the kernel is being traced."""
    return current().fastmath

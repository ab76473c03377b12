"""How the functions of a compiled loop hand values to one another: a memref as its address, extents and strides."""

from collections.abc import Sequence
from typing import NamedTuple, cast

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue

from xetile.interpreter.host.code import held
from xetile.interpreter.machine.elements import Element


class View(NamedTuple):
    """A memref from outside: its address, extents and strides, as names or literals."""

    source: SSAValue
    address: str
    sizes: list[str]
    strides: list[str]
    of: Element


class Callee(NamedTuple):
    """A function that is written: its parameters, those whose memory it stores to, and how deep its calls go."""

    symbol: str
    types: Sequence[Attribute]
    stored: Sequence[int]
    depth: int


def passed(view: View) -> list[str]:
    """A memref as arguments or parameters."""
    return [f"ptr {view.address}", *(f"i64 {part}" for part in (*view.sizes, *view.strides))]


def parameter(argument: SSAValue, name: str) -> View:
    """A memref of which a function knows what it is given."""
    assert isinstance(argument.type, MemRefType)
    type = cast("MemRefType[Attribute]", argument.type)
    sizes, strides = (
        [f"{name}.{part}.{d}" for d in range(type.get_num_dims())]
        for part in ("size", "stride")
    )
    return View(argument, name, sizes, strides, held(type.element_type))

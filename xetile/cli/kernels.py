"""What a command line asks about a kernel: its name, the types of its parameters."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute, Operation


def _attribute(function: "Operation", name: str) -> "Attribute | None":
    return function.properties.get(name) or function.attributes.get(name)


def kernel_name(function: "Operation") -> str:
    """The name of a function."""
    from xdsl.dialects.builtin import StringAttr

    name = _attribute(function, "sym_name")
    return name.data if isinstance(name, StringAttr) else ""


def parameter_types(function: "Operation") -> "Sequence[Attribute]":
    """The types of the parameters, without buffers that the kernel itself declares."""
    from xdsl.dialects.builtin import FunctionType

    kind = _attribute(function, "function_type")
    if isinstance(kind, FunctionType):
        return kind.inputs.data
    return [argument.type for argument in function.regions[0].blocks[0].args]

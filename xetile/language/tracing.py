"""From a Python function to a module: its body runs once, on values that stand for what it will be given."""

from collections.abc import Callable, Mapping
from math import prod

from xdsl.dialects import builtin
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region

from xetile.language.arrays import Array, memref_of
from xetile.language.builder import Builder, Pair, named, using
from xetile.language.types import ArrayType


def trace(
    function: Callable[..., object],
    name: str,
    types: Mapping[str, ArrayType],
    constants: Mapping[str, object],
    *,
    sg_layout: Pair,
) -> ModuleOp:
    """The module of a kernel for arguments of `types`, by the names of its parameters."""
    from xetile.dialects.upstream import gpu

    block = Block(arg_types=[memref_of(type) for type in types.values()])
    builder = Builder(sg_layout, block)
    arguments: dict[str, Array] = {}
    for value, (parameter, type) in zip(block.args, types.items(), strict=True):
        arguments[parameter] = Array(
            named(value, parameter), type, tuple(e for e in type.extents if isinstance(e, int))
        )
    with using(builder):
        function(*arguments.values(), **constants)
        builder.insert(gpu.ReturnOp())
    op = gpu.FuncOp(
        name,
        ([argument.type for argument in block.args], ()),
        Region(block),
        kernel=True,
        known_block_size=(16 * prod(sg_layout), 1, 1),
    )
    return builtin.ModuleOp([gpu.ModuleOp("kernels", [op])])

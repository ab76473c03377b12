"""Adoption of modules that a tool read without our dialects: ops are replaced by those of our dialects.

xDSL's own `gpu`, `arith`, `vector` and others lack ops, types of operands and properties that kernels have; a tool
that allows unknown ops has these as unregistered ops. Both are parsed once more, in all our
dialects.

    %0 = "vector.extract_strided_slice"(%v) ...      // builtin.unregistered
    "gpu.func"() ...                                 // xdsl.dialects.gpu.FuncOp
->
    the same, of xetile.dialects.upstream
"""

from functools import cache

from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Operation

from xetile.dialects import OWN_DIALECTS, dialect_factory
from xetile.toolchain.mlir_text import parse_module, print_module


def adopt(module: ModuleOp) -> None:
    """Replace ops of other classes by ours. If there are any, all ops are created anew.

    Raise XetileError for ops whose text cannot be read.
    """
    if not any(map(_is_anothers, module.walk())):
        return
    read = parse_module(print_module(module))
    body = read.detach_region(read.body)
    module.detach_region(module.body).drop_all_references()
    module.add_region(body)


def _is_anothers(op: Operation) -> bool:
    name = op.op_name.data if isinstance(op, UnregisteredOp) else op.name
    ours = _ours(name.partition(".")[0]).get(name)
    return ours is not None and not isinstance(op, ours)


@cache
def _ours(dialect: str) -> dict[str, type[Operation]]:
    """Return the ops of our dialect of that name, by op name."""
    if dialect not in OWN_DIALECTS:
        return {}
    return {op.name: op for op in dialect_factory(dialect)().operations}

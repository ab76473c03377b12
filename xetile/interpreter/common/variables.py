"""Variables of a module, found by name from the ops that use them."""

from xdsl.ir import Operation

from xetile.analysis.module_kernels import symbol_name
from xetile.errors import fail


def find_variable(op: Operation, kind: str, name: str) -> Operation:
    """Return the variable of that name, an op `kind`, in the innermost module around the op that has one."""
    outer = op.parent_op()
    while outer is not None:
        for candidate in outer.regions[0].block.ops if outer.name.endswith("module") else ():
            if candidate.name == kind and symbol_name(candidate) == name:
                return candidate
        outer = outer.parent_op()
    fail(op, f"there is no {kind} '{name}' in the module")

"""Run a pass, which takes a whole module, on one op inside it, as mlir-opt's nested pass managers do.

Before, the program is:

    builtin.module {
      gpu.module @m attributes {...} {
        memref.global @table : memref<16xf32>
        gpu.func @one { ... }
        gpu.func @two { ... }
      }
      func.func @host { ... }
    }

After, a pass that runs on @one gets:

    builtin.module {
      gpu.module @m attributes {...} {
        memref.global @table : memref<16xf32>
        gpu.func @one { ... }
      }
    }

@one is the op itself. The ops around it have their attributes. Symbols next to it are copied if they have no body or if
@one calls them. The pass may read all of these, but a pass that changes the ops around, or adds some, is refused.
"""

from collections.abc import Callable, Collection, Iterator
from itertools import pairwise
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr, UnregisteredOp
from xdsl.ir import Attribute, Block, Operation
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsolatedFromAbove

from xetile.analysis.module_kernels import OLDER_CONVENTION, functions, launches, symbol_name
from xetile.errors import fail

ANY = "any"
"""The anchor that matches every op on which passes may run."""


class Around(NamedTuple):
    """An op around the one that is changed, and the ops in it next to the inner one: copies, by their symbols."""

    name: str
    attributes: dict[str, Attribute]
    properties: dict[str, Attribute]
    copies: Collection[str]
    next: tuple[str, str]


def anchored(op: Operation, anchor: str) -> Iterator[Operation]:
    """Yield the ops directly in `op` on which a pipeline runs whose anchor is the name of an op, or `any`.

    Errors: XetileError at an op of that name on which passes cannot run, as in mlir-opt.
    """
    for inner in _inside(op):
        if anchor == ANY:
            if inner.has_trait(IsolatedFromAbove, value_if_unregistered=False):
                yield inner
        elif _name(inner) == anchor:
            if isinstance(inner, UnregisteredOp):
                fail(inner, f"a pass is to run on '{anchor}', an op that is not registered")
            if not inner.has_trait(IsolatedFromAbove):
                fail(
                    inner, f"a pass is to run on '{anchor}', which takes values from around it"
                )
            yield inner


def change_alone(op: Operation, change: Callable[[ModuleOp], None], by: str) -> Operation:
    """Let `change` change a module that contains only `op`, and return the op that replaces it.

    `by` names the change in diagnostics. `op` and all ops around it are isolated from above. Errors: XetileError if ops
    around or next to it were changed too; also those of `change`.
    """
    block, after = op.parent, op.next_op
    assert block is not None
    place = InsertPoint.at_end(block) if after is None else InsertPoint.before(after)
    launched = _launched_elsewhere(op)
    shells = _shells(op)
    module = shells[0]
    assert isinstance(module, ModuleOp)
    around = [_around(outer, inner) for outer, inner in pairwise([*shells, op])]
    op.detach()
    shells[-1].regions[0].block.add_op(op)
    result = op
    try:
        change(module)
        result = _found(module, around, by)
    finally:
        if result.parent is not None:
            result.detach()
            Rewriter.insert_op(result, place)
    for kernel in functions(result):
        if symbol_name(kernel) in launched and OLDER_CONVENTION not in kernel.attributes:
            fail(
                kernel,
                f"{by} changes how @{symbol_name(kernel)} is launched, which is done outside of "
                f"'{result.name}'; anchor it on 'builtin.module'",
            )
    return result


def _launched_elsewhere(op: Operation) -> set[str]:
    """Return the kernels in `op` that count subgroups and are launched outside it: passes rewrite these launches."""
    return {
        symbol_name(kernel)
        for kernel in functions(op)
        if OLDER_CONVENTION in kernel.attributes
        and any(not op.is_ancestor(launch) for launch in launches(kernel))
    }


def _shells(op: Operation) -> list[Operation]:
    """Return copies of the ops around `op`, outermost first and nested, with copies of the symbols next to it."""
    around = [op]
    while (outer := around[0].parent_op()) is not None:
        around.insert(0, outer)
    shells: list[Operation] = []
    for outer, inner in pairwise(around):
        assert inner.parent is not None
        block = Block(arg_types=inner.parent.arg_types)
        called = _called(op, inner.parent)
        others = (o for o in inner.parent.ops if o is not inner)
        block.add_ops([o.clone() for o in others if o in called or _is_bare_symbol(o)])
        shell = outer.clone_without_regions()
        shell.regions[0].add_block(block)
        if shells:
            shells[-1].regions[0].block.add_op(shell)
        shells.append(shell)
    return shells


def _called(op: Operation, block: Block) -> set[Operation]:
    """Return the functions of a block that `op` calls, directly or through others."""
    by_name = {symbol_name(o): o for o in block.ops if symbol_name(o)}
    found: set[Operation] = set()
    waiting = [op]
    while waiting:
        for call in (o for o in waiting.pop().walk() if o.name == "func.call"):
            callee = call.properties.get("callee")
            name = callee.root_reference.data if isinstance(callee, SymbolRefAttr) else ""
            function = by_name.get(name)
            if function is not None and function is not op and function not in found:
                found.add(function)
                waiting.append(function)
    return found


def _is_bare_symbol(op: Operation) -> bool:
    return bool(symbol_name(op)) and not any(region.blocks for region in op.regions)


def _around(shell: Operation, inner: Operation) -> Around:
    copies = {symbol_name(o) for o in _inside(shell) if o is not inner}
    return Around(
        shell.name, dict(shell.attributes), dict(shell.properties), copies, _key(inner)
    )


def _found(module: ModuleOp, around: list[Around], by: str) -> Operation:
    """Return the op that was inside all of these ops, found by name since a pass may create all of them anew."""
    found: Operation = module
    for outer in around:
        if (found.attributes, found.properties) != (outer.attributes, outer.properties):
            fail(found, _too_narrow(by, "changes attributes of", outer))
        rest = [o for o in _inside(found) if symbol_name(o) not in outer.copies]
        following = [o for o in rest if _key(o) == outer.next] or rest
        if not following:
            fail(found, _too_narrow(by, f"removes '{outer.next[0]}' from", outer))
        added = next((o for o in rest if o is not following[0]), None)
        if added is not None:
            fail(added, _too_narrow(by, f"adds '{added.name}' to", outer))
        found = following[0]
    return found


def _too_narrow(by: str, what: str, outer: Around) -> str:
    return f"{by} {what} the '{outer.name}' around its anchor; anchor it on '{outer.name}'"


def _inside(op: Operation) -> list[Operation]:
    return [o for region in op.regions for block in region.blocks for o in block.ops]


def _key(op: Operation) -> tuple[str, str]:
    return op.name, symbol_name(op)


def _name(op: Operation) -> str:
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name

"""Our passes in pipelines of MLIR's Python bindings, next to upstream's.

    manager = PassManager("builtin.module")
    manager.add(mlir_pass(lambda module: xetile.lower(module, to="xevm", device="bmg")))
    manager.add("canonicalize,cse")
    manager.run(module.operation)

The module comes and returns as generic text. XeTile is unknown to upstream: a context with
`allow_unregistered_dialects` reads it in generic form.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import FileLineColLoc, ModuleOp

from xetile.errors import XetileError, named_place
from xetile.toolchain.mlir_text import parse_module, print_module

if TYPE_CHECKING:
    import mlir.ir as upstream
    from mlir.passmanager import ExternalPass


def mlir_pass(
    change: Callable[[ModuleOp], ModuleOp],
) -> "Callable[[upstream.Operation, ExternalPass], None]":
    """Return a pass for `PassManager.add` that replaces a module by the result of `change`.

    An error of `change` becomes an error of MLIR at its place in the source, with its notes, and the pipeline fails.
    """

    def xetile(op: "upstream.Operation", running: "ExternalPass") -> None:
        from xetile.dialects.modules import verify

        try:
            if op.name != ModuleOp.name:
                raise XetileError(
                    f"passes of xetile run on '{ModuleOp.name}', not on '{op.name}'"
                )
            module = parse_module(_text(op))
            verify(module)
            changed = change(module)
            verify(changed)
            _put(print_module(changed, with_names=False), op)
        except XetileError as error:
            _report(error, op)
            running.signal_pass_failure()
        except Exception as error:  # none may pass through the C++ that calls this
            op.location.emit_error(f"internal error: {type(error).__name__}: {error}")
            running.signal_pass_failure()

    return xetile


def _text(op: "upstream.Operation") -> str:
    text = op.get_asm(print_generic_op_form=True, enable_debug_info=True, use_local_scope=True)
    return str(text)


def _put(text: str, op: "upstream.Operation") -> None:
    """Replace the ops in `op` by those of a module's text."""
    from mlir.ir import Operation

    made = Operation.parse(text, context=op.context)
    body = op.regions[0].blocks[0]
    for old in reversed(list(body.operations)):
        old.operation.erase()
    for new in list(made.regions[0].blocks[0].operations):
        body.append(new)
    for name in list(op.attributes):
        del op.attributes[name]
    for name in made.attributes:
        op.attributes[name] = made.attributes[name]


def _report(error: XetileError, op: "upstream.Operation") -> None:
    notes = "".join(f"\n{named_place(n.location)}: note: {n.message}" for n in error.notes)
    _location(error.location, op).emit_error(error.message + notes)


def _location(place: FileLineColLoc | None, op: "upstream.Operation") -> "upstream.Location":
    from mlir.ir import Location

    if place is None:
        return op.location
    name, line, column = place.filename.data, place.line.data, place.column.data
    return Location.file(name, line, column, context=op.context)

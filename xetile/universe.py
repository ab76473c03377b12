"""What xDSL's tools find of xetile: the entry point `xdsl.universe`.

Only names that xDSL does not own, since any clash makes every call of xdsl-opt fail. Nothing
is imported before it is asked for.
"""

from collections.abc import Callable
from contextlib import suppress

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.diagnostic import Diagnostic
from xdsl.utils.exceptions import DiagnosticException

from xetile.dialects import NEW_DIALECTS, dialect_factory
from xetile.errors import XetileError, named_place
from xetile.passes import all_passes

Load = Callable[[], type[ModulePass]]


def _with_diagnostics(load: Load) -> Load:
    """A pass whose refusals are what xDSL's tools know as such: `--verify-diagnostics` prints them."""

    def loaded() -> type[ModulePass]:
        kind = load()

        def apply(self: ModulePass, ctx: Context, op: ModuleOp) -> None:
            try:
                kind.apply(self, ctx, op)
            except XetileError as error:
                raise _refused(error) from error

        return type(
            kind.__name__,
            (kind,),
            {"apply": apply, "__doc__": kind.__doc__, "__module__": kind.__module__},
        )

    return loaded


class _Refused(XetileError, DiagnosticException):
    """A refusal that xDSL's tools print, and ours as any other."""


def _refused(error: XetileError) -> _Refused:
    """The same refusal; where no position is known, which is so in xdsl-opt, the IR shows the op."""
    made = _Refused(error.message, error.location, error.notes)
    for note in error.notes:
        made.add_note(f"{named_place(note.location)}: note: {note.message}")
    op = error.at.owner if isinstance(error.at, SSAValue) else error.at
    if error.location is None and isinstance(op, Operation):
        diagnostic = Diagnostic()
        diagnostic.add_message(op, error.message)
        with suppress(_Refused):
            diagnostic.raise_exception(op, made)
    return made


XETILE_UNIVERSE = Universe(
    all_dialects={name: dialect_factory(name) for name in NEW_DIALECTS},
    all_passes={name: _with_diagnostics(load) for name, load in all_passes().items()},
)

"""The entry point `xdsl.universe`, through which xDSL's tools find xetile.

It has only names that xDSL does not own, since any clash makes every call of xdsl-opt fail. Nothing
is imported before it is needed.
"""

from collections.abc import Callable
from contextlib import suppress

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.diagnostic import Diagnostic

from xetile.dialects import NEW_DIALECTS, dialect_factory
from xetile.errors import XetileError, named_place
from xetile.passes import all_passes

Load = Callable[[], type[ModulePass]]


def _for_others(load: Load) -> Load:
    """Wrap a pass for tools of other projects.

    It accepts ops that these read as xDSL defines them, and its errors show all that they contain in tools that print a
    text and its notes, as xDSL's do.
    """

    def loaded() -> type[ModulePass]:
        kind = load()

        def apply(self: ModulePass, ctx: Context, op: ModuleOp) -> None:
            from xetile.toolchain.adopted import adopt

            adopt(op)
            try:
                kind.apply(self, ctx, op)
            except XetileError as error:
                _show_places(error)
                raise

        return type(
            kind.__name__,
            (kind,),
            {"apply": apply, "__doc__": kind.__doc__, "__module__": kind.__module__},
        )

    return loaded


def _show_places(error: XetileError) -> None:
    """Add the other places; and the op in the IR if no position is known, since xDSL's parser gives none."""
    for note in error.notes:
        error.add_note(f"{named_place(note.location)}: note: {note.message}")
    op = error.at.owner if isinstance(error.at, SSAValue) else error.at
    if error.location is None and isinstance(op, Operation):
        diagnostic = Diagnostic()
        diagnostic.add_message(op, error.message)
        with suppress(XetileError):
            diagnostic.raise_exception(op, error)


XETILE_UNIVERSE = Universe(
    all_dialects={name: dialect_factory(name) for name in NEW_DIALECTS},
    all_passes={name: _for_others(load) for name, load in all_passes().items()},
)

"""A symbol that an op names and does not see: there is none, or it stands in another table."""

from collections.abc import Iterator

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation
from xdsl.traits import SymbolTable

from xetile.advice import hint
from xetile.errors import Note, notes_at


def unseen_symbol(op: Operation, name: str) -> tuple[str, tuple[Note, ...]]:
    """What is said of it; what is meant is sought among all symbols that the program has."""
    *_, outermost = (op, *_around(op))
    known: dict[str | None, Operation] = {}
    for one in outermost.walk():
        known.setdefault(_symbol(one), one)
    found = known.get(name)
    if found is None:
        return f"there is no symbol '@{name}'{hint(name, list(filter(None, known)), '@')}", ()
    here, there = _table(op), _table(found)
    where = _called(here)
    if there in _around(here):
        says = f"'@{name}' stands outside of {where}, where '{op.name}' looks for it; put it there"
    else:
        says = f"'@{name}' stands in {_called(there)}, '{op.name}' looks for it in {where}; put it there"
    return says, notes_at(found, f"'@{name}' is here")


def _around(op: Operation) -> Iterator[Operation]:
    while (outer := op.parent_op()) is not None:
        yield outer
        op = outer


def _table(op: Operation) -> Operation:
    """The op whose symbols an op sees, and among which its own is."""
    return next((outer for outer in _around(op) if outer.has_trait(SymbolTable)), op)


def _symbol(op: Operation) -> str | None:
    name = op.get_attr_or_prop("sym_name")
    return name.data if isinstance(name, StringAttr) else None


def _called(table: Operation) -> str:
    name = _symbol(table)
    return f"the {table.name}" + (f" '@{name}'" if name else "")

"""Ops that say which they are: before a level is lowered, each carries its number around its position.

    loc("S:12"("gemm.mlir":18:7))

is op 12 of level S, which came of line 18. Positions survive, so what a pass makes of it carries the same, and errors
and remarks, which read the position inside (`errors.file_position`), name the user's text.
"""

from typing import cast

from xdsl.dialects.builtin import LocationAttr, NameLoc, StringAttr
from xdsl.ir import Operation

from xetile.explorer.model import LevelId


def number(module: Operation, level: LevelId, above: LevelId | None) -> list[Operation]:
    """Number all ops in `module`, itself first, in the order of the text; those ops.

    `above` is the level whose numbers they carry till now, which go; None where they carry none.
    """
    ops = list(module.walk())
    for index, op in enumerate(ops):
        written = op.location if above is None else _written(op.location, above)
        op.location = NameLoc(StringAttr(f"{level}:{index}"), written)
    return ops


def number_of(op: Operation, level: LevelId) -> int | None:
    """The number of the op of `level` that `op` is, or came of; None where its position has none of that level."""
    location = op.location
    if not isinstance(location, NameLoc):
        return None
    name, _, index = location.desc.data.partition(":")
    return int(index) if name == level and index.isdecimal() else None


def _written(location: LocationAttr, above: LevelId) -> LocationAttr:
    """The position that the user wrote, without a number of the level above."""
    if isinstance(location, NameLoc) and location.desc.data.startswith(f"{above}:"):
        return cast(LocationAttr, location.location)
    return location

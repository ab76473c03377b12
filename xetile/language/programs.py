"""Which workgroup this is."""

from typing import Literal

from xetile.language.builder import current, named
from xetile.language.indices import Index
from xetile.language.refusals import refuse

_AXES: dict[int, Literal["x", "y", "z"]] = {0: "x", 1: "y", 2: "z"}


def program_id(axis: int) -> Index:
    """The workgroup's place in the grid along axis 0, 1 or 2 (x, y, z)."""
    from xetile.dialects.upstream import gpu

    letter = _AXES.get(axis)
    if letter is None:
        refuse(f"program_id({axis!r}); a grid has axes 0, 1 and 2")
    value = current().pure(gpu.BlockIdOp(letter))
    return Index.of(named(value, f"block_{letter}"))

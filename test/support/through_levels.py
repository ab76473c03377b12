"""A kernel of level workgroup on the same data at another level: what every array holds afterwards, and what was expected."""

from collections.abc import Sequence

from support.on_device import Array, Place

import xetile
from xetile.interpreter import execute
from xetile.levels import LevelName


def through(text: str, level: LevelName | None, place: Place, arrays: Sequence[Array]) -> None:
    """Execute a kernel as written and at a level, which is lowered for bmg, and expect equal bits.

    `arrays` hold afterwards what the kernel as written made of them.
    """
    module = xetile.parse(f"{text}\n")
    found = [array.copy(order="K") for array in arrays]
    execute(module, None, arrays, sanitize=True)
    if level is None:
        return
    place.execute(xetile.lower(module, to=level, device="bmg"), None, found)
    for number, (expected, array) in enumerate(zip(arrays, found, strict=True)):
        assert expected.tobytes("A") == array.tobytes("A"), f"argument {number} differs"

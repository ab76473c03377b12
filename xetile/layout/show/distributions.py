"""Distributions as text, of any sizes: a `wg_map` of three subgroups, a tile of 96 rows.

The texts have the form of the views of layouts; if all sizes are powers of two they are the same.
"""

from collections.abc import Iterator
from itertools import product
from math import prod

from xetile.layout.algebra.block_grids import Distribution
from xetile.layout.algebra.linear_layout import LayoutError
from xetile.layout.show.register_tables import brackets

_MOST_PLACES = 1 << 22


def subgroup_view(distribution: Distribution, *, subgroup: str = "Subgroup") -> str:
    """Return a line for each register: the coordinates in each subgroup's only lane; errors as below."""
    check_size(distribution)
    widths = [len(str(extent)) for extent in distribution.shape]
    lines: list[str] = []
    for number in range(distribution.subgroups):
        lines.append(f"{subgroup}{number}:\n")
        for at in _elements(distribution, number):
            cell = ",".join(f"{c:>{w}}" for c, w in zip(at, widths, strict=True))
            lines.append(f"({cell})\n")
    return "".join(lines)


def holder_view(distribution: Distribution) -> str:
    """Return the tile in nested brackets, with the holders of each element as `T` subgroup, register.

    LayoutError: more than 2^22 places.
    """
    check_size(distribution)
    cells: dict[tuple[int, ...], list[str]] = {}
    registers = distribution.local_units * prod(distribution.unit)
    subgroup_width = len(str(distribution.subgroups))
    register_width = len(str(registers))
    for number in range(distribution.subgroups):
        for register, at in enumerate(_elements(distribution, number)):
            missing = subgroup_width - len(str(number)) + register_width - len(str(register))
            cells.setdefault(at, []).append(f"{' ' * missing}T{number}:{register}")
    order = product(*(range(extent) for extent in distribution.shape))
    return brackets(["|".join(cells[at]) for at in order], distribution.shape, ", ")


def _elements(distribution: Distribution, subgroup: int) -> Iterator[tuple[int, ...]]:
    """Yield the elements of a subgroup by register: unit after unit, the innermost dimension fastest."""
    inside = list(product(*(range(extent) for extent in distribution.unit)))
    for offset in distribution.offsets(subgroup):
        for at in inside:
            yield tuple(a + b for a, b in zip(offset, at, strict=True))


def check_size(distribution: Distribution, *, most: int = _MOST_PLACES) -> None:
    """Raise LayoutError if a distribution has more places than `most`."""
    places = distribution.subgroups * distribution.local_units * prod(distribution.unit)
    if places > most:
        raise LayoutError(
            f"a distribution of {places} places is too large to show; at most {most}"
        )

"""The levels of IR, from high to low. A target's `path` says which of them it goes through."""

from xetile import targets
from xetile.errors import XetileError
from xetile.targets.target import WORKGROUP, Level, Path

LevelName = str
"""The names of the levels in `--emit`, `to=` and pipelines."""

UNIT_ATTRIBUTE = "xetile.level"

SG_LAYOUT_ATTRIBUTE = "xetile.sg_layout"
"""Attribute of a kernel at W: the layout of its subgroups, `array<i64: rows, columns>`. Values that no `wg_map` reaches
are distributed evenly over them.
"""

LAUNCH_ATTRIBUTE = "xetile.launch"
"""Attribute of a kernel at L: a dictionary with `arguments`, an array of dictionaries in order (see `Argument`), if
known `grid` (workgroups) and `block` (work-items), x first; `subgroup_size` in lanes, `shared_memory` in
bytes.
"""

REGISTERS_ATTRIBUTE = "xetile.registers"
"""Attribute of a kernel at L: `counted`, `held` and `ahead`, the registers that planning/xe/pressure estimates."""

PRODUCTS_PER_STEP_ATTRIBUTE = "xetile.products_per_step"
"""Attribute of a kernel whose loops were unrolled: the matrix instructions of one round, as it was written."""


SURFACES_ATTRIBUTE = "xetile.surfaces"
"""Attribute of a kernel that tests if 2D block messages can access its matrices: the host has nothing to check."""


def levels() -> tuple[Level, ...]:
    """Return all levels: `workgroup`, then those of each target's path."""
    ways = dict.fromkeys(target.path for target in targets.by_name().values())
    return (WORKGROUP, *dict.fromkeys(step.level for path in ways for step in path))


def below(name: LevelName, path: Path) -> tuple[Level, ...]:
    """Return the levels of a path below one, from high to low; all of them if the path does not have it."""
    way = [step.level for step in path]
    names = [level.name for level in way]
    return tuple(way[names.index(name) + 1 :] if name in names else way)


def check_level(name: str) -> None:
    """Raise if no kernel can be lowered to a level of this name."""
    legal = [level.name for level in levels()[1:]]
    if name not in legal:
        raise XetileError(f"unknown level '{name}'; expected one of {', '.join(legal)}")


def passes_to(name: LevelName, path: Path) -> Path:
    """Return the part of a path down to one level, each step with the names of its passes.

    Raise XetileError for a level that the path does not have.
    """
    names = [step.level.name for step in path]
    if name not in names:
        raise XetileError(f"unknown level '{name}'; known are {', '.join(names)}")
    return path[: names.index(name) + 1]

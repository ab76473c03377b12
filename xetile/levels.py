"""The levels of IR, from high to low. Which of them a target goes through, its `path` says."""

from xetile import targets
from xetile.errors import XetileError
from xetile.targets.target import WORKGROUP, Level, Path

LevelName = str
"""What `--emit`, `to=` and pipelines call the levels."""

UNIT_ATTRIBUTE = "xetile.level"

SG_LAYOUT_ATTRIBUTE = "xetile.sg_layout"
"""Attribute of a kernel at W: how its subgroups are laid out, `array<i64: rows, columns>`. What no `wg_map` reaches is
dealt out evenly to them."""

LAUNCH_ATTRIBUTE = "xetile.launch"
"""Attribute of a kernel at L: a dictionary with `arguments`, an array of dictionaries in order (see `Argument`), where
they are known `grid` (workgroups) and `block` (work-items), x first; `subgroup_size` in lanes, `shared_memory` in
bytes."""

REGISTERS_ATTRIBUTE = "xetile.registers"
"""Attribute of a kernel at L: `counted`, `held` and `ahead`, the registers that planning/xe/pressure estimates."""

PRODUCTS_PER_STEP_ATTRIBUTE = "xetile.products_per_step"
"""Attribute of a kernel whose loops were unrolled: the matrix instructions of one round, as it was written."""


SURFACES_ATTRIBUTE = "xetile.surfaces"
"""Attribute of a kernel that tests whether 2D block messages reach its matrices: nothing is the host's to see to."""


def levels() -> tuple[Level, ...]:
    """All levels: `workgroup`, then those of each target's path."""
    ways = dict.fromkeys(target.path for target in targets.by_name().values())
    return (WORKGROUP, *dict.fromkeys(step.level for path in ways for step in path))


def below(name: LevelName, path: Path) -> tuple[Level, ...]:
    """The levels of a path under one, from high to low; all of them under one that the path does not have."""
    way = [step.level for step in path]
    names = [level.name for level in way]
    return tuple(way[names.index(name) + 1 :] if name in names else way)


def check_level(name: str) -> None:
    """Refuse what no kernel can be lowered to."""
    legal = [level.name for level in levels()[1:]]
    if name not in legal:
        raise XetileError(f"unknown level '{name}'; expected one of {', '.join(legal)}")


def passes_to(name: LevelName, path: Path) -> Path:
    """The part of a path down to one level, each step with the names of the passes that make it.

    Errors: XetileError for a level that the path does not have.
    """
    names = [step.level.name for step in path]
    if name not in names:
        raise XetileError(f"unknown level '{name}'; known are {', '.join(names)}")
    return path[: names.index(name) + 1]

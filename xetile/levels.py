"""The levels of IR, from high to low. Which of them a target goes through, its `path` says."""

from typing import Literal, NamedTuple, get_args

from xetile.errors import XetileError
from xetile.targets.target import Path

LevelName = Literal["workgroup", "subgroup", "blocked", "xegpu", "xevm", "llvm"]
"""What `--emit`, `to=` and pipelines call the levels."""

Unit = Literal["workgroup", "subgroup", "lane"]
"""Whose view of the data a kernel holds: the value of its attribute `xetile.level`."""
UNITS: tuple[Unit, ...] = get_args(Unit)

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


class Level(NamedTuple):
    """One level: its letter and name, the unit that is written on its kernels, the dialect that only it has."""

    letter: str
    name: LevelName
    unit: Unit
    dialect: str | None = None


LEVELS = (
    Level("W", "workgroup", "workgroup"),
    Level("S", "subgroup", "subgroup"),
    Level("B", "blocked", "subgroup"),
    Level("X", "xegpu", "subgroup", "xegpu"),
    Level("V", "xevm", "lane", "xevm"),
    Level("L", "llvm", "lane"),
)


def below(name: LevelName) -> tuple[LevelName, ...]:
    """The levels under one, from high to low."""
    names = get_args(LevelName)
    return names[names.index(name) + 1 :]


def check_level(name: str) -> None:
    """Refuse what no kernel can be lowered to."""
    legal = below("workgroup")
    if name not in legal:
        raise XetileError(f"unknown level '{name}'; expected one of {', '.join(legal)}")


def passes_to(name: str, path: Path) -> Path:
    """The levels of a path down to one, each with the names of the passes that make it.

    Errors: XetileError for a level that the path does not have.
    """
    levels = [step.level for step in path]
    if name not in levels:
        raise XetileError(f"unknown level '{name}'; known are {', '.join(levels)}")
    return path[: levels.index(name) + 1]

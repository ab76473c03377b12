"""Configurations of a kernel, ordered by figures that need no GPU."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xetile.errors import XetileError, one_line
from xetile.explanation import rank
from xetile.explanation.ranking import Ranked, Ranking

if TYPE_CHECKING:
    from xetile.language.specialised import Specialised

Configuration = Mapping[str, object]
"""Constants of a kernel by name; `sg_layout` and `grid` may be among them."""


@dataclass(frozen=True)
class Ranks:
    """Configurations with their figures, the best first, those that cannot be compiled last; `str` is a table."""

    ranking: Ranking
    configurations: Mapping[str, Configuration]
    """By the labels of the ranking."""

    @property
    def best(self) -> Configuration:
        """The first one, to be given to `specialize` or a call: `kernel(a, b, **ranks.best)`.

        Errors: XetileError where none can be compiled.
        """
        return self.configurations[self.ranking.best]

    @property
    def entries(self) -> "list[tuple[Configuration, Ranked]]":
        """All of them with figures, or the reason why there are none."""
        return [(self.configurations[one.label], one) for one in self.ranking.entries]

    def __str__(self) -> str:
        return str(self.ranking)


def ranks_of(
    configurations: Sequence[Configuration],
    specialize: "Callable[[Configuration], Specialised]",
    device: str,
    *,
    jobs: int | None,
    assembly: bool | None,
    report: Callable[[int, int], None] | None,
) -> Ranks:
    """Specialise a kernel for each configuration and rank them; see `Kernel.rank`."""
    labelled = {_label(one): one for one in configurations}
    modules: list[tuple[str, Specialised]] = []
    failed: list[Ranked] = []
    for label, one in labelled.items():
        try:
            modules.append((label, specialize(one)))
        except XetileError as error:
            failed.append(Ranked(label, None, one_line(str(error))))
    ranking = rank(
        [(label, made.module) for label, made in modules],
        device,
        assembly=assembly,
        jobs=jobs,
        report=report,
    )
    return Ranks(Ranking((*ranking.entries, *failed)), labelled)


def _label(configuration: Configuration) -> str:
    return (
        ", ".join(f"{name}={value!r}" for name, value in configuration.items()) or "defaults"
    )

"""The same kernels as XeGPU texts, and the ways that upstream has from them to SPIR-V."""

from collections.abc import Sequence
from typing import NamedTuple

from tools.isa_report.upstream.routes import Level, Route


class Way(NamedTuple):
    """One way: what is written, and what compiles it."""

    name: str
    text: str
    level: Level
    route: Route


Ways = Sequence[Way]
"""The first is what upstream's pipeline does as it stands; of all of them the best is chosen."""

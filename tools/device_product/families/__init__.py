"""The cases, by family."""

from collections.abc import Callable, Sequence

from tools.device_product.case import Case
from tools.device_product.families import (
    chains,
    control,
    elementwise,
    files,
    messages,
    movement,
    products,
)

FAMILIES: dict[str, Callable[[], Sequence[Case]]] = {
    "elementwise": elementwise.cases,
    "products": products.cases,
    "sources": products.source_cases,
    "movement": movement.cases,
    "messages": messages.cases,
    "control": control.cases,
    "random": chains.cases,
    "files": files.cases,
}


def all_cases() -> list[Case]:
    """Every case; their names are different."""
    return [case for make in FAMILIES.values() for case in make()]

"""A layout as text, as Triton prints its own."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def bases_text(
    bases: Mapping[str, Sequence[Sequence[int]]], out_dims: Mapping[str, int]
) -> str:
    """The image of each basis of each input dimension, a line each, and the output dimensions with their sizes."""
    if not bases:
        sizes = _sizes(tuple(out_dims.items()))
        return f"\n(empty layout with out-dims [{sizes}])" if sizes else "\n(empty layout)"
    counts = tuple([(name, len(vectors)) for name, vectors in bases.items()])
    numbers = chain.from_iterable(chain.from_iterable(bases.values()))
    return _pattern(counts, tuple(out_dims.items())) % tuple(numbers)


@lru_cache(maxsize=64)
def _pattern(
    counts: tuple[tuple[str, int], ...], out_dims: tuple[tuple[str, int], ...]
) -> str:
    """The text with %d for each number: layouts that are printed one after another have few such patterns."""
    image = ", ".join(["%d"] * len(out_dims))
    lines = [""]
    for name, count in counts:
        shown = name.replace("%", "%%")
        if not count:
            lines.append(f" - {shown} is a size 1 dimension")
        for position in range(count):
            lead = "   " if position else " - "
            lines.append(f"{lead}{shown}={1 << position} -> ({image})")
    sizes = _sizes(out_dims).replace("%", "%%")
    return "\n".join([*lines, f"where out dims are: [{sizes}]"])


def _sizes(out_dims: tuple[tuple[str, int], ...]) -> str:
    return ", ".join(f"{name} (size {size})" for name, size in out_dims)

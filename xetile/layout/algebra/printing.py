"""A layout as text, as Triton prints its own."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def bases_text(
    bases: Mapping[str, Sequence[Sequence[int]]], out_dims: Mapping[str, int]
) -> str:
    """The image of each basis of each input dimension, a line each, and the output dimensions with their sizes."""
    sizes = ", ".join(f"{name} (size {size})" for name, size in out_dims.items())
    if not bases:
        return f"\n(empty layout with out-dims [{sizes}])" if sizes else "\n(empty layout)"
    lines = [""]
    for name, vectors in bases.items():
        if not vectors:
            lines.append(f" - {name} is a size 1 dimension")
        lead = " - "
        for position, vector in enumerate(vectors):
            image = ", ".join(map(str, vector))
            lines.append(f"{lead}{name}={1 << position} -> ({image})")
            lead = "   "
    lines.append(f"where out dims are: [{sizes}]")
    return "\n".join(lines)

"""Layouts as plain data, for pictures, pages and other programs.

    {"in": {"register": [[0, 1], [0, 2]], "lane": [[1, 0], [2, 0]]}, "out": {"dim0": 4, "dim1": 4}}

`in` maps in dimensions to the images of 1, 2, 4, ..., one number for each out dimension; `out` maps out dimensions
to their sizes. Both are in the layout's order. Triton's `warp` is called subgroup here.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from xetile.layout.algebra.linear_layout import LinearLayout

SHOWN_NAMES = {"warp": "subgroup"}
"""The names of in dimensions in pictures that differ from their own."""

Vectors: TypeAlias = dict[str, tuple[tuple[int, ...], ...]]


class Form(NamedTuple):
    """A layout's basis vectors by in dimension, and the sizes of its out dimensions."""

    inputs: Vectors
    outputs: dict[str, int]

    def as_json(self) -> dict[str, object]:
        """Return the data that a page reads: `in` and `out`."""
        inputs = {
            name: [list(vector) for vector in vectors] for name, vectors in self.inputs.items()
        }
        return {"in": inputs, "out": dict(self.outputs)}


def form_of(layout: LinearLayout, *, dims: Sequence[str] | None = None) -> Form:
    """Return the plain data of a layout; `dims` are other names of its out dimensions, in their order."""
    names = layout.out_dim_names if dims is None else tuple(dims)
    if len(names) != layout.num_out_dims:
        raise ValueError(f"{len(names)} names for {layout.num_out_dims} out dimensions")
    inputs = {
        SHOWN_NAMES.get(name, name): tuple(vectors) for name, vectors in layout.bases.items()
    }
    return Form(inputs, dict(zip(names, layout.out_dim_sizes, strict=True)))


def bases_of(layout: LinearLayout) -> dict[str, object]:
    """Return a layout in the form that a page reads."""
    return form_of(layout).as_json()


def layout_of_form(
    inputs: Mapping[str, Sequence[Sequence[int]]], outputs: Mapping[str, int]
) -> LinearLayout:
    """Return the layout of plain data, still with `subgroup` for `warp`; it need not reach every element."""
    vectors = {name: [tuple(vector) for vector in known] for name, known in inputs.items()}
    return LinearLayout.from_bases(vectors, dict(outputs), require_surjective=False)

"""Layouts as plain data: what pictures, pages and other programs get of a layout, and all that leaves Python.

    {"in": {"register": [[0, 1], [0, 2]], "lane": [[1, 0], [2, 0]]}, "out": {"dim0": 4, "dim1": 4}}

`in` has by in dimension the images of 1, 2, 4, ..., one number for each out dimension; `out` has by out dimension its
size. Both are in the layout's order. Triton's `warp` is called subgroup here.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from xetile.layout.algebra.linear_layout import LinearLayout

SHOWN_NAMES = {"warp": "subgroup"}
"""What in dimensions are called in pictures, where that is not their own name."""

Vectors: TypeAlias = dict[str, tuple[tuple[int, ...], ...]]


class Form(NamedTuple):
    """A layout's basis vectors by in dimension, and the sizes of its out dimensions."""

    inputs: Vectors
    outputs: dict[str, int]

    def as_json(self) -> dict[str, object]:
        """What a page reads: `in` and `out`."""
        inputs = {
            name: [list(vector) for vector in vectors] for name, vectors in self.inputs.items()
        }
        return {"in": inputs, "out": dict(self.outputs)}


def form_of(layout: LinearLayout, *, dims: Sequence[str] | None = None) -> Form:
    """The plain data of a layout; `dims` are other names of its out dimensions, in their order."""
    names = layout.out_dim_names if dims is None else tuple(dims)
    if len(names) != layout.num_out_dims:
        raise ValueError(f"{len(names)} names for {layout.num_out_dims} out dimensions")
    inputs = {
        SHOWN_NAMES.get(name, name): tuple(vectors) for name, vectors in layout.bases.items()
    }
    return Form(inputs, dict(zip(names, layout.out_dim_sizes, strict=True)))


def bases_of(layout: LinearLayout) -> dict[str, object]:
    """A layout as a page reads it."""
    return form_of(layout).as_json()


def layout_of_form(
    inputs: Mapping[str, Sequence[Sequence[int]]], outputs: Mapping[str, int]
) -> LinearLayout:
    """The layout of plain data, its subgroups still called so; it need not reach every element."""
    vectors = {name: [tuple(vector) for vector in known] for name, known in inputs.items()}
    return LinearLayout.from_bases(vectors, dict(outputs), require_surjective=False)

"""Register layouts of Triton's attributes: blocked, slices, dot operands.

`to_linear_layout(shape)` returns (register, lane, warp, block) -> (dim0, dim1, ...) for a
tile of `shape` elements.

Source of the rules: triton, lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp
(`BlockedEncodingAttr`, `fmaDotToLinearLayout`, `SliceEncodingAttr`).
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from xetile.layout.algebra.fitting import (
    check_powers_of_two,
    fit_to_shape,
    identity_standard_nd,
)
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout


class Encoding(Protocol):
    """An object with a layout for a tile of any shape."""

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """Return the layout of a tile of `shape` elements."""
        ...


class DotParent(Protocol):
    """The layout of a dot's result, which determines the operands' layouts."""

    def operand_layout(self, operand: int, shape: Sequence[int]) -> LinearLayout:
        """Return the layout of operand 0 or 1 of `shape` elements."""
        ...


class Blocked(NamedTuple):
    """`#ttg.blocked`: each thread has a small block; threads and warps are side by side.

    All numbers are per dimension; `order` lists dimensions, fastest first, `cga_layout` one
    basis per bit of the workgroup's id in its cluster.
    """

    size_per_thread: tuple[int, ...]
    threads_per_warp: tuple[int, ...]
    warps_per_cta: tuple[int, ...]
    order: tuple[int, ...]
    cga_layout: tuple[tuple[int, ...], ...] = ()

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """Return the layout; LayoutError if the ranks differ, or `order` is no permutation."""
        self.check(shape)
        layout = (
            identity_standard_nd("register", self.size_per_thread, self.order)
            * identity_standard_nd("lane", self.threads_per_warp, self.order)
            * identity_standard_nd("warp", self.warps_per_cta, self.order)
        )
        return fit_to_shape(layout, shape, self.cga_layout)

    def operand_layout(self, operand: int, shape: Sequence[int]) -> LinearLayout:
        """Return the layout of operand 0 or 1 of a dot whose result is blocked: every thread has all of K.

        LayoutError: no such operand, a rank below 2, or the ranks differ.
        """
        self.check(shape)
        if operand not in (0, 1) or len(shape) < 2:
            raise LayoutError(
                f"operand {operand} of rank {len(shape)} does not exist; "
                "a dot of blocked layouts has operands 0 and 1 of rank 2 or more"
            )
        k = len(shape) - 1 - operand
        sizes = list(self.size_per_thread)
        sizes[k] = shape[k]
        layout = identity_standard_nd("register", sizes, self.order)
        for name, extents in (("lane", self.threads_per_warp), ("warp", self.warps_per_cta)):
            for d in self.order:
                along = LinearLayout.zeros_1d if d == k else LinearLayout.identity_1d
                layout = layout * along(extents[d], name, f"dim{d}")
        clusters = [
            tuple(0 if d == k else c for d, c in enumerate(basis)) for basis in self.cga_layout
        ]
        return fit_to_shape(layout, shape, clusters)

    def check(self, shape: Sequence[int]) -> None:
        """Raise for numbers that do not fit each other or a tile of `shape`."""
        rank = len(shape)
        fields = (self.size_per_thread, self.threads_per_warp, self.warps_per_cta, self.order)
        if any(len(field) != rank for field in (*fields, *self.cga_layout)):
            raise LayoutError(
                f"a blocked layout of rank {len(self.order)} does not fit the shape {list(shape)}"
            )
        if sorted(self.order) != list(range(rank)):
            raise LayoutError(f"order {list(self.order)} is no permutation of 0 to {rank - 1}")
        for name, values in (
            ("sizePerThread", self.size_per_thread),
            ("threadsPerWarp", self.threads_per_warp),
            ("warpsPerCTA", self.warps_per_cta),
        ):
            check_powers_of_two(name, values)


class Slice(NamedTuple):
    """`#ttg.slice`: one slice of the parent's tile, which also has `dimension`."""

    dimension: int
    parent: Encoding

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """Return the layout without registers that repeat others.

        LayoutError: the dimension does not exist in a tile of one more dimension.
        """
        if not 0 <= self.dimension <= len(shape):
            raise LayoutError(
                f"dim = {self.dimension} of a slice of shape {list(shape)} must be 0 to {len(shape)}"
            )
        larger = [*shape[: self.dimension], 1, *shape[self.dimension :]]
        layout = self.parent.to_linear_layout(larger)
        bases = {
            name: [
                tuple(vector[: self.dimension] + vector[self.dimension + 1 :])
                for vector in vectors
            ]
            for name, vectors in layout.bases.items()
        }
        bases["register"] = [vector for vector in bases["register"] if any(vector)]
        return LinearLayout.from_bases(
            bases,
            {f"dim{d}": extent for d, extent in enumerate(shape)},
            require_surjective=False,
        )


class DotOperand(NamedTuple):
    """`#ttg.dot_op`: operand 0 (A) or 1 (B) of a dot, for its result's layout.

    `k_width`, elements per 32 bits, does not affect the layout.
    """

    operand: int
    parent: DotParent
    k_width: int = 0

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """Return the layout; LayoutError for another operand, and as for the parent."""
        if self.operand not in (0, 1):
            raise LayoutError(f"opIdx = {self.operand} of a dot operand must be 0 or 1")
        return self.parent.operand_layout(self.operand, shape)

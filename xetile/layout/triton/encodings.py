"""Register layouts that attributes spell: blocked, slices, dot operands, and XeGPU's own.

Each class holds an attribute's numbers; `to_linear_layout(shape)` gives (register, lane, warp, block) ->
(dim0, dim1, ...) for a tile of `shape` elements. Dimension names are Triton's.

Source of the rules: triton, lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp (`BlockedEncodingAttr`,
`fmaDotToLinearLayout`, `SliceEncodingAttr`); LLVM 22, XeGPUAttrs.td (`LayoutAttr`).
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from xetile.layout.algebra.columns import identity_standard_nd
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.intel.dpas import Dpas, check_powers_of_two, fit_to_shape


class Encoding(Protocol):
    """Anything that lays a tile of any shape out."""

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """The layout of a tile of `shape` elements."""
        ...


class Blocked(NamedTuple):
    """`#ttg.blocked`: each thread holds a small block, threads and warps are laid out side by side.

    Attributes:
        size_per_thread: extents of one thread's block, in elements.
        threads_per_warp: lanes per dimension.
        warps_per_cta: warps per dimension.
        order: dimensions, fastest first.
        cga_layout: one basis per bit of the workgroup's id in its cluster.
    """

    size_per_thread: tuple[int, ...]
    threads_per_warp: tuple[int, ...]
    warps_per_cta: tuple[int, ...]
    order: tuple[int, ...]
    cga_layout: tuple[tuple[int, ...], ...] = ()

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """The layout of a tile of `shape` elements.

        Raises:
            LayoutError: the ranks differ, or `order` is no permutation.
        """
        self.check(shape)
        layout = (
            identity_standard_nd("register", self.size_per_thread, self.order)
            * identity_standard_nd("lane", self.threads_per_warp, self.order)
            * identity_standard_nd("warp", self.warps_per_cta, self.order)
        )
        return fit_to_shape(layout, shape, self.cga_layout)

    def operand_layout(self, operand: int, shape: Sequence[int]) -> LinearLayout:
        """The layout of operand 0 or 1 of a dot whose result is blocked: every thread holds all of K.

        Raises:
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
        """Refuse numbers that fit neither each other nor a tile of `shape`."""
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
    """`#ttg.slice`: the parent's layout of a tile that has one more dimension, of which this is one slice.

    Attributes:
        dimension: the parent's dimension that is left out.
        parent: the layout of the larger tile.
    """

    dimension: int
    parent: Encoding

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """The layout of a tile of `shape` elements; registers that hold nothing new are left out.

        Raises:
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
                tuple(vector[: self.dimension] + vector[self.dimension + 1 :]) for vector in vectors
            ]
            for name, vectors in layout.bases.items()
        }
        bases["register"] = [vector for vector in bases["register"] if any(vector)]
        return LinearLayout.from_bases(
            bases, {f"dim{d}": extent for d, extent in enumerate(shape)}, require_surjective=False
        )


class DotOperand(NamedTuple):
    """`#ttg.dot_op`: an operand of a dot, as its parent (blocked or DPAS) wants it.

    Attributes:
        operand: 0 (A) or 1 (B).
        parent: the layout of the result.
        k_width: elements per 32 bits; does not enter the layout.
    """

    operand: int
    parent: Blocked | Dpas
    k_width: int = 0

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """The layout of a tile of `shape` elements.

        Raises:
            LayoutError: no such operand, or what the parent refuses.
        """
        if self.operand not in (0, 1):
            raise LayoutError(f"opIdx = {self.operand} of a dot operand must be 0 or 1")
        return self.parent.operand_layout(self.operand, shape)


class XegpuLayout(NamedTuple):
    """`#xegpu.layout`: subgroups over a workgroup's tile, instructions over a subgroup's, lanes over those.

    Every level deals its units out in turn, and begins again at the first when the last had one. Where
    there are fewer units than subgroups, several subgroups hold the same unit.

    Attributes:
        lane_layout: lanes per dimension.
        lane_data: elements per dimension that one lane holds next to each other.
        sg_layout: subgroups per dimension.
        sg_data: extents of one subgroup's unit, in elements.
        inst_data: extents of one instruction's unit, in elements.
        order: dimensions, fastest first; empty means the last one first.
    """

    lane_layout: tuple[int, ...]
    lane_data: tuple[int, ...] = ()
    sg_layout: tuple[int, ...] = ()
    sg_data: tuple[int, ...] = ()
    inst_data: tuple[int, ...] = ()
    order: tuple[int, ...] = ()

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """(register, lane, warp) -> (dim0, dim1, ...); registers are row-major over a lane's elements.

        Raises:
            LayoutError: ranks differ, a number is no power of two, or a unit does not divide the shape.
        """
        extents = tuple(shape)
        rank = len(extents)
        ones = (1,) * rank
        lane_layout, lane_data = self.lane_layout or ones, self.lane_data or ones
        sg_layout = self.sg_layout or ones
        check_powers_of_two("sg_layout", sg_layout)
        default = [max(1, n // g) for n, g in zip(extents, sg_layout, strict=False)]
        sg_data = self.sg_data or tuple(default)
        inst_data = self.inst_data or sg_data
        order = self.order or tuple(reversed(range(rank)))
        fields = (extents, lane_layout, lane_data, sg_layout, sg_data, inst_data)
        _check_xegpu(fields, order)
        bases: dict[str, list[tuple[int, ...]]] = {"register": [], "lane": [], "warp": []}

        def hold(name: str, dimension: int, first: int, end: int) -> None:
            while first < end:
                bases[name].append(tuple(first if d == dimension else 0 for d in range(rank)))
                first *= 2

        row_major = tuple(reversed(range(rank)))
        lanes = [lane * data for lane, data in zip(lane_layout, lane_data, strict=True)]
        for d in row_major:
            hold("register", d, 1, lane_data[d])
            hold("register", d, lanes[d], inst_data[d])
        for d in order:
            hold("lane", d, lane_data[d], lanes[d])
        for d in row_major:
            hold("register", d, inst_data[d], sg_data[d])
        for d in order:
            units = extents[d] // sg_data[d]
            hold("warp", d, sg_data[d], sg_data[d] * min(units, sg_layout[d]))
            bases["warp"] += [(0,) * rank] * (max(1, sg_layout[d] // units).bit_length() - 1)
        for d in row_major:
            hold("register", d, sg_data[d] * sg_layout[d], extents[d])
        return LinearLayout.from_bases(bases, {f"dim{d}": n for d, n in enumerate(extents)})


def _check_xegpu(fields: Sequence[tuple[int, ...]], order: tuple[int, ...]) -> None:
    names = ("shape", "lane_layout", "lane_data", "sg_layout", "sg_data", "inst_data")
    shape, lane_layout, lane_data, sg_layout, sg_data, inst_data = fields
    for name, values in zip(names, fields, strict=True):
        if len(values) != len(shape):
            raise LayoutError(f"{name} {list(values)} does not have the rank of {list(shape)}")
        check_powers_of_two(name, values)
    if sorted(order) != list(range(len(shape))):
        raise LayoutError(f"order {list(order)} is no permutation of 0 to {len(shape) - 1}")
    lanes = tuple(lane * data for lane, data in zip(lane_layout, lane_data, strict=True))
    for inner, outer, inner_name, outer_name in (
        (sg_data, shape, "sg_data", "shape"),
        (inst_data, sg_data, "inst_data", "sg_data"),
        (lanes, inst_data, "lane_layout times lane_data", "inst_data"),
    ):
        if any(small > large for small, large in zip(inner, outer, strict=True)):
            raise LayoutError(
                f"{inner_name} {list(inner)} does not fit {outer_name} {list(outer)} "
                f"of the shape {list(shape)} with sg_layout {list(sg_layout)}"
            )

"""Layouts of XeGPU: of its vectors (the elements of each lane and register), and its attribute.

Vectors have the dimensions of the IR, an array's blocks leading, packed rows last:
[blocks,] rows / pack, columns[, pack].

Source of the attribute's rules: LLVM 22, XeGPUAttrs.td (`LayoutAttr`).
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from xetile.layout.algebra.fitting import check_powers_of_two, identity_standard_nd
from xetile.layout.algebra.identities import doublings
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.intel.dpas_layouts import dpas_operand_layout
from xetile.layout.intel.message_layouts import (
    BlockConfiguration,
    block_load_layout,
    message_layout,
)


@lru_cache(maxsize=256)
def load_vector_layout(configuration: BlockConfiguration, element_bits: int) -> LinearLayout:
    """Return (register, lane) -> the dimensions of the result of `xegpu.load_nd` for one message."""
    rows, columns, blocks, packed, transposed = configuration
    layout = block_load_layout(
        rows=rows,
        columns=columns,
        blocks=blocks,
        element_bits=element_bits,
        packed=packed,
        transposed=transposed,
    ).transpose_outs(["block", "column", "row"] if transposed else ["block", "row", "column"])
    pack = 32 // element_bits if packed else 1
    shape = _packed_shape((columns, rows) if transposed else (rows, columns), pack)
    return _redimension(
        layout,
        (blocks, *shape) if blocks > 1 else shape,
        lambda at: (at[0], *_pack(at[1:], pack)) if blocks > 1 else _pack(at[1:], pack),
    )


@lru_cache(maxsize=512)
def message_vector_layout(
    message: BlockConfiguration,
    element_bits: int,
    *,
    columns: int,
    pack: int = 1,
    transposed: bool = False,
) -> LinearLayout:
    """Return (register, lane) -> the dimensions of a vector that one message moves, in any form of message.

    The vector is a row of blocks of `columns` columns each, their rows packed by `pack` or
    transposed; for a message in its own form use `load_vector_layout`. LayoutError: the
    device's messages have no such form, or the extents do not fit.
    """
    layout = message_layout(message, element_bits)
    rows, width = layout.out_dim_sizes
    if width % columns or rows % pack:
        raise LayoutError(
            f"{rows}x{width} elements have no blocks of {columns} columns, {pack} rows each"
        )
    blocks = width // columns
    shape = _packed_shape((columns, rows) if transposed else (rows, columns), pack)

    def move(at: Sequence[int]) -> tuple[int, ...]:
        block, column = divmod(at[1], columns)
        inside = _pack((column, at[0]) if transposed else (at[0], column), pack)
        return (block, *inside) if blocks > 1 else inside

    return _redimension(layout, (blocks, *shape) if blocks > 1 else shape, move)


@lru_cache(maxsize=256)
def dpas_vector_layout(
    operand: str, shape: tuple[int, int], *, repeat_count: int, ops_per_channel: int, pack: int
) -> LinearLayout:
    """Return (register, lane) -> the dimensions of an operand or result of one `xegpu.dpas`.

    `shape` is in elements; `pack` rows share the last dimension (1: a vector of rank 2).
    """
    layout = dpas_operand_layout(
        operand, shape, repeat_count=repeat_count, ops_per_channel=ops_per_channel
    )
    return _redimension(layout, _packed_shape(shape, pack), lambda at: _pack(at, pack))


@lru_cache(maxsize=256)
def default_vector_layout(shape: tuple[int, ...], lanes: int = 16) -> LinearLayout:
    """Return the accumulator's layout for any block: lanes along the columns, rows in registers.

    LayoutError if the columns are no multiple of the lanes, or an extent is no power of
    two.
    """
    if not shape or shape[-1] % lanes != 0:
        raise LayoutError(f"a vector of shape {list(shape)} has no whole row of {lanes} lanes")
    last = len(shape) - 1
    extents = [*shape[:last], shape[last] // lanes]
    registers = identity_standard_nd("register", extents, [*reversed(range(len(shape)))])
    layout = LinearLayout.identity_1d(lanes, "lane", f"dim{last}") * registers
    layout = layout.transpose_ins(["register", "lane"])
    return layout.transpose_outs([f"dim{dimension}" for dimension in range(len(shape))])


def drop_leading_dimension(layout: LinearLayout) -> LinearLayout:
    """Drop `dim0`; LayoutError unless its extent is 1."""
    extents = list(layout.out_dims.values())
    if extents[0] != 1:
        raise LayoutError(f"dim0 has extent {extents[0]}; expected 1")
    return _redimension(layout, tuple(extents[1:]), lambda at: tuple(at[1:]))


def _packed_shape(shape: Sequence[int], pack: int) -> tuple[int, ...]:
    return tuple(shape) if pack == 1 else (shape[0] // pack, shape[1], pack)


def _pack(at: Sequence[int], pack: int) -> tuple[int, ...]:
    return tuple(at) if pack == 1 else (at[0] // pack, at[1], at[0] % pack)


def _redimension(
    layout: LinearLayout,
    shape: Sequence[int],
    move: Callable[[Sequence[int]], tuple[int, ...]],
) -> LinearLayout:
    """Return the layout with bases moved; `move` must only rename, split or drop bits."""
    bases = {
        name: [move(basis) for basis in vectors] for name, vectors in layout.bases.items()
    }
    extents = {f"dim{dimension}": extent for dimension, extent in enumerate(shape)}
    return LinearLayout.from_bases(bases, extents, require_surjective=False)


class XegpuLayout(NamedTuple):
    """`#xegpu.layout`: subgroups over a tile, instructions over a subgroup's part, lanes over an instruction's.

    Every level assigns its units in turn, and starts over after the last; with
    fewer units than subgroups, several have the same unit. `lane_data` elements are
    neighbors, `sg_data` and `inst_data` are extents in elements; `order` lists
    dimensions, fastest first (empty: the last one first).
    """

    lane_layout: tuple[int, ...]
    lane_data: tuple[int, ...] = ()
    sg_layout: tuple[int, ...] = ()
    sg_data: tuple[int, ...] = ()
    inst_data: tuple[int, ...] = ()
    order: tuple[int, ...] = ()

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """Return (register, lane, warp) -> (dim0, dim1, ...); a lane's elements are row-major.

        LayoutError: ranks differ, a number is no power of two, or a unit does not divide
        the shape.
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
            for at in doublings(first, end):
                bases[name].append(tuple(at if d == dimension else 0 for d in range(rank)))

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

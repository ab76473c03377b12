"""Lay out buffers of the program in shared memory that only tiles access, as suits their tiles.

    %ring = memref.alloc() : memref<256x128xf16, 3>
    %t = xetile.init_tile %ring[%r, %c] : memref<256x128xf16, 3> -> !xetile.tile<32x32xf16, ...memory_space = 3>

becomes

    %ring = memref.alloc() : memref<256x128xf16, #xetile.swizzle<offset = [[0, 1], [0, 2], ... [1, 0], ...]>, 3>

if the tiles are known to begin at multiples of their extents, wherever they are moved to. All other buffers keep the
program's layout.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple, cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType, NoneAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from xetile.analysis.alignment import Alignments
from xetile.analysis.same_value import Classes, carried_pairs
from xetile.dialects.swizzle import SwizzleAttr
from xetile.dialects.upstream import memref
from xetile.dialects.upstream.gpu.gpu_functions import FuncOp
from xetile.dialects.xetile import (
    InitTileOp,
    LoadTileOp,
    PrefetchTileOp,
    StoreTileOp,
    TileType,
    UpdateTileOffsetOp,
)
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.dialects.xetile.xetile_attributes import ROW_MAJOR, SHARED
from xetile.hints import isa
from xetile.layout.algebra.block_grids import is_power_of_two
from xetile.planning.distribution.exchanges import Laid, Reach, planned_buffer
from xetile.planning.distribution.shared_messages import BYTE_BITS, predicted_cell, role_of
from xetile.targets.target import Target

_LOOP_WEIGHT = 16
"""The assumed number of executions of an op in a loop for each one outside it."""

AnyMemRef = MemRefType[Attribute]


class LaidBuffer(NamedTuple):
    """A buffer with a new layout; `op` allocates it, or is the kernel that owns it."""

    op: Operation
    type: AnyMemRef
    plan: Laid
    loads: tuple[bool, ...]


def lay_out(
    function: Operation, exchanged: Sequence[Operation], device: Target
) -> list[LaidBuffer]:
    """Lay out the buffers of a function that only tiles access, except those of exchanges."""
    tiles = _Tiles(function)
    found: list[LaidBuffer] = []
    for op, buffer in _buffers(function):
        if op in exchanged or not _is_free(buffer.type):
            continue
        reaches = sorted(tiles.reaches(buffer, device), key=lambda reach: reach.loads)
        type = cast(AnyMemRef, buffer.type)
        bits = memory_bits(type.element_type)
        if not reaches or bits is None:
            continue
        shape = (type.get_shape()[0], type.get_shape()[1])
        plan = planned_buffer(shape, reaches, bits, device)
        if plan.memory.swizzle is None:
            continue
        layout = SwizzleAttr(plan.memory.swizzle)
        made = MemRefType(type.element_type, shape, layout, type.memory_space)
        Rewriter.replace_value_with_new_type(buffer, made)
        loads = tuple([reach.loads for reach in reaches])
        found.append(LaidBuffer(op, type, plan, loads))
    return found


def _buffers(function: Operation) -> Iterator[tuple[Operation, SSAValue]]:
    if isinstance(function, FuncOp):
        for buffer in function.workgroup_buffers:
            yield function, buffer
    for op in list(function.walk()):
        if isinstance(op, memref.AllocOp):
            yield op, op.memref


def _is_free(type: Attribute) -> bool:
    """Return True if bits of offsets may be reordered in such a memref, so that elements lie in any order."""
    if not isa(type, AnyMemRef) or not isinstance(type.layout, NoneAttr):
        return False
    extents, bits = type.get_shape(), memory_bits(type.element_type)
    return (
        len(extents) == 2
        and DYNAMIC_INDEX not in extents
        and all(map(is_power_of_two, extents))
        and not isinstance(type.element_type, IndexType)
        and bits is not None
        and bits >= BYTE_BITS
    )


class _Tiles:
    """The tiles of a function, in classes of tiles that are the same at run time or are moved."""

    def __init__(self, function: Operation) -> None:
        self._alignments = Alignments(trusting=False)
        self._classes = Classes[None](lambda one, _: one)
        self._members = defaultdict[SSAValue, list[SSAValue]](list)
        values: list[SSAValue] = []
        for op in function.walk():
            for left, right in carried_pairs(op):
                self._classes.unite(left, right)
            if isinstance(op, UpdateTileOffsetOp):
                self._classes.unite(op.results[0], op.operands[0])
            values += [v for v in op.results if isinstance(v.type, TileType)]
            for region in op.regions:
                for block in region.blocks:
                    values += [v for v in block.args if isinstance(v.type, TileType)]
        for value in values:
            self._members[self._classes.find(value)].append(value)

    def reaches(self, buffer: SSAValue, device: Target) -> list[Reach]:
        """Return the tile accesses to a buffer; none if there are other accesses, or if a tile may begin anywhere."""
        found: list[Reach] = []
        for use in buffer.uses:
            op = use.operation
            if op.name == "memref.dealloc":
                continue
            if not isinstance(op, InitTileOp):
                return []
            known = self._of_class(op.tile, buffer, device)
            if known is None:
                return []
            found += known
        # A buffer that is never loaded, or never stored, sets no requirement on its order.
        return found if {reach.loads for reach in found} == {True, False} else []

    def _of_class(
        self, tile: SSAValue, buffer: SSAValue, device: Target
    ) -> list[Reach] | None:
        found: list[Reach] = []
        for member in self._members[self._classes.find(tile)]:
            type = cast(TileType, member.type)
            maker = member.owner
            if isinstance(maker, InitTileOp) and maker.source is not buffer:
                return None
            if isinstance(maker, InitTileOp | UpdateTileOffsetOp) and not self._is_aligned(
                maker, type
            ):
                return None
            for use in member.uses:
                op = use.operation
                if isinstance(op, LoadTileOp | StoreTileOp):
                    found.append(_reach(op, type, device))
                elif not isinstance(op, UpdateTileOffsetOp | PrefetchTileOp) and (
                    op.name.split(".")[0] != "scf"
                ):
                    return None
        return found

    def _is_aligned(self, op: InitTileOp | UpdateTileOffsetOp, type: TileType) -> bool:
        """Return True if a tile begins at, or is moved by, multiples of its extents."""
        extents = type.shape
        if op.indices is not None or len(extents) != 2 or len(op.mixed_offsets) != 2:
            return False
        return (
            type.order == ROW_MAJOR
            and type.memory_space == SHARED
            and all(map(is_power_of_two, extents))
            and all(
                self._alignments.mixed(offset).is_multiple(extent)
                for offset, extent in zip(op.mixed_offsets, extents, strict=True)
            )
        )


def _reach(op: LoadTileOp | StoreTileOp, type: TileType, device: Target) -> Reach:
    bits = memory_bits(type.element_type)
    assert bits is not None
    role = role_of(op.result) if isinstance(op, LoadTileOp) else None
    unit = (type.shape[0], type.shape[1])
    cell = predicted_cell(unit, bits, role, device)
    depth, outer = 0, op.parent_op()
    while outer is not None:
        depth += outer.name in ("scf.for", "scf.while")
        outer = outer.parent_op()
    cells = prod(unit) // prod(cell.extents)
    return Reach(cell, cells, _LOOP_WEIGHT**depth, isinstance(op, LoadTileOp))

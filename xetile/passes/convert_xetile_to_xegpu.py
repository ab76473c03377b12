"""Turn blocked XeTile into XeGPU: descriptors, block messages and matrix instructions.

Before:

    %t = xetile.init_tile %A[%m, 0] : memref<4096x4096xf16>
        -> !xetile.tile<32x32xf16, #xetile.tile_attr<inner_blocks = [32, 16]>>
    %v = xetile.load_tile %t : ... -> vector<1x2x32x16xf16>
    %w = (tile_unpack, tile_pack to blocks of 8x16) : vector<4x2x8x16xf16>

After (one message for both blocks):

    %d = xegpu.create_nd_tdesc %A : memref<4096x4096xf16>
        -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %v = xegpu.load_nd %d[%m, %c0] : ... -> vector<2x32x16xf16>
    %v0 = vector.extract %v[0] : vector<32x16xf16> from vector<2x32x16xf16>
    %w00 = vector.extract_strided_slice %v0 {offsets = [0, 0], sizes = [8, 16], strides = [1, 1]} : ...

A tile becomes its descriptors (invariant in loops) and its offsets; loops carry only the offsets that change. A
4D value becomes one 2D vector per block. Messages come from `xetile.analysis.messages`, which plans them with linear
layouts; what 2D access needs of a surface is checked here (`xetile.targets.surface`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    ModuleOp,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from xetile.analysis.constants import dense_value, is_splat, splat_of_type, taken
from xetile.analysis.kernels import (
    OLDER_CONVENTION,
    functions,
    holds_dialect,
    launch_sizes,
    level,
    set_level,
)
from xetile.analysis.load_planning import memory_bits
from xetile.analysis.messages import Messages, TileUse
from xetile.analysis.same_value import is_elementwise
from xetile.dialects import arith
from xetile.dialects.vector import ExtractOp, ExtractStridedSliceOp
from xetile.dialects.xegpu import (
    CacheHint,
    CacheHintAttr,
    DpasOp,
    LoadNdOp,
    PrefetchNdOp,
    StoreNdOp,
    TensorDescType,
)
from xetile.dialects.xetile import CacheHintAttr as XeTileCacheHintAttr
from xetile.dialects.xetile import (
    InitTileOp,
    LoadTileOp,
    PrefetchTileOp,
    StoreTileOp,
    TileType,
    UpdateTileOffsetOp,
)
from xetile.errors import fail
from xetile.layout.block_io import BlockConfiguration, register_word
from xetile.layout.grid import block_offsets, containing_block
from xetile.layout.linear import LayoutError
from xetile.passes.expansion import Expansion, Offset, Parts
from xetile.passes.surfaces import Surface, describe_surface
from xetile.targets.device import SUBGROUP_SIZE, Device, device


class Tile(Parts):
    """A tile: one descriptor per use, and the offsets of its corner (row, column)."""

    __slots__ = ("descriptors", "fixed", "moving")

    def __init__(
        self,
        descriptors: Mapping[TileUse, tuple[SSAValue, BlockConfiguration]],
        fixed: Mapping[int, Offset],
        moving: Mapping[int, SSAValue],
    ) -> None:
        super().__init__(list(moving.values()))
        self.descriptors = dict(descriptors)
        self.fixed = dict(fixed)
        self.moving = tuple(moving)

    def offset(self, dimension: int) -> Offset:
        """The corner's offset in one dimension (elements)."""
        if dimension in self.fixed:
            return self.fixed[dimension]
        return self.values[self.moving.index(dimension)]

    def agrees_with(self, other: Parts) -> bool:
        """Tiles meet in a loop when they share descriptors and the offsets that do not move."""
        return (
            isinstance(other, Tile)
            and self.descriptors == other.descriptors
            and self.fixed == other.fixed
        )

    def describe(self) -> str:
        """In words."""
        return (
            f"a tile with {len(self.descriptors)} descriptors and fixed offsets {list(self.fixed)}"
        )


class Grid(Parts):
    """A vector as its blocks, row-major; `pack` consecutive rows share a register word (1: not packed)."""

    __slots__ = ("block", "pack", "shape")

    def __init__(
        self, values: Sequence[SSAValue], shape: tuple[int, int], block: tuple[int, int], pack: int
    ) -> None:
        super().__init__(values)
        self.shape = shape
        self.block = block
        self.pack = pack

    def at(self, row: int, column: int) -> SSAValue:
        """One block, by its coordinates in blocks."""
        return self.values[row * self.shape[1] + column]

    def describe(self) -> str:
        """In words."""
        packed = f", {self.pack} rows packed" if self.pack != 1 else ""
        return (
            f"{'x'.join(map(str, self.shape))} blocks of {'x'.join(map(str, self.block))}{packed}"
        )


class XeGPUView(Expansion):
    """A function in terms of XeGPU."""

    handlers: ClassVar[Mapping[str, Callable[..., None]]] = {}

    def __init__(self, function: Operation, target: Device, *, upstream: bool = False) -> None:
        self.device = target
        self.messages = Messages(function, target, upstream=upstream)
        super().__init__(function)

    def tile(self, value: SSAValue) -> Tile:
        """What an old tile became."""
        became = self.get(value)
        if not isinstance(became, Tile):
            fail(self.current, f"{value.type} is not lowered to XeGPU yet")
        return became

    def grid(self, value: SSAValue) -> Grid:
        """What an old vector became."""
        became = self.get(value)
        if not isinstance(became, Grid):
            fail(
                self.current,
                f"{value.type} is not in blocks, run xetile-blocking first",
            )
        return became

    def cut(self, grid: Grid, block: tuple[int, int]) -> Grid:
        """The same vector in smaller blocks."""
        if grid.block == block:
            return grid
        shape = cast(
            "tuple[int, int]",
            tuple(
                n * old // new for n, old, new in zip(grid.shape, grid.block, block, strict=True)
            ),
        )
        try:
            parts = [
                self._slice(grid, block, row, column)
                for row in range(shape[0])
                for column in range(shape[1])
            ]
        except LayoutError:
            fail(
                self.current,
                f"blocks of {'x'.join(map(str, grid.block))} cannot be repacked into blocks of "
                f"{'x'.join(map(str, block))}; below this level blocks are only cut into smaller ones",
            )
        return Grid(parts, shape, block, grid.pack)

    def _slice(self, grid: Grid, block: tuple[int, int], row: int, column: int) -> SSAValue:
        source, start = containing_block(grid.block, block, row, column)
        value = grid.at(*source)
        offsets, sizes = list(start), list(block)
        if grid.pack != 1:
            offsets = [start[0] // grid.pack, start[1], 0]
            sizes = [block[0] // grid.pack, block[1], grid.pack]
        return self.emit_value(ExtractStridedSliceOp(value, offsets, sizes))

    def adapt(self, became: Parts | SSAValue, like: Parts | SSAValue) -> Parts | SSAValue:
        """As in every expansion; a vector in larger blocks is cut."""
        if isinstance(became, Grid) and isinstance(like, Grid):
            became = self.cut(became, like.block)
        return super().adapt(became, like)

    def other(self, op: Operation) -> None:
        """Elementwise ops work on each block."""
        if is_elementwise(op) and any(isinstance(self.get(v), Grid) for v in op.operands):
            _elementwise(self, op)
        else:
            super().other(op)


def _init_tile(view: XeGPUView, op: Operation) -> None:
    assert isinstance(op, InitTileOp)
    tile = op.tile.type
    if tile.scattered:
        fail(
            op, "scattered tiles are not lowered to XeGPU yet; this kernel runs at the levels above"
        )
    surface = describe_surface(view, op)
    descriptors: dict[TileUse, tuple[SSAValue, BlockConfiguration]] = {}
    for use in view.messages.uses(op.tile):
        message = view.messages.message(op.tile, use)
        descriptors[use] = (_descriptor(view, surface, tile, message), message)
    fixed: dict[int, Offset] = dict(enumerate(surface.offsets))
    moving = {
        dimension: view.index(fixed.pop(dimension))
        for dimension in view.messages.moving_dimensions(op.tile)
    }
    view.bind(op.tile, Tile(descriptors, fixed, moving))


def _descriptor(
    view: XeGPUView, surface: Surface, tile: TileType, message: BlockConfiguration
) -> SSAValue:
    type = TensorDescType.block(
        (message.rows, message.columns), tile.element_type, array_length=message.blocks
    )
    return surface.descriptor(view, type)


def _load_tile(view: XeGPUView, op: Operation) -> None:
    assert isinstance(op, LoadTileOp)
    _check_padding(op)
    tile = view.tile(op.operands[0])
    descriptor, message = tile.descriptors["load"]
    type = cast(TileType, op.operands[0].type)
    pack = (
        register_word(message, element_bits=memory_bits(type.element_type) or 8)
        if message.packed
        else 1
    )
    shape = (type.shape[0] // message.rows, type.shape[1] // message.columns)
    blocks: list[SSAValue] = []
    for start in block_offsets(type.shape, (message.rows, message.width)):
        corner = [view.add(tile.offset(d), start[d]) for d in range(2)]
        loaded = view.emit_value(
            LoadNdOp(
                descriptor,
                corner,
                _loaded_type(type, message, pack),
                packed=message.packed,
                hints=_hints(op),
            )
        )
        if message.blocks == 1:
            blocks.append(loaded)
        else:
            blocks.extend(
                view.emit_value(ExtractOp(loaded, [index], _block_type(type, message, pack)))
                for index in range(message.blocks)
            )
    view.bind(op.results[0], Grid(blocks, shape, (message.rows, message.columns), pack))


def _block_type(tile: TileType, message: BlockConfiguration, pack: int) -> VectorType[Attribute]:
    if pack == 1:
        return VectorType(tile.element_type, (message.rows, message.columns))
    return VectorType(tile.element_type, (message.rows // pack, message.columns, pack))


def _loaded_type(tile: TileType, message: BlockConfiguration, pack: int) -> VectorType[Attribute]:
    block = _block_type(tile, message, pack)
    if message.blocks == 1:
        return block
    return VectorType(tile.element_type, (message.blocks, *block.get_shape()))


def _check_padding(op: Operation) -> None:
    padding = op.properties.get("padding")
    if padding is None:
        return
    value = getattr(getattr(padding, "value", None), "data", None)
    if value != 0:
        fail(
            op,
            f"padding {padding}: 2D block loads give zero outside the surface, and no other value",
        )


def _hints(op: Operation) -> list[CacheHintAttr | None]:
    """The op's cache hints in XeGPU's spelling."""
    hints = [op.properties.get(name) for name in ("l1_hint", "l2_hint", "l3_hint")]
    return [
        CacheHintAttr(CacheHint(hint.data.value)) if isinstance(hint, XeTileCacheHintAttr) else None
        for hint in hints
    ]


def _store_tile(view: XeGPUView, op: Operation) -> None:
    assert isinstance(op, StoreTileOp)
    tile = view.tile(op.operands[1])
    descriptor, message = tile.descriptors["store"]
    grid = view.cut(view.grid(op.operands[0]), (message.rows, message.columns))
    shape = cast(TileType, op.operands[1].type).shape
    starts = block_offsets(shape, grid.block)
    for value, start in zip(grid.values, starts, strict=True):
        corner = [view.add(tile.offset(d), start[d]) for d in range(2)]
        view.emit(StoreNdOp(value, descriptor, corner, hints=_hints(op)))


def _prefetch_tile(view: XeGPUView, op: Operation) -> None:
    assert isinstance(op, PrefetchTileOp)
    tile = view.tile(op.operands[0])
    descriptor, message = tile.descriptors["prefetch"]
    shape = cast(TileType, op.operands[0].type).shape
    for start in block_offsets(shape, (message.rows, message.width)):
        corner = [view.add(tile.offset(d), start[d]) for d in range(2)]
        view.emit(PrefetchNdOp(descriptor, corner, hints=_hints(op)))


def _update_tile_offset(view: XeGPUView, op: Operation) -> None:
    assert isinstance(op, UpdateTileOffsetOp)
    tile = view.tile(op.operands[0])
    steps = [s if isinstance(s, int) else view.single(s) for s in op.mixed_offsets]
    moved = [
        view.index(view.add(tile.offset(dimension), steps[dimension])) for dimension in tile.moving
    ]
    view.bind(op.results[0], tile.with_values(moved))


def _tile_mma(view: XeGPUView, op: Operation) -> None:
    a, b = view.grid(op.operands[0]), view.grid(op.operands[1])
    sums = [view.grid(value) for value in op.operands[2:]]
    type = cast(VectorType[Attribute], op.results[0].type)
    rows, columns, *block = type.get_shape()
    result = VectorType(type.element_type, block)
    blocks: list[SSAValue] = []
    for row in range(rows):
        for column in range(columns):
            total = [grid.at(row, column) for grid in sums]
            for k in range(a.shape[1]):
                product = DpasOp(a.at(row, k), b.at(k, column), *total, result_type=result)
                total = [view.emit_value(product)]
            blocks.append(total[0])
    view.bind(op.results[0], Grid(blocks, (rows, columns), (block[0], block[1]), 1))


def _check_instruction(target: Device, op: Operation) -> None:
    """Refuse element types and blocks that no matrix instruction of the device takes."""
    vectors = [cast(VectorType[Attribute], v.type) for v in (*op.operands[:2], op.results[0])]
    a, b, c = (vector.element_type for vector in vectors)
    instruction = target.dpas(a, b, c)
    if instruction is None:
        fail(
            op,
            f"{target.name} has no matrix instruction for A {a}, B {b}, accumulator {c}; "
            f"it has {target.describe_dpas()}",
        )
    if vectors[0].get_num_dims() != 4:
        fail(op, f"{vectors[0]} is not in blocks, run xetile-blocking first")
    m, k = vectors[0].get_shape()[2:]
    n = vectors[1].get_shape()[3]
    if m not in instruction.m or n != instruction.n or k != instruction.k:
        fail(
            op,
            f"blocks of m = {m}, n = {n}, k = {k}; the matrix instruction of {target.name} for {a} takes "
            f"m of {', '.join(map(str, instruction.m))}, n = {instruction.n}, k = {instruction.k}: "
            f"use tiles with N a multiple of {instruction.n} and K a multiple of {instruction.k}",
        )


def _tile_unpack(view: XeGPUView, op: Operation) -> None:
    view.bind(op.results[0], view.grid(op.operands[0]))


def _tile_pack(view: XeGPUView, op: Operation) -> None:
    rows, columns = cast(VectorType[Attribute], op.results[0].type).get_shape()[2:]
    view.bind(op.results[0], view.cut(view.grid(op.operands[0]), (rows, columns)))


def _constant(view: XeGPUView, op: Operation) -> None:
    type = op.results[0].type
    value = dense_value(op)
    if not isinstance(type, VectorType) or value is None:
        Expansion.other(view, op)
        return
    vector = cast(VectorType[Attribute], type)
    if vector.get_num_dims() not in (2, 4):
        Expansion.other(view, op)
        return
    *counts, height, width = vector.get_shape()
    block = VectorType(vector.element_type, (height, width))
    if is_splat(value):
        splat = view.emit_value(arith.ConstantOp(splat_of_type(value, block)))
        blocks = [splat] * prod(counts)
    else:
        size = height * width
        blocks = [
            view.emit_value(arith.ConstantOp(taken(value, range(start, start + size), block)))
            for start in range(0, len(value), size)
        ]
    rows, columns = counts or (1, 1)
    view.bind(op.results[0], Grid(blocks, (rows, columns), (height, width), 1))


def _elementwise(view: XeGPUView, op: Operation) -> None:
    became = [view.get(value) for value in op.operands]
    blocks = [part.block for part in became if isinstance(part, Grid)]
    common = (min(rows for rows, _ in blocks), min(columns for _, columns in blocks))
    became = [view.cut(part, common) if isinstance(part, Grid) else part for part in became]
    first = next(part for part in became if isinstance(part, Grid))
    parts: list[list[SSAValue]] = [[] for _ in op.results]
    for index in range(len(first.values)):
        operands = [
            part.values[index] if isinstance(part, Grid) else view.single(v)
            for part, v in zip(became, op.operands, strict=True)
        ]
        shape = cast(VectorType[Attribute], first.values[index].type).get_shape()
        types = [
            VectorType(cast(VectorType[Attribute], result.type).element_type, shape)
            for result in op.results
        ]
        made = view.emit(
            type(op).create(
                operands=operands,
                result_types=types,
                properties=dict(op.properties),
                attributes=dict(op.attributes),
            )
        )
        for part, value in zip(parts, made.results, strict=True):
            part.append(value)
    for result, values in zip(op.results, parts, strict=True):
        view.bind(result, Grid(values, first.shape, first.block, first.pack))


def _work_items(view: XeGPUView, op: Operation) -> None:
    """In the older convention thread ids and block sizes along x count subgroups."""
    copy = view.emit_value(op.clone())
    along_x = str(op.properties.get("dimension", "")).endswith("x>")
    if OLDER_CONVENTION in view.function.attributes and along_x:
        copy = view.emit_value(arith.DivUIOp(copy, view.constant(SUBGROUP_SIZE)))
    view.bind(op.results[0], copy)


def set_work_item_convention(function: Operation) -> None:
    """Rewrite the launch attributes of the older convention: 16 work-items per subgroup along x."""
    if function.attributes.pop(OLDER_CONVENTION, None) is None:
        return
    sizes = launch_sizes(function, "known_block_size")
    if sizes is not None:
        x, y, z = sizes
        size = DenseArrayBase.from_list(i32, [x * SUBGROUP_SIZE, y, z])
        function.attributes.pop("gpu.known_block_size", None)
        store = function.properties if function.name == "gpu.func" else function.attributes
        store["known_block_size"] = size


XeGPUView.handlers = {
    "xetile.init_tile": _init_tile,
    "xetile.load_tile": _load_tile,
    "xetile.store_tile": _store_tile,
    "xetile.prefetch_tile": _prefetch_tile,
    "xetile.update_tile_offset": _update_tile_offset,
    "xetile.tile_mma": _tile_mma,
    "xetile.tile_pack": _tile_pack,
    "xetile.tile_unpack": _tile_unpack,
    "arith.constant": _constant,
    "gpu.thread_id": _work_items,
    "gpu.block_dim": _work_items,
}


@dataclass(frozen=True)
class ConvertXeTileToXeGPU(ModulePass):
    """Turn blocked XeTile into XeGPU.

    Parameters:
        device: the device that is lowered for: pvc, bmg, lnl, ptl, cri.
        upstream_plan: whether messages are the smaller ones that upstream MLIR's own lowering takes; false.
    """

    name = "convert-xetile-to-xegpu"

    device: str
    upstream_plan: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert every function that holds blocked tiles; others stay as they are."""
        target = device(self.device)
        for function in list(functions(op)):
            if not holds_dialect(function, "xetile"):
                continue
            if level(function) == "workgroup":
                fail(function, "the kernel is at workgroup level; run xetile-wg-to-sg first")
            for product in function.walk():
                if product.name == "xetile.tile_mma":
                    _check_instruction(target, product)
            XeGPUView(function, target, upstream=self.upstream_plan).run()
            set_work_item_convention(function)
            function.attributes["intel_reqd_sub_group_size"] = IntegerAttr(SUBGROUP_SIZE, i32)
            set_level(function, "subgroup")

"""Cut subgroup-level tiles and vectors into the blocks that the hardware moves and multiplies.

Before:

    %a = xetile.load_tile %ta : !xetile.tile<32x32xf16> -> vector<32x32xf16>
    %b = xetile.load_tile %tb : !xetile.tile<32x64xf16> -> vector<32x64xf16>
    %d = xetile.tile_mma %a, %b, %c : vector<32x32xf16>, vector<32x64xf16>, vector<32x64xf32> -> ...

After (%c is kept in blocks of 8x16 throughout, loops included):

    %a = xetile.load_tile %ta : !xetile.tile<32x32xf16, #xetile.tile_attr<inner_blocks = [32, 16]>>
        -> vector<1x2x32x16xf16>
    %b = xetile.load_tile %tb : ... -> vector<1x4x32x16xf16>
    %a2 = xetile.tile_unpack %a {inner_blocks = array<i64: 32, 16>} : ... -> vector<32x32xf16>
    %a4 = xetile.tile_pack %a2 {inner_blocks = array<i64: 8, 16>} : ... -> vector<4x2x8x16xf16>
    (the same for %b, in blocks of 16x16)
    %d = xetile.tile_mma %a4, %b4, %c
        : vector<4x2x8x16xf16>, vector<2x4x16x16xf16>, vector<4x4x8x16xf32> -> vector<4x4x8x16xf32>

The blocks come from `xetile.planning.blocks`. Where a value is needed in the block it is kept in, nothing is
repacked; so no pair of tile_pack and tile_unpack that cancels is made. What has no blocked form (vectors of indices,
ops of other dialects that are not elementwise) works on whole vectors, which are packed where blocks are needed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import I64, DenseArrayBase, ModuleOp, VectorType, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from xetile.analysis.constants import dense_value, is_splat, splat_of_type, taken
from xetile.analysis.kernels import functions, has_workgroup_map, holds_dialect, level
from xetile.analysis.same_value import is_elementwise, is_tile_vector
from xetile.dialects.upstream.vector import ExtractStridedSliceOp
from xetile.dialects.upstream.vector.support import integers
from xetile.dialects.xetile import (
    InitTileOp,
    TileBroadcastOp,
    TilePackOp,
    TileReduceOp,
    TileTransposeOp,
    TileType,
    TileUnpackOp,
)
from xetile.errors import fail
from xetile.planning.blocks import Block, Blocks, slice_of, without
from xetile.rewriting.one_to_many import Expansion, Parts
from xetile.targets.device import Device, device


class Packed(Parts):
    """A vector of rank 2 as one 4D value of blocks."""

    __slots__ = ("block",)

    def __init__(self, value: SSAValue, block: Block) -> None:
        super().__init__([value])
        self.block = block

    @property
    def value(self) -> SSAValue:
        """The 4D value."""
        return self.values[0]


class BlockedView(Expansion):
    """A function whose vectors are kept in blocks."""

    handlers: ClassVar[Mapping[str, Callable[..., None]]] = {}

    def __init__(self, function: Operation, target: Device) -> None:
        self.blocks = Blocks(function, target)
        super().__init__(function)

    def packed(self, value: SSAValue, block: Block) -> SSAValue:
        """An old vector in blocks of the given shape, as a 4D value."""
        return self.repack(self.get(value), block).value

    def blocked(self, value: SSAValue) -> Packed:
        """An old vector in the blocks that it has, in those of its home where it is whole."""
        became = self.get(value)
        if isinstance(became, Packed):
            return became
        return self.repack(became, self.blocks.home(value))

    def repack(self, became: Parts | SSAValue, block: Block) -> Packed:
        """A value in blocks of the given shape."""
        if isinstance(became, Packed) and became.block == block:
            return became
        whole = self.unpacked(became)
        return Packed(self.emit_value(TilePackOp(whole, block)), block)

    def unpacked(self, became: Parts | SSAValue) -> SSAValue:
        """A value as a vector of rank 2."""
        if not isinstance(became, Parts):
            return became
        assert isinstance(became, Packed)
        return self.emit_value(TileUnpackOp(became.value))

    def single(self, value: SSAValue) -> SSAValue:
        """Ops that know no blocks get the vector of rank 2."""
        return self.unpacked(self.get(value))

    def bind_blocks(self, op: Operation, operands: Sequence[SSAValue], block: Block) -> Operation:
        """Emit an op on blocks; its results have blocks of the given shape."""
        types = [_blocked_type(result.type, block) for result in op.results]
        made = self.emit(_copy(op, operands, types))
        for old, new in zip(op.results, made.results, strict=True):
            self.bind(old, Packed(new, block))
        return made

    def loop_parts(self, argument: SSAValue, init: Parts | SSAValue) -> Parts | SSAValue:
        """Control flow carries vectors in the block that they are kept in."""
        if not is_tile_vector(argument.type):
            return init
        return self.repack(init, self.blocks.home(argument))

    def adapt(self, became: Parts | SSAValue, like: Parts | SSAValue) -> Parts | SSAValue:
        """A yielded vector in the block in which it is carried."""
        if isinstance(like, Packed):
            return self.repack(became, like.block)
        return self.unpacked(became)

    def rewrite(self, op: Operation) -> None:
        """Ops on other than vectors and tiles of rank 2 have no blocks to work on."""
        values = (*op.operands, *op.results)
        if op.name in self.handlers and not any(_has_blocks(value.type) for value in values):
            Expansion.other(self, op)
        else:
            super().rewrite(op)

    def other(self, op: Operation) -> None:
        """Elementwise ops work on blocks; all else on whole vectors."""
        if is_elementwise(op) and any(is_tile_vector(result.type) for result in op.results):
            _elementwise(self, op)
        else:
            self._check_tiles(op)
            super().other(op)

    def _check_tiles(self, op: Operation) -> None:
        """Refuse blocked tiles where a type is agreed with what this pass does not see, such as a function."""
        if op.name.startswith("xetile."):
            return
        for operand in op.operands:
            if isinstance(operand.type, TileType) and self.single(operand).type != operand.type:
                fail(
                    op,
                    f"'{op.name}' takes a tile, whose blocks are chosen here and would change its type; "
                    "hand it the memref and the offsets, and make the tile where it is used",
                )


def _has_blocks(type: Attribute) -> bool:
    """Whether a type may be blocked: a vector of rank 2, or a tile of rank 2."""
    return is_tile_vector(type) or (isinstance(type, TileType) and type.get_num_dims() == 2)


def _blocked_type(type: Attribute, block: Block) -> VectorType[Attribute]:
    vector = cast(VectorType[Attribute], type)
    rows, columns = vector.get_shape()
    shape = (rows // block[0], columns // block[1], *block)
    return VectorType(vector.element_type, shape)


def _copy(op: Operation, operands: Sequence[SSAValue], types: Sequence[Attribute]) -> Operation:
    return type(op).create(
        operands=operands,
        result_types=types,
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        location=op.location,
    )


def _init_tile(view: BlockedView, op: Operation) -> None:
    assert isinstance(op, InitTileOp)
    blocked = op.tile.type.with_(inner_blocks=view.blocks.tile_block(op.tile))
    operands = [view.single(operand) for operand in op.operands]
    view.bind(op.tile, view.emit_value(_copy(op, operands, [blocked])))


def _update_tile_offset(view: BlockedView, op: Operation) -> None:
    operands = [view.single(operand) for operand in op.operands]
    view.bind(op.results[0], view.emit_value(_copy(op, operands, [operands[0].type])))


def _access(view: BlockedView, op: Operation) -> None:
    """Loads, stores, gathers, scatters, atomics: values and masks come in the blocks of the tile."""
    tile = next(view.single(v) for v in op.operands if isinstance(v.type, TileType))
    block = cast(TileType, tile.type).inner_blocks
    if block is None or not any(is_tile_vector(v.type) for v in (*op.operands, *op.results)):
        Expansion.other(view, op)
        return
    operands = [
        view.packed(v, block) if is_tile_vector(v.type) else view.single(v) for v in op.operands
    ]
    view.bind_blocks(op, operands, block)


def _tile_mma(view: BlockedView, op: Operation) -> None:
    m, n, k = view.blocks.product_block(op)
    operands = [view.packed(op.operands[0], (m, k)), view.packed(op.operands[1], (k, n))]
    operands.extend(view.packed(accumulator, (m, n)) for accumulator in op.operands[2:])
    view.bind_blocks(op, operands, (m, n))


def _tile_transpose(view: BlockedView, op: Operation) -> None:
    assert isinstance(op, TileTransposeOp)
    source = view.blocked(op.source)
    order = op.permutation.get_values()
    rows, columns = (source.block[d] for d in order)
    made = view.bind_blocks(op, [source.value], (rows, columns))
    made.properties["permutation"] = _both_levels(order)


def _tile_reduce(view: BlockedView, op: Operation) -> None:
    assert isinstance(op, TileReduceOp)
    source, dimensions = view.blocked(op.source), op.reduction_dims.get_values()
    if len(dimensions) == 2:  # elements are taken row by row, which blocks of one row keep
        source = view.repack(source, (1, source.block[1]))
    made = view.bind_blocks(op, [source.value], without(source.block, dimensions))
    made.properties["reduction_dims"] = _both_levels(dimensions)


def _tile_broadcast(view: BlockedView, op: Operation) -> None:
    assert isinstance(op, TileBroadcastOp)
    block, dimensions = view.blocks.home(op.result), op.broadcast_dims.get_values()
    source = view.packed(op.source, without(block, dimensions))
    made = view.bind_blocks(op, [source], block)
    made.properties["broadcast_dims"] = _both_levels(dimensions)


def _extract_strided_slice(view: BlockedView, op: Operation) -> None:
    """A slice of whole blocks, for which the vector is cut where the slice begins or ends inside of one."""
    assert isinstance(op, ExtractStridedSliceOp)
    box, source = slice_of(op), view.get(op.source)
    if box is None or not isinstance(source, Packed):  # what has no blocks is sliced whole
        Expansion.other(view, op)
        return
    block = box.whole_blocks(source.block)
    offsets, sizes = (
        [extent // step for extent, step in zip(extents, block, strict=True)] for extents in box
    )
    made = view.bind_blocks(op, [view.repack(source, block).value], block)
    made.properties |= {
        "offsets": integers(offsets),
        "sizes": integers(sizes),
        "strides": integers([1, 1]),
    }


def _both_levels(dimensions: Sequence[int]) -> DenseArrayBase[I64]:
    """Dimensions of rank 2 as those of rank 4: the ones that count blocks, then the ones inside a block."""
    return DenseArrayBase.from_list(i64, [*dimensions, *(d + 2 for d in dimensions)])


def _tile_pack(view: BlockedView, op: Operation) -> None:
    """Blocks that were written by hand; a pair of pack and unpack is never made."""
    assert isinstance(op, TilePackOp)
    rows, columns = op.inner_blocks.get_values()
    view.bind(op.result, view.packed(op.source, (rows, columns)))


def _tile_unpack(view: BlockedView, op: Operation) -> None:
    assert isinstance(op, TileUnpackOp)
    rows, columns = op.inner_blocks.get_values()
    view.bind(op.result, Packed(view.single(op.source), (rows, columns)))


def _constant(view: BlockedView, op: Operation) -> None:
    value = dense_value(op)
    if value is None:
        Expansion.other(view, op)
        return
    block = view.blocks.home(op.results[0])
    type = _blocked_type(op.results[0].type, block)
    made = view.bind_blocks(op, [], block)
    if is_splat(value):
        made.properties["value"] = splat_of_type(value, type)
    else:
        made.properties["value"] = taken(value, _block_order(type), type)


def _block_order(type: VectorType[Attribute]) -> Iterator[int]:
    """Where the elements of a 4D vector stand in the rows of the 2D one."""
    rows, columns, height, width = type.get_shape()
    for i, j, y, x in product(range(rows), range(columns), range(height), range(width)):
        yield (i * height + y) * columns * width + j * width + x


def _broadcast(view: BlockedView, op: Operation) -> None:
    """One element repeated has the same blocks everywhere; vectors are broadcast whole."""
    if isinstance(op.operands[0].type, VectorType):
        Expansion.other(view, op)
        return
    view.bind_blocks(op, [view.single(op.operands[0])], view.blocks.home(op.results[0]))


def _elementwise(view: BlockedView, op: Operation) -> None:
    block = view.blocks.home(op.results[0])
    operands = [
        view.packed(v, block) if is_tile_vector(v.type) else view.single(v) for v in op.operands
    ]
    view.bind_blocks(op, operands, block)


BlockedView.handlers = {
    "xetile.init_tile": _init_tile,
    "xetile.update_tile_offset": _update_tile_offset,
    "xetile.load_tile": _access,
    "xetile.store_tile": _access,
    "xetile.load_gather": _access,
    "xetile.store_scatter": _access,
    "xetile.atomic_rmw_tile": _access,
    "xetile.tile_mma": _tile_mma,
    "xetile.tile_transpose": _tile_transpose,
    "xetile.tile_reduce": _tile_reduce,
    "xetile.tile_broadcast": _tile_broadcast,
    "xetile.tile_pack": _tile_pack,
    "xetile.tile_unpack": _tile_unpack,
    "arith.constant": _constant,
    "vector.broadcast": _broadcast,
    "vector.extract_strided_slice": _extract_strided_slice,
}


@dataclass(frozen=True)
class XeTileBlocking(ModulePass):
    """Cut subgroup-level tiles and vectors into the device's blocks.

    Parameters:
        device: the device that is lowered for: pvc, bmg, lnl, ptl, cri.
    """

    name = "xetile-blocking"

    device: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Block every function that holds subgroup-level tiles; others stay as they are."""
        target = device(self.device)
        for function in list(functions(op)):
            if not holds_dialect(function, "xetile"):
                continue
            if level(function) == "workgroup":
                fail(function, "the kernel is at workgroup level; run xetile-wg-to-sg first")
            _refuse_maps(function)
            _refuse_given_tiles(function)
            BlockedView(function, target).run()


def _refuse_maps(function: Operation) -> None:
    """A map in a kernel that is marked as subgroup level speaks of a workgroup's data."""
    for op in function.walk():
        if has_workgroup_map(op):
            fail(
                op,
                f"'{op.name}' has a wg_map, but the kernel is marked xetile.level = \"subgroup\"; "
                "take the map away, or the mark and run xetile-wg-to-sg",
            )


def _refuse_given_tiles(function: Operation) -> None:
    """Blocks are written on a tile where init_tile makes it; one that comes from outside has no such place."""
    for argument in function.regions[0].blocks[0].args if function.regions[0].blocks else ():
        if isinstance(argument.type, TileType) and argument.type.inner_blocks is None:
            fail(
                function,
                f"the function is given a tile, {argument.type}, which gets no blocks; "
                "expected memory, and an init_tile inside",
            )

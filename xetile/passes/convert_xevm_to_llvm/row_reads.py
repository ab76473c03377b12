"""Block loads of one row that lies inside of its matrix, as 1D block reads: a vector that is added to every row.

    %a = xevm.blockload2d %p, %w, %h, %w, %x, %y <{elem_size_in_bits = 32, tile_height = 1, tile_width = 16}>
    %b = xevm.blockload2d %p, %w, %h, %w, %x16, %y <{elem_size_in_bits = 32, tile_height = 1, tile_width = 16}>

with %x16 = %x + 16 are one `simd_block_read_2` at %p + %y * pitch + 4 * %x, which needs no payload. Where a row may
reach out of the matrix, of which only the 2D message reads zeros, the loads stay.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, i64
from xdsl.ir import Block, Operation, SSAValue

from xetile.analysis.ranges import Ranges
from xetile.dialects.upstream.llvm_values import ExtractElementOp
from xetile.dialects.xevm import LANES, BlockLoad2dOp, BlockPrefetch2dOp, MMAOp
from xetile.passes.convert_xevm_to_llvm.builtins import row_function
from xetile.passes.convert_xevm_to_llvm.message_shapes import is_in_loop, shape_of
from xetile.passes.convert_xevm_to_llvm.payload_accesses import value_of_place
from xetile.passes.convert_xevm_to_llvm.places import place_of, touches_no_memory
from xetile.passes.convert_xevm_to_llvm.types import chunk_type, chunk_widths, vector_length
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.passes.convert_xevm_to_llvm.views import behind
from xetile.targets.xe.messages import ROW_BITS


class _Row(NamedTuple):
    op: BlockLoad2dOp
    x: int


RowReads = Mapping[Operation, Sequence[BlockLoad2dOp]]
"""By the first of the loads that one read does all of them, in their order; by the others none."""


def row_reads(function: Operation, ranges: Ranges) -> RowReads:
    """The loads of a function that 1D reads do."""
    found: dict[Operation, Sequence[BlockLoad2dOp]] = {}
    for op in function.walk():
        for region in op.regions:
            for block in region.blocks:
                if not is_in_loop(block):
                    for rows in _runs(block, ranges):
                        found |= _reads(rows)
    return found


def _runs(block: Block, ranges: Ranges) -> Iterator[list[_Row]]:
    """Rows of one matrix between which nothing writes, each with its place beside what they share."""
    found: dict[object, list[_Row]] = {}
    for op in block.ops:
        if isinstance(op, BlockLoad2dOp):
            if _lies_inside(op, ranges):
                x, column = place_of(op.x)
                key = (*op.operands[:4], shape_of(op), x, op.y)
                found.setdefault(key, []).append(_Row(op, column))
        elif not isinstance(op, BlockPrefetch2dOp | MMAOp) and not touches_no_memory(op):
            yield from found.values()
            found = {}
    yield from found.values()


def _lies_inside(op: BlockLoad2dOp, ranges: Ranges) -> bool:
    """Whether a load takes a word of each lane out of one row, all of them inside of the matrix."""
    shape = shape_of(op)
    if shape.rows != 1 or shape.columns != LANES or shape.blocks != 1 or op.is_packed:
        return False
    if shape.bits not in ROW_BITS or op.is_transposed or op.cache_control is not None:
        return False
    if vector_length(op.res.type) != 1:
        return False
    x, y = ranges.get(op.x), ranges.get(op.y)
    width, height, pitch = (
        ranges.get(size) for size in (op.base_width, op.base_height, op.base_pitch)
    )
    if x is None or y is None or width is None or height is None or pitch is None:
        return False
    if pitch.low != pitch.high or y.low != y.high:
        return False
    inside = x.low >= 0 and (x.high + LANES) * shape.bits <= 8 * width.low
    return inside and 0 <= y.low < height.low


def _reads(rows: Sequence[_Row]) -> Mapping[Operation, Sequence[BlockLoad2dOp]]:
    found: dict[Operation, Sequence[BlockLoad2dOp]] = {}
    order = {row.op: position for position, row in enumerate(rows)}
    places = {row.x: row for row in rows}
    for neighbours in _neighbours([places[x] for x in sorted(places)]):
        start = 0
        for count in chunk_widths(len(neighbours)):
            loads = [row.op for row in neighbours[start : start + count]]
            first = min(loads, key=lambda load: order[load])
            found |= dict.fromkeys(loads, ()) | {first: loads}
            start += count
    return found


def _neighbours(rows: Sequence[_Row]) -> Iterator[list[_Row]]:
    run: list[_Row] = []
    for row in rows:
        if run and row.x != run[-1].x + LANES:
            yield run
            run = []
        run.append(row)
    yield run


def read_rows(view: LLVMView, loads: Sequence[BlockLoad2dOp]) -> None:
    """One 1D read, and what each load has of it; `loads` from left to right."""
    bits, count = shape_of(loads[0]).bits, len(loads)
    word = IntegerType(bits)
    name = row_function("read", "global", bits, count)
    made = view.result_of_call(name, [_address(view, loads[0])], chunk_type(word, count))
    for index, load in enumerate(loads):
        part = made if count == 1 else view.new(ExtractElementOp(made, view.i32(index)))
        element = view.element(load.res)
        if element != word:
            part = view.new(llvm.BitcastOp(part, element))
        view.bind_parts(load.res, [part])


def _address(view: LLVMView, load: BlockLoad2dOp) -> SSAValue:
    row, pitch = view.number(load.y), view.number(load.base_pitch)
    assert row is not None
    assert pitch is not None
    column = view.new(llvm.ZExtOp(value_of_place(view, place_of(load.x)), i64))
    start = view.moved(view.scalar(load.ptr), row * pitch)
    return behind(view, start, column, IntegerType(shape_of(load).bits))

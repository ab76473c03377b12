"""Block loads and stores at L that go through an address payload (`payloads.py`)."""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, i32, i64
from xdsl.ir import SSAValue

from xetile.dialects.shared_attributes import integer_type
from xetile.dialects.xevm import BlockLoad2dOp, BlockStore2dOp
from xetile.passes.convert_xevm_to_llvm.builtins import (
    CREATE_PAYLOAD,
    BlockShape,
    payload_load,
    payload_store,
)
from xetile.passes.convert_xevm_to_llvm.payloads import PayloadAccess, SharedPayload
from xetile.passes.convert_xevm_to_llvm.places import Place
from xetile.passes.convert_xevm_to_llvm.types import (
    chunk_element,
    chunk_type,
    vector_length,
    width,
)
from xetile.passes.convert_xevm_to_llvm.vectors import recast
from xetile.passes.convert_xevm_to_llvm.view import LLVMView

DEFAULT_OPTION = 0
"""What an access means that asks nothing of the caches."""


def create_payload(
    view: LLVMView,
    surface: Sequence[SSAValue],
    place: Sequence[SSAValue],
    shape: BlockShape,
) -> SSAValue:
    """A payload for a surface (pointer; width, pitch in bytes, height between them) and a place, column and row."""
    pointer, *sizes = surface
    arguments = [
        view.new(llvm.PtrToIntOp(view.scalar(pointer), i64)),
        *(_minus_one(view, value) for value in sizes),
        *place,
        *(view.i32(n) for n in (shape.columns, shape.rows, shape.blocks)),
    ]
    return view.result_of_call(CREATE_PAYLOAD, arguments, llvm.LLVMPointerType())


def _minus_one(view: LLVMView, value: SSAValue) -> SSAValue:
    number = view.number(value)
    if number is not None:
        return view.i32(number - 1)
    return view.new(llvm.AddOp(view.integer(value, 32), view.i32(-1)))


def load_through(
    view: LLVMView, op: BlockLoad2dOp, access: PayloadAccess, option: int | None
) -> None:
    """Load what a chunk holds."""
    shape = access.payload.shape
    type = chunk_type(integer_type(shape.bits), shape.rows)
    arguments = [*_address(view, op, access), view.i32(option or DEFAULT_OPTION)]
    loaded = view.result_of_call(payload_load(shape), arguments, type)
    wanted = chunk_type(view.element(op.res), vector_length(op.res.type) or 1)
    if wanted != type:
        loaded = view.new(llvm.BitcastOp(loaded, wanted))
    view.bind_parts(op.res, [loaded])


def store_through(
    view: LLVMView,
    op: BlockStore2dOp,
    access: PayloadAccess,
    values: Sequence[SSAValue],
    option: int | None,
) -> None:
    """Store a chunk, or two side by side."""
    shape = access.payload.shape
    parts = [recast(view, value, integer_type(shape.bits))[0] for value in values]
    stored = parts[0] if len(parts) == 1 else _side_by_side(view, *parts)
    address, number = _address(view, op, access), view.i32(option or DEFAULT_OPTION)
    view.call(payload_store(shape), [*address, stored, number])


def _address(
    view: LLVMView, op: BlockLoad2dOp | BlockStore2dOp, access: PayloadAccess
) -> list[SSAValue]:
    payload = access.payload
    if op is payload.first:
        payload.pointer = _make(view, op, payload)
    assert payload.pointer is not None
    return [payload.pointer, view.i32(access.x), view.i32(access.y)]


def _make(
    view: LLVMView, op: BlockLoad2dOp | BlockStore2dOp, payload: SharedPayload
) -> SSAValue:
    surface = (op.ptr, op.base_width, op.base_height, op.base_pitch)
    place = [value_of_place(view, payload.x), value_of_place(view, payload.y)]
    return create_payload(view, surface, place, payload.shape)


def value_of_place(view: LLVMView, place: Place) -> SSAValue:
    """A coordinate, of 32 bits."""
    value, more = place
    if value is None:
        return view.i32(more)
    number = view.integer(value, 32)
    return view.new(llvm.AddOp(number, view.i32(more))) if more else number


def _side_by_side(view: LLVMView, left: SSAValue, right: SSAValue) -> SSAValue:
    """Rows of two chunks in turn: a register of a message's row has first the left one's."""
    rows = width(left)
    if rows == 1:
        made = view.undefined(chunk_type(left.type, 2))
        for index, part in enumerate((left, right)):
            made = view.new(llvm.InsertElementOp(made, part, view.i32(index)))
        return made
    order = [row + half for row in range(rows) for half in (0, rows)]
    mask = DenseArrayBase.from_list(i32, order)
    type = chunk_type(chunk_element(left.type), 2 * rows)
    return view.new(llvm.ShuffleVectorOp(left, right, mask, type))

"""The messages of lanes: words loaded into registers, and stored from them.

Masked loads without a branch: lanes that are masked off load from zeros that the module owns.

    llvm.mlir.global internal constant @xetile_zeros(dense<0> : tensor<64xi8>)
        {addr_space = 1 : i32, alignment = 64 : i64} : !llvm.array<64 x i8>
    ...
    %zeros = llvm.mlir.addressof @xetile_zeros : !llvm.ptr<1>
    %at = arith.select %wanted, %pointer, %zeros : !llvm.ptr<1>
    %value = llvm.load %at : !llvm.ptr<1> -> vector<4xi32>

So no memory of a user's is touched where nothing is wanted, and what is loaded there is 0. Beside an unmasked load it
costs a comparison and two selections (four loads on bmg: 54 instructions without masks, 67 so, 83 with branches;
pvc 69, 80, 114; cri 40, 57, 70; measured with ocloc 26.27).
"""

from collections.abc import Callable, Sequence
from typing import TypeVar, cast

from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntAttr,
    IntegerType,
    TensorType,
    VectorType,
    i1,
    i8,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from xetile.analysis.kernels import symbol_name
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import BitcastOp
from xetile.dialects.upstream.vector.support import splat, vector_type
from xetile.dialects.xevm import (
    CACHE_CONTROL,
    BlockLoadOp,
    BlockStoreOp,
    LoadCacheControlAttr,
    StoreCacheControlAttr,
)
from xetile.errors import fail
from xetile.hints import isa
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.passes.xe.convert_xegpu_to_xevm.lane_addresses import Addresses
from xetile.passes.xe.convert_xegpu_to_xevm.lane_code import LaneCode
from xetile.passes.xe.convert_xegpu_to_xevm.registers import Registers
from xetile.passes.xe.convert_xegpu_to_xevm.view import LaneView
from xetile.passes.xe.convert_xegpu_to_xevm.words import cut, is_tf32, joined, single
from xetile.planning.xe.register_layouts.lane_messages import LaneMessage
from xetile.planning.xe.words import BYTE_BITS
from xetile.targets.xe.device import GLOBAL_ADDRESS_SPACE, MOST_LANE_BYTES

NAME = "xetile_zeros"
"""What the module calls its zeros."""

_POINTER = llvm.LLVMPointerType(IntAttr(GLOBAL_ADDRESS_SPACE))


def wanted_or_zeros(view: LaneCode, wanted: SSAValue, pointer: SSAValue) -> SSAValue:
    """A pointer to global memory where a lane wants it, else one to zeros; `wanted` is an i1.

    At most `MOST_LANE_BYTES` may be loaded from it.
    """
    return view.new(arith.SelectOp(wanted, pointer, zero_block(view)))


def zero_block(view: LaneCode) -> SSAValue:
    """A pointer to `MOST_LANE_BYTES` zeros in global memory, aligned to as many."""

    def made() -> Operation:
        _define(view.function)
        return llvm.AddressOfOp(NAME, _POINTER)

    return view.shared(("zeros",), made)


def _define(function: Operation) -> None:
    """Let the module around the function own the zeros."""
    block = function.parent_block()
    assert block is not None
    variable = _variable()
    for op in block.ops:
        if symbol_name(op) == NAME:
            if not isinstance(op, llvm.GlobalOp) or op.properties != variable.properties:
                fail(
                    op,
                    f"'{NAME}' is the name of the zeros that masked loads read; rename this",
                )
            return
    variable.location = function.location
    first = block.first_op
    assert first is not None
    block.insert_op_before(variable, first)


def _variable() -> llvm.GlobalOp:
    zeros = DenseIntOrFPElementsAttr.from_list(TensorType(i8, [MOST_LANE_BYTES]), [0])
    return llvm.GlobalOp(
        llvm.LLVMArrayType(IntAttr(MOST_LANE_BYTES), i8),
        NAME,
        "internal",
        addr_space=GLOBAL_ADDRESS_SPACE,
        constant=True,
        value=zeros,
        alignment=MOST_LANE_BYTES,
    )


_Access = TypeVar("_Access", llvm.LoadOp, llvm.StoreOp)


def loaded(
    view: LaneView,
    addresses: Addresses,
    mask: SSAValue | None,
    layout: LinearLayout,
    element: Attribute,
    control: LoadCacheControlAttr | None = None,
) -> Registers:
    """What the messages of an access load; `control` is what they ask of the caches."""
    plan = addresses.plan
    word = min(message.word_bits for message in plan.messages)
    if element == i1:
        word = BYTE_BITS
    parts = [
        _words(view, _message_loaded(view, addresses, message, mask, control), word)
        for message in plan.messages
    ]
    count = sum(vector_type(part).get_shape()[0] for part in parts)
    value = joined(view, parts, range(count))
    if element == i1:
        narrow = VectorType(i1, (count,))
        made = view.new(arith.TruncIOp(value, narrow))
        held = Registers(made, i1, layout, word_bits=1)
    else:
        held = Registers(value, element, layout, word_bits=word)
    return held.selected(layout, plan.places)


def _message_loaded(
    view: LaneView,
    addresses: Addresses,
    message: LaneMessage,
    mask: SSAValue | None,
    control: LoadCacheControlAttr | None,
) -> SSAValue:
    bits = addresses.access.bits
    word = IntegerType(message.word_bits)
    count = len(message.registers) * bits // message.word_bits
    type = word if count == 1 else VectorType(word, (count,))
    pointer = addresses.pointer(message)
    if message.form == "block":
        return view.new(BlockLoadOp(pointer, result_type=type))
    alignment = _stated(message, count)
    if mask is None or message.masked is None:
        return view.new(_controlled(llvm.LoadOp(pointer, type, alignment), control))
    wanted = single(view, mask, message.masked)
    if not addresses.access.is_shared:
        pointer = wanted_or_zeros(view, wanted, pointer)
        return view.new(_controlled(llvm.LoadOp(pointer, type, alignment), control))
    return _where(view, wanted, type, lambda: view.new(llvm.LoadOp(pointer, type, alignment)))


def _controlled(
    op: _Access, control: LoadCacheControlAttr | StoreCacheControlAttr | None
) -> _Access:
    if control is not None:
        op.attributes[CACHE_CONTROL] = control
    return op


def _where(
    view: LaneView, wanted: SSAValue, type: Attribute, make: Callable[[], SSAValue]
) -> SSAValue:
    """What is made where it is wanted, else zeros."""
    zeros = _zeros(view, type)
    there, elsewhere = Block(), Block()
    with view.building(there):
        view.emit(scf.YieldOp(make()))
    with view.building(elsewhere):
        view.emit(scf.YieldOp(zeros))
    return view.new(scf.IfOp(wanted, [type], Region(there), Region(elsewhere)))


def _zeros(view: LaneView, type: Attribute) -> SSAValue:
    if isa(type, IntegerType):
        return view.constant(0, type)
    vector = cast("VectorType[Attribute]", type)
    word = cast(IntegerType, vector.element_type)
    zero = splat((0).to_bytes(word.width.data // 8), vector)
    assert zero is not None
    return view.shared(("zeros", type), lambda: arith.ConstantOp(zero))


def _words(view: LaneView, value: SSAValue, bits: int) -> SSAValue:
    """A scalar or a vector of integers as a vector of narrower ones."""
    if not isa(value.type, VectorType):
        value = joined(view, [value], [0])
    type = vector_type(value)
    own = type.element_type
    assert isa(own, IntegerType)
    if own.width.data == bits:
        return value
    count = type.get_shape()[0] * own.width.data // bits
    return view.new(BitcastOp(value, VectorType(IntegerType(bits), (count,))))


def _stated(message: LaneMessage, count: int) -> int | None:
    """The alignment to state, None where it is what the type has by itself."""
    natural = message.word_bits // 8 * count
    return message.alignment if message.alignment < natural else None


def store(
    view: LaneView,
    addresses: Addresses,
    mask: SSAValue | None,
    value: Registers,
    control: StoreCacheControlAttr | None = None,
) -> None:
    """The messages that store registers; those that share a mask stand in one branch."""
    element, bits = value.element_type, addresses.access.bits
    if element == i1:
        held = view.natural(value)
        bytes = VectorType(i8, vector_type(held).get_shape())
        wide = view.new(arith.ExtUIOp(held, bytes))
        value = Registers(wide, i8, value.layout, word_bits=8)
    elif is_tf32(element):
        words = cut(view, view.natural(value))
        value = Registers(words, element, value.layout, word_bits=32)
    groups: dict[int | None, list[LaneMessage]] = {}
    for message in addresses.plan.messages:
        groups.setdefault(message.masked, []).append(message)
    for masked, messages in groups.items():
        ready = [
            (message, addresses.pointer(message), _stored_words(view, message, value, bits))
            for message in messages
        ]
        if mask is None or masked is None:
            _emit_stores(view, ready, control)
            continue
        body = Block()
        wanted = single(view, mask, masked)
        with view.building(body):
            _emit_stores(view, ready, control)
            view.emit(scf.YieldOp())
        view.emit(scf.IfOp(wanted, [], Region(body), Region()))


def _emit_stores(
    view: LaneView,
    ready: Sequence[tuple[LaneMessage, SSAValue, SSAValue]],
    control: StoreCacheControlAttr | None,
) -> None:
    for message, pointer, words in ready:
        if message.form == "block":
            view.emit(BlockStoreOp(pointer, words))
            continue
        count = vector_type(words).get_shape()[0] if isa(words.type, VectorType) else 1
        made = llvm.StoreOp(words, pointer, _stated(message, count))
        view.emit(_controlled(made, control))


def _stored_words(
    view: LaneView, message: LaneMessage, value: Registers, bits: int
) -> SSAValue:
    part = value.selected(value.layout, message.registers)
    words = part.read(view, IntegerType(message.word_bits), message.word_bits)
    return single(view, words, 0) if vector_type(words).get_shape()[0] == 1 else words

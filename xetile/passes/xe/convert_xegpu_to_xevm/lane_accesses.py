"""Emit the loads and stores of lanes for an access, and the addresses that they need.

planning/xe/register_layouts/lane_messages.py plans the messages of an access: which registers of a lane each one moves.
This file emits them (`loaded`, `store`). `Addresses` computes the address of a message as the sum of a part that all
lanes of the subgroup share, the lane's part, and a constant for each message.

In a buffer with a *swizzle* (a permutation of the elements of shared memory that avoids bank conflicts), parts of an
offset are combined by exclusive or instead of a sum. The *twist* of a part is such a combination: of a uniform value, a
number of the register, and numbers of the lanes. If its numbers of lanes are all zero, it belongs to the part that
lanes share, else to that of the lane.

Masked loads from global memory need no branch: masked lanes load from zeros that the module owns.

    llvm.mlir.global internal constant @xetile_zeros(dense<0> : tensor<64xi8>)
        {addr_space = 1 : i32, alignment = 64 : i64} : !llvm.array<64 x i8>
    ...
    %zeros = llvm.mlir.addressof @xetile_zeros : !llvm.ptr<1>
    %at = arith.select %wanted, %pointer, %zeros : !llvm.ptr<1>
    %value = llvm.load %at : !llvm.ptr<1> -> vector<4xi32>

So no user memory is accessed for masked lanes, and their loaded value is 0. In addition to an unmasked load this costs
a comparison and two selections (four loads on bmg: 54 instructions without masks, 67 so, 83 with branches; pvc 69, 80,
114; cri 40, 57, 70; measured with ocloc 26.27). Masked loads from shared memory, and masked stores, have branches.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntAttr,
    IntegerType,
    MemRefType,
    TensorType,
    UnrealizedConversionCastOp,
    VectorType,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from xetile.analysis.module_kernels import symbol_name
from xetile.analysis.ranges import Interval
from xetile.dialects.upstream import arith, memref
from xetile.dialects.upstream.memref.memref_layout import strides_and_offset
from xetile.dialects.upstream.vector import BitcastOp, ExtractOp
from xetile.dialects.upstream.vector.vector_support import splat, vector_type
from xetile.dialects.xegpu.xegpu_constraints import is_shared_memory
from xetile.dialects.xetile.tile_type import memory_bits
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
from xetile.passes.xe.convert_xegpu_to_xevm.held_registers import Registers
from xetile.passes.xe.convert_xegpu_to_xevm.lane_view import LaneView
from xetile.passes.xe.convert_xegpu_to_xevm.word_vectors import (
    LaneCode,
    cut,
    is_tf32,
    joined,
    single,
)
from xetile.planning.xe.message_words import BYTE_BITS
from xetile.planning.xe.register_layouts.lane_messages import (
    Access,
    LaneMessage,
    LanePlan,
    Part,
)
from xetile.planning.xe.register_layouts.places import Product
from xetile.rewriting.one_to_many import Offset
from xetile.targets.xe.device import (
    GLOBAL_ADDRESS_SPACE,
    MOST_LANE_BYTES,
    SHARED_ADDRESS_SPACE,
)

_INDICES = Interval(llvm.GEP_USE_SSA_VAL + 1, 2**31 - 1)
"""The constant indices that `llvm.getelementptr` can have; the number below them marks an index as a value."""


def base_pointer(view: LaneCode, source: SSAValue) -> SSAValue:
    """Return a pointer to the element from which offsets count.

    Errors: XetileError if `source` is neither a memref with strides nor an i64.
    """
    space, address, type = GLOBAL_ADDRESS_SPACE, source, source.type
    if isa(type, MemRefType):
        space = SHARED_ADDRESS_SPACE if is_shared_memory(type.memory_space) else space
        index = view.new(memref.ExtractAlignedPointerAsIndexOp(source))
        address = view.new(arith.IndexCastOp(index, i64))
    elif str(type) in ("ui64", "si64"):
        address = view.new(UnrealizedConversionCastOp.get([source], [i64]))
    elif type != i64:
        view.refuse(f"counts from {type}; expected a memref or i64")
    pointer = llvm.LLVMPointerType(IntAttr(space))
    made = view.new(llvm.IntToPtrOp.create(operands=[address], result_types=[pointer]))
    if isa(type, MemRefType):
        size = (memory_bits(type.element_type) or 0) // BYTE_BITS
        made = behind(view, made, view.multiply(_first(view, source, type), size))
    return made


def _first(view: LaneCode, source: SSAValue, type: MemRefType[Attribute]) -> Offset:
    """Return the offset of a memref's first element from its aligned pointer (elements)."""
    layout = strides_and_offset(type)
    if layout is None:
        view.refuse(f"counts from {type}; expected strides")
    if layout[1] is None:
        return view.emit(memref.ExtractStridedMetaDataOp(source)).results[1]
    return layout[1]


def behind(view: LaneCode, pointer: SSAValue, bytes: Offset) -> SSAValue:
    """Return a pointer `bytes` bytes after another."""
    if bytes == 0:
        return pointer
    type = pointer.type
    assert isinstance(type, llvm.LLVMPointerType)
    if isinstance(bytes, int) and _INDICES.holds(Interval(bytes, bytes)):
        return view.new(llvm.GEPOp(pointer, [bytes], i8, result_type=type))
    is_shared = type.addr_space == IntAttr(SHARED_ADDRESS_SPACE)
    number = view.new(arith.IndexCastOp(view.index(bytes), i32 if is_shared else i64))
    return view.new(
        llvm.GEPOp(pointer, [llvm.GEP_USE_SSA_VAL], i8, ssa_indices=[number], result_type=type)
    )


@dataclass(eq=False)
class Addresses:
    """The addresses of one access; each part is computed once.

    `offsets` are the registers of the vector of offsets, in the value's layout, if the access reads it.
    """

    view: LaneView
    access: Access
    plan: LanePlan
    base: SSAValue
    offsets: SSAValue | None = None
    _parts: dict[Part, tuple[SSAValue, int]] = field(default_factory=dict)

    def pointer(self, message: LaneMessage) -> SSAValue:
        """Return a pointer to a lane's words of a message, or to those of the first lane for a block message."""
        if message.part not in self._parts:
            self._parts[message.part] = self._part(message)
        pointer, number = self._parts[message.part]
        return behind(self.view, pointer, (message.offset - number) * self._size)

    @property
    def _size(self) -> int:
        return self.access.bits // BYTE_BITS

    def _part(self, message: LaneMessage) -> tuple[SSAValue, int]:
        """Return the address of a part, and the number that it already includes."""
        view, part = self.view, message.part
        if self.offsets is not None:
            own = single(view, self.offsets, message.registers[0])
            return behind(self.view, self.base, view.multiply(own, self._size)), message.offset
        is_block = message.form == "block"
        pointer = behind(self.view, self.base, view.multiply(self._uniform(part), self._size))
        lanes = 0 if is_block else self._of_lane(part)
        return behind(self.view, pointer, view.multiply(lanes, self._size)), 0

    def _uniform(self, part: Part) -> Offset:
        """Return the offset that all lanes share (elements). It has the twist only if that is the same in all lanes."""
        view, total = self.view, 0
        for product, number, _ in part.steps:
            if number:
                total = view.add(total, view.multiply(_scalar(view, product), number))
        if part.twist is not None and not any(part.twist.lanes):
            total = view.add(total, _exclusive(view, self._inside(), part.twist.number))
        return total

    def _of_lane(self, part: Part) -> Offset:
        view, total = self.view, 0
        for product, _, lanes in part.steps:
            if any(lanes):
                own = of_lane(view, lanes)
                total = view.add(total, view.multiply(_scalar(view, product), own))
        if part.twist is not None and any(part.twist.lanes):
            common = _exclusive(view, self._inside(), part.twist.number)
            total = view.add(total, _exclusive(view, common, of_lane(view, part.twist.lanes)))
        return total

    def _inside(self) -> Offset:
        """Return the part of a swizzled offset that is the same in all lanes and registers."""
        swizzle = self.access.places.swizzle
        assert swizzle is not None
        total: Offset = 0
        for product, count in swizzle.uniform:
            scalar = _scalar(self.view, product)
            total = self.view.add(total, self.view.multiply(scalar, count))
        return total


def _scalar(view: LaneView, product: Product) -> Offset:
    found: Offset = 1
    for value in product:
        found = view.multiply(found, _as_index(view, view.single(value)))
    return found


def _as_index(view: LaneView, value: SSAValue) -> SSAValue:
    if isinstance(value.type, IndexType):
        return value
    return view.new(arith.IndexCastOp(value, IndexType()))


def _exclusive(view: LaneView, left: Offset, right: Offset) -> Offset:
    if isinstance(left, int) and isinstance(right, int):
        return left ^ right
    if left == 0:
        return right
    if right == 0:
        return left
    return view.new(arith.XOrIOp(view.index(left), view.index(right)))


def of_lane(view: LaneView, table: Sequence[int]) -> Offset:
    """Return the number that each lane has in a table, as an index."""
    if not any(table):
        return 0
    columns = [table[1 << bit] for bit in range((len(table) - 1).bit_length())]
    if min(columns) >= 0 and _images(columns, lambda a, b: a ^ b) == list(table):
        return view.lane_part(columns)
    if _images(columns, lambda a, b: a + b) == list(table):
        return _weighed(view, columns)
    words = VectorType(IndexType(), (len(table),))
    value = view.emit_at_entry(
        arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(words, list(table)))
    )
    return view.emit_at_entry(ExtractOp(value, [view.lane()], IndexType()))


def _images(columns: Sequence[int], combine: Callable[[int, int], int]) -> list[int]:
    images = [0]
    for column in columns:
        images += [combine(image, column) for image in images]
    return images


def _weighed(view: LaneView, weights: Sequence[int]) -> Offset:
    """Return the sum of the weights of the lane's bits; a run of bits with doubling weights is one product."""
    total: Offset = 0
    start = 0
    while start < len(weights):
        end = start + 1
        while end < len(weights) and weights[end] == 2 * weights[end - 1]:
            end += 1
        columns = [
            1 << bit - start if start <= bit < end else 0 for bit in range(len(weights))
        ]
        part = view.lane_part(columns)
        weight = weights[start]
        if isinstance(part, SSAValue) and weight:
            factor = view.constant(weight)
            term = view.shared(
                ("lane times", part, weight),
                lambda part=part, factor=factor: arith.MuliOp(part, factor),
            )
            total = term if isinstance(total, int) else _sum_at_entry(view, total, term)
        start = end
    return total


def _sum_at_entry(view: LaneView, left: SSAValue, right: SSAValue) -> SSAValue:
    return view.shared(("sum", left, right), lambda: arith.AddiOp(left, right))


NAME = "xetile_zeros"
"""The symbol of the module's zeros."""

_POINTER = llvm.LLVMPointerType(IntAttr(GLOBAL_ADDRESS_SPACE))


def wanted_or_zeros(view: LaneCode, wanted: SSAValue, pointer: SSAValue) -> SSAValue:
    """Return the pointer to global memory if a lane wants it, else a pointer to zeros; `wanted` is an i1.

    At most `MOST_LANE_BYTES` may be loaded from it.
    """
    return view.new(arith.SelectOp(wanted, pointer, zero_block(view)))


def zero_block(view: LaneCode) -> SSAValue:
    """Return a pointer to `MOST_LANE_BYTES` zeros in global memory, aligned to that size."""

    def made() -> Operation:
        _define(view.function)
        return llvm.AddressOfOp(NAME, _POINTER)

    return view.shared(("zeros",), made)


def _define(function: Operation) -> None:
    """Define the zeros in the module around the function."""
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
    """Emit the messages of an access and return the loaded registers; `control` gives the cache hints."""
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
    """Return what `make` emits if `wanted` is true, else zeros."""
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
    """Return a scalar or a vector of integers as a vector of narrower ones."""
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
    """Return the alignment to state, or None if it is the type's natural one."""
    natural = message.word_bits // 8 * count
    return message.alignment if message.alignment < natural else None


def store(
    view: LaneView,
    addresses: Addresses,
    mask: SSAValue | None,
    value: Registers,
    control: StoreCacheControlAttr | None = None,
) -> None:
    """Emit the messages that store registers; those that share a mask are in one branch."""
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

"""Lower shared memory: buffers, the tiles of matrices in them, and named barriers.

Buffers become views of one buffer of the workgroup.

    gpu.func @k(...) workgroup(%shared: memref<6144xi8, 3>) kernel {
      %c4096 = arith.constant 4096 : index
      %b = memref.view %shared[%c4096][] : memref<6144xi8, 3> to memref<32x16xf32, 3>

`planning/shared_memory.py` decides where each begins.

Tiles of matrices in shared memory become accesses of lanes, or block messages if adjacent lanes access neighbors.

A named barrier of XeGPU that all subgroups of a workgroup pass becomes the workgroup's own barrier.

No form in SPIR-V of a barrier that only some subgroups pass compiles on every device. If each arrival is followed by
its wait in the same block, waiting at the wait alone is correct: every subgroup that waits has arrived.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    VectorType,
    i1,
    i8,
    i64,
)
from xdsl.dialects.memref import ViewOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xetile.analysis.module_kernels import subgroup_count
from xetile.dialects.known_integers import folded_integer, known_integer
from xetile.dialects.upstream import arith, memref
from xetile.dialects.upstream.gpu.collectives import BarrierOp
from xetile.dialects.upstream.gpu.gpu_functions import FuncOp
from xetile.dialects.upstream.memref.memref_layout import strides_and_offset
from xetile.dialects.upstream.vector import BroadcastOp
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xegpu import (
    AllocNbarrierOp,
    CreateMemDescOp,
    InitNbarrierOp,
    LoadMatrixOp,
    MemDescType,
    NbarrierArriveOp,
    NbarrierWaitOp,
    StoreMatrixOp,
)
from xetile.dialects.xegpu.xegpu_constraints import is_shared_memory
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.errors import fail
from xetile.hints import isa
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.passes.xe.convert_xegpu_to_xevm.computed import coordinate, repeated
from xetile.passes.xe.convert_xegpu_to_xevm.held_registers import natural_type
from xetile.passes.xe.convert_xegpu_to_xevm.lane_accesses import (
    Addresses,
    base_pointer,
    behind,
    loaded,
    store,
)
from xetile.passes.xe.convert_xegpu_to_xevm.lane_view import LaneView
from xetile.passes.xe.convert_xegpu_to_xevm.word_vectors import is_tf32
from xetile.planning.shared_memory import buffer_bytes, is_shared_allocation, memref_bytes
from xetile.planning.xe.message_words import BYTE_BITS
from xetile.planning.xe.register_layouts.access_layouts import LaneAccess
from xetile.rewriting.one_to_many import Offset, Parts
from xetile.rewriting.rewriter import Handlers, on
from xetile.targets.xe.device import SHARED_ADDRESS_SPACE


@dataclass(eq=False)
class Matrix(Parts):
    """A matrix in shared memory; its one value is the pointer to its first element."""

    type: MemDescType

    def agrees_with(self, other: Parts) -> bool:
        return isinstance(other, Matrix) and self.type == other.type

    def describe(self) -> str:
        return str(self.type)


def _create_mem_desc(view: LaneView, op: CreateMemDescOp) -> None:
    type = op.mem_desc.type
    if (memory_bits(type.element_type) or 0) < BYTE_BITS:
        view.refuse(
            f"of {type.element_type} has several elements in a byte; expected i8 and "
            "a vector.bitcast of what is loaded or stored"
        )
    pointer = base_pointer(view, view.single(op.source))
    view.bind(op.mem_desc, Matrix((pointer,), type))


def _load_matrix(view: LaneView, op: LoadMatrixOp) -> None:
    tile = _tile(view, op, op.res)
    if tile is None:
        view.bind(op.res, _loaded_element(view, op))
        return
    addresses, layout = tile
    element = vector_type(op.res).element_type
    view.bind_vector(op.res, loaded(view, addresses, None, layout, element))


def _store_matrix(view: LaneView, op: StoreMatrixOp) -> None:
    tile = _tile(view, op, op.data)
    if tile is None:
        _store_element(view, op)
        return
    addresses, layout = tile
    store(view, addresses, None, view.converted(view.taken(op, 0), layout))


def _tile(
    view: LaneView, op: LoadMatrixOp | StoreMatrixOp, value: SSAValue
) -> tuple[Addresses, LinearLayout] | None:
    """Return the addresses of a tile and the layout of its vector, or None for a single element."""
    if not isa(value.type, VectorType):
        return None
    found = view.layouts.access(op)
    if found is None:
        view.refuse(
            f"has {value.type}, what one lane holds; expected XeGPU of one subgroup, rows and columns"
        )
    access, layout = found
    matrix = _matrix(view, op.mem_desc)
    (pointer,) = matrix.values
    corner = _corner(view, op)
    plan = access.plan(layout)
    if access.access.places.unknown is not None:
        places = _places(view, access, layout, matrix.type, corner)
        return Addresses(view, access.access, plan, pointer, places), layout
    moving = [0 if isinstance(place, int) else place for place in corner]
    size = access.access.bits // BYTE_BITS
    shift = _offset(view, matrix.type, moving)
    start = behind(view, pointer, view.multiply(shift, size))
    return Addresses(view, access.access, plan, start), layout


def _matrix(view: LaneView, value: SSAValue) -> Matrix:
    became = view.get(value)
    assert isinstance(became, Matrix), "only create_mem_desc makes matrices"
    return became


def _corner(view: LaneView, op: LoadMatrixOp | StoreMatrixOp) -> list[Offset]:
    """Return the row and the column, or as many coordinates as there are dimensions."""
    value = op.res if isinstance(op, LoadMatrixOp) else op.data
    type, mixed = cast(MemDescType, op.mem_desc.type), op.mixed_offsets
    shape = value.type.get_shape() if isa(value.type, VectorType) else [1] * len(mixed)
    for dimension, (place, extent) in enumerate(zip(mixed, shape, strict=True)):
        known = place if isinstance(place, int) else folded_integer(place)
        if known is not None and not 0 <= known <= type.shape[dimension] - extent:
            view.refuse(
                f"covers indices {known} to {known + extent - 1} of dimension {dimension} of {type}; "
                f"expected 0 to {type.shape[dimension] - 1}"
            )
    return view.mapped(mixed)


def _offset(view: LaneView, type: MemDescType, at: Sequence[Offset]) -> Offset:
    """Return the offset of the element at these coordinates from the first one (elements)."""
    total: Offset = 0
    inner, outer = type.steps
    for place, block, near, far in zip(at, type.block_shape, inner, outer, strict=True):
        for part, step in _across(view, place, block, near, far):
            total = view.add(total, view.multiply(part, step))
    return total


def _across(
    view: LaneView, place: Offset, block: int, near: int, far: int
) -> list[tuple[Offset, int]]:
    """Split a coordinate into those of the block and within the block, each with its step."""
    if not far:
        return [(place, near)]
    if isinstance(place, int):
        return [(place // block, far), (place % block, near)]
    size = view.constant(block)
    return [
        (view.new(arith.DivUIOp(place, size)), far),
        (view.new(arith.RemUIOp(place, size)), near),
    ]


def _places(
    view: LaneView,
    access: LaneAccess,
    layout: LinearLayout,
    type: MemDescType,
    corner: Sequence[Offset],
) -> SSAValue:
    """Return the offset of each register's element (elements), computed from its coordinates."""
    count = layout.in_dim_size("register")
    vector = VectorType(IndexType(), (count,))
    total: SSAValue | None = None
    inner, outer = type.steps
    dimensions = zip(corner, type.block_shape, inner, outer, strict=True)
    for dimension, (start, block, near, far) in enumerate(dimensions):
        own = repeated(view, coordinate(view, layout, dimension, IndexType()), count)
        first = view.new(BroadcastOp(view.index(start), vector))
        place = view.new(arith.AddiOp(own, first))
        steps = [(place, near)]
        if far:
            size = view.new(BroadcastOp(view.constant(block), vector))
            steps = [
                (view.new(arith.DivUIOp(place, size)), far),
                (view.new(arith.RemUIOp(place, size)), near),
            ]
        for part, step in steps:
            factor = view.new(BroadcastOp(view.constant(step), vector))
            term = view.new(arith.MuliOp(part, factor))
            total = term if total is None else view.new(arith.AddiOp(total, term))
    assert total is not None
    return total


# Single elements, which all lanes hold.


def _loaded_element(view: LaneView, op: LoadMatrixOp) -> SSAValue:
    element = op.res.type
    made = view.new(llvm.LoadOp(_element(view, op), _word(element)))
    if element == i1:
        return view.new(arith.TruncIOp(made, i1))
    natural = natural_type(element)
    return made if made.type == natural else view.new(arith.BitcastOp(made, natural))


def _store_element(view: LaneView, op: StoreMatrixOp) -> None:
    value = view.single(op.data)
    word = _word(op.data.type)
    pointer = _element(view, op)
    if op.data.type == i1:
        value = view.new(arith.ExtUIOp(value, i8))
    elif value.type != word:
        value = view.new(arith.BitcastOp(value, word))
    view.emit(llvm.StoreOp(value, pointer))


def _word(element: Attribute) -> IntegerType:
    return IntegerType(memory_bits(element) or 0)


def _element(view: LaneView, op: LoadMatrixOp | StoreMatrixOp) -> SSAValue:
    matrix = _matrix(view, op.mem_desc)
    element = matrix.type.element_type
    if is_tf32(element):
        view.refuse(f"of one {element} is not lowered to XeVM yet; expected a vector")
    (pointer,) = matrix.values
    size = (memory_bits(element) or 0) // BYTE_BITS
    place = _offset(view, matrix.type, _corner(view, op))
    return behind(view, pointer, view.multiply(place, size))


def _nothing(_: LaneView, op: Operation) -> None:
    """Drop the op: the workgroup's barrier needs no name, and every subgroup that waits at it has arrived."""


def _init(view: LaneView, op: InitNbarrierOp) -> None:
    count, all_of_them = known_integer(op.operands[1]), subgroup_count(view.function)
    if count is None or count != all_of_them:
        found = "a number that is not known" if count is None else str(count)
        fail(
            op,
            f"a named barrier of {found} of the workgroup's {all_of_them or 'unknown number of'} subgroups has no "
            "lowering to XeVM: not every device compiles one; expected a barrier of all of them",
        )
    users = {use.operation for use in op.results[0].uses}
    by_block: dict[Block | None, list[Operation]] = {}
    for user in filter(users.__contains__, view.function.walk()):
        by_block.setdefault(user.parent_block(), []).append(user)
    for together in by_block.values():
        _check_pairs(together)
    view.bind(op.results[0], Parts(()))


def _check_pairs(users: Sequence[Operation]) -> None:
    """Refuse arrivals that are not followed by their wait."""
    for number, user in enumerate(users):
        kind = NbarrierWaitOp if number % 2 else NbarrierArriveOp
        if not isinstance(user, kind) or (number + 1 == len(users) and number % 2 == 0):
            fail(
                user,
                "a named barrier is lowered to the workgroup's own where each 'xegpu.nbarrier_arrive' is followed by "
                f"its 'xegpu.nbarrier_wait' in the same block; this '{user.name}' has none",
            )


def _wait(view: LaneView, op: NbarrierWaitOp) -> None:
    view.emit(BarrierOp())


def check_shared_memory(view: LaneView) -> None:
    """Refuse more shared memory than the device gives a workgroup, before anything is emitted."""
    function, plan = view.function, view.shared_memory
    if not plan.buffers:
        return
    first = plan.buffers[0].at
    if not isinstance(function, FuncOp):
        fail(first, "a buffer in shared memory needs a gpu.func around it, which owns it")
    own = sum(buffer_bytes(buffer.type) for buffer in function.workgroup_buffers)
    if plan.bytes + own > view.device.shared_bytes:
        further = f" beside {own} of the workgroup's own" if own else ""
        fail(
            first,
            f"the kernel's buffers in shared memory, {plan.describe()} bytes, take {plan.bytes} bytes{further}; "
            f"{view.device.name} gives a workgroup {view.device.shared_bytes} at most",
        )


def _allocation(view: LaneView, op: Operation) -> None:
    if not is_shared_allocation(op):
        view.other(op)
        return
    result = op.results[0]
    type = result.type
    assert isa(type, MemRefType[Attribute])
    offset = view.constant(view.shared_memory.offsets[op])
    view.bind(result, _viewed(view, type, offset))


def _viewed(view: LaneView, type: MemRefType[Attribute], offset: SSAValue) -> SSAValue:
    """Return a view of the workgroup's buffer as a type with static strides."""
    element, space = type.element_type, type.memory_space
    owner = _owner(view, space)
    if isinstance(type.layout, NoneAttr):
        return view.new(ViewOp(owner, offset, [], type))
    layout, bits = strides_and_offset(type), memory_bits(element)
    size = memref_bytes(type)
    assert layout is not None
    assert layout[1] is not None
    assert bits is not None
    assert size is not None
    flat = MemRefType(element, (size * BYTE_BITS // bits,), NoneAttr(), space)
    elements = view.new(ViewOp(owner, offset, [], flat))
    strides = [stride for stride in layout[0] if stride is not None]
    return view.new(
        memref.ReinterpretCastOp.from_dynamic(
            elements, [layout[1]], type.get_shape(), strides, type
        )
    )


def _owner(view: LaneView, space: Attribute) -> SSAValue:
    """Return the workgroup's buffer, an argument of the function, in the address space that the program uses."""
    function, size = view.function, view.shared_memory.bytes
    own = MemRefType(i8, (size,), NoneAttr(), IntegerAttr(SHARED_ADDRESS_SPACE, i64))
    buffer = view.shared_buffer
    if buffer is None:
        assert isinstance(function, FuncOp)
        place = len(function.function_type.inputs) + len(function.workgroup_buffers)
        buffer = view.shared_buffer = view.entry.insert_arg(own, place)
        buffer.name_hint = "buffers"
    type = MemRefType(i8, (size,), NoneAttr(), space)
    if type == own:
        return buffer
    return view.shared(("buffers", space), lambda: memref.MemorySpaceCastOp(buffer, type))


def _end(view: LaneView, op: Operation) -> None:
    """Drop the deallocation of shared memory, which is planned by lifetime."""
    type = op.operands[0].type
    assert isinstance(type, MemRefType)
    if not is_shared_memory(type.memory_space):
        view.other(op)


HANDLERS: Handlers[LaneView] = {
    "memref.alloc": _allocation,
    "memref.alloca": _allocation,
    "memref.dealloc": _end,
    "memref.get_global": _allocation,
    **on(CreateMemDescOp, _create_mem_desc),
    **on(LoadMatrixOp, _load_matrix),
    **on(StoreMatrixOp, _store_matrix),
    **on(AllocNbarrierOp, _nothing),
    **on(InitNbarrierOp, _init),
    **on(NbarrierArriveOp, _nothing),
    **on(NbarrierWaitOp, _wait),
}

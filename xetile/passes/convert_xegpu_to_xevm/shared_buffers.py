"""The buffers that a kernel has in shared memory, as views of one buffer of its workgroup.

    gpu.func @k(...) workgroup(%shared: memref<6144xi8, 3>) kernel {
      %c4096 = arith.constant 4096 : index
      %b = memref.view %shared[%c4096][] : memref<6144xi8, 3> to memref<32x16xf32, 3>

Where each begins, `planning/shared_memory.py` says.
"""

from xdsl.dialects.builtin import IntegerAttr, MemRefType, NoneAttr, i8, i64
from xdsl.dialects.memref import ViewOp
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.dialects.upstream import memref
from xetile.dialects.upstream.gpu.functions import FuncOp
from xetile.dialects.upstream.memref.layout import strides_and_offset
from xetile.dialects.xegpu.constraints import is_shared_memory
from xetile.dialects.xetile.types import memory_bits
from xetile.errors import fail
from xetile.hints import isa
from xetile.passes.convert_xegpu_to_xevm.view import LaneView
from xetile.planning.shared_memory import buffer_bytes, is_shared_allocation, memref_bytes
from xetile.planning.words import BYTE_BITS
from xetile.rewriting.rewriter import Handlers
from xetile.targets.xe.device import SHARED_ADDRESS_SPACE


def check_shared_memory(view: LaneView) -> None:
    """Refuse more than the device gives a workgroup, before anything is emitted."""
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
    """A view of the workgroup's buffer, of a type whose strides are known."""
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
    """The workgroup's buffer, an argument of the function, in the address space as it is written."""
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
    """What is planned by lifetime is not given back."""
    type = op.operands[0].type
    assert isinstance(type, MemRefType)
    if not is_shared_memory(type.memory_space):
        view.other(op)


HANDLERS: Handlers[LaneView] = {
    "memref.alloc": _allocation,
    "memref.alloca": _allocation,
    "memref.dealloc": _end,
    "memref.get_global": _allocation,
}

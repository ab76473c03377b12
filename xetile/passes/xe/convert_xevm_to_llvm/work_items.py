"""Lower ops on work-items (ids, barriers, shuffles, reductions, prints, atomics) to functions of OpenCL and SPIR-V.

Ops of the gpu, xevm, spirv and llvm dialects are lowered here, each kind in its own way:

- Ids, barriers and memory fences become OpenCL's functions. LLVM's SPIR-V back end turns those into BuiltIn variables
  and barriers.
- `gpu.shuffle` becomes OpenCL's shuffles, one for each register.
- `gpu.subgroup_reduce` over the whole subgroup becomes OpenCL's function. Only integers are lowered in this way: they
  give the same bits in any order.
- `gpu.printf` becomes OpenCL's printf. The format is a constant of the module. OpenCL has no `ll`: the length of a
  conversion is that of the passed value, 64 bits or at most 32. Floats below 32 bits are passed as f32, and f32
  unchanged, since devices without f64 accept no other.
  Source: OpenCL C specification 3.0, "printf"; section "Differences between OpenCL C and C99 printf".
- Atomic ops of the llvm dialect stay, on lowered operands.
- `spirv.ControlBarrier` becomes the function of that name, with SPIR-V's numbers for scope and semantics.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    Float16Type,
    IndexType,
    IntAttr,
    IntegerType,
    StringAttr,
    f32,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.module_kernels import symbol_name
from xetile.dialects.upstream.gpu import ShuffleOp, SubgroupReduceOp
from xetile.dialects.upstream.gpu.collectives import CONVERSION, SIGNED, format_of, kinds_of
from xetile.dialects.upstream.llvm import AtomicRMWOp, CmpXchgOp
from xetile.errors import fail
from xetile.hints import isa
from xetile.passes.xe.convert_xevm_to_llvm.builtins import PRINTF, mangle
from xetile.passes.xe.convert_xevm_to_llvm.floats import float_parts
from xetile.passes.xe.convert_xevm_to_llvm.llvm_types import element_bits, is_nibble
from xetile.passes.xe.convert_xevm_to_llvm.llvm_view import LLVMView
from xetile.passes.xe.convert_xevm_to_llvm.vector_chunks import chunks_of, elements_of
from xetile.rewriting.rewriter import Handlers, on, remade
from xetile.targets.xe.atomics import COMPARED_BITS
from xetile.targets.xe.device import CONSTANT_ADDRESS_SPACE, LANES

_FUNCTIONS: Mapping[str, str] = {
    "xor": "sub_group_shuffle_xor",
    "up": "sub_group_shuffle_up",
    "down": "sub_group_shuffle_down",
    "idx": "sub_group_shuffle",
}
"""OpenCL's functions by gpu's modes (source: OpenCL extensions cl_khr_subgroup_shuffle and ..._relative)."""

_BROADCAST = "sub_group_broadcast"
_FLOATS = {"f16": "Dh", "f32": "f", "f64": "d"}
"""Floats that move unchanged: IGC recognizes a sum over all lanes by its shuffles and additions, of one type."""

_AS_WORDS = {("sub_group_shuffle", "Dh")}
"""The functions and types that move as integers all the same: Intel's runtime for CPUs crashes on many of these
("Cannot emit physreg copy instruction", 2026.2.0), and no sum over lanes uses them."""

_LETTERS = {8: "c", 16: "s", 32: "i", 64: "l"}


def _shuffle(view: LLVMView, op: ShuffleOp) -> None:
    mode = str(op.mode.data)
    width = view.number(op.width)
    if width != LANES:
        found = "is not constant" if width is None else f"is {width}"
        fail(op, f"'width' {found}; expected {LANES}, the lanes of a subgroup")
    offset = view.integer(op.offset, 32)
    known = view.number(op.offset)
    name = _FUNCTIONS[mode]
    if mode == "idx" and known is not None and 0 <= known < LANES:
        name = _BROADCAST
    element = view.element(op.value)
    moved = [
        _moved(view, name, part, element, offset)
        for part in elements_of(view, view.parts(op.value))
    ]
    view.bind_parts(op.shuffle_result, chunks_of(view, moved, element))
    if op.valid.first_use is not None:
        view.bind(op.valid, _valid(view, mode, offset))


def _moved(
    view: LLVMView, name: str, value: SSAValue, element: Attribute, offset: SSAValue
) -> SSAValue:
    """Return another lane's value. Types that are not floats of OpenCL move as integers of whole bytes."""
    letter = _FLOATS.get(str(element))
    if letter is not None and (name, letter) not in _AS_WORDS:
        return view.result_of_call(mangle(name, [letter, "j"]), [value, offset], element)
    bits = element_bits(element)
    word = IntegerType(max(8, bits))
    if bits < word.width.data:
        value = view.new(llvm.ZExtOp(value, word))
    elif element != word:
        value = view.new(llvm.BitcastOp(value, word))
    function = mangle(name, [_LETTERS[word.width.data], "j"])
    moved = view.result_of_call(function, [value, offset], word)
    if bits < word.width.data:
        return view.new(llvm.TruncOp(moved, cast(IntegerType, element)))
    return moved if element == word else view.new(llvm.BitcastOp(moved, element))


def _valid(view: LLVMView, mode: str, offset: SSAValue) -> SSAValue:
    """Return the test that the lane to read from is one of the subgroup's."""
    combine = {"xor": llvm.XOrOp, "up": llvm.SubOp, "down": llvm.AddOp}.get(mode)
    if combine is not None:
        lane = view.result_of_call(mangle("get_sub_group_local_id", []), [], i32)
        offset = view.new(combine(lane, offset))
    return view.compare("ult", offset, view.i32(LANES))


class _Function(NamedTuple):
    """One of OpenCL's functions (source: OpenCL C 3.0, 6.15.20), and how it reads integers."""

    name: str
    signed: bool = True


_REDUCTIONS: Mapping[str, _Function] = {
    "add": _Function("sub_group_reduce_add"),
    "minsi": _Function("sub_group_reduce_min"),
    "maxsi": _Function("sub_group_reduce_max"),
    "minui": _Function("sub_group_reduce_min", signed=False),
    "maxui": _Function("sub_group_reduce_max", signed=False),
}

_REDUCED = {(32, True): "i", (32, False): "j", (64, True): "l", (64, False): "m"}
"""The C++ ABI's letters, by bits and by signedness."""


def _subgroup_reduce(view: LLVMView, op: SubgroupReduceOp) -> None:
    element = op.value.type
    kind = str(op.op.data)
    if not isa(element, IntegerType):
        fail(
            op,
            f"{element} over lanes is reduced in an order that nothing says, and other bits come of it; expected "
            f"integers, or gpu.shuffle xor by {LANES // 2}, ..., 1 with an op after each",
        )
    if kind not in _REDUCTIONS or op.cluster_size is not None:
        of = "of clusters of lanes" if op.cluster_size is not None else f"by '{kind}'"
        fail(
            op,
            f"a reduction {of} has no function of OpenCL; expected {', '.join(_REDUCTIONS)} of all lanes, "
            "or gpu.shuffle xor",
        )
    bits = element.width.data
    function = _REDUCTIONS[kind]
    word = i32 if bits <= i32.bitwidth else i64
    if bits > i64.bitwidth:
        fail(op, f"integers of {bits} bits over lanes; expected at most {i64.bitwidth}")
    (value,) = view.parts(op.value)
    if element != word:
        widen = llvm.SExtOp if function.signed else llvm.ZExtOp
        value = view.new(widen(value, word))
    name = mangle(function.name, [_REDUCED[word.bitwidth, function.signed]])
    found = view.result_of_call(name, [value], word)
    if element != word:
        found = view.new(llvm.TruncOp(found, element))
    view.bind_parts(op.result, [found])


_POINTER = llvm.LLVMPointerType(IntAttr(CONSTANT_ADDRESS_SPACE))
_FUNCTION = mangle(PRINTF, [f"PU3AS{CONSTANT_ADDRESS_SPACE}Kc", "z"])


def _printf(view: LLVMView, op: Operation) -> None:
    kinds = kinds_of(op)
    values = [
        _argument(view, value, kind) for kind, value in zip(kinds, op.operands, strict=True)
    ]
    format = _format(view, format_of(op), values)
    view.call_variadic(_FUNCTION, [_pointer(view, format)], values, i32)


def _argument(view: LLVMView, value: SSAValue, kind: str) -> SSAValue:
    """Return the argument for a value: an integer of 32 or 64 bits, f32 or f64."""
    if isa(value.type, AnyFloat):
        (part,) = float_parts(view, value)
        is_half = isinstance(part.type, Float16Type)
        return view.new(llvm.FPExtOp(part, f32)) if is_half else part
    if kind == "p":
        view.refuse("has '%p', with which OpenCL's printf prints pointers; expected %x")
    if is_nibble(value.type):
        view.refuse(f"of {value.type} has no lowering to LLVM IR; widen the value before")
    bits = 64 if isinstance(value.type, IndexType) else view.bits(value)
    number = view.integer(value, bits)
    if kind == "c":
        return view.resized(number, 32)
    if bits >= 32:
        return number
    extend = llvm.SExtOp if kind in SIGNED else llvm.ZExtOp
    return view.new(extend(number, i32))


def _format(view: LLVMView, format: str, values: list[SSAValue]) -> str:
    """Return the format with the lengths of the passed values."""
    if "\0" in format:
        view.refuse("has a format with a zero byte, at which OpenCL's printf ends")
    passed: Iterator[SSAValue] = iter(values)

    def converted(found: re.Match[str]) -> str:
        kind = found["kind"]
        type = None if kind == "%" else next(passed).type
        length = "l" if isa(type, IntegerType) and type.width.data == 64 else ""
        return f"%{found['flags']}{found['width']}{found['precision']}{length}{kind}"

    return CONVERSION.sub(converted, format)


def _pointer(view: LLVMView, format: str) -> SSAValue:
    """Return the address of the format, which all prints with this format share."""
    made = view.texts.get(format)
    if made is None:
        name = f"{symbol_name(view.function)}_format{len(view.texts) or ''}"
        text = format + "\0"
        made = view.texts[format] = llvm.GlobalOp(
            llvm.LLVMArrayType(IntAttr(len(text.encode())), i8),
            name,
            "internal",
            addr_space=CONSTANT_ADDRESS_SPACE,
            constant=True,
            value=StringAttr(text),
        )
        made.location = view.current.location
    name = made.sym_name.data
    return view.shared(("format", name), lambda: llvm.AddressOfOp(name, _POINTER))


def _print(view: LLVMView, op: Operation) -> None:
    view.refuse(
        "has no lowering to LLVM IR; expected gpu.printf, which OpenCL has a function for"
    )


def _change(view: LLVMView, op: AtomicRMWOp) -> None:
    type = view.element(op.val)
    if type != op.val.type or (
        isa(type, IntegerType) and type.width.data not in COMPARED_BITS
    ):
        view.refuse(f"on {op.val.type} has no lowering to LLVM IR; {_LEGAL}, or a float")
    operands = [view.scalar(op.ptr), view.scalar(op.val)]
    view.bind_parts(op.res, [view.new(remade(op, operands, [type]))])


def _compare_exchange(view: LLVMView, op: CmpXchgOp) -> None:
    type = cast(IntegerType, op.val.type)
    if type.width.data not in COMPARED_BITS:
        view.refuse(f"on {type} has no lowering to LLVM IR; {_LEGAL}")
    operands = [view.scalar(value) for value in op.operands]
    view.bind(op.res, view.new(remade(op, operands, op.result_types)))


def _member(view: LLVMView, op: Operation) -> None:
    """Return a part of a compare-exchange's result."""
    (source,), (result,) = op.operands, op.results
    if not isinstance(source.owner, CmpXchgOp):
        fail(op, f"'{op.name}' of {source.type} has no lowering to LLVM IR")
    operands = [view.scalar(source)]
    view.bind_parts(result, [view.new(remade(op, operands, [result.type]))])


_LEGAL = "expected an integer of 32 or 64 bits"


_ALONG_AXIS: Mapping[str, str] = {
    "gpu.block_id": "get_group_id",
    "gpu.block_dim": "get_local_size",
    "gpu.global_id": "get_global_id",
    "gpu.grid_dim": "get_num_groups",
    "gpu.thread_id": "get_local_id",
    "xevm.group_count": "get_num_groups",
    "xevm.group_id": "get_group_id",
    "xevm.local_id": "get_local_id",
    "xevm.local_size": "get_local_size",
}
"""Functions of an axis, with a 64-bit result; xevm's ops have the axis in their name."""

_OF_SUBGROUP: Mapping[str, str] = {
    "gpu.lane_id": "get_sub_group_local_id",
    "gpu.num_subgroups": "get_num_sub_groups",
    "gpu.subgroup_id": "get_sub_group_id",
    "gpu.subgroup_size": "get_sub_group_size",
    "xevm.lane_id": "get_sub_group_local_id",
    "xevm.subgroup_id": "get_sub_group_id",
    "xevm.subgroup_size": "get_sub_group_size",
}
"""Functions without an argument, with a 32-bit result."""

_LOCAL_FENCE, _GLOBAL_FENCE = 1, 2  # OpenCL 3.0, CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE
_ACQUIRE_RELEASE = 4  # memory_order_acq_rel
_SCOPES = {"workgroup": 1, "device": 2}  # memory_scope_work_group, memory_scope_device
_SPACES = {"shared": _LOCAL_FENCE, "global": _GLOBAL_FENCE}


def _along_axis(view: LLVMView, op: Operation) -> None:
    name, _, axis = op.name.rpartition(".")
    if op.name in _ALONG_AXIS:
        name, axis = op.name, str(getattr(op.properties["dimension"], "data", ""))
    number = view.i32("xyz".index(axis))
    function = mangle(_ALONG_AXIS[name], ["j"])
    view.bind_parts(op.results[0], [view.result_of_call(function, [number], i64)])


def _of_subgroup(view: LLVMView, op: Operation) -> None:
    function = mangle(_OF_SUBGROUP[op.name], [])
    view.bind_parts(op.results[0], [view.result_of_call(function, [], i32)])


def _barrier(view: LLVMView, op: Operation) -> None:
    flags = view.i32(_LOCAL_FENCE | _GLOBAL_FENCE)
    view.call(mangle("barrier", ["j"]), [flags])


_BARRIER_SCOPES = {"Device": 1, "Workgroup": 2, "Subgroup": 3}
_SEMANTICS = {
    "None": 0,
    "Acquire": 0x2,
    "Release": 0x4,
    "AcquireRelease": 0x8,
    "SequentiallyConsistent": 0x10,
    "SubgroupMemory": 0x80,
    "WorkgroupMemory": 0x100,
    "CrossWorkgroupMemory": 0x200,
}
"""SPIR-V's numbers (specification, "Scope <id>", "Memory Semantics <id>"); OpenCL supports only these."""


def _control_barrier(view: LLVMView, op: Operation) -> None:
    """Lower `spirv.ControlBarrier` to the function of SPIR-V's name.

    Errors: XetileError at a scope or semantics that OpenCL does not support.
    """
    from xetile.dialects.upstream.spirv import ControlBarrierOp

    assert isinstance(op, ControlBarrierOp)
    scopes = [
        _BARRIER_SCOPES.get(scope.data) for scope in (op.execution_scope, op.memory_scope)
    ]
    semantics = [_SEMANTICS.get(name) for name in op.memory_semantics.data]
    if None in (*scopes, *semantics):
        fail(
            op,
            f"a barrier of scope {op.execution_scope.data} with {op.memory_scope.data} and "
            f"{'|'.join(op.memory_semantics.data)} has no lowering to LLVM IR; "
            f"expected {', '.join(_BARRIER_SCOPES)}; {', '.join(_SEMANTICS)}",
        )
    numbers = [number for number in scopes if number is not None]
    total = sum(number for number in semantics if number is not None)
    arguments = [view.i32(number) for number in (*numbers, total)]
    view.call(mangle("__spirv_ControlBarrier", ["j", "j", "j"]), arguments)


def _fence(view: LLVMView, op: Operation) -> None:
    scope, space = (
        str(getattr(op.properties.get(name), "data", "")) for name in ("scope", "addrspace")
    )
    if scope not in _SCOPES or space not in _SPACES:
        fail(
            op,
            f"a fence of scope {scope or 'that is not given'} and address space {space or 'generic'} has no lowering "
            f"to LLVM IR; expected scope {' or '.join(_SCOPES)}, address space {' or '.join(_SPACES)}",
        )
    numbers = (_SPACES[space], _ACQUIRE_RELEASE, _SCOPES[scope])
    arguments = [view.i32(number) for number in numbers]
    view.call(mangle("atomic_work_item_fence", ["j", "i", "i"]), arguments)


HANDLERS: Handlers[LLVMView] = {
    **{name: _along_axis for name in _ALONG_AXIS if name.startswith("gpu.")},
    **{
        f"{name}.{axis}": _along_axis
        for name in _ALONG_AXIS
        for axis in "xyz"
        if "xevm" in name
    },
    **dict.fromkeys(_OF_SUBGROUP, _of_subgroup),
    "gpu.barrier": _barrier,
    "spirv.ControlBarrier": _control_barrier,
    "xevm.memfence": _fence,
    **on(ShuffleOp, _shuffle),
    **on(SubgroupReduceOp, _subgroup_reduce),
    "gpu.printf": _printf,
    "vector.print": _print,
    **on(AtomicRMWOp, _change),
    **on(CmpXchgOp, _compare_exchange),
    llvm.ExtractValueOp.name: _member,
}

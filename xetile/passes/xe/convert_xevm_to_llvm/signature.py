"""The arguments of a kernel at L, and the facts that a host needs to launch it.

A memref becomes a pointer to element zero, followed by one i64 for a dynamic offset, for each dynamic size and for each
dynamic stride, in dimension order. An i64 that is used only as an address, or to count from, becomes a pointer. All
other arguments stay.
"""

from typing import NamedTuple, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StridedLayoutAttr,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from xetile.analysis.kernel_targets import subgroup_threads
from xetile.analysis.module_kernels import launch_sizes
from xetile.dialects.upstream.memref.memref_layout import strides_and_offset
from xetile.dialects.xetile.xetile_attributes import GLOBAL, memory_space_of
from xetile.errors import fail
from xetile.hints import isa
from xetile.passes.xe.convert_xevm_to_llvm.llvm_types import lowered_element
from xetile.passes.xe.convert_xevm_to_llvm.llvm_view import Address, LLVMView, Strided
from xetile.targets.xe.device import GLOBAL_ADDRESS_SPACE

_POINTER = llvm.LLVMPointerType(IntAttr(GLOBAL_ADDRESS_SPACE))
_CASTS = ("arith.index_cast", "arith.index_castui", "builtin.unrealized_conversion_cast")
_BASES = ("llvm.ptrtoint", "memref.extract_aligned_pointer_as_index")
_WIDENING = ("arith.extui", "arith.extsi", *_CASTS)


class Matrix(NamedTuple):
    """A memref: its element type, and sizes, strides and offset in elements; None is known only at run time."""

    element: Attribute
    shape: tuple[int | None, ...]
    strides: tuple[int | None, ...]
    offset: int | None


class Argument(NamedTuple):
    """One argument at L, and its meaning for one of the kernel's own arguments.

    `kind` is pointer, offset, size, stride (the last two of a `dimension`, all three in elements) or value. `source` is
    the type of the kernel's own argument, and `name` its name. `matrix` describes the memory at a memref's pointer,
    which points to element zero: the offset is the distance from the memref's aligned pointer to there.
    """

    type: Attribute
    name: str
    kind: str
    source: Attribute
    dimension: int | None = None
    matrix: Matrix | None = None


def add_arguments(view: LLVMView, arguments: tuple[BlockArgument, ...]) -> list[Argument]:
    """Add the arguments of the new function, and bind the old ones to them."""
    made: list[Argument] = []
    for index, argument in enumerate(arguments):
        view.current = view.function
        name = argument.name_hint or f"arg{index}"
        if isa(argument.type, MemRefType):
            made += _add_memref(view, argument, name)
        else:
            made.append(_add_scalar(view, argument, name))
    return made


def _new(view: LLVMView, type: Attribute, name: str) -> BlockArgument:
    entry = view.region.blocks[0]
    argument = entry.insert_arg(type, len(entry.args))
    argument.name_hint = name
    return argument


def _add_memref(view: LLVMView, argument: BlockArgument, name: str) -> list[Argument]:
    type = cast(MemRefType[Attribute], argument.type)
    if strides_and_offset(type) is None:
        fail(
            view.function, f"the layout of {type} has no lowering to LLVM IR; expected strides"
        )
    if memory_space_of(type.memory_space) != GLOBAL:
        fail(view.function, f"argument {name} of type {type} is not in global memory")
    pointer, *others = made = memref_arguments(type, name)
    assert pointer.matrix is not None
    _, shape, strides, offset = pointer.matrix
    address = _new(view, _POINTER, name)
    passed: dict[tuple[str, int | None], SSAValue] = {}
    for kind, place in ((other.kind, other.dimension) for other in others):
        suffix = "" if place is None else str(place)
        passed[kind, place] = _new(view, i64, f"{name}_{kind}{suffix}")
    start = passed["offset", None] if offset is None else offset
    sizes = [
        passed["size", dimension] if size is None else size
        for dimension, size in enumerate(shape)
    ]
    steps = [
        passed.get(("stride", dimension)) if stride is None else stride
        for dimension, stride in enumerate(strides)
    ]
    view.bind(argument, Strided(address, start, tuple(sizes), tuple(steps)))
    return made


def memref_arguments(type: MemRefType[Attribute], name: str) -> list[Argument]:
    """Return the arguments by which a memref whose layout has strides is passed."""
    layout = strides_and_offset(type)
    assert layout is not None
    strides, offset = layout
    shape = tuple(size if size >= 0 else None for size in type.get_shape())
    matrix = Matrix(type.element_type, shape, strides, offset)
    passed = strides if isinstance(type.layout, StridedLayoutAttr) else ()
    return [
        Argument(_POINTER, name, "pointer", type, matrix=matrix),
        *([Argument(i64, name, "offset", type)] if offset is None else []),
        *(
            Argument(i64, name, kind, type, dimension)
            for kind, extents in (("size", shape), ("stride", passed))
            for dimension, extent in enumerate(extents)
            if extent is None
        ),
    ]


def passed_as(type: Attribute) -> Attribute | None:
    """Return the type by which a number or an address is passed, or None if kernels cannot take it."""
    lowered = lowered_element(type)
    if lowered == IntegerType(1):
        return IntegerType(8)  # SPIR-V has no booleans in memory, and arguments are memory
    return (
        lowered
        if lowered == _POINTER or not isinstance(lowered, llvm.LLVMPointerType)
        else None
    )


def _add_scalar(view: LLVMView, argument: BlockArgument, name: str) -> Argument:
    type = argument.type
    if isa(type, IntegerType) and type.width.data == 64 and _is_address(argument):
        view.bind(argument, Address(_new(view, _POINTER, name), 0))
        return Argument(_POINTER, name, "pointer", type)
    if isa(type, IntegerType) and type.width.data == 32 and _is_address(argument):
        fail(
            view.function,
            f"argument {name} of type {type} is an address; pointers have 64 bits here, use i64 or a memref",
        )
    lowered = passed_as(type)
    if lowered is None:
        fail(view.function, f"argument {name} of type {type} has no lowering to LLVM IR")
    value: SSAValue = _new(view, lowered, name)
    if lowered_element(type) == IntegerType(1):
        view.bind(argument, view.new(llvm.TruncOp(value, IntegerType(1))))
    else:
        if isa(lowered, IntegerType):
            value = view.resized(value, view.bits(argument))
        view.bind(argument, value)
    kind = "pointer" if lowered == _POINTER else "value"
    return Argument(lowered, name, kind, type)


def _is_address(value: SSAValue) -> bool:
    """Return True if an integer is used, and only as an address or as a number to count from."""
    uses = list(value.uses)
    return bool(uses) and all(_makes_address(use.operation, use.index) for use in uses)


def _makes_address(user: Operation, operand: int) -> bool:
    if user.name == "llvm.inttoptr":
        return True
    if user.name in _WIDENING or (user.name == "arith.subi" and operand == 0):
        return _is_address(user.results[0])
    if user.name == "arith.addi":
        # of two arguments that are added, only one can be the address, and it is not known which
        other = user.operands[1 - operand]
        counted = _is_parameter(other) or _has_base(other)
        return not counted and _is_address(user.results[0])
    return False


def _has_base(value: SSAValue) -> bool:
    """Return True if an integer is an address or counted from one, so that an addend to it is an offset."""
    if not isinstance(value, OpResult):
        return False
    if value.op.name in _BASES:
        return True
    passes = value.op.name in (*_WIDENING, "arith.addi", "arith.subi")
    return passes and any(map(_has_base, value.op.operands))


def _is_parameter(value: SSAValue) -> bool:
    """Return True if a value is an argument of the kernel, not one of a loop."""
    while isinstance(value, OpResult) and value.op.name in _WIDENING:
        value = value.op.operands[0]
    if not isinstance(value, BlockArgument):
        return False
    around = value.block.parent_op()
    return around is not None and around.name in ("gpu.func", "func.func")


def launch_attribute(
    function: Operation, arguments: list[Argument], shared_bytes: int
) -> DictionaryAttr:
    """Return the `LAUNCH_ATTRIBUTE` of a kernel whose workgroups share `shared_bytes`."""
    entries: dict[str, Attribute] = {"arguments": ArrayAttr(map(described, arguments))}
    for name, source in (("grid", "known_grid_size"), ("block", "known_block_size")):
        sizes = launch_sizes(function, source)
        if sizes is not None:
            entries[name] = ArrayAttr([_integer(size) for size in sizes])
    entries["subgroup_size"] = _integer(subgroup_threads(function))
    entries["shared_memory"] = _integer(shared_bytes)
    return DictionaryAttr(entries)


def described(argument: Argument) -> DictionaryAttr:
    """Return the entry of an argument in `LAUNCH_ATTRIBUTE`."""
    type = "pointer" if argument.type == _POINTER else str(argument.type)
    words = {
        "name": argument.name,
        "kind": argument.kind,
        "type": type,
        "source": str(argument.source),
    }
    entries: dict[str, Attribute] = {key: StringAttr(word) for key, word in words.items()}
    if argument.dimension is not None:
        entries["dimension"] = _integer(argument.dimension)
    if argument.matrix is not None:
        element, shape, strides, offset = argument.matrix
        entries["element"] = StringAttr(str(element))
        entries["shape"] = ArrayAttr(map(_known, shape))
        entries["strides"] = ArrayAttr(map(_known, strides))
        entries["offset"] = _known(offset)
    return DictionaryAttr(entries)


def _known(value: int | None) -> Attribute:
    """Return a number, or a unit if it is known only at run time."""
    return UnitAttr() if value is None else _integer(value)


def _integer(value: int) -> IntegerAttr[IntegerType]:
    return IntegerAttr(value, i64)

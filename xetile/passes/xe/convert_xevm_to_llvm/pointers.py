"""Lower memrefs, their views and the accesses of lanes to pointers, loads and stores of LLVM.

Memory of one lane (memref.alloca, and buffers that a function declares for each work-item) exists from the function's
start on. An alloca in a loop returns the same bytes each time; the contents of the previous round are dead.

vector.load and vector.store access neighboring elements of one lane, chunk by chunk. Views of memrefs compute nothing
before they are used.

Accesses with a cache control call IGC's functions that have one, and other accesses are LLVM's own. SPIR-V's decoration
(SPV_INTEL_cache_controls) would be on the same pointer once for each level, which spirv-val refuses.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    i1,
    i8,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from xetile.analysis.constants import integers_of
from xetile.dialects.upstream.memref.memref_layout import strides_and_offset
from xetile.dialects.upstream.memref.views import TransposeOp, dropped_dimensions, subview_type
from xetile.dialects.xevm import (
    CACHE_CONTROL,
    LoadCacheControlAttr,
    PrefetchOp,
    StoreCacheControlAttr,
)
from xetile.errors import fail, warn
from xetile.hints import isa
from xetile.passes.xe.convert_xevm_to_llvm.builtins import (
    DEFAULT_PREFETCH_OPTION,
    LOAD_CACHE_OPTIONS,
    STORE_CACHE_OPTIONS,
    lane_function,
)
from xetile.passes.xe.convert_xevm_to_llvm.llvm_types import (
    chunk_bits,
    chunk_places,
    chunk_type,
    element_bits,
    is_nibble,
    lowered_element,
    vector_element,
    vector_length,
    width,
)
from xetile.passes.xe.convert_xevm_to_llvm.llvm_view import Address, LLVMView, Size, Strided
from xetile.rewriting.rewriter import Handlers, on, remade
from xetile.targets.xe.device import GLOBAL_ADDRESS_SPACE
from xetile.targets.xe.messages import LEAST_WORD_BITS, lane_words


def bind_private(view: LLVMView, buffer: SSAValue) -> None:
    """Bind a memref to an array of its own in private memory.

    Errors: XetileError for a dynamic shape, and for elements or a memory space that L does not support.
    """
    type = cast("MemRefType[Attribute]", buffer.type)
    shape, layout = type.get_shape(), strides_and_offset(type)
    if not _is_private(type.memory_space):
        view.refuse(
            f"of {type} has no lowering to LLVM IR; expected a buffer of each work-item, "
            "of no memory space or #gpu.address_space<private>"
        )
    strides = [None] if layout is None else layout[0]
    if min(shape, default=1) < 0 or layout is None or layout[1] != 0 or None in strides:
        view.refuse(
            f"of {type} has no lowering to LLVM IR; expected a shape and strides that are known, and offset 0"
        )
    if is_nibble(type.element_type):
        view.refuse(
            f"of {type} has no lowering to LLVM IR: two elements share a byte; expected elements of bytes"
        )
    steps = [cast(int, stride) for stride in strides]
    last = sum((extent - 1) * step for extent, step in zip(shape, steps, strict=True))
    count = last + 1 if prod(shape) else 1
    pointer = view.private(("buffer", buffer), memory_element(view, buffer), count)
    view.bind(buffer, Strided(pointer, 0, tuple(shape), tuple(steps)))


def _is_private(space: Attribute) -> bool:
    if isinstance(space, IntegerAttr):
        return space.value.data == 0
    return isinstance(space, NoneAttr) or str(space) == "#gpu.address_space<private>"


def _alloca(view: LLVMView, op: Operation) -> None:
    bind_private(view, op.results[0])


def _check(op: Operation, value: SSAValue, memref: SSAValue) -> None:
    if vector_length(value.type) is None:
        fail(
            op,
            f"'{op.name}' of {value.type} has no lowering to LLVM IR; expected a vector of one dimension "
            "(vector.shape_cast makes others of it)",
        )
    if isinstance(cast("MemRefType[Attribute]", memref.type).element_type, type(value.type)):
        fail(
            op,
            f"'{op.name}' of {memref.type} has no lowering to LLVM IR; expected scalars in memory",
        )


def _alignment(op: Operation, stored: Attribute) -> int:
    """Return the alignment in bytes: what the op promises, else that of an element, as memrefs promise no more."""
    given = op.properties.get("alignment")
    promised = getattr(getattr(given, "value", None), "data", 1)
    return max(promised, element_bits(stored) // 8)


def _load_vector(view: LLVMView, op: Operation) -> None:
    (memref, *indices), (result,) = op.operands, op.results
    _check(op, result, memref)
    stored = memory_element(view, memref)
    first, size = element_pointer(view, memref, indices), element_bits(stored) // 8
    parts: list[SSAValue] = []
    for (start, count), type in zip(
        chunk_places(width(result)), view.part_types(result), strict=True
    ):
        at = behind(view, first, start, stored)
        aligned = _alignment(op, stored) if start == 0 else size
        loaded = view.new(llvm.LoadOp(at, chunk_type(stored, count), aligned))
        narrow = chunk_bits(type) < chunk_bits(loaded.type)
        parts.append(view.new(llvm.TruncOp(loaded, type)) if narrow else loaded)
    view.bind_parts(result, parts)


def _store_vector(view: LLVMView, op: Operation) -> None:
    value, memref, *indices = op.operands
    _check(op, value, memref)
    stored = memory_element(view, memref)
    first, size = element_pointer(view, memref, indices), element_bits(stored) // 8
    for (start, count), part in zip(
        chunk_places(width(value)), view.parts(value), strict=True
    ):
        type = chunk_type(stored, count)
        if chunk_bits(part.type) < chunk_bits(type):
            is_bit = chunk_bits(part.type) == cast(IntegerType, i1).width.data
            part = view.new((llvm.ZExtOp if is_bit else llvm.SExtOp)(part, type))
        aligned = _alignment(op, stored) if start == 0 else size
        view.emit(llvm.StoreOp(part, behind(view, first, start, stored), aligned))


_LISTS = ("static_offsets", "static_sizes", "static_strides")


def _type(value: SSAValue) -> MemRefType[Attribute]:
    return cast("MemRefType[Attribute]", value.type)


def _bind(
    view: LLVMView,
    result: SSAValue,
    source: Strided,
    at: Size,
    sizes: Sequence[Size],
    strides: Sequence[Size],
) -> None:
    """Bind a memref to a view; static numbers of its type replace computed ones."""
    layout = strides_and_offset(_type(result))
    if layout is None:
        fail(view.current, f"the layout of {result.type} has no lowering to LLVM IR")
    shape = _type(result).get_shape()
    known_sizes = [
        known if known >= 0 else size for known, size in zip(shape, sizes, strict=True)
    ]
    known_strides = [
        found if known is None else known
        for known, found in zip(layout[0], strides, strict=True)
    ]
    view.bind(
        result,
        Strided(source.pointer, source.before, tuple(known_sizes), tuple(known_strides), at),
    )


def _mixed(view: LLVMView, op: Operation) -> list[list[Size]]:
    """Return the offsets, sizes and strides of an op, each a number or an operand."""
    dynamic = iter(op.operands[1:])
    return [
        [
            view.amount(next(dynamic)) if number == DYNAMIC_INDEX else number
            for number in integers_of(op, name)
        ]
        for name in _LISTS
    ]


def _cast(view: LLVMView, op: Operation) -> None:
    found = strided(view, op.operands[0])
    strides = [stride(view, found, dimension) for dimension in range(len(found.sizes))]
    _bind(view, op.results[0], found, start(view, found), found.sizes, strides)


def _subview(view: LLVMView, op: Operation) -> None:
    found = strided(view, op.operands[0])
    offsets, sizes, steps = _mixed(view, op)
    strides = [stride(view, found, dimension) for dimension in range(len(found.sizes))]
    moved = [
        product(view, offset, step) for offset, step in zip(offsets, strides, strict=True)
    ]
    at = total(view, [start(view, found), *moved])
    lists = [integers_of(op, name) for name in _LISTS]
    whole = subview_type(_type(op.operands[0]), (lists[0], lists[1], lists[2]))
    dropped = whole and dropped_dimensions(whole, _type(op.results[0]), lists[1])
    assert dropped is not None, "the verifier compares the types"
    kept = [dimension for dimension in range(len(sizes)) if dimension not in dropped]
    _bind(
        view,
        op.results[0],
        found,
        at,
        [sizes[d] for d in kept],
        [product(view, steps[d], strides[d]) for d in kept],
    )


def _reinterpret_cast(view: LLVMView, op: Operation) -> None:
    """Bind a reinterpret_cast, whose offsets count from the aligned pointer, whatever the source's own offset is."""
    found = strided(view, op.operands[0])
    (offset,), sizes, strides = _mixed(view, op)
    at = total(view, [offset, product(view, found.before, -1)])
    _bind(view, op.results[0], found, at, sizes, strides)


def _groups(op: Operation) -> list[list[int]]:
    found = cast("Sequence[Sequence[Attribute]]", op.properties["reassociation"])
    return [[int(str(index).split()[0]) for index in group] for group in found]


def _expand(view: LLVMView, op: Operation) -> None:
    found, dynamic = strided(view, op.operands[0]), iter(op.operands[1:])
    sizes: list[Size] = [
        view.amount(next(dynamic)) if number == DYNAMIC_INDEX else number
        for number in integers_of(op, "static_output_shape")
    ]
    strides: list[Size] = [1] * len(sizes)
    for merged, group in enumerate(_groups(op)):
        step = stride(view, found, merged)
        for dimension in reversed(group):
            strides[dimension] = step
            step = product(view, step, sizes[dimension])
    _bind(view, op.results[0], found, start(view, found), sizes, strides)


def _collapse(view: LLVMView, op: Operation) -> None:
    found = strided(view, op.operands[0])
    sizes: list[Size] = []
    strides: list[Size] = []
    for group in _groups(op):
        size: Size = 1
        for dimension in group:
            size = product(view, size, found.sizes[dimension])
        sizes.append(size)
        # the innermost dimension with neighbors determines their distance
        wide = [d for d in group if found.sizes[d] != 1] or group[:1]
        strides.append(stride(view, found, wide[-1]) if wide else 1)
    _bind(view, op.results[0], found, start(view, found), sizes, strides)


def _view(view: LLVMView, op: Operation) -> None:
    """View bytes as elements of another type, row-major."""
    source, shift, *dynamic = op.operands
    found, sizes = strided(view, source), iter(dynamic)
    at = total(view, [start(view, found), view.amount(shift)])
    pointer = behind(view, found.pointer, at, i8)
    shape: list[Size] = [
        view.amount(next(sizes)) if extent == DYNAMIC_INDEX else extent
        for extent in _type(op.results[0]).get_shape()
    ]
    view.bind(op.results[0], Strided(pointer, 0, tuple(shape), (*[None] * len(shape),)))


def _transpose(view: LLVMView, op: Operation) -> None:
    """View the dimensions in another order."""
    found = strided(view, op.operands[0])
    assert isinstance(op, TransposeOp)
    order = [cast("AffineDimExpr", place).position for place in op.permutation.data.results]
    sizes = [found.sizes[dimension] for dimension in order]
    strides = [stride(view, found, dimension) for dimension in order]
    _bind(view, op.results[0], found, start(view, found), sizes, strides)


def _same(view: LLVMView, op: Operation) -> None:
    """Bind another name of the same memory."""
    view.bind(op.results[0], strided(view, op.operands[0]))


def _rank(view: LLVMView, op: Operation) -> None:
    bind_size(view, op.results[0], len(strided(view, op.operands[0]).sizes))


def element_pointer(view: LLVMView, memref: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
    """Return the pointer to an element.

    Errors: XetileError if elements share a byte.
    """
    found, type = strided(view, memref), memory_element(view, memref)
    if is_nibble(_type(memref).element_type):
        view.refuse(
            f"of {memref.type} has no lowering to LLVM IR: two elements share a byte; access bytes instead"
        )
    moved = [
        product(view, view.amount(index), stride(view, found, dimension))
        for dimension, index in enumerate(indices)
    ]
    return behind(view, found.pointer, total(view, [start(view, found), *moved]), type)


def behind(view: LLVMView, pointer: SSAValue, at: Size, type: Attribute) -> SSAValue:
    """Return the pointer `at` elements after another."""
    if at == 0:
        return pointer
    return view.new(
        llvm.GEPOp(
            pointer,
            [llvm.GEP_USE_SSA_VAL],
            type,
            ssa_indices=[view.size(at, 64)],
            result_type=cast("llvm.LLVMPointerType", pointer.type),
        )
    )


def _load(view: LLVMView, op: Operation) -> None:
    memref, *indices = op.operands
    value = view.new(
        llvm.LoadOp(element_pointer(view, memref, indices), memory_element(view, memref))
    )
    if view.element(op.results[0]) == i1:
        value = view.new(llvm.TruncOp(value, i1))
    view.bind_parts(op.results[0], [value])


def _store(view: LLVMView, op: Operation) -> None:
    value, memref, *indices = op.operands
    type = memory_element(view, memref)
    number = view.integer(value, 64) if type == i64 else view.scalar(value)
    if number.type == IntegerType(1):
        number = view.new(llvm.ZExtOp(number, i8))
    view.emit(llvm.StoreOp(number, element_pointer(view, memref, indices)))


def cache_option(
    op: Operation,
    control: LoadCacheControlAttr | StoreCacheControlAttr | None,
    options: Mapping[tuple[str, str], int],
) -> int | None:
    """Return IGC's number of an op's `cache_control`, or None if there is none.

    The messages have two levels, L1 and the one after it. xevm's L3 is the latter, and its L2 is ignored.
    """
    if control is None:
        return None
    name = control.data
    levels = {word[:2]: word[2:] for word in name.split("_")}
    if name in ("ir", "INVALIDATE_READ"):
        levels = {"L1": "ir", "L3": "ir"}
    found = options.get((levels.get("L1", ""), levels.get("L3", "")))
    if found is None:
        pairs = ", ".join(f"L1{a} with L3{b}" for a, b in options if a != "ir")
        fail(op, f"cache_control {name} has no message; expected {pairs}")
    return found


def _load_cached(view: LLVMView, op: Operation) -> None:
    control, (result,) = op.attributes.get(CACHE_CONTROL), op.results
    if not isinstance(control, LoadCacheControlAttr):
        same(view, op)
        return
    words = _words(view, op, result, op.operands[0])
    if words is None:
        return
    bits, count = words
    option = cache_option(op, control, LOAD_CACHE_OPTIONS)
    assert option is not None
    arguments = [view.scalar(op.operands[0]), view.i32(0), view.i32(option)]
    word = IntegerType(max(bits, LEAST_WORD_BITS))
    made = view.result_of_call(
        lane_function("load", bits, count), arguments, chunk_type(word, count)
    )
    if bits < LEAST_WORD_BITS:
        made = view.new(llvm.TruncOp(made, IntegerType(bits)))
    view.bind_parts(result, [_as(view, made, _own_type(view, result))])


def _store_cached(view: LLVMView, op: Operation) -> None:
    control, (value, pointer) = op.attributes.get(CACHE_CONTROL), op.operands
    if not isinstance(control, StoreCacheControlAttr):
        same(view, op)
        return
    words = _words(view, op, value, pointer)
    if words is None:
        return
    bits, count = words
    option = cache_option(op, control, STORE_CACHE_OPTIONS)
    assert option is not None
    (part,) = view.parts(value)
    stored = _as(view, part, chunk_type(IntegerType(bits), count))
    if bits < LEAST_WORD_BITS:
        stored = view.new(llvm.ZExtOp(stored, IntegerType(LEAST_WORD_BITS)))
    arguments = [view.scalar(pointer), view.i32(0), stored, view.i32(option)]
    view.call(lane_function("store", bits, count), arguments)


def _words(
    view: LLVMView, op: Operation, value: SSAValue, pointer: SSAValue
) -> tuple[int, int] | None:
    """Return bits and number of the words to move; None if no message has a control, so that the access has none."""
    length, stated = vector_length(value.type), op.properties.get("alignment")
    bits = element_bits(view.element(value)) if length in (None, 2, 4, 8) else 0
    alignment = stated.value.data if isinstance(stated, IntegerAttr) else None
    words = lane_words(bits, length or 1, alignment)
    if words is None or not _is_global(pointer):
        warn(
            op,
            f"'{op.name}' of {value.type} at {pointer.type} has no message with a cache control; it is made without",
        )
        same(view, op)
        return None
    return words


def _is_global(pointer: SSAValue) -> bool:
    space = cast(llvm.LLVMPointerType, pointer.type).addr_space
    return getattr(space, "data", 0) == GLOBAL_ADDRESS_SPACE


def _own_type(view: LLVMView, value: SSAValue) -> Attribute:
    return chunk_type(view.element(value), vector_length(value.type) or 1)


def _as(view: LLVMView, value: SSAValue, type: Attribute) -> SSAValue:
    return value if value.type == type else view.new(llvm.BitcastOp(value, type))


def _prefetch(view: LLVMView, op: PrefetchOp) -> None:
    """Prefetch the cache line of one byte, since a byte needs no alignment."""
    if not _is_global(op.ptr):
        warn(
            op,
            f"'{op.name}' at {op.ptr.type} has no message, and is left out; expected !llvm.ptr<1>",
        )
        return
    option = cache_option(op, op.cache_control, LOAD_CACHE_OPTIONS) or DEFAULT_PREFETCH_OPTION
    view.call(
        lane_function("prefetch", 8, 1), [view.scalar(op.ptr), view.i32(0), view.i32(option)]
    )


def strided(view: LLVMView, value: SSAValue) -> Strided:
    """Return the strided pointer that a memref became.

    Errors: XetileError for a memref that is neither a kernel argument nor a view of one.
    """
    became = view.get(value)
    if not isinstance(became, Strided):
        view.refuse(f"of {value.type} has no lowering to LLVM IR")
    return became


def memory_element(view: LLVMView, value: SSAValue) -> Attribute:
    """Return the type at L in memory of a memref's elements: a byte for i1.

    Errors: XetileError if there is none.
    """
    type = cast(MemRefType[Attribute], value.type).element_type
    lowered = lowered_element(type)
    if lowered is None or isinstance(lowered, llvm.LLVMPointerType):
        fail(view.current, f"{value.type} has no lowering to LLVM IR")
    return i8 if lowered == i1 else lowered


def _element_bytes(view: LLVMView, value: SSAValue) -> int:
    return element_bits(memory_element(view, value)) // 8


def product(view: LLVMView, left: Size, right: Size) -> Size:
    """Return a product of 64 bits."""
    if isinstance(left, int) and isinstance(right, int):
        return left * right
    if 0 in (left, right):
        return 0
    if left == 1 or right == 1:
        return right if left == 1 else left
    return view.new(llvm.MulOp(view.size(left, 64), view.size(right, 64)))


def total(view: LLVMView, terms: Sequence[Size]) -> Size:
    """Return a sum of 64 bits, with numbers added last."""
    number = sum(term for term in terms if isinstance(term, int))
    found: Size = 0
    for term in terms:
        if not isinstance(term, int):
            wide = view.size(term, 64)
            found = wide if isinstance(found, int) else view.new(llvm.AddOp(found, wide))
    if isinstance(found, int) or number == 0:
        return number if isinstance(found, int) else found
    return view.new(llvm.AddOp(found, view.integer_constant(number, 64)))


def _aligned_pointer(view: LLVMView, op: Operation) -> None:
    """Bind the address before the layout's offset; the kernel's pointer is the one after it."""
    source, result = op.operands[0], op.results[0]
    memref, size = strided(view, source), _element_bytes(view, source)
    if memref.pointer.type == llvm.LLVMPointerType():
        fail(
            op,
            f"the address of {source.type} has no lowering to LLVM IR: the buffer is memory of each lane, "
            "which neither tiles nor pointers reach",
        )
    if isinstance(memref.before, int):
        view.bind(result, Address(memref.pointer, -memref.before * size))
        return
    bytes = view.new(llvm.MulOp(memref.before, view.integer_constant(size, 64)))
    number = view.new(llvm.PtrToIntOp(memref.pointer, i64))
    view.bind(result, view.new(llvm.SubOp(number, bytes)))


def bind_size(view: LLVMView, result: SSAValue, size: Size) -> None:
    """Bind an index to a size, an offset or a stride."""
    if isinstance(size, int):
        view.bind(result, size)
    else:
        view.bind(result, view.resized(size, view.bits(result)))


def _dimension(view: LLVMView, op: Operation) -> None:
    memref, index = strided(view, op.operands[0]), view.number(op.operands[1])
    if index is None or not 0 <= index < len(memref.sizes):
        fail(op, f"'memref.dim' of {op.operands[0].type} needs a constant dimension of it")
    bind_size(view, op.results[0], memref.sizes[index])


def _metadata(view: LLVMView, op: Operation) -> None:
    """Lower memref.extract_strided_metadata: buffer, offset, sizes, strides."""
    memref = strided(view, op.operands[0])
    buffer, offset, *others = op.results
    # the buffer has no offset of its own: it begins at the aligned pointer
    view.bind(buffer, Strided(memref.pointer, memref.before, (), (), None))
    bind_size(view, offset, total(view, [memref.before, start(view, memref)]))
    rank = len(memref.sizes)
    for result, extent in zip(others[:rank], memref.sizes, strict=True):
        bind_size(view, result, extent)
    for dimension, result in enumerate(others[rank:]):
        bind_size(view, result, stride(view, memref, dimension))


def start(view: LLVMView, memref: Strided) -> Size:
    """Return the distance of a memref's element zero from that of the argument of which it is a view (elements)."""
    return product(view, memref.before, -1) if memref.start is None else memref.start


def stride(view: LLVMView, memref: Strided, dimension: int) -> Size:
    """Return the distance of neighbors along a dimension (elements)."""
    known = memref.strides[dimension]
    if known is not None:
        return known
    found: Size = 1
    for size in memref.sizes[dimension + 1 :]:
        found = product(view, found, size)
    return found


def _pointer(view: LLVMView, number: SSAValue, type: Attribute) -> SSAValue:
    # xDSL's constructor only supports pointers to private memory
    return view.new(llvm.IntToPtrOp.create(operands=[number], result_types=[type]))


def _to_pointer(view: LLVMView, op: Operation) -> None:
    source, result = op.operands[0], op.results[0]
    became = view.get(source)
    if (
        isinstance(became, Address)
        and became.offset == 0
        and became.pointer.type == result.type
    ):
        view.bind(result, became.pointer)
        return
    unsigned = isa(source.type, IntegerType) and source.type.width.data < 64
    number = view.scalar(source)
    if unsigned and isa(number.type, IntegerType):
        number = view.new(llvm.ZExtOp(number, i64))
    view.bind(result, _pointer(view, view.resized(number, 64), result.type))


def _to_integer(view: LLVMView, op: Operation) -> None:
    (source,), (result,) = op.operands, op.results
    pointer, bits = view.scalar(source), view.bits(result)
    if bits == 64:
        view.bind(result, Address(pointer, 0))
    else:
        view.bind(result, view.new(llvm.PtrToIntOp(pointer, IntegerType(bits))))


def same(view: LLVMView, op: Operation) -> None:
    """Copy an op of LLVM on scalars, pointers and short vectors."""
    operands: list[SSAValue] = []
    for value in op.operands:
        if isinstance(value.type, IndexType) or len(view.parts(value)) != 1:
            fail(op, f"'{op.name}' on {value.type} has no lowering to LLVM IR")
        operands.append(view.parts(value)[0])
    for result in op.results:
        length = vector_length(result.type)
        element = result.type if length is None else vector_element(result.type)
        if length not in (None, 2, 4, 8) or view.element(result) != element:
            fail(op, f"'{op.name}' giving {result.type} has no lowering to LLVM IR")
    made = view.emit(remade(op, operands, op.result_types))
    for old, new in zip(op.results, made.results, strict=True):
        view.bind_parts(old, [new])


def _address_of(view: LLVMView, op: Operation) -> None:
    """Return the address of a variable of the module, taken once."""
    assert isinstance(op, llvm.AddressOfOp)
    name, result = op.global_name.root_reference.data, op.result
    made = view.shared(("variable", name), lambda: llvm.AddressOfOp(name, result.type))
    view.bind(result, made)


HANDLERS: Handlers[LLVMView] = {
    "llvm.getelementptr": same,
    "llvm.inttoptr": _to_pointer,
    "llvm.mlir.addressof": _address_of,
    "llvm.ptrtoint": _to_integer,
    "memref.dim": _dimension,
    "memref.extract_aligned_pointer_as_index": _aligned_pointer,
    "memref.extract_strided_metadata": _metadata,
    "memref.alloca": _alloca,
    "vector.load": _load_vector,
    "vector.store": _store_vector,
    "memref.assume_alignment": _same,
    "memref.cast": _cast,
    "memref.collapse_shape": _collapse,
    "memref.expand_shape": _expand,
    "memref.load": _load,
    "memref.rank": _rank,
    "memref.reinterpret_cast": _reinterpret_cast,
    "memref.store": _store,
    "memref.memory_space_cast": _same,
    "memref.subview": _subview,
    "memref.transpose": _transpose,
    "memref.view": _view,
    "llvm.load": _load_cached,
    "llvm.store": _store_cached,
    **on(PrefetchOp, _prefetch),
}

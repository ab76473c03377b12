"""Descriptors, and the messages of loads, stores, prefetches and fences.

Accesses for which XeVM has no message are refused, with a list of the nearest messages.

Cache hints of accesses become a property of XeVM's block messages, or an attribute of LLVM's own accesses:

    xegpu.load %m[%o], %mask <{l1_hint = #xegpu.cache_hint<streaming>}>
    llvm.load %p {cache_control = #xevm.load_cache_control<L1s_L2uc_L3uc>} : !llvm.ptr<1> -> i32
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    IntAttr,
    IntegerType,
    MemRefType,
    UnrealizedConversionCastOp,
    VectorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.cache_hints import HINTS
from xetile.dialects.known_integers import folded_integer
from xetile.dialects.upstream import arith, memref
from xetile.dialects.upstream.memref.memref_layout import strides_and_offset
from xetile.dialects.xegpu import (
    CacheHintAttr,
    CompileHintOp,
    CreateNdTdescOp,
    FenceOp,
    LoadNdOp,
    PrefetchNdOp,
    StoreNdOp,
    TensorDescType,
)
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.dialects.xevm import (
    BlockLoad2dOp,
    BlockPrefetch2dOp,
    BlockStore2dOp,
    LoadCacheControlAttr,
    MemfenceOp,
    StoreCacheControlAttr,
)
from xetile.errors import alternatives, fail
from xetile.layout.algebra.linear_layout import LayoutError
from xetile.layout.intel.message_layouts import (
    Access,
    BlockConfiguration,
    message_layout,
    register_word,
)
from xetile.layout.intel.xegpu_layouts import load_vector_layout
from xetile.passes.xe.convert_xegpu_to_xevm.held_registers import Registers, natural_type
from xetile.passes.xe.convert_xegpu_to_xevm.lane_view import Descriptor, LaneView
from xetile.passes.xe.convert_xegpu_to_xevm.word_vectors import cut, is_tf32
from xetile.planning.xe.message_words import BYTE_BITS
from xetile.planning.xe.register_layouts.held import written_load
from xetile.planning.xe.register_layouts.joins import Place
from xetile.rewriting.one_to_many import Offset
from xetile.rewriting.rewriter import Handlers, on
from xetile.targets.xe.device import GLOBAL_ADDRESS_SPACE, XeDevice
from xetile.targets.xe.messages import PART_BITS
from xetile.targets.xe.surface import SURFACE

_Control = TypeVar("_Control", LoadCacheControlAttr, StoreCacheControlAttr)

_LOAD_HINTS = {"cached": "c", "uncached": "uc", "streaming": "s"}
_STORE_HINTS = {"uncached": "uc", "write_through": "wt", "write_back": "wb"}


def load_control(op: Operation) -> LoadCacheControlAttr | None:
    """Return the cache control of a load or prefetch, or None if it has no hints."""
    return _control(op, LoadCacheControlAttr, _LOAD_HINTS)


def store_control(op: Operation) -> StoreCacheControlAttr | None:
    """Return the cache control of a store, or None if it has no hints."""
    return _control(op, StoreCacheControlAttr, _STORE_HINTS)


def _control(
    op: Operation, kind: type[_Control], letters: Mapping[str, str]
) -> _Control | None:
    """Return the op's cache hints in XeVM's form; levels without a hint are uncached, as in upstream's lowering."""
    hints = {name: op.properties.get(name) for name in HINTS}
    if all(hint is None for hint in hints.values()):
        return None
    words = [
        hint.data.value if isinstance(hint, CacheHintAttr) else "uncached"
        for hint in hints.values()
    ]
    if "read_invalidate" in words:
        name = "ir"
    else:
        for hint, word in zip(hints, words, strict=True):
            if word not in letters:
                expected = ", ".join(sorted(letters))
                fail(op, f"'{op.name}' has {hint} {word}; expected one of {expected}")
        name = "_".join(f"L{level}{letters[word]}" for level, word in enumerate(words, 1))
    if name not in kind.legal:
        fail(op, f"cache hints {name}; legal are {', '.join(sorted(kind.legal))}")
    return kind(name)


def check_message(
    op: Operation,
    made: Operation,
    device: XeDevice,
    message: BlockConfiguration,
    type: TensorDescType,
) -> None:
    """Refuse the message `made` for the access `op` if XeVM's verifier does; the diagnostic is at `op`.

    Errors: XetileError that names the block and the messages of its width, else of the next smaller.
    """
    try:
        made.verify()
    except VerifyException:
        access = _access(op, message)
        bits = memory_bits(type.element_type) or 0
        shape = "x".join(map(str, (*message[:2], type.element_type)))
        what = {"load_packed": "packed load", "load_transposed": "transposed load"}.get(
            access, access
        )
        fail(
            op,
            f"{device.name} has no single 2D block {what} of {shape}{_side_by_side(message.blocks)}; "
            f"expected {_nearest(device, access, bits, message.width)}",
        )


def _access(op: Operation, message: BlockConfiguration) -> Access:
    if not isinstance(op, LoadNdOp):
        return "store" if isinstance(op, StoreNdOp) else "prefetch"
    if message.packed:
        return "load_packed"
    return "load_transposed" if message.transposed else "load"


def _nearest(device: XeDevice, access: Access, bits: int, width: int) -> str:
    heights: dict[tuple[int, int], list[int]] = {}
    for c in device.messages(access, bits):
        heights.setdefault((c.columns, c.blocks), []).append(c.rows)
    if not heights:
        words = [word for word in PART_BITS if device.messages(access, word)]
        return f"elements of {alternatives(words)} bits and a vector.bitcast"
    widths = {columns * blocks for columns, blocks in heights}
    nearest = max((w for w in widths if w <= width), default=min(widths))
    return ", or ".join(
        f"{alternatives(rows)} rows of {columns} columns{_side_by_side(blocks)}"
        for (columns, blocks), rows in sorted(heights.items(), reverse=True)
        if columns * blocks == nearest
    )


def _side_by_side(blocks: int) -> str:
    return f" with array_length {blocks}" if blocks > 1 else ""


def create_nd_tdesc(view: LaneView, op: CreateNdTdescOp) -> None:
    """Rewrite a descriptor as a pointer and its surface in bytes and rows; each access has its own offsets."""
    type = cast(TensorDescType, op.results[0].type)
    if op.mixed_offsets:
        fail(
            op,
            "offsets stand on load_nd, store_nd and prefetch_nd at this level, not on the descriptor",
        )
    source = view.single(op.source)
    bits = memory_bits(type.element_type)
    if bits is None or len(type.shape) != 2:
        fail(
            op, f"{type} is not lowered to XeVM yet; expected a 2D block of elements in memory"
        )
    if bits < BYTE_BITS:
        fail(
            op,
            f"{type} has several elements in a byte; expected i8 and {BYTE_BITS // bits} elements in each, "
            "with a vector.bitcast of what is loaded or stored",
        )
    if op.mixed_sizes:
        sizes, strides = view.mapped(op.mixed_sizes), view.mapped(op.mixed_strides)
    else:
        sizes, strides = _static_surface(op, source)
    size = bits // BYTE_BITS
    pointer = _pointer(view, source)
    values = (view.multiply(sizes[-1], size), sizes[-2], view.multiply(strides[-2], size))
    width, height, pitch = (view.integer(value) for value in values)
    view.bind(op.results[0], Descriptor((), type, (pointer, width, height, pitch)))


def _static_surface(op: Operation, source: SSAValue) -> tuple[list[Offset], list[Offset]]:
    type = cast(MemRefType[Attribute], source.type)
    layout = strides_and_offset(type)
    if layout is None or layout[1] != 0 or None in layout[0] or type.get_num_dims() != 2:
        fail(
            op,
            f"{type} needs `shape:` and `strides:`; only plain static memrefs of rank 2 say them",
        )
    return list(type.get_shape()), [stride for stride in layout[0] if stride is not None]


def _pointer(view: LaneView, source: SSAValue) -> SSAValue:
    pointer = llvm.LLVMPointerType(IntAttr(GLOBAL_ADDRESS_SPACE))

    def convert(make: Callable[[str, Callable[[], Operation]], SSAValue]) -> SSAValue:
        address = source
        if isinstance(source.type, MemRefType):
            index = make("index", lambda: memref.ExtractAlignedPointerAsIndexOp(source))
            address = make("address", lambda: arith.IndexCastOp(index, i64))
        elif source.type != i64:
            address = make("address", lambda: _signless(source))
        return make(
            "pointer",
            lambda: llvm.IntToPtrOp.create(operands=[address], result_types=[pointer]),
        )

    if isinstance(source, BlockArgument) and source.block is view.entry:
        return convert(lambda name, op: view.shared((name, source), op))
    return convert(lambda name, op: view.new(op()))


def _signless(source: SSAValue) -> Operation:
    if str(source.type) in ("ui64", "si64"):
        return UnrealizedConversionCastOp.get([source], [i64])
    return arith.ExtUIOp(source, i64)


def _corner(
    view: LaneView, descriptor: Descriptor, offsets: Sequence[Offset]
) -> tuple[SSAValue, SSAValue]:
    """Return the column and row (elements) at which a message begins, after checking constant ones."""
    if len(offsets) != 2:
        view.refuse(f"has {len(offsets)} offsets; expected a row and a column")
    row, column = view.mapped(offsets)
    for place in (row, column):
        known = _known(place)
        if known is not None and (wrong := SURFACE.place_problem(known)) is not None:
            fail(view.current, wrong)
    first = _known(column)
    if first is not None:
        wrong = SURFACE.problem(column=first * descriptor.bits // 8)
        if wrong is not None:
            fail(view.current, wrong)
    return view.integer(column), view.integer(row)


def _known(offset: Offset) -> int | None:
    return offset if isinstance(offset, int) else folded_integer(offset)


def load_nd(view: LaneView, op: LoadNdOp) -> None:
    """Load by the message planned for the uses; adjacent loads are done by one message."""
    type = view.descriptor(op.operands[0]).type
    _refuse_booleans(op, type)
    join = view.layouts.joined(op)
    if join is None:
        message = view.layouts.message(op) or written_load(op)
        view.bind_vector(
            op.value, _part(view, op, message, _loaded(view, op, message), (0, 0))
        )
        return
    if op.value in view.environment:
        return
    whole = _loaded(view, join.corner, join.message)
    for load, place in join.loads.items():
        view.bind_vector(load.value, _part(view, load, join.message, whole, place))


def _loaded(view: LaneView, op: LoadNdOp, message: BlockConfiguration) -> Registers:
    """Load one message at the offsets of an op and return its registers as rows and columns."""
    descriptor = view.descriptor(op.operands[0])
    element, bits = descriptor.type.element_type, descriptor.bits
    try:
        layout = message_layout(message, bits)
    except LayoutError as error:
        fail(op, str(error))
    word = register_word(message, element_bits=bits) * bits
    count = layout.in_dim_size("register") * bits // word
    loaded = BlockLoad2dOp(
        *descriptor.surface,
        *_corner(view, descriptor, op.mixed_offsets),
        elem_size_in_bits=bits,
        tile_width=message.columns,
        tile_height=message.rows,
        v_blocks=message.blocks,
        transpose=message.transposed,
        pack_register=message.packed,
        result_type=VectorType(IntegerType(word), (count,)),
        cache_control=load_control(op),
    )
    check_message(op, loaded, view.device, message, descriptor.type)
    return Registers(view.new(loaded), element, layout, word_bits=word)


def _part(
    view: LaneView, op: LoadNdOp, message: BlockConfiguration, whole: Registers, at: Place
) -> Registers:
    """Return the part of a message that one load needs; it begins at row and column `at` of the message."""
    own = view.layouts.message(op) or message
    if own != message:
        layout = message_layout(own, view.descriptor(op.operands[0]).bits)
        part = whole.sliced(at, (own.rows, own.width))
        assert part is not None, "a message's blocks are registers"
        whole = view.converted(part, layout)
    return whole.relaid(view.layouts.of(op.value))


def _refuse_booleans(op: Operation, type: TensorDescType) -> None:
    """Refuse i1, which is a byte of memory; the registers of a message would be read as eight of them."""
    if type.element_type == i1:
        fail(op, f"'{op.name}' of i1, which memory holds as bytes, is not lowered to XeVM yet")


def _store_nd(view: LaneView, op: StoreNdOp) -> None:
    descriptor = view.descriptor(op.operands[1])
    _refuse_booleans(op, descriptor.type)
    rows, columns = descriptor.type.shape
    message = BlockConfiguration(rows, columns, 1)
    layout = load_vector_layout(message, descriptor.bits)
    word = register_word(message, element_bits=descriptor.bits) * descriptor.bits
    value = view.held(op.operands[0], layout)
    element = value.element_type
    word_type = element if word == descriptor.bits == 32 else IntegerType(word)
    stored = (
        cut(view, value.read(view, natural_type(element), word))
        if is_tf32(element)
        else value.read(view, word_type, word)
    )
    store = BlockStore2dOp(
        *descriptor.surface,
        *_corner(view, descriptor, op.mixed_offsets),
        stored,
        elem_size_in_bits=descriptor.bits,
        tile_width=columns,
        tile_height=rows,
        cache_control=store_control(op),
    )
    check_message(op, store, view.device, message, descriptor.type)
    view.emit(store)


def _prefetch_nd(view: LaneView, op: PrefetchNdOp) -> None:
    descriptor = view.descriptor(op.operands[0])
    rows, columns = descriptor.type.shape
    message = BlockConfiguration(rows, columns, descriptor.type.array_length)
    prefetch = BlockPrefetch2dOp(
        *descriptor.surface,
        *_corner(view, descriptor, op.mixed_offsets),
        elem_size_in_bits=descriptor.bits,
        tile_width=columns,
        tile_height=rows,
        v_blocks=message.blocks,
        cache_control=load_control(op),
    )
    check_message(op, prefetch, view.device, message, descriptor.type)
    view.emit(prefetch)


def _fence(view: LaneView, op: FenceOp) -> None:
    space = "global" if op.memory_kind_name == "global" else "shared"
    scope = "workgroup" if op.scope_name == "workgroup" else "device"
    view.emit(MemfenceOp(scope=scope, addrspace=space))


def _compile_hint(_: LaneView, op: CompileHintOp) -> None:
    """Drop the hint, which XeVM cannot express."""


HANDLERS: Handlers[LaneView] = {
    **on(CreateNdTdescOp, create_nd_tdesc),
    **on(LoadNdOp, load_nd),
    **on(StoreNdOp, _store_nd),
    **on(PrefetchNdOp, _prefetch_nd),
    **on(FenceOp, _fence),
    **on(CompileHintOp, _compile_hint),
}

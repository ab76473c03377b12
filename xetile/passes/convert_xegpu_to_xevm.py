"""Turn XeGPU into XeVM: from the subgroup's view to that of one lane.

Before:

    %d = xegpu.create_nd_tdesc %A : memref<4096x4096xf16>
        -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %v = xegpu.load_nd %d[%m, %k] : ... -> vector<2x32x16xf16>
    %v0 = vector.extract %v[0] : vector<32x16xf16> from vector<2x32x16xf16>
    %a = vector.extract_strided_slice %v0 {offsets = [8, 0], sizes = [8, 16], strides = [1, 1]} : ...
    %c1 = xegpu.dpas %a, %b, %c : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>

After:

    %i = memref.extract_aligned_pointer_as_index %A : memref<4096x4096xf16> -> index
    %p = llvm.inttoptr %l : i64 to !llvm.ptr<1>
    %v = xevm.blockload2d %p, %w, %h, %pitch, %x, %y <{...}> : (...) -> vector<64xi16>
    %a = vector.shuffle %v, %v [8, 9, 10, 11, 12, 13, 14, 15] : vector<64xi16>, vector<64xi16>
    %c1 = xevm.mma %a, %b, %c {...} : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> vector<8xf32>

Every vector has a linear layout (register, lane) -> element; a message or a matrix instruction says which. Slices
only select registers; where a use wants another layout, the registers are permuted, as composing and inverting
the two layouts says. A value is kept with its selection pending, so that slices and permutations become one
shuffle at the use.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NoReturn, TypeVar, cast

from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    VectorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from xetile.analysis.constants import Dense, dense_value, is_splat, taken
from xetile.analysis.kernels import functions, holds_dialect, set_level
from xetile.analysis.load_planning import memory_bits
from xetile.analysis.same_value import is_elementwise, is_tile_vector
from xetile.dialects import arith, memref
from xetile.dialects.gpu import LaneIdOp
from xetile.dialects.vector import ExtractOp, FromElementsOp
from xetile.dialects.xegpu import (
    CacheHintAttr,
    CreateNdTdescOp,
    DpasOp,
    FenceOp,
    LoadNdOp,
    PrefetchNdOp,
    StoreNdOp,
    TensorDescType,
)
from xetile.dialects.xevm import (
    BlockLoad2dOp,
    BlockPrefetch2dOp,
    BlockStore2dOp,
    LoadCacheControlAttr,
    MemfenceOp,
    MMAOp,
    StoreCacheControlAttr,
)
from xetile.errors import fail
from xetile.layout.block_io import BlockConfiguration, register_word
from xetile.layout.linear import LayoutError, LinearLayout
from xetile.layout.vectors import (
    default_vector_layout,
    dpas_vector_layout,
    drop_leading_dimension,
    load_vector_layout,
)
from xetile.passes.expansion import Expansion, Offset, Parts
from xetile.passes.registers import Registers, natural_type, register_bits
from xetile.targets.device import GLOBAL_ADDRESS_SPACE, Device, device

_Control = TypeVar("_Control", LoadCacheControlAttr, StoreCacheControlAttr)


class Descriptor(Parts):
    """A surface as XeVM's ops take it; nothing of it is carried by loops."""

    __slots__ = ("height", "pitch", "pointer", "type", "width")

    def __init__(
        self,
        type: TensorDescType,
        pointer: SSAValue,
        width: SSAValue,
        height: SSAValue,
        pitch: SSAValue,
    ) -> None:
        super().__init__([])
        self.type = type
        self.pointer = pointer
        self.width = width
        self.height = height
        self.pitch = pitch

    @property
    def surface(self) -> tuple[SSAValue, SSAValue, SSAValue, SSAValue]:
        """Pointer, width in bytes, height in rows, pitch in bytes."""
        return self.pointer, self.width, self.height, self.pitch

    @property
    def bits(self) -> int:
        """Bits of an element in memory."""
        return memory_bits(self.type.element_type) or 0

    def agrees_with(self, other: Parts) -> bool:
        """Descriptors meet in control flow when they are one surface."""
        return (
            isinstance(other, Descriptor)
            and self.type == other.type
            and self.surface == other.surface
        )

    def describe(self) -> str:
        """In words."""
        return str(self.type)


class LaneView(Expansion):
    """A function as one lane sees it."""

    handlers: ClassVar[Mapping[str, Callable[..., None]]] = {}

    def __init__(self, function: Operation, target: Device) -> None:
        self.device = target
        super().__init__(function)

    def registers(self, value: SSAValue) -> Registers:
        """What an old vector became."""
        became = self.get(value)
        if not isinstance(became, Registers):
            fail(self.current, f"'{self.current.name}' cannot take {value.type} at lane level")
        return became

    def descriptor(self, value: SSAValue) -> Descriptor:
        """What an old tensor descriptor became."""
        became = self.get(value)
        if not isinstance(became, Descriptor):
            fail(self.current, f"{value.type} is not lowered to XeVM yet")
        return became

    def bind_registers(
        self, value: SSAValue, part: SSAValue, layout: LinearLayout, *, word_bits: int
    ) -> None:
        """Bind an old vector to a lane's registers, all of them, in order."""
        element = cast(VectorType[Attribute], value.type).element_type
        self.bind(value, Registers(part, element, layout, word_bits=word_bits))

    def arranged(self, registers: Registers, layout: LinearLayout) -> Registers:
        """A value in another layout: its registers permuted; refused where an element changes its lane."""
        moved = registers.arranged(layout)
        if moved is None:
            fail(
                self.current,
                f"'{self.current.name}' needs its operand in another layout, which moves elements between "
                "lanes; that is not lowered yet",
            )
        return moved

    def loop_parts(self, argument: SSAValue, init: Parts | SSAValue) -> Parts | SSAValue:
        """Loops carry whole registers, in the natural type of the element."""
        return self._whole(init) if isinstance(init, Registers) else init

    def adapt(self, became: Parts | SSAValue, like: Parts | SSAValue) -> Parts | SSAValue:
        """A yielded vector in the layout in which it is carried."""
        if not isinstance(like, Registers) or not isinstance(became, Registers):
            return super().adapt(became, like)
        if like.layout is None:
            return became
        return self._whole(self.arranged(became, like.layout))

    def _whole(self, registers: Registers) -> Registers:
        if registers.layout is None:
            shape = registers.shape
            try:
                registers = self.arranged(registers, default_vector_layout(shape))
            except LayoutError as error:
                fail(self.current, str(error))
        assert registers.layout is not None
        bits = memory_bits(registers.element_type) or 0
        value = registers.read(self, natural_type(registers.element_type), bits)
        return Registers(value, registers.element_type, registers.layout, word_bits=bits)

    def integer(self, offset: Offset) -> SSAValue:
        """An index as i32."""
        if isinstance(offset, int):
            return self.constant(offset, i32)
        return self.emit_value(arith.IndexCastOp(offset, i32))

    def other(self, op: Operation) -> None:
        """Elementwise ops work on registers."""
        if is_elementwise(op) and any(isinstance(self.get(v), Registers) for v in op.operands):
            _elementwise(self, op)
            return
        vectors = [value for value in op.operands if isinstance(self.get(value), Registers)]
        for value in (*vectors, *(v for v in op.results if is_tile_vector(v.type))):
            fail(op, f"'{op.name}' on {value.type} is not lowered to XeVM yet")
        super().other(op)


def _create_nd_tdesc(view: LaneView, op: Operation) -> None:
    assert isinstance(op, CreateNdTdescOp)
    type = cast(TensorDescType, op.results[0].type)
    if op.mixed_offsets:
        fail(
            op,
            "offsets stand on load_nd, store_nd and prefetch_nd at this level, not on the descriptor",
        )
    source = view.single(op.source)
    bits = memory_bits(type.element_type)
    if bits is None or len(type.shape) != 2:
        fail(op, f"{type} is not lowered to XeVM yet; expected a 2D block of elements in memory")
    sizes: list[Offset]
    strides: list[Offset]
    if op.mixed_sizes:
        sizes = [s if isinstance(s, int) else view.single(s) for s in op.mixed_sizes]
        strides = [s if isinstance(s, int) else view.single(s) for s in op.mixed_strides]
    else:
        sizes, strides = _static_surface(op, source)
    size = bits // 8
    pointer = _pointer(view, source)
    values = (view.multiply(sizes[-1], size), sizes[-2], view.multiply(strides[-2], size))
    width, height, pitch = (view.integer(value) for value in values)
    view.bind(op.results[0], Descriptor(type, pointer, width, height, pitch))


def _static_surface(op: Operation, source: SSAValue) -> tuple[list[Offset], list[Offset]]:
    from xetile.dialects.memref_layout import strides_and_offset

    type = cast(MemRefType[Attribute], source.type)
    layout = strides_and_offset(type)
    if layout is None or layout[1] != 0 or None in layout[0] or type.get_num_dims() != 2:
        fail(
            op,
            f"{type} needs `shape:` and `strides:`; only plain static memrefs of rank 2 say them",
        )
    return list(type.get_shape()), [stride for stride in layout[0] if stride is not None]


def _pointer(view: LaneView, source: SSAValue) -> SSAValue:
    """A source as a global pointer, made once per function for arguments."""
    pointer = llvm.LLVMPointerType(IntAttr(GLOBAL_ADDRESS_SPACE))

    def convert(make: Callable[[str, Callable[[], Operation]], SSAValue]) -> SSAValue:
        address = source
        if isinstance(source.type, MemRefType):
            index = make("index", lambda: memref.ExtractAlignedPointerAsIndexOp(source))
            address = make("address", lambda: arith.IndexCastOp(index, i64))
        elif source.type != i64:
            address = make("address", lambda: _signless(source))
        return make(
            "pointer", lambda: llvm.IntToPtrOp.create(operands=[address], result_types=[pointer])
        )

    if isinstance(source, BlockArgument) and source.block is view.entry:
        return convert(lambda name, op: view.shared((name, source), op))
    return convert(lambda name, op: view.emit_value(op()))


def _signless(source: SSAValue) -> Operation:
    from xdsl.dialects.builtin import UnrealizedConversionCastOp

    if str(source.type) in ("ui64", "si64"):
        return UnrealizedConversionCastOp.get([source], [i64])
    return arith.ExtUIOp(source, i64)


def _corner(view: LaneView, offsets: Sequence[int | SSAValue]) -> tuple[SSAValue, SSAValue]:
    """Offsets (row, column) as XeVM's x and y."""
    if len(offsets) != 2:
        fail(
            view.current,
            f"'{view.current.name}' has {len(offsets)} offsets; expected a row and a column",
        )
    row, column = (o if isinstance(o, int) else view.single(o) for o in offsets)
    return view.integer(column), view.integer(row)


def _load_nd(view: LaneView, op: Operation) -> None:
    assert isinstance(op, LoadNdOp)
    descriptor = view.descriptor(op.operands[0])
    type, bits = descriptor.type, descriptor.bits
    rows, columns = type.shape
    transposed = op.transpose is not None
    message = BlockConfiguration(
        rows, columns, type.array_length, op.is_packed and bits < 32, transposed
    )
    try:
        layout = load_vector_layout(message, bits)
    except LayoutError as error:
        fail(op, str(error))
    word = register_word(message, element_bits=bits) * bits
    count = layout.in_dim_size("register") * bits // word
    loaded = BlockLoad2dOp(
        *descriptor.surface,
        *_corner(view, op.mixed_offsets),
        elem_size_in_bits=bits,
        tile_width=columns,
        tile_height=rows,
        v_blocks=message.blocks,
        transpose=transposed,
        pack_register=message.packed,
        result_type=VectorType(IntegerType(word), (count,)),
        cache_control=_load_cache_control(op),
    )
    view.bind_registers(op.results[0], view.emit_value(loaded), layout, word_bits=word)


def _store_nd(view: LaneView, op: Operation) -> None:
    assert isinstance(op, StoreNdOp)
    descriptor = view.descriptor(op.operands[1])
    rows, columns = descriptor.type.shape
    message = BlockConfiguration(rows, columns, 1)
    layout = load_vector_layout(message, descriptor.bits)
    word = register_word(message, element_bits=descriptor.bits) * descriptor.bits
    value = view.arranged(view.registers(op.operands[0]), layout)
    element = value.element_type
    word_type = element if word == descriptor.bits == 32 else IntegerType(word)
    store = BlockStore2dOp(
        *descriptor.surface,
        *_corner(view, op.mixed_offsets),
        value.read(view, word_type, word),
        elem_size_in_bits=descriptor.bits,
        tile_width=columns,
        tile_height=rows,
        cache_control=_store_cache_control(op),
    )
    view.emit(store)


def _prefetch_nd(view: LaneView, op: Operation) -> None:
    assert isinstance(op, PrefetchNdOp)
    descriptor = view.descriptor(op.operands[0])
    rows, columns = descriptor.type.shape
    prefetch = BlockPrefetch2dOp(
        *descriptor.surface,
        *_corner(view, op.mixed_offsets),
        elem_size_in_bits=descriptor.bits,
        tile_width=columns,
        tile_height=rows,
        v_blocks=descriptor.type.array_length,
        cache_control=_load_cache_control(op),
    )
    view.emit(prefetch)


def _dpas(view: LaneView, op: Operation) -> None:
    assert isinstance(op, DpasOp)
    a, b, c = (
        cast(VectorType[Attribute], v.type) for v in (op.operands[0], op.operands[1], op.results[0])
    )
    instruction = view.device.dpas(a.element_type, b.element_type, c.element_type)
    if instruction is None or a.get_num_dims() != 2:
        fail(op, f"{view.device.name} has no matrix instruction for {a}, {b} and {c}")
    m, k = a.get_shape()
    n = c.get_shape()[1]
    if m not in instruction.m or n != instruction.n or k != instruction.k:
        fail(
            op,
            f"no matrix instruction of m = {m}, n = {n}, k = {k}; {view.device.name} takes m of "
            f"{', '.join(map(str, instruction.m))}, n = {instruction.n}, k = {instruction.k}",
        )
    forms: list[tuple[Literal["a", "b", "c"], SSAValue, tuple[int, int]]] = [
        ("a", op.operands[0], (m, k)),
        ("b", op.operands[1], (k, n)),
        *(("c", value, (m, n)) for value in op.operands[2:]),
    ]
    operands: list[SSAValue] = []
    for operand, value, shape in forms:
        vector = cast(VectorType[Attribute], value.type)
        pack = vector.get_shape()[2] if vector.get_num_dims() == 3 else 1
        layout = dpas_vector_layout(
            operand, shape, repeat_count=m, ops_per_channel=instruction.ops_per_channel, pack=pack
        )
        registers = view.arranged(view.registers(value), layout)
        operands.append(registers.read(view, *instruction.register_type(operand)))
    layout = dpas_vector_layout(
        "c", (m, n), repeat_count=m, ops_per_channel=instruction.ops_per_channel, pack=1
    )
    type, bits = instruction.register_type("c")
    result = VectorType(type, (layout.in_dim_size("register"),))
    product = MMAOp(
        *operands,
        shape=(m, n, k),
        types=instruction.mma_types(has_accumulator=len(operands) == 3),
        result_type=result,
    )
    view.bind_registers(op.results[0], view.emit_value(product), layout, word_bits=bits)


def _extract(view: LaneView, op: Operation) -> None:
    part = view.get(op.operands[0])
    if not isinstance(part, Registers):
        Expansion.other(view, op)
        return
    assert isinstance(op, ExtractOp)
    if len(op.operands) > 1 or not isinstance(op.results[0].type, VectorType):
        fail(op, "only whole blocks are extracted at lane level")
    for index in op.static_position.get_values():
        rest = part.shape[1:]
        sliced = part.sliced((index, *[0] * len(rest)), (1, *rest))
        if sliced is None:
            _refuse_slice(view)
        layout = None if sliced.layout is None else drop_leading_dimension(sliced.layout)
        part = sliced.relaid(layout, rest)
    view.bind(op.results[0], part)


def _refuse_slice(view: LaneView) -> NoReturn:
    fail(view.current, "the slice cuts through what one lane holds; that is not lowered yet")


def _extract_strided_slice(view: LaneView, op: Operation) -> None:
    registers = view.registers(op.operands[0])
    offsets, sizes, strides = (_integers(op, name) for name in ("offsets", "sizes", "strides"))
    if any(stride != 1 for stride in strides):
        fail(op, f"strides {strides}; expected 1")
    rest = registers.shape[len(offsets) :]
    part = registers.sliced((*offsets, *[0] * len(rest)), (*sizes, *rest))
    if part is None:
        _refuse_slice(view)
    view.bind(op.results[0], part)


def _integers(op: Operation, name: str) -> list[int]:
    values = cast("ArrayAttr[IntegerAttr]", op.properties[name])
    return [value.value.data for value in values]


def _constant(view: LaneView, op: Operation) -> None:
    value = dense_value(op)
    if not isinstance(op.results[0].type, VectorType) or value is None:
        Expansion.other(view, op)
        return
    type = cast(VectorType[Attribute], op.results[0].type)
    bits = register_bits(type.element_type)
    if is_splat(value):
        splat = Registers(value, type.element_type, None, word_bits=bits, shape=type.get_shape())
        view.bind(op.results[0], splat)
        return
    try:
        layout = default_vector_layout(tuple(type.get_shape()))
    except LayoutError as error:
        fail(op, str(error))
    view.bind_registers(
        op.results[0], _lane_table(view, value, type, layout), layout, word_bits=bits
    )


def _lane_table(
    view: LaneView,
    value: Dense,
    type: VectorType[Attribute],
    layout: LinearLayout,
) -> SSAValue:
    """A dense constant's elements that a lane holds: one table over the lanes per register."""
    shape = type.get_shape()
    own_lane = view.shared(("lane",), LaneIdOp)
    lanes = layout.in_dim_size("lane")
    table = VectorType(natural_type(type.element_type), (lanes,))
    elements: list[SSAValue] = []
    for register in range(layout.in_dim_size("register")):
        held = (
            _row_major(shape, layout.apply({"register": register, "lane": lane}).values())
            for lane in range(lanes)
        )
        constant = arith.ConstantOp(taken(value, held, table))
        elements.append(
            view.emit_value(ExtractOp(view.emit_value(constant), [own_lane], table.element_type))
        )
    result = VectorType(table.element_type, (len(elements),))
    return view.emit_value(FromElementsOp(elements, result))


def _row_major(shape: Sequence[int], at: Iterable[int]) -> int:
    index = 0
    for extent, coordinate in zip(shape, at, strict=True):
        index = index * extent + coordinate
    return index


def _elementwise(view: LaneView, op: Operation) -> None:
    became = [view.get(value) for value in op.operands]
    blocks = [part for part in became if isinstance(part, Registers)]
    layout = next((part.layout for part in blocks if part.layout is not None), None)
    if layout is None:
        try:
            layout = default_vector_layout(blocks[0].shape)
        except LayoutError as error:
            fail(op, str(error))
    operands: list[SSAValue] = []
    for value, part in zip(op.operands, became, strict=True):
        if isinstance(part, Registers):
            element = part.element_type
            moved = view.arranged(part, layout)
            operands.append(moved.read(view, natural_type(element), register_bits(element)))
        else:
            operands.append(view.single(value))
    count = layout.in_dim_size("register")
    elements = [cast(VectorType[Attribute], result.type).element_type for result in op.results]
    made = view.emit(
        type(op).create(
            operands=operands,
            result_types=[VectorType(natural_type(element), (count,)) for element in elements],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
    )
    for old, new, element in zip(op.results, made.results, elements, strict=True):
        view.bind_registers(old, new, layout, word_bits=register_bits(element))


def _fence(view: LaneView, op: Operation) -> None:
    assert isinstance(op, FenceOp)
    space = "global" if op.memory_kind_name == "global" else "shared"
    scope = "workgroup" if op.scope_name == "workgroup" else "device"
    view.emit(MemfenceOp(scope=scope, addrspace=space))


_LOAD_HINTS = {"cached": "c", "uncached": "uc", "streaming": "s"}
_STORE_HINTS = {"uncached": "uc", "streaming": "s", "write_through": "wt", "write_back": "wb"}


def _cache_control(op: Operation, letters: Mapping[str, str]) -> str | None:
    """XeVM's name of the op's cache hints; levels without a hint are uncached, as upstream's lowering has it."""
    names = ("l1_hint", "l2_hint", "l3_hint")
    hints = [op.properties.get(name) for name in names]
    if all(hint is None for hint in hints):
        return None
    words = [hint.data.value if isinstance(hint, CacheHintAttr) else "uncached" for hint in hints]
    if "read_invalidate" in words:
        return "ir"
    return "_".join(f"L{level + 1}{letters[word]}" for level, word in enumerate(words))


def _checked_control(op: Operation, kind: type[_Control], name: str) -> _Control:
    if name not in kind.legal:
        fail(op, f"cache hints {name}; legal are {', '.join(sorted(kind.legal))}")
    return kind(name)


def _load_cache_control(op: Operation) -> LoadCacheControlAttr | None:
    name = _cache_control(op, _LOAD_HINTS)
    return None if name is None else _checked_control(op, LoadCacheControlAttr, name)


def _store_cache_control(op: Operation) -> StoreCacheControlAttr | None:
    name = _cache_control(op, _STORE_HINTS)
    return None if name is None else _checked_control(op, StoreCacheControlAttr, name)


LaneView.handlers = {
    "xegpu.create_nd_tdesc": _create_nd_tdesc,
    "xegpu.load_nd": _load_nd,
    "xegpu.store_nd": _store_nd,
    "xegpu.prefetch_nd": _prefetch_nd,
    "xegpu.dpas": _dpas,
    "xegpu.fence": _fence,
    "vector.extract": _extract,
    "vector.extract_strided_slice": _extract_strided_slice,
    "arith.constant": _constant,
}


@dataclass(frozen=True)
class ConvertXeGPUToXeVM(ModulePass):
    """Turn XeGPU into XeVM, one lane's view.

    Parameters:
        device: the device that is lowered for: pvc, bmg, lnl, ptl, cri.
    """

    name = "convert-xegpu-to-xevm"

    device: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert every function that holds XeGPU ops; others stay as they are."""
        target = device(self.device)
        for function in list(functions(op)):
            if holds_dialect(function, "xetile"):
                fail(
                    function, "the kernel still holds xetile ops; run convert-xetile-to-xegpu first"
                )
            if not holds_dialect(function, "xegpu"):
                continue
            LaneView(function, target).run()
            set_level(function, "lane")

"""One function during its lowering from V to L: the new form of each value, and where the next op is inserted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self, TypeAlias, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
    i8,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from xetile.analysis.ranges import Ranges, infer_ranges
from xetile.dialects.shared_attributes import integer_type, word
from xetile.dialects.xevm import BlockLoad2dOp
from xetile.errors import fail
from xetile.hints import isa
from xetile.passes.xe.convert_xevm_to_llvm.llvm_types import (
    chunk_places,
    chunk_type,
    chunk_widths,
    element_bits,
    lowered_element,
    vector_element,
    vector_length,
    width,
)
from xetile.passes.xe.convert_xevm_to_llvm.payloads import Pairs, PayloadAccess
from xetile.rewriting.rewriter import Handlers, Rewriter
from xetile.targets.xe.device import REGISTER_BYTES

_REMEDIES: dict[str, str] = dict.fromkeys(
    (
        "vector.transfer_read",
        "vector.transfer_write",
        "vector.contract",
        "vector.outerproduct",
    ),
    "; convert-vector-to-xetile makes tiles of it first",
)
"""The remedies that a diagnostic names for ops that another pass lowers."""


class Address(NamedTuple):
    """An integer that is a pointer plus some bytes."""

    pointer: SSAValue
    offset: int


class Chunks(NamedTuple):
    """A vector in registers: its element type at L, and its parts in order (see llvm_types.chunk_widths)."""

    element: Attribute
    parts: tuple[SSAValue, ...]


Size: TypeAlias = int | SSAValue
"""A number of elements, known now or only at run time."""


class Strided(NamedTuple):
    """A memref as a pointer with numbers in elements: the part before it, sizes, strides, and its element zero.

    The pointer is the kernel's argument, which points to element zero of the argument. `before` is the distance from
    the aligned pointer to there, and `start` the one from there to element zero of this memref, a view of the argument
    (None: back to the aligned pointer). A stride of None is the product of the sizes of the inner dimensions.
    """

    pointer: SSAValue
    before: Size
    sizes: tuple[Size, ...]
    strides: tuple[Size | None, ...]
    start: Size | None = 0


@dataclass(eq=False)
class Memory:
    """The private memory that a load has written; parts of it are read after `last`, once each."""

    pointer: SSAValue
    last: Operation
    parts: dict[tuple[int, Attribute], SSAValue] = field(default_factory=dict)


class Loaded(NamedTuple):
    """A vector that a load left in memory, as elements of some type."""

    memory: Memory
    element: Attribute
    length: int


class Payload(NamedTuple):
    """A payload in a register, and the steps of its X and Y in each round.

    A step is None if the place must be written again before each prefetch.
    """

    pointer: SSAValue
    x_step: int | None
    y_step: int | None


Lowered: TypeAlias = SSAValue | int | Address | Chunks | Loaded | Strided


class LLVMView(Rewriter[Lowered]):
    """The state of one function.

    A value becomes an SSA value, a number, a row of chunks, or a form that is only materialized when it is used.
    Constants and private memory are at the start of the entry block; control flow becomes further blocks.
    """

    def __init__(
        self,
        function: Operation,
        handlers: Handlers[Self],
        declared: dict[str, llvm.FuncOp],
    ) -> None:
        """`declared` collects the declarations that the new ops call, by name."""
        super().__init__(function, handlers)
        self.ranges: Ranges = infer_ranges(function)
        self.region = Region(self.entry)
        self.payloads: dict[Operation, Payload] = {}
        self.joined: Mapping[Operation, BlockLoad2dOp] = {}
        self.pairs: Pairs = {}
        self.row_reads: Mapping[Operation, Sequence[BlockLoad2dOp]] = {}
        self.shared_payloads: Mapping[Operation, PayloadAccess] = {}
        self.copies: Mapping[Operation, int] = {}
        self.targets: dict[Block, Block] = {}
        self.texts: dict[str, llvm.GlobalOp] = {}
        self._declared = declared
        self._calls: dict[tuple[str, int], dict[str, Attribute]] = {}

    # Emission.

    def enter(self, block: Block) -> None:
        self.region.add_block(block)
        self.block = block

    def call(
        self, name: str, arguments: Sequence[SSAValue], result: Attribute | None = None
    ) -> Operation:
        if name not in self._declared:
            types = [argument.type for argument in arguments]
            type = llvm.LLVMFunctionType(types, result or llvm.LLVMVoidType())
            self._declared[name] = llvm.FuncOp(name, type, llvm.LinkageAttr("external"))
        known = self._calls.get((name, len(arguments)))
        if known is None:
            made = llvm.CallOp(name, *arguments, return_type=result)
            self._calls[name, len(arguments)] = dict(made.properties)
            return self.emit(made)
        # the same properties: building them again took half of the time of an unrolled product
        types = [] if result is None else [result]
        return self.emit(
            llvm.CallOp.create(operands=arguments, result_types=types, properties=dict(known))
        )

    def result_of_call(
        self, name: str, arguments: Sequence[SSAValue], result: Attribute
    ) -> SSAValue:
        return self.call(name, arguments, result).results[0]

    def call_variadic(
        self,
        name: str,
        arguments: Sequence[SSAValue],
        more: Sequence[SSAValue],
        result: Attribute,
    ) -> None:
        """Call a function that takes any number of arguments after the first ones."""
        types = [argument.type for argument in arguments]
        type = llvm.LLVMFunctionType(types, result, is_variadic=True)
        if name not in self._declared:
            self._declared[name] = llvm.FuncOp(name, type, llvm.LinkageAttr("external"))
        self.emit(
            llvm.CallOp(name, *arguments, *more, return_type=result, var_callee_type=type)
        )

    def integer_constant(self, number: int, bits: int) -> SSAValue:
        """Return a constant integer, taken modulo 2^bits."""
        half = 1 << (bits - 1)
        number = number & 1 if bits == 1 else (number + half) % (2 * half) - half
        return self.shared(
            (number, bits),
            lambda: llvm.ConstantOp.create(
                result_types=[integer_type(bits)], properties={"value": word(number, bits)}
            ),
        )

    def i32(self, number: int) -> SSAValue:
        return self.integer_constant(number, 32)

    def constant(self, value: float, type: Attribute) -> SSAValue:
        if isa(type, IntegerType):
            return self.integer_constant(int(value), type.width.data)
        attribute = FloatAttr(value, cast(AnyFloat, type))
        return self.shared((value.hex(), type), lambda: llvm.ConstantOp(attribute, type))

    def vector_constant(self, values: Sequence[float], element: Attribute) -> SSAValue:
        """Return a constant chunk of elements of a type at L."""
        if len(values) == 1:
            return self.constant(values[0], element)
        vector = VectorType(cast(AnyFloat, element), [len(values)])
        if isa(element, IntegerType):
            values = key = tuple(int(value) for value in values)
        else:
            key = tuple(value.hex() for value in values)
        attribute = DenseIntOrFPElementsAttr.from_list(vector, values)
        return self.shared((key, element), lambda: llvm.ConstantOp(attribute, vector))

    def compare(self, predicate: str, left: SSAValue, right: SSAValue) -> SSAValue:
        """Return a comparison of integers, such as `ult`."""
        flag = IntegerAttr(llvm.ICmpPredicateFlag(predicate).to_int(), 64)
        return self.new(llvm.ICmpOp(left, right, flag))

    def private(self, key: tuple[object, ...], element: Attribute, count: int) -> SSAValue:
        """Return private memory for an array, one per key."""
        one = self.integer_constant(1, 32)
        array = llvm.LLVMArrayType(IntAttr(count), element)
        return self.shared(
            ("private", *key), lambda: llvm.AllocaOp(one, array, alignment=REGISTER_BYTES)
        )

    def undefined(self, type: Attribute) -> SSAValue:
        return self.shared(("undefined", type), lambda: llvm.UndefOp(type))

    # New values of old ones.

    def bind_parts(self, value: SSAValue, parts: Sequence[SSAValue]) -> None:
        """Bind a value to these chunks, or to this scalar; an integer gets the width that its range requires."""
        if vector_length(value.type) is None:
            (part,) = parts
            if isa(part.type, IntegerType):
                part = self.resized(part, self.bits(value))
            self.bind(value, part)
        else:
            self.bind(value, Chunks(self.element(value), tuple(parts)))

    def bind_made(self, value: SSAValue, ops: Iterable[Operation]) -> None:
        self.bind_parts(value, [self.new(op) for op in ops])

    def element(self, value: SSAValue) -> Attribute:
        """Return the element type at L of a vector, or the type at L of a scalar other than an index."""
        type = value.type if vector_length(value.type) is None else vector_element(value.type)
        if isinstance(value.type, IndexType):
            return integer_type(self.bits(value))
        lowered = lowered_element(type)
        if lowered is None:
            self.refuse(f"has a value of {value.type}, which LLVM IR for the GPU has not")
        return lowered

    def part_types(self, value: SSAValue) -> list[Attribute]:
        element = self.element(value)
        return [chunk_type(element, count) for count in chunk_widths(width(value))]

    def bits(self, value: SSAValue) -> int:
        """Return the bits at L of a scalar or of an element; an index has 32 if its range allows, else 64."""
        if isinstance(value.type, IndexType):
            return 32 if self.fits(value) else 64
        return element_bits(self.element(value))

    def number(self, value: SSAValue) -> int | None:
        """Return the value of a known integer, also before its op is lowered, or None."""
        found = self.ranges.get(value)
        return found.low if found is not None and found.low == found.high else None

    def fits(self, *values: SSAValue) -> bool:
        return all(value in self.ranges and self.ranges[value].fits(32) for value in values)

    def scalar(self, value: SSAValue) -> SSAValue:
        became = self.environment[value]
        if isinstance(became, SSAValue):
            return became
        if isinstance(became, int):
            return self.integer_constant(became, self.bits(value))
        if not isinstance(became, Address):
            self.refuse(f"cannot take {value.type} here")
        return self.integer(value, 64)

    def integer(self, value: SSAValue, bits: int) -> SSAValue:
        became = self.environment[value]
        if isinstance(became, int):
            return self.integer_constant(became, bits)
        if isinstance(became, Address):
            number = self.new(llvm.PtrToIntOp(became.pointer, i64))
            if became.offset:
                offset = self.integer_constant(became.offset, 64)
                number = self.new(llvm.AddOp(number, offset))
            return self.resized(number, bits)
        return self.resized(self.scalar(value), bits)

    def resized(self, value: SSAValue, bits: int) -> SSAValue:
        """Return an integer truncated, or extended by its sign (i1: by zeros)."""
        type = cast(IntegerType, value.type)
        width = type.width.data
        if width == bits:
            return value
        if width > bits:
            return self.new(llvm.TruncOp(value, integer_type(bits)))
        extend = llvm.ZExtOp if width == 1 else llvm.SExtOp
        return self.new(extend(value, integer_type(bits)))

    def amount(self, value: SSAValue) -> Size:
        """Return an index as a number if it is known, else as a value of 64 bits."""
        number = self.number(value)
        return self.integer(value, 64) if number is None else number

    def size(self, size: Size, bits: int) -> SSAValue:
        if isinstance(size, int):
            return self.integer_constant(size, bits)
        return self.resized(size, bits)

    def parts(self, value: SSAValue) -> tuple[SSAValue, ...]:
        """Return the chunks of a vector, or the one part of a scalar."""
        became = self.environment[value]
        if isinstance(became, Chunks):
            return became.parts
        if isinstance(became, Loaded):
            return self.read_all(became)
        return (self.scalar(value),)

    def read_all(self, loaded: Loaded) -> tuple[SSAValue, ...]:
        return tuple(self.read(loaded, *place) for place in chunk_places(loaded.length))

    def moved(self, pointer: SSAValue, bytes: int) -> SSAValue:
        if bytes == 0:
            return pointer
        type = cast(llvm.LLVMPointerType, pointer.type)
        return self.new(llvm.GEPOp(pointer, [bytes], i8, result_type=type, inbounds=True))

    def read(self, loaded: Loaded, start: int, count: int) -> SSAValue:
        """Return neighboring elements of a load's result, read right after it."""
        memory, element, _ = loaded
        offset, type = start * element_bits(element) // 8, chunk_type(element, count)
        found = memory.parts.get((offset, type))
        if found is not None:
            return found
        made: list[Operation] = []
        pointer = memory.pointer
        if offset:
            step = llvm.GEPOp(pointer, [offset], i8, inbounds=True)
            made.append(step)
            pointer = step.result
        size = count * element_bits(element) // 8
        # a vector at a place that is not a multiple of its size only has the alignment of the place
        aligned = offset % size == 0
        made.append(llvm.LoadOp(pointer, type, None if aligned else offset & -offset))
        block = cast(Block, memory.last.parent_block())
        for op in made:
            op.location = memory.last.location
            block.insert_op_after(op, memory.last)
            memory.last = op
        memory.parts[offset, type] = made[-1].results[0]
        return made[-1].results[0]

    # The walk.

    def rewrite(self, op: Operation) -> None:
        if self._is_number(op):
            self.bind(op.results[0], self.ranges[op.results[0]].low)
        else:
            super().rewrite(op)

    def other(self, op: Operation) -> None:
        fail(op, f"'{op.name}' has no lowering to LLVM IR{_REMEDIES.get(op.name, '')}")

    def _is_number(self, op: Operation) -> bool:
        return (
            len(op.results) == 1
            and not op.regions
            and op.name.startswith(("arith.", "gpu.", "xevm.", "memref.dim"))
            and self.number(op.results[0]) is not None
        )

"""The memref dialect: xDSL's, with forms and folders that it lacks in 0.75 (test_memref.py fails once it has them).

Replaced: cast, memory_space_cast, extract_aligned_pointer_as_index, copy, dim, rank,
atomic_rmw, global. Added: transpose. Checked further (test_memref_refusals.py fails once
xDSL does it): alloc, alloca, alloca_scope, assume_alignment, collapse_shape, expand_shape,
extract_strided_metadata, get_global, reinterpret_cast, subview. All others are xDSL's.
Source: `llvm 22.1.8 mlir/Dialect/MemRef/IR/MemRefOps.td`; what is refused is what mlir-opt 22 refuses.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.arith import ArithConstantMaterializationInterface
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I64,
    AnyFloat,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    StringAttr,
    SymbolNameConstraint,
    TensorType,
    UnitAttr,
    UnrankedMemRefType,
)
from xdsl.dialects.memref import AllocaOp as StockAllocaOp
from xdsl.dialects.memref import AllocaScopeOp as StockAllocaScopeOp
from xdsl.dialects.memref import AllocOp as StockAllocOp
from xdsl.dialects.memref import AssumeAlignmentOp as StockAssumeAlignmentOp
from xdsl.dialects.memref import GetGlobalOp as StockGetGlobalOp
from xdsl.dialects.memref import MemRef as StockMemRef
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    SameVariadicResultSize,
    VarConstraint,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    ParsingState,
    PrintingState,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    Pure,
    SymbolOpInterface,
    SymbolTable,
)
from xdsl.utils.bitwise_casts import is_power_of_two
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.atomic_kinds import ATOMIC_KINDS
from xetile.dialects.directives import AtomicKind, Directive, Quoted, parse_type_of
from xetile.dialects.formats import formatted_op
from xetile.dialects.upstream.arith.arith_support import constant_value
from xetile.dialects.upstream.bases import (
    dialect_over,
    verify_below,
    verify_entries,
    verify_is,
)
from xetile.dialects.upstream.memref.memref_layout import (
    linear_strides_and_offset,
    ranked,
    shapes_agree,
    verify_alignment,
    verify_symbols,
)
from xetile.dialects.upstream.memref.views import (
    ANY_MEMREF,
    CastOp,
    CollapseShapeOp,
    ExpandShapeOp,
    ExtractAlignedPointerAsIndexOp,
    MemorySpaceCastOp,
    ReinterpretCastOp,
    SubviewOp,
    TransposeOp,
)
from xetile.errors import fail, notes_at
from xetile.hints import isa

VISIBILITIES = ("public", "private", "nested")

_FLOAT_KINDS = ("addf", "maximumf", "minimumf", "mulf", "maxnumf", "minnumf")


@formatted_op
class CopyOp(IRDLOperation):
    """All elements of one buffer into another of the same shape."""

    name = "memref.copy"

    source = operand_def(ANY_MEMREF)
    destination = operand_def(ANY_MEMREF)

    assembly_format = (
        "$source `,` $destination attr-dict `:` type($source) `to` type($destination)"
    )

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def verify_(self) -> None:
        source, target = self.source.type, self.destination.type
        assert isa(source, MemRefType) or isa(source, UnrankedMemRefType)
        assert isa(target, MemRefType) or isa(target, UnrankedMemRefType)
        if source.element_type != target.element_type:
            raise VerifyException(f"'target' is {target}, it has to hold elements of {source}")
        if not isa(source, MemRefType) or not isa(target, MemRefType):
            return
        if not shapes_agree(source, target):
            raise VerifyException(
                f"'target' is {target}, it has to have the shape of {source}"
            )


@formatted_op
class DimOp(IRDLOperation, HasFolderInterface):
    """The extent of a buffer along one dimension."""

    name = "memref.dim"

    source = operand_def(ANY_MEMREF)
    index = operand_def(IndexType())
    result = result_def(IndexType())

    assembly_format = "attr-dict $source `,` $index `:` type($source)"

    # undefined where the dimension is not one of the buffer's
    traits = traits_def(NoMemoryEffect())

    def __init__(self, source: SSAValue | Operation, index: SSAValue | Operation) -> None:
        super().__init__(operands=[source, index], result_types=[IndexType()])

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A static extent."""
        source, dimension = self.source.type, constant_value(self.index)
        if not isa(source, MemRefType) or not isa(dimension, IntegerAttr):
            return None
        shape, number = source.get_shape(), dimension.value.data
        if not 0 <= number < len(shape) or shape[number] < 0:
            return None
        return (IntegerAttr.from_index_int_value(shape[number]),)


@formatted_op
class RankOp(IRDLOperation, HasFolderInterface):
    """The number of dimensions of a buffer."""

    name = "memref.rank"

    source = operand_def(ANY_MEMREF)
    rank = result_def(IndexType())

    assembly_format = "$source attr-dict `:` type($source)"

    traits = traits_def(Pure())

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """The type says it."""
        if not isa(self.source.type, MemRefType):
            return None
        return (IntegerAttr.from_index_int_value(len(self.source.type.get_shape())),)


@formatted_op
class AtomicRMWOp(IRDLOperation):
    """Combines a value with an element of memory in one step; the result is what was there."""

    name = "memref.atomic_rmw"

    T: ClassVar = VarConstraint("T", AnyAttr())

    kind = prop_def(IntegerAttr[I64])
    value = operand_def(T)
    memref = operand_def(MemRefType.constr(T))
    indices = var_operand_def(IndexType())
    result = result_def(T)

    assembly_format = (
        "custom<AtomicKind>($kind) $value `,` $memref `[` $indices `]` attr-dict `:` "
        "`(` type($value) `,` type($memref) `)` `->` type($result)"
    )
    custom_directives = (AtomicKind,)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @property
    def kind_name(self) -> str:
        """The kind as the custom form has it."""
        return ATOMIC_KINDS[self.kind.value.data]

    def verify_(self) -> None:
        verify_below("kind", self.kind.value.data, len(ATOMIC_KINDS))
        memory = ranked(self.memref.type)
        rank = memory.get_num_dims()
        verify_entries("indices", len(self.indices), memory, rank, rank)
        is_float = isinstance(self.value.type, AnyFloat)
        if self.kind_name != "assign" and is_float != (self.kind_name in _FLOAT_KINDS):
            raise VerifyException(
                f"'kind' is {self.kind_name}, which does not combine {self.value.type}"
            )


class GlobalTypeAndValue(Directive):
    """`memref<2xf32> = dense<[1.0, 2.0]>`, `= uninitialized`, or the type alone for a declaration."""

    type: AttributeVariable
    value: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        type = parse_type_of(parser, MemRefType)
        self.type.set(state, type)
        if parser.parse_optional_punctuation("=") is None:
            return
        if parser.parse_optional_keyword("uninitialized") is not None:
            self.value.set(state, UnitAttr())
            return
        parser.parse_keyword("dense")
        tensor = TensorType(type.element_type, type.get_shape())
        self.value.set(state, DenseIntOrFPElementsAttr.parse_with_type(parser, tensor))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        self.type.print(printer, state, op)
        value = self.value.get(op)
        if isinstance(value, UnitAttr):
            printer.print_string(" = uninitialized")
        elif isa(value, DenseIntOrFPElementsAttr):
            printer.print_string(" = ")
            value.print_without_type(printer)


@formatted_op
class GlobalOp(IRDLOperation):
    """A named buffer: `memref.global "private" constant @name : type = dense<...>`."""

    name = "memref.global"

    sym_name = prop_def(SymbolNameConstraint())
    type = prop_def(MemRefType)
    initial_value = opt_prop_def()
    sym_visibility = opt_prop_def(StringAttr)
    constant = opt_prop_def(UnitAttr)
    alignment = opt_prop_def(IntegerAttr[IntegerType])

    assembly_format = (
        "custom<Quoted>($sym_visibility) (`constant` $constant^)? $sym_name `:` "
        "custom<GlobalTypeAndValue>($type, $initial_value) attr-dict"
    )
    custom_directives = (GlobalTypeAndValue, Quoted)

    irdl_options = (ParsePropInAttrDict(),)

    traits = traits_def(SymbolOpInterface())

    def verify_(self) -> None:
        value, type = self.initial_value, self.type
        assert isa(type, MemRefType)
        if DYNAMIC_INDEX in type.get_shape():
            raise VerifyException(f"'type' is {type}, whose extents have to be static")
        visibility = self.sym_visibility
        if visibility is not None and visibility.data not in VISIBILITIES:
            raise VerifyException(
                f"'sym_visibility' is {visibility}, expected one of {', '.join(VISIBILITIES)}"
            )
        verify_alignment(self.alignment)
        if value is None or isinstance(value, UnitAttr):
            return
        expected = TensorType(type.element_type, type.get_shape())
        if not isa(value, DenseIntOrFPElementsAttr) or value.type != expected:
            raise VerifyException(
                f"'initial_value' is {value}, it has to be a constant of {expected}"
            )


class AllocOp(StockAllocOp):
    """Memory that stays until it is given back."""

    def verify_(self) -> None:
        super().verify_()
        _verify_allocation(self)


class AllocaOp(StockAllocaOp):
    """Memory that is gone at the end of the scope."""

    def verify_(self) -> None:
        super().verify_()
        _verify_allocation(self)


def _verify_allocation(op: AllocOp | AllocaOp) -> None:
    verify_symbols(ranked(op.memref.type), len(op.symbol_operands))
    verify_alignment(op.alignment)


class AllocaScopeOp(StockAllocaScopeOp):
    """The scope of the allocations inside."""

    def verify_(self) -> None:
        super().verify_()
        blocks = self.scope.blocks
        if len(blocks) != 1 or blocks[0].args:
            raise VerifyException("its region has to be one block without arguments")


class AssumeAlignmentOp(StockAssumeAlignmentOp):
    """The memref, of which an alignment in bytes is known."""

    def verify_(self) -> None:
        super().verify_()
        alignment = self.alignment.value.data
        if not is_power_of_two(alignment):
            raise VerifyException(f"'alignment' is {alignment}, expected a power of two")


@formatted_op
class ExtractStridedMetaDataOp(IRDLOperation):
    """The first element as a memref of rank 0, the offset, the extents and the strides."""

    # not over xDSL's: its format looks for accessors in the class itself
    name = "memref.extract_strided_metadata"

    source = operand_def(MemRefType)
    base_buffer = result_def(MemRefType)
    offset = result_def(IndexType())
    sizes = var_result_def(IndexType())
    strides = var_result_def(IndexType())

    irdl_options = (SameVariadicResultSize(),)

    assembly_format = "$source `:` type($source) `->` type(results) attr-dict"

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue | Operation) -> None:
        value = SSAValue.get(source)
        type = ranked(value.type)
        numbers = [IndexType()] * type.get_num_dims()
        super().__init__(
            operands=[value], result_types=[_first(type), IndexType(), numbers, numbers]
        )

    def verify_(self) -> None:
        source = ranked(self.source.type)
        if linear_strides_and_offset(source) is None:
            raise VerifyException(f"'source' is {source}, whose layout is not strided")
        verify_is("base_buffer", self.base_buffer.type, _first(source))
        if len(self.sizes) != source.get_num_dims():
            raise VerifyException(
                f"it gives {len(self.sizes)} sizes and strides, {source} has rank "
                f"{source.get_num_dims()}"
            )


def _first(type: MemRefType[Attribute]) -> MemRefType[Attribute]:
    return MemRefType(type.element_type, [], NoneAttr(), type.memory_space)


class GetGlobalOp(StockGetGlobalOp):
    """The memory of a memref.global."""

    def verify_(self) -> None:
        super().verify_()
        if self.parent_op() is None:
            return
        name = self.name_
        found = None if name.nested_references else SymbolTable.lookup_symbol(self, name)
        if not isinstance(found, GlobalOp):
            raise VerifyException(f"there is no memref.global {name} in the module")
        if found.type != self.memref.type:
            fail(
                self,
                f"'result' is {self.memref.type}, the memref.global {name} is {found.type}",
                notes_at(found, "defined here"),
            )


MemRef = dialect_over(
    StockMemRef,
    [
        *(AllocOp, AllocaOp, AllocaScopeOp, AssumeAlignmentOp, AtomicRMWOp, CastOp, CopyOp),
        *(CollapseShapeOp, DimOp, ExpandShapeOp, ExtractAlignedPointerAsIndexOp, GlobalOp),
        *(ExtractStridedMetaDataOp, GetGlobalOp, MemorySpaceCastOp, RankOp, SubviewOp),
        *(ReinterpretCastOp, TransposeOp),
    ],
    interfaces=[ArithConstantMaterializationInterface()],
)

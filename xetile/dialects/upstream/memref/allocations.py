"""Memory and what is known of it: xDSL 0.75 checks too little of these ops (test_memref_refusals.py tells when not).

Source: `llvm 22.1.8 mlir/Dialect/MemRef/IR/MemRefOps.td` and
`mlir/lib/Dialect/MemRef/IR/MemRefOps.cpp`; what is refused is what mlir-opt 22 refuses.
"""

from xdsl.dialects.builtin import IndexType, MemRefType, NoneAttr
from xdsl.dialects.memref import AllocaOp as StockAllocaOp
from xdsl.dialects.memref import AllocaScopeOp as StockAllocaScopeOp
from xdsl.dialects.memref import AllocOp as StockAllocOp
from xdsl.dialects.memref import AssumeAlignmentOp as StockAssumeAlignmentOp
from xdsl.dialects.memref import GetGlobalOp as StockGetGlobalOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    SameVariadicResultSize,
    operand_def,
    result_def,
    traits_def,
    var_result_def,
)
from xdsl.traits import Pure, SymbolTable
from xdsl.utils.bitwise_casts import is_power_of_two
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.formats import formatted_op
from xetile.dialects.upstream.memref.access import GlobalOp
from xetile.dialects.upstream.memref.layout import (
    linear_strides_and_offset,
    ranked,
    verify_alignment,
    verify_symbols,
)
from xetile.errors import fail, notes_at


class AllocOp(StockAllocOp):
    """Memory that stays until it is given back."""

    def verify_(self) -> None:
        super().verify_()
        verify_symbols(ranked(self.memref.type), len(self.symbol_operands))
        verify_alignment(self.alignment)


class AllocaOp(StockAllocaOp):
    """Memory that is gone at the end of the scope."""

    def verify_(self) -> None:
        super().verify_()
        verify_symbols(ranked(self.memref.type), len(self.symbol_operands))
        verify_alignment(self.alignment)


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
        base = ranked(self.base_buffer.type)
        if base != _first(source):
            raise VerifyException(f"'base_buffer' is {base}, expected {_first(source)}")
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

"""Memory and what is known of it: xDSL 0.74 checks too little of these ops (test_memref_refusals.py tells when not).

Source: `llvm 22.1.8 mlir/Dialect/MemRef/IR/MemRefOps.td` and
`mlir/lib/Dialect/MemRef/IR/MemRefOps.cpp`; what is refused is what mlir-opt 22 refuses.
"""

from typing import cast

from xdsl.dialects.builtin import MemRefType, SymbolRefAttr
from xdsl.dialects.memref import AllocaOp as StockAllocaOp
from xdsl.dialects.memref import AllocaScopeOp as StockAllocaScopeOp
from xdsl.dialects.memref import AllocOp as StockAllocOp
from xdsl.dialects.memref import AssumeAlignmentOp as StockAssumeAlignmentOp
from xdsl.dialects.memref import ExtractStridedMetaDataOp as StockExtractStridedMetaDataOp
from xdsl.dialects.memref import GetGlobalOp as StockGetGlobalOp
from xdsl.ir import Attribute
from xdsl.traits import SymbolTable
from xdsl.utils.bitwise_casts import is_power_of_two
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.upstream.memref.access import GlobalOp
from xetile.dialects.upstream.memref.layout import (
    linear_strides_and_offset,
    verify_alignment,
    verify_symbols,
)
from xetile.errors import fail, notes_at


def _ranked(type: Attribute) -> MemRefType[Attribute]:
    assert isinstance(type, MemRefType)
    return cast("MemRefType[Attribute]", type)


class AllocOp(StockAllocOp):
    """Memory that stays until it is given back."""

    def verify_(self) -> None:
        super().verify_()
        verify_symbols(_ranked(self.memref.type), len(self.symbol_operands))
        verify_alignment(self.alignment)


class AllocaOp(StockAllocaOp):
    """Memory that is gone at the end of the scope."""

    def verify_(self) -> None:
        super().verify_()
        verify_symbols(_ranked(self.memref.type), len(self.symbol_operands))
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


class ExtractStridedMetaDataOp(StockExtractStridedMetaDataOp):
    """The first element as a memref of rank 0, the offset, the extents and the strides."""

    def verify_(self) -> None:
        super().verify_()
        source = _ranked(self.source.type)
        if linear_strides_and_offset(source) is None:
            raise VerifyException(f"'source' is {source}, whose layout is not strided")
        element = MemRefType(source.element_type, [])
        expected = MemRefType(source.element_type, [], element.layout, source.memory_space)
        if self.base_buffer.type != expected:
            raise VerifyException(
                f"'base_buffer' is {self.base_buffer.type}, expected {expected}"
            )
        if len(self.sizes) != source.get_num_dims():
            raise VerifyException(
                f"it gives {len(self.sizes)} sizes and strides, {source} has rank {source.get_num_dims()}"
            )


class GetGlobalOp(StockGetGlobalOp):
    """The memory of a memref.global."""

    def verify_(self) -> None:
        super().verify_()
        if self.parent_op() is None:
            return
        name = cast("SymbolRefAttr", self.name_)
        found = None if name.nested_references else SymbolTable.lookup_symbol(self, name)
        if not isinstance(found, GlobalOp):
            raise VerifyException(f"there is no memref.global {name} in the module")
        if found.type != self.memref.type:
            fail(
                self,
                f"'result' is {self.memref.type}, the memref.global {name} is {found.type}",
                notes_at(found, "defined here"),
            )

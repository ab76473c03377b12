"""Memory ops of XeVM beside the 2D messages: 1D block messages, prefetch, fence."""

from typing import cast

from xdsl.dialects.builtin import IntAttr, IntegerType, Signedness, VectorType
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.formats import sorted_op
from xetile.dialects.xevm.xevm_attributes import (
    AddrSpaceAttr,
    LoadCacheControlAttr,
    MemScopeAttr,
    StoreCacheControlAttr,
)
from xetile.dialects.xevm.xevm_constraints import XeVMOp
from xetile.hints import isa

_FUNCTION_SPACES = (1, 4)
"""Address spaces that a prefetch takes: global and generic."""


def _verify_lane_value(what: str, type: Attribute) -> None:
    """Raise unless a lane may move `type` in a 1D message: a signless integer of 8 to 64 bits, or a short vector."""
    vector = type if isa(type, VectorType[Attribute]) else None
    element = type if vector is None else vector.element_type
    legal = (8, 16, 32, 64)
    if (
        not isa(element, IntegerType)
        or element.bitwidth not in legal
        or element.signedness.data is not Signedness.SIGNLESS
        or (
            vector is not None
            and (vector.get_num_dims() != 1 or any(vector.get_scalable_dims()))
        )
    ):
        raise VerifyException(
            f"{what} is {type}; legal are i8, i16, i32, i64 and vectors of rank 1 of them"
        )
    if vector is None:
        return
    sizes = (2, 4, 8, 16) if element.bitwidth == 8 else (2, 4, 8)
    if vector.get_shape()[0] not in sizes:
        raise VerifyException(
            f"{what} is {type}; legal sizes for {element} are {', '.join(map(str, sizes))}"
        )


@sorted_op
class BlockLoadOp(XeVMOp):
    """`xevm.blockload %p <{cache_control = ...}> : (!llvm.ptr<1>) -> vector<4xi16>`: consecutive lanes, then rows."""

    name = "xevm.blockload"

    ptr = operand_def(LLVMPointerType)
    cache_control = opt_prop_def(LoadCacheControlAttr)
    res = result_def()

    traits = traits_def(MemoryReadEffect())

    assembly_format = "operands prop-dict attr-dict `:` functional-type(operands, results)"

    def verify_(self) -> None:
        _verify_lane_value("the result", self.res.type)


@sorted_op
class BlockStoreOp(XeVMOp):
    """`xevm.blockstore %p, %v <{cache_control = ...}> : (!llvm.ptr<1>, vector<4xi16>)`."""

    name = "xevm.blockstore"

    ptr = operand_def(LLVMPointerType)
    val = operand_def()
    cache_control = opt_prop_def(StoreCacheControlAttr)

    traits = traits_def(MemoryWriteEffect())

    assembly_format = "operands prop-dict attr-dict `:` `(` type(operands) `)`"

    def verify_(self) -> None:
        _verify_lane_value("'val'", self.val.type)


@sorted_op
class MemfenceOp(IRDLOperation):
    """`xevm.memfence <{addrspace = #xevm.addr_space<shared>, scope = #xevm.mem_scope<workgroup>}>`."""

    name = "xevm.memfence"

    scope = prop_def(MemScopeAttr)
    addrspace = prop_def(AddrSpaceAttr, AddrSpaceAttr("generic"))

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "prop-dict attr-dict"

    def __init__(self, *, scope: str, addrspace: str = "generic") -> None:
        super().__init__(
            properties={"addrspace": AddrSpaceAttr(addrspace), "scope": MemScopeAttr(scope)}
        )


@sorted_op
class PrefetchOp(XeVMOp):
    """`xevm.prefetch %p <{cache_control = ...}> : (!llvm.ptr<1>)`."""

    name = "xevm.prefetch"

    ptr = operand_def(LLVMPointerType)
    cache_control = opt_prop_def(LoadCacheControlAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "operands prop-dict attr-dict `:` `(` type(operands) `)`"

    def verify_(self) -> None:
        space = cast(LLVMPointerType, self.ptr.type).addr_space
        number = space.data if isinstance(space, IntAttr) else 0
        if number not in _FUNCTION_SPACES:
            raise VerifyException(
                f"'ptr' is {self.ptr.type}; legal are !llvm.ptr<1> and !llvm.ptr<4>"
            )

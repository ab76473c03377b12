"""Memory of the device, copies, waiting: xDSL 0.75 has no form of them (test_gpu.py tells when it has).

Source: `llvm 22.1.8 mlir/Dialect/GPU/IR/GPUOps.td`, the text as mlir-opt 22 prints it.
"""

from abc import ABC

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    MemRefType,
    UnitAttr,
    UnrankedMemRefType,
    i32,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    operand_def,
    opt_prop_def,
    opt_result_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.formats import formatted_op
from xetile.dialects.upstream.gpu.attributes import AsyncTokenType
from xetile.dialects.upstream.gpu.formats import TOKEN, AsyncDependencies
from xetile.dialects.upstream.memref.layout import verify_symbols
from xetile.hints import isa


def token_types(*, is_async: bool) -> list[list[Attribute]]:
    """The optional last result."""
    return [[TOKEN] if is_async else []]


@formatted_op
class WaitOp(IRDLOperation):
    """Waits for the tokens; with `async` it gives one token for all."""

    name = "gpu.wait"

    async_dependencies = var_operand_def(AsyncTokenType)
    async_token = opt_result_def(AsyncTokenType)

    assembly_format = (
        "custom<AsyncDependencies>(type($async_token), $async_dependencies) attr-dict"
    )
    custom_directives = (AsyncDependencies,)


@formatted_op
class AllocOp(IRDLOperation):
    """Memory of the device."""

    name = "gpu.alloc"

    async_dependencies = var_operand_def(AsyncTokenType)
    dynamic_sizes = var_operand_def(IndexType())
    symbol_operands = var_operand_def(IndexType())
    host_shared = opt_prop_def(UnitAttr, prop_name="hostShared")
    memref = result_def(MemRefType)
    async_token = opt_result_def(AsyncTokenType)

    assembly_format = (
        "custom<AsyncDependencies>(type($async_token), $async_dependencies) "
        "(`host_shared` $hostShared^)? ` ` `(` $dynamic_sizes `)` "
        "(`` `[` $symbol_operands^ `]`)? attr-dict `:` type($memref)"
    )
    custom_directives = (AsyncDependencies,)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def verify_(self) -> None:
        type = self.memref.type
        assert isa(type, MemRefType)
        dynamic = type.get_shape().count(DYNAMIC_INDEX)
        if len(self.dynamic_sizes) != dynamic:
            raise VerifyException(
                f"'dynamicSizes' has {len(self.dynamic_sizes)} entries, {type} has {dynamic} "
                "dynamic extents"
            )
        verify_symbols(type, len(self.symbol_operands))


@formatted_op
class DeallocOp(IRDLOperation):
    """Gives memory of the device back."""

    name = "gpu.dealloc"

    async_dependencies = var_operand_def(AsyncTokenType)
    memref = operand_def(MemRefType)
    async_token = opt_result_def(AsyncTokenType)

    assembly_format = (
        "custom<AsyncDependencies>(type($async_token), $async_dependencies) $memref attr-dict `:` "
        "type($memref)"
    )
    custom_directives = (AsyncDependencies,)


@formatted_op
class MemcpyOp(IRDLOperation):
    """All elements of one buffer into another."""

    name = "gpu.memcpy"

    async_dependencies = var_operand_def(AsyncTokenType)
    dst = operand_def(MemRefType)
    src = operand_def(MemRefType)
    async_token = opt_result_def(AsyncTokenType)

    assembly_format = (
        "custom<AsyncDependencies>(type($async_token), $async_dependencies) $dst `,` $src `:` "
        "type($dst) `,` type($src) attr-dict"
    )
    custom_directives = (AsyncDependencies,)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def verify_(self) -> None:
        dst, src = self.dst.type, self.src.type
        assert isa(dst, MemRefType)
        assert isa(src, MemRefType)
        if dst.element_type != src.element_type:
            raise VerifyException(f"'src' is {src}, it has to hold elements of {dst}")
        agree = len(dst.get_shape()) == len(src.get_shape()) and all(
            a < 0 or b < 0 or a == b
            for a, b in zip(dst.get_shape(), src.get_shape(), strict=True)
        )
        if not agree:
            raise VerifyException(f"'src' is {src}, it has to have the shape of {dst}")


@formatted_op
class MemsetOp(IRDLOperation):
    """One value into all elements of a buffer."""

    name = "gpu.memset"

    async_dependencies = var_operand_def(AsyncTokenType)
    dst = operand_def(MemRefType)
    value = operand_def()
    async_token = opt_result_def(AsyncTokenType)

    assembly_format = (
        "custom<AsyncDependencies>(type($async_token), $async_dependencies) $dst `,` $value `:` "
        "type($dst) `,` type($value) attr-dict"
    )
    custom_directives = (AsyncDependencies,)

    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        dst = self.dst.type
        assert isa(dst, MemRefType)
        if dst.element_type != self.value.type:
            raise VerifyException(f"'value' is {self.value.type}, 'dst' is {dst}")


class _HostMemoryOp(IRDLOperation, ABC):
    value = operand_def(UnrankedMemRefType)

    assembly_format = "$value attr-dict `:` type($value)"


@formatted_op
class HostRegisterOp(_HostMemoryOp):
    """Lets the device use memory of the host."""

    name = "gpu.host_register"


@formatted_op
class HostUnregisterOp(_HostMemoryOp):
    """Takes memory of the host back."""

    name = "gpu.host_unregister"


@formatted_op
class SetDefaultDeviceOp(IRDLOperation):
    """Chooses the device for what follows."""

    name = "gpu.set_default_device"

    dev_index = operand_def(i32)

    assembly_format = "attr-dict $dev_index"

    traits = traits_def(MemoryWriteEffect())


@formatted_op
class DynamicSharedMemoryOp(IRDLOperation):
    """The shared memory whose size the launch gives, in bytes."""

    name = "gpu.dynamic_shared_memory"

    result = result_def(MemRefType)

    assembly_format = "attr-dict `:` type($result)"

    traits = traits_def(Pure())

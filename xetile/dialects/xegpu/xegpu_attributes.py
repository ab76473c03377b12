"""XeGPU's attributes: what a descriptor describes, how work is shared out, cache hints, memory spaces.

Source: LLVM 22.1.8, mlir/Dialect/XeGPU/IR/XeGPUAttrs.td (installed as a header); what is
accepted and how it is printed was measured with mlir-opt 22.1.8 and is tested against it.
"""

from typing import ClassVar

from xdsl.dialects.builtin import (
    BoolAttr,
    IntegerAttr,
    i64,
)
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from xetile.dialects.cache_hints import CacheHint
from xetile.dialects.structs import (
    Field,
    StructAttr,
    WordAttr,
    attribute_field,
    parse_parameter,
)


class MemorySpace(StrEnum):
    """Which memory a descriptor describes."""

    GLOBAL = "global"
    SLM = "slm"


MEMORY_SPACE_NUMBERS = {MemorySpace.GLOBAL: 0, MemorySpace.SLM: 3}
"""The number that a memref has in the place of the memory space."""


class FenceScope(StrEnum):
    """Between whom a fence orders memory accesses."""

    WORKGROUP = "workgroup"
    GPU = "gpu"


@irdl_attr_definition
class CacheHintAttr(WordAttr[CacheHint]):
    """`#xegpu.cache_hint<cached>`."""

    name = "xegpu.cache_hint"
    words = CacheHint


@irdl_attr_definition
class MemorySpaceAttr(EnumAttribute[MemorySpace], SpacedOpaqueSyntaxAttribute):
    """`#xegpu<memory_space slm>`."""

    name = "xegpu.memory_space"


@irdl_attr_definition
class FenceScopeAttr(EnumAttribute[FenceScope], SpacedOpaqueSyntaxAttribute):
    """`#xegpu<fence_scope gpu>`."""

    name = "xegpu.fence_scope"


def _parse_memory_space(parser: AttrParser) -> Attribute:
    space = parser.parse_optional_str_enum(MemorySpace)
    if space is not None:
        return MemorySpaceAttr(space)
    return parse_parameter(parser, MemorySpaceAttr, "'global' or 'slm'")


def _print_memory_space(printer: Printer, space: Attribute) -> None:
    assert isinstance(space, MemorySpaceAttr)
    printer.print_string(f" {space.data.value}")  # mlir-opt prints two spaces after the `=`


_MEMORY_SPACE = Field(
    _parse_memory_space, MemorySpaceAttr(MemorySpace.GLOBAL), _print_memory_space
)
_NUMBER = attribute_field(IntegerAttr, "an integer", IntegerAttr(1, i64))
_BOOLEAN = Field(
    lambda parser: BoolAttr.from_bool(parser.parse_boolean()), BoolAttr.from_bool(True)
)


@irdl_attr_definition
class BlockTensorDescAttr(StructAttr):
    """`#xegpu.block_tdesc_attr<array_length = 2 : i64>`: a block of consecutive rows.

    `array_length` blocks lie side by side in memory; `boundary_check` is false where every
    access is known to be in bounds. What has its default is not printed.
    """

    name = "xegpu.block_tdesc_attr"
    FIELDS: ClassVar = {
        "memory_space": _MEMORY_SPACE,
        "array_length": _NUMBER,
        "boundary_check": _BOOLEAN,
    }

    memory_space: MemorySpaceAttr
    array_length: IntegerAttr
    boundary_check: BoolAttr

    def __init__(
        self,
        *,
        memory_space: MemorySpace | MemorySpaceAttr = MemorySpace.GLOBAL,
        array_length: int | IntegerAttr = 1,
        boundary_check: bool | BoolAttr = True,
    ) -> None:
        if isinstance(memory_space, MemorySpace):
            memory_space = MemorySpaceAttr(memory_space)
        if isinstance(array_length, int):
            array_length = IntegerAttr(array_length, i64)
        if isinstance(boundary_check, bool):
            boundary_check = BoolAttr.from_bool(boundary_check)
        super().__init__(memory_space, array_length, boundary_check)

    @property
    def has_defaults_only(self) -> bool:
        """True if all parts are the defaults, as without the attribute; the type of array_length does not matter."""
        return (
            self.memory_space.data is MemorySpace.GLOBAL
            and self.array_length.value.data == 1
            and bool(self.boundary_check)
        )


@irdl_attr_definition
class ScatterTensorDescAttr(StructAttr):
    """`#xegpu.scatter_tdesc_attr<chunk_size = 8 : i64>`: one address per row, `chunk_size` elements at each."""

    name = "xegpu.scatter_tdesc_attr"
    FIELDS: ClassVar = {"memory_space": _MEMORY_SPACE, "chunk_size": _NUMBER}

    memory_space: MemorySpaceAttr
    chunk_size: IntegerAttr

    def __init__(
        self,
        *,
        memory_space: MemorySpace | MemorySpaceAttr = MemorySpace.GLOBAL,
        chunk_size: int | IntegerAttr = 1,
    ) -> None:
        if isinstance(memory_space, MemorySpace):
            memory_space = MemorySpaceAttr(memory_space)
        if isinstance(chunk_size, int):
            chunk_size = IntegerAttr(chunk_size, i64)
        super().__init__(memory_space, chunk_size)

    def verify(self) -> None:
        """A chunk has at least one element."""
        chunk_size = self.chunk_size.value.data
        if chunk_size < 1:
            raise VerifyException(f"'chunk_size' is {chunk_size}, must be at least 1")

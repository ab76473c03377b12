"""2D block messages of XeVM; what is refused is what mlir-opt 22 refuses."""

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, IntegerType, VectorType, i32
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.formats import sorted_op
from xetile.dialects.xevm.xevm_attributes import LoadCacheControlAttr, StoreCacheControlAttr
from xetile.dialects.xevm.xevm_constraints import REGISTERS, XeVMOp
from xetile.targets.xe.device import LANES

REGISTER_BITS = 32
"""Packed loads fill register words of this many bits."""


class _BlockOp(XeVMOp):
    """The base of the 2D block messages."""

    ptr = operand_def(LLVMPointerType)
    base_width = operand_def(i32)
    base_height = operand_def(i32)
    base_pitch = operand_def(i32)
    x = operand_def(i32)
    y = operand_def(i32)
    elem_size_in_bits = prop_def(IntegerAttr[IntegerType])
    tile_width = prop_def(IntegerAttr[IntegerType])
    tile_height = prop_def(IntegerAttr[IntegerType])

    @property
    def bits(self) -> int:
        """Bits of an element."""
        return self.elem_size_in_bits.value.data

    @property
    def columns(self) -> int:
        """Columns of one block (elements)."""
        return self.tile_width.value.data

    @property
    def rows(self) -> int:
        """Rows of a block."""
        return self.tile_height.value.data

    def _verify_surface(self) -> None:
        width, pitch = _constant(self.base_width), _constant(self.base_pitch)
        if width is not None and pitch is not None and pitch < width:
            raise VerifyException(
                f"4th operand (base pitch) should be >= 2nd operand (base width): {pitch} and {width}"
            )

    def _verify_block(self, widths: Mapping[int, Sequence[int]], *, most_rows: int) -> None:
        """Refuse a block of another size than a message takes; `widths` by bits of an element."""
        if self.bits not in widths:
            raise VerifyException(
                f"expecting 'elem_size_in_bits' to be 8, 16, or 32, found {self.bits}"
            )
        _verify_height(self.rows, most=most_rows)
        legal = widths[self.bits]
        if self.columns not in legal:
            raise VerifyException(
                f"tile_width for {self.bits} bit elements should be equal to "
                f"{' or '.join(map(str, legal))}, found {self.columns}"
            )

    def _verify_size(self, value: Attribute, blocks: int) -> None:
        vector = cast(VectorType[Attribute], value)
        bits: int = getattr(vector.element_type, "bitwidth", 32)
        have = vector.get_shape()[0] * bits
        expected = self.bits * self.rows * self.columns * blocks // LANES
        if have != expected:
            raise VerifyException(
                f"result size of {have} bits does not match the expected size of {expected} bits"
            )


def _constant(value: SSAValue) -> int | None:
    if isinstance(value.owner, Operation) and value.owner.name in (
        "arith.constant",
        "llvm.mlir.constant",
    ):
        found = value.owner.properties.get("value")
        if isinstance(found, IntegerAttr):
            return cast("IntegerAttr[IntegerType]", found).value.data
    return None


_WIDTH_RANGES = {8: (4, 64), 16: (2, 32), 32: (1, 16), 64: (1, 8)}


def _verify_height(rows: int, *, most: int, least: int = 1) -> None:
    if not least <= rows <= most:
        raise VerifyException(
            f"expecting tile_height to be between {least} and {most}, found {rows}"
        )
    if rows & (rows - 1):
        raise VerifyException(
            f"expecting tile_height to be 1, 2, 4, 8, 16, or 32, found {rows}"
        )


@sorted_op
class BlockLoad2dOp(_BlockOp):
    """`xevm.blockload2d %p, %width, %height, %pitch, %x, %y <{...}> : (...) -> vector<64xi16>`."""

    name = "xevm.blockload2d"

    v_blocks = prop_def(IntegerAttr[IntegerType])
    transpose = prop_def(BoolAttr)
    pack_register = prop_def(BoolAttr)
    cache_control = opt_prop_def(LoadCacheControlAttr)
    res = result_def(REGISTERS)

    traits = traits_def(MemoryReadEffect())

    assembly_format = "operands prop-dict attr-dict `:` functional-type(operands, results)"

    @property
    def blocks(self) -> int:
        """Number of blocks side by side."""
        return self.v_blocks.value.data

    @property
    def is_transposed(self) -> bool:
        """True if the message transposes."""
        return bool(self.transpose.value.data)

    @property
    def is_packed(self) -> bool:
        """True if the message packs elements of consecutive rows into 32-bit words."""
        return bool(self.pack_register.value.data)

    def verify_(self) -> None:
        self._verify_surface()
        bits, blocks = self.bits, self.blocks
        self._verify_size(self.res.type, blocks)
        if bits not in _WIDTH_RANGES or (bits == 64 and not self.is_transposed):
            raise VerifyException(
                f"expecting 'elem_size_in_bits' to be 8, 16, or 32, found {bits}"
            )
        if self.is_transposed and self.is_packed:
            raise VerifyException("transpose and pack_register are mutually exclusive")
        if self.is_transposed and bits < 32:
            raise VerifyException("transpose is only supported for 32 and 64 bit elements")
        if self.is_packed and bits > 16:
            raise VerifyException("pack_register is only supported for 8 and 16 bit elements")
        _verify_height(
            self.rows, most=32, least=REGISTER_BITS // bits if self.is_packed else 1
        )
        least, most = _WIDTH_RANGES[bits]
        most = 8 if self.is_transposed else most
        if not least <= self.columns <= most:
            raise VerifyException(
                f"expecting tile_width to be between {least} and {most}, found {self.columns}"
            )
        if self.is_packed and self.columns != LANES:
            raise VerifyException(
                "tile_width when pack_register is true should be equal to subgroup size (16 elements), "
                f"found {self.columns}"
            )
        legal = (
            (1,) if self.is_transposed or bits == 64 else (1, 2) if bits == 32 else (1, 2, 4)
        )
        if blocks not in legal:
            raise VerifyException(
                f"expecting v_blocks to be {' or '.join(map(str, legal))}, found {blocks}"
            )
        if self.columns * blocks > _WIDTH_RANGES[bits][1]:
            raise VerifyException(
                f"tile_width * v_blocks should be less than or equal to {_WIDTH_RANGES[bits][1]} for "
                f"{bits} bit elements, found {self.columns * blocks}"
            )
        self._verify_element(bits)

    def _verify_element(self, bits: int) -> None:
        element = cast("VectorType[Attribute]", self.res.type).element_type
        width = getattr(element, "bitwidth", 32)
        if (bits == 32 or self.is_packed) and width != 32:
            raise VerifyException(
                f"expecting result element type to be 32 bits, found {element}"
            )


@sorted_op
class BlockStore2dOp(_BlockOp):
    """`xevm.blockstore2d %p, %width, %height, %pitch, %x, %y, %v <{...}> : (..., vector<8xf32>)`."""

    name = "xevm.blockstore2d"

    # xDSL puts the fields of a subclass before
    # inherited ones, so the order is written out.
    ptr = operand_def(LLVMPointerType)
    base_width = operand_def(i32)
    base_height = operand_def(i32)
    base_pitch = operand_def(i32)
    x = operand_def(i32)
    y = operand_def(i32)
    stored_val = operand_def(REGISTERS)
    cache_control = opt_prop_def(StoreCacheControlAttr)

    traits = traits_def(MemoryWriteEffect())

    assembly_format = "operands prop-dict attr-dict `:` `(` type(operands) `)`"

    def verify_(self) -> None:
        self._verify_surface()
        self._verify_block({8: (16, 32), 16: (16,), 32: (16,)}, most_rows=8)


@sorted_op
class BlockPrefetch2dOp(_BlockOp):
    """`xevm.blockprefetch2d %p, %width, %height, %pitch, %x, %y <{...}> : (...)`."""

    name = "xevm.blockprefetch2d"

    v_blocks = prop_def(IntegerAttr[IntegerType])
    cache_control = opt_prop_def(LoadCacheControlAttr)

    # A prefetch has no result and changes no value, but must stay where it is.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "operands prop-dict attr-dict `:` `(` type(operands) `)`"

    @property
    def blocks(self) -> int:
        """Number of blocks side by side."""
        return self.v_blocks.value.data

    def verify_(self) -> None:
        self._verify_surface()
        self._verify_block({8: (16, 32), 16: (16,), 32: (8, 16)}, most_rows=32)
        if self.blocks not in (1, 2, 4, 8):
            raise VerifyException(
                f"expecting v_blocks to be 1, 2, 4, or 8, found {self.blocks}"
            )

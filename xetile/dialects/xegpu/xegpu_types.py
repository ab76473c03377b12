"""XeGPU's types: descriptors of memory, and named barriers.

Source: LLVM 22.1.8, mlir/Dialect/XeGPU/IR/XeGPUTypes.td (installed as a header); what is
accepted was measured with mlir-opt 22.1.8 and is tested against it.
"""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ArrayAttr,
    ContainerType,
    IntAttr,
    IntegerType,
    NoneAttr,
    ShapedType,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.structs import parse_parameter
from xetile.dialects.xegpu.even_shares import is_evenly_distributable
from xetile.dialects.xegpu.layouts import LayoutAttr, MemLayoutAttr
from xetile.dialects.xegpu.xegpu_attributes import (
    BlockTensorDescAttr,
    MemorySpace,
    ScatterTensorDescAttr,
)
from xetile.hints import isa

GATHER_UNIT_BITS = 32
"""Gathers and scatters move units of this many bits; narrower elements of a chunk fill whole units."""

_DESCRIPTIONS = (BlockTensorDescAttr, ScatterTensorDescAttr, LayoutAttr)
_EXPECTED = "#xegpu.block_tdesc_attr, #xegpu.scatter_tdesc_attr or #xegpu.layout"


def _shape(shape: Sequence[int]) -> ArrayAttr[IntAttr]:
    return ArrayAttr(IntAttr(extent) for extent in shape)


class _TileType(ParametrizedAttribute, TypeAttribute, ShapedType, ContainerType[Attribute]):
    """A type `<shape x element, ...>`, whose first parameters are `dimensions` and `element_type`."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents in elements (of one block, if there are several); DYNAMIC_INDEX where one is not known."""
        return tuple(extent.data for extent in cast(ArrayAttr[IntAttr], self.parameters[0]))

    def get_num_dims(self) -> int:
        return len(self.shape)

    def get_shape(self) -> tuple[int, ...]:
        return self.shape

    def get_element_type(self) -> Attribute:
        return self.parameters[1]

    def print_with(self, printer: Printer, *others: Attribute | None) -> None:
        """Print `<shape x element>` with those of `others` that are there."""
        with printer.in_angle_brackets():
            for extent in self.shape:
                printer.print_string("?x" if extent == DYNAMIC_INDEX else f"{extent}x")
            given = [other for other in others if other is not None and other != NoneAttr()]
            printer.print_list((self.parameters[1], *given), printer.print_attribute)


@irdl_attr_definition
class TensorDescType(_TileType):
    """`!xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>`: a tile in memory.

    `encoding` is always there; a block attribute that says only defaults is not printed.
    """

    name = "xegpu.tensor_desc"

    dimensions: ArrayAttr[IntAttr]
    element_type: Attribute
    encoding: BlockTensorDescAttr | ScatterTensorDescAttr
    layout: LayoutAttr | NoneAttr

    @classmethod
    def of(
        cls,
        shape: Sequence[int],
        element_type: Attribute,
        encoding: BlockTensorDescAttr | ScatterTensorDescAttr | None = None,
        layout: LayoutAttr | None = None,
    ) -> "TensorDescType":
        """A descriptor type of Python values; without encoding a block in global memory."""
        return cls(
            _shape(shape), element_type, _normal_encoding(encoding), layout or NoneAttr()
        )

    @classmethod
    def block(
        cls, shape: Sequence[int], element_type: Attribute, *, array_length: int = 1
    ) -> "TensorDescType":
        """A block in global memory, or several side by side."""
        return cls.of(shape, element_type, BlockTensorDescAttr(array_length=array_length))

    @property
    def scattered(self) -> bool:
        """True if the descriptor has one address per row."""
        return isinstance(self.encoding, ScatterTensorDescAttr)

    @property
    def memory_space(self) -> MemorySpace:
        """The memory that the descriptor describes."""
        return self.encoding.memory_space.data

    @property
    def array_length(self) -> int:
        """The number of blocks side by side; 1 for a scattered descriptor."""
        if isinstance(self.encoding, ScatterTensorDescAttr):
            return 1
        return self.encoding.array_length.value.data

    @property
    def boundary_check(self) -> bool:
        """True if accesses may be out of bounds, as always for a scattered descriptor."""
        if isinstance(self.encoding, ScatterTensorDescAttr):
            return True
        return bool(self.encoding.boundary_check)

    @property
    def chunk_size(self) -> int:
        """The number of elements at each address; 1 for a block."""
        if isinstance(self.encoding, BlockTensorDescAttr):
            return 1
        return self.encoding.chunk_size.value.data

    def verify(self) -> None:
        if not self.shape:
            raise VerifyException("tensor_desc has rank 0, must have at least 1 dimension")
        if not isinstance(self.element_type, IntegerType | AnyFloat):
            raise VerifyException(
                f"tensor_desc has elements of {self.element_type}, must be integers or floats"
            )
        if isinstance(self.encoding, ScatterTensorDescAttr):
            self._verify_chunks()
        elif self.memory_space is MemorySpace.SLM and len(self.shape) > 1:
            raise VerifyException(
                f"tensor_desc in slm has rank {len(self.shape)}, a block there must have rank 1"
            )
        if isinstance(self.layout, LayoutAttr):
            self._verify_layout(self.layout)

    @property
    def _chunk_granule(self) -> int:
        """Elements that fill one unit of a gather."""
        assert isa(self.element_type, IntegerType | AnyFloat)
        return max(1, GATHER_UNIT_BITS // self.element_type.bitwidth)

    def _verify_chunks(self) -> None:
        chunk_size = self.chunk_size
        shape = self.shape
        if chunk_size == 1:
            return
        if len(shape) == 1:
            raise VerifyException(
                f"'chunk_size' is {chunk_size}, must be 1 in a tensor_desc of rank 1"
            )
        if shape[-1] != chunk_size:
            raise VerifyException(
                f"last dimension is {shape[-1]}, must be the chunk_size, {chunk_size}"
            )
        if chunk_size % self._chunk_granule:
            raise VerifyException(
                f"'chunk_size' is {chunk_size}, must be a multiple of {self._chunk_granule} "
                f"for {self.element_type}"
            )

    def _verify_layout(self, layout: LayoutAttr) -> None:
        shape = self.shape
        if layout.rank != len(shape):
            raise VerifyException(f"layout has rank {layout.rank}, tensor_desc {len(shape)}")
        lane_data = layout.field("lane_data")
        if lane_data and self.chunk_size > 1 and lane_data[-1] % self._chunk_granule:
            raise VerifyException(
                f"'lane_data' is {list(lane_data)}, its last entry must be a multiple of "
                f"{self._chunk_granule} for {self.element_type}"
            )
        if not is_evenly_distributable(shape, layout):
            raise VerifyException(f"cannot distribute {list(shape)} evenly with {layout}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<shape x element, encoding, layout>`, both attributes optional and in any order."""
        encoding: BlockTensorDescAttr | ScatterTensorDescAttr | None = None
        layout: LayoutAttr | None = None
        with parser.in_angle_brackets():
            shape, element_type = parser.parse_ranked_shape()
            while parser.parse_optional_punctuation(",") is not None:
                attribute = parse_parameter(parser, _DESCRIPTIONS, _EXPECTED)
                if isinstance(attribute, LayoutAttr):
                    layout = attribute
                else:
                    encoding = attribute
        return _shape(shape), element_type, _normal_encoding(encoding), layout or NoneAttr()

    def print_parameters(self, printer: Printer) -> None:
        encoding = None if self.encoding == BlockTensorDescAttr() else self.encoding
        self.print_with(printer, encoding, self.layout)


def _normal_encoding(
    encoding: BlockTensorDescAttr | ScatterTensorDescAttr | None,
) -> BlockTensorDescAttr | ScatterTensorDescAttr:
    """One attribute for all that say only defaults, so that equal types print equally and the other way round."""
    if encoding is None or (
        isinstance(encoding, BlockTensorDescAttr) and encoding.has_defaults_only
    ):
        return BlockTensorDescAttr()
    return encoding


_MEM_LAYOUT_KEYS = ("block", "stride")


@irdl_attr_definition
class MemDescType(_TileType):
    """`!xegpu.mem_desc<32x64xf16, #xegpu.mem_layout<...>>`: a matrix in shared local memory."""

    name = "xegpu.mem_desc"

    dimensions: ArrayAttr[IntAttr]
    element_type: Attribute
    mem_layout: MemLayoutAttr | NoneAttr

    @classmethod
    def of(
        cls,
        shape: Sequence[int],
        element_type: Attribute,
        mem_layout: MemLayoutAttr | None = None,
    ) -> "MemDescType":
        """A matrix of Python values; row-major without a layout."""
        return cls(_shape(shape), element_type, mem_layout or NoneAttr())

    def _field(self, name: str) -> tuple[int, ...] | None:
        if not isinstance(self.mem_layout, MemLayoutAttr):
            return None
        return self.mem_layout.integers(name)

    @property
    def strides(self) -> tuple[int, ...]:
        """The distance in elements between neighbours along each dimension, before blocking; row-major by default."""
        given = self._field("stride")
        if given is not None:
            return given
        strides = [1]
        for extent in reversed(self.shape[1:]):
            strides.insert(0, strides[0] * extent)
        return tuple(strides)

    @property
    def block_shape(self) -> tuple[int, ...]:
        """The extents of the blocks that are contiguous in memory; the whole matrix by default."""
        return self._field("block") or self.shape

    @property
    def steps(self) -> tuple[Sequence[int], Sequence[int]]:
        """Elements from one index to the next in a block, and from block to block, along each dimension.

        Source: `llvm 22.1.8 mlir/lib/Dialect/XeGPU/IR/XeGPUDialect.cpp`, MemDescType: blocks lie
        one after the other in the order that the strides give to the dimensions, and so do the
        elements of a block.
        """
        shape, strides, block = self.shape, self.strides, self.block_shape
        if tuple(block) == tuple(shape):
            return strides, [0] * len(shape)
        order = sorted(range(len(shape)), key=lambda dimension: strides[dimension])
        inner, outer = [0] * len(shape), [0] * len(shape)
        step = 1
        for dimension in order:
            inner[dimension], step = step, step * block[dimension]
        for position, dimension in enumerate(order):
            outer[dimension] = step
            if position + 1 < len(order):
                step *= strides[order[position + 1]] // strides[dimension] // block[dimension]
        return inner, outer

    def offset(self, at: Sequence[int]) -> int:
        """Where an element lies (elements from the first)."""
        inner, outer = self.steps
        block = self.block_shape
        return sum(
            index // extent * far + index % extent * near
            for index, extent, near, far in zip(at, block, inner, outer, strict=True)
        )

    def verify(self) -> None:
        if DYNAMIC_INDEX in self.shape:
            raise VerifyException("mem_desc has a dynamic dimension, must be static")
        if isinstance(self.mem_layout, MemLayoutAttr):
            self._verify_mem_layout(self.mem_layout)

    def _verify_mem_layout(self, layout: MemLayoutAttr) -> None:
        """Raise if the mem_layout does not fit the elements; mlir-opt accepts these without a diagnostic."""
        rank, shape = len(self.shape), list(self.shape)
        for name in layout.attrs.data:
            if name not in _MEM_LAYOUT_KEYS:
                raise VerifyException(
                    f"mem_layout has the entry '{name}', expected one of {', '.join(_MEM_LAYOUT_KEYS)}"
                )
            entry = layout.integers(name)
            if entry is None or len(entry) != rank or min(entry, default=1) < 1:
                raise VerifyException(
                    f"mem_layout has {name} = {layout.attrs.data[name]}, expected {rank} integers above 0"
                )
        strides, block = list(self.strides), list(self.block_shape)
        if any(extent % part for extent, part in zip(shape, block, strict=True)):
            raise VerifyException(
                f"mem_layout has blocks {block}, must divide the shape {shape}"
            )
        if block != shape and min(strides) != 1:
            raise VerifyException(
                f"mem_layout has blocks and the strides {strides}, one of them must be 1"
            )
        last = self.offset([extent - 1 for extent in shape])
        if last >= self.element_count():
            raise VerifyException(
                f"mem_layout puts the last element at {last}, past the {self.element_count()} elements of the "
                f"mem_desc; give it the rows or columns of the padding too"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        layout: MemLayoutAttr | None = None
        with parser.in_angle_brackets():
            shape, element_type = parser.parse_ranked_shape()
            if parser.parse_optional_punctuation(",") is not None:
                layout = parse_parameter(parser, MemLayoutAttr, "#xegpu.mem_layout")
        return _shape(shape), element_type, layout or NoneAttr()

    def print_parameters(self, printer: Printer) -> None:
        self.print_with(printer, self.mem_layout)


@irdl_attr_definition
class NbarrierType(ParametrizedAttribute, TypeAttribute):
    """`!xegpu.nbarrier`: a named barrier."""

    name = "xegpu.nbarrier"

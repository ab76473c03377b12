"""XeGPU's types, as upstream's mlir/Dialect/XeGPU/IR/XeGPUTypes.td (LLVM 22) has them."""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    ContainerType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
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

from xetile.dialects.xegpu.attributes import (
    BlockTensorDescAttr,
    LayoutAttr,
    MemorySpace,
    ScatterTensorDescAttr,
)

_FLOATS = (Float16Type, BFloat16Type, FloatTF32Type, Float32Type, Float64Type)
_INTEGER_WIDTHS = (1, 4, 8, 16, 32, 64)
ELEMENT_TYPES = "i1, i4, i8, i16, i32, i64 (also si, ui), f16, bf16, tf32, f32, f64"


def is_element_type(type: Attribute) -> bool:
    """Whether XeGPU's descriptors and vectors may have elements of this type."""
    if isinstance(type, IntegerType):
        return type.bitwidth in _INTEGER_WIDTHS
    return isinstance(type, _FLOATS)


@irdl_attr_definition
class TensorDescType(ParametrizedAttribute, TypeAttribute, ShapedType, ContainerType[Attribute]):
    """`!xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>`: a block of memory."""

    name = "xegpu.tensor_desc"

    dimensions: ArrayAttr[IntAttr]
    element_type: Attribute
    encoding: BlockTensorDescAttr | ScatterTensorDescAttr | NoneAttr
    layout: LayoutAttr | NoneAttr

    @classmethod
    def of(
        cls,
        shape: Sequence[int],
        element_type: Attribute,
        encoding: BlockTensorDescAttr | ScatterTensorDescAttr | None = None,
        layout: LayoutAttr | None = None,
    ) -> "TensorDescType":
        """A descriptor type; a block attribute that says only defaults is absent."""
        if encoding == BlockTensorDescAttr():
            encoding = None
        return cls(
            ArrayAttr(IntAttr(extent) for extent in shape),
            element_type,
            NoneAttr() if encoding is None else encoding,
            NoneAttr() if layout is None else layout,
        )

    @classmethod
    def block(
        cls, shape: Sequence[int], element_type: Attribute, *, array_length: int = 1
    ) -> "TensorDescType":
        """A block in global memory, or several side by side."""
        return cls.of(shape, element_type, BlockTensorDescAttr(array_length=array_length))

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of one block in elements."""
        return tuple(extent.data for extent in self.dimensions)

    @property
    def array_length(self) -> int:
        """Number of blocks side by side."""
        if isinstance(self.encoding, BlockTensorDescAttr):
            return self.encoding.array_length.value.data
        return 1

    @property
    def scattered(self) -> bool:
        """Whether each row has an address of its own."""
        return isinstance(self.encoding, ScatterTensorDescAttr)

    def get_num_dims(self) -> int:
        """The rank."""
        return len(self.dimensions)

    def get_shape(self) -> tuple[int, ...]:
        """Extents in elements."""
        return self.shape

    def get_element_type(self) -> Attribute:
        """The type of one element."""
        return self.element_type

    def verify(self) -> None:
        """Refuse what upstream refuses."""
        if not self.shape:
            raise VerifyException("expected non-zero rank tensor")
        if not is_element_type(self.element_type):
            raise VerifyException(
                f"element type {self.element_type} is not supported; legal are {ELEMENT_TYPES}"
            )
        slm = (
            isinstance(self.encoding, BlockTensorDescAttr)
            and self.encoding.memory_space.data is MemorySpace.SLM
        )
        if slm and len(self.shape) > 1:
            raise VerifyException("SLM is only supported for 1D block tensor")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<shape x element_type, encoding, layout>`."""
        encoding: BlockTensorDescAttr | ScatterTensorDescAttr | None = None
        layout: LayoutAttr | None = None
        with parser.in_angle_brackets():
            shape, element_type = parser.parse_ranked_shape()
            while parser.parse_optional_punctuation(",") is not None:
                start = parser.pos
                attribute = parser.parse_attribute()
                if isinstance(attribute, LayoutAttr):
                    layout = attribute
                elif isinstance(attribute, BlockTensorDescAttr | ScatterTensorDescAttr):
                    encoding = attribute
                else:
                    parser.raise_error(
                        f"a tensor_desc takes a block or scatter attribute and a layout, found {attribute}",
                        start,
                    )
        return cls.of(shape, element_type, encoding, layout).parameters

    def print_parameters(self, printer: Printer) -> None:
        """Print `<shape x element_type, encoding, layout>`."""
        with printer.in_angle_brackets():
            printer.print_dimension_list(self.shape)
            printer.print_string("x")
            printer.print_attribute(self.element_type)
            for attribute in (self.encoding, self.layout):
                if not isinstance(attribute, NoneAttr):
                    printer.print_string(", ")
                    printer.print_attribute(attribute)

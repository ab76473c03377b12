"""XeGPU's attributes, as upstream's mlir/Dialect/XeGPU/IR/XeGPUAttrs.td (LLVM 22) has them."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    NoneAttr,
    i32,
    i64,
)
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum


class CacheHint(StrEnum):
    """What an access asks of one cache level."""

    CACHED = "cached"
    UNCACHED = "uncached"
    STREAMING = "streaming"
    READ_INVALIDATE = "read_invalidate"
    WRITE_BACK = "write_back"
    WRITE_THROUGH = "write_through"


class MemorySpace(StrEnum):
    """Where a block lies."""

    GLOBAL = "global"
    SLM = "slm"


class FenceScope(StrEnum):
    """Who a fence speaks to."""

    WORKGROUP = "workgroup"
    GPU = "gpu"


@irdl_attr_definition
class CacheHintAttr(EnumAttribute[CacheHint]):
    """`#xegpu.cache_hint<cached>`."""

    name = "xegpu.cache_hint"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> CacheHint:
        """Read `<hint>`."""
        with parser.in_angle_brackets():
            return parser.parse_str_enum(CacheHint)

    def print_parameter(self, printer: Printer) -> None:
        """Print `<hint>`."""
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)


@irdl_attr_definition
class MemorySpaceAttr(EnumAttribute[MemorySpace]):
    """`#xegpu.memory_space<global>`."""

    name = "xegpu.memory_space"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> MemorySpace:
        """Read `<space>`."""
        with parser.in_angle_brackets():
            return parser.parse_str_enum(MemorySpace)

    def print_parameter(self, printer: Printer) -> None:
        """Print `<space>`."""
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)


@irdl_attr_definition
class FenceScopeAttr(EnumAttribute[FenceScope]):
    """`#xegpu.fence_scope<workgroup>`."""

    name = "xegpu.fence_scope"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> FenceScope:
        """Read `<scope>`."""
        with parser.in_angle_brackets():
            return parser.parse_str_enum(FenceScope)

    def print_parameter(self, printer: Printer) -> None:
        """Print `<scope>`."""
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)


@irdl_attr_definition
class BlockTensorDescAttr(ParametrizedAttribute):
    """`#xegpu.block_tdesc_attr<memory_space = slm, array_length = 2 : i64, boundary_check = false>`."""

    name = "xegpu.block_tdesc_attr"

    memory_space: MemorySpaceAttr
    array_length: IntegerAttr[IntegerType]
    boundary_check: BoolAttr

    def __init__(
        self,
        *,
        memory_space: MemorySpace = MemorySpace.GLOBAL,
        array_length: int = 1,
        boundary_check: bool = True,
    ) -> None:
        super().__init__(
            MemorySpaceAttr(memory_space),
            IntegerAttr(array_length, i64),
            IntegerAttr.from_bool(boundary_check),
        )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read the fields, in any order; what is absent has its default."""
        found = {"memory_space": MemorySpace.GLOBAL, "array_length": 1, "boundary_check": True}

        def field() -> None:
            start = parser.pos
            key = parser.parse_identifier()
            parser.parse_punctuation("=")
            if key == "memory_space":
                word = parser.parse_optional_str_enum(MemorySpace)
                if word is None:
                    attribute = parser.parse_attribute()
                    if not isinstance(attribute, MemorySpaceAttr):
                        parser.raise_error("expected global or slm", start)
                    word = attribute.data
                found[key] = word
            elif key == "array_length":
                found[key] = parser.parse_integer()
                if parser.parse_optional_punctuation(":") is not None:
                    parser.parse_type()
            elif key == "boundary_check":
                found[key] = parser.parse_boolean()
            else:
                parser.raise_error(
                    f"unknown key '{key}'; legal are memory_space, array_length, boundary_check",
                    start,
                )

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, field)
        made = cls(
            memory_space=MemorySpace(found["memory_space"]),
            array_length=int(found["array_length"]),
            boundary_check=bool(found["boundary_check"]),
        )
        return made.parameters

    def print_parameters(self, printer: Printer) -> None:
        """Print what is not the default."""
        fields: list[str] = []
        if self.memory_space.data is not MemorySpace.GLOBAL:
            fields.append(f"memory_space = {self.memory_space.data.value}")
        if self.array_length.value.data != 1:
            fields.append(f"array_length = {self.array_length.value.data} : i64")
        if not self.boundary_check.value.data:
            fields.append("boundary_check = false")
        printer.print_string(f"<{', '.join(fields)}>")


@irdl_attr_definition
class ScatterTensorDescAttr(ParametrizedAttribute):
    """`#xegpu.scatter_tdesc_attr<memory_space = slm, chunk_size = 8 : i64>`."""

    name = "xegpu.scatter_tdesc_attr"

    memory_space: MemorySpaceAttr
    chunk_size: IntegerAttr[IntegerType]

    def __init__(
        self, *, memory_space: MemorySpace = MemorySpace.GLOBAL, chunk_size: int = 1
    ) -> None:
        super().__init__(MemorySpaceAttr(memory_space), IntegerAttr(chunk_size, i64))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read the fields, in any order; what is absent has its default."""
        space, chunk = MemorySpace.GLOBAL, 1

        def field() -> None:
            nonlocal space, chunk
            start = parser.pos
            key = parser.parse_identifier()
            parser.parse_punctuation("=")
            if key == "memory_space":
                space = parser.parse_str_enum(MemorySpace)
            elif key == "chunk_size":
                chunk = parser.parse_integer()
                if parser.parse_optional_punctuation(":") is not None:
                    parser.parse_type()
            else:
                parser.raise_error(
                    f"unknown key '{key}'; legal are memory_space, chunk_size", start
                )

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, field)
        return cls(memory_space=space, chunk_size=chunk).parameters

    def print_parameters(self, printer: Printer) -> None:
        """Print what is not the default."""
        fields: list[str] = []
        if self.memory_space.data is not MemorySpace.GLOBAL:
            fields.append(f"memory_space = {self.memory_space.data.value}")
        if self.chunk_size.value.data != 1:
            fields.append(f"chunk_size = {self.chunk_size.value.data} : i64")
        printer.print_string(f"<{', '.join(fields)}>")


_LAYOUT_FIELDS = ("sg_layout", "sg_data", "inst_data", "lane_layout", "lane_data", "order")


@irdl_attr_definition
class LayoutAttr(ParametrizedAttribute):
    """`#xegpu.layout<sg_layout = [8, 4], ..., lane_layout = [1, 16], lane_data = [1, 1], order = [1, 0]>`."""

    name = "xegpu.layout"

    sg_layout: DenseArrayBase[IntegerType] | NoneAttr
    sg_data: DenseArrayBase[IntegerType] | NoneAttr
    inst_data: DenseArrayBase[IntegerType] | NoneAttr
    lane_layout: DenseArrayBase[IntegerType] | NoneAttr
    lane_data: DenseArrayBase[IntegerType] | NoneAttr
    order: DenseArrayBase[IntegerType] | NoneAttr

    def __init__(self, fields: Mapping[str, Sequence[int]]) -> None:
        super().__init__(
            *(
                DenseArrayBase.from_list(i32, list(fields[name])) if name in fields else NoneAttr()
                for name in _LAYOUT_FIELDS
            )
        )

    @property
    def fields(self) -> dict[str, tuple[int, ...]]:
        """The fields that are given."""
        return {
            name: tuple(value.get_values())
            for name, value in zip(_LAYOUT_FIELDS, self.parameters, strict=True)
            if isinstance(value, DenseArrayBase)
        }

    def verify(self) -> None:
        """Refuse what upstream refuses: no level at all, and ranks that differ."""
        fields = self.fields
        if not {"sg_layout", "inst_data", "lane_layout"} & set(fields):
            raise VerifyException("expected at least one of sg_layout, inst_data or lane_layout")
        for left, right in (
            ("sg_layout", "inst_data"),
            ("sg_data", "sg_layout"),
            ("inst_data", "lane_layout"),
            ("lane_data", "lane_layout"),
        ):
            if left in fields and right in fields and len(fields[left]) != len(fields[right]):
                raise VerifyException(f"expected {left} and {right} to have the same rank")
        if "sg_data" in fields and "sg_layout" not in fields:
            raise VerifyException("expected sg_layout being present along with sg_data")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read the fields, in any order."""
        fields: dict[str, list[int]] = {}

        def field() -> None:
            start = parser.pos
            key = parser.parse_identifier()
            if key not in _LAYOUT_FIELDS:
                parser.raise_error(
                    f"unknown key '{key}'; legal are {', '.join(_LAYOUT_FIELDS)}", start
                )
            parser.parse_punctuation("=")
            fields[key] = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, parser.parse_integer
            )

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, field)
        return cls(fields).parameters

    def print_parameters(self, printer: Printer) -> None:
        """Print the fields that are given."""
        body = ", ".join(f"{name} = {list(values)}" for name, values in self.fields.items())
        printer.print_string(f"<{body}>")


@irdl_attr_definition
class SliceAttr(ParametrizedAttribute):
    """`#xegpu.slice<#xegpu.layout<...>, dims = [0]>`."""

    name = "xegpu.slice"

    parent: Attribute
    dims: ArrayAttr[IntegerAttr[IntegerType]]

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read the parent and the dimensions."""
        with parser.in_angle_brackets():
            parent = parser.parse_attribute()
            parser.parse_punctuation(",")
            parser.parse_keyword("dims")
            parser.parse_punctuation("=")
            dims = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        return [parent, ArrayAttr([IntegerAttr(d, i64) for d in dims])]

    def print_parameters(self, printer: Printer) -> None:
        """Print the parent and the dimensions."""
        with printer.in_angle_brackets():
            printer.print_attribute(self.parent)
            dims = [d.value.data for d in self.dims]
            printer.print_string(f", dims = {dims}")

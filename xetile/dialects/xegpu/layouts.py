"""XeGPU's attributes of layout: who holds which part of a value, and how a matrix lies in shared local memory.

Source: LLVM 22.1.8, mlir/Dialect/XeGPU/IR/XeGPUAttrs.td (installed as a header); what is
accepted and how it is printed was measured with mlir-opt 22.1.8 and is tested against it.
"""

from collections.abc import Sequence
from typing import ClassVar, Self, TypeAlias, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    NoneAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.structs import (
    Field,
    StructAttr,
    array_field,
    parse_array,
    parse_parameter,
    print_array,
)
from xetile.hints import isa

LAYOUT_FIELDS = ("sg_layout", "sg_data", "inst_data", "lane_layout", "lane_data", "order")


def _optional_array(values: Sequence[int] | None) -> DenseArrayBase[IntegerType] | NoneAttr:
    return NoneAttr() if values is None else DenseArrayBase.from_list(i32, values)


@irdl_attr_definition
class LayoutAttr(StructAttr):
    """`#xegpu.layout<sg_layout = [8, 4], sg_data = [32, 64], ...>`: how a value is shared out, level by level.

    Subgroups (`sg_layout` of them, `sg_data` elements each), then instructions (`inst_data`
    elements each), then lanes (`lane_layout`, `lane_data`). `order` names the dimensions,
    the fastest first. Every field is optional.
    """

    name = "xegpu.layout"
    FIELDS: ClassVar = dict.fromkeys(LAYOUT_FIELDS, array_field(i32))

    sg_layout: DenseArrayBase[IntegerType] | NoneAttr
    sg_data: DenseArrayBase[IntegerType] | NoneAttr
    inst_data: DenseArrayBase[IntegerType] | NoneAttr
    lane_layout: DenseArrayBase[IntegerType] | NoneAttr
    lane_data: DenseArrayBase[IntegerType] | NoneAttr
    order: DenseArrayBase[IntegerType] | NoneAttr

    def __init__(
        self,
        *,
        sg_layout: Sequence[int] | None = None,
        sg_data: Sequence[int] | None = None,
        inst_data: Sequence[int] | None = None,
        lane_layout: Sequence[int] | None = None,
        lane_data: Sequence[int] | None = None,
        order: Sequence[int] | None = None,
    ) -> None:
        fields = (sg_layout, sg_data, inst_data, lane_layout, lane_data, order)
        super().__init__(*(_optional_array(values) for values in fields))

    def field(self, name: str) -> tuple[int, ...] | None:
        """The integers of one of LAYOUT_FIELDS, None where it is not given."""
        value = self.parameters[LAYOUT_FIELDS.index(name)]
        if not isinstance(value, DenseArrayBase):
            return None
        return tuple(value.iter_values())

    @property
    def rank(self) -> int:
        """The number of dimensions that are shared out."""
        for name in ("sg_layout", "inst_data", "lane_layout"):
            values = self.field(name)
            if values is not None:
                return len(values)
        return 0

    @property
    def is_for_workgroup(self) -> bool:
        """True if the layout distributes a workgroup's value over subgroups."""
        return self.field("sg_layout") is not None

    def verify(self) -> None:
        """Fields that belong together are there and of one rank."""
        given = self.given
        if not given.keys() & {"sg_layout", "inst_data", "lane_layout"}:
            raise VerifyException("layout has none of sg_layout, inst_data and lane_layout")
        for name, base in (("sg_data", "sg_layout"), ("lane_data", "lane_layout")):
            if name in given and base not in given:
                raise VerifyException(f"'{name}' is given without '{base}'")
        if "order" in given and not given.keys() & {"sg_layout", "lane_layout"}:
            raise VerifyException("'order' is given without 'sg_layout' or 'lane_layout'")
        ranks = {name: len(self.field(name) or ()) for name in given}
        if len(set(ranks.values())) > 1:
            found = ", ".join(f"{name} {rank}" for name, rank in ranks.items())
            raise VerifyException(f"fields of the layout differ in rank: {found}")


@irdl_attr_definition
class SliceAttr(StructAttr):
    """`#xegpu.slice<#xegpu.layout<...>, dims = [0]>`: the parent's layout without some dimensions.

    Those who differ only along a dropped dimension hold the same data.
    """

    name = "xegpu.slice"
    FIELDS: ClassVar = {
        "parent": Field(AttrParser.parse_attribute),
        "dims": Field(lambda parser: parse_array(parser, i64), show=print_array),
    }
    UNNAMED: ClassVar = 1

    parent: Attribute
    dims: DenseArrayBase[IntegerType]

    def __init__(self, parent: "AnyLayoutAttr", dims: Sequence[int]) -> None:
        super().__init__(parent, DenseArrayBase.from_list(i64, dims))

    def field(self, name: str) -> tuple[int, ...] | None:
        """As `LayoutAttr.field`, without the dropped dimensions; `order` is the parent's."""
        values = self.parent_layout.field(name)
        if values is None or name == "order":
            return values
        dropped = self.dims.get_values()
        return tuple(value for index, value in enumerate(values) if index not in dropped)

    @property
    def parent_layout(self) -> "AnyLayoutAttr":
        """The layout that is sliced."""
        assert isinstance(self.parent, LayoutAttr | SliceAttr)
        return self.parent

    @property
    def rank(self) -> int:
        """The number of dimensions that remain."""
        return self.parent_layout.rank - len(self.dims)

    @property
    def is_for_workgroup(self) -> bool:
        """As the parent's."""
        return self.parent_layout.is_for_workgroup

    def verify(self) -> None:
        """The dropped dimensions are different dimensions of the parent."""
        if not isinstance(self.parent, LayoutAttr | SliceAttr):
            raise VerifyException(f"'parent' is {self.parent}, must be a layout or a slice")
        dims = self.dims.get_values()
        rank = self.parent.rank
        for position, dim in enumerate(dims):
            if not 0 <= dim < rank:
                raise VerifyException(f"'dims' has {dim}, the parent has rank {rank}")
            if dim in dims[:position]:
                raise VerifyException(f"'dims' has {dim} twice")


AnyLayoutAttr: TypeAlias = LayoutAttr | SliceAttr
"""The attributes that the `layout` properties of ops accept."""


@irdl_attr_definition
class RangeAttr(ParametrizedAttribute):
    """`#xegpu.range<[2, 4]>`: the integers from 2 up to, but not including, 4."""

    name = "xegpu.range"

    start: IntegerAttr
    end: IntegerAttr

    def __init__(self, start: int, end: int) -> None:
        super().__init__(IntegerAttr(start, i64), IntegerAttr(end, i64))

    def verify(self) -> None:
        start, end = self.start.value.data, self.end.value.data
        if start >= end:
            raise VerifyException(f"'end' is {end}, must be greater than 'start', {start}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets(), parser.in_square_brackets():
            start = parse_parameter(parser, IntegerAttr, "an integer")
            parser.parse_punctuation(",")
            return start, parse_parameter(parser, IntegerAttr, "an integer")

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets(), printer.in_square_brackets():
            printer.print_list((self.start, self.end), printer.print_attribute)


@irdl_attr_definition
class MemLayoutAttr(ParametrizedAttribute):
    """`#xegpu.mem_layout<block = [16, 16], stride = [1, 32]>`: named properties of a layout in memory."""

    name = "xegpu.mem_layout"

    attrs: DictionaryAttr

    def integers(self, name: str) -> tuple[int, ...] | None:
        """The entry `name` if it is an array of integers, else None."""
        entry = self.attrs.data.get(name)
        if not isa(entry, ArrayAttr[IntegerAttr]):
            return None
        return tuple(item.value.data for item in entry)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<name = attribute, ...>`, at least one."""
        entries: dict[str, Attribute] = {}

        def parse_entry() -> None:
            start = parser.pos
            name = parser.parse_identifier()
            if name in entries:
                parser.raise_error(f"'{name}' is given twice", start, parser.pos)
            parser.parse_punctuation("=")
            entries[name] = parser.parse_attribute()

        with parser.in_angle_brackets():
            parser.parse_comma_separated_list(parser.Delimiter.NONE, parse_entry)
        return (DictionaryAttr(entries),)

    def print_parameters(self, printer: Printer) -> None:
        def print_field(name: str) -> None:
            printer.print_string(f"{name} = ")
            printer.print_attribute(self.attrs.data[name])

        with printer.in_angle_brackets():
            printer.print_list(sorted(self.attrs.data), print_field)


@irdl_attr_definition
class SgMapAttr(StructAttr):
    """`#xegpu.sg_map<wi_layout = [1, 16], wi_data = [1, 1]>` of older files: read as the LayoutAttr that it became."""

    name = "xegpu.sg_map"
    FIELDS: ClassVar = {
        name: Field(lambda parser: parse_array(parser, i32))
        for name in ("wi_layout", "wi_data")
    }

    wi_layout: DenseArrayBase[IntegerType]
    wi_data: DenseArrayBase[IntegerType]

    @classmethod
    def new(cls, params: Sequence[Attribute]) -> Self:
        """The layout over lanes; no attribute of this kind ever exists."""
        layout, data = (
            tuple(array.get_values()) for array in params if isinstance(array, DenseArrayBase)
        )
        return cast(Self, LayoutAttr(lane_layout=layout, lane_data=data))

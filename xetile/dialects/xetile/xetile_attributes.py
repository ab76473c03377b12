"""Attributes: how a tile lies in memory, and cache hints.

Maps: which subgroup of a workgroup, or which lane of a subgroup, holds which part of a tile.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypedDict, TypeVar, Unpack

from xdsl.dialects.builtin import ArrayAttr, IntAttr, IntegerAttr, NoneAttr
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xetile.advice import hint
from xetile.dialects.cache_hints import CacheHint
from xetile.dialects.xetile.field_lists import (
    next_character,
    parse_fields,
    parse_integers,
    refuse,
)

if TYPE_CHECKING:
    from xetile.layout.algebra.block_grids import Distribution


def integer_list(values: Sequence[int]) -> ArrayAttr[IntAttr]:
    """The parameter that holds integers."""
    return ArrayAttr(IntAttr(value) for value in values)


def integers_in(array: ArrayAttr[IntAttr]) -> tuple[int, ...]:
    """The integers that a parameter holds."""
    return tuple(value.data for value in array.data)


def verify_pair(name: str, values: Sequence[int]) -> None:
    """Refuse what is not two positive integers."""
    if len(values) != 2 or min(values) < 1:
        raise VerifyException(f"'{name}' is {list(values)}, expected 2 positive integers")


@dataclass(frozen=True, init=False)
class _MapAttr(ParametrizedAttribute):
    """`<sg_layout = [8, 4], sg_data = [32, 64]>`: two pairs of integers under the names of `FIELDS`."""

    FIELDS: ClassVar[tuple[str, str]]
    FURTHER: ClassVar[tuple[str, ...]] = ()
    """Pairs that may be given besides."""

    layout: ArrayAttr[IntAttr]
    data: ArrayAttr[IntAttr]

    def verify(self) -> None:
        for name, pair in zip(self.FIELDS, (self.layout, self.data), strict=True):
            verify_pair(name, integers_in(pair))

    @property
    def body(self) -> str:
        """The text after the name."""
        first, second = self.FIELDS
        return f"<{first} = {list(integers_in(self.layout))}, {second} = {list(integers_in(self.data))}>"

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(self.body)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        """Read the pairs in either order."""
        start = parser.pos
        what = cls.name.rpartition(".")[2]
        values: dict[str, tuple[int, ...]] = {}

        def read(key: str) -> None:
            value_start = parser.pos
            values[key] = parse_integers(parser, key)
            try:
                verify_pair(key, values[key])
            except VerifyException as error:
                refuse(parser, str(error), value_start)

        parse_fields(parser, what, (*cls.FIELDS, *cls.FURTHER), read)
        for key in cls.FIELDS:
            if key not in values:
                refuse(parser, f"'{key}' is missing in {what}", start)
        further = [
            integer_list(values[key]) if key in values else NoneAttr() for key in cls.FURTHER
        ]
        return [*(integer_list(values[key]) for key in cls.FIELDS), *further]


@irdl_attr_definition
class WorkgroupMapAttr(_MapAttr):
    """`#xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>`: which subgroup holds which part.

    Subgroup ids are row-major over `sg_layout`; the extent of each dimension is cut into
    units of `sg_data` elements, which go round over the subgroups.
    """

    name = "xetile.wg_map"
    FIELDS = ("sg_layout", "sg_data")

    def __init__(self, sg_layout: Sequence[int], sg_data: Sequence[int]) -> None:
        super().__init__(integer_list(sg_layout), integer_list(sg_data))

    @property
    def sg_layout(self) -> tuple[int, ...]:
        """Number of subgroups along each dimension."""
        return integers_in(self.layout)

    @property
    def sg_data(self) -> tuple[int, ...]:
        """Extents of one unit, in elements."""
        return integers_in(self.data)

    def distribution(self, shape: Sequence[int]) -> "Distribution":
        """How a workgroup's value of this shape (elements) is dealt out.

        Errors: LayoutError where the map does not distribute the shape evenly.
        """
        from xetile.layout.algebra.block_grids import Distribution

        return Distribution(tuple(shape), self.sg_data, self.sg_layout)

    def transposed(self) -> "WorkgroupMapAttr":
        """The map with its dimensions exchanged."""
        return WorkgroupMapAttr(self.sg_layout[::-1], self.sg_data[::-1])


@irdl_attr_definition
class SubgroupMapAttr(_MapAttr):
    """`#xetile.sg_map<wi_layout = [2, 8], wi_data = [1, 2]>`: kept and printed, read by no pass.

    Older files add `mma_block_size = [8, 16]`.
    """

    name = "xetile.sg_map"
    FIELDS = ("wi_layout", "wi_data")
    FURTHER = ("mma_block_size",)

    blocks: ArrayAttr[IntAttr] | NoneAttr

    def __init__(
        self,
        wi_layout: Sequence[int],
        wi_data: Sequence[int],
        mma_block_size: Sequence[int] | None = None,
    ) -> None:
        blocks = NoneAttr() if mma_block_size is None else integer_list(mma_block_size)
        super().__init__(integer_list(wi_layout), integer_list(wi_data), blocks)

    def verify(self) -> None:
        super().verify()
        if self.mma_block_size is not None:
            verify_pair("mma_block_size", self.mma_block_size)

    @property
    def wi_layout(self) -> tuple[int, ...]:
        """Number of lanes along each dimension."""
        return integers_in(self.layout)

    @property
    def wi_data(self) -> tuple[int, ...]:
        """Extents of one lane's part, in elements."""
        return integers_in(self.data)

    @property
    def mma_block_size(self) -> tuple[int, ...] | None:
        """Rows and columns of a block of a matrix instruction, in elements."""
        return None if isinstance(self.blocks, NoneAttr) else integers_in(self.blocks)

    @property
    def body(self) -> str:
        blocks = self.mma_block_size
        if blocks is None:
            return super().body
        return f"{super().body[:-1]}, mma_block_size = {list(blocks)}>"


GLOBAL = 0
SHARED = 3
"""The memory spaces of a tile, as they are numbered in `memory_space`."""

LEGAL_MEMORY_SPACES = "global (0, 1 or #gpu.address_space<global>) or shared (3 or #gpu.address_space<workgroup>)"

ROW_MAJOR = (1, 0)
COLUMN_MAJOR = (0, 1)
"""The orders of a tile: the fastest dimension comes first."""


@irdl_attr_definition
class CacheHintAttr(EnumAttribute[CacheHint]):
    """`#xetile.cache_hint<cached>`."""

    name = "xetile.cache_hint"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> CacheHint:
        with parser.in_angle_brackets():
            start = parser.pos
            word = parser.parse_identifier(context_msg=" in cache hint")
            if word not in set(CacheHint):
                legal = ", ".join(CacheHint)
                advice = hint(word, CacheHint) or ";"
                refuse(parser, f"'{word}' is no cache hint{advice} legal are {legal}", start)
        return CacheHint(word)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)


@irdl_attr_definition
class ScatterAttr(ParametrizedAttribute):
    """`#xetile.scatter`, another spelling of `#xetile.tile_attr<scattered = true>` in a tile type."""

    name = "xetile.scatter"


_Map = TypeVar("_Map", SubgroupMapAttr, WorkgroupMapAttr)


def memory_space_of(attribute: Attribute) -> int | None:
    """GLOBAL or SHARED for the memory space of a memref or a tile; None for any other space."""
    if isinstance(attribute, NoneAttr):
        return GLOBAL
    if isinstance(attribute, IntegerAttr):
        return {0: GLOBAL, 1: GLOBAL, 3: SHARED}.get(attribute.value.data)
    # By text, because the gpu dialect may be ours, xDSL's, or not registered.
    names = {"#gpu.address_space<global>": GLOBAL, "#gpu.address_space<workgroup>": SHARED}
    return names.get(str(attribute))


class TileParts(TypedDict, total=False):
    """The parts of a `tile_attr`, by the names under which they are printed, in that order."""

    sg_map: SubgroupMapAttr | None
    wg_map: WorkgroupMapAttr | None
    order: Sequence[int]
    inner_blocks: Sequence[int] | None
    memory_space: int
    scattered: bool


@irdl_attr_definition
class TileAttr(ParametrizedAttribute):
    """`#xetile.tile_attr<wg_map = <...>, order = [0, 1], ...>`; what is the default is absent.

    Two attributes that mean the same are the same: order [1, 0], the global memory space under any of its
    names, and `scattered = false` are not kept.
    """

    name = "xetile.tile_attr"

    sg: SubgroupMapAttr | NoneAttr
    wg: WorkgroupMapAttr | NoneAttr
    order_array: ArrayAttr[IntAttr] | NoneAttr
    block_array: ArrayAttr[IntAttr] | NoneAttr
    space: IntAttr | NoneAttr
    scatter: ScatterAttr | NoneAttr

    def __init__(
        self,
        *,
        sg_map: SubgroupMapAttr | None = None,
        wg_map: WorkgroupMapAttr | None = None,
        order: Sequence[int] = ROW_MAJOR,
        inner_blocks: Sequence[int] | None = None,
        memory_space: int = GLOBAL,
        scattered: bool = False,
    ) -> None:
        super().__init__(
            sg_map or NoneAttr(),
            wg_map or NoneAttr(),
            NoneAttr() if tuple(order) == ROW_MAJOR else integer_list(order),
            NoneAttr() if inner_blocks is None else integer_list(inner_blocks),
            NoneAttr() if memory_space in (0, 1) else IntAttr(memory_space),
            ScatterAttr() if scattered else NoneAttr(),
        )

    @property
    def sg_map(self) -> SubgroupMapAttr | None:
        """The lane map, which no pass reads."""
        return None if isinstance(self.sg, NoneAttr) else self.sg

    @property
    def wg_map(self) -> WorkgroupMapAttr | None:
        """Which subgroup holds which part."""
        return None if isinstance(self.wg, NoneAttr) else self.wg

    @property
    def order(self) -> tuple[int, ...]:
        """The dimensions of the tile, fastest in memory first."""
        return (
            ROW_MAJOR
            if isinstance(self.order_array, NoneAttr)
            else integers_in(self.order_array)
        )

    @property
    def inner_blocks(self) -> tuple[int, ...] | None:
        """Rows and columns of one block, in elements."""
        return (
            None if isinstance(self.block_array, NoneAttr) else integers_in(self.block_array)
        )

    @property
    def memory_space(self) -> int:
        """GLOBAL or SHARED."""
        return GLOBAL if isinstance(self.space, NoneAttr) else self.space.data

    @property
    def scattered(self) -> bool:
        """True if every element has its own index."""
        return isinstance(self.scatter, ScatterAttr)

    def with_(self, **parts: Unpack[TileParts]) -> "TileAttr":
        """The same with some parts changed."""
        same = TileParts(
            sg_map=self.sg_map,
            wg_map=self.wg_map,
            order=self.order,
            inner_blocks=self.inner_blocks,
            memory_space=self.memory_space,
            scattered=self.scattered,
        )
        return TileAttr(**(same | parts))

    def verify(self) -> None:
        if sorted(self.order) != [0, 1]:
            raise VerifyException(f"'order' is {list(self.order)}, expected [1, 0] or [0, 1]")
        if self.inner_blocks is not None:
            verify_pair("inner_blocks", self.inner_blocks)
        if self.memory_space not in (GLOBAL, SHARED):
            raise VerifyException(
                f"'memory_space' is {self.memory_space}, expected {LEGAL_MEMORY_SPACES}"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return _parse_tile_attr(parser).parameters

    def print_parameters(self, printer: Printer) -> None:
        fields: list[str] = []
        if self.sg_map is not None:
            fields.append(f"sg_map = {self.sg_map.body}")
        if self.wg_map is not None:
            fields.append(f"wg_map = {self.wg_map.body}")
        if self.order != ROW_MAJOR:
            fields.append(f"order = {list(self.order)}")
        if self.inner_blocks is not None:
            fields.append(f"inner_blocks = {list(self.inner_blocks)}")
        if self.memory_space != GLOBAL:
            fields.append(f"memory_space = {self.memory_space}")
        if self.scattered:
            fields.append("scattered = true")
        printer.print_string(f"<{', '.join(fields)}>")


_TILE_ATTR_KEYS = (
    "sg_map",
    "wg_map",
    "wg",
    "order",
    "inner_blocks",
    "memory_space",
    "scattered",
    "array_length",
)


def _parse_tile_attr(parser: AttrParser) -> TileAttr:
    """Read `<key = value, ...>`; what is refused is refused at its value."""
    found = TileAttr()

    def read(key: str) -> None:
        nonlocal found
        start = parser.pos
        part = _parse_part(parser, key)
        if "wg_map" in part and found.wg_map is not None:
            refuse(parser, "'wg' and 'wg_map' are one key; give it once", start)
        try:
            found = found.with_(**part)
        except VerifyException as error:
            refuse(parser, str(error), start)

    parse_fields(parser, "tile_attr", _TILE_ATTR_KEYS, read)
    return found


def _parse_part(parser: AttrParser, key: str) -> TileParts:
    match key:
        case "sg_map":
            return {"sg_map": _parse_nested(parser, key, SubgroupMapAttr)}
        case "wg_map" | "wg":
            return {"wg_map": _parse_nested(parser, key, WorkgroupMapAttr)}
        case "order":
            return {"order": parse_integers(parser, key)}
        case "inner_blocks":
            return {"inner_blocks": parse_integers(parser, key) or None}
        case "scattered":
            value = parser.parse_optional_boolean()
            if value is None:
                parser.raise_error("'scattered' is true or false")
            return {"scattered": value}
        case _:
            return _parse_number(parser, key)


def _parse_number(parser: AttrParser, key: str) -> TileParts:
    """Read `memory_space`, or `array_length`, which says nothing."""
    start = parser.pos
    attribute = parser.parse_attribute()
    if key == "memory_space":
        space = memory_space_of(attribute)
        if space is None:
            found = f"'memory_space' is {attribute}"
            refuse(parser, f"{found}, expected {LEGAL_MEMORY_SPACES}", start)
        return {"memory_space": space}
    if not isinstance(attribute, IntegerAttr) or attribute.value.data != 1:
        refuse(
            parser,
            f"array_length = {attribute} is not read; write one wider tile and let blocking "
            "choose how it is loaded",
            start,
        )
    return {}


def _parse_nested(parser: AttrParser, key: str, kind: type[_Map]) -> _Map:
    """Read a map: an alias, in full, or stripped (`<...>`)."""
    start = parser.pos
    if next_character(parser) == "<":
        return kind.new(kind.parse_parameters(parser))
    attribute = parser.parse_attribute()
    if not isinstance(attribute, kind):
        refuse(parser, f"'{key}' is a #{kind.name}, found {attribute}", start)
    return attribute

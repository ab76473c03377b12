"""Maps: which subgroup of a workgroup, or which lane of a subgroup, holds which part of a tile."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import ArrayAttr, IntAttr, NoneAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.xetile.parsing import parse_fields, parse_integers, refuse

if TYPE_CHECKING:
    from xetile.layout.algebra.distribution import Distribution


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
        """What is printed after the name."""
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
        from xetile.layout.algebra.distribution import Distribution

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

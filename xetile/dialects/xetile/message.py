"""The 2D block messages that move a blocked tile, as blocking writes them and the lowering to XeGPU reads them."""

from collections.abc import Sequence
from typing import Literal, cast, get_args

from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import IRDLOperation, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.traits import PrefetchesTile, ReadsTile, has_trait
from xetile.dialects.xetile.field_lists import span_since
from xetile.dialects.xetile.tile_type import TileType
from xetile.dialects.xetile.xetile_attributes import COLUMN_MAJOR

Form = Literal["plain", "packed", "transposed"]
"""How a message rearranges elements: not at all, rows packed into 32-bit words (operand B), or transposed."""


@irdl_attr_definition
class MessageAttr(ParametrizedAttribute):
    """`#xetile.message<32x16x2, packed>`: rows x columns (elements, as memory has them) x blocks side by side.

    `#xetile.message<16x16x2 + 8x16x2>` are several that stand one below the other.
    """

    name = "xetile.message"

    extents: ArrayAttr[ArrayAttr[IntAttr]]
    form: StringAttr

    def __init__(
        self, rows: int | Sequence[int], columns: int, blocks: int, form: Form = "plain"
    ) -> None:
        heights = (rows,) if isinstance(rows, int) else rows
        extents = ArrayAttr(_extents((height, columns, blocks)) for height in heights)
        super().__init__(extents, StringAttr(form))

    @property
    def shapes(self) -> tuple[tuple[int, int, int], ...]:
        """Of each message rows and columns of a block in elements, number of blocks."""
        found = (tuple(extent.data for extent in shape) for shape in self.extents)
        return tuple((rows, columns, blocks) for rows, columns, blocks in found)

    @property
    def body(self) -> str:
        """`32x16x2, packed`, `16x16x2 + 8x16x2`."""
        form = "" if self.form.data == "plain" else f", {self.form.data}"
        return " + ".join("x".join(map(str, shape)) for shape in self.shapes) + form

    def verify(self) -> None:
        for shape in self.extents:
            extents = [extent.data for extent in shape]
            if len(extents) != 3 or min(extents) < 1:
                written = "x".join("?" if n == DYNAMIC_INDEX else str(n) for n in extents)
                raise VerifyException(
                    f"message {written}, expected rows x columns x blocks, all positive"
                )
        if len({shape[1:] for shape in self.shapes}) > 1:
            raise VerifyException(
                f"messages {self.body}, expected the same columns and blocks in all of them"
            )
        if self.form.data not in get_args(Form):
            raise VerifyException(f"message of form '{self.form.data}', expected {_FORMS}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        start, form = parser.pos, "plain"
        with parser.in_angle_brackets():
            shapes = [_extents(parser.parse_dimension_list())]
            while parser.parse_optional_punctuation("+") is not None:
                shapes.append(_extents(parser.parse_dimension_list()))
            if parser.parse_optional_punctuation(",") is not None:
                form = parser.parse_identifier(context_msg=f": {_FORMS}")
        try:
            return MessageAttr.new([ArrayAttr(shapes), StringAttr(form)]).parameters
        except VerifyException as error:
            parser.raise_error(str(error), span_since(parser, start))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.body)


def _extents(shape: Sequence[int]) -> ArrayAttr[IntAttr]:
    return ArrayAttr(IntAttr(extent) for extent in shape)


_FORMS = "packed or transposed"


def verify_message(op: IRDLOperation, tile: TileType) -> None:
    """Refuse a message that does not cover the tile in its blocks; what devices have is asked when lowering."""
    message = op.properties.get("message")
    if not isinstance(message, MessageAttr):
        return
    if tile.inner_blocks is None:
        raise VerifyException(
            f"'message' is {message.body} on {tile}, which has no inner_blocks"
        )
    column_major = tile.order == COLUMN_MAJOR
    heights = [rows for rows, _, _ in message.shapes]
    _, columns, blocks = message.shapes[0]
    inner, extent = tile.inner_blocks[column_major], tile.shape[column_major]
    stands = len(heights) > 1 or (heights[0] > extent and heights[0] % inner == 0)
    beyond = sum(heights) - extent
    reaches = has_trait(op, ReadsTile, PrefetchesTile) and 0 <= 2 * beyond < heights[-1]
    if stands and (any(rows % inner for rows in heights) or (beyond and not reaches)):
        raise VerifyException(
            f"'message' is {message.body}, messages one below the other are multiples of the {inner} rows of "
            f"inner_blocks, and together {extent} rows (of loads and prefetches the last one may reach beyond with "
            "less than half)"
        )
    rows = inner if stands else heights[0]
    block = (columns, rows) if column_major else (rows, columns)
    if block != tile.inner_blocks:
        seen = " (columns by rows, the tile is column-major)" if column_major else ""
        raise VerifyException(
            f"'message' is {message.body}, inner_blocks are {list(tile.inner_blocks)}{seen}"
        )
    width = tile.shape[0 if column_major else 1]
    if width % (columns * blocks):
        raise VerifyException(
            f"'message' is {message.body}, {columns * blocks} elements wide, which do not divide {width}"
        )
    form = cast(Form, message.form.data)
    if form != "plain" and (
        not has_trait(op, ReadsTile) or (form == "packed" and column_major)
    ):
        legal = {"packed": "loads of row-major tiles", "transposed": "loads"}[form]
        raise VerifyException(f"'message' is {message.body}; only {legal} are {form}")

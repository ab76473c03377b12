"""The 2D block messages that move a blocked tile, as blocking writes them and the lowering to XeGPU reads them."""

from collections.abc import Sequence
from typing import Literal, cast, get_args

from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import IRDLOperation, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.traits import ReadsTile, has_trait
from xetile.dialects.xetile.attributes import COLUMN_MAJOR
from xetile.dialects.xetile.parsing import span_since
from xetile.dialects.xetile.types import TileType

Form = Literal["plain", "packed", "transposed"]
"""What a load does on the way: nothing, pack rows into 32-bit words (operand B), exchange rows and columns."""


@irdl_attr_definition
class MessageAttr(ParametrizedAttribute):
    """`#xetile.message<32x16x2, packed>`: rows x columns (elements, as memory has them) x blocks side by side."""

    name = "xetile.message"

    extents: ArrayAttr[IntAttr]
    form: StringAttr

    def __init__(self, rows: int, columns: int, blocks: int, form: Form = "plain") -> None:
        extents = ArrayAttr(IntAttr(extent) for extent in (rows, columns, blocks))
        super().__init__(extents, StringAttr(form))

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows and columns of a block in elements, number of blocks."""
        rows, columns, blocks = (extent.data for extent in self.extents)
        return rows, columns, blocks

    @property
    def body(self) -> str:
        """`32x16x2, packed`."""
        form = "" if self.form.data == "plain" else f", {self.form.data}"
        return "x".join(map(str, self.shape)) + form

    def verify(self) -> None:
        extents = [extent.data for extent in self.extents]
        if len(extents) != 3 or min(extents) < 1:
            written = "x".join("?" if n == DYNAMIC_INDEX else str(n) for n in extents)
            raise VerifyException(
                f"message {written}, expected rows x columns x blocks, all positive"
            )
        if self.form.data not in get_args(Form):
            raise VerifyException(f"message of form '{self.form.data}', expected {_FORMS}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        start, form = parser.pos, "plain"
        with parser.in_angle_brackets():
            extents = ArrayAttr(IntAttr(extent) for extent in parser.parse_dimension_list())
            if parser.parse_optional_punctuation(",") is not None:
                form = parser.parse_identifier(f": {_FORMS}")
        try:
            return MessageAttr.new([extents, StringAttr(form)]).parameters
        except VerifyException as error:
            parser.raise_error(str(error), span_since(parser, start))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.body)


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
    rows, columns, blocks = message.shape
    column_major = tile.order == COLUMN_MAJOR
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

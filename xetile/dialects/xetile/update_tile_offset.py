"""Moving tiles: by rows and columns, or each index by a step of its own."""

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    VectorType,
)
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import (
    Pure,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.lexer import Span

from xetile.dialects.index_lists import (
    Mixed,
    join_mixed,
    print_mixed,
    resolve_mixed,
    split_mixed,
)
from xetile.dialects.traits import MovesTile
from xetile.dialects.xetile.init_tile import drop_empty_lists, verify_list
from xetile.dialects.xetile.op import XeTileOp
from xetile.dialects.xetile.parsing import (
    ARROWS,
    next_character,
    parse_colon,
    parse_index_list,
    parse_operand_name,
    refuse,
    span_since,
)
from xetile.dialects.xetile.reading import (
    Format,
    parse_dictionary,
    parse_tile_type,
    print_dictionary,
    print_types,
    print_values,
)
from xetile.dialects.xetile.support import (
    tile_of,
    verify_dictionary,
    verify_form,
)
from xetile.dialects.xetile.surfaces import known_entries, verify_whole_bytes
from xetile.dialects.xetile.types import TileType


@irdl_op_definition
class UpdateTileOffsetOp(XeTileOp, HasFolderInterface):
    """`%u = xetile.update_tile_offset %t, [%dx, %dy] : !xetile.tile<32x32xf32>`: the tile, moved."""

    name = "xetile.update_tile_offset"
    FORMAT: ClassVar[Format] = Format("update_tile_offset", ())

    tile = operand_def(TileType)
    offsets = var_operand_def(IndexType)
    indices = opt_operand_def(VectorType)
    const_offsets = opt_prop_def(DenseArrayBase[I64])
    result = result_def(TileType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure(), MovesTile())

    def __init__(
        self, tile: SSAValue, offsets: Sequence[Mixed] = (), *, indices: SSAValue | None = None
    ) -> None:
        values, literals = split_mixed(offsets)
        super().__init__(
            operands=[tile, values, [] if indices is None else [indices]],
            result_types=[tile.type],
            properties={"const_offsets": literals},
        )

    def __post_init__(self) -> None:
        """An empty list is the absent one."""
        super().__post_init__()
        drop_empty_lists(self, ["const_offsets"])

    @property
    def mixed_offsets(self) -> list[Mixed]:
        """By how much the tile moves: rows, columns (elements)."""
        return join_mixed(self.offsets, self.const_offsets)

    @classmethod
    def parse(cls, parser: Parser) -> "UpdateTileOffsetOp":
        """Read bracketed, unbracketed and scattered steps."""
        tile = parse_operand_name(parser, "the tile")
        parser.parse_punctuation(",", " before the offsets")
        start = parser.pos
        steps, bracketed = _parse_steps(parser)
        span = span_since(parser, start)
        entries = parse_dictionary(parser, cls.FORMAT)
        parse_colon(parser)
        tile_type = parse_tile_type(parser)
        step_types: list[Attribute] = []
        while parser.parse_optional_punctuation(",") is not None:
            step_types.append(parser.parse_type())
        _parse_moved_type(parser, tile_type)
        source = parser.resolve_operand(tile, tile_type)
        offsets, indices = _resolve_steps(
            parser, steps, bracketed=bracketed, types=step_types, span=span
        )
        op = cls(source, offsets, indices=indices)
        op.attributes |= entries.attributes
        return op

    def print(self, printer: Printer) -> None:
        print_values(printer, self.tile, self.indices)
        if self.indices is None:
            printer.print_string(", ")
            print_mixed(printer, self.mixed_offsets)
        print_dictionary(printer, self, self.FORMAT)
        print_types(
            printer, [self.tile] if self.indices is None else [self.tile, self.indices]
        )

    def verify_(self) -> None:
        tile = tile_of(self.tile)
        verify_dictionary(self, self.FORMAT)
        verify_list(self, "offsets")
        if self.result.type != tile:
            raise VerifyException(
                f"'result' is {self.result.type}, expected the tile's type {tile}"
            )
        if self.indices is None:
            verify_form(
                "tile", tile, scattered=False, other="update_tile_offset %tile, %steps"
            )
            if len(self.mixed_offsets) != 2:
                raise VerifyException(
                    f"'offsets' has {len(self.mixed_offsets)} entries, expected 2: rows and columns"
                )
            verify_whole_bytes(tile, known_entries(self.mixed_offsets))
            return
        verify_form(
            "tile", tile, scattered=True, other="update_tile_offset %tile, [%rows, %columns]"
        )
        expected = VectorType(IndexType(), tile.shape)
        if self.mixed_offsets or self.indices.type != expected:
            raise VerifyException(f"'indices' is {self.indices.type}, {tile} needs {expected}")

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A move by zero is no move."""
        steps = [self.indices] if self.indices is not None else self.mixed_offsets
        return (self.tile,) if all(map(_is_zero, steps)) and not self.attributes else None


_Steps = Sequence[int | UnresolvedOperand]


def _parse_steps(parser: Parser) -> tuple[_Steps, bool]:
    """Read `[%dx, %dy]`, `%dx, %dy` or `%steps`; whether there were brackets."""
    if next_character(parser) == "[":
        return parse_index_list(parser, "offsets"), True
    names = [parse_operand_name(parser, "an offset or the steps")]
    while parser.parse_optional_punctuation(",") is not None:
        names.append(parse_operand_name(parser, "an offset"))
    return names, False


def _parse_moved_type(parser: Parser, tile: TileType) -> None:
    """Read `-> type`, where it is written; it is the tile's."""
    if not any(parser.parse_optional_characters(arrow) for arrow in ARROWS):
        return
    start = parser.pos
    result = parser.parse_type()
    if result != tile:
        refuse(parser, f"the tile keeps its type {tile}, found {result}", start)


def _resolve_steps(
    parser: Parser, steps: _Steps, *, bracketed: bool, types: Sequence[Attribute], span: Span
) -> tuple[list[Mixed], SSAValue | None]:
    """The offsets, or the vector of steps, whose types may be written."""
    if not bracketed and len(steps) == 1:
        if len(types) != 1 or not isinstance(types[0], VectorType):
            parser.raise_error(
                "a single step is a vector: write %tile, %steps : tile, vector", span
            )
        vector = cast("VectorType[Attribute]", types[0])
        return [], parser.resolve_operand(cast(UnresolvedOperand, steps[0]), vector)
    if types and types != [IndexType()] * len(steps):
        found = ", ".join(map(str, types))
        parser.raise_error(
            f"{len(steps)} offsets are as many of type index, found {found}", span
        )
    return resolve_mixed(parser, steps), None


def _is_zero(step: Mixed) -> bool:
    if isinstance(step, int):
        return step == 0
    constant = step.owner
    if not isinstance(constant, Operation) or constant.name != "arith.constant":
        return False
    value = constant.properties.get("value")
    if isinstance(value, DenseIntOrFPElementsAttr):
        return value.is_splat() and value.get_values()[0] == 0
    return isinstance(value, IntegerAttr) and cast("IntegerAttr", value).value.data == 0

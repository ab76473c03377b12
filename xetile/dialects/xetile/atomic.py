"""Atomic read-modify-write through a tile."""

from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, VectorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.lexer import Span

from xetile.advice import hint
from xetile.dialects.atomic_kinds import ATOMIC_KINDS
from xetile.dialects.traits import UpdatesTile
from xetile.dialects.xetile.op import XeTileOp
from xetile.dialects.xetile.parsing import (
    next_character,
    parse_colon,
    parse_type_separator,
    span_since,
)
from xetile.dialects.xetile.reading import (
    Format,
    parse_dictionary,
    parse_operand_names,
    parse_tile_type,
    parse_vector_result,
    parse_vector_type,
)
from xetile.dialects.xetile.support import (
    tile_of,
    verify_dictionary,
    verify_one_writer,
    verify_tile_map,
    verify_value,
)
from xetile.dialects.xetile.types import FLOAT_TYPES, TileType

_FLOAT_KINDS = ("addf", "mulf", "maximumf", "maxnumf", "minimumf", "minnumf", "assign")
_INTEGER_KINDS = tuple(kind for kind in ATOMIC_KINDS if not kind.endswith("f"))
_SHORT_KINDS = ("add", "mul", "and", "or", "xor")
"""Kinds that the element type completes."""


@irdl_op_definition
class AtomicRMWTileOp(XeTileOp):
    """`%r = xetile.atomic_rmw_tile <addf> %v, %t : vector<8x16xf32>, !xetile.tile<8x16xf32> -> vector<8x16xf32>`.

    The result is what was in memory before. A scattered tile is updated at its indices.
    """

    name = "xetile.atomic_rmw_tile"
    FORMAT: ClassVar[Format] = Format("atomic_rmw_tile", ())

    value = operand_def(VectorType)
    tile = operand_def(TileType)
    kind = prop_def(IntegerAttr[I64])
    result = result_def(VectorType)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), UpdatesTile())

    def __init__(self, kind: str, value: SSAValue, tile: SSAValue) -> None:
        super().__init__(
            operands=[value, tile],
            result_types=[value.type],
            properties={"kind": IntegerAttr(ATOMIC_KINDS.index(kind), i64)},
        )

    @property
    def kind_name(self) -> str:
        """The kind in arith's words."""
        return ATOMIC_KINDS[self.kind.value.data]

    @classmethod
    def parse(cls, parser: Parser) -> "AtomicRMWTileOp":
        """Read the op, with the kind in brackets, bare or quoted."""
        word, span = _parse_kind(parser)
        value, tile = parse_operand_names(parser, "the value", "the tile")
        entries = parse_dictionary(parser, cls.FORMAT)
        parse_colon(parser)
        value_type = parse_vector_type(parser)
        parse_type_separator(parser, (",",), "before the tile's type")
        tile_type = parse_tile_type(parser)
        result = parse_vector_result(parser)
        kind = _complete(parser, word, tile_type.element_type, span)
        number = IntegerAttr(ATOMIC_KINDS.index(kind), i64)
        operands = [(value, value_type), (tile, tile_type)]
        return cls.made(parser, operands, [result], entries, kind=number)

    def around_operands(self) -> tuple[str, str]:
        return f" <{self.kind_name}>", ""

    def verify_(self) -> None:
        tile = tile_of(self.tile)
        verify_dictionary(self, self.FORMAT)
        if not 0 <= self.kind.value.data < len(ATOMIC_KINDS):
            raise VerifyException(
                f"'kind' is {self.kind.value.data}, expected 0 to {len(ATOMIC_KINDS) - 1}"
            )
        verify_value("value", self.value, tile)
        verify_value("result", self.result, tile)
        legal = _FLOAT_KINDS if isinstance(tile.element_type, FLOAT_TYPES) else _INTEGER_KINDS
        if self.kind_name not in legal:
            raise VerifyException(
                f"'kind' is {self.kind_name}, elements of {tile.element_type} take {', '.join(legal)}"
            )
        verify_tile_map(self, tile)
        if self.result.first_use is not None:
            verify_one_writer(tile)


def _parse_kind(parser: Parser) -> tuple[str, Span]:
    """Read `<addf>`, `addf` or `"addf"`."""
    bracketed = next_character(parser) == "<"
    if bracketed:
        parser.parse_punctuation("<")
    start = parser.pos
    word = parser.parse_identifier_or_str_literal(" as the kind of the atomic op")
    span = span_since(parser, start)
    if bracketed:
        parser.parse_punctuation(">")
    if word not in ATOMIC_KINDS and word not in _SHORT_KINDS:
        said = f"'{word}' is no kind of atomic op; legal are {', '.join(ATOMIC_KINDS)}"
        parser.raise_error(said + hint(word, ATOMIC_KINDS), span)
    return word, span


def _complete(parser: Parser, word: str, element_type: Attribute, span: Span) -> str:
    """The kind that a word means for an element type: `add` is addf or addi."""
    if word in ATOMIC_KINDS:
        return word
    kind = word + ("f" if isinstance(element_type, FLOAT_TYPES) else "i")
    if kind not in ATOMIC_KINDS:
        legal = ", ".join(_FLOAT_KINDS)
        parser.raise_error(
            f"'{word}' is no kind for elements of {element_type}; legal are {legal}", span
        )
    return kind

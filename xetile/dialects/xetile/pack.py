"""Between the 2D vector of a tile and the 4D vector of its blocks."""

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import I64, DenseArrayBase, VectorType
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.traits import SameElements
from xetile.dialects.xetile.op import XeTileOp
from xetile.dialects.xetile.parsing import integer_array, parse_colon, parse_operand_name
from xetile.dialects.xetile.reading import (
    Format,
    parse_dictionary,
    parse_vector_result,
    parse_vector_type,
)
from xetile.dialects.xetile.support import in_words, vector_of, verify_dictionary


class _BlockingOp(XeTileOp):
    """What tile_pack and tile_unpack share: one operand, blocks, one result."""

    FORMAT: ClassVar[Format] = Format("tile_pack", ("inner_blocks",))

    source = operand_def(VectorType)
    inner_blocks = prop_def(DenseArrayBase[I64])
    result = result_def(VectorType)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the op, with blocks as an array or a list."""
        source = parse_operand_name(parser, "the vector")
        entries = parse_dictionary(parser, cls.FORMAT)
        if "inner_blocks" not in entries.properties:
            parser.raise_error("{inner_blocks = array<i64: 16, 16>} expected before the types")
        parse_colon(parser)
        source_type = parse_vector_type(parser)
        result = parse_vector_result(parser)
        return cls.made(parser, [(source, source_type)], [result], entries)


def _verify_blocking(op: _BlockingOp, whole: SSAValue, blocked: SSAValue, names: str) -> None:
    verify_dictionary(op, op.FORMAT)
    whole_type, blocked_type = vector_of(whole), vector_of(blocked)
    blocks = op.inner_blocks.get_values()
    if len(blocks) != 2 or min(blocks) < 1:
        raise VerifyException(
            f"'inner_blocks' is {list(blocks)}, expected 2 positive integers"
        )
    if (whole_type.get_num_dims(), blocked_type.get_num_dims()) != (2, 4):
        raise VerifyException(
            f"{names} are {whole_type} and {blocked_type}, expected rank 2 and rank 4"
        )
    if whole_type.element_type != blocked_type.element_type:
        raise VerifyException(
            f"{names} have elements of {whole_type.element_type} and {blocked_type.element_type}, "
            "expected the same"
        )
    rows, columns = whole_type.get_shape()
    if rows % blocks[0] or columns % blocks[1]:
        raise VerifyException(f"'inner_blocks' {list(blocks)} do not divide {rows}x{columns}")
    expected = (rows // blocks[0], columns // blocks[1], *blocks)
    if blocked_type.get_shape() != expected:
        raise VerifyException(
            f"blocks of {in_words(blocks)} make {rows}x{columns} {in_words(expected)}, "
            f"found {in_words(blocked_type.get_shape())}"
        )


@irdl_op_definition
class TilePackOp(_BlockingOp, HasFolderInterface):
    """`%p = xetile.tile_pack %v {inner_blocks = array<i64: 16, 16>} : vector<64x32xf32> -> vector<4x2x16x16xf32>`."""

    name = "xetile.tile_pack"

    traits = traits_def(Pure(), SameElements())

    def __init__(self, source: SSAValue, inner_blocks: Sequence[int]) -> None:
        vector = vector_of(source)
        rows, columns = vector.get_shape()
        shape = (rows // inner_blocks[0], columns // inner_blocks[1], *inner_blocks)
        super().__init__(
            operands=[source],
            result_types=[VectorType(vector.element_type, shape)],
            properties={"inner_blocks": integer_array(inner_blocks)},
        )

    def verify_(self) -> None:
        _verify_blocking(self, self.source, self.result, "'source' and 'result'")

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """The pack of an unpack with the same blocks is the blocked vector."""
        return _cancelled(self, TileUnpackOp)


@irdl_op_definition
class TileUnpackOp(_BlockingOp, HasFolderInterface):
    """`%u = xetile.tile_unpack %w {inner_blocks = array<i64: 64, 16>} : vector<1x2x64x16xf32> -> vector<64x32xf32>`."""

    name = "xetile.tile_unpack"
    FORMAT: ClassVar[Format] = Format("tile_unpack", ("inner_blocks",))

    traits = traits_def(Pure(), SameElements())

    def __init__(self, source: SSAValue) -> None:
        vector = vector_of(source)
        rows, columns, *blocks = vector.get_shape()
        super().__init__(
            operands=[source],
            result_types=[
                VectorType(vector.element_type, (rows * blocks[0], columns * blocks[1]))
            ],
            properties={"inner_blocks": integer_array(blocks)},
        )

    def verify_(self) -> None:
        _verify_blocking(self, self.result, self.source, "'result' and 'source'")

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """The unpack of a pack with the same blocks is the whole vector."""
        return _cancelled(self, TilePackOp)


def _cancelled(
    op: _BlockingOp, inverse: type[_BlockingOp]
) -> Sequence[SSAValue | Attribute] | None:
    inner = op.source.owner
    if not isinstance(inner, Operation) or not isinstance(inner, inverse) or op.attributes:
        return None
    same = inner.source.type == op.result.type and inner.inner_blocks == op.inner_blocks
    return (inner.source,) if same else None

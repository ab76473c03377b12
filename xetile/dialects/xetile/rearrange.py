"""Ops on the vectors of tiles: transposes, broadcasts, changes of the map, packing into blocks; and reductions."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    IntegerAttr,
    UnitAttr,
    VectorType,
    i64,
)
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.advice import hint
from xetile.dialects.fast_math import FASTMATH, REASSOCIATES
from xetile.dialects.traits import Rearranges, SameElements
from xetile.dialects.xetile.field_lists import (
    ARROWS,
    integer_array,
    next_character,
    parse_colon,
    parse_integers,
    parse_operand_name,
    refuse,
)
from xetile.dialects.xetile.op import XeTileOp
from xetile.dialects.xetile.shared_formats import (
    RESULT_MAPS,
    Format,
    parse_dictionary,
    parse_vector_result,
    parse_vector_type,
    print_dictionary,
    print_types,
    print_values,
)
from xetile.dialects.xetile.tile_support import (
    in_words,
    map_of,
    vector_of,
    verify_dictionary,
    verify_map,
    verify_rank,
    verify_reduced,
)
from xetile.dialects.xetile.tile_type import FLOAT_TYPES
from xetile.dialects.xetile.xetile_attributes import WorkgroupMapAttr


class VectorOp(XeTileOp):
    """The base of ops with one vector operand and one vector result; `maps` are wg_map_result, wg_map_source."""

    source = operand_def(VectorType)
    wg_map_result = opt_prop_def(WorkgroupMapAttr)
    wg_map_source = opt_prop_def(WorkgroupMapAttr)
    result = result_def(VectorType)

    traits = traits_def(Pure(), Rearranges())

    @classmethod
    def read_rest(
        cls, parser: Parser, source: UnresolvedOperand, **properties: Attribute
    ) -> Self:
        """Read the dictionary and the types."""
        entries = parse_dictionary(parser, cls.FORMAT)
        parse_colon(parser)
        source_type = parse_vector_type(parser)
        result = parse_vector_result(parser)
        return cls.made(parser, [(source, source_type)], [result], entries, **properties)

    def verify_maps(self) -> None:
        verify_dictionary(self, self.FORMAT)
        verify_map(self, "wg_map_result", self.result)
        verify_map(self, "wg_map_source", self.source)

    def keeps_map(self) -> bool:
        """Return True if no attribute of the op states that other subgroups hold the result than the source."""
        if self.attributes:
            return False
        return self.wg_map_result is None or self.wg_map_result == known_map(self)


def known_map(op: VectorOp) -> WorkgroupMapAttr | None:
    """The map of an op's source, as far as the op itself or the op before it says."""
    if op.wg_map_source is not None:
        return op.wg_map_source
    producer = op.source.owner
    if not isinstance(producer, Operation):
        return None
    for name in ("wg_map_result", "wg_map_c"):
        if (wg_map := map_of(producer, name)) is not None:
            return wg_map
    discardable = producer.attributes.get("wg_map")
    if isinstance(discardable, WorkgroupMapAttr):
        return discardable
    if producer.name in ("xetile.load_tile", "xetile.load_gather"):
        return getattr(producer.operands[0].type, "wg_map", None)
    return None


_PERMUTATIONS: Mapping[int, tuple[tuple[int, ...], ...]] = {
    2: ((1, 0), (0, 1)),
    4: ((1, 0, 3, 2), (0, 1, 2, 3)),
}
"""The legal permutations of whole vectors (rank 2) and blocked ones (rank 4): transpose or identity."""


@irdl_op_definition
class TileTransposeOp(VectorOp, HasFolderInterface):
    """`%r = xetile.tile_transpose %v, [1, 0] : vector<64x32xf32> -> vector<32x64xf32>`."""

    name = "xetile.tile_transpose"
    FORMAT: ClassVar[Format] = Format("tile_transpose", RESULT_MAPS, RESULT_MAPS[0])

    permutation = prop_def(DenseArrayBase[I64])

    def __init__(
        self,
        source: SSAValue,
        permutation: Sequence[int] | None = None,
        **maps: WorkgroupMapAttr | None,
    ) -> None:
        vector = vector_of(source)
        shape = vector.get_shape()
        order = permutation or _PERMUTATIONS[len(shape)][0]
        super().__init__(
            operands=[source],
            result_types=[VectorType(vector.element_type, [shape[d] for d in order])],
            properties={
                "permutation": integer_array(order),
                **maps,
            },
        )

    @classmethod
    def parse(cls, parser: Parser) -> "TileTransposeOp":
        """Read the op with the permutation after the vector, before it, or without one."""
        permutation: Sequence[int] = ()
        if next_character(parser) == "[":
            permutation = parse_integers(parser, "permutation")
        source = parse_operand_name(parser, "the vector")
        comma = parser.parse_optional_punctuation(",") is not None
        if not permutation and (comma or next_character(parser) == "["):
            permutation = parse_integers(parser, "permutation")
        op = cls.read_rest(parser, source, permutation=integer_array(permutation))
        if not permutation:
            rank = vector_of(op.source).get_num_dims()
            op.permutation = integer_array(_PERMUTATIONS.get(rank, ((1, 0),))[0])
        return op

    def around_operands(self) -> tuple[str, str]:
        return "", f", {list(self.permutation.get_values())}"

    def verify_(self) -> None:
        legal = _PERMUTATIONS[verify_rank(self.source, self.result)]
        order = self.permutation.get_values()
        if order not in legal:
            raise VerifyException(
                f"'permutation' is {list(order)}, expected {' or '.join(str(list(p)) for p in legal)}"
            )
        shape, result = vector_of(self.source).get_shape(), vector_of(self.result).get_shape()
        expected = tuple(shape[d] for d in order)
        if result != expected:
            raise VerifyException(
                f"'result' is {in_words(result)}, permutation {list(order)} of {in_words(shape)} "
                f"gives {in_words(expected)}"
            )
        self.verify_maps()

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """No permutation, or the inverse of the one before, gives the vector back."""
        order = self.permutation.get_values()
        if order == tuple(sorted(order)):
            return (self.source,) if self.keeps_map() else None
        first = self.source.owner
        if not isinstance(first, TileTransposeOp) or first.permutation != self.permutation:
            return None
        if self.attributes or first.attributes:
            return None
        return (first.source,) if _same_map_twice(first, self) else None


def _same_map_twice(first: TileTransposeOp, second: TileTransposeOp) -> bool:
    """Return True if after both transposes every subgroup has the data that it had before."""
    if second.wg_map_result is None:
        return first.wg_map_result is None and first.wg_map_source is None
    before = known_map(first)
    if before is None and first.wg_map_result is not None:
        before = first.wg_map_result.transposed()
    return before == second.wg_map_result


@irdl_op_definition
class TileBroadcastOp(VectorOp, HasFolderInterface):
    """`%r = xetile.tile_broadcast %v [0] : vector<1x32xf32> -> vector<64x32xf32>`."""

    name = "xetile.tile_broadcast"
    FORMAT: ClassVar[Format] = Format("tile_broadcast", RESULT_MAPS, RESULT_MAPS[0])

    broadcast_dims = prop_def(DenseArrayBase[I64])

    def __init__(
        self,
        source: SSAValue,
        broadcast_dims: Sequence[int],
        result_type: VectorType[Attribute],
        **maps: WorkgroupMapAttr | None,
    ) -> None:
        super().__init__(
            operands=[source],
            result_types=[result_type],
            properties={
                "broadcast_dims": integer_array(sorted(broadcast_dims)),
                **maps,
            },
        )

    @classmethod
    def parse(cls, parser: Parser) -> "TileBroadcastOp":
        source = parse_operand_name(parser, "the vector")
        parser.parse_optional_punctuation(",")
        dims = sorted(parse_integers(parser, "broadcast_dims"))
        return cls.read_rest(parser, source, broadcast_dims=integer_array(dims))

    def around_operands(self) -> tuple[str, str]:
        return "", f" {list(self.broadcast_dims.get_values())}"

    def verify_(self) -> None:
        rank = verify_rank(self.source, self.result)
        verify_reduced(
            "broadcast_dims",
            self.broadcast_dims.get_values(),
            rank,
            whole=("result", self.result),
            reduced=("source", self.source),
        )
        self.verify_maps()
        self._verify_derived_map()

    def _verify_derived_map(self) -> None:
        source, result = self.wg_map_source, self.wg_map_result
        if source is None or result is None:
            return
        dims = self.broadcast_dims.get_values()
        data = [1 if d in dims else extent for d, extent in enumerate(result.sg_data)]
        expected = WorkgroupMapAttr(result.sg_layout, data)
        if source != expected:
            raise VerifyException(
                f"'wg_map_source' is {source.body}, wg_map_result {result.body} asks for {expected.body}"
            )

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A broadcast that makes nothing larger is its vector."""
        return (
            (self.source,)
            if self.source.type == self.result.type and self.keeps_map()
            else None
        )


@irdl_op_definition
class TileConvLayoutOp(VectorOp, HasFolderInterface):
    """`%r = xetile.tile_conv_layout %v {wg_map_result = .., wg_map_source = ..} : vector<256x256xf32>`."""

    name = "xetile.tile_conv_layout"
    FORMAT: ClassVar[Format] = Format("tile_conv_layout", RESULT_MAPS, RESULT_MAPS[0])

    def __init__(
        self,
        source: SSAValue,
        wg_map_result: WorkgroupMapAttr,
        wg_map_source: WorkgroupMapAttr | None = None,
    ) -> None:
        super().__init__(
            operands=[source],
            result_types=[source.type],
            properties={"wg_map_result": wg_map_result, "wg_map_source": wg_map_source},
        )

    @classmethod
    def parse(cls, parser: Parser) -> "TileConvLayoutOp":
        """Read the op, whose result type may be written; it is the operand's."""
        source = parse_operand_name(parser, "the vector")
        entries = parse_dictionary(parser, cls.FORMAT)
        parse_colon(parser)
        type = parse_vector_type(parser)
        if any(parser.parse_optional_characters(arrow) for arrow in ARROWS):
            start = parser.pos
            result = parse_vector_type(parser)
            if result != type:
                refuse(parser, f"the vector keeps its type {type}, found {result}", start)
        return cls.made(parser, [(source, type)], [type], entries)

    def print(self, printer: Printer) -> None:
        print_values(printer, self.source)
        print_dictionary(printer, self, self.FORMAT)
        print_types(printer, [self.source])

    def verify_(self) -> None:
        if self.result.type != self.source.type:
            raise VerifyException(
                f"'result' is {self.result.type}, expected the operand's type {self.source.type}"
            )
        if self.wg_map_result is None:
            raise VerifyException(
                "'wg_map_result' is missing: the map that the result shall have"
            )
        self.verify_maps()

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """Between equal maps nothing moves."""
        return (self.source,) if self.keeps_map() else None


class _BlockingOp(XeTileOp):
    """The base of tile_pack and tile_unpack: one operand, the block size, one result."""

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


FLOAT_KINDS = ("add", "mul", "minnumf", "maxnumf", "minimumf", "maximumf")
INTEGER_KINDS = ("add", "mul", "minui", "minsi", "maxui", "maxsi", "and", "or", "xor")
"""The reductions of floats and of integers, by the words of vector's CombiningKind."""


@irdl_op_definition
class TileReduceOp(VectorOp, HasFolderInterface):
    """`%r = xetile.tile_reduce <add>, %v [1] : vector<64x32xf32> -> vector<64x1xf32>`.

    With `{reassoc}` the elements may be combined in any order; `{fastmath = #arith.fastmath<nnan>}` and the other
    flags are those of the ops that combine two. With `{reduction_size = 8 : i64}` every 8 neighbours along the
    dimension are reduced to one element of the result.
    """

    name = "xetile.tile_reduce"
    FORMAT: ClassVar[Format] = Format(
        "tile_reduce", (REASSOCIATES, FASTMATH, "reduction_size", *RESULT_MAPS), RESULT_MAPS[0]
    )

    kind = prop_def(CombiningKindAttr)
    reduction_dims = prop_def(DenseArrayBase[I64])
    reassoc = opt_prop_def(UnitAttr)
    fastmath = opt_prop_def(FastMathFlagsAttr)
    reduction_size = opt_prop_def(IntegerAttr)

    def __init__(
        self,
        kind: CombiningKindFlag | str,
        source: SSAValue,
        reduction_dims: Sequence[int],
        *,
        reassoc: UnitAttr | None = None,
        fastmath: FastMathFlagsAttr | None = None,
        **maps: WorkgroupMapAttr | None,
    ) -> None:
        vector = vector_of(source)
        shape = [1 if d in reduction_dims else n for d, n in enumerate(vector.get_shape())]
        super().__init__(
            operands=[source],
            result_types=[VectorType(vector.element_type, shape)],
            properties={
                "kind": CombiningKindAttr(CombiningKindFlag(kind)),
                "reduction_dims": integer_array(sorted(reduction_dims)),
                "reassoc": reassoc,
                "fastmath": fastmath,
                **maps,
            },
        )

    @classmethod
    def parse(cls, parser: Parser) -> "TileReduceOp":
        """Read the op, with or without a comma after the kind."""
        with parser.in_angle_brackets():
            start = parser.pos
            word = parser.parse_identifier(context_msg=" as the kind of the reduction")
            kinds = [flag.value for flag in CombiningKindFlag]
            if word not in kinds:
                said = f"'{word}' is no kind of reduction; legal are {', '.join(kinds)}"
                refuse(parser, said + hint(word, kinds), start)
        parser.parse_optional_punctuation(",")
        source = parse_operand_name(parser, "the vector")
        dims = sorted(parse_integers(parser, "reduction_dims"))
        kind = CombiningKindAttr(CombiningKindFlag(word))
        return cls.read_rest(parser, source, kind=kind, reduction_dims=integer_array(dims))

    def around_operands(self) -> tuple[str, str]:
        return f" <{self.kind.data.value}>,", f" {list(self.reduction_dims.get_values())}"

    def verify_(self) -> None:
        rank = verify_rank(self.source, self.result)
        if self.reduction_size is not None:
            if self.reduction_size.type != i64:
                raise VerifyException(
                    f"'reduction_size' is {self.reduction_size}, expected a number of type i64"
                )
            self._verify_groups(self.reduction_size.value.data, rank)
        else:
            verify_reduced(
                "reduction_dims",
                self.reduction_dims.get_values(),
                rank,
                whole=("source", self.source),
                reduced=("result", self.result),
            )
        element_type = vector_of(self.source).element_type
        legal = FLOAT_KINDS if isinstance(element_type, FLOAT_TYPES) else INTEGER_KINDS
        if self.kind.data.value not in legal:
            raise VerifyException(
                f"'kind' is {self.kind.data.value}, elements of {element_type} are reduced by {', '.join(legal)}"
            )
        if self.fastmath is not None and legal is INTEGER_KINDS:
            raise VerifyException(
                f"'{FASTMATH}' says how floats are computed, elements are {element_type}"
            )
        self.verify_maps()

    def _verify_groups(self, size: int, rank: int) -> None:
        dims = self.reduction_dims.get_values()
        if rank != 2 or len(dims) != 1 or dims[0] not in range(2):
            raise VerifyException(
                "'reduction_size' is for one dimension of a vector of rank 2, "
                f"'reduction_dims' is {list(dims)} of rank {rank}"
            )
        extents = list(vector_of(self.source).get_shape())
        extent = extents[dims[0]]
        if size < 1 or extent % size:
            raise VerifyException(
                f"'reduction_size' is {size}, expected a divisor of {extent}, the extent of dimension {dims[0]}"
            )
        extents[dims[0]] = extent // size
        found = list(vector_of(self.result).get_shape())
        if found != extents:
            raise VerifyException(
                f"'result' is {in_words(found)}, expected {in_words(extents)} where every {size} become one"
            )

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A reduction over no dimension is its vector."""
        nothing = not self.reduction_dims.get_values() and self.source.type == self.result.type
        return (self.source,) if nothing and self.keeps_map() else None

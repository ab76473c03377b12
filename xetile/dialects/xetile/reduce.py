"""Reductions of the vectors of tiles."""

from collections.abc import Sequence
from typing import ClassVar

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
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from xetile.advice import hint
from xetile.dialects.fast_math import FASTMATH
from xetile.dialects.reduction_order import REASSOCIATES
from xetile.dialects.xetile.attributes import WorkgroupMapAttr
from xetile.dialects.xetile.parsing import (
    integer_array,
    parse_integers,
    parse_operand_name,
    refuse,
)
from xetile.dialects.xetile.reading import (
    RESULT_MAPS,
    Format,
)
from xetile.dialects.xetile.rearrange import VectorOp
from xetile.dialects.xetile.support import in_words, vector_of, verify_rank, verify_reduced
from xetile.dialects.xetile.types import FLOAT_TYPES

FLOAT_KINDS = ("add", "mul", "minnumf", "maxnumf", "minimumf", "maximumf")
INTEGER_KINDS = ("add", "mul", "minui", "minsi", "maxui", "maxsi", "and", "or", "xor")
"""What may be done with floats and with integers, in the words of vector's CombiningKind."""


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

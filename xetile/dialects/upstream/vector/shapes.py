"""Ops that take parts of vectors or permute them, which xDSL 0.75 lacks.

test_stock_xdsl_refuses in test/unit/dialects/upstream/test_vector.py tells until when.
Source: `llvm 22.1.8 mlir/Dialect/Vector/IR/VectorOps.td`; what is refused is what mlir-opt
22 refuses.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, VectorType, i64
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.directives import SameType
from xetile.dialects.formats import formatted_op, sorted_op
from xetile.dialects.upstream.arith.support import Foldable
from xetile.dialects.upstream.vector.support import (
    INTEGERS,
    array,
    integer_values,
    integers,
    replace_alike,
    splat_of,
    vector_of,
    vector_type,
)


class _ComposeSlices(RewritePattern):
    """A slice of a slice is one slice of the first vector."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, ExtractStridedSliceOp):
            return
        inner = op.source.owner
        if not isinstance(inner, ExtractStridedSliceOp):
            return
        rank = max(len(op.offsets), len(inner.offsets))
        outer_offsets = (*integer_values(op.offsets), *[0] * (rank - len(op.offsets)))
        inner_offsets = (*integer_values(inner.offsets), *[0] * (rank - len(inner.offsets)))
        offsets = [a + b for a, b in zip(outer_offsets, inner_offsets, strict=True)]
        sizes = vector_type(op.result).get_shape()[:rank]
        replace_alike(rewriter, op, ExtractStridedSliceOp(inner.source, offsets, sizes))


def _with_shape(type: VectorType, shape: tuple[int, ...]) -> VectorType:
    """A vector type with other extents (elements)."""
    if any(type.get_scalable_dims()):
        return VectorType(type.element_type, shape, type.scalable_dims)
    return vector_of(type.element_type, shape)


@sorted_op
class ExtractStridedSliceOp(IRDLOperation, Foldable, HasCanonicalizationPatternsInterface):
    """The box of a vector that begins at `offsets`; dimensions that are not named stay whole."""

    name = "vector.extract_strided_slice"

    source = operand_def(VectorType)
    offsets = prop_def(INTEGERS)
    sizes = prop_def(INTEGERS)
    strides = prop_def(INTEGERS)
    result = result_def(VectorType)

    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    traits = traits_def(Pure())

    def __init__(
        self,
        source: SSAValue | Operation,
        offsets: Sequence[int],
        sizes: Sequence[int],
    ) -> None:
        whole = vector_type(source)
        shape = (*sizes, *whole.get_shape()[len(sizes) :])
        super().__init__(
            operands=[source],
            result_types=[_with_shape(whole, shape)],
            properties={
                "offsets": integers(offsets),
                "sizes": integers(sizes),
                "strides": integers([1] * len(offsets)),
            },
        )

    def verify_(self) -> None:
        source = vector_type(self.source)
        offsets, sizes = integer_values(self.offsets), integer_values(self.sizes)
        if not len(offsets) == len(sizes) == len(self.strides):
            raise VerifyException(
                f"'offsets', 'sizes' and 'strides' have {len(offsets)}, {len(sizes)} and "
                f"{len(self.strides)} entries, they have to have equally many"
            )
        _verify_box(source, offsets, sizes)
        _verify_strides(integer_values(self.strides))
        shape = (*sizes, *source.get_shape()[len(sizes) :])
        expected = VectorType(source.element_type, shape, source.scalable_dims)
        if self.result.type != expected:
            raise VerifyException(f"'result' is {self.result.type}, the slice is {expected}")

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        if self.source.type == self.result.type:
            return (self.source,)
        folded = splat_of(self.source, self.result.type)
        return None if folded is None else (folded,)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (_ComposeSlices(),)


@sorted_op
class InsertStridedSliceOp(IRDLOperation, Foldable):
    """A vector with a box of it, which begins at `offsets`, overwritten."""

    name = "vector.insert_strided_slice"

    source = operand_def(VectorType)
    dest = operand_def(VectorType)
    offsets = prop_def(INTEGERS)
    strides = prop_def(INTEGERS)
    result = result_def(VectorType)

    assembly_format = (
        "$source `,` $dest attr-dict `:` type($source) `into` "
        "custom<SameType>(type($dest), type($result))"
    )
    custom_directives = (SameType,)

    traits = traits_def(Pure())

    def __init__(
        self,
        source: SSAValue | Operation,
        dest: SSAValue | Operation,
        offsets: Sequence[int],
    ) -> None:
        super().__init__(
            operands=[source, dest],
            result_types=[vector_type(dest)],
            properties={
                "offsets": integers(offsets),
                "strides": integers([1] * len(vector_type(source).get_shape())),
            },
        )

    def verify_(self) -> None:
        source, dest = vector_type(self.source), vector_type(self.dest)
        offsets = integer_values(self.offsets)
        ranks = len(source.get_shape()), len(dest.get_shape())
        if len(offsets) != ranks[1]:
            raise VerifyException(
                f"'offsets' has {len(offsets)} entries, 'dest' has rank {ranks[1]}"
            )
        if len(self.strides) != ranks[0]:
            raise VerifyException(
                f"'strides' has {len(self.strides)} entries, 'source' has rank {ranks[0]}"
            )
        if ranks[0] > ranks[1]:
            raise VerifyException(f"'source' has rank {ranks[0]}, 'dest' has rank {ranks[1]}")
        if source.element_type != dest.element_type:
            raise VerifyException(f"'source' is {source}, 'dest' is {dest}")
        if self.result.type != dest:
            raise VerifyException(f"'result' is {self.result.type}, 'dest' is {dest}")
        _verify_strides(integer_values(self.strides))
        missing = ranks[1] - ranks[0]
        _verify_box(dest, offsets, (*[1] * missing, *source.get_shape()))

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        return (self.source,) if self.source.type == self.dest.type else None


class _ComposeTransposes(RewritePattern):
    """A transposition of a transposition is one."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, TransposeOp) or not isinstance(op.vector.owner, TransposeOp):
            return
        inner = op.vector.owner.permutation.get_values()
        composed = [inner[dimension] for dimension in op.permutation.get_values()]
        replace_alike(rewriter, op, TransposeOp(op.vector.owner.vector, composed))


@formatted_op
class TransposeOp(IRDLOperation, Foldable, HasCanonicalizationPatternsInterface):
    """Dimension d of the result is dimension permutation[d] of the vector."""

    name = "vector.transpose"

    vector = operand_def(VectorType)
    permutation = prop_def(DenseArrayBase.constr(i64))
    result = result_def(VectorType)

    assembly_format = "$vector `,` $permutation attr-dict `:` type($vector) `to` type($result)"

    traits = traits_def(Pure())

    def __init__(self, vector: SSAValue | Operation, permutation: Sequence[int]) -> None:
        super().__init__(
            operands=[vector],
            result_types=[_transposed(vector_type(vector), permutation)],
            properties={"permutation": array(permutation)},
        )

    def verify_(self) -> None:
        source = vector_type(self.vector)
        permutation = self.permutation.get_values()
        if sorted(permutation) != list(range(len(source.get_shape()))):
            raise VerifyException(
                f"'permutation' is {list(permutation)}, it has to have every dimension of "
                f"{source} once"
            )
        expected = _transposed(source, permutation)
        if self.result.type != expected:
            raise VerifyException(
                f"'result' is {self.result.type}, the transposed is {expected}"
            )

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        if list(self.permutation.get_values()) == list(range(len(self.permutation))):
            return (self.vector,)
        folded = splat_of(self.vector, self.result.type)
        return None if folded is None else (folded,)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (_ComposeTransposes(),)


def _transposed(source: VectorType, permutation: Sequence[int]) -> VectorType:
    shape, scalable = source.get_shape(), source.scalable_dims.data
    return VectorType(
        source.element_type,
        [shape[dimension] for dimension in permutation],
        type(source.scalable_dims)([scalable[dimension] for dimension in permutation]),
    )


def _verify_box(whole: VectorType, offsets: Sequence[int], sizes: Sequence[int]) -> None:
    shape = whole.get_shape()
    if len(offsets) > len(shape):
        raise VerifyException(
            f"'offsets' has {len(offsets)} entries, {whole} has rank {len(shape)}"
        )
    for dimension, (offset, size, extent) in enumerate(
        zip(offsets, sizes, shape, strict=False)
    ):
        if offset < 0 or size < 1 or offset + size > extent:
            raise VerifyException(
                f"'offsets' and the slice's size in dimension {dimension} are {offset} and {size}, "
                f"they have to lie in [0, {extent})"
            )


def _verify_strides(strides: Sequence[int]) -> None:
    if any(stride != 1 for stride in strides):
        raise VerifyException(f"'strides' is {list(strides)}, every stride has to be 1")

"""Masks and index vectors, which xDSL 0.75 lacks, or never removes.

`test_stock_xdsl_refuses` and `test_stock_traits_are_missing` in test_vector.py tell until
when.
Source: `llvm 22.1.8 mlir/Dialect/Vector/IR/VectorOps.td`; what is refused is what mlir-opt
22 refuses.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, VectorType, i1, i64
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.formats import formatted_op
from xetile.dialects.upstream.arith.support import Foldable
from xetile.dialects.upstream.constants import constant_value
from xetile.dialects.upstream.vector.support import (
    array,
    dense,
    element_count,
    replace_alike,
    vector_type,
)
from xetile.hints import isa


@formatted_op
class StepOp(IRDLOperation):
    """0, 1, 2, ... as indices."""

    name = "vector.step"

    result = result_def(VectorType.constr(IndexType()))

    assembly_format = "attr-dict `:` type($result)"

    traits = traits_def(Pure())

    def verify_(self) -> None:
        if len(vector_type(self.result).get_shape()) != 1:
            raise VerifyException(f"'result' is {self.result.type}, it has to have rank 1")


@formatted_op
class ConstantMaskOp(IRDLOperation, Foldable):
    """True where every coordinate is below its limit."""

    name = "vector.constant_mask"

    mask_dim_sizes = prop_def(DenseArrayBase.constr(i64))
    result = result_def(VectorType.constr(i1))

    assembly_format = "$mask_dim_sizes attr-dict `:` type($result)"

    traits = traits_def(Pure())

    def __init__(self, mask_dim_sizes: Sequence[int], result_type: VectorType) -> None:
        super().__init__(
            result_types=[result_type], properties={"mask_dim_sizes": array(mask_dim_sizes)}
        )

    def verify_(self) -> None:
        shape = vector_type(self.result).get_shape()
        sizes = self.mask_dim_sizes.get_values()
        if len(sizes) != max(len(shape), 1):
            raise VerifyException(
                f"'mask_dim_sizes' has {len(sizes)} entries, {self.result.type} has rank {len(shape)}"
            )
        for size, extent in zip(sizes, shape or (1,), strict=True):
            if not 0 <= size <= extent:
                raise VerifyException(
                    f"'mask_dim_sizes' is {list(sizes)}, {size} has to lie in [0, {extent}]"
                )
        if 0 in sizes and any(sizes):
            raise VerifyException(
                f"'mask_dim_sizes' is {list(sizes)}, with one zero all have to be zero"
            )

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        type, sizes = vector_type(self.result), self.mask_dim_sizes.get_values()
        if type.get_num_scalable_dims():
            return None
        if not any(sizes):
            return (dense(type, b"\0" * element_count(type)),)
        if tuple(sizes) == (type.get_shape() or (1,)):
            # a true i1 is stored as -1
            return (dense(type, b"\xff" * element_count(type)),)
        return None


class _CreateConstantMask(RewritePattern):
    """A mask with constant limits is a constant mask."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, CreateMaskOp):
            return
        type = vector_type(op.mask_vector)
        found = [constant_value(limit) for limit in op.mask_dim_sizes]
        limits = [limit.value.data for limit in found if isa(limit, IntegerAttr)]
        if not found or len(limits) < len(found) or type.get_num_scalable_dims():
            return
        sizes = [
            min(max(a, 0), b) for a, b in zip(limits, type.get_shape() or (1,), strict=True)
        ]
        if 0 in sizes:
            sizes = [0] * len(sizes)
        replace_alike(rewriter, op, ConstantMaskOp(sizes, type))


@formatted_op
class CreateMaskOp(IRDLOperation, HasCanonicalizationPatternsInterface):
    """True where every coordinate is below its limit, which is an operand.

    In xDSL 0.75 it has no traits.
    """

    name = "vector.create_mask"

    mask_dim_sizes = var_operand_def(IndexType())
    mask_vector = result_def(VectorType.constr(i1))

    assembly_format = "$mask_dim_sizes attr-dict `:` type($mask_vector)"

    traits = traits_def(Pure())

    def __init__(
        self, mask_dim_sizes: Sequence[SSAValue | Operation], result_type: VectorType
    ) -> None:
        super().__init__(operands=[mask_dim_sizes], result_types=[result_type])

    def verify_(self) -> None:
        rank = len(vector_type(self.mask_vector).get_shape())
        if len(self.mask_dim_sizes) != max(rank, 1):
            raise VerifyException(
                f"'mask_dim_sizes' has {len(self.mask_dim_sizes)} entries, "
                f"{self.mask_vector.type} has rank {rank}"
            )

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (_CreateConstantMask(),)

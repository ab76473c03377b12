"""Casts of vectors that xDSL 0.75 lacks or never removes; test_vector.py tells until when.

`test_stock_xdsl_refuses` has shape_cast; `test_stock_traits_are_missing` has bitcast, which
may also change more than the last dimension there.
Source: `llvm 22.1.8 mlir/Dialect/Vector/IR/VectorOps.td`; what is refused is what mlir-opt
22 refuses.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import FixedBitwidthType, VectorType
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, operand_def, result_def, traits_def
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.formats import formatted_op
from xetile.dialects.upstream.arith.support import Foldable
from xetile.dialects.upstream.vector.support import (
    constant,
    dense,
    element_count,
    replace_alike,
    vector_type,
)


class _ComposeCasts(RewritePattern):
    """A cast of a cast is one."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, _Cast):
            return
        inner = op.source.owner
        if not isinstance(inner, _Cast) or type(inner) is not type(op):
            return
        if inner.source.type == op.result.type and not op.attributes:
            rewriter.replace(op, [], [inner.source])
        else:
            replace_alike(rewriter, op, type(op)(inner.source, vector_type(op.result)))


class _Cast(IRDLOperation, Foldable, HasCanonicalizationPatternsInterface, ABC):
    """The same bytes in another type."""

    source = operand_def(VectorType)
    result = result_def(VectorType)

    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue | Operation, result_type: VectorType) -> None:
        super().__init__(operands=[source], result_types=[result_type])

    @abstractmethod
    def keeps_bytes(self) -> bool:
        """Whether the bytes of a constant are those of the result."""

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        if self.source.type == self.result.type:
            return (self.source,)
        value = constant(self.source)
        if value is None or not self.keeps_bytes():
            return None
        return (dense(vector_type(self.result), value.data.data),)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (_ComposeCasts(),)


@formatted_op
class BitcastOp(_Cast):
    """The same bits of every row, as elements of another width."""

    name = "vector.bitcast"

    def verify_(self) -> None:
        source, result = vector_type(self.source), vector_type(self.result)
        before, after = source.get_shape(), result.get_shape()
        if len(before) != len(after) or before[:-1] != after[:-1]:
            raise VerifyException(
                f"'result' is {result}, it may differ from {source} in the last dimension only"
            )
        old, new = source.element_type, result.element_type
        if not isinstance(old, FixedBitwidthType) or not isinstance(new, FixedBitwidthType):
            if source != result:
                raise VerifyException(
                    f"'result' is {result}, the bits of {source} are not known"
                )
            return
        bits = [old.bitwidth * prod(before[-1:]), new.bitwidth * prod(after[-1:])]
        if bits[0] != bits[1]:
            raise VerifyException(
                f"'result' has rows of {bits[1]} bits, 'source' has rows of {bits[0]} bits"
            )

    def keeps_bytes(self) -> bool:
        elements = (vector_type(value).element_type for value in (self.source, self.result))
        return all(isinstance(e, FixedBitwidthType) and e.bitwidth % 8 == 0 for e in elements)


@formatted_op
class ShapeCastOp(_Cast):
    """The same elements in the same row-major order, in another shape."""

    name = "vector.shape_cast"

    def verify_(self) -> None:
        source, result = vector_type(self.source), vector_type(self.result)
        if source.element_type != result.element_type:
            raise VerifyException(f"'result' is {result}, 'source' is {source}")
        if element_count(source) != element_count(result):
            raise VerifyException(
                f"'result' has {element_count(result)} elements, "
                f"'source' has {element_count(source)}"
            )
        if source.get_num_scalable_dims() != result.get_num_scalable_dims():
            raise VerifyException(
                f"'result' is {result}, it has to have the scalable dimensions of {source}"
            )

    def keeps_bytes(self) -> bool:
        return not vector_type(self.result).get_num_scalable_dims()

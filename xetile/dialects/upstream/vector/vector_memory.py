"""Vector ops on memory, and masks; xDSL 0.75 lacks some, and effects of others (test_vector.py fails once it has them).

xDSL never simplifies loads and stores (test_stock_traits_are_missing), and their `alignment` is missing;
`test_stock_xdsl_refuses` has the masks.
Source: `llvm 22.1.8 mlir/Dialect/Vector/IR/VectorOps.td`; what is refused is what mlir-opt 22 refuses.
"""

from abc import ABC
from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    VectorType,
    i1,
    i64,
)
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyOf,
    IRDLOperation,
    ParsePropInAttrDict,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.formats import formatted_op
from xetile.dialects.upstream.arith.arith_support import Foldable, constant_value
from xetile.dialects.upstream.bases import verify_entries, verify_is, verify_power_of_two
from xetile.dialects.upstream.vector.vector_support import (
    array,
    dense,
    element_count,
    replace_alike,
    vector_type,
)
from xetile.hints import isa

INDICES = VectorType.constr(AnyOf.get(IntegerType, IndexType))


class _MemoryOperation(IRDLOperation, ABC):
    """The base of the ops on memory, with their common checks."""

    alignment = opt_prop_def(IntegerAttr[IntegerType])

    irdl_options = (ParsePropInAttrDict(),)

    def verify_access(
        self, base: SSAValue, indices: Sequence[SSAValue], value: SSAValue
    ) -> None:
        """There is an index for every dimension, and memory holds the vector's elements."""
        memory, vector = base.type, vector_type(value)
        assert isa(memory, MemRefType)
        rank = len(memory.get_shape())
        verify_entries("indices", len(indices), memory, rank, rank)
        element = memory.element_type
        inner = element.element_type if isa(element, VectorType) else element
        if inner != vector.element_type:
            raise VerifyException(
                f"'base' is {memory}, its elements are not those of {vector}"
            )
        if self.alignment is not None:
            verify_power_of_two("alignment", self.alignment.value.data)

    @staticmethod
    def verify_alike(vectors: Mapping[str, SSAValue]) -> None:
        """The vectors have the same shape."""
        (first, model), *others = vectors.items()
        for name, value in others:
            if vector_type(value).get_shape() != vector_type(model).get_shape():
                raise VerifyException(
                    f"'{name}' is {value.type}, it has to have the shape of '{first}', {model.type}"
                )


class _Plain(_MemoryOperation, ABC):
    alignment = opt_prop_def(IntegerAttr[IntegerType])  # once more: printed in this order
    nontemporal = opt_prop_def(BoolAttr)


@formatted_op
class LoadOp(_Plain):
    """Reads consecutive elements."""

    name = "vector.load"

    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    result = result_def(VectorType)

    assembly_format = "$base `[` $indices `]` attr-dict `:` type($base) `,` type($result)"

    traits = traits_def(MemoryReadEffect())

    def verify_(self) -> None:
        self.verify_access(self.base, self.indices, self.result)


@formatted_op
class StoreOp(_Plain):
    """Writes consecutive elements."""

    name = "vector.store"

    vector = operand_def(VectorType)
    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType())

    assembly_format = (
        "$vector `,` $base `[` $indices `]` attr-dict `:` type($base) `,` type($vector)"
    )

    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        self.verify_access(self.base, self.indices, self.vector)


@formatted_op
class MaskedLoadOp(_MemoryOperation):
    """Reads consecutive elements where the mask is true; elsewhere the result is `pass_thru`."""

    name = "vector.maskedload"

    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    mask = operand_def(VectorType.constr(i1))
    pass_thru = operand_def(VectorType)
    result = result_def(VectorType)

    assembly_format = (
        "$base `[` $indices `]` `,` $mask `,` $pass_thru attr-dict `:` type($base) `,` type($mask)"
        " `,` type($pass_thru) `into` type($result)"
    )

    traits = traits_def(MemoryReadEffect())

    def verify_(self) -> None:
        self.verify_access(self.base, self.indices, self.result)
        self.verify_alike({"result": self.result, "mask": self.mask})
        verify_is("pass_thru", self.pass_thru.type, self.result.type, "'result' is")


@formatted_op
class MaskedStoreOp(_MemoryOperation):
    """Writes consecutive elements where the mask is true."""

    name = "vector.maskedstore"

    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    mask = operand_def(VectorType.constr(i1))
    value_to_store = operand_def(VectorType)

    assembly_format = (
        "$base `[` $indices `]` `,` $mask `,` $value_to_store attr-dict `:` type($base) `,`"
        " type($mask) `,` type($value_to_store)"
    )

    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        self.verify_access(self.base, self.indices, self.value_to_store)
        self.verify_alike({"value_to_store": self.value_to_store, "mask": self.mask})


@formatted_op
class GatherOp(_MemoryOperation):
    """Reads one element per lane: at the offsets, plus the lane's index along the last dimension.

    Where the mask is false the result is `pass_thru`.
    """

    name = "vector.gather"

    base = operand_def(MemRefType)
    offsets = var_operand_def(IndexType())
    indices = operand_def(INDICES)
    mask = operand_def(VectorType.constr(i1))
    pass_thru = operand_def(VectorType)
    result = result_def(VectorType)

    assembly_format = (
        "$base `[` $offsets `]` `[` $indices `]` `,` $mask `,` $pass_thru attr-dict `:` type($base)"
        " `,` type($indices) `,` type($mask) `,` type($pass_thru) `into` type($result)"
    )

    traits = traits_def(MemoryReadEffect())

    def verify_(self) -> None:
        self.verify_access(self.base, self.offsets, self.result)
        self.verify_alike({"result": self.result, "indices": self.indices, "mask": self.mask})
        verify_is("pass_thru", self.pass_thru.type, self.result.type, "'result' is")


@formatted_op
class ScatterOp(_MemoryOperation):
    """Writes one element per lane, where the mask is true; later lanes win."""

    name = "vector.scatter"

    base = operand_def(MemRefType)
    offsets = var_operand_def(IndexType())
    indices = operand_def(INDICES)
    mask = operand_def(VectorType.constr(i1))
    value_to_store = operand_def(VectorType)

    assembly_format = (
        "$base `[` $offsets `]` `[` $indices `]` `,` $mask `,` $value_to_store attr-dict `:`"
        " type($base) `,` type($indices) `,` type($mask) `,` type($value_to_store)"
    )

    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        self.verify_access(self.base, self.offsets, self.value_to_store)
        value = self.value_to_store
        self.verify_alike(
            {"value_to_store": value, "indices": self.indices, "mask": self.mask}
        )


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
        rank = len(shape)
        verify_entries("mask_dim_sizes", len(sizes), self.result.type, rank, max(rank, 1))
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
        type, limits = self.mask_vector.type, len(self.mask_dim_sizes)
        rank = len(vector_type(self.mask_vector).get_shape())
        verify_entries("mask_dim_sizes", limits, type, rank, max(rank, 1))

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (_CreateConstantMask(),)

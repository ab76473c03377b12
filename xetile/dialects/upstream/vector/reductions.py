"""Reductions of vectors, which xDSL 0.75 lacks, or never removes.

`test_stock_xdsl_refuses` and `test_stock_traits_are_missing` in test_vector.py tell until
when.
Source: `llvm 22.1.8 mlir/Dialect/Vector/IR/VectorOps.td`; what is refused is what mlir-opt
22 refuses.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import AnyFloat, DenseArrayBase, VectorType, i64
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.formats import formatted_op
from xetile.dialects.upstream.vector.support import array, vector_type

Kind = (
    CombiningKindAttr
    | Literal[
        "add",
        "mul",
        "minui",
        "minsi",
        "minnumf",
        "maxui",
        "maxsi",
        "maxnumf",
        "and",
        "or",
        "xor",
        "maximumf",
        "minimumf",
    ]
)

_ONLY_FLOATS = ("minnumf", "maxnumf", "minimumf", "maximumf")
_ANY = ("add", "mul")


def _kind(kind: Kind) -> CombiningKindAttr:
    if isinstance(kind, CombiningKindAttr):
        return kind
    return CombiningKindAttr(CombiningKindFlag(kind))


@formatted_op
class ReductionOp(IRDLOperation):
    """All elements of a vector of rank 1, and an accumulator, combined.

    In xDSL 0.75 it has no traits, and its constructor gives the result the vector's type.
    """

    name = "vector.reduction"

    T: ClassVar = VarConstraint("T", AnyAttr())

    vector = operand_def(VectorType.constr(T))
    acc = opt_operand_def(T)
    kind = prop_def(CombiningKindAttr)
    fastmath = prop_def(FastMathFlagsAttr, default_value=FastMathFlagsAttr("none"))
    dest = result_def(T)

    assembly_format = (
        "$kind `,` $vector (`,` $acc^)? (`fastmath` `` $fastmath^)? attr-dict `:` type($vector)"
        " `into` type($dest)"
    )

    traits = traits_def(Pure())

    def verify_(self) -> None:
        source = vector_type(self.vector)
        if len(source.get_shape()) > 1:
            raise VerifyException(f"'vector' is {source}, its rank has to be 1")
        kind = self.kind.data.value
        is_float = isinstance(source.element_type, AnyFloat)
        if kind not in _ANY and is_float != (kind in _ONLY_FLOATS):
            raise VerifyException(
                f"'kind' is {kind}, which does not combine {source.element_type}"
            )


@formatted_op
class MultiReductionOp(IRDLOperation):
    """The elements along some dimensions, and an accumulator, combined."""

    name = "vector.multi_reduction"

    T: ClassVar = VarConstraint("T", AnyAttr())

    source = operand_def(VectorType)
    acc = operand_def(T)
    kind = prop_def(CombiningKindAttr)
    reduction_dims = prop_def(DenseArrayBase.constr(i64))
    dest = result_def(T)

    assembly_format = "$kind `,` $source `,` $acc attr-dict $reduction_dims `:` type($source) `to` type($dest)"

    traits = traits_def(Pure())

    def __init__(
        self,
        kind: Kind,
        source: SSAValue | Operation,
        acc: SSAValue | Operation,
        reduction_dims: Sequence[int],
    ) -> None:
        super().__init__(
            operands=[source, acc],
            result_types=[_reduced(vector_type(source), reduction_dims)],
            properties={"kind": _kind(kind), "reduction_dims": array(reduction_dims)},
        )

    def verify_(self) -> None:
        source = vector_type(self.source)
        expected = _reduced(source, self.reduction_dims.get_values())
        if self.dest.type != expected:
            dims = list(self.reduction_dims.get_values())
            raise VerifyException(
                f"'dest' is {self.dest.type}, {source} without dimensions {dims} is {expected}"
            )


def _reduced(source: VectorType, reduction_dims: Sequence[int]) -> Attribute:
    kept = [d for d in range(len(source.get_shape())) if d not in reduction_dims]
    if not kept and source.get_shape():
        return source.element_type
    scalable = source.scalable_dims.data
    return VectorType(
        source.element_type,
        [source.get_shape()[d] for d in kept],
        type(source.scalable_dims)([scalable[d] for d in kept]),
    )

"""Reductions over a workgroup or subgroup: xDSL 0.75 has no form of them (test_gpu.py tells when it has).

Source: `llvm 22.1.8 mlir/Dialect/GPU/IR/GPUOps.td`; what is refused is what mlir-opt 22
refuses.
"""

from typing import ClassVar

from xdsl.dialects.builtin import I32, AnyFloat, IntegerAttr, UnitAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import IsolatedFromAbove, IsTerminator, ReturnLike
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.type import get_element_type_or_self

from xetile.dialects.formats import formatted_op
from xetile.dialects.upstream.gpu.attributes import (
    AllReduceOperation,
    AllReduceOperationAttr,
)
from xetile.dialects.upstream.gpu.collectives import NUMBER, NUMBERS
from xetile.dialects.upstream.gpu.formats import ReductionKind

_FOR_INTEGERS = ("minui", "minsi", "maxui", "maxsi", "and", "or", "xor")
_FOR_FLOATS = ("minnumf", "maxnumf", "minimumf", "maximumf")


def verify_reduction(op: AllReduceOperationAttr, type: Attribute) -> None:
    """The operation combines values of the type."""
    is_float = isinstance(get_element_type_or_self(type), AnyFloat)
    if op.data.value in (_FOR_INTEGERS if is_float else _FOR_FLOATS):
        raise VerifyException(f"'op' is {op.data.value}, which does not combine {type}")


def _reduction(
    op: AllReduceOperationAttr | AllReduceOperation | str,
) -> AllReduceOperationAttr:
    if isinstance(op, AllReduceOperationAttr):
        return op
    return AllReduceOperationAttr(AllReduceOperation(op))


@formatted_op
class AllReduceOp(IRDLOperation):
    """The values of all work-items of the workgroup combined, by an operation or by a body."""

    name = "gpu.all_reduce"

    T: ClassVar = VarConstraint("T", NUMBER)

    op = opt_prop_def(AllReduceOperationAttr)
    uniform = opt_prop_def(UnitAttr)
    value = operand_def(T)
    result = result_def(T)
    body = region_def()

    assembly_format = (
        "custom<ReductionKind>($op) $value (`uniform` $uniform^)? $body attr-dict `:` "
        "functional-type($value, $result)"
    )
    custom_directives = (ReductionKind,)

    traits = traits_def(IsolatedFromAbove())

    def verify_(self) -> None:
        if (self.op is None) == (not self.body.blocks):
            raise VerifyException("expected either an op attribute or a non-empty body")
        if self.op is not None:
            verify_reduction(self.op, self.value.type)
            return
        found = tuple(argument.type for argument in self.body.blocks[0].args)
        if found != (self.value.type,) * 2:
            listed = ", ".join(map(str, found))
            raise VerifyException(
                f"'body' has arguments ({listed}), it has to have two values"
            )
        for block in self.body.blocks:
            last = block.last_op
            if isinstance(last, YieldOp) and tuple(last.operand_types) != (self.value.type,):
                raise VerifyException(f"'body' has to yield one {self.value.type}")


@formatted_op
class SubgroupReduceOp(IRDLOperation):
    """The values of all lanes combined, or of the lanes of each cluster."""

    name = "gpu.subgroup_reduce"

    T: ClassVar = VarConstraint("T", NUMBERS)

    value = operand_def(T)
    op = prop_def(AllReduceOperationAttr)
    uniform = opt_prop_def(UnitAttr)
    cluster_size = opt_prop_def(IntegerAttr[I32])
    cluster_stride = prop_def(IntegerAttr[I32], default_value=IntegerAttr(1, i32))
    result = result_def(T)

    assembly_format = (
        "` ` $op $value (`uniform` $uniform^)? "
        "(`cluster` `(` `size` `=` $cluster_size^ (`,` `stride` `=` $cluster_stride^)? `)`)? "
        "attr-dict `:` functional-type($value, $result)"
    )

    def __init__(
        self,
        value: SSAValue | Operation,
        op: AllReduceOperationAttr | AllReduceOperation | str,
        *,
        uniform: bool = False,
        cluster_size: int | None = None,
        cluster_stride: int = 1,
    ) -> None:
        super().__init__(
            operands=[value],
            result_types=[SSAValue.get(value).type],
            properties={
                "op": _reduction(op),
                "uniform": UnitAttr() if uniform else None,
                "cluster_size": None
                if cluster_size is None
                else IntegerAttr(cluster_size, i32),
                "cluster_stride": IntegerAttr(cluster_stride, i32),
            },
        )

    def verify_(self) -> None:
        verify_reduction(self.op, self.value.type)
        stride = self.cluster_stride.value.data
        if self.cluster_size is None:
            if stride != 1:
                raise VerifyException("'cluster_stride' needs a cluster_size")
            return
        for name, found in (
            ("cluster_size", self.cluster_size.value.data),
            ("cluster_stride", stride),
        ):
            if found <= 0 or found & (found - 1):
                raise VerifyException(f"'{name}' is {found}, it has to be a power of two")


@formatted_op
class YieldOp(IRDLOperation):
    """Ends the body of a reduction."""

    name = "gpu.yield"

    values = var_operand_def()

    assembly_format = "attr-dict ($values^ `:` type($values))?"

    traits = traits_def(IsTerminator(), ReturnLike())

"""Reductions over the work-items of a workgroup or subgroup.

Source: `llvm 22.1.8 mlir/Dialect/GPU/IR/GPUOps.td`; what is refused is what mlir-opt 22 refuses.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AnyFloat, IntegerAttr, IntegerType, UnitAttr, i32
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, ReturnLike
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.type import get_element_type_or_self

from xetile.dialects.upstream.gpu.attributes import (
    AllReduceOperation,
    AllReduceOperationAttr,
)
from xetile.dialects.upstream.gpu.collectives import NUMBER, NUMBERS

_FOR_INTEGERS = ("minui", "minsi", "maxui", "maxsi", "and", "or", "xor")
_FOR_FLOATS = ("minnumf", "maxnumf", "minimumf", "maximumf")


def verify_reduction(op: AllReduceOperationAttr, type: Attribute) -> None:
    """The operation combines values of the type."""
    is_float = isinstance(get_element_type_or_self(type), AnyFloat)
    if op.data.value in (_FOR_INTEGERS if is_float else _FOR_FLOATS):
        raise VerifyException(f"'op' is {op.data.value}, which does not combine {type}")


def _reduction(op: AllReduceOperationAttr | AllReduceOperation | str) -> AllReduceOperationAttr:
    if isinstance(op, AllReduceOperationAttr):
        return op
    return AllReduceOperationAttr(AllReduceOperation(op))


def _parse_reduced(parser: Parser) -> tuple[Attribute, Attribute]:
    """Read `: (type) -> type`."""
    parser.parse_punctuation(":")
    position = parser.pos
    type = parser.parse_function_type()
    if len(type.inputs) != 1 or len(type.outputs) != 1:
        parser.raise_error(f"expected (type) -> type, found {type}", position, parser.pos)
    return type.inputs.data[0], type.outputs.data[0]


@irdl_op_definition
class AllReduceOp(IRDLOperation):
    """The values of all work-items of the workgroup combined, by an operation or by a body."""

    name = "gpu.all_reduce"

    T: ClassVar = VarConstraint("T", NUMBER)

    op = opt_prop_def(AllReduceOperationAttr)
    uniform = opt_prop_def(UnitAttr)
    value = operand_def(T)
    result = result_def(T)
    body = region_def()

    traits = traits_def(IsolatedFromAbove())

    def __init__(
        self,
        value: SSAValue | Operation,
        op: AllReduceOperationAttr | AllReduceOperation | str | None = None,
        body: Region | None = None,
        *,
        uniform: bool = False,
    ) -> None:
        super().__init__(
            operands=[value],
            result_types=[SSAValue.get(value).type],
            properties={
                "op": None if op is None else _reduction(op),
                "uniform": UnitAttr() if uniform else None,
            },
            regions=[body or Region()],
        )

    @classmethod
    def parse(cls, parser: Parser) -> "AllReduceOp":
        """Read `add %value uniform { } {...} : (type) -> type`."""
        properties: dict[str, Attribute] = {}
        op = parser.parse_optional_str_enum(AllReduceOperation)
        if op is not None:
            properties["op"] = AllReduceOperationAttr(op)
        value = parser.parse_unresolved_operand()
        if parser.parse_optional_keyword("uniform") is not None:
            properties["uniform"] = UnitAttr()
        body = parser.parse_region()
        attributes = parser.parse_optional_attr_dict()
        operand_type, result_type = _parse_reduced(parser)
        return cls.create(
            operands=[parser.resolve_operand(value, operand_type)],
            result_types=[result_type],
            properties=properties,
            attributes=attributes,
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string("  " if self.op is None else f"  {self.op.data} ")
        printer.print_ssa_value(self.value)
        printer.print_string(" " if self.uniform is None else " uniform ")
        printer.print_region(self.body)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)

    def verify_(self) -> None:
        """There is an operation or a body that combines two values of the type."""
        if (self.op is None) == (not self.body.blocks):
            raise VerifyException("expected either an op attribute or a non-empty body")
        if self.op is not None:
            verify_reduction(self.op, self.value.type)
            return
        found = tuple(argument.type for argument in self.body.blocks[0].args)
        if found != (self.value.type,) * 2:
            listed = ", ".join(map(str, found))
            raise VerifyException(f"'body' has arguments ({listed}), it has to have two values")
        for block in self.body.blocks:
            last = block.last_op
            if isinstance(last, YieldOp) and tuple(last.operand_types) != (self.value.type,):
                raise VerifyException(f"'body' has to yield one {self.value.type}")


@irdl_op_definition
class SubgroupReduceOp(IRDLOperation):
    """The values of all lanes combined, or of the lanes of each cluster."""

    name = "gpu.subgroup_reduce"

    T: ClassVar = VarConstraint("T", NUMBERS)

    value = operand_def(T)
    op = prop_def(AllReduceOperationAttr)
    uniform = opt_prop_def(UnitAttr)
    cluster_size = opt_prop_def(IntegerAttr[IntegerType])
    cluster_stride = prop_def(IntegerAttr[IntegerType], default_value=IntegerAttr(1, i32))
    result = result_def(T)

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
                "cluster_size": None if cluster_size is None else IntegerAttr(cluster_size, i32),
                "cluster_stride": IntegerAttr(cluster_stride, i32),
            },
        )

    @classmethod
    def parse(cls, parser: Parser) -> "SubgroupReduceOp":
        """Read `add %value uniform cluster(size = 4, stride = 2) {...} : (type) -> type`."""
        op = parser.parse_str_enum(AllReduceOperation)
        value = parser.parse_unresolved_operand()
        uniform = parser.parse_optional_keyword("uniform") is not None
        size, stride = None, 1
        if parser.parse_optional_keyword("cluster") is not None:
            parser.parse_punctuation("(")
            size = _parse_field(parser, "size")
            if parser.parse_optional_punctuation(",") is not None:
                stride = _parse_field(parser, "stride")
            parser.parse_punctuation(")")
        attributes = parser.parse_optional_attr_dict()
        operand_type, _ = _parse_reduced(parser)
        operation = cls(
            parser.resolve_operand(value, operand_type),
            op,
            uniform=uniform,
            cluster_size=size,
            cluster_stride=stride,
        )
        operation.attributes |= attributes
        return operation

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(f"  {self.op.data} ")
        printer.print_ssa_value(self.value)
        if self.uniform is not None:
            printer.print_string(" uniform")
        if self.cluster_size is not None:
            stride = self.cluster_stride.value.data
            shown = "" if stride == 1 else f", stride = {stride}"
            printer.print_string(f" cluster(size = {self.cluster_size.value.data}{shown})")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)

    def verify_(self) -> None:
        """The operation combines the type, and clusters are powers of two."""
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


def _parse_field(parser: Parser, name: str) -> int:
    parser.parse_keyword(name)
    parser.parse_punctuation("=")
    return parser.parse_integer(allow_boolean=False)


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends the body of a reduction."""

    name = "gpu.yield"

    values = var_operand_def()

    assembly_format = "attr-dict ($values^ `:` type($values))?"

    traits = traits_def(IsTerminator(), ReturnLike())

    def __init__(self, values: Sequence[SSAValue | Operation] = ()) -> None:
        super().__init__(operands=[values])

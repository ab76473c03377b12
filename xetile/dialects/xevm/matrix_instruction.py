"""The matrix instruction of XeVM."""

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.formats import sorted_op
from xetile.dialects.xevm.xevm_attributes import MMAShapeAttr, MMATypesAttr
from xetile.dialects.xevm.xevm_constraints import REGISTERS


@sorted_op
class MMAOp(IRDLOperation):
    """`xevm.mma %a, %b, %c {shape = <...>, types = <...>} : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> ...`."""

    name = "xevm.mma"

    a = operand_def(REGISTERS)
    b = operand_def(REGISTERS)
    c = opt_operand_def(REGISTERS)
    shape = prop_def(MMAShapeAttr)
    types = prop_def(MMATypesAttr)
    d = result_def(REGISTERS)

    traits = traits_def(Pure())

    assembly_format = (
        "$a `,` $b (`,` $c^)? ` ` `{` `shape` `=` $shape `,` `types` `=` $types `}` attr-dict "
        "`:` functional-type(operands, results)"
    )

    def __init__(
        self,
        a: SSAValue,
        b: SSAValue,
        c: SSAValue | None = None,
        *,
        shape: tuple[int, int, int],
        types: tuple[str, str, str, str | None],
        result_type: Attribute,
    ) -> None:
        Operation.__init__(
            self,
            operands=[a, b] if c is None else [a, b, c],
            result_types=[result_type],
            properties={"shape": MMAShapeAttr.of(*shape), "types": MMATypesAttr.of(*types)},
        )

    def verify_(self) -> None:
        if self.c is not None and self.c.type != self.d.type:
            raise VerifyException(
                f"type of C operand must match result type: {self.c.type} and {self.d.type}"
            )

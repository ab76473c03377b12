"""Matrix multiplication, memory fences, named barriers, and changes of layout."""

from xdsl.dialects.builtin import IntegerAttr, VectorType, i8, i64
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.formats import (
    parse_dictionaries,
    present,
    print_dictionaries,
    print_joint_dictionary,
)
from xetile.dialects.xegpu.access import LAYOUT, vector_type
from xetile.dialects.xegpu.attributes import (
    FenceScope,
    FenceScopeAttr,
    MemorySpace,
    MemorySpaceAttr,
    parse_fence_scope,
    parse_memory_space,
)
from xetile.dialects.xegpu.constraints import ValueConstraint
from xetile.dialects.xegpu.distribution import is_evenly_distributable
from xetile.dialects.xegpu.layouts import AnyLayoutAttr, LayoutAttr, SliceAttr
from xetile.dialects.xegpu.types import NbarrierType

REGISTER_UNIT_BITS = 32
"""One lane's B operand comes in units of this many bits."""


@irdl_op_definition
class DpasOp(IRDLOperation):
    """Multiply A by B and add the accumulator: one systolic instruction.

    ```mlir
    %d = xegpu.dpas %a, %b, %c : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
    ```

    Shapes: A (m, k), B (k, n) or packed (k / p, n, p), accumulator and result (m, n); all of rank 1 is one lane's
    share, whose sizes are not checked.
    """

    name = "xegpu.dpas"

    lhs = operand_def(ValueConstraint((1, 2, 3)))
    rhs = operand_def(ValueConstraint((1, 2, 3)))
    acc = opt_operand_def(ValueConstraint((1, 2)))
    layout_a = opt_prop_def(LAYOUT)
    layout_b = opt_prop_def(LAYOUT)
    layout_cd = opt_prop_def(LAYOUT)
    result = result_def(ValueConstraint((1, 2)))

    traits = traits_def(Pure())

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        acc: SSAValue | None = None,
        *,
        result_type: VectorType[Attribute] | None = None,
        layout_a: AnyLayoutAttr | None = None,
        layout_b: AnyLayoutAttr | None = None,
        layout_cd: AnyLayoutAttr | None = None,
    ) -> None:
        """The result has the accumulator's type; without one `result_type` is required."""
        if acc is not None and result_type is None:
            result_type = vector_type(acc)
        if result_type is None:
            raise ValueError("dpas without an accumulator needs a result_type")
        super().__init__(
            operands=[lhs, rhs, acc],
            result_types=[result_type],
            properties=present(layout_a=layout_a, layout_b=layout_b, layout_cd=layout_cd),
        )

    def verify_(self) -> None:
        """Check element types and sizes."""
        a, b, d = (vector_type(value) for value in (self.lhs, self.rhs, self.result))
        if a.element_type != b.element_type:
            raise VerifyException(
                f"'lhs' has elements of {a.element_type}, 'rhs' of {b.element_type}, must be equal"
            )
        if self.acc is not None and self.acc.type != d:
            raise VerifyException(f"'acc' is {self.acc.type}, must be as the result, {d}")
        ranks = (a.get_num_dims(), b.get_num_dims(), d.get_num_dims())
        if ranks == (1, 1, 1):
            _verify_lane_b(b)
            return
        if ranks not in ((2, 2, 2), (2, 3, 2)):
            raise VerifyException(
                f"'lhs', 'rhs' and result have ranks {ranks[0]}, {ranks[1]} and {ranks[2]}, "
                "must be 2, 2 or 3 (packed), and 2"
            )
        _verify_sizes(a.get_shape(), b.get_shape(), d.get_shape())

    @classmethod
    def parse(cls, parser: Parser) -> "DpasOp":
        """Read the custom syntax."""
        names = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        names.append(parser.parse_unresolved_operand())
        if parser.parse_optional_punctuation(",") is not None:
            names.append(parser.parse_unresolved_operand())
        properties, attributes = parse_dictionaries(parser, cls, properties=False)
        parser.parse_punctuation(":")
        start = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        lhs, rhs, *acc = parser.resolve_operands(names, types, start)
        parser.parse_punctuation("->")
        return cls.build(
            operands=[lhs, rhs, acc],
            result_types=[parser.parse_type()],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print the custom syntax."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        print_joint_dictionary(printer, self)
        printer.print_string(" : ")
        printer.print_list(self.operand_types, printer.print_attribute)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)


def _verify_lane_b(b: VectorType[Attribute]) -> None:
    bits: int = getattr(b.element_type, "bitwidth", REGISTER_UNIT_BITS)
    if bits > REGISTER_UNIT_BITS:  # mlir-opt divides by how many fill a unit
        raise VerifyException(
            f"'rhs' has elements of {b.element_type}, at most {REGISTER_UNIT_BITS} bits fit its units"
        )
    granule = REGISTER_UNIT_BITS // bits
    if b.element_count() % granule:
        raise VerifyException(
            f"'rhs' has {b.element_count()} elements of {b.element_type}, must be a multiple of {granule}"
        )


def _verify_sizes(a: tuple[int, ...], b: tuple[int, ...], d: tuple[int, ...]) -> None:
    k = b[0] * b[2] if len(b) == 3 else b[0]
    if k != a[1]:
        raise VerifyException(f"k is {a[1]} in 'lhs' and {k} in 'rhs', must be equal")
    if a[0] != d[0]:
        raise VerifyException(f"m is {a[0]} in 'lhs' and {d[0]} in the result, must be equal")
    if b[1] != d[1]:
        raise VerifyException(f"n is {b[1]} in 'rhs' and {d[1]} in the result, must be equal")


@irdl_op_definition
class FenceOp(IRDLOperation):
    """Order memory accesses: those before the op are seen before those after it.

    ```mlir
    xegpu.fence memory_kind = global, fence_scope = workgroup
    ```
    """

    name = "xegpu.fence"

    memory_kind = prop_def(MemorySpaceAttr)
    fence_scope = prop_def(FenceScopeAttr)

    # It changes no value, but must stay where it is.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, memory_kind: MemorySpace, fence_scope: FenceScope) -> None:
        super().__init__(
            properties={
                "fence_scope": FenceScopeAttr(fence_scope),
                "memory_kind": MemorySpaceAttr(memory_kind),
            }
        )

    @property
    def memory_kind_name(self) -> str:
        """Global or slm."""
        return self.memory_kind.data.value

    @property
    def scope_name(self) -> str:
        """Workgroup or gpu."""
        return self.fence_scope.data.value

    @classmethod
    def parse(cls, parser: Parser) -> "FenceOp":
        """Read the custom syntax."""
        parser.parse_keyword("memory_kind")
        parser.parse_punctuation("=")
        memory_kind = parse_memory_space(parser)
        parser.parse_punctuation(",")
        parser.parse_keyword("fence_scope")
        parser.parse_punctuation("=")
        fence_scope = parse_fence_scope(parser)
        return cls.build(
            properties={"fence_scope": fence_scope, "memory_kind": memory_kind},
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        """Print the custom syntax."""
        printer.print_string(f" memory_kind = {self.memory_kind_name}")
        printer.print_string(f", fence_scope = {self.scope_name}")
        print_joint_dictionary(printer, self, ("memory_kind", "fence_scope"))


@irdl_op_definition
class ConvertLayoutOp(IRDLOperation, HasFolderInterface):
    """Share the same value out in another way.

    ```mlir
    %w = xegpu.convert_layout %v <{input_layout = #a, target_layout = #b}> : vector<32x64xf16>
    ```
    """

    name = "xegpu.convert_layout"

    source = operand_def(ValueConstraint((1, 2, 3, 4, 5, 6)))
    input_layout = prop_def(LAYOUT)
    target_layout = prop_def(LAYOUT)
    result = result_def(ValueConstraint((1, 2, 3, 4, 5, 6)))

    traits = traits_def(Pure())

    def __init__(
        self, source: SSAValue, input_layout: AnyLayoutAttr, target_layout: AnyLayoutAttr
    ) -> None:
        super().__init__(
            operands=[source],
            result_types=[source.type],
            properties={"input_layout": input_layout, "target_layout": target_layout},
        )

    def fold(self) -> tuple[SSAValue] | None:
        """Between equal layouts nothing moves."""
        return (self.source,) if self.input_layout == self.target_layout else None

    def verify_(self) -> None:
        """Check that both layouts are of one level and fit the value."""
        if self.source.type != self.result.type:
            raise VerifyException(
                f"'source' is {self.source.type}, must be as the result, {self.result.type}"
            )
        source, target = self.input_layout, self.target_layout
        assert isinstance(source, LayoutAttr | SliceAttr)
        assert isinstance(target, LayoutAttr | SliceAttr)
        if source.is_for_workgroup != target.is_for_workgroup:
            raise VerifyException(
                "'input_layout' and 'target_layout' must both have sg_layout, or neither"
            )
        shape = vector_type(self.source).get_shape()
        for name, layout in (("input_layout", source), ("target_layout", target)):
            if not is_evenly_distributable(shape, layout):
                raise VerifyException(
                    f"'{name}' is {layout}, does not distribute {list(shape)} evenly"
                )

    @classmethod
    def parse(cls, parser: Parser) -> "ConvertLayoutOp":
        """Read the custom syntax."""
        source = parser.parse_unresolved_operand()
        properties, attributes = parse_dictionaries(parser, cls)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls.build(
            operands=[parser.resolve_operand(source, type)],
            result_types=[type],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print the custom syntax."""
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        print_dictionaries(printer, self)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)


@irdl_op_definition
class AllocNbarrierOp(IRDLOperation):
    """Reserve named barriers for the workgroup: `xegpu.alloc_nbarrier 8`."""

    name = "xegpu.alloc_nbarrier"

    nbarrier_num = prop_def(IntegerAttr.constr(i64))

    def __init__(self, nbarrier_num: int) -> None:
        super().__init__(properties={"nbarrier_num": IntegerAttr(nbarrier_num, i64)})

    @classmethod
    def parse(cls, parser: Parser) -> "AllocNbarrierOp":
        """Read the custom syntax."""
        number = IntegerAttr(parser.parse_integer(allow_boolean=False), i64)
        return cls.build(
            properties={"nbarrier_num": number}, attributes=parser.parse_optional_attr_dict()
        )

    def print(self, printer: Printer) -> None:
        """Print the custom syntax."""
        printer.print_string(f" {self.nbarrier_num.value.data}")
        print_joint_dictionary(printer, self, ("nbarrier_num",))


@irdl_op_definition
class InitNbarrierOp(IRDLOperation):
    """Take part in a named barrier: `%b = xegpu.init_nbarrier %id, %count : i8, i8 -> !xegpu.nbarrier`."""

    name = "xegpu.init_nbarrier"

    nbarrier_id = operand_def(i8)
    participant_thread_num = operand_def(i8)
    result = result_def(NbarrierType)

    assembly_format = (
        "$nbarrier_id `,` $participant_thread_num attr-dict `:` "
        "type($nbarrier_id) `,` type($participant_thread_num) `->` type($result)"
    )

    def __init__(self, nbarrier_id: SSAValue, participant_thread_num: SSAValue) -> None:
        super().__init__(
            operands=[nbarrier_id, participant_thread_num], result_types=[NbarrierType()]
        )


@irdl_op_definition
class NbarrierArriveOp(IRDLOperation):
    """Signal that this subgroup has arrived: `xegpu.nbarrier_arrive %b : !xegpu.nbarrier`."""

    name = "xegpu.nbarrier_arrive"

    nbarrier = operand_def(NbarrierType)

    assembly_format = "$nbarrier attr-dict `:` type($nbarrier)"

    def __init__(self, nbarrier: SSAValue) -> None:
        super().__init__(operands=[nbarrier])


@irdl_op_definition
class NbarrierWaitOp(IRDLOperation):
    """Wait until all have arrived: `xegpu.nbarrier_wait %b : !xegpu.nbarrier`."""

    name = "xegpu.nbarrier_wait"

    nbarrier = operand_def(NbarrierType)

    assembly_format = "$nbarrier attr-dict `:` type($nbarrier)"

    def __init__(self, nbarrier: SSAValue) -> None:
        super().__init__(operands=[nbarrier])

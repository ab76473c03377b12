"""Ops that read, write, name or measure memory, and have no custom form in xDSL 0.74.0.

Source: `llvm 22.1.8 mlir/Dialect/MemRef/IR/MemRefOps.td`; what is refused is what mlir-opt 22 refuses.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    SymbolNameConstraint,
    TensorType,
    UnitAttr,
    UnrankedMemRefType,
    i64,
)
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    ConstantLike,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    Pure,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from xetile.dialects.upstream.memref.views import ANY_MEMREF

ATOMIC_KINDS = (
    "addf",
    "addi",
    "andi",
    "assign",
    "maximumf",
    "maxnumf",
    "maxs",
    "maxu",
    "minimumf",
    "minnumf",
    "mins",
    "minu",
    "mulf",
    "muli",
    "ori",
    "xori",
)
"""Counted through by `kind`; source: mlir-opt 22 --mlir-print-op-generic of a memref.atomic_rmw of each kind."""

_FLOAT_KINDS = ("addf", "maximumf", "minimumf", "mulf", "maxnumf", "minnumf")


@irdl_op_definition
class CopyOp(IRDLOperation):
    """All elements of one buffer into another of the same shape."""

    name = "memref.copy"

    source = operand_def(ANY_MEMREF)
    target = operand_def(ANY_MEMREF)

    assembly_format = "$source `,` $target attr-dict `:` type($source) `to` type($target)"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, source: SSAValue | Operation, target: SSAValue | Operation) -> None:
        super().__init__(operands=[source, target])

    def verify_(self) -> None:
        """The elements and the static extents agree."""
        source, target = self.source.type, self.target.type
        assert isa(source, MemRefType) or isa(source, UnrankedMemRefType)
        assert isa(target, MemRefType) or isa(target, UnrankedMemRefType)
        if source.element_type != target.element_type:
            raise VerifyException(f"'target' is {target}, it has to hold elements of {source}")
        if not isa(source, MemRefType) or not isa(target, MemRefType):
            return
        shapes = source.get_shape(), target.get_shape()
        agree = len(shapes[0]) == len(shapes[1]) and all(
            a < 0 or b < 0 or a == b for a, b in zip(*shapes, strict=True)
        )
        if not agree:
            raise VerifyException(f"'target' is {target}, it has to have the shape of {source}")


@irdl_op_definition
class DimOp(IRDLOperation, HasFolderInterface):
    """The extent of a buffer along one dimension."""

    name = "memref.dim"

    source = operand_def(ANY_MEMREF)
    index = operand_def(IndexType())
    result = result_def(IndexType())

    assembly_format = "attr-dict $source `,` $index `:` type($source)"

    # undefined where the dimension is not one of the buffer's
    traits = traits_def(NoMemoryEffect())

    def __init__(self, source: SSAValue | Operation, index: SSAValue | Operation) -> None:
        super().__init__(operands=[source, index], result_types=[IndexType()])

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A static extent."""
        source, dimension = self.source.type, ConstantLike.get_constant_value(self.index)
        if not isa(source, MemRefType) or not isa(dimension, IntegerAttr):
            return None
        shape, number = source.get_shape(), dimension.value.data
        if not 0 <= number < len(shape) or shape[number] < 0:
            return None
        return (IntegerAttr.from_index_int_value(shape[number]),)


@irdl_op_definition
class RankOp(IRDLOperation, HasFolderInterface):
    """The number of dimensions of a buffer."""

    name = "memref.rank"

    memref = operand_def(ANY_MEMREF)
    rank = result_def(IndexType())

    assembly_format = "$memref attr-dict `:` type($memref)"

    traits = traits_def(Pure())

    def __init__(self, memref: SSAValue | Operation) -> None:
        super().__init__(operands=[memref], result_types=[IndexType()])

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """The type says it."""
        if not isa(self.memref.type, MemRefType):
            return None
        return (IntegerAttr.from_index_int_value(len(self.memref.type.get_shape())),)


@irdl_op_definition
class AtomicRMWOp(IRDLOperation):
    """Combines a value with an element of memory in one step; the result is what was there."""

    name = "memref.atomic_rmw"

    T: ClassVar = VarConstraint("T", AnyAttr())

    kind = prop_def(IntegerAttr[IntegerType])
    value = operand_def(T)
    memref = operand_def(MemRefType.constr(T))
    indices = var_operand_def(IndexType())
    result = result_def(T)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        kind: str,
        value: SSAValue | Operation,
        memref: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
    ) -> None:
        """Combine; `kind` is one of `ATOMIC_KINDS`."""
        super().__init__(
            operands=[value, memref, indices],
            result_types=[SSAValue.get(value).type],
            properties={"kind": IntegerAttr(ATOMIC_KINDS.index(kind), i64)},
        )

    @property
    def kind_name(self) -> str:
        """The kind as the custom form has it."""
        return ATOMIC_KINDS[self.kind.value.data]

    @classmethod
    def parse(cls, parser: Parser) -> "AtomicRMWOp":
        """Read `addf %value, %memref[%i] {...} : (type, type) -> type`."""
        position = parser.pos
        kind = parser.parse_optional_str_literal() or parser.parse_identifier()
        if kind not in ATOMIC_KINDS:
            legal = ", ".join(ATOMIC_KINDS)
            parser.raise_error(f"kind is '{kind}', it has to be one of {legal}", position)
        operands = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        operands.append(parser.parse_unresolved_operand())
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_function_type()
        types = [*type.inputs.data, *[IndexType()] * len(indices)]
        return cls.create(
            operands=parser.resolve_operands([*operands, *indices], types, position),
            result_types=type.outputs.data,
            properties={"kind": IntegerAttr(ATOMIC_KINDS.index(kind), i64)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(f" {self.kind_name} ")
        printer.print_ssa_value(self.value)
        printer.print_string(", ")
        printer.print_ssa_value(self.memref)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type([self.value.type, self.memref.type], [self.result.type])

    def verify_(self) -> None:
        """The kind combines the type, and there is an index for every dimension."""
        number = self.kind.value.data
        if not 0 <= number < len(ATOMIC_KINDS):
            raise VerifyException(f"'kind' is {number}, it has to lie in [0, {len(ATOMIC_KINDS)})")
        memory = self.memref.type
        assert isa(memory, MemRefType)
        if len(self.indices) != len(memory.get_shape()):
            raise VerifyException(
                f"'indices' has {len(self.indices)} entries, {memory} has rank "
                f"{len(memory.get_shape())}"
            )
        is_float = isinstance(self.value.type, AnyFloat)
        if self.kind_name != "assign" and is_float != (self.kind_name in _FLOAT_KINDS):
            raise VerifyException(
                f"'kind' is {self.kind_name}, which does not combine {self.value.type}"
            )


@irdl_op_definition
class GlobalOp(IRDLOperation):
    """A named buffer: `memref.global "private" constant @name : type = dense<...>`."""

    name = "memref.global"

    sym_name = prop_def(SymbolNameConstraint())
    sym_visibility = opt_prop_def(StringAttr)
    type = prop_def(MemRefType)
    initial_value = opt_prop_def()
    constant = opt_prop_def(UnitAttr)
    alignment = opt_prop_def(IntegerAttr[IntegerType])

    traits = traits_def(SymbolOpInterface())

    def __init__(
        self,
        name: str,
        type: MemRefType,
        initial_value: DenseIntOrFPElementsAttr | UnitAttr | None = None,
        *,
        visibility: str | None = None,
        constant: bool = False,
        alignment: int | None = None,
    ) -> None:
        """Name a buffer; a unit as `initial_value` leaves it uninitialized, None declares it."""
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "type": type,
                "initial_value": initial_value,
                "sym_visibility": None if visibility is None else StringAttr(visibility),
                "constant": UnitAttr() if constant else None,
                "alignment": None if alignment is None else IntegerAttr(alignment, i64),
            }
        )

    @classmethod
    def parse(cls, parser: Parser) -> "GlobalOp":
        """Read `"private" constant @name : type = dense<...> {...}`."""
        visibility = parser.parse_optional_str_literal()
        constant = parser.parse_optional_keyword("constant") is not None
        name = parser.parse_symbol_name().data
        parser.parse_punctuation(":")
        position = parser.pos
        type = parser.parse_type()
        if not isa(type, MemRefType):
            parser.raise_error(f"expected a memref type, found {type}", position, parser.pos)
        value: DenseIntOrFPElementsAttr | UnitAttr | None = None
        if parser.parse_optional_punctuation("=") is not None:
            value = cls._parse_value(parser, type)
        operation = cls(name, type, value, visibility=visibility, constant=constant)
        attributes = parser.parse_optional_attr_dict()
        if "alignment" in attributes:
            operation.properties["alignment"] = attributes.pop("alignment")
        operation.attributes |= attributes
        return operation

    @staticmethod
    def _parse_value(parser: Parser, type: MemRefType) -> DenseIntOrFPElementsAttr | UnitAttr:
        if parser.parse_optional_keyword("uninitialized") is not None:
            return UnitAttr()
        parser.parse_keyword("dense")
        tensor = TensorType(type.element_type, type.get_shape())
        value = DenseIntOrFPElementsAttr.parse_with_type(parser, tensor)
        assert isa(value, DenseIntOrFPElementsAttr)
        return value

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        if self.sym_visibility is not None:
            printer.print_string(" ")
            printer.print_string_literal(self.sym_visibility.data)
        printer.print_string(" constant " if self.constant is not None else " ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" : ")
        printer.print_attribute(self.type)
        if isinstance(self.initial_value, UnitAttr):
            printer.print_string(" = uninitialized")
        elif isa(self.initial_value, DenseIntOrFPElementsAttr):
            printer.print_string(" = ")
            self.initial_value.print_without_type(printer)
        shown = dict(self.attributes)
        if self.alignment is not None:
            shown["alignment"] = self.alignment
        printer.print_op_attributes(shown)

    def verify_(self) -> None:
        """The initial value has the buffer's shape and elements."""
        value, type = self.initial_value, self.type
        assert isa(type, MemRefType)
        if value is None or isinstance(value, UnitAttr):
            return
        expected = TensorType(type.element_type, type.get_shape())
        if not isa(value, DenseIntOrFPElementsAttr) or value.type != expected:
            raise VerifyException(
                f"'initial_value' is {value}, it has to be a constant of {expected}"
            )

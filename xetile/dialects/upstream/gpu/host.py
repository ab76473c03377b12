"""Ops that the host runs: memory of the device, copies, and waiting.

Source: `llvm 22.1.8 mlir/Dialect/GPU/IR/GPUOps.td`, the text as mlir-opt 22 prints it.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    MemRefType,
    UnitAttr,
    UnrankedMemRefType,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    opt_result_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from xetile.dialects.upstream.gpu.attributes import AsyncTokenType

TOKEN = AsyncTokenType()


def parse_async(parser: Parser) -> tuple[list[Attribute], list[SSAValue]]:
    """Read `async [%tokens]`: the result types and the tokens that are waited for."""
    results: list[Attribute] = []
    if parser.parse_optional_keyword("async") is not None:
        results.append(TOKEN)
    tokens = parser.parse_optional_comma_separated_list(
        parser.Delimiter.SQUARE, parser.parse_unresolved_operand
    )
    return results, [parser.resolve_operand(token, TOKEN) for token in tokens or ()]


def print_async(printer: Printer, token: SSAValue | None, waited: Sequence[SSAValue]) -> None:
    """Print what `parse_async` reads; mlir-opt has a space before it in any case."""
    printer.print_string(" " if token is None else " async")
    if not waited:
        return
    if token is not None:
        printer.print_string(" ")
    with printer.in_square_brackets():
        printer.print_list(waited, printer.print_ssa_value)


def token_types(*, is_async: bool) -> list[list[Attribute]]:
    """The optional last result."""
    return [[TOKEN] if is_async else []]


@irdl_op_definition
class WaitOp(IRDLOperation):
    """Waits for the tokens; with `async` it gives one token for all."""

    name = "gpu.wait"

    async_dependencies = var_operand_def(AsyncTokenType)
    async_token = opt_result_def(AsyncTokenType)

    def __init__(
        self,
        async_dependencies: Sequence[SSAValue | Operation] = (),
        *,
        is_async: bool = False,
    ) -> None:
        super().__init__(operands=[async_dependencies], result_types=token_types(is_async=is_async))

    @classmethod
    def parse(cls, parser: Parser) -> "WaitOp":
        """Read `async [%tokens] {...}`."""
        results, waited = parse_async(parser)
        attributes = parser.parse_optional_attr_dict()
        return cls.create(operands=waited, result_types=results, attributes=attributes)

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        print_async(printer, self.async_token, self.async_dependencies)
        printer.print_op_attributes(self.attributes)


def _parse_operands(parser: Parser, delimiter: Parser.Delimiter) -> list[UnresolvedOperand] | None:
    return parser.parse_optional_comma_separated_list(delimiter, parser.parse_unresolved_operand)


@irdl_op_definition
class AllocOp(IRDLOperation):
    """Memory of the device."""

    name = "gpu.alloc"

    async_dependencies = var_operand_def(AsyncTokenType)
    dynamic_sizes = var_operand_def(IndexType())
    symbol_operands = var_operand_def(IndexType())
    host_shared = opt_prop_def(UnitAttr, prop_name="hostShared")
    memref = result_def(MemRefType)
    async_token = opt_result_def(AsyncTokenType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        type: MemRefType,
        dynamic_sizes: Sequence[SSAValue | Operation] = (),
        symbol_operands: Sequence[SSAValue | Operation] = (),
        async_dependencies: Sequence[SSAValue | Operation] = (),
        *,
        is_async: bool = False,
        host_shared: bool = False,
    ) -> None:
        super().__init__(
            operands=[async_dependencies, dynamic_sizes, symbol_operands],
            result_types=[type, *token_types(is_async=is_async)],
            properties={"hostShared": UnitAttr() if host_shared else None},
        )

    @classmethod
    def parse(cls, parser: Parser) -> "AllocOp":
        """Read `async [%tokens] host_shared (%sizes)[%symbols] {...} : type`."""
        results, waited = parse_async(parser)
        host_shared = parser.parse_optional_keyword("host_shared") is not None
        sizes = _parse_operands(parser, parser.Delimiter.PAREN) or []
        symbols = _parse_operands(parser, parser.Delimiter.SQUARE) or []
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        type = parser.parse_type()
        if not isa(type, MemRefType):
            parser.raise_error(f"expected a memref type, found {type}", position, parser.pos)
        operation = cls(
            type,
            [parser.resolve_operand(size, IndexType()) for size in sizes],
            [parser.resolve_operand(symbol, IndexType()) for symbol in symbols],
            waited,
            is_async=bool(results),
            host_shared=host_shared,
        )
        operation.attributes |= attributes
        return operation

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        print_async(printer, self.async_token, self.async_dependencies)
        printer.print_string(" host_shared " if self.host_shared is not None else " ")
        with printer.in_parens():
            printer.print_list(self.dynamic_sizes, printer.print_ssa_value)
        if self.symbol_operands:
            with printer.in_square_brackets():
                printer.print_list(self.symbol_operands, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)

    def verify_(self) -> None:
        """Every dynamic extent has a size."""
        type = self.memref.type
        assert isa(type, MemRefType)
        dynamic = type.get_shape().count(DYNAMIC_INDEX)
        if len(self.dynamic_sizes) != dynamic:
            raise VerifyException(
                f"'dynamicSizes' has {len(self.dynamic_sizes)} entries, {type} has {dynamic} "
                "dynamic extents"
            )


def _parse_memory(
    parser: Parser, number: int
) -> tuple[list[SSAValue], list[Attribute], dict[str, Attribute]]:
    """Read `async [%tokens] %operands : types {...}`: all operands, result types, attributes."""
    results, waited = parse_async(parser)
    position = parser.pos
    operands = parser.parse_comma_separated_list(
        parser.Delimiter.NONE, parser.parse_unresolved_operand
    )
    if len(operands) != number:
        parser.raise_error(f"expected {number} operands, found {len(operands)}", position)
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    resolved = parser.resolve_operands(operands, types, position)
    return [*waited, *resolved], results, parser.parse_optional_attr_dict()


def _print_memory(
    printer: Printer,
    operation: IRDLOperation,
    token: SSAValue | None,
    waited: Sequence[SSAValue],
    operands: Sequence[SSAValue],
) -> None:
    print_async(printer, token, waited)
    printer.print_string(" ")
    printer.print_list(operands, printer.print_ssa_value)
    printer.print_string(" : ")
    printer.print_list([operand.type for operand in operands], printer.print_attribute)
    printer.print_op_attributes(operation.attributes)


@irdl_op_definition
class DeallocOp(IRDLOperation):
    """Gives memory of the device back."""

    name = "gpu.dealloc"

    async_dependencies = var_operand_def(AsyncTokenType)
    memref = operand_def(MemRefType)
    async_token = opt_result_def(AsyncTokenType)

    def __init__(
        self,
        memref: SSAValue | Operation,
        async_dependencies: Sequence[SSAValue | Operation] = (),
        *,
        is_async: bool = False,
    ) -> None:
        super().__init__(
            operands=[async_dependencies, memref], result_types=token_types(is_async=is_async)
        )

    @classmethod
    def parse(cls, parser: Parser) -> "DeallocOp":
        """Read `async [%tokens] %memref {...} : type`."""
        results, waited = parse_async(parser)
        memref = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        operands = [*waited, parser.resolve_operand(memref, parser.parse_type())]
        return cls.create(operands=operands, result_types=results, attributes=attributes)

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        print_async(printer, self.async_token, self.async_dependencies)
        printer.print_string(" ")
        printer.print_ssa_value(self.memref)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)


@irdl_op_definition
class MemcpyOp(IRDLOperation):
    """All elements of one buffer into another."""

    name = "gpu.memcpy"

    async_dependencies = var_operand_def(AsyncTokenType)
    dst = operand_def(MemRefType)
    src = operand_def(MemRefType)
    async_token = opt_result_def(AsyncTokenType)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        dst: SSAValue | Operation,
        src: SSAValue | Operation,
        async_dependencies: Sequence[SSAValue | Operation] = (),
        *,
        is_async: bool = False,
    ) -> None:
        super().__init__(
            operands=[async_dependencies, dst, src], result_types=token_types(is_async=is_async)
        )

    @classmethod
    def parse(cls, parser: Parser) -> "MemcpyOp":
        """Read `async [%tokens] %dst, %src : type, type {...}`."""
        operands, results, attributes = _parse_memory(parser, 2)
        return cls.create(operands=operands, result_types=results, attributes=attributes)

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        waited = self.async_dependencies
        _print_memory(printer, self, self.async_token, waited, [self.dst, self.src])

    def verify_(self) -> None:
        """The buffers hold the same elements in compatible shapes."""
        dst, src = self.dst.type, self.src.type
        assert isa(dst, MemRefType)
        assert isa(src, MemRefType)
        if dst.element_type != src.element_type:
            raise VerifyException(f"'src' is {src}, it has to hold elements of {dst}")
        agree = len(dst.get_shape()) == len(src.get_shape()) and all(
            a < 0 or b < 0 or a == b for a, b in zip(dst.get_shape(), src.get_shape(), strict=True)
        )
        if not agree:
            raise VerifyException(f"'src' is {src}, it has to have the shape of {dst}")


@irdl_op_definition
class MemsetOp(IRDLOperation):
    """One value into all elements of a buffer."""

    name = "gpu.memset"

    async_dependencies = var_operand_def(AsyncTokenType)
    dst = operand_def(MemRefType)
    value = operand_def()
    async_token = opt_result_def(AsyncTokenType)

    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        dst: SSAValue | Operation,
        value: SSAValue | Operation,
        async_dependencies: Sequence[SSAValue | Operation] = (),
        *,
        is_async: bool = False,
    ) -> None:
        super().__init__(
            operands=[async_dependencies, dst, value], result_types=token_types(is_async=is_async)
        )

    @classmethod
    def parse(cls, parser: Parser) -> "MemsetOp":
        """Read `async [%tokens] %dst, %value : type, type {...}`."""
        operands, results, attributes = _parse_memory(parser, 2)
        return cls.create(operands=operands, result_types=results, attributes=attributes)

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        waited = self.async_dependencies
        _print_memory(printer, self, self.async_token, waited, [self.dst, self.value])

    def verify_(self) -> None:
        """The buffer holds elements of the value's type."""
        dst = self.dst.type
        assert isa(dst, MemRefType)
        if dst.element_type != self.value.type:
            raise VerifyException(f"'value' is {self.value.type}, 'dst' is {dst}")


@irdl_op_definition
class HostRegisterOp(IRDLOperation):
    """Lets the device use memory of the host."""

    name = "gpu.host_register"

    value = operand_def(UnrankedMemRefType)

    assembly_format = "$value attr-dict `:` type($value)"

    def __init__(self, value: SSAValue | Operation) -> None:
        super().__init__(operands=[value])


@irdl_op_definition
class HostUnregisterOp(IRDLOperation):
    """Takes memory of the host back."""

    name = "gpu.host_unregister"

    value = operand_def(UnrankedMemRefType)

    assembly_format = "$value attr-dict `:` type($value)"

    def __init__(self, value: SSAValue | Operation) -> None:
        super().__init__(operands=[value])


@irdl_op_definition
class SetDefaultDeviceOp(IRDLOperation):
    """Chooses the device for what follows."""

    name = "gpu.set_default_device"

    dev_index = operand_def(i32)

    assembly_format = "attr-dict $dev_index"

    traits = traits_def(MemoryWriteEffect())

    def __init__(self, dev_index: SSAValue | Operation) -> None:
        super().__init__(operands=[dev_index])


@irdl_op_definition
class DynamicSharedMemoryOp(IRDLOperation):
    """The shared memory whose size the launch gives, in bytes."""

    name = "gpu.dynamic_shared_memory"

    result = result_def(MemRefType)

    assembly_format = "attr-dict `:` type($result)"

    traits = traits_def(Pure())

    def __init__(self, result_type: MemRefType) -> None:
        super().__init__(result_types=[result_type])

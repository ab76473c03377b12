"""Launches of kernels: by name, or of a body.

Source: `llvm 22.1.8 mlir/Dialect/GPU/IR/GPUOps.td`, the text as mlir-opt 22 prints it.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    SymbolRefAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    AnyOf,
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_attr_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.upstream.gpu.attributes import AsyncTokenType
from xetile.dialects.upstream.gpu.host import parse_async, print_async, token_types

SIZE = AnyOf.get(IndexType(), i32, i64)

_Three = Sequence[SSAValue | Operation]


def _optional_three(values: _Three | None) -> list[list[SSAValue | Operation]]:
    return [[], [], []] if values is None else [[value] for value in values]


def _check_three(**sizes: _Three | None) -> None:
    for name, values in sizes.items():
        if values is not None and len(values) != 3:
            raise ValueError(f"{name} has {len(values)} entries, a launch has 3")


@irdl_op_definition
class LaunchFuncOp(IRDLOperation):
    """Launches a kernel: sizes in workgroups for the grid, in work-items for a block."""

    name = "gpu.launch_func"

    async_dependencies = var_operand_def(AsyncTokenType)
    grid_size_x = operand_def(SIZE)
    grid_size_y = operand_def(SIZE)
    grid_size_z = operand_def(SIZE)
    block_size_x = operand_def(SIZE)
    block_size_y = operand_def(SIZE)
    block_size_z = operand_def(SIZE)
    cluster_size_x = opt_operand_def(SIZE)
    cluster_size_y = opt_operand_def(SIZE)
    cluster_size_z = opt_operand_def(SIZE)
    dynamic_shared_memory_size = opt_operand_def(i32)
    kernel_operands = var_operand_def()
    async_object = opt_operand_def()
    kernel = prop_def(SymbolRefAttr)
    async_token = opt_result_def(AsyncTokenType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        kernel: SymbolRefAttr,
        grid_size: _Three,
        block_size: _Three,
        kernel_operands: Sequence[SSAValue | Operation] = (),
        *,
        cluster_size: _Three | None = None,
        dynamic_shared_memory_size: SSAValue | Operation | None = None,
        async_dependencies: Sequence[SSAValue | Operation] = (),
        is_async: bool = False,
        async_object: SSAValue | Operation | None = None,
    ) -> None:
        """Launch; `dynamic_shared_memory_size` in bytes."""
        _check_three(grid_size=grid_size, block_size=block_size, cluster_size=cluster_size)
        super().__init__(
            operands=[
                async_dependencies,
                *grid_size,
                *block_size,
                *_optional_three(cluster_size),
                dynamic_shared_memory_size,
                kernel_operands,
                async_object,
            ],
            result_types=token_types(is_async=is_async),
            properties={"kernel": kernel},
        )

    @property
    def grid_size(self) -> tuple[SSAValue, SSAValue, SSAValue]:
        """In workgroups."""
        return self.grid_size_x, self.grid_size_y, self.grid_size_z

    @property
    def block_size(self) -> tuple[SSAValue, SSAValue, SSAValue]:
        """In work-items."""
        return self.block_size_x, self.block_size_y, self.block_size_z

    @property
    def cluster_size(self) -> tuple[SSAValue, SSAValue, SSAValue] | None:
        """In workgroups."""
        x, y, z = self.cluster_size_x, self.cluster_size_y, self.cluster_size_z
        return None if x is None or y is None or z is None else (x, y, z)

    @classmethod
    def parse(cls, parser: Parser) -> "LaunchFuncOp":
        """Read the kernel's name, `blocks in (...) threads in (...)` and what may follow."""
        results, waited = parse_async(parser)
        async_object = _parse_async_object(parser)
        position = parser.pos
        kernel = parser.parse_attribute()
        if not isinstance(kernel, SymbolRefAttr):
            parser.raise_error(f"expected the name of a kernel, found {kernel}", position)
        clusters = None
        if parser.parse_optional_keyword("clusters") is not None:
            clusters = _parse_sizes(parser)
        parser.parse_keyword("blocks")
        blocks = _parse_sizes(parser)
        parser.parse_keyword("threads")
        threads = _parse_sizes(parser)
        type: Attribute = IndexType()
        if parser.parse_optional_punctuation(":") is not None:
            type = parser.parse_type()
        shared = _parse_shared_size(parser)
        arguments: list[SSAValue] = []
        if parser.parse_optional_keyword("args") is not None:
            arguments = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: _parse_typed(parser)
            )

        def resolve(sizes: Sequence[UnresolvedOperand]) -> list[SSAValue]:
            return [parser.resolve_operand(size, type) for size in sizes]

        operation = cls(
            kernel,
            resolve(blocks),
            resolve(threads),
            arguments,
            cluster_size=None if clusters is None else resolve(clusters),
            dynamic_shared_memory_size=shared,
            async_dependencies=waited,
            is_async=bool(results),
            async_object=async_object,
        )
        operation.attributes |= parser.parse_optional_attr_dict()
        return operation

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads, with mlir-opt's spaces."""
        print_async(printer, self.async_token, self.async_dependencies)
        if self.async_object is not None:
            printer.print_string("<")
            _print_typed(printer, self.async_object)
            printer.print_string(">")
        printer.print_string(" ")
        printer.print_attribute(self.kernel)
        if self.cluster_size is not None:
            _print_sizes(printer, " clusters in ", self.cluster_size)
        _print_sizes(printer, " blocks in ", self.grid_size)
        _print_sizes(printer, " threads in ", self.block_size)
        printer.print_string(" ")
        if self.grid_size_x.type != IndexType():
            printer.print_string(": ")
            printer.print_attribute(self.grid_size_x.type)
        if self.dynamic_shared_memory_size is not None:
            printer.print_string(" dynamic_shared_memory_size ")
            printer.print_ssa_value(self.dynamic_shared_memory_size)
        printer.print_string(" ")
        if self.kernel_operands:
            printer.print_string("args")
            with printer.in_parens():
                printer.print_list(self.kernel_operands, lambda value: _print_typed(printer, value))
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        """All sizes have one type."""
        sizes = (*self.grid_size, *self.block_size, *(self.cluster_size or ()))
        types = {size.type for size in sizes}
        if len(types) > 1:
            found = ", ".join(sorted(map(str, types)))
            raise VerifyException(f"'gridSizeX' and the other sizes have the types {found}")


def _parse_async_object(parser: Parser) -> SSAValue | None:
    if parser.parse_optional_punctuation("<") is None:
        return None
    value = _parse_typed(parser)
    parser.parse_punctuation(">")
    return value


def _parse_sizes(parser: Parser) -> list[UnresolvedOperand]:
    parser.parse_keyword("in")
    position = parser.pos
    sizes = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, parser.parse_unresolved_operand
    )
    if len(sizes) != 3:
        parser.raise_error(f"expected 3 sizes, found {len(sizes)}", position, parser.pos)
    return sizes


def _print_sizes(printer: Printer, keyword: str, sizes: Sequence[SSAValue]) -> None:
    printer.print_string(keyword)
    with printer.in_parens():
        printer.print_list(sizes, printer.print_ssa_value)


def _parse_shared_size(parser: Parser) -> SSAValue | None:
    if parser.parse_optional_keyword("dynamic_shared_memory_size") is None:
        return None
    return parser.resolve_operand(parser.parse_unresolved_operand(), i32)


def _parse_typed(parser: Parser) -> SSAValue:
    operand = parser.parse_unresolved_operand()
    parser.parse_punctuation(":")
    return parser.resolve_operand(operand, parser.parse_type())


def _print_typed(printer: Printer, value: SSAValue) -> None:
    printer.print_ssa_value(value)
    printer.print_string(" : ")
    printer.print_attribute(value.type)


@irdl_op_definition
class LaunchOp(IRDLOperation):
    """Launches its body.

    The entry block's arguments are: block ids, thread ids, grid sizes, block sizes, then, with clusters,
    cluster ids and cluster sizes (three each, x first), then the workgroup and private buffers.
    """

    name = "gpu.launch"

    async_dependencies = var_operand_def(AsyncTokenType)
    grid_size_x = operand_def(IndexType())
    grid_size_y = operand_def(IndexType())
    grid_size_z = operand_def(IndexType())
    block_size_x = operand_def(IndexType())
    block_size_y = operand_def(IndexType())
    block_size_z = operand_def(IndexType())
    cluster_size_x = opt_operand_def(IndexType())
    cluster_size_y = opt_operand_def(IndexType())
    cluster_size_z = opt_operand_def(IndexType())
    dynamic_shared_memory_size = opt_operand_def(i32)
    module = opt_prop_def(SymbolRefAttr)
    function = opt_prop_def(SymbolRefAttr)
    workgroup_attributions = opt_attr_def(IntegerAttr[IntegerType])
    async_token = opt_result_def(AsyncTokenType)
    body = region_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        grid_size: _Three,
        block_size: _Three,
        body: Region,
        *,
        cluster_size: _Three | None = None,
        dynamic_shared_memory_size: SSAValue | Operation | None = None,
        async_dependencies: Sequence[SSAValue | Operation] = (),
        is_async: bool = False,
        workgroup_attributions: int = 0,
    ) -> None:
        """Launch; `dynamic_shared_memory_size` in bytes."""
        _check_three(grid_size=grid_size, block_size=block_size, cluster_size=cluster_size)
        attributes: dict[str, Attribute | None] = {}
        if workgroup_attributions:
            attributes["workgroup_attributions"] = IntegerAttr(workgroup_attributions, i64)
        super().__init__(
            operands=[
                async_dependencies,
                *grid_size,
                *block_size,
                *_optional_three(cluster_size),
                dynamic_shared_memory_size,
            ],
            result_types=token_types(is_async=is_async),
            attributes=attributes,
            regions=[body],
        )

    @property
    def has_clusters(self) -> bool:
        """Whether the workgroups come in clusters."""
        return self.cluster_size_x is not None

    @property
    def _ids(self) -> int:
        return 18 if self.has_clusters else 12

    @property
    def buffers(self) -> tuple[tuple[BlockArgument, ...], tuple[BlockArgument, ...]]:
        """The workgroup's and the work-item's buffers."""
        number = self.workgroup_attributions
        shared = 0 if number is None else number.value.data
        arguments = self.body.blocks[0].args[self._ids :]
        return arguments[:shared], arguments[shared:]

    @classmethod
    def parse(cls, parser: Parser) -> "LaunchOp":
        """Read `blocks(%x, %y, %z) in (%sx = %a, ...) threads(...) in (...) { ... } {...}`."""
        results, waited = parse_async(parser)
        clusters = _Axes.parse(parser, "clusters", optional=True)
        blocks = _Axes.parse(parser, "blocks")
        threads = _Axes.parse(parser, "threads")
        assert blocks is not None
        assert threads is not None
        shared_size = _parse_shared_size(parser)
        names = _parse_names(parser)
        shared = _parse_buffers(parser, "workgroup")
        private = _parse_buffers(parser, "private")
        arguments = [*blocks.ids, *threads.ids, *blocks.sizes, *threads.sizes]
        if clusters is not None:
            arguments += [*clusters.ids, *clusters.sizes]
        operation = cls(
            blocks.operands,
            threads.operands,
            parser.parse_region([*arguments, *shared, *private]),
            cluster_size=None if clusters is None else clusters.operands,
            dynamic_shared_memory_size=shared_size,
            async_dependencies=waited,
            is_async=bool(results),
            workgroup_attributions=len(shared),
        )
        operation.properties |= names
        operation.attributes |= parser.parse_optional_attr_dict()
        return operation

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        if self.async_token is not None or self.async_dependencies:
            print_async(printer, self.async_token, self.async_dependencies)
        arguments = self.body.blocks[0].args
        if self.has_clusters:
            clusters = self.operands_of_clusters()
            _print_axes(printer, "clusters", arguments[12:15], arguments[15:18], clusters)
        grid = (self.grid_size_x, self.grid_size_y, self.grid_size_z)
        _print_axes(printer, "blocks", arguments[0:3], arguments[6:9], grid)
        block = (self.block_size_x, self.block_size_y, self.block_size_z)
        _print_axes(printer, "threads", arguments[3:6], arguments[9:12], block)
        if self.dynamic_shared_memory_size is not None:
            printer.print_string(" dynamic_shared_memory_size ")
            printer.print_ssa_value(self.dynamic_shared_memory_size)
        for name, symbol in (("module", self.module), ("function", self.function)):
            if symbol is not None:
                printer.print_string(f" {name}(")
                printer.print_attribute(symbol)
                printer.print_string(")")
        for name, buffers in zip(("workgroup", "private"), self.buffers, strict=True):
            if buffers:
                printer.print_string(f" {name}")
                with printer.in_parens():
                    printer.print_list(buffers, lambda value: _print_typed(printer, value))
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.print_op_attributes(
            self.attributes, reserved_attr_names=("workgroup_attributions",)
        )

    def operands_of_clusters(self) -> tuple[SSAValue, ...]:
        """The cluster sizes that there are."""
        sizes = (self.cluster_size_x, self.cluster_size_y, self.cluster_size_z)
        return tuple(size for size in sizes if size is not None)

    def verify_(self) -> None:
        """The body has an argument for every id and size."""
        if not self.body.blocks:
            raise VerifyException("'body' is empty")
        if len(self.operands_of_clusters()) not in (0, 3):
            raise VerifyException("'clusterSizeX', Y and Z have to be given together")
        found = [argument.type for argument in self.body.blocks[0].args[: self._ids]]
        if found != [IndexType()] * self._ids:
            listed = ", ".join(map(str, found))
            raise VerifyException(
                f"'body' has arguments ({listed}), it has to begin with {self._ids} of index"
            )


class _Axes:
    """`blocks(%x, %y, %z) in (%sx = %a, %sy = %b, %sz = %c)`."""

    def __init__(
        self,
        ids: list[Parser.Argument],
        sizes: list[Parser.Argument],
        operands: list[SSAValue],
    ) -> None:
        self.ids, self.sizes, self.operands = ids, sizes, operands

    @classmethod
    def parse(cls, parser: Parser, keyword: str, *, optional: bool = False) -> "_Axes | None":
        """Read them; None if they are optional and not there."""
        if optional and parser.parse_optional_keyword(keyword) is None:
            return None
        if not optional:
            parser.parse_keyword(keyword)
        position = parser.pos
        ids = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        parser.parse_keyword("in")
        sizes = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: _parse_assignment(parser)
        )
        if len(ids) != 3 or len(sizes) != 3:
            parser.raise_error(f"'{keyword}' has 3 ids and 3 sizes", position, parser.pos)
        return cls(
            [argument.resolve(IndexType()) for argument in ids],
            [argument for argument, _ in sizes],
            [operand for _, operand in sizes],
        )


def _parse_assignment(parser: Parser) -> tuple[Parser.Argument, SSAValue]:
    argument = parser.parse_argument(expect_type=False)
    parser.parse_punctuation("=")
    operand = parser.resolve_operand(parser.parse_unresolved_operand(), IndexType())
    return argument.resolve(IndexType()), operand


def _print_axes(
    printer: Printer,
    keyword: str,
    ids: Sequence[SSAValue],
    sizes: Sequence[SSAValue],
    operands: Sequence[SSAValue],
) -> None:
    def print_assignment(pair: tuple[SSAValue, SSAValue]) -> None:
        printer.print_ssa_value(pair[0])
        printer.print_string(" = ")
        printer.print_ssa_value(pair[1])

    _print_sizes(printer, f" {keyword}", ids)
    printer.print_string(" in ")
    with printer.in_parens():
        printer.print_list(zip(sizes, operands, strict=True), print_assignment)


def _parse_names(parser: Parser) -> dict[str, Attribute]:
    names: dict[str, Attribute] = {}
    for name in ("module", "function"):
        if parser.parse_optional_keyword(name) is None:
            continue
        with parser.in_parens():
            names[name] = SymbolRefAttr(parser.parse_symbol_name())
    return names


def _parse_buffers(parser: Parser, keyword: str) -> list[Parser.Argument]:
    if parser.parse_optional_keyword(keyword) is None:
        return []
    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)


@irdl_op_definition
class TerminatorOp(IRDLOperation):
    """Ends the body of a gpu.launch."""

    name = "gpu.terminator"

    assembly_format = "attr-dict"

    traits = traits_def(HasParent(LaunchOp), IsTerminator())

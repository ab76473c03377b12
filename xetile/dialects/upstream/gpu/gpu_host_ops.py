"""Device memory, copies, waiting and launches; xDSL 0.75 has no form of these ops (test_gpu.py fails once it has).

Source: `llvm 22.1.8 mlir/Dialect/GPU/IR/GPUOps.td`, the text as mlir-opt 22 prints it.
"""

from abc import ABC
from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    SymbolRefAttr,
    UnitAttr,
    UnrankedMemRefType,
    i32,
    i64,
)
from xdsl.dialects.utils import parse_assignment, print_assignment
from xdsl.ir import Attribute, BlockArgument, SSAValue
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
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsTerminator,
    MemoryReadEffect,
    MemoryWriteEffect,
    Pure,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.formats import formatted_op
from xetile.dialects.upstream.bases import listed
from xetile.dialects.upstream.gpu.gpu_attributes import (
    TOKEN,
    AsyncDependencies,
    AsyncTokenType,
    LaunchOperands,
    LaunchSizeType,
    parse_async,
    print_async,
    print_typed,
)
from xetile.dialects.upstream.memref.memref_layout import shapes_agree, verify_symbols
from xetile.hints import isa


def token_types(*, is_async: bool) -> list[list[Attribute]]:
    """The optional last result."""
    return [[TOKEN] if is_async else []]


_ASYNC = "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies)"


class _AsyncOp(IRDLOperation, ABC):
    """An op that may give a token; it waits for others, its first operands."""

    asyncToken = opt_result_def(AsyncTokenType)

    custom_directives = (AsyncDependencies,)


@formatted_op
class WaitOp(_AsyncOp):
    """Waits for the tokens; with `async` it gives one token for all."""

    name = "gpu.wait"

    asyncDependencies = var_operand_def(AsyncTokenType)

    assembly_format = _ASYNC + " attr-dict"


@formatted_op
class AllocOp(_AsyncOp):
    """Memory of the device."""

    name = "gpu.alloc"

    asyncDependencies = var_operand_def(AsyncTokenType)
    dynamicSizes = var_operand_def(IndexType())
    symbolOperands = var_operand_def(IndexType())
    hostShared = opt_prop_def(UnitAttr)
    result = result_def(MemRefType)

    assembly_format = (
        _ASYNC + " "
        "(`host_shared` $hostShared^)? ` ` `(` $dynamicSizes `)` "
        "(`` `[` $symbolOperands^ `]`)? attr-dict `:` type($result)"
    )

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def verify_(self) -> None:
        type = self.result.type
        assert isa(type, MemRefType)
        dynamic = type.get_shape().count(DYNAMIC_INDEX)
        if len(self.dynamicSizes) != dynamic:
            raise VerifyException(
                f"'dynamicSizes' has {len(self.dynamicSizes)} entries, {type} has {dynamic} "
                "dynamic extents"
            )
        verify_symbols(type, len(self.symbolOperands))


@formatted_op
class DeallocOp(_AsyncOp):
    """Gives memory of the device back."""

    name = "gpu.dealloc"

    asyncDependencies = var_operand_def(AsyncTokenType)
    buffer = operand_def(MemRefType)

    assembly_format = _ASYNC + " $buffer attr-dict `:` type($buffer)"


@formatted_op
class MemcpyOp(_AsyncOp):
    """All elements of one buffer into another."""

    name = "gpu.memcpy"

    asyncDependencies = var_operand_def(AsyncTokenType)
    dst = operand_def(MemRefType)
    src = operand_def(MemRefType)

    assembly_format = _ASYNC + " $dst `,` $src `:` type($dst) `,` type($src) attr-dict"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def verify_(self) -> None:
        dst, src = self.dst.type, self.src.type
        assert isa(dst, MemRefType)
        assert isa(src, MemRefType)
        if dst.element_type != src.element_type:
            raise VerifyException(f"'src' is {src}, it has to hold elements of {dst}")
        if not shapes_agree(dst, src):
            raise VerifyException(f"'src' is {src}, it has to have the shape of {dst}")


@formatted_op
class MemsetOp(_AsyncOp):
    """One value into all elements of a buffer."""

    name = "gpu.memset"

    asyncDependencies = var_operand_def(AsyncTokenType)
    dst = operand_def(MemRefType)
    value = operand_def()

    assembly_format = _ASYNC + " $dst `,` $value `:` type($dst) `,` type($value) attr-dict"

    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        dst = self.dst.type
        assert isa(dst, MemRefType)
        if dst.element_type != self.value.type:
            raise VerifyException(f"'value' is {self.value.type}, 'dst' is {dst}")


class _HostMemoryOp(IRDLOperation, ABC):
    value = operand_def(UnrankedMemRefType)

    assembly_format = "$value attr-dict `:` type($value)"


@formatted_op
class HostRegisterOp(_HostMemoryOp):
    """Lets the device use memory of the host."""

    name = "gpu.host_register"


@formatted_op
class HostUnregisterOp(_HostMemoryOp):
    """Takes memory of the host back."""

    name = "gpu.host_unregister"


@formatted_op
class SetDefaultDeviceOp(IRDLOperation):
    """Chooses the device for what follows."""

    name = "gpu.set_default_device"

    devIndex = operand_def(i32)

    assembly_format = "attr-dict $devIndex"

    traits = traits_def(MemoryWriteEffect())


@formatted_op
class DynamicSharedMemoryOp(IRDLOperation):
    """The shared memory whose size the launch gives, in bytes."""

    name = "gpu.dynamic_shared_memory"

    result = result_def(MemRefType)

    assembly_format = "attr-dict `:` type($result)"

    traits = traits_def(Pure())


SIZE = AnyOf.get(IndexType(), i32, i64)


def _verify_clusters(*sizes: SSAValue | None) -> None:
    if sizes.count(None) not in (0, 3):
        raise VerifyException("'clusterSizeX', Y and Z have to be given together")


@formatted_op
class LaunchFuncOp(IRDLOperation):
    """Launches a kernel: sizes in workgroups for the grid, in work-items for a block."""

    name = "gpu.launch_func"

    asyncDependencies = var_operand_def(AsyncTokenType)
    gridSizeX = operand_def(SIZE)
    gridSizeY = operand_def(SIZE)
    gridSizeZ = operand_def(SIZE)
    blockSizeX = operand_def(SIZE)
    blockSizeY = operand_def(SIZE)
    blockSizeZ = operand_def(SIZE)
    clusterSizeX = opt_operand_def(SIZE)
    clusterSizeY = opt_operand_def(SIZE)
    clusterSizeZ = opt_operand_def(SIZE)
    dynamicSharedMemorySize = opt_operand_def(i32)
    kernelOperands = var_operand_def()
    asyncObject = opt_operand_def()
    kernel = prop_def(SymbolRefAttr)
    asyncToken = opt_result_def(AsyncTokenType)

    assembly_format = (
        _ASYNC + " "
        "(`<` $asyncObject^ `:` type($asyncObject) `>`)? $kernel "
        "(`clusters` `in` ` ` `(` $clusterSizeX^ `,` $clusterSizeY `,` $clusterSizeZ `)`)? "
        "`blocks` `in` ` ` `(` $gridSizeX `,` $gridSizeY `,` $gridSizeZ `)` "
        "`threads` `in` ` ` `(` $blockSizeX `,` $blockSizeY `,` $blockSizeZ `)` "
        "custom<LaunchSizeType>(type($gridSizeX), type($gridSizeY), type($gridSizeZ), "
        "type($blockSizeX), type($blockSizeY), type($blockSizeZ), "
        "type($clusterSizeX), type($clusterSizeY), type($clusterSizeZ)) "
        "(`dynamic_shared_memory_size` $dynamicSharedMemorySize^)? "
        "custom<LaunchOperands>($kernelOperands, type($kernelOperands)) attr-dict"
    )
    custom_directives = (AsyncDependencies, LaunchOperands, LaunchSizeType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @property
    def grid_size(self) -> tuple[SSAValue, SSAValue, SSAValue]:
        """In workgroups."""
        return self.gridSizeX, self.gridSizeY, self.gridSizeZ

    @property
    def block_size(self) -> tuple[SSAValue, SSAValue, SSAValue]:
        """In work-items."""
        return self.blockSizeX, self.blockSizeY, self.blockSizeZ

    @property
    def cluster_size(self) -> tuple[SSAValue, SSAValue, SSAValue] | None:
        """In workgroups."""
        x, y, z = self.clusterSizeX, self.clusterSizeY, self.clusterSizeZ
        return None if x is None or y is None or z is None else (x, y, z)

    def verify_(self) -> None:
        _verify_clusters(self.clusterSizeX, self.clusterSizeY, self.clusterSizeZ)
        sizes = (*self.grid_size, *self.block_size, *(self.cluster_size or ()))
        types = {size.type for size in sizes}
        if len(types) > 1:
            found = ", ".join(sorted(map(str, types)))
            raise VerifyException(f"'gridSizeX' and the other sizes have the types {found}")


@irdl_op_definition
class LaunchOp(IRDLOperation):
    """Launches its body.

    The entry block's arguments are: block ids, thread ids, grid sizes, block sizes, then,
    with clusters, cluster ids and cluster sizes (three each, x first), then the workgroup
    and private buffers.
    """

    name = "gpu.launch"

    asyncDependencies = var_operand_def(AsyncTokenType)
    gridSizeX = operand_def(IndexType())
    gridSizeY = operand_def(IndexType())
    gridSizeZ = operand_def(IndexType())
    blockSizeX = operand_def(IndexType())
    blockSizeY = operand_def(IndexType())
    blockSizeZ = operand_def(IndexType())
    clusterSizeX = opt_operand_def(IndexType())
    clusterSizeY = opt_operand_def(IndexType())
    clusterSizeZ = opt_operand_def(IndexType())
    dynamicSharedMemorySize = opt_operand_def(i32)
    module = opt_prop_def(SymbolRefAttr)
    function = opt_prop_def(SymbolRefAttr)
    workgroup_attributions = opt_attr_def(IntegerAttr[IntegerType])
    asyncToken = opt_result_def(AsyncTokenType)
    body = region_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(RecursiveMemoryEffect())

    @property
    def has_clusters(self) -> bool:
        """True if the launch groups workgroups in clusters."""
        return self.clusterSizeX is not None

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
        is_async, waited = parse_async(parser)
        clusters = _parse_axes(parser, parser.parse_optional_keyword("clusters"))
        blocks = _parse_axes(parser, parser.parse_keyword("blocks"))
        threads = _parse_axes(parser, parser.parse_keyword("threads"))
        shared_size = None
        if parser.parse_optional_keyword("dynamic_shared_memory_size") is not None:
            shared_size = parser.resolve_operand(parser.parse_unresolved_operand(), i32)
        names = _parse_names(parser)
        shared = _parse_buffers(parser, "workgroup")
        private = _parse_buffers(parser, "private")
        ids = [*blocks.ids, *threads.ids, *blocks.sizes, *threads.sizes]
        arguments = [*ids, *clusters.ids, *clusters.sizes, *shared, *private]
        body = parser.parse_region(arguments)
        tokens = [parser.resolve_operand(token, TOKEN) for token in waited]
        sizes = [*blocks.operands, *threads.operands]
        in_clusters = [[size] for size in clusters.operands] or [[], [], []]
        attributes = (
            {"workgroup_attributions": IntegerAttr(len(shared), i64)} if shared else {}
        )
        return cls(
            operands=[tokens, *sizes, *in_clusters, shared_size],
            result_types=token_types(is_async=is_async),
            properties=names,
            attributes=attributes | parser.parse_optional_attr_dict(),
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        is_async = self.asyncToken is not None
        if is_async or self.asyncDependencies:
            print_async(printer, self.asyncDependencies, is_async=is_async)
        arguments = self.body.blocks[0].args
        operands = self.operands[len(self.asyncDependencies) :]
        if self.has_clusters:
            _print_axes(printer, "clusters", arguments[12:15], arguments[15:18], operands[6:9])
        _print_axes(printer, "blocks", arguments[0:3], arguments[6:9], operands[0:3])
        _print_axes(printer, "threads", arguments[3:6], arguments[9:12], operands[3:6])
        if self.dynamicSharedMemorySize is not None:
            printer.print_string(" dynamic_shared_memory_size ")
            printer.print_ssa_value(self.dynamicSharedMemorySize)
        for name, symbol in (("module", self.module), ("function", self.function)):
            if symbol is not None:
                printer.print_string(f" {name}({symbol})")
        for name, buffers in zip(("workgroup", "private"), self.buffers, strict=True):
            if buffers:
                printer.print_string(f" {name}")
                with printer.in_parens():
                    printer.print_list(buffers, lambda value: print_typed(printer, value))
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        hidden = ("workgroup_attributions",)
        printer.print_op_attributes(self.attributes, reserved_attr_names=hidden)

    def verify_(self) -> None:
        if not self.body.blocks:
            raise VerifyException("'body' is empty")
        _verify_clusters(self.clusterSizeX, self.clusterSizeY, self.clusterSizeZ)
        found = [argument.type for argument in self.body.blocks[0].args[: self._ids]]
        if found != [IndexType()] * self._ids:
            raise VerifyException(
                f"'body' has arguments {listed(found)}, it has to begin with {self._ids} of index"
            )


class _Axes(NamedTuple):
    """The parsed `blocks(%x, %y, %z) in (%sx = %a, %sy = %b, %sz = %c)`: ids, sizes and operands, three of each."""

    ids: list[Parser.Argument]
    sizes: list[Parser.Argument]
    operands: list[SSAValue]


def _parse_axes(parser: Parser, keyword: str | None) -> _Axes:
    if keyword is None:
        return _Axes([], [], [])
    position = parser.pos
    ids = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
    )
    parser.parse_keyword("in")
    pairs = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parse_assignment(parser)
    )
    if len(ids) != 3 or len(pairs) != 3:
        parser.raise_error(f"'{keyword}' has 3 ids and 3 sizes", position, parser.pos)
    return _Axes(
        [argument.resolve(IndexType()) for argument in ids],
        [argument.resolve(IndexType()) for argument, _ in pairs],
        [parser.resolve_operand(operand, IndexType()) for _, operand in pairs],
    )


def _print_axes(
    printer: Printer,
    keyword: str,
    ids: Sequence[SSAValue],
    sizes: Sequence[BlockArgument],
    operands: Sequence[SSAValue],
) -> None:
    printer.print_string(f" {keyword}")
    with printer.in_parens():
        printer.print_list(ids, printer.print_ssa_value)
    printer.print_string(" in ")
    with printer.in_parens():
        pairs = zip(sizes, operands, strict=True)
        printer.print_list(pairs, lambda pair: print_assignment(printer, *pair))


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


@formatted_op
class TerminatorOp(IRDLOperation):
    """Ends the body of a gpu.launch."""

    name = "gpu.terminator"

    assembly_format = "attr-dict"

    traits = traits_def(HasParent(LaunchOp), IsTerminator())

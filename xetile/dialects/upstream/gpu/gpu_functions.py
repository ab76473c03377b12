"""gpu.module, gpu.func, gpu.return and gpu.binary; xDSL 0.75 has no form of them (test_gpu.py fails once it has).

Upstream's form of gpu.func is written by hand, too. gpu.binary is what upstream makes of a gpu.module.
Source: `llvm 22.1.8 mlir/Dialect/GPU/IR/{GPUOps,CompilationAttrs}.td`.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
    UnregisteredAttr,
    i32,
    i64,
)
from xdsl.dialects.utils import print_func_argument, print_func_output
from xdsl.ir import (
    Attribute,
    Block,
    BlockArgument,
    Operation,
    ParametrizedAttribute,
    Region,
    SSAValue,
)
from xdsl.irdl import (
    IRDLOperation,
    attr_def,
    irdl_attr_definition,
    irdl_op_definition,
    opt_attr_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    NoTerminator,
    ReturnLike,
    SymbolOpInterface,
    SymbolTable,
)
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.formats import formatted_op
from xetile.dialects.structs import Field, StructAttr, attribute_field, parse_parameter
from xetile.dialects.upstream.bases import listed
from xetile.dialects.upstream.gpu.gpu_attributes import (
    AddressSpace,
    AddressSpaceAttr,
    OffloadingHandler,
    SingleBlock,
    Targets,
    print_typed,
)
from xetile.hints import isa

_Argument = tuple[Parser.Argument, DictionaryAttr]
_Item = TypeVar("_Item")


def parse_arguments(parser: Parser) -> list[_Argument]:
    """Arguments in parentheses, each with the dictionary of its attributes."""

    def parse_argument() -> _Argument:
        argument = parser.parse_argument()
        attributes = DictionaryAttr(parser.parse_optional_dictionary_attr_dict())
        argument.location = parser.parse_optional_location()
        return argument, attributes

    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_argument)


def parse_results(parser: Parser) -> list[tuple[Attribute, DictionaryAttr]]:
    """Types behind an arrow, each with the dictionary of its attributes; none without the arrow."""

    def parse_result() -> tuple[Attribute, DictionaryAttr]:
        return parser.parse_type(), DictionaryAttr(
            parser.parse_optional_dictionary_attr_dict()
        )

    if parser.parse_optional_punctuation("->") is None:
        return []
    found = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parse_result)
    return [(parser.parse_type(), DictionaryAttr({}))] if found is None else found


def dictionaries(
    arguments: Sequence[tuple[object, DictionaryAttr]],
) -> ArrayAttr[DictionaryAttr] | None:
    """The dictionaries of what was read, None where all are empty."""
    if not any(attributes.data for _, attributes in arguments):
        return None
    return ArrayAttr(attributes for _, attributes in arguments)


def print_all(
    printer: Printer,
    items: Sequence[_Item],
    attributes: ArrayAttr[DictionaryAttr] | None,
    print_one: Callable[[Printer, _Item, DictionaryAttr | None], None],
) -> None:
    """Items in parentheses, each with its dictionary, if there is any."""
    dictionaries = [None] * len(items) if attributes is None else attributes.data
    with printer.in_parens():
        printer.print_list(
            zip(items, dictionaries, strict=True), lambda pair: print_one(printer, *pair)
        )


def print_buffer(
    printer: Printer, buffer: BlockArgument, attributes: DictionaryAttr | None
) -> None:
    """A buffer with its type and its attributes."""
    print_typed(printer, buffer)
    if attributes is not None:
        printer.print_op_attributes(attributes.data)


@formatted_op
class ModuleOp(IRDLOperation):
    """The symbols of one device binary: `gpu.module @name [#target] attributes {...} { }`."""

    name = "gpu.module"

    sym_name = prop_def(SymbolNameConstraint())
    targets = opt_prop_def(ArrayAttr)
    offloading_handler = opt_prop_def(Attribute, prop_name="offloadingHandler")
    body = region_def("single_block")

    assembly_format = (
        "$sym_name (`<` $offloadingHandler^ `>`)? custom<Targets>($targets) "
        "attr-dict-with-keyword custom<SingleBlock>($body)"
    )
    custom_directives = (
        Targets,
        SingleBlock,
    )

    traits = traits_def(
        IsolatedFromAbove(), NoTerminator(), SymbolOpInterface(), SymbolTable()
    )

    def __init__(self, name: str, body: Sequence[Operation] = ()) -> None:
        super().__init__(
            properties={"sym_name": StringAttr(name)}, regions=[Region(Block(body))]
        )

    def verify_(self) -> None:
        targets = None if self.targets is None else self.targets.data
        if targets is not None and not (targets and all(map(_is_target, targets))):
            raise VerifyException(
                "'targets' has to be an array of one or more targets, such as #xevm.target"
            )


def _is_target(attribute: Attribute) -> bool:
    """Return True for an attribute that names a compilation target; its dialect may be one that xDSL lacks."""
    name = (
        attribute.attr_name.data if isinstance(attribute, UnregisteredAttr) else attribute.name
    )
    return name.endswith(".target")


@irdl_op_definition
class FuncOp(IRDLOperation):
    """A function or kernel of a gpu.module.

    The entry block's arguments are the function's, then one per workgroup attribution
    (buffers that the workgroup shares), then one per private attribution. `known_block_size`
    counts work-items, `known_grid_size` workgroups, both x first.
    """

    name = "gpu.func"

    sym_name = attr_def(SymbolNameConstraint())
    kernel = opt_attr_def(UnitAttr, attr_name="gpu.kernel")
    workgroup_attributions = opt_attr_def(IntegerAttr[IntegerType])
    function_type = prop_def(FunctionType)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    workgroup_attrib_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    private_attrib_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    known_block_size = opt_prop_def(DenseArrayBase[IntegerType])
    known_grid_size = opt_prop_def(DenseArrayBase[IntegerType])
    known_cluster_size = opt_prop_def(DenseArrayBase[IntegerType])
    body = region_def()

    traits = traits_def(IsolatedFromAbove(), HasParent(ModuleOp), SymbolOpInterface())

    # What the attribute dictionary of the custom form
    # does not show, and what it shows besides.
    HIDDEN: ClassVar = ("sym_name", "gpu.kernel", "workgroup_attributions")
    SIZES: ClassVar = ("known_block_size", "known_grid_size", "known_cluster_size")

    def __init__(
        self,
        name: str,
        function_type: FunctionType | tuple[Sequence[Attribute], Sequence[Attribute]],
        region: Region | None = None,
        *,
        kernel: bool = False,
        workgroup_attributions: int = 0,
        **properties: Attribute | None,
    ) -> None:
        """Make a function; without a `region` it gets an empty entry block."""
        if not isinstance(function_type, FunctionType):
            function_type = FunctionType.from_lists(*function_type)
        shared = IntegerAttr(workgroup_attributions, i64) if workgroup_attributions else None
        super().__init__(
            properties={"function_type": function_type, **properties},
            attributes={
                "sym_name": StringAttr(name),
                "gpu.kernel": UnitAttr() if kernel else None,
                "workgroup_attributions": shared,
            },
            regions=[
                Region(Block(arg_types=function_type.inputs)) if region is None else region
            ],
        )

    @property
    def is_kernel(self) -> bool:
        """True if the host can launch the function."""
        return self.kernel is not None

    @property
    def arguments(self) -> tuple[BlockArgument, ...]:
        """The function's own arguments, without the attributions."""
        return self.body.blocks[0].args[: len(self.function_type.inputs)]

    @property
    def workgroup_buffers(self) -> tuple[BlockArgument, ...]:
        """The buffers that the workgroup shares."""
        return self.body.blocks[0].args[len(self.function_type.inputs) :][: self._shared]

    @property
    def private_buffers(self) -> tuple[BlockArgument, ...]:
        """The buffers of one work-item."""
        return self.body.blocks[0].args[len(self.function_type.inputs) + self._shared :]

    @property
    def _shared(self) -> int:
        number = self.workgroup_attributions
        return 0 if number is None else number.value.data

    def verify_(self) -> None:
        self._verify_sizes()
        if not self.body.blocks:
            raise VerifyException("expected body with at least one block")
        inputs = self.function_type.inputs.data
        arguments = tuple(argument.type for argument in self.body.blocks[0].args)
        if arguments[: len(inputs)] != inputs:
            raise VerifyException(
                f"'body' has entry arguments {listed(arguments)}, "
                f"'function_type' has inputs {listed(inputs)}"
            )
        if len(arguments) - len(inputs) < self._shared:
            raise VerifyException(
                f"'workgroup_attributions' is {self._shared}, the entry block has "
                f"{len(arguments) - len(inputs)} arguments beside the inputs"
            )
        if self.is_kernel and self.function_type.outputs.data:
            raise VerifyException(
                "'function_type' of a kernel has results, it has to have none"
            )
        _verify_attributions(self.workgroup_buffers, AddressSpace.WORKGROUP)
        _verify_attributions(self.private_buffers, AddressSpace.PRIVATE)

    def _verify_sizes(self) -> None:
        found = (self.known_block_size, self.known_grid_size, self.known_cluster_size)
        for name, sizes in zip(self.SIZES, found, strict=True):
            unread = self.attributes.get(name)  # what is no array
            if unread or (sizes is not None and (sizes.elt_type != i32 or len(sizes) != 3)):
                raise VerifyException(
                    f"'{name}' is {unread or sizes}, it has to be an i32 array with 3 elements; "
                    "write it as in array<i32: 16, 1, 1>"
                )

    @classmethod
    def parse(cls, parser: Parser) -> "FuncOp":
        """Read `@name(args) -> results workgroup(...) private(...) kernel attributes {} {}`."""
        name = parser.parse_symbol_name()
        arguments = parse_arguments(parser)
        outputs = parse_results(parser)
        shared = parse_arguments(parser) if parser.parse_optional_keyword("workgroup") else []
        private = parse_arguments(parser) if parser.parse_optional_keyword("private") else []
        is_kernel = parser.parse_optional_keyword("kernel") is not None
        attributes = parser.parse_optional_attr_dict_with_keyword(cls.HIDDEN)
        body = parser.parse_region(
            [argument for argument, _ in (*arguments, *shared, *private)]
        )
        given = {} if attributes is None else dict(attributes.data)
        sizes = {size: given.pop(size) for size in cls.SIZES if _is_array(given.get(size))}
        function = cls(
            name.data,
            ([argument.type for argument, _ in arguments], [type for type, _ in outputs]),
            body,
            kernel=is_kernel,
            workgroup_attributions=len(shared),
            arg_attrs=dictionaries(arguments),
            res_attrs=dictionaries(outputs),
            workgroup_attrib_attrs=dictionaries(shared),
            private_attrib_attrs=dictionaries(private),
            **sizes,
        )
        function.attributes |= given
        return function

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads; the attributes are sorted by name, as mlir-opt has them."""
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        print_all(printer, self.arguments, self.arg_attrs, print_func_argument)
        outputs = self.function_type.outputs.data
        if outputs:
            printer.print_string(" -> ")
        if len(outputs) == 1 and self.res_attrs is None:
            printer.print_attribute(outputs[0])
        elif outputs:
            print_all(printer, outputs, self.res_attrs, print_func_output)
        for keyword, buffers, attributes in (
            ("workgroup", self.workgroup_buffers, self.workgroup_attrib_attrs),
            ("private", self.private_buffers, self.private_attrib_attrs),
        ):
            if buffers:
                printer.print_string(f" {keyword}")
                print_all(printer, buffers, attributes, print_buffer)
        if self.is_kernel:
            printer.print_string(" kernel")
        shown = {name: self.properties[name] for name in self.SIZES if name in self.properties}
        shown |= {
            key: value for key, value in self.attributes.items() if key not in self.HIDDEN
        }
        printer.print_op_attributes(dict(sorted(shown.items())), print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)


@formatted_op
class ReturnOp(IRDLOperation):
    """Ends a gpu.func: `gpu.return %a, %b : type, type`."""

    name = "gpu.return"

    args = var_operand_def()

    assembly_format = "attr-dict ($args^ `:` type($args))?"

    traits = traits_def(HasParent(FuncOp), IsTerminator(), ReturnLike())

    def __init__(self, operands: Sequence[SSAValue | Operation] = ()) -> None:
        super().__init__(operands=[operands])

    def verify_(self) -> None:
        function = self.parent_op()
        if not isinstance(function, FuncOp):
            return
        outputs = function.function_type.outputs.data
        if tuple(self.operand_types) != outputs:
            raise VerifyException(
                f"'operands' are {listed(self.operand_types)}, the function returns {listed(outputs)}"
            )


def _verify_attributions(buffers: Sequence[BlockArgument], space: AddressSpace) -> None:
    for buffer in buffers:
        type = buffer.type
        if not isa(type, MemRefType):
            raise VerifyException(f"'{space}' attribution is {type}, it has to be a memref")
        found = type.memory_space
        if isinstance(found, AddressSpaceAttr) and found.data != space:
            raise VerifyException(
                f"'{space}' attribution {type} is in memory space {found.data}"
            )


def _is_array(value: Attribute | None) -> bool:
    return isinstance(value, DenseArrayBase)


FATBIN = "fatbin"
FORMATS = ("offload", "assembly", "bin", FATBIN)
"""The formats of the bytes of an object: LLVM bitcode, the target's assembly, its binary, a container of it."""


@irdl_attr_definition
class KernelMetadataAttr(StructAttr):
    """`#gpu.kernel_metadata<"name", (i32) -> (), arg_attrs = [...], metadata = {...}>`."""

    name = "gpu.kernel_metadata"
    FIELDS: ClassVar = {
        "kernel": Field(lambda parser: StringAttr(parser.parse_str_literal())),
        "function_type": Field(AttrParser.parse_function_type),
        "arg_attrs": attribute_field(ArrayAttr, "an array", NoneAttr()),
        "metadata": attribute_field(DictionaryAttr, "a dictionary", NoneAttr()),
    }
    UNNAMED: ClassVar = 2

    kernel: StringAttr
    function_type: FunctionType
    arg_attrs: ArrayAttr | NoneAttr
    metadata: DictionaryAttr | NoneAttr


@irdl_attr_definition
class KernelTableAttr(StructAttr):
    """`#gpu.kernel_table<[#gpu.kernel_metadata<...>, ...]>`."""

    name = "gpu.kernel_table"
    FIELDS: ClassVar = {"kernels": attribute_field(ArrayAttr, "an array of kernels")}
    UNNAMED: ClassVar = 1

    kernels: ArrayAttr


@irdl_attr_definition
class ObjectAttr(ParametrizedAttribute):
    """`#gpu.object<#xevm.target, properties = {O = 2 : i32}, bin = "...">`: a module's code for one target.

    `format` is one of FORMATS; the last is not printed.
    """

    name = "gpu.object"

    target: Attribute
    format: StringAttr
    content: StringAttr | BytesAttr
    properties: DictionaryAttr | NoneAttr
    kernels: KernelTableAttr | NoneAttr

    @property
    def data(self) -> bytes:
        """The bytes of the object."""
        content = self.content.data
        return content.encode() if isinstance(content, str) else content

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read the target, `properties`, `kernels`, and the bytes with their format."""
        properties: Attribute = NoneAttr()
        kernels: Attribute = NoneAttr()
        format = FATBIN
        with parser.in_angle_brackets():
            target = parser.parse_attribute()
            parser.parse_punctuation(",")
            while (name := parser.parse_optional_identifier()) is not None:
                parser.parse_punctuation("=")
                if name == "properties":
                    properties = parse_parameter(parser, DictionaryAttr, "a dictionary")
                elif name == "kernels":
                    kernels = KernelTableAttr.new(KernelTableAttr.parse_parameters(parser))
                else:
                    format = _format(parser, name)
                    break
                parser.parse_punctuation(",")
            content = parser.parse_attribute()
        return [target, StringAttr(format), content, properties, kernels]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.target)
            if not isinstance(self.properties, NoneAttr):
                printer.print_string(", properties = ")
                printer.print_attribute(self.properties)
            if isinstance(self.kernels, KernelTableAttr):
                printer.print_string(", kernels = <")
                printer.print_attribute(self.kernels.kernels)
                printer.print_string(">")
            printer.print_string(", ")
            if self.format.data != FATBIN:
                printer.print_string(f"{self.format.data} = ")
            printer.print_attribute(self.content)


def _format(parser: AttrParser, name: str) -> str:
    if name not in FORMATS:
        parser.raise_error(
            f"'{name}' is no format of an object; legal are {', '.join(FORMATS)}"
        )
    return name


@formatted_op
class BinaryOp(IRDLOperation):
    """`gpu.binary @name [#gpu.object<...>]`: the code of a gpu.module, an object per target."""

    name = "gpu.binary"

    sym_name = prop_def(SymbolNameConstraint())
    offloading_handler = prop_def(Attribute, prop_name="offloadingHandler")
    objects = prop_def(ArrayAttr)

    assembly_format = (
        "$sym_name custom<OffloadingHandler>($offloadingHandler) attr-dict $objects"
    )
    custom_directives = (OffloadingHandler,)

    traits = traits_def(SymbolOpInterface())

    def verify_(self) -> None:
        objects = self.objects.data
        if not objects or not all(isinstance(item, ObjectAttr) for item in objects):
            raise VerifyException("'objects' has to be an array of one or more #gpu.object")

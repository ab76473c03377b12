"""gpu.binary, what upstream makes of a gpu.module: xDSL 0.75 lacks it (test_gpu.py tells when it has it).

Source: mlir/Dialect/GPU/IR/{GPUOps,CompilationAttrs}.td of LLVM 22.1.8.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DictionaryAttr,
    FunctionType,
    NoneAttr,
    StringAttr,
    SymbolNameConstraint,
)
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    prop_def,
    traits_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.formats import formatted_op
from xetile.dialects.structs import Field, StructAttr, attribute_field, parse_parameter
from xetile.dialects.upstream.gpu.formats import OffloadingHandler

FATBIN = "fatbin"
FORMATS = ("offload", "assembly", "bin", FATBIN)
"""What the bytes of an object are: LLVM bitcode, the target's assembly, its binary, a container of it."""


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

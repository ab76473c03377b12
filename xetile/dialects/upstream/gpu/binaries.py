"""gpu.binary, what upstream makes of a gpu.module: xDSL 0.74 lacks it (test_gpu.py tells when it has it).

Source: mlir/Dialect/GPU/IR/{GPUOps,CompilationAttrs}.td of LLVM 22.1.8.
"""

from collections.abc import Sequence

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
from xetile.dialects.structs import parse_parameter
from xetile.dialects.upstream.gpu.attributes import SelectObjectAttr
from xetile.dialects.upstream.gpu.formats import OffloadingHandler

FATBIN = "fatbin"
FORMATS = ("offload", "assembly", "bin", FATBIN)
"""What the bytes of an object are: LLVM bitcode, the target's assembly, its binary, a container of it."""


@irdl_attr_definition
class KernelMetadataAttr(ParametrizedAttribute):
    """`#gpu.kernel_metadata<"name", (i32) -> (), arg_attrs = [...], metadata = {...}>`."""

    name = "gpu.kernel_metadata"

    kernel: StringAttr
    function_type: FunctionType
    arg_attrs: ArrayAttr | NoneAttr
    metadata: DictionaryAttr | NoneAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read the name, the type and what follows."""
        fields: dict[str, Attribute] = {"arg_attrs": NoneAttr(), "metadata": NoneAttr()}
        with parser.in_angle_brackets():
            kernel = StringAttr(parser.parse_str_literal())
            parser.parse_punctuation(",")
            function_type = parser.parse_function_type()
            while parser.parse_optional_punctuation(",") is not None:
                name = parser.parse_identifier()
                parser.parse_punctuation("=")
                expected = ArrayAttr if name == "arg_attrs" else DictionaryAttr
                fields[name] = parse_parameter(parser, expected, "an array or a dictionary")
        return [kernel, function_type, fields["arg_attrs"], fields["metadata"]]

    def print_parameters(self, printer: Printer) -> None:
        """Print what `parse_parameters` reads."""
        with printer.in_angle_brackets():
            printer.print_list([self.kernel, self.function_type], printer.print_attribute)
            for name, value in (("arg_attrs", self.arg_attrs), ("metadata", self.metadata)):
                if not isinstance(value, NoneAttr):
                    printer.print_string(f", {name} = ")
                    printer.print_attribute(value)


@irdl_attr_definition
class KernelTableAttr(ParametrizedAttribute):
    """`#gpu.kernel_table<[#gpu.kernel_metadata<...>, ...]>`."""

    name = "gpu.kernel_table"

    kernels: ArrayAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read the kernels in brackets."""
        with parser.in_angle_brackets():
            return [parse_parameter(parser, ArrayAttr, "an array of kernels")]


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
        """Print what `parse_parameters` reads."""
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
        parser.raise_error(f"'{name}' is no format of an object; legal are {', '.join(FORMATS)}")
    return name


@formatted_op
class BinaryOp(IRDLOperation):
    """`gpu.binary @name [#gpu.object<...>]`: the code of a gpu.module, an object per target."""

    name = "gpu.binary"

    sym_name = prop_def(SymbolNameConstraint())
    offloading_handler = prop_def(Attribute, prop_name="offloadingHandler")
    objects = prop_def(ArrayAttr)

    assembly_format = "$sym_name custom<OffloadingHandler>($offloadingHandler) attr-dict $objects"
    custom_directives = (OffloadingHandler,)

    traits = traits_def(SymbolOpInterface())

    def __init__(
        self,
        name: str,
        objects: Sequence[ObjectAttr],
        *,
        offloading_handler: Attribute | None = None,
    ) -> None:
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "offloadingHandler": offloading_handler or SelectObjectAttr(NoneAttr()),
                "objects": ArrayAttr(objects),
            }
        )

    def verify_(self) -> None:
        objects = self.objects.data
        if not objects or not all(isinstance(item, ObjectAttr) for item in objects):
            raise VerifyException("'objects' has to be an array of one or more #gpu.object")

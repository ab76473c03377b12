"""XeGPU's ops on blocks of memory and the matrix instruction.

Source: mlir/Dialect/XeGPU/IR/XeGPUOps.td of LLVM 22.1.8; what is refused is what mlir-opt 22 refuses.
"""

from collections.abc import Sequence
from math import prod
from typing import ClassVar, TypeVar, cast

from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    IndexType,
    IntegerType,
    MemRefType,
    UnitAttr,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.mixed import (
    Mixed,
    join_mixed,
    parse_mixed,
    print_mixed,
    split_mixed,
    verify_count,
)
from xetile.dialects.xegpu.attributes import (
    CacheHint,
    CacheHintAttr,
    FenceScope,
    FenceScopeAttr,
    LayoutAttr,
    MemorySpace,
    MemorySpaceAttr,
)
from xetile.dialects.xegpu.types import TensorDescType

_READ_HINTS = (
    CacheHint.CACHED,
    CacheHint.UNCACHED,
    CacheHint.STREAMING,
    CacheHint.READ_INVALIDATE,
)
_WRITE_HINTS = (
    CacheHint.CACHED,
    CacheHint.UNCACHED,
    CacheHint.WRITE_BACK,
    CacheHint.WRITE_THROUGH,
)
_HINTS = ("l1_hint", "l2_hint", "l3_hint")


@irdl_op_definition
class CreateNdTdescOp(IRDLOperation):
    """`xegpu.create_nd_tdesc %A : memref<..> -> !xegpu.tensor_desc<..>`, a descriptor of blocks of a matrix."""

    name = "xegpu.create_nd_tdesc"

    source = operand_def()
    offsets = var_operand_def(IndexType)
    shape = var_operand_def(IndexType)
    strides = var_operand_def(IndexType)
    const_offsets = opt_prop_def(DenseArrayBase[I64])
    const_shape = opt_prop_def(DenseArrayBase[I64])
    const_strides = opt_prop_def(DenseArrayBase[I64])
    TensorDesc = result_def(TensorDescType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

    def __init__(
        self,
        source: SSAValue,
        type: TensorDescType,
        *,
        offsets: Sequence[Mixed] = (),
        shape: Sequence[Mixed] = (),
        strides: Sequence[Mixed] = (),
    ) -> None:
        operands: list[list[SSAValue]] = []
        properties: dict[str, Attribute] = {}
        for name, entries in (("offsets", offsets), ("shape", shape), ("strides", strides)):
            values, literals = split_mixed(entries)
            operands.append(values)
            if entries:
                properties[f"const_{name}"] = literals
        super().__init__(operands=[source, *operands], result_types=[type], properties=properties)

    @property
    def mixed_offsets(self) -> list[Mixed]:
        """Offsets in elements, none where they stand on the accesses."""
        return join_mixed(self.offsets, self.const_offsets)

    @property
    def mixed_sizes(self) -> list[Mixed]:
        """Extents of the matrix in elements, none where the memref says them."""
        return join_mixed(self.shape, self.const_shape)

    @property
    def mixed_strides(self) -> list[Mixed]:
        """Strides of the matrix in elements, none where the memref says them."""
        return join_mixed(self.strides, self.const_strides)

    @classmethod
    def parse(cls, parser: Parser) -> "CreateNdTdescOp":
        """Read the op."""
        source = parser.parse_unresolved_operand()
        offsets: list[Mixed] = []
        shape: list[Mixed] = []
        strides: list[Mixed] = []
        if parser.lexer.input.at(parser.pos) == "[":
            offsets = parse_mixed(parser)
        if parser.parse_optional_punctuation(",") is not None:
            parser.parse_keyword("shape")
            parser.parse_punctuation(":")
            shape = parse_mixed(parser)
            parser.parse_punctuation(",")
            parser.parse_keyword("strides")
            parser.parse_punctuation(":")
            strides = parse_mixed(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        operand = parser.resolve_operand(source, parser.parse_type())
        parser.parse_punctuation("->")
        start = parser.pos
        type = parser.parse_type()
        if not isinstance(type, TensorDescType):
            parser.raise_error(f"expected a !xegpu.tensor_desc, found {type}", start)
        op = cls(operand, type, offsets=offsets, shape=shape, strides=strides)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        """Print the op."""
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        if self.mixed_offsets:
            print_mixed(printer, self.mixed_offsets)
        if self.mixed_sizes or self.mixed_strides:
            printer.print_string(", shape : ")
            print_mixed(printer, self.mixed_sizes)
            printer.print_string(", strides : ")
            print_mixed(printer, self.mixed_strides)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.TensorDesc.type)

    def verify_(self) -> None:
        """Check source, ranks and element types."""
        type = self.TensorDesc.type
        for name, values, literals in (
            ("offsets", self.offsets, self.const_offsets),
            ("shape", self.shape, self.const_shape),
            ("strides", self.strides, self.const_strides),
        ):
            verify_count(name, values, literals)
        ranks = {len(e) for e in (self.mixed_offsets, self.mixed_sizes, self.mixed_strides) if e}
        if isinstance(self.source.type, MemRefType):
            source = cast(MemRefType[Attribute], self.source.type)
            if source.element_type != type.element_type:
                raise VerifyException(
                    "TensorDesc should have the same element type with the source if it is a memref: "
                    f"{type.element_type} and {source.element_type}"
                )
            ranks.add(len(source.get_shape()))
        elif not isinstance(self.source.type, IntegerType):
            raise VerifyException(f"source is {self.source.type}, expected a memref or an integer")
        elif not self.mixed_sizes or not self.mixed_strides:
            raise VerifyException("expecting strides and shape to be present for integer source")
        if len(ranks) > 1:
            raise VerifyException(
                "Expecting the rank of shape, strides, offsets, and source (if source is a memref) should "
                f"match with each other, found ranks {sorted(ranks)}"
            )
        if ranks and len(type.shape) > min(ranks):
            raise VerifyException(
                "Expecting the TensorDesc rank is not greater than the ranks of shape, strides, offsets or "
                f"the memref source: {len(type.shape)} and {min(ranks)}"
            )
        if type.scattered:
            raise VerifyException("Expects a non-scattered TensorDesc")


class _NdAccess(IRDLOperation):
    """What load_nd, store_nd and prefetch_nd share: a descriptor, offsets, hints and a layout."""

    DICTIONARY: ClassVar[tuple[str, ...]] = (*_HINTS, "layout")
    HINTS_ALLOWED: ClassVar[tuple[CacheHint, ...]] = _READ_HINTS

    TensorDesc = operand_def(TensorDescType)
    offsets = var_operand_def(IndexType)
    const_offsets = opt_prop_def(DenseArrayBase[I64])
    l1_hint = opt_prop_def(CacheHintAttr)
    l2_hint = opt_prop_def(CacheHintAttr)
    l3_hint = opt_prop_def(CacheHintAttr)
    layout = opt_prop_def(LayoutAttr)

    @property
    def mixed_offsets(self) -> list[Mixed]:
        """Row and column of the block in elements."""
        return join_mixed(self.offsets, self.const_offsets)

    @property
    def descriptor_type(self) -> TensorDescType:
        """The type of the descriptor."""
        return cast(TensorDescType, self.TensorDesc.type)

    def _print_tail(self, printer: Printer) -> None:
        if self.mixed_offsets:
            print_mixed(printer, self.mixed_offsets)
        entries = {n: self.properties[n] for n in self.DICTIONARY if n in self.properties}
        if entries:
            printer.print_string(" <{")
            printer.print_list(sorted(entries.items()), lambda e: _print_entry(printer, *e))
            printer.print_string("}>")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")

    @classmethod
    def _parse_tail(
        cls, parser: Parser
    ) -> tuple[list[Mixed], dict[str, Attribute], dict[str, Attribute]]:
        offsets = parse_mixed(parser) if parser.lexer.input.at(parser.pos) == "[" else []
        properties: dict[str, Attribute] = {}
        if parser.parse_optional_punctuation("<") is not None:
            properties = dict(parser.parse_optional_attr_dict())
            parser.parse_punctuation(">")
        attributes = dict(parser.parse_optional_attr_dict())
        for name in cls.DICTIONARY:
            if name in attributes:
                properties[name] = attributes.pop(name)
        parser.parse_punctuation(":")
        return offsets, properties, attributes

    def _verify_access(self) -> None:
        type = self.descriptor_type
        verify_count("offsets", self.offsets, self.const_offsets)
        if type.scattered:
            raise VerifyException("Expects a non-scattered TensorDesc")
        for name in _HINTS:
            hint = self.properties.get(name)
            if isinstance(hint, CacheHintAttr) and hint.data not in self.HINTS_ALLOWED:
                raise VerifyException(
                    f"invalid {name}: {hint}; legal are {', '.join(self.HINTS_ALLOWED)}"
                )
        count = len(self.mixed_offsets)
        if count and count != len(type.shape):
            raise VerifyException(
                f"Mismatched ranks between offsets and tensor descriptor: {count} and {len(type.shape)}"
            )


def _print_entry(printer: Printer, name: str, value: Attribute) -> None:
    printer.print_string(name)
    if not isinstance(value, UnitAttr):
        printer.print_string(" = ")
        printer.print_attribute(value)


def _access_properties(
    offsets: Sequence[Mixed], hints: Sequence[CacheHintAttr | None]
) -> tuple[list[SSAValue], dict[str, Attribute | None]]:
    values, literals = split_mixed(offsets)
    named = dict(zip(_HINTS, hints, strict=False))
    return values, {"const_offsets": literals if offsets else None, **named}


@irdl_op_definition
class LoadNdOp(_NdAccess):
    """`xegpu.load_nd %d[%r, %c] <{packed}> : !xegpu.tensor_desc<..> -> vector<..>`."""

    name = "xegpu.load_nd"

    DICTIONARY: ClassVar[tuple[str, ...]] = (*_HINTS, "layout", "packed", "transpose")

    TensorDesc = operand_def(TensorDescType)
    offsets = var_operand_def(IndexType)
    packed = opt_prop_def(UnitAttr)
    transpose = opt_prop_def(DenseArrayBase[I64])
    value = result_def(VectorType)

    traits = traits_def(MemoryReadEffect())

    def __init__(
        self,
        descriptor: SSAValue,
        offsets: Sequence[Mixed],
        result_type: VectorType[Attribute],
        *,
        packed: bool = False,
        transpose: Sequence[int] | None = None,
        hints: Sequence[CacheHintAttr | None] = (),
    ) -> None:
        values, properties = _access_properties(offsets, hints)
        properties["packed"] = UnitAttr() if packed else None
        if transpose is not None:
            properties["transpose"] = DenseArrayBase.from_list(i64, list(transpose))
        super().__init__(
            operands=[descriptor, values], result_types=[result_type], properties=properties
        )

    @property
    def is_packed(self) -> bool:
        """Whether rows share register words."""
        return self.packed is not None

    @classmethod
    def parse(cls, parser: Parser) -> "LoadNdOp":
        """Read the op."""
        descriptor = parser.parse_unresolved_operand()
        offsets, properties, attributes = cls._parse_tail(parser)
        operand = parser.resolve_operand(descriptor, parser.parse_type())
        parser.parse_punctuation("->")
        return _build(cls, [operand], offsets, properties, attributes, [parser.parse_type()])

    def print(self, printer: Printer) -> None:
        """Print the op."""
        printer.print_string(" ")
        printer.print_ssa_value(self.TensorDesc)
        self._print_tail(printer)
        printer.print_attribute(self.TensorDesc.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.value.type)

    def verify_(self) -> None:
        """Check the result against the descriptor."""
        self._verify_access()
        type, value = self.descriptor_type, self.value.type
        if value.element_type != type.element_type:
            raise VerifyException(
                "failed to verify that all of {value, TensorDesc} have same element type: "
                f"{value.element_type} and {type.element_type}"
            )
        shape = value.get_shape()
        if len(shape) == 1 and len(type.shape) > 1:
            return
        expected = self._result_shape()
        if shape != expected:
            raise VerifyException(
                f"Result shape {list(shape)} is not consistent with tensor descriptor {type}, "
                f"expected {list(expected)}"
            )

    def _result_shape(self) -> tuple[int, ...]:
        type = self.descriptor_type
        shape = list(type.shape)
        if self.transpose is not None and len(shape) == 2:
            shape.reverse()
        if self.is_packed and len(shape) == 2:
            bits = getattr(type.element_type, "bitwidth", 32)
            pack = max(1, 32 // bits)
            shape = [shape[0] // pack, shape[1], pack]
        return (*((type.array_length,) if type.array_length > 1 else ()), *shape)


_Access = TypeVar("_Access", bound=_NdAccess)


def _build(
    cls: type[_Access],
    leading: Sequence[SSAValue],
    offsets: Sequence[Mixed],
    properties: dict[str, Attribute],
    attributes: dict[str, Attribute],
    results: Sequence[Attribute],
) -> _Access:
    values, literals = split_mixed(offsets)
    if offsets:
        properties["const_offsets"] = literals
    return cls.create(
        operands=[*leading, *values],
        result_types=results,
        properties=properties,
        attributes=attributes,
    )


@irdl_op_definition
class StoreNdOp(_NdAccess):
    """`xegpu.store_nd %v, %d[%r, %c] : vector<..>, !xegpu.tensor_desc<..>`."""

    name = "xegpu.store_nd"

    HINTS_ALLOWED: ClassVar[tuple[CacheHint, ...]] = _WRITE_HINTS

    value = operand_def(VectorType)
    TensorDesc = operand_def(TensorDescType)
    offsets = var_operand_def(IndexType)

    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        value: SSAValue,
        descriptor: SSAValue,
        offsets: Sequence[Mixed],
        *,
        hints: Sequence[CacheHintAttr | None] = (),
    ) -> None:
        values, properties = _access_properties(offsets, hints)
        super().__init__(operands=[value, descriptor, values], properties=properties)

    @classmethod
    def parse(cls, parser: Parser) -> "StoreNdOp":
        """Read the op."""
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        descriptor = parser.parse_unresolved_operand()
        offsets, properties, attributes = cls._parse_tail(parser)
        stored = parser.resolve_operand(value, parser.parse_type())
        parser.parse_punctuation(",")
        operand = parser.resolve_operand(descriptor, parser.parse_type())
        return _build(cls, [stored, operand], offsets, properties, attributes, [])

    def print(self, printer: Printer) -> None:
        """Print the op."""
        printer.print_string(" ")
        printer.print_list((self.value, self.TensorDesc), printer.print_ssa_value)
        self._print_tail(printer)
        printer.print_list((self.value.type, self.TensorDesc.type), printer.print_attribute)

    def verify_(self) -> None:
        """Check the value against the descriptor."""
        self._verify_access()
        type, value = self.descriptor_type, cast(VectorType[Attribute], self.value.type)
        if type.array_length > 1:
            raise VerifyException("array length is not supported by store_nd")
        if value.element_type != type.element_type:
            raise VerifyException(
                "failed to verify that all of {value, TensorDesc} have same element type: "
                f"{value.element_type} and {type.element_type}"
            )
        shape = value.get_shape()
        if shape != type.shape and not (len(shape) == 1 and len(type.shape) > 1):
            raise VerifyException(
                f"Value shape {list(shape)} is not consistent with tensor descriptor {type}"
            )


@irdl_op_definition
class PrefetchNdOp(_NdAccess):
    """`xegpu.prefetch_nd %d[%r, %c] : !xegpu.tensor_desc<..>`."""

    name = "xegpu.prefetch_nd"

    TensorDesc = operand_def(TensorDescType)
    offsets = var_operand_def(IndexType)

    # A prefetch has no result and changes no value, but must stay where it is.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        descriptor: SSAValue,
        offsets: Sequence[Mixed],
        *,
        hints: Sequence[CacheHintAttr | None] = (),
    ) -> None:
        values, properties = _access_properties(offsets, hints)
        super().__init__(operands=[descriptor, values], properties=properties)

    @classmethod
    def parse(cls, parser: Parser) -> "PrefetchNdOp":
        """Read the op."""
        descriptor = parser.parse_unresolved_operand()
        offsets, properties, attributes = cls._parse_tail(parser)
        operand = parser.resolve_operand(descriptor, parser.parse_type())
        return _build(cls, [operand], offsets, properties, attributes, [])

    def print(self, printer: Printer) -> None:
        """Print the op."""
        printer.print_string(" ")
        printer.print_ssa_value(self.TensorDesc)
        self._print_tail(printer)
        printer.print_attribute(self.TensorDesc.type)

    def verify_(self) -> None:
        """Check hints and offsets."""
        self._verify_access()


@irdl_op_definition
class UpdateNdOffsetOp(IRDLOperation):
    """`xegpu.update_nd_offset %d, [%r, 16] : !xegpu.tensor_desc<..>`; read, never made."""

    name = "xegpu.update_nd_offset"

    TensorDesc = operand_def(TensorDescType)
    offsets = var_operand_def(IndexType)
    const_offsets = prop_def(DenseArrayBase[I64])
    result = result_def(TensorDescType)

    traits = traits_def(Pure())

    @property
    def mixed_offsets(self) -> list[Mixed]:
        """By how much the block moves (elements)."""
        return join_mixed(self.offsets, self.const_offsets)

    @classmethod
    def parse(cls, parser: Parser) -> "UpdateNdOffsetOp":
        """Read the op."""
        descriptor = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        values, literals = split_mixed(parse_mixed(parser))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(descriptor, type), *values],
            result_types=[type],
            properties={"const_offsets": literals},
            attributes=dict(attributes),
        )

    def print(self, printer: Printer) -> None:
        """Print the op."""
        printer.print_string(" ")
        printer.print_ssa_value(self.TensorDesc)
        printer.print_string(", ")
        print_mixed(printer, self.mixed_offsets)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.TensorDesc.type)

    def verify_(self) -> None:
        """Check the number of offsets."""
        verify_count("offsets", self.offsets, self.const_offsets)
        type = cast(TensorDescType, self.TensorDesc.type)
        if len(self.mixed_offsets) != len(type.shape):
            raise VerifyException(
                f"Invalid number of offsets: {len(self.mixed_offsets)}, expected {len(type.shape)}"
            )


@irdl_op_definition
class DpasOp(IRDLOperation):
    """`xegpu.dpas %a, %b, %c : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>`."""

    name = "xegpu.dpas"

    lhs = operand_def(VectorType)
    rhs = operand_def(VectorType)
    acc = opt_operand_def(VectorType)
    layout_a = opt_prop_def(LayoutAttr)
    layout_b = opt_prop_def(LayoutAttr)
    layout_cd = opt_prop_def(LayoutAttr)
    result = result_def(VectorType)

    traits = traits_def(Pure())

    def __init__(
        self, lhs: SSAValue, rhs: SSAValue, acc: SSAValue | None = None, *, result_type: Attribute
    ) -> None:
        super().__init__(
            operands=[lhs, rhs, [] if acc is None else [acc]], result_types=[result_type]
        )

    @classmethod
    def parse(cls, parser: Parser) -> "DpasOp":
        """Read the op."""
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = dict(parser.parse_optional_attr_dict())
        parser.parse_punctuation(":")
        start = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        if len(names) != len(types):
            parser.raise_error(f"{len(types)} types for {len(names)} operands", start)
        parser.parse_punctuation("->")
        names_of_layouts = ("layout_a", "layout_b", "layout_cd")
        return cls.create(
            operands=[parser.resolve_operand(n, t) for n, t in zip(names, types, strict=True)],
            result_types=[parser.parse_type()],
            properties={n: attributes.pop(n) for n in names_of_layouts if n in attributes},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print the op."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_op_attributes({**self.properties, **self.attributes})
        printer.print_string(" : ")
        printer.print_list([v.type for v in self.operands], printer.print_attribute)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        """Check element types and dimensions."""
        a, b, d = (cast(VectorType[Attribute], v.type) for v in (self.lhs, self.rhs, self.result))
        if a.element_type != b.element_type:
            raise VerifyException(
                "failed to verify that all of {lhs, rhs} have same element type: "
                f"{a.element_type} and {b.element_type}"
            )
        if self.acc is not None and self.acc.type != d:
            raise VerifyException(f"acc is {self.acc.type}, expected the result's type {d}")
        shapes = [v.get_shape() for v in (a, b, d)]
        if all(len(shape) == 1 for shape in shapes):
            return
        if len(shapes[0]) != 2 or len(shapes[1]) not in (2, 3) or len(shapes[2]) != 2:
            raise VerifyException(
                "expecting lhs and result to be a 2D vector, and rhs to be either 2D or 3D (packed) vector"
            )
        depth = shapes[1][0] * prod(shapes[1][2:])
        if shapes[0][1] != depth:
            raise VerifyException(f"K-dimension mismatch: {shapes[0][1]} and {depth}")
        if shapes[0][0] != shapes[2][0]:
            raise VerifyException(f"M-dimension mismatch: {shapes[0][0]} and {shapes[2][0]}")
        if shapes[1][1] != shapes[2][1]:
            raise VerifyException(f"N-dimension mismatch: {shapes[1][1]} and {shapes[2][1]}")


@irdl_op_definition
class FenceOp(IRDLOperation):
    """`xegpu.fence memory_kind = global, fence_scope = workgroup`."""

    name = "xegpu.fence"

    memory_kind = prop_def(MemorySpaceAttr)
    fence_scope = prop_def(FenceScopeAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

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
        """Read the op."""
        parser.parse_keyword("memory_kind")
        parser.parse_punctuation("=")
        kind = parser.parse_str_enum(MemorySpace)
        parser.parse_punctuation(",")
        parser.parse_keyword("fence_scope")
        parser.parse_punctuation("=")
        scope = parser.parse_str_enum(FenceScope)
        attributes = parser.parse_optional_attr_dict()
        return cls.create(
            properties={"memory_kind": MemorySpaceAttr(kind), "fence_scope": FenceScopeAttr(scope)},
            attributes=dict(attributes),
        )

    def print(self, printer: Printer) -> None:
        """Print the op."""
        printer.print_string(
            f" memory_kind = {self.memory_kind_name}, fence_scope = {self.scope_name}"
        )
        printer.print_op_attributes(self.attributes)

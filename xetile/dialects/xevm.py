"""Upstream's XeVM dialect: one lane's view of block messages and matrix products.

Source: mlir/Dialect/LLVMIR/XeVMOps.td of LLVM 22.1.8; what is refused is what mlir-opt 22 refuses.
"""

import re
from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    BoolAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    VectorType,
    i32,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Data, Dialect, Operation, ParametrizedAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

LANES = 16

_LOAD_CONTROLS = {
    f"L1{a}_L2{b}_L3{c}" for a in ("uc", "c", "s") for b in ("uc", "c") for c in ("uc", "c")
} | {"INVALIDATE_READ", "ir"}
_STORE_CONTROLS = {
    f"L1{a}_L2{b}_L3{c}" for a in ("uc", "wt", "s") for b in ("uc", "wb") for c in ("uc", "wb")
} | {"L1wb_L2uc_L3uc", "L1wb_L2wb_L3uc", "L1wb_L2uc_L3wb"}
_MMA_TYPES = ("bf16", "f16", "s8", "u8", "s4", "u4", "tf32", "f32", "s32")


class _WordAttr(Data[str]):
    """An attribute that is one word of a list, printed `<word>`."""

    legal: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        """Read `<word>`."""
        with parser.in_angle_brackets():
            start = parser.pos
            word = parser.parse_identifier()
            if word not in cls.legal:
                parser.raise_error(f"'{word}'; legal are {', '.join(sorted(cls.legal))}", start)
            return word

    def print_parameter(self, printer: Printer) -> None:
        """Print `<word>`."""
        with printer.in_angle_brackets():
            printer.print_string(self.data)

    def verify(self) -> None:
        """The word is in the list."""
        if self.data not in self.legal:
            raise VerifyException(f"'{self.data}'; legal are {', '.join(sorted(self.legal))}")


@irdl_attr_definition
class LoadCacheControlAttr(_WordAttr):
    """`#xevm.load_cache_control<L1c_L2uc_L3c>`."""

    name = "xevm.load_cache_control"
    legal = frozenset(_LOAD_CONTROLS)


@irdl_attr_definition
class StoreCacheControlAttr(_WordAttr):
    """`#xevm.store_cache_control<L1wb_L2uc_L3wb>`."""

    name = "xevm.store_cache_control"
    legal = frozenset(_STORE_CONTROLS)


@irdl_attr_definition
class MemScopeAttr(_WordAttr):
    """`#xevm.mem_scope<workgroup>`."""

    name = "xevm.mem_scope"
    legal = frozenset(("lane", "subgroup", "workgroup", "cluster", "device", "system"))


@irdl_attr_definition
class AddrSpaceAttr(_WordAttr):
    """`#xevm.addr_space<shared>`."""

    name = "xevm.addr_space"
    legal = frozenset(("private", "global", "constant", "shared", "generic"))


@irdl_attr_definition
class MMAShapeAttr(ParametrizedAttribute):
    """`#xevm.mma_shape<m = 8, n = 16, k = 16>`."""

    name = "xevm.mma_shape"

    m: IntegerAttr[IntegerType]
    n: IntegerAttr[IntegerType]
    k: IntegerAttr[IntegerType]

    @classmethod
    def of(cls, m: int, n: int, k: int) -> "MMAShapeAttr":
        """The shape of Python numbers (elements)."""
        return cls(IntegerAttr(m, i32), IntegerAttr(n, i32), IntegerAttr(k, i32))

    @property
    def sizes(self) -> tuple[int, int, int]:
        """m, n, k in elements."""
        return self.m.value.data, self.n.value.data, self.k.value.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<m = 8, n = 16, k = 16>`."""
        values: dict[str, int] = {}

        def field() -> None:
            key = parser.parse_identifier()
            parser.parse_punctuation("=")
            values[key] = parser.parse_integer()

        start = parser.pos
        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, field)
        if set(values) != {"m", "n", "k"}:
            parser.raise_error(f"expected m, n and k, found {', '.join(values)}", start)
        return cls.of(values["m"], values["n"], values["k"]).parameters

    def print_parameters(self, printer: Printer) -> None:
        """Print `<m = 8, n = 16, k = 16>`."""
        m, n, k = self.sizes
        printer.print_string(f"<m = {m}, n = {n}, k = {k}>")


@irdl_attr_definition
class MMATypesAttr(ParametrizedAttribute):
    """`#xevm.mma_types<d = f32, a = f16, b = f16, c = f32>`; c is absent without an accumulator."""

    name = "xevm.mma_types"

    d: StringAttr
    a: StringAttr
    b: StringAttr
    c: StringAttr

    @classmethod
    def of(cls, d: str, a: str, b: str, c: str | None) -> "MMATypesAttr":
        """The types by name."""
        return cls(StringAttr(d), StringAttr(a), StringAttr(b), StringAttr(c or ""))

    @property
    def names(self) -> dict[str, str]:
        """The types by operand: d, a, b and, with an accumulator, c."""
        words = zip("dabc", self.parameters, strict=True)
        return {k: cast(StringAttr, v).data for k, v in words if cast(StringAttr, v).data}

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<d = f32, a = f16, b = f16, c = f32>`."""
        values: dict[str, str] = {}

        def field() -> None:
            key = parser.parse_identifier()
            parser.parse_punctuation("=")
            start = parser.pos
            values[key] = parser.parse_identifier()
            if values[key] not in _MMA_TYPES:
                parser.raise_error(f"'{values[key]}'; legal are {', '.join(_MMA_TYPES)}", start)

        start = parser.pos
        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, field)
        if not {"d", "a", "b"} <= set(values) <= {"d", "a", "b", "c"}:
            parser.raise_error(
                f"expected d, a, b and optionally c, found {', '.join(values)}", start
            )
        return cls.of(values["d"], values["a"], values["b"], values.get("c")).parameters

    def print_parameters(self, printer: Printer) -> None:
        """Print the types that there are."""
        body = ", ".join(f"{key} = {name}" for key, name in self.names.items())
        printer.print_string(f"<{body}>")


def _number(value: int) -> IntegerAttr[IntegerType]:
    return IntegerAttr(value, i32)


class _BlockOp(IRDLOperation):
    """What the 2D block messages share."""

    ptr = operand_def(LLVMPointerType)
    base_width = operand_def(i32)
    base_height = operand_def(i32)
    base_pitch = operand_def(i32)
    x = operand_def(i32)
    y = operand_def(i32)
    elem_size_in_bits = prop_def(IntegerAttr[IntegerType])
    tile_width = prop_def(IntegerAttr[IntegerType])
    tile_height = prop_def(IntegerAttr[IntegerType])

    @property
    def bits(self) -> int:
        """Bits of an element."""
        return self.elem_size_in_bits.value.data

    @property
    def columns(self) -> int:
        """Columns of one block (elements)."""
        return self.tile_width.value.data

    @property
    def rows(self) -> int:
        """Rows of a block."""
        return self.tile_height.value.data

    @classmethod
    def parse(cls, parser: Parser) -> "IRDLOperation":
        """Read the op."""
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        properties = _parse_properties(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        start = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        if len(types) != len(names):
            parser.raise_error(f"{len(types)} types for {len(names)} operands", start)
        results: list[Attribute] = []
        if parser.parse_optional_punctuation("->") is not None:
            results.append(parser.parse_type())
        return cls.create(
            operands=[parser.resolve_operand(n, t) for n, t in zip(names, types, strict=True)],
            result_types=results,
            properties=properties,
            attributes=dict(attributes),
        )

    def print(self, printer: Printer) -> None:
        """Print the op."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        _print_properties(printer, self)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        with printer.in_parens():
            printer.print_list([v.type for v in self.operands], printer.print_attribute)
        if self.results:
            printer.print_string(" -> ")
            printer.print_attribute(self.results[0].type)

    def _verify_surface(self) -> None:
        width, pitch = _constant(self.base_width), _constant(self.base_pitch)
        if width is not None and pitch is not None and pitch < width:
            raise VerifyException(
                f"4th operand (base pitch) should be >= 2nd operand (base width): {pitch} and {width}"
            )

    def _verify_size(self, value: Attribute, blocks: int) -> None:
        vector = cast(VectorType[Attribute], value)
        bits = getattr(vector.element_type, "bitwidth", 32)
        if type(vector.element_type).__name__ == "FloatTF32Type":
            bits = 32
        have = vector.get_shape()[0] * bits
        expected = self.bits * self.rows * self.columns * blocks // LANES
        if have != expected:
            raise VerifyException(
                f"result size of {have} bits does not match the expected size of {expected} bits"
            )


def _parse_properties(parser: Parser) -> dict[str, Attribute]:
    properties: dict[str, Attribute] = {}
    if parser.parse_optional_punctuation("<") is not None:
        properties = dict(parser.parse_optional_attr_dict())
        parser.parse_punctuation(">")
    return properties


def _print_properties(printer: Printer, op: IRDLOperation) -> None:
    if not op.properties:
        return

    def entry(pair: tuple[str, Attribute]) -> None:
        printer.print_string(f"{pair[0]} = ")
        printer.print_attribute(pair[1])

    printer.print_string(" <{")
    printer.print_list(sorted(op.properties.items()), entry)
    printer.print_string("}>")


def _constant(value: SSAValue) -> int | None:
    if isinstance(value.owner, Operation) and value.owner.name in (
        "arith.constant",
        "llvm.mlir.constant",
    ):
        found = value.owner.properties.get("value")
        if isinstance(found, IntegerAttr):
            return cast("IntegerAttr[IntegerType]", found).value.data
    return None


_WIDTH_RANGES = {8: (4, 64), 16: (2, 32), 32: (1, 16), 64: (1, 8)}


def _verify_height(rows: int, *, most: int) -> None:
    if not 1 <= rows <= most:
        raise VerifyException(f"expecting tile_height to be between 1 and {most}, found {rows}")
    if rows & (rows - 1):
        raise VerifyException(f"expecting tile_height to be 1, 2, 4, 8, 16, or 32, found {rows}")


@irdl_op_definition
class BlockLoad2dOp(_BlockOp):
    """`xevm.blockload2d %p, %width, %height, %pitch, %x, %y <{...}> : (...) -> vector<64xi16>`."""

    name = "xevm.blockload2d"

    v_blocks = prop_def(IntegerAttr[IntegerType])
    transpose = prop_def(BoolAttr)
    pack_register = prop_def(BoolAttr)
    cache_control = opt_prop_def(LoadCacheControlAttr)
    res = result_def(VectorType)

    traits = traits_def(MemoryReadEffect())

    def __init__(
        self,
        ptr: SSAValue,
        base_width: SSAValue,
        base_height: SSAValue,
        base_pitch: SSAValue,
        x: SSAValue,
        y: SSAValue,
        *,
        elem_size_in_bits: int,
        tile_width: int,
        tile_height: int,
        v_blocks: int,
        transpose: bool,
        pack_register: bool,
        result_type: VectorType[Attribute],
        cache_control: LoadCacheControlAttr | None = None,
    ) -> None:
        super().__init__(
            operands=[ptr, base_width, base_height, base_pitch, x, y],
            result_types=[result_type],
            properties={
                "cache_control": cache_control,
                "elem_size_in_bits": _number(elem_size_in_bits),
                "pack_register": BoolAttr.from_bool(pack_register),
                "tile_height": _number(tile_height),
                "tile_width": _number(tile_width),
                "transpose": BoolAttr.from_bool(transpose),
                "v_blocks": _number(v_blocks),
            },
        )

    @property
    def blocks(self) -> int:
        """Number of blocks side by side."""
        return self.v_blocks.value.data

    @property
    def is_transposed(self) -> bool:
        """Whether the message transposes."""
        return bool(self.transpose.value.data)

    @property
    def is_packed(self) -> bool:
        """Whether rows share 32-bit words."""
        return bool(self.pack_register.value.data)

    def verify_(self) -> None:
        """The rules of mlir-opt 22, in its order."""
        self._verify_surface()
        bits, blocks = self.bits, self.blocks
        self._verify_size(self.res.type, blocks)
        if bits not in _WIDTH_RANGES or (bits == 64 and not self.is_transposed):
            raise VerifyException(f"expecting 'elem_size_in_bits' to be 8, 16, or 32, found {bits}")
        if self.is_transposed and self.is_packed:
            raise VerifyException("transpose and pack_register are mutually exclusive")
        if self.is_transposed and bits < 32:
            raise VerifyException("transpose is only supported for 32 and 64 bit elements")
        if self.is_packed and bits > 16:
            raise VerifyException("pack_register is only supported for 8 and 16 bit elements")
        _verify_height(self.rows, most=32)
        least, most = _WIDTH_RANGES[bits]
        most = 8 if self.is_transposed else most
        if not least <= self.columns <= most or self.columns & (self.columns - 1):
            raise VerifyException(
                f"expecting tile_width to be between {least} and {most}, found {self.columns}"
            )
        if self.is_packed and self.columns != LANES:
            raise VerifyException(
                "tile_width when pack_register is true should be equal to subgroup size (16 elements), "
                f"found {self.columns}"
            )
        legal = (1,) if self.is_transposed or bits == 64 else (1, 2) if bits == 32 else (1, 2, 4)
        if blocks not in legal:
            raise VerifyException(
                f"expecting v_blocks to be {' or '.join(map(str, legal))}, found {blocks}"
            )
        if self.columns * blocks > _WIDTH_RANGES[bits][1]:
            raise VerifyException(
                f"tile_width * v_blocks should be less than or equal to {_WIDTH_RANGES[bits][1]} for "
                f"{bits} bit elements, found {self.columns * blocks}"
            )
        self._verify_element(bits)

    def _verify_element(self, bits: int) -> None:
        element = self.res.type.element_type
        width = getattr(element, "bitwidth", 32)
        if (bits == 32 or self.is_packed) and width not in (32, 19):
            raise VerifyException(f"expecting result element type to be 32 bits, found {element}")


@irdl_op_definition
class BlockStore2dOp(_BlockOp):
    """`xevm.blockstore2d %p, %width, %height, %pitch, %x, %y, %v <{...}> : (..., vector<8xf32>)`."""

    name = "xevm.blockstore2d"

    # xDSL puts the fields of a subclass before inherited ones, so the order is written out.
    ptr = operand_def(LLVMPointerType)
    base_width = operand_def(i32)
    base_height = operand_def(i32)
    base_pitch = operand_def(i32)
    x = operand_def(i32)
    y = operand_def(i32)
    stored_val = operand_def(VectorType)
    cache_control = opt_prop_def(StoreCacheControlAttr)

    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        ptr: SSAValue,
        base_width: SSAValue,
        base_height: SSAValue,
        base_pitch: SSAValue,
        x: SSAValue,
        y: SSAValue,
        stored_val: SSAValue,
        *,
        elem_size_in_bits: int,
        tile_width: int,
        tile_height: int,
        cache_control: StoreCacheControlAttr | None = None,
    ) -> None:
        super().__init__(
            operands=[ptr, base_width, base_height, base_pitch, x, y, stored_val],
            properties={
                "cache_control": cache_control,
                "elem_size_in_bits": _number(elem_size_in_bits),
                "tile_height": _number(tile_height),
                "tile_width": _number(tile_width),
            },
        )

    def verify_(self) -> None:
        """The rules of mlir-opt 22."""
        self._verify_surface()
        self._verify_size(self.stored_val.type, 1)
        bits = self.bits
        if bits not in (8, 16, 32):
            raise VerifyException(f"expecting 'elem_size_in_bits' to be 8, 16, or 32, found {bits}")
        _verify_height(self.rows, most=8)
        legal = (16, 32) if bits == 8 else (16,)
        if self.columns not in legal:
            raise VerifyException(
                f"tile_width for {bits} bit elements should be equal to {' or '.join(map(str, legal))}, "
                f"found {self.columns}"
            )


@irdl_op_definition
class BlockPrefetch2dOp(_BlockOp):
    """`xevm.blockprefetch2d %p, %width, %height, %pitch, %x, %y <{...}> : (...)`."""

    name = "xevm.blockprefetch2d"

    v_blocks = prop_def(IntegerAttr[IntegerType])
    cache_control = opt_prop_def(LoadCacheControlAttr)

    # A prefetch has no result and changes no value, but must stay where it is.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        ptr: SSAValue,
        base_width: SSAValue,
        base_height: SSAValue,
        base_pitch: SSAValue,
        x: SSAValue,
        y: SSAValue,
        *,
        elem_size_in_bits: int,
        tile_width: int,
        tile_height: int,
        v_blocks: int,
        cache_control: LoadCacheControlAttr | None = None,
    ) -> None:
        super().__init__(
            operands=[ptr, base_width, base_height, base_pitch, x, y],
            properties={
                "cache_control": cache_control,
                "elem_size_in_bits": _number(elem_size_in_bits),
                "tile_height": _number(tile_height),
                "tile_width": _number(tile_width),
                "v_blocks": _number(v_blocks),
            },
        )

    @property
    def blocks(self) -> int:
        """Number of blocks side by side."""
        return self.v_blocks.value.data

    def verify_(self) -> None:
        """The rules of mlir-opt 22."""
        self._verify_surface()
        bits = self.bits
        if bits not in (8, 16, 32):
            raise VerifyException(f"expecting 'elem_size_in_bits' to be 8, 16, or 32, found {bits}")
        _verify_height(self.rows, most=32)
        legal = {8: (16, 32), 16: (16,), 32: (8, 16)}[bits]
        if self.columns not in legal:
            raise VerifyException(
                f"tile_width for {bits} bit elements should be equal to {' or '.join(map(str, legal))}, "
                f"found {self.columns}"
            )
        if self.blocks not in (1, 2, 4, 8):
            raise VerifyException(f"expecting v_blocks to be 1, 2, 4, or 8, found {self.blocks}")


@irdl_op_definition
class MMAOp(IRDLOperation):
    """`xevm.mma %a, %b, %c {shape = <...>, types = <...>} : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> ...`."""

    name = "xevm.mma"

    a = operand_def(VectorType)
    b = operand_def(VectorType)
    c = opt_operand_def(VectorType)
    shape = prop_def(MMAShapeAttr)
    types = prop_def(MMATypesAttr)
    d = result_def(VectorType)

    traits = traits_def(Pure())

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
        super().__init__(
            operands=[a, b, [] if c is None else [c]],
            result_types=[result_type],
            properties={"shape": MMAShapeAttr.of(*shape), "types": MMATypesAttr.of(*types)},
        )

    @classmethod
    def parse(cls, parser: Parser) -> "MMAOp":
        """Read the op."""
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        properties: dict[str, Attribute] = {}
        attributes: dict[str, Attribute] = {}

        def field() -> None:
            key = parser.parse_identifier()
            parser.parse_punctuation("=")
            if key == "shape":
                properties[key] = _nested(parser, MMAShapeAttr)
            elif key == "types":
                properties[key] = _nested(parser, MMATypesAttr)
            else:
                attributes[key] = parser.parse_attribute()

        parser.parse_comma_separated_list(parser.Delimiter.BRACES, field)
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        parser.parse_punctuation("->")
        return cls.create(
            operands=[parser.resolve_operand(n, t) for n, t in zip(names, types, strict=True)],
            result_types=[parser.parse_type()],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print the op."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_string(" {shape = ")
        self.shape.print_parameters(printer)
        printer.print_string(", types = ")
        self.types.print_parameters(printer)
        for name, value in self.attributes.items():
            printer.print_string(f", {name} = ")
            printer.print_attribute(value)
        printer.print_string("} : ")
        with printer.in_parens():
            printer.print_list([v.type for v in self.operands], printer.print_attribute)
        printer.print_string(" -> ")
        printer.print_attribute(self.d.type)

    def verify_(self) -> None:
        """The accumulator has the result's type."""
        if self.c is not None and self.c.type != self.d.type:
            raise VerifyException(
                f"type of C operand must match result type: {self.c.type} and {self.d.type}"
            )


def _nested(parser: Parser, kind: type[MMAShapeAttr] | type[MMATypesAttr]) -> Attribute:
    if parser.lexer.input.at(parser.pos) == "<":
        return kind.new(kind.parse_parameters(parser))
    return parser.parse_attribute()


@irdl_op_definition
class MemfenceOp(IRDLOperation):
    """`xevm.memfence <{addrspace = #xevm.addr_space<shared>, scope = #xevm.mem_scope<workgroup>}>`."""

    name = "xevm.memfence"

    scope = prop_def(MemScopeAttr)
    addrspace = prop_def(AddrSpaceAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, *, scope: str, addrspace: str = "generic") -> None:
        super().__init__(
            properties={"addrspace": AddrSpaceAttr(addrspace), "scope": MemScopeAttr(scope)}
        )

    @classmethod
    def parse(cls, parser: Parser) -> "MemfenceOp":
        """Read the op."""
        properties = _parse_properties(parser)
        properties.setdefault("addrspace", AddrSpaceAttr("generic"))
        return cls.create(properties=properties, attributes=dict(parser.parse_optional_attr_dict()))

    def print(self, printer: Printer) -> None:
        """Print the op."""
        _print_properties(printer, self)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """`xevm.prefetch %p <{cache_control = ...}> : (!llvm.ptr<1>)`."""

    name = "xevm.prefetch"

    ptr = operand_def(LLVMPointerType)
    cache_control = opt_prop_def(LoadCacheControlAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @classmethod
    def parse(cls, parser: Parser) -> "PrefetchOp":
        """Read the op."""
        name = parser.parse_unresolved_operand()
        properties = _parse_properties(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        with parser.in_parens():
            type = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(name, type)],
            properties=properties,
            attributes=dict(attributes),
        )

    def print(self, printer: Printer) -> None:
        """Print the op."""
        printer.print_string(" ")
        printer.print_ssa_value(self.ptr)
        _print_properties(printer, self)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        with printer.in_parens():
            printer.print_attribute(self.ptr.type)


class _IdOp(IRDLOperation):
    """An id or a size as an integer."""

    res = result_def(IntegerType)

    traits = traits_def(Pure())

    def __init__(self, type: Attribute = i32) -> None:
        super().__init__(result_types=[type])

    @classmethod
    def parse(cls, parser: Parser) -> "IRDLOperation":
        """Read the op."""
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.create(result_types=[parser.parse_type()], attributes=dict(attributes))

    def print(self, printer: Printer) -> None:
        """Print the op."""
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.res.type)


def _id_op(mnemonic: str) -> type[_IdOp]:
    words = re.split(r"[._]", mnemonic)
    name = "".join(word.capitalize() for word in words) + "Op"
    return irdl_op_definition(
        type(name, (_IdOp,), {"name": f"xevm.{mnemonic}", "__doc__": f"`xevm.{mnemonic} : i32`."})
    )


_ID_OPS = [
    _id_op(mnemonic)
    for mnemonic in (
        *(f"{k}.{d}" for k in ("local_id", "local_size", "group_id", "group_count") for d in "xyz"),
        "lane_id",
        "subgroup_id",
        "subgroup_size",
    )
]

XeVM = Dialect(
    "xevm",
    [BlockLoad2dOp, BlockPrefetch2dOp, BlockStore2dOp, MMAOp, MemfenceOp, PrefetchOp, *_ID_OPS],
    [
        AddrSpaceAttr,
        LoadCacheControlAttr,
        MMAShapeAttr,
        MMATypesAttr,
        MemScopeAttr,
        StoreCacheControlAttr,
    ],
)

"""Attributes of XeVM: cache controls, scopes, what a matrix product multiplies, what a module is compiled for."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    NoneAttr,
    StringAttr,
    i32,
)
from xdsl.ir import Attribute, Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.shared_attributes import word
from xetile.dialects.structs import Field, StructAttr, attribute_field, print_bare
from xetile.targets.xe.device import TRIPLE, UPSTREAM_CHIP

CACHE_CONTROL = "cache_control"
"""The attribute of LLVM's loads and stores that says what they ask of the caches; of xevm's ops it is a property."""

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
        with parser.in_angle_brackets():
            start = parser.pos
            word = parser.parse_identifier()
            if word not in cls.legal:
                parser.raise_error(
                    f"'{word}'; legal are {', '.join(sorted(cls.legal))}", start
                )
            return word

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data)

    def verify(self) -> None:
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


def _parse_number(parser: AttrParser) -> Attribute:
    return IntegerAttr(parser.parse_integer(allow_boolean=False), i32)


def _parse_type(parser: AttrParser) -> Attribute:
    start = parser.pos
    name = parser.parse_identifier()
    if name not in _MMA_TYPES:
        parser.raise_error(f"'{name}'; legal are {', '.join(_MMA_TYPES)}", start)
    return StringAttr(name)


_NUMBER = Field(_parse_number, show=print_bare)
_TYPE = Field(_parse_type, show=print_bare)


@irdl_attr_definition
class MMAShapeAttr(StructAttr):
    """`#xevm.mma_shape<m = 8, n = 16, k = 16>`."""

    name = "xevm.mma_shape"
    FIELDS: ClassVar = dict.fromkeys("mnk", _NUMBER)

    m: IntegerAttr[IntegerType]
    n: IntegerAttr[IntegerType]
    k: IntegerAttr[IntegerType]

    @classmethod
    def of(cls, m: int, n: int, k: int) -> "MMAShapeAttr":
        """The shape of Python numbers (elements)."""
        return _shape(m, n, k)

    @property
    def sizes(self) -> tuple[int, int, int]:
        """m, n, k in elements."""
        return self.m.value.data, self.n.value.data, self.k.value.data


@irdl_attr_definition
class MMATypesAttr(StructAttr):
    """`#xevm.mma_types<d = f32, a = f16, b = f16, c = f32>`; c is absent without an accumulator."""

    name = "xevm.mma_types"
    FIELDS: ClassVar = dict.fromkeys("dab", _TYPE) | {
        "c": replace(_TYPE, default=StringAttr(""))
    }

    d: StringAttr
    a: StringAttr
    b: StringAttr
    c: StringAttr

    @classmethod
    def of(cls, d: str, a: str, b: str, c: str | None) -> "MMATypesAttr":
        """The types by name."""
        return _types(d, a, b, c or "")

    @property
    def names(self) -> dict[str, str]:
        """The types by operand: d, a, b and, with an accumulator, c."""
        return {name: cast(StringAttr, value).data for name, value in self.given.items()}


@cache
def _shape(m: int, n: int, k: int) -> MMAShapeAttr:
    return MMAShapeAttr(word(m), word(n), word(k))


@cache
def _types(d: str, a: str, b: str, c: str) -> MMATypesAttr:
    return MMATypesAttr(*map(StringAttr, (d, a, b, c)))


@irdl_attr_definition
class TargetAttr(StructAttr):
    """`#xevm.target<O = 3, chip = "pvc">`: what upstream compiles a gpu.module for.

    What has its default (O = 2, LLVM's triple, upstream's chip) is not printed. Nothing is refused
    beside other types, as upstream refuses nothing.
    """

    name = "xevm.target"
    FIELDS: ClassVar = {
        "O": Field(_parse_number, IntegerAttr(2, i32), print_bare),
        "triple": attribute_field(StringAttr, "a string", StringAttr(TRIPLE)),
        "chip": attribute_field(StringAttr, "a string", StringAttr(UPSTREAM_CHIP)),
        "flags": attribute_field(DictionaryAttr, "a dictionary", NoneAttr()),
        "linkFiles": attribute_field(ArrayAttr, "an array of file names", NoneAttr()),
    }

    optimization: IntegerAttr
    triple: StringAttr
    chip: StringAttr
    flags: DictionaryAttr | NoneAttr
    link_files: ArrayAttr | NoneAttr

    @classmethod
    def of(
        cls,
        chip: str = UPSTREAM_CHIP,
        *,
        optimization: int = 2,
        triple: str = TRIPLE,
        flags: DictionaryAttr | None = None,
        link_files: Sequence[str] | None = None,
    ) -> "TargetAttr":
        """A target of Python values; `chip` is a device's name, `optimization` a level (0 to 3)."""
        files = None if link_files is None else ArrayAttr(map(StringAttr, link_files))
        return cls(
            IntegerAttr(optimization, i32),
            StringAttr(triple),
            StringAttr(chip),
            flags or NoneAttr(),
            files or NoneAttr(),
        )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        if parser.lexer.input.at(parser.pos) == "<":
            return super().parse_parameters(parser)
        return cls.of().parameters

    def print_parameters(self, printer: Printer) -> None:
        if self.given:
            super().print_parameters(printer)

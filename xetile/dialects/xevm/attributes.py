"""Attributes of XeVM: cache controls, scopes, what a matrix product multiplies, what a module is compiled for."""

from collections.abc import Callable, Mapping, Sequence
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
from xdsl.ir import Attribute, Data, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.formats import parse_parameter, parse_struct, print_struct

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


@irdl_attr_definition
class TargetAttr(ParametrizedAttribute):
    """`#xevm.target<O = 3, chip = "pvc">`: what upstream compiles a gpu.module for.

    What has its default (O = 2, triple = "spirv64-unknown-unknown", chip = "bmg") is not printed. Nothing is refused
    beside other types, as upstream refuses nothing.
    """

    name = "xevm.target"

    optimization: IntegerAttr
    triple: StringAttr
    chip: StringAttr
    flags: DictionaryAttr | NoneAttr
    link_files: ArrayAttr | NoneAttr

    @classmethod
    def of(
        cls,
        chip: str = "bmg",
        *,
        optimization: int = 2,
        triple: str = "spirv64-unknown-unknown",
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
        """Read `<O = 3, chip = "pvc">`, the fields in any order; without brackets all are the defaults."""
        found: dict[str, Attribute] = {}
        if parser.lexer.input.at(parser.pos) == "<":
            found = parse_struct(parser, _TARGET_FIELDS)
        usual = cls.of()
        return [
            found.get("O", usual.optimization),
            found.get("triple", usual.triple),
            found.get("chip", usual.chip),
            found.get("flags", usual.flags),
            found.get("linkFiles", usual.link_files),
        ]

    def print_parameters(self, printer: Printer) -> None:
        """Print the fields that do not have their defaults."""
        named = zip(
            _TARGET_FIELDS, zip(self.parameters, self.of().parameters, strict=True), strict=True
        )
        shown = [(name, value) for name, (value, usual) in named if value != usual]
        if not shown:
            return

        def show(value: Attribute) -> None:
            if isinstance(value, IntegerAttr):
                printer.print_int(value.value.data)
            else:
                printer.print_attribute(value)

        print_struct(printer, [(name, lambda value=value: show(value)) for name, value in shown])


def _parse_level(parser: AttrParser) -> Attribute:
    return IntegerAttr(parser.parse_integer(allow_boolean=False), i32)


def _parse_string(parser: AttrParser) -> Attribute:
    return parse_parameter(parser, StringAttr, "a string")


def _parse_flags(parser: AttrParser) -> Attribute:
    return parse_parameter(parser, DictionaryAttr, "a dictionary")


def _parse_files(parser: AttrParser) -> Attribute:
    return parse_parameter(parser, ArrayAttr, "an array of file names")


_TARGET_FIELDS: Mapping[str, Callable[[AttrParser], Attribute]] = {
    "O": _parse_level,
    "triple": _parse_string,
    "chip": _parse_string,
    "flags": _parse_flags,
    "linkFiles": _parse_files,
}
"""The parameters in the order in which they are printed, and how each is read."""

"""Op decorators and a reader for MLIR's declarative assembly formats, in place of xDSL's `assembly_format`.

`formatted_op` replaces `irdl_op_definition` for an op with a format; `sorted_op` is the same for XeGPU and XeVM;
`op_like` makes an op that differs from another by name.

Gaps of xDSL 0.75 that they close: it compiles a format where its op is defined (0.45 ms each, whether or not a program
has the op), and rejects types with messages that do not name the operand. test/unit/dialects/upstream/test_formats.py
fails once they close. `formatted_op` compiles a format when the first op is read or printed, and leaves types to the
op's verifier, so that a diagnostic has the same words for every spelling.

Additions to the formats:

- `type(operands)` compares the number of types with the number of operands, at the types.
- `$attribute` of one known class is read without its name (`<m = 8, ...>`) or in full (`#xevm.mma_shape<m = 8, ...>`).

`sorted_op` has dictionaries as mlir-opt does, sorted by name:

- `prop-dict attr-dict`: ` <{...}> {...}`, a space before the first even if it is empty; properties that the format
  names elsewhere are left out, optional ones are read from either dictionary;
- `attr-dict` alone holds properties and attributes; ` <{...}>` before it is read too, which LLVM's development branch
  prints of XeGPU since August 2026 (its pull request 217281) where MLIR 22 has one dictionary.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, TypeVar, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
)
from xdsl.ir import Attribute, BuiltinAttribute, ParametrizedAttribute
from xdsl.irdl import IRDLOperation, OpDef, OptionalDef, irdl_attr_definition
from xdsl.irdl.declarative_assembly_format import (
    AttrDictDirective,
    FormatDirective,
    FormatProgram,
    OperandsDirective,
    ParsingState,
    PrintingState,
    UniqueBaseAttributeVariable,
)
from xdsl.irdl.declarative_assembly_format_parser import FormatParser
from xdsl.irdl.operations import get_accessors_from_op_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.directives import expect_space
from xetile.hints import isa

_Op = TypeVar("_Op", bound=IRDLOperation)

SEGMENT_SIZES = "operandSegmentSizes"
"""The property with the sizes of the groups of operands. No custom syntax prints it."""


# Ops with a format


def formatted_op(
    cls: type[_Op], dictionaries: Literal["as given", "sorted"] = "as given"
) -> type[_Op]:
    """Define an op as `irdl_op_definition` does, but compile its format when the first op is read or printed.

    A class derived from one of xDSL's ops is that op with another format.
    """
    parent = cls.mro()[1]
    stock = parent.get_irdl_definition() if issubclass(parent, IRDLOperation) else None
    members: dict[str, object] = {"parse": classmethod(_parse), "print": _print}
    if stock is None:  # IRDLOperation itself has none
        definition = OpDef.from_pyrdl(cls)
        text, definition.assembly_format = definition.assembly_format, None
        members |= get_accessors_from_op_def(definition, getattr(cls, "verify_", None))
        definition.assembly_format = text
    else:
        directives = {directive.__name__: directive for directive in cls.custom_directives}
        other = replace(
            stock, assembly_format=cls.assembly_format, custom_directives=directives
        )
        members["get_irdl_definition"] = staticmethod(lambda: other)
    for name, member in (members | {"dictionaries": dictionaries}).items():
        setattr(cls, name, member)
    return cls


def sorted_op(cls: type[_Op]) -> type[_Op]:
    """Define an op as `formatted_op` does, with dictionaries as mlir-opt has them."""
    return formatted_op(cls, "sorted")


def op_like(base: type[_Op], name: str, **members: object) -> type[_Op]:
    """Return an op that differs from `base` in its name and in these members."""
    return formatted_op(cast("type[_Op]", type(name, (base,), {"name": name, **members})))


@cache
def format_of(op: type[IRDLOperation]) -> FormatProgram:
    """Return the compiled format of an op that `formatted_op` defines."""
    definition = op.get_irdl_definition()
    assert definition.assembly_format is not None
    is_sorted = vars(op).get("dictionaries") == "sorted"
    reader = _SortedFormatParser if is_sorted else _FormatParser
    program = _SortedProgram if is_sorted else _Program
    return program(reader(definition.assembly_format, definition).parse_format().stmts)


def _parse(cls: type[_Op], parser: Parser) -> _Op:
    return format_of(cls).parse(parser, cls)


def _print(self: IRDLOperation, printer: Printer) -> None:
    format_of(type(self)).print(printer, self)


class _SortedProgram(FormatProgram):
    """A format that infers types but does not check them, which the op's verifier does."""

    def resolve_constraint_variables(self, state: ParsingState, op_def: OpDef) -> None:
        types = (*state.operand_types, *state.result_types)
        if None not in types:
            return
        for (_, definition), given in zip(
            (*op_def.operands, *op_def.results), types, strict=True
        ):
            if given is not None:
                with suppress(VerifyException):
                    definition.constr.verify(given, state.context)

    def resolve_operand_types(
        self, state: ParsingState, op_def: OpDef
    ) -> Sequence[Sequence[Attribute]]:
        found = super().resolve_operand_types(state, op_def)
        for types, operands in zip(found, state.operands, strict=True):
            number = len(operands or ())
            if len(types) != number:  # xDSL reports it behind the op
                raise VerifyException(f"{len(types)} types for {number} operands")
        return found


class _Program(_SortedProgram):
    """The same, properties in the order of their definitions, which is that of the generic form."""

    def resolve_operand_types(
        self, state: ParsingState, op_def: OpDef
    ) -> Sequence[Sequence[Attribute]]:
        state.properties = {
            name: state.properties[name]
            for name in op_def.properties
            if name in state.properties
        }
        return super().resolve_operand_types(state, op_def)


class _FormatParser(FormatParser):
    """xDSL's reader of formats, with the additions that the module's docstring lists."""

    def create_operands_directive(
        self, inside_type: bool, inside_ref: bool
    ) -> OperandsDirective:
        super().create_operands_directive(inside_type, inside_ref)
        return _Operands()

    def parse_optional_variable(
        self, inside_ref: bool, *, qualified: bool = False
    ) -> FormatDirective | None:
        found = super().parse_optional_variable(inside_ref, qualified=qualified)
        if type(found) is not UniqueBaseAttributeVariable:
            return found
        return _NamelessAttribute(
            found.name,
            found.is_property,
            found.is_optional,
            found.default_value,
            found.unique_base,
        )


class _SortedFormatParser(_FormatParser):
    """The same, with dictionaries of properties."""

    def parse_format_directive(self, inside_ref: bool) -> FormatDirective:
        if not self.parse_optional_keyword("prop-dict"):
            return super().parse_format_directive(inside_ref)
        self.parse_keyword("attr-dict")
        return _Dictionaries(False, set(), set(), has_properties=True)

    def create_attr_dict_directive(self, with_keyword: bool) -> AttrDictDirective:
        return _Dictionaries(with_keyword, set(), set())

    def verify_properties(self, elements: list[FormatDirective], attr_dict_idx: int) -> None:
        dictionaries = elements[attr_dict_idx]
        assert isinstance(dictionaries, _Dictionaries)
        shown = self.seen_attributes | self.seen_properties | {SEGMENT_SIZES}
        taken = {
            name
            for name, definition in self.op_def.properties.items()
            if isinstance(definition, OptionalDef)
            or not (dictionaries.has_properties or name in shown)
        }
        elements[attr_dict_idx] = replace(
            dictionaries, reserved_attr_names=shown, expected_properties=taken
        )


@dataclass(frozen=True)
class _Dictionaries(AttrDictDirective):
    """`attr-dict`, or `prop-dict attr-dict`."""

    has_properties: bool = False
    """True if properties have a dictionary of their own."""

    def parse(self, parser: Parser, state: ParsingState) -> None:
        may_follow = self.has_properties or self.expected_properties
        properties = parser.parse_optional_properties_dict() if may_follow else {}
        if self.with_keyword:
            given = parser.parse_optional_attr_dict_with_keyword()
            attributes = {} if given is None else dict(given.data)
        else:
            attributes = parser.parse_optional_attr_dict()
        for name in state.op_type.get_irdl_definition().properties:
            if name in self.expected_properties and name in attributes:
                if name in properties:
                    parser.raise_error(
                        f"'{name}' is given twice, as property and as attribute"
                    )
                properties[name] = attributes.pop(name)
        state.properties = properties | dict(sorted(state.properties.items()))
        state.attributes |= attributes

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        shown = {name: _plain(value) for name, value in op.properties.items()}
        properties = _sorted_without(shown, self.reserved_attr_names)
        attributes = _sorted_without(op.attributes, self.reserved_attr_names)
        if self.has_properties:
            printer.print_string(" ")
            if properties:
                with printer.in_angle_brackets():
                    printer.print_attr_dict(properties)
        else:
            attributes = dict(sorted((properties | attributes).items()))
        printed = printer.print_op_attributes(attributes, print_keyword=self.with_keyword)
        if printed or self.has_properties:
            expect_space(state)


@irdl_attr_definition
class _Integers(ParametrizedAttribute, BuiltinAttribute):
    """Integers without their type, which mlir-opt leaves out in `[0, 8]`."""

    name = "integers"

    values: ArrayAttr[IntegerAttr]

    def print_builtin(self, printer: Printer) -> None:
        printer.print_string(str([integer.value.data for integer in self.values]))


def _plain(value: Attribute) -> Attribute:
    return _Integers(value) if isa(value, ArrayAttr[IntegerAttr]) else value


class _Operands(OperandsDirective):
    """`operands` and `type(operands)`; xDSL reports a wrong number of types after the op."""

    def parse_types(self, parser: Parser, state: ParsingState) -> None:
        start = parser.pos
        super().parse_types(parser, state)
        types, operands = (
            sum(len(group or ()) for group in groups)
            for groups in (state.operand_types, state.operands)
        )
        if types != operands:
            parser.raise_error(f"{types} types for {operands} operands", start, parser.pos)


class _NamelessAttribute(UniqueBaseAttributeVariable):
    """An attribute without its name, or in full."""

    def parse_attr(self, parser: Parser) -> Attribute | None:
        if parser.lexer.input.at(parser.pos) == "#":
            return parser.parse_attribute()
        return super().parse_attr(parser)


# Dictionaries of properties


def _sorted_without(
    entries: Mapping[str, Attribute], elide: Collection[str]
) -> dict[str, Attribute]:
    return {name: entries[name] for name in sorted(entries) if name not in elide}


def present(**properties: Attribute | None) -> dict[str, Attribute]:
    """Return the properties that are set, sorted by name as MLIR prints them."""
    return {name: value for name, value in sorted(properties.items()) if value is not None}

"""Declarative formats: what xDSL's `assembly_format` lacks for ops that print as mlir-opt prints them.

`formatted_op` stands in place of `irdl_op_definition` over an op with an `assembly_format`. The format may then be
upstream's own text, and is compiled when the first op of the class is read or printed:

- `prop-dict attr-dict`: ` <{...}> {...}`, both sorted by name, a space before the first even where it is empty;
  properties that the format names elsewhere are left out, optional ones are read from either dictionary;
- `attr-dict` alone holds properties and attributes, sorted by name;
- `$attribute` of one known class is read without its name (`<m = 8, ...>`) or in full (`#xevm.mma_shape<m = 8, ...>`);
- `type(operands)` counts types against operands where they stand.

What the types must be is left to the op's verifier, so that a refusal has the same words for every spelling.

Directives, to be listed in `custom_directives`:

- `custom<IndexList>($values, $literals)`: `[%a, 16]`; `custom<OptionalIndexList>`: the same, or nothing for no entry;
- `custom<SameType>(type($a), type($b))`: one type for both;
- `custom<AtomicKind>($kind)`: the number of an atomic operation, as arith's word for it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar, TypeVar

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    i64,
)
from xdsl.dialects.utils import parse_dynamic_index_list_without_types
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, OpDef, OptionalDef
from xdsl.irdl.declarative_assembly_format import (
    AttrDictDirective,
    AttributeVariable,
    CustomDirective,
    FormatDirective,
    FormatProgram,
    OperandsDirective,
    ParsingState,
    PrintingState,
    TypeDirective,
    UniqueBaseAttributeVariable,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.irdl.declarative_assembly_format_parser import FormatParser
from xdsl.irdl.operations import get_accessors_from_op_def
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from xetile.dialects.atomic_kinds import ATOMIC_KINDS

_Op = TypeVar("_Op", bound=IRDLOperation)

SEGMENT_SIZES = "operandSegmentSizes"
"""The property that says how the operands are cut into groups; no custom syntax prints it."""


# Ops with a format


def formatted_op(cls: type[_Op]) -> type[_Op]:
    """As `irdl_op_definition`, for an op whose `assembly_format` is compiled when it is needed (0.45 ms each)."""
    definition = OpDef.from_pyrdl(cls)
    text, definition.assembly_format = definition.assembly_format, None
    members = get_accessors_from_op_def(definition, getattr(cls, "verify_", None))
    definition.assembly_format = text
    for name, member in (members | {"parse": classmethod(_parse), "print": _print}).items():
        setattr(cls, name, member)
    return cls


@cache
def format_of(op: type[IRDLOperation]) -> FormatProgram:
    """The compiled format of an op that `formatted_op` defines."""
    definition = op.get_irdl_definition()
    assert definition.assembly_format is not None
    return _Program(_FormatParser(definition.assembly_format, definition).parse_format().stmts)


def _parse(cls: type[_Op], parser: Parser) -> _Op:
    return format_of(cls).parse(parser, cls)


def _print(self: IRDLOperation, printer: Printer) -> None:
    format_of(type(self)).print(printer, self)


class _Program(FormatProgram):
    """A format that checks types only where it must infer some."""

    def resolve_constraint_variables(self, state: ParsingState, op_def: OpDef) -> None:
        if None in state.operand_types or None in state.result_types:
            super().resolve_constraint_variables(state, op_def)


class _FormatParser(FormatParser):
    """xDSL's reader of formats, with what the page above adds."""

    def parse_format_directive(self, inside_ref: bool) -> FormatDirective:
        if not self.parse_optional_keyword("prop-dict"):
            return super().parse_format_directive(inside_ref)
        self.parse_keyword("attr-dict")
        return _Dictionaries(False, set(), set(), has_properties=True)

    def create_attr_dict_directive(self, with_keyword: bool) -> AttrDictDirective:
        return _Dictionaries(with_keyword, set(), set())

    def create_operands_directive(self, inside_type: bool, inside_ref: bool) -> OperandsDirective:
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
    """Whether properties have a dictionary of their own."""

    def parse(self, parser: Parser, state: ParsingState) -> None:
        properties = parser.parse_optional_properties_dict() if self.has_properties else {}
        if self.with_keyword:
            given = parser.parse_optional_attr_dict_with_keyword()
            attributes = {} if given is None else dict(given.data)
        else:
            attributes = parser.parse_optional_attr_dict()
        for name in state.op_type.get_irdl_definition().properties:
            if name in self.expected_properties and name in attributes:
                properties.setdefault(name, attributes.pop(name))
        state.properties = properties | dict(sorted(state.properties.items()))
        state.attributes |= attributes

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        properties = _sorted_without(op.properties, self.reserved_attr_names)
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
            _expect_space(state)


class _Operands(OperandsDirective):
    """`operands` and `type(operands)`; xDSL reports a wrong number of types behind the op."""

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


def _expect_space(state: PrintingState) -> None:
    """Ask for a space before what follows."""
    state.should_emit_space = True
    state.last_was_punctuation = False


# Lists that mix values and literals

Mixed = int | SSAValue


@irdl_custom_directive
class IndexList(CustomDirective):
    """`[%a, 16]`: values of type index, and literals with DYNAMIC_INDEX in the values' places."""

    values: VariadicOperandVariable
    literals: AttributeVariable

    LEAST: ClassVar[int] = 0
    """Entries that there must be."""

    def parse(self, parser: Parser, state: ParsingState) -> None:
        start = parser.pos
        values, literals = parse_dynamic_index_list_without_types(parser, DYNAMIC_INDEX)
        if len(literals) < self.LEAST:
            parser.raise_error("expected a list of values or integers", start, parser.pos)
        resolve_mixed(parser, values)  # a value of another type is refused where it stands
        self.values.set(state, values)
        self.values.set_types(state, [IndexType()] * len(values))
        self.literals.set(state, DenseArrayBase.from_list(i64, literals))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        print_mixed(printer, self._entries(op))

    def _entries(self, op: IRDLOperation) -> list[Mixed]:
        return join_mixed(self.values.get(op), self.literals.get(op))

    def set_empty(self, state: ParsingState) -> None:
        self.values.set_empty(state)
        self.values.set_types(state, ())

    def is_present(self, op: IRDLOperation) -> bool:
        return self.literals.get(op) is not None

    def is_anchorable(self) -> bool:
        return True


class OptionalIndexList(IndexList):
    """As `IndexList`; a list without an entry is not printed, and not read."""

    LEAST = 1

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if parser.lexer.input.at(parser.pos) == "[":
            super().parse(parser, state)
        else:
            self.set_empty(state)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        if self._entries(op):
            super().print(printer, state, op)
        _expect_space(state)

    def is_optional_like(self) -> bool:
        return True


def split_mixed(entries: Sequence[Mixed]) -> tuple[list[SSAValue], DenseArrayBase[IntegerType]]:
    """The values among the entries, and the literals with DYNAMIC_INDEX in the values' places."""
    values = [entry for entry in entries if not isinstance(entry, int)]
    literals = [entry if isinstance(entry, int) else DYNAMIC_INDEX for entry in entries]
    return values, DenseArrayBase.from_list(i64, literals)


def join_mixed(values: Sequence[SSAValue], literals: Attribute | None) -> list[Mixed]:
    """The entries in order; values alone where there are no literals."""
    if not isa(literals, DenseArrayBase[IntegerType]):
        return list(values)
    remaining = iter(values)
    return [next(remaining) if n == DYNAMIC_INDEX else n for n in literals.get_values()]


def verify_count(name: str, values: Sequence[SSAValue], literals: Attribute | None) -> None:
    """Refuse literals whose places for values do not match the values."""
    if not isa(literals, DenseArrayBase[IntegerType]):
        return
    places = literals.get_values().count(DYNAMIC_INDEX)
    if places != len(values):
        raise VerifyException(f"'{name}' has {places} dynamic entries and {len(values)} values")


def resolve_mixed(parser: Parser, entries: Sequence[int | UnresolvedOperand]) -> list[Mixed]:
    """Entries that a hand-written parser has read, their values resolved as index."""
    return [
        entry if isinstance(entry, int) else parser.resolve_operand(entry, IndexType())
        for entry in entries
    ]


def print_mixed(printer: Printer, entries: Sequence[Mixed]) -> None:
    """Print `[%a, 16]`."""

    def one(entry: Mixed) -> None:
        if isinstance(entry, int):
            printer.print_int(entry)
        else:
            printer.print_ssa_value(entry)

    with printer.in_square_brackets():
        printer.print_list(entries, one)


# Other directives


@irdl_custom_directive
class SameType(CustomDirective):
    """One type that two operands or results have; that they do is the verifier's to say."""

    first: TypeDirective
    second: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        types = (parser.parse_type(),)
        self.first.set(state, types)
        self.second.set(state, types)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        self.first.print(printer, state, op)


@irdl_custom_directive
class AtomicKind(CustomDirective):
    """The number of an atomic operation, written as arith's word for it."""

    kind: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        word = parser.parse_keyword_in(ATOMIC_KINDS)
        self.kind.set(state, IntegerAttr(ATOMIC_KINDS.index(word), i64))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        number = self.kind.get(op)
        assert isinstance(number, IntegerAttr)
        printer.print_string(ATOMIC_KINDS[number.value.data])


# Dictionaries of properties


def _sorted_without(
    entries: Mapping[str, Attribute], elide: Collection[str]
) -> dict[str, Attribute]:
    return {name: entries[name] for name in sorted(entries) if name not in elide}


def present(**properties: Attribute | None) -> dict[str, Attribute]:
    """The properties that are given, sorted by name as MLIR prints them."""
    return {name: value for name, value in sorted(properties.items()) if value is not None}

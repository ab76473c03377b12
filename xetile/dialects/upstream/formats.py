"""Ops with declarative formats, as upstream's own definitions have them, and the directives that these share.

Gaps of xDSL 0.74: it compiles a format where its op is defined (0.45 ms each, whether or not a program has the op),
and lets it refuse types in words that do not name the operand. test/unit/dialects/upstream/test_formats.py tells
when they close, and compiles every format.
"""

from abc import ABC
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import TypeVar, cast

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation, OpDef
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    FormatDirective,
    FormatProgram,
    ParsingState,
    PrintingState,
)
from xdsl.irdl.operations import get_accessors_from_op_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from xetile.dialects.atomic_kinds import ATOMIC_KINDS

_Op = TypeVar("_Op", bound=IRDLOperation)


def declared_op(cls: type[_Op]) -> type[_Op]:
    """As `irdl_op_definition`; the format is compiled when the first op is read or printed.

    A class over one of xDSL's ops is that op with another format.
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
        other = replace(stock, assembly_format=cls.assembly_format, custom_directives=directives)
        members["get_irdl_definition"] = staticmethod(lambda: other)
    for name, member in members.items():
        setattr(cls, name, member)
    return cls


def op_like(base: type[_Op], name: str, **members: object) -> type[_Op]:
    """An op that differs from `base` in its name and in these members: a row of a table."""
    return declared_op(cast("type[_Op]", type(name, (base,), {"name": name, **members})))


@cache
def format_of(op: type[IRDLOperation]) -> FormatProgram:
    """The compiled format of an op that `declared_op` defines."""
    definition = op.get_irdl_definition()
    assert definition.assembly_format is not None
    return _Program(FormatProgram.from_str(definition.assembly_format, definition).stmts)


def _parse(cls: type[_Op], parser: Parser) -> _Op:
    return format_of(cls).parse(parser, cls)


def _print(self: IRDLOperation, printer: Printer) -> None:
    format_of(type(self)).print(printer, self)


class _Program(FormatProgram):
    """A format that infers types and leaves it to the op's verifier to refuse them.

    Properties come in the order of their definitions, which is that of the generic form.
    """

    def resolve_constraint_variables(self, state: ParsingState, op_def: OpDef) -> None:
        definitions = (*op_def.operands, *op_def.results)
        for (_, definition), types in zip(
            definitions, (*state.operand_types, *state.result_types), strict=True
        ):
            if types is not None:
                with suppress(VerifyException):
                    definition.constr.verify(types, state.context)

    def resolve_operand_types(
        self, state: ParsingState, op_def: OpDef
    ) -> Sequence[Sequence[Attribute]]:
        found = super().resolve_operand_types(state, op_def)
        for types, operands in zip(found, state.operands, strict=True):
            number = len(operands or ())
            if len(types) != number:  # xDSL reports it behind the op
                raise VerifyException(f"{len(types)} types for {number} operands")
        state.properties = {
            name: state.properties[name] for name in op_def.properties if name in state.properties
        }
        return found


def expect_space(state: PrintingState) -> None:
    """Ask for a space before what follows."""
    state.should_emit_space = True
    state.last_was_punctuation = False


class Directive(CustomDirective, ABC):
    """A directive whose annotations are its parameters; xDSL's `irdl_custom_directive` takes 0.45 ms to say so."""

    def __init_subclass__(cls) -> None:
        cls.parameters = dict(cls.__annotations__)

    def __init__(self, *parameters: FormatDirective) -> None:
        for name, parameter in zip(self.parameters, parameters, strict=True):
            setattr(self, name, parameter)


class Quoted(Directive):
    """`"private"`, or nothing where it is optional; xDSL's `$attribute` takes any attribute for a string."""

    string: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        is_optional = self.string.is_optional
        found = parser.parse_optional_str_literal() if is_optional else parser.parse_str_literal()
        if found is not None:
            self.string.set(state, StringAttr(found))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        self.string.print(printer, state, op)


class AtomicKind(Directive):
    """The number of an atomic operation as arith's word for it."""

    kind: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        start = parser.pos
        word = parser.parse_optional_str_literal() or parser.parse_identifier()
        if word not in ATOMIC_KINDS:
            legal = ", ".join(ATOMIC_KINDS)
            parser.raise_error(f"kind is '{word}', it has to be one of {legal}", start)
        self.kind.set(state, IntegerAttr(ATOMIC_KINDS.index(word), i64))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        number = self.kind.get(op)
        assert isa(number, IntegerAttr)
        printer.print_string(ATOMIC_KINDS[number.value.data])

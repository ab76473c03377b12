"""Text for upstream MLIR and back: generic form with source positions and value names.

Upstream drops the names of values; they are passed as metadata of the positions:
`loc(fused<"xetile.names a,b">["file.mlir":3:5])` is the position of an op with results `%a` and `%b`.
"""

from collections.abc import Sequence
from functools import cache
from io import StringIO
from itertools import zip_longest
from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
    UnregisteredAttr,
    UnregisteredOp,
)
from xdsl.ir import Attribute, Data, Operation, ParametrizedAttribute, SSAValue
from xdsl.printer import Printer
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import ParseError, VerifyException

from xetile.dialects.modules import context
from xetile.errors import XetileError, file_position, one_line
from xetile.parser import Parser
from xetile.toolchain.mlir_process import SOURCE_NAME

_NAMES = "xetile.names "

OUR_DIALECT = "xetile"
"""The dialect that upstream does not know."""


class _TransportPrinter(Printer):
    """A printer of the generic form with positions, and names in them."""

    with_names = True

    def print_operation_type(self, op: Operation) -> None:
        """Print as xDSL does, with the names of the results in the position."""
        self.print_function_type(op.operand_types, op.result_types)
        self._print_named_location(op.location, op.results)

    def print_block_argument(self, arg: SSAValue, print_type: bool = True) -> None:
        self.print_ssa_value(arg)
        self.print_string(" : ")
        self.print_attribute(arg.type)
        location = getattr(arg, "location", UnknownLoc())
        self._print_named_location(location, [arg])

    def _print_named_location(
        self, location: LocationAttr, values: Sequence[SSAValue]
    ) -> None:
        self.print_string(" ")
        names = [value.name_hint or "" for value in values if self.with_names]
        if any(names):
            location = FusedLoc((location,), StringAttr(_NAMES + ",".join(names)))
        self.print_attribute(location)


def print_module(module: ModuleOp, *, with_names: bool = True) -> str:
    """Return the text of a module for upstream; `with_names` preserves the names of values on the way back."""
    stream = StringIO()
    printer = _TransportPrinter(stream, print_generic_format=True)
    printer.with_names = with_names
    printer.print_op(module)
    return stream.getvalue()


@cache
def _unregistered_attribute(name: str, is_type: bool) -> type[UnregisteredAttr]:
    return UnregisteredAttr.with_name_and_type(name, is_type)


@cache
def _unregistered_operation(name: str) -> type[Operation]:
    return UnregisteredOp.with_name(name)


class _TransportParser(Parser):
    """A parser of upstream's output: every kind of location, no positions of its own, unknown attributes unchanged."""

    def position_at(self, offset: int) -> LocationAttr:
        """Return an unknown location: places in this text are not places of the source."""
        return UnknownLoc()

    def _parse_dialect_type_or_attribute_body(
        self, attr_name: str, is_type: bool, is_opaque: bool, starting_opaque_pos: int | None
    ) -> UnregisteredAttr | ParametrizedAttribute | Data[Any]:
        start = self.pos
        try:
            return super()._parse_dialect_type_or_attribute_body(
                attr_name, is_type, is_opaque, starting_opaque_pos
            )
        except (ParseError, VerifyException):
            if is_opaque or self.lexer.input.at(start) != "<":
                raise
        self._resume_from(start)
        body = self._parse_dialect_symbol_body()
        return _unregistered_attribute(attr_name, is_type)(attr_name, is_type, False, body)

    def _parse_location(self) -> LocationAttr:
        if self.parse_optional_keyword("fused") is not None:
            metadata: Attribute = NoneAttr()
            if self.parse_optional_punctuation("<") is not None:
                metadata = self.parse_attribute()
                self.parse_punctuation(">")
            inner = self.parse_comma_separated_list(
                self.Delimiter.SQUARE, self._parse_location
            )
            return FusedLoc(tuple(inner), metadata)
        location = super()._parse_location()
        if (
            isinstance(location, FileLineColLoc)
            and self.parse_optional_keyword("to") is not None
        ):
            # a range of the source is known by its start
            self.parse_optional_integer(allow_boolean=False, allow_negative=False)
            self.parse_punctuation(":")
            self.parse_integer(allow_boolean=False, allow_negative=False)
        return location


def parse_module(text: str) -> ModuleOp:
    """Parse upstream's text; attributes and ops that xDSL does not know, or only in part, remain unregistered.

    Raise XetileError if xDSL cannot read the text.
    """
    ours = context()
    ours.allow_unregistered = True
    try:
        module = _TransportParser(ours, text, SOURCE_NAME).parse_module()
    except ParseError as error:
        line = text.splitlines()[error.span.get_location().line - 1].strip()
        message = one_line(error.msg)
        raise XetileError(
            f"xDSL cannot read what MLIR made: {message}, in '{line[:100]}'"
        ) from error
    for op in module.walk():
        _restore(op)
    _unregister(module)
    return module


def _unregister(parent: Operation) -> None:
    """Make ops unregistered that our classes do not verify, though upstream does, such as ones of newer properties."""
    for block in (block for region in parent.regions for block in region.blocks):
        for op in list(block.ops):
            _unregister(op if _verifies(op) else _replace(op))


def _verifies(op: Operation) -> bool:
    if op.name.partition(".")[0] == OUR_DIALECT:
        return True  # upstream cannot have verified it
    try:
        op.verify(verify_nested_ops=False)
    except VerifyException:
        return False
    return True


def _replace(op: Operation) -> Operation:
    regions = [op.detach_region(region) for region in list(op.regions)]
    opaque = _unregistered_operation(op.name).create(
        operands=op.operands,
        result_types=op.result_types,
        properties=op.properties,
        attributes=op.attributes,
        location=op.location,
        successors=op.successors,
        regions=regions,
    )
    Rewriter.replace_op(op, opaque)
    return opaque


def _restore(op: Operation) -> None:
    """Move the names of values out of the positions; the names in the text are upstream's own."""
    op.location, names = _without_names(op.location)
    _rename(op.results, names)
    for block in (block for region in op.regions for block in region.blocks):
        for argument in block.args:
            argument.location, names = _without_names(argument.location)
            _rename([argument], names)


def _rename(values: Sequence[SSAValue], names: Sequence[str]) -> None:
    for value, name in zip_longest(values, names[: len(values)], fillvalue=""):
        assert isinstance(value, SSAValue)
        value.name_hint = name or None


def _without_names(location: Attribute) -> tuple[LocationAttr, list[str]]:
    """Return a location without the names in it, and the names at its top."""
    match location:
        case FusedLoc(locations=ArrayAttr() as parts, metadata=StringAttr(data=text)) if (
            text.startswith(_NAMES)
        ):
            inner, _ = _without_names(parts.data[0])
            return inner, text.removeprefix(_NAMES).split(",")
        case FusedLoc(locations=ArrayAttr() as parts):
            return FusedLoc(
                tuple(_without_names(p)[0] for p in parts.data), location.metadata
            ), []
        case NameLoc():
            if isinstance(location.location, NoneAttr):
                return location, []
            return NameLoc(location.desc, _without_names(location.location)[0]), []
        case CallSiteLoc():
            callee, caller = (
                _without_names(location.callee)[0],
                _without_names(location.caller)[0],
            )
            return CallSiteLoc(callee, caller), []
        case UnknownLoc() | FileLineColLoc():
            return location, []
        case _:
            return UnknownLoc(), []


def source_position(text: str, line: int) -> FileLineColLoc | None:
    """Return the source position of the op on a line (from 1) of the text for upstream, or None."""
    lines = text.splitlines()
    if not 1 <= line <= len(lines) or " loc(" not in lines[line - 1]:
        return None
    place = lines[line - 1].rpartition(" loc(")[2]
    parser = _TransportParser(context(), f"loc({place}", SOURCE_NAME)
    try:
        return file_position(parser.parse_attribute())
    except ParseError:
        return None


def position_of(file: str, line: int, column: int) -> FileLineColLoc:
    """Return a position of the source."""
    return FileLineColLoc(StringAttr(file), IntAttr(line), IntAttr(column))

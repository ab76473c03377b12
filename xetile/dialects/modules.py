"""Modules in all our dialects: the context, reading and checking them.

What users write in the manner of the XeTile RFC, or of Intel's kernels, is read here, or
answered with how to write it.
"""

import re
from collections.abc import Sequence
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    ModuleOp,
    UnknownLoc,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Operation, Region, TypeAttribute
from xdsl.parser import Parser as AnyParser
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from xetile.collector import still
from xetile.dialects import load
from xetile.dialects.names import verify_names, warn_of_names
from xetile.dialects.upstream.memref.layout import verify_layouts
from xetile.dialects.upstream.scf_regions import verify_regions
from xetile.dialects.upstream.vector.positions import verify_positions
from xetile.parser import Parser as DialectFreeParser
from xetile.scopes import NotedParseError
from xetile.verification import verify as verify_module

_WITHOUT_DIALECT = ("cache_hint", "sg_map", "tile", "tile_attr", "wg_map")
"""Attributes and types of xetile that the RFC writes without the dialect."""

_WHOLE_NUMBER = re.compile(
    r"(?P<name>%[a-zA-Z_$.-][a-zA-Z0-9_$.-]*) = arith\.constant "
    r"(?P<value>-?[0-9]{1,18}) : (?P<type>index|i8|i16|i32|i64)(?=\n)"
)
_WHOLE_TYPES = {"index": IndexType(), "i8": i8, "i16": i16, "i32": i32, "i64": i64}


class Parser(DialectFreeParser):
    """Reads MLIR text with XeTile in it."""

    usual_dialect = "xetile"

    def parse_operation(self) -> Operation:
        """As everywhere; `map`, which only the parser sees on ops of all dialects, is called `wg_map`."""
        if (constant := self._whole_number()) is not None:
            return constant
        operation = super().parse_operation()
        if "map" in operation.attributes:
            _rename_map(operation)
        warn_of_names(operation)
        return operation

    def _whole_number(self) -> Operation | None:
        """`%c = arith.constant 4 : index` as it is printed, in a quarter of the time; None for anything else."""
        start = self._current_token.span.start
        found = _WHOLE_NUMBER.match(self.lexer.input.content, start)
        if found is None:
            return None
        type = _WHOLE_TYPES[found["type"]]
        try:
            value = IntegerAttr(int(found["value"]), type)
        except VerifyException:
            return None
        operation = arith.ConstantOp.create(result_types=[type], properties={"value": value})
        name = Span(start, found.end("name"), self.lexer.input)
        self._register_ssa_definition(name.text[1:], operation.results, name)
        self._resume_from(found.end())
        given = self.parse_optional_location()
        if given is None or isinstance(given, UnknownLoc):
            given = self.position_at(start)
        operation.location = given
        return operation

    def _get_op_by_name(self, name: str) -> type[Operation]:
        """As everywhere; the keyword behind the arguments of a function that is no gpu.func is no op."""
        if name == "kernel" and self._current_token.text in ("{", "attributes"):
            raise NotedParseError(
                self.statement or self._span(self.pos),
                "'kernel' stands on gpu.func, inside of a gpu.module; write gpu.func for func.func",
            )
        return super()._get_op_by_name(name)

    def parse_optional_region(
        self, arguments: Sequence[AnyParser.Argument] | None = None
    ) -> Region | None:
        """As xDSL's; a function with nothing in its braces would become a declaration and is refused."""
        start, statement = self._current_token.span, self.statement
        region = super().parse_optional_region(arguments)
        if (
            region is None
            or region.blocks
            or statement is None
            or statement.text != "func.func"
        ):
            return region
        raise ParseError(
            start,
            "the function's body is empty; end it with func.return, or declare it without braces",
        )

    def _parse_extended_type_or_attribute(
        self, attr_or_dialect_name: str, is_type: bool
    ) -> Any:
        """As xDSL's; the RFC's `#wg_map<...>`, without the dialect, is answered with how to write it."""
        if (
            attr_or_dialect_name in _WITHOUT_DIALECT
            and self._current_token.kind is MLIRTokenKind.LESS
        ):
            mark, what = ("!", "type") if is_type else ("#", "attribute")
            name = attr_or_dialect_name
            raise NotedParseError(
                self.name_before(),
                f"there is no {what} '{mark}{name}'; write {mark}xetile.{name}<...>",
            )
        return super()._parse_extended_type_or_attribute(attr_or_dialect_name, is_type)

    def parse_optional_type(self) -> TypeAttribute | None:
        """As xDSL's; the RFC's `float` is answered with how to write it."""
        if self._current_token.text == "float":
            self.raise_error("there is no type float; write f32")
        return super().parse_optional_type()


def _rename_map(operation: Operation) -> None:
    """Call a workgroup map `wg_map`, the name that is printed (docs/xetile-dialect.md).

    The ops of other dialects carry it as a discardable attribute, which only the parser sees
    for all of them.
    """
    attributes = operation.attributes
    if attributes["map"].name == "xetile.wg_map" and "wg_map" not in attributes:
        names = ("wg_map" if name == "map" else name for name in attributes)
        operation.attributes = dict(zip(names, attributes.values(), strict=True))


def context() -> Context:
    """A context in which every dialect is registered and none is loaded yet."""
    fresh = Context()
    load(fresh)
    return fresh


new_context = context


@still()
def parse(text: str, name: str = "<input>", context: Context | None = None) -> ModuleOp:
    """Read one module; `name` is the file name that positions carry.

    Errors: `ParseError` with the place; `parser.parse_error_location` reads it. Nothing is
    verified.
    """
    return Parser(new_context() if context is None else context, text, name).parse_module()


def verify(module: Operation) -> None:
    """Check a module, or one op, and every op in it, what xDSL does not check of regions and of memref types included.

    Errors: XetileError with the message of the op's verifier and the op's position.
    """
    verify_module(module, _verify_further)


def _verify_further(op: Operation) -> None:
    verify_regions(op)
    verify_names(op)
    verify_layouts(op)
    verify_positions(op)

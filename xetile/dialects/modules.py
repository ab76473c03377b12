"""Modules in all our dialects: the context, reading and checking them.

What users write in the manner of the XeTile RFC, or of Intel's kernels, is read here, or
answered with how to write it.

Names of attributes that nobody reads: what they should say would be left out without a word.

mlir-opt keeps an attribute without a dialect's prefix on any op. Refused here are those on ops of
XeTile, maps under names that no pass looks for, and what a function says of itself under a name
that is almost right. On ops of XeGPU and XeVM and on vector's reductions, where upstream's word
counts, there is a warning.
"""

import re
from collections.abc import Sequence
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    ModuleOp,
    UnitAttr,
    UnknownLoc,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, Region, TypeAttribute
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser as AnyParser
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from xetile.advice import nearest
from xetile.collector import still
from xetile.dialects import load
from xetile.dialects.fast_math import FASTMATH, REASSOCIATES, WITH_ATTRIBUTE
from xetile.dialects.upstream.memref.memref_layout import verify_layouts
from xetile.dialects.upstream.scf_regions import verify_regions
from xetile.dialects.upstream.vector.vector_support import verify_positions
from xetile.errors import fail, warn
from xetile.levels import (
    LAUNCH_ATTRIBUTE,
    SG_LAYOUT_ATTRIBUTE,
    SURFACES_ATTRIBUTE,
    UNIT_ATTRIBUTE,
)
from xetile.parser import Parser as DialectFreeParser
from xetile.scopes import NotedParseError
from xetile.verification import verify as verify_module

FUNCTION_ATTRIBUTES = (
    "VectorComputeFunctionINTEL",
    "gpu.kernel",
    "gpu.known_block_size",
    "gpu.known_grid_size",
    "intel_reqd_sub_group_size",
    "known_block_size",
    "known_cluster_size",
    "known_grid_size",
    "spirv.entry_point_abi",
)
"""The attributes of functions that xetile reads."""

_OF_XETILE = (LAUNCH_ATTRIBUTE, SG_LAYOUT_ATTRIBUTE, SURFACES_ATTRIBUTE, UNIT_ATTRIBUTE)
_FUNCTIONS = ("gpu.func", "func.func")
_REDUCTIONS = ("vector.multi_reduction", "vector.reduction")
"""Ops of upstream's of which we read an attribute that upstream does not know."""

_ALMOST = 0.75
_MISSPELLED = 0.85
"""How alike a name has to be to one that is read to be taken for a slip, of 1: to warn, and to refuse."""


def verify_names(op: Operation) -> None:
    """Refuse an attribute whose name nothing reads, where somebody meant something by it."""
    if op.name.startswith("xetile."):
        _verify_properties(op)
    for name in op.attributes.keys() & op.properties.keys():
        fail(op, f"'{name}' is given twice, as a property and as another attribute")
    for name, attribute in op.attributes.items():
        _verify_name(op, name, attribute)
    order = op.attributes.get(REASSOCIATES) if op.name in _REDUCTIONS else None
    if order is not None and not isinstance(order, UnitAttr):
        fail(op, f"'{REASSOCIATES}' is {order}; expected a word without a value")
    flags = op.attributes.get(FASTMATH) if op.name in WITH_ATTRIBUTE else None
    if flags is not None and not isinstance(flags, FastMathFlagsAttr):
        fail(op, f"'{FASTMATH}' is {flags}; expected #arith.fastmath<...>")


def warn_of_names(op: Operation) -> None:
    """Tell of attributes on ops of upstream's that mlir-opt keeps, and that are almost called as one that is read."""
    if not op.attributes or not isinstance(op, IRDLOperation):
        return
    if op.name in _REDUCTIONS:
        legal = (REASSOCIATES, FASTMATH, "wg_map")
    elif op.name in WITH_ATTRIBUTE:
        legal = (FASTMATH, "wg_map")
    elif op.name.partition(".")[0] in ("xegpu", "xevm"):
        legal = tuple(op.get_irdl_definition().properties)
    else:
        return
    for name in op.attributes:
        near = None if "." in name or name in legal else nearest(name, legal, _ALMOST)
        if near is not None:
            warn(op, f"{op.name} has no '{name}', which has no effect; did you mean '{near}'?")


def _verify_properties(op: Operation) -> None:
    """Refuse properties that the op does not have; xDSL advises to write them as attributes."""
    from xetile.dialects.xetile.op import XeTileOp
    from xetile.dialects.xetile.shared_formats import unknown_name

    if not isinstance(op, XeTileOp):
        return
    legal = op.get_irdl_definition().properties
    for name in op.properties:
        if name not in legal:
            fail(op, unknown_name(name, op.FORMAT, *legal))


def _verify_name(op: Operation, name: str, attribute: Attribute) -> None:
    if name.startswith("xetile.") and name not in _OF_XETILE:
        near = nearest(name, _OF_XETILE, _MISSPELLED)
        if near is not None:
            fail(op, f"'{name}' is no attribute of the dialect; did you mean '{near}'?")
    of_xetile = op.name.startswith("xetile.")
    if attribute.name == "xetile.wg_map" and name != "wg_map" and not of_xetile:
        fail(op, f"'{name}' is no name of a workgroup map on {op.name}; write wg_map")
    if op.name not in _FUNCTIONS or name in FUNCTION_ATTRIBUTES:
        return
    near = nearest(name, FUNCTION_ATTRIBUTES, _MISSPELLED)
    if near is not None:
        fail(op, f"'{name}' is no attribute that anything reads; did you mean '{near}'?")


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

"""Casts, which xDSL 0.75 has for scalars only; test_stock_xdsl_refuses in test_arith.py tells when it has them.

There, `extsi` has no traits either, `extf` and `truncf` take no flags, and nothing folds.
Source: `llvm 22.1.8 mlir/Dialect/Arith/IR/ArithOps.td`; what is refused is what mlir-opt 22
refuses.
"""

import math
from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.arith import FastMathFlagsAttr, IntegerOverflowAttr, floatingPointLike
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    ParsingState,
    PrintingState,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.directives import Directive
from xetile.dialects.formats import formatted_op, op_like
from xetile.dialects.upstream.arith.support import (
    FIXED_INTEGER_LIKE,
    INTEGER_LIKE,
    Foldable,
    bits,
    constant_float,
    constant_integer,
    constant_unsigned,
    element_type,
    folded_float,
    folded_integer,
    is_rounded_through_double,
    signed,
    unsigned,
    verify_same_shape,
)

ROUNDING_MODES = ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")
"""Counted through by `roundingmode`."""

_EXACT_IN_DOUBLE = 1 << 53


class _Cast(IRDLOperation, Foldable, ABC):
    """A cast of every element."""

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue | Operation, result_type: Attribute) -> None:
        Operation.__init__(self, operands=[SSAValue.get(source)], result_types=[result_type])

    def verify_(self) -> None:
        verify_same_shape(self.operands[0], self.results[0])

    def verify_width(self, *, narrows: bool) -> None:
        """The width changes in the op's direction."""
        before, after = bits(self.operands[0].type), bits(self.results[0].type)
        if before == after or narrows != (after < before):
            raise self.refuse()

    def refuse(self) -> VerifyException:
        """What a verifier raises for types that this op does not cast."""
        source, result = self.operands[0].type, self.results[0].type
        return VerifyException(
            f"'in' is {source} and 'out' is {result}, which {self.name} does not cast"
        )


class _Extension(_Cast, ABC):
    """A wider number."""

    input = operand_def(FIXED_INTEGER_LIKE)
    result = result_def(FIXED_INTEGER_LIKE)

    read = staticmethod(constant_integer)

    def verify_(self) -> None:
        super().verify_()
        self.verify_width(narrows=False)

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        return folded_integer(self.read(self.input), self.result)


class _IndexCast(_Cast, ABC):
    """A cast between an index and an integer of fixed width, extended or cut off."""

    input = operand_def(INTEGER_LIKE)
    result = result_def(INTEGER_LIKE)

    read = staticmethod(constant_integer)

    def verify_(self) -> None:
        super().verify_()
        elements = element_type(self.input.type), element_type(self.result.type)
        if sum(isinstance(element, IndexType) for element in elements) != 1:
            raise self.refuse()

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        source = self.input.owner
        if isinstance(source, _IndexCast) and source.name == self.name:
            there_and_back = source.input.type == self.result.type
            if there_and_back and isinstance(element_type(self.input.type), IndexType):
                return (source.input,)
        return folded_integer(self.read(self.input), self.result)


class _FloatToInteger(_Cast, ABC):
    """Rounds towards zero; poison where the result does not fit."""

    input = operand_def(floatingPointLike)
    result = result_def(FIXED_INTEGER_LIKE)

    wrap = staticmethod(signed)

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        value = constant_float(self.input)
        if value is None or not math.isfinite(value):
            return None
        truncated = math.trunc(value)
        fits = self.wrap(truncated, bits(self.result.type)) == truncated
        return folded_integer(truncated, self.result) if fits else None


class _IntegerToFloat(_Cast, ABC):
    """Rounds to the nearest float."""

    input = operand_def(FIXED_INTEGER_LIKE)
    result = result_def(floatingPointLike)

    read = staticmethod(constant_integer)

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        value = self.read(self.input)
        if value is None or abs(value) > _EXACT_IN_DOUBLE:  # it would be rounded twice
            return None
        return folded_float(float(value), self.result)


ExtSIOp = op_like(_Extension, "arith.extsi")
ExtUIOp = op_like(_Extension, "arith.extui", read=staticmethod(constant_unsigned))
IndexCastOp = op_like(_IndexCast, "arith.index_cast")
IndexCastUIOp = op_like(_IndexCast, "arith.index_castui", read=staticmethod(constant_unsigned))
FPToSIOp = op_like(_FloatToInteger, "arith.fptosi")
FPToUIOp = op_like(_FloatToInteger, "arith.fptoui", wrap=staticmethod(unsigned))
SIToFPOp = op_like(_IntegerToFloat, "arith.sitofp")
UIToFPOp = op_like(_IntegerToFloat, "arith.uitofp", read=staticmethod(constant_unsigned))


@formatted_op
class TruncIOp(_Cast):
    """The low bits of a number."""

    name = "arith.trunci"

    input = operand_def(FIXED_INTEGER_LIKE)
    result = result_def(FIXED_INTEGER_LIKE)
    overflow_flags = prop_def(
        IntegerOverflowAttr,
        default_value=IntegerOverflowAttr("none"),
        prop_name="overflowFlags",
    )

    assembly_format = (
        "$input (`overflow` `` $overflowFlags^)? attr-dict `:` type($input) `to` type($result)"
    )

    def verify_(self) -> None:
        super().verify_()
        self.verify_width(narrows=True)

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        source = self.input.owner
        if isinstance(source, _Extension) and source.input.type == self.result.type:
            return (source.input,)
        return folded_integer(constant_integer(self.input), self.result)


class _FloatCast(_Cast, ABC):
    input = operand_def(floatingPointLike)
    result = result_def(floatingPointLike)

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        types = self.input.type, self.result.type
        if not all(map(is_rounded_through_double, types)):
            return None
        return folded_float(constant_float(self.input), self.result)


@formatted_op
class ExtFOp(_FloatCast):
    """A wider float."""

    name = "arith.extf"

    fastmath = opt_prop_def(FastMathFlagsAttr)

    assembly_format = (
        "$input (`fastmath` `` $fastmath^)? attr-dict `:` type($input) `to` type($result)"
    )

    def __init__(
        self,
        source: SSAValue | Operation,
        result_type: Attribute,
        fastmath: FastMathFlagsAttr | None = None,
    ) -> None:
        super().__init__(source, result_type)
        if fastmath is not None:
            self.fastmath = fastmath

    def verify_(self) -> None:
        super().verify_()
        self.verify_width(narrows=False)


class _RoundingMode(Directive):
    """The word for a rounding mode, or nothing; upstream's enumeration, which xDSL has as its number."""

    mode: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        word = next(filter(parser.parse_optional_keyword, ROUNDING_MODES), None)
        if word is not None:
            self.mode.set(state, IntegerAttr(ROUNDING_MODES.index(word), i32))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        assert isinstance(op, TruncFOp)
        if op.roundingmode is not None:
            state.print_whitespace(printer)
            printer.print_string(ROUNDING_MODES[op.roundingmode.value.data])


@formatted_op
class TruncFOp(_FloatCast):
    """A narrower float, rounded to the nearest, ties to even, unless it says otherwise."""

    name = "arith.truncf"

    fastmath = opt_prop_def(FastMathFlagsAttr)
    roundingmode = opt_prop_def(IntegerAttr[IntegerType])

    assembly_format = (
        "$input custom<_RoundingMode>($roundingmode) (`fastmath` `` $fastmath^)? attr-dict "
        "`:` type($input) `to` type($result)"
    )
    custom_directives = (_RoundingMode,)

    def __init__(
        self,
        source: SSAValue | Operation,
        result_type: Attribute,
        fastmath: FastMathFlagsAttr | None = None,
        *,
        rounding_mode: str | None = None,
    ) -> None:
        """Make the op; `rounding_mode` is one of `ROUNDING_MODES`."""
        super().__init__(source, result_type)
        if fastmath is not None:
            self.fastmath = fastmath
        if rounding_mode is not None:
            self.roundingmode = IntegerAttr(ROUNDING_MODES.index(rounding_mode), i32)

    def verify_(self) -> None:
        super().verify_()
        self.verify_width(narrows=True)
        mode = self.roundingmode
        if mode is not None and not 0 <= mode.value.data < len(ROUNDING_MODES):
            raise VerifyException(
                f"'roundingmode' is {mode.value.data}, it has to lie in [0, {len(ROUNDING_MODES)})"
            )

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        if self.roundingmode is not None and self.roundingmode.value.data != 0:
            return None
        source = self.input.owner
        if isinstance(source, ExtFOp) and source.input.type == self.result.type:
            return (source.input,)
        return super().fold_plain()

"""Casts, of vectors too.

In xDSL 0.74.0 most take scalars only, `extsi` has no traits, nothing folds.
Source: `llvm 22.1.8 mlir/Dialect/Arith/IR/ArithOps.td`; what is refused is what mlir-opt 22 refuses.
"""

import math
from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.arith import IntegerOverflowAttr, floatingPointLike
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.upstream.arith.support import (
    FIXED_INTEGER_LIKE,
    INTEGER_LIKE,
    Foldable,
    bits,
    constant_float,
    constant_integer,
    element_type,
    float_attribute,
    integer_attribute,
    signed,
    unsigned,
    verify_same_shape,
)

_EXACT_IN_DOUBLE = 1 << 53


class _Cast(IRDLOperation, Foldable, ABC):
    """A cast of every element."""

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue | Operation, result_type: Attribute) -> None:
        super().__init__(operands=[source], result_types=[result_type])

    def refuse(self) -> VerifyException:
        """What a verifier raises for types that this op does not cast."""
        source, result = self.operands[0].type, self.results[0].type
        return VerifyException(
            f"'in' is {source} and 'out' is {result}, which {self.name} does not cast"
        )


class _IntegerCast(_Cast, ABC):
    """A cast between integers of fixed width."""

    input = operand_def(FIXED_INTEGER_LIKE)
    result = result_def(FIXED_INTEGER_LIKE)

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def verify_(self) -> None:
        """The width changes in the op's direction."""
        verify_same_shape(self.input, self.result)
        narrows = bits(self.result.type) < bits(self.input.type)
        if bits(self.result.type) == bits(self.input.type) or narrows != isinstance(self, TruncIOp):
            raise self.refuse()


@irdl_op_definition
class ExtSIOp(_IntegerCast):
    """A wider signed number."""

    name = "arith.extsi"

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        """A constant."""
        value = constant_integer(self.input)
        folded = None if value is None else integer_attribute(value, self.result.type)
        return None if folded is None else (folded,)


@irdl_op_definition
class ExtUIOp(_IntegerCast):
    """A wider unsigned number."""

    name = "arith.extui"

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        """A constant."""
        value = constant_integer(self.input)
        if value is None:
            return None
        folded = integer_attribute(unsigned(value, bits(self.input.type)), self.result.type)
        return None if folded is None else (folded,)


@irdl_op_definition
class TruncIOp(_IntegerCast):
    """The low bits of a number."""

    name = "arith.trunci"

    overflow_flags = prop_def(
        IntegerOverflowAttr, default_value=IntegerOverflowAttr("none"), prop_name="overflowFlags"
    )

    assembly_format = (
        "$input (`overflow` `` $overflowFlags^)? attr-dict `:` type($input) `to` type($result)"
    )

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        """A constant; the low bits of a widened number are the number."""
        source = self.input.owner
        if isinstance(source, ExtSIOp | ExtUIOp) and source.input.type == self.result.type:
            return (source.input,)
        value = constant_integer(self.input)
        folded = None if value is None else integer_attribute(value, self.result.type)
        return None if folded is None else (folded,)


class _IndexCast(_Cast, ABC):
    """A cast between an index and an integer of fixed width."""

    input = operand_def(INTEGER_LIKE)
    result = result_def(INTEGER_LIKE)

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def verify_(self) -> None:
        """One of the two is an index."""
        verify_same_shape(self.input, self.result)
        elements = element_type(self.input.type), element_type(self.result.type)
        if sum(isinstance(element, IndexType) for element in elements) != 1:
            raise self.refuse()

    def fold_through(self, value: int | None) -> Sequence[SSAValue | Attribute] | None:
        """A constant, and a cast there and back; `value` is the constant that this casts."""
        source = self.input.owner
        if isinstance(source, _IndexCast) and source.name == self.name:
            there_and_back = source.input.type == self.result.type
            if there_and_back and isinstance(element_type(self.input.type), IndexType):
                return (source.input,)
        folded = None if value is None else integer_attribute(value, self.result.type)
        return None if folded is None else (folded,)


@irdl_op_definition
class IndexCastOp(_IndexCast):
    """Sign-extended or cut off."""

    name = "arith.index_cast"

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        """A constant, and a cast there and back."""
        return self.fold_through(constant_integer(self.input))


@irdl_op_definition
class IndexCastUIOp(_IndexCast):
    """Zero-extended or cut off."""

    name = "arith.index_castui"

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        """A constant, and a cast there and back."""
        value = constant_integer(self.input)
        return self.fold_through(None if value is None else unsigned(value, bits(self.input.type)))


class _FloatToInteger(_Cast, ABC):
    """Rounds towards zero; poison where the result does not fit."""

    input = operand_def(floatingPointLike)
    result = result_def(FIXED_INTEGER_LIKE)

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def verify_(self) -> None:
        """The shapes agree."""
        verify_same_shape(self.input, self.result)

    def truncated(self) -> int | None:
        """The constant without its fraction."""
        value = constant_float(self.input)
        return None if value is None or not math.isfinite(value) else math.trunc(value)


@irdl_op_definition
class FPToSIOp(_FloatToInteger):
    """To a signed number."""

    name = "arith.fptosi"

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        """A constant that fits."""
        value, width = self.truncated(), bits(self.result.type)
        if value is None or signed(value, width) != value:
            return None
        folded = integer_attribute(value, self.result.type)
        return None if folded is None else (folded,)


@irdl_op_definition
class FPToUIOp(_FloatToInteger):
    """To an unsigned number."""

    name = "arith.fptoui"

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        """A constant that fits."""
        value, width = self.truncated(), bits(self.result.type)
        if value is None or unsigned(value, width) != value:
            return None
        folded = integer_attribute(value, self.result.type)
        return None if folded is None else (folded,)


class _IntegerToFloat(_Cast, ABC):
    """Rounds to the nearest float."""

    input = operand_def(FIXED_INTEGER_LIKE)
    result = result_def(floatingPointLike)

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def verify_(self) -> None:
        """The shapes agree."""
        verify_same_shape(self.input, self.result)

    def fold_value(self, value: int | None) -> Sequence[SSAValue | Attribute] | None:
        """A constant that a double holds, so that it is rounded once."""
        if value is None or abs(value) > _EXACT_IN_DOUBLE:
            return None
        folded = float_attribute(float(value), self.result.type)
        return None if folded is None else (folded,)


@irdl_op_definition
class SIToFPOp(_IntegerToFloat):
    """Of a signed number."""

    name = "arith.sitofp"

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        """A constant."""
        return self.fold_value(constant_integer(self.input))


@irdl_op_definition
class UIToFPOp(_IntegerToFloat):
    """Of an unsigned number."""

    name = "arith.uitofp"

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        """A constant."""
        value = constant_integer(self.input)
        return self.fold_value(None if value is None else unsigned(value, bits(self.input.type)))

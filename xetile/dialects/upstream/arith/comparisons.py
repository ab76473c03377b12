"""Comparisons and select, on vectors too.

In xDSL 0.74.0 a comparison of vectors gives one i1, select takes no vector of conditions, and the custom form
of cmpi and cmpf drops attributes.
Source: `llvm 22.1.8 mlir/Dialect/Arith/IR/ArithOps.td`.
"""

import math
from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.arith import (
    CMPF_COMPARISON_OPERATIONS,
    CMPI_COMPARISON_OPERATIONS,
    FastMathFlagsAttr,
    MaximumfOp,
    MinimumfOp,
    XOrIOp,
    boolLike,
    floatingPointLike,
)
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i1, i64
from xdsl.dialects.utils import FastMathFlag
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.upstream.arith.support import (
    INTEGER_LIKE,
    Foldable,
    bits,
    condition_type,
    constant_float,
    constant_integer,
    integer_attribute,
    unsigned,
)

NO_FLAGS = FastMathFlagsAttr("none")


def _predicate(predicate: int | str, names: Sequence[str]) -> IntegerAttr[IntegerType]:
    number = predicate if isinstance(predicate, int) else names.index(predicate)
    return IntegerAttr(number, i64)


class _Comparison(IRDLOperation, Foldable, ABC):
    """What the two comparisons share; the predicate is a number, counted through `NAMES`."""

    predicate = prop_def(IntegerAttr[IntegerType])

    traits = traits_def(Pure())

    NAMES: ClassVar[Sequence[str]]

    @property
    def predicate_name(self) -> str:
        """The predicate as the custom form has it."""
        return self.NAMES[self.predicate.value.data]

    def verify_types(self, lhs: SSAValue, rhs: SSAValue, result: SSAValue) -> None:
        """The operands have one type, the result has a condition for every element."""
        if not 0 <= self.predicate.value.data < len(self.NAMES):
            raise VerifyException(
                f"'predicate' is {self.predicate.value.data}, it has to lie in [0, {len(self.NAMES)})"
            )
        if lhs.type != rhs.type:
            raise VerifyException(f"'lhs' is {lhs.type}, 'rhs' is {rhs.type}")
        expected = condition_type(lhs.type)
        if result.type != expected:
            raise VerifyException(f"'result' is {result.type}, it has to be {expected}")

    @classmethod
    def parse_operands(
        cls, parser: Parser
    ) -> tuple[IntegerAttr[IntegerType], UnresolvedOperand, UnresolvedOperand]:
        """Read `predicate, %lhs, %rhs`."""
        position = parser.pos
        name = parser.parse_identifier()
        if name not in cls.NAMES:
            legal = ", ".join(cls.NAMES)
            parser.raise_error(
                f"predicate of {cls.name} is '{name}', it has to be one of {legal}",
                position,
                position + len(name),
            )
        parser.parse_punctuation(",")
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        return _predicate(name, cls.NAMES), lhs, parser.parse_unresolved_operand()

    def print_operands(self, printer: Printer) -> None:
        """Print what `parse_operands` reads."""
        printer.print_string(f" {self.predicate_name}, ")
        printer.print_list(self.operands, printer.print_ssa_value)


@irdl_op_definition
class CmpiOp(_Comparison):
    """A comparison of integers, element by element."""

    name = "arith.cmpi"

    NAMES: ClassVar[Sequence[str]] = CMPI_COMPARISON_OPERATIONS

    lhs = operand_def(INTEGER_LIKE)
    rhs = operand_def(INTEGER_LIKE)
    result = result_def(boolLike)

    def __init__(
        self, lhs: SSAValue | Operation, rhs: SSAValue | Operation, predicate: int | str
    ) -> None:
        """Compare; `predicate` is `eq`, `slt`, ... or its number."""
        super().__init__(
            operands=[lhs, rhs],
            result_types=[condition_type(SSAValue.get(lhs).type)],
            properties={"predicate": _predicate(predicate, self.NAMES)},
        )

    def verify_(self) -> None:
        """The types fit together."""
        self.verify_types(self.lhs, self.rhs, self.result)

    @classmethod
    def parse(cls, parser: Parser) -> "CmpiOp":
        """Read `slt, %lhs, %rhs {...} : type`."""
        predicate, lhs, rhs = cls.parse_operands(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(lhs, type), parser.resolve_operand(rhs, type)],
            result_types=[condition_type(type)],
            properties={"predicate": predicate},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        self.print_operands(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        """A number compared with itself, or two constants."""
        name = self.predicate_name
        if self.lhs is self.rhs:
            truth = name in ("eq", "sle", "sge", "ule", "uge")
        else:
            lhs, rhs = constant_integer(self.lhs), constant_integer(self.rhs)
            if lhs is None or rhs is None:
                return None
            truth = compare_integers(name, lhs, rhs, bits(self.lhs.type))
        folded = integer_attribute(int(truth), self.result.type)
        return None if folded is None else (folded,)


def compare_integers(predicate: str, lhs: int, rhs: int, width: int) -> bool:
    """What `arith.cmpi` says of two signed numbers of `width` bits."""
    if predicate.startswith("u"):
        lhs, rhs = unsigned(lhs, width), unsigned(rhs, width)
    match predicate[-2:]:
        case "eq":
            return lhs == rhs
        case "ne":
            return lhs != rhs
        case "lt":
            return lhs < rhs
        case "le":
            return lhs <= rhs
        case "gt":
            return lhs > rhs
        case _:
            return lhs >= rhs


@irdl_op_definition
class CmpfOp(_Comparison):
    """A comparison of floats, element by element."""

    name = "arith.cmpf"

    NAMES: ClassVar[Sequence[str]] = CMPF_COMPARISON_OPERATIONS

    lhs = operand_def(floatingPointLike)
    rhs = operand_def(floatingPointLike)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FLAGS)
    result = result_def(boolLike)

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        predicate: int | str,
        fastmath: FastMathFlagsAttr = NO_FLAGS,
    ) -> None:
        """Compare; `predicate` is `oeq`, `olt`, ... or its number."""
        super().__init__(
            operands=[lhs, rhs],
            result_types=[condition_type(SSAValue.get(lhs).type)],
            properties={
                "predicate": _predicate(predicate, self.NAMES),
                "fastmath": fastmath,
            },
        )

    def verify_(self) -> None:
        """The types fit together."""
        self.verify_types(self.lhs, self.rhs, self.result)

    @classmethod
    def parse(cls, parser: Parser) -> "CmpfOp":
        """Read `olt, %lhs, %rhs fastmath<...> {...} : type`."""
        predicate, lhs, rhs = cls.parse_operands(parser)
        flags = NO_FLAGS
        if parser.parse_optional_keyword("fastmath") is not None:
            flags = FastMathFlagsAttr(list(FastMathFlagsAttr.parse_parameter(parser)))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(lhs, type), parser.resolve_operand(rhs, type)],
            result_types=[condition_type(type)],
            properties={"predicate": predicate, "fastmath": flags},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        self.print_operands(printer)
        if self.fastmath != NO_FLAGS:
            printer.print_string(" fastmath")
            self.fastmath.print_parameter(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        """Two constants."""
        lhs, rhs = constant_float(self.lhs), constant_float(self.rhs)
        if lhs is None or rhs is None:
            return None
        truth = compare_floats(self.predicate_name, lhs, rhs)
        folded = integer_attribute(int(truth), self.result.type)
        return None if folded is None else (folded,)


def compare_floats(predicate: str, lhs: float, rhs: float) -> bool:
    """What `arith.cmpf` says of two floats."""
    unordered = math.isnan(lhs) or math.isnan(rhs)
    match predicate:
        case "true" | "false":
            return predicate == "true"
        case "ord" | "uno":
            return unordered == (predicate == "uno")
        case _ if unordered:
            return predicate.startswith("u")
        case _:
            return compare_integers("s" + predicate[-2:], 0, (rhs > lhs) - (rhs < lhs), 64)


class _SelectTruth(RewritePattern):
    """`select %x, false, true` is `%x xor true`."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, SelectOp) or op.result.type != i1 or op.attributes:
            return
        if constant_integer(op.lhs) == 0 and constant_integer(op.rhs):
            rewriter.replace(op, XOrIOp(op.cond, op.rhs))


class _SelectExtremum(RewritePattern):
    """`select (cmpf ogt %a, %b), %a, %b` without NaNs and signed zeros is a maximum."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, SelectOp) or not isinstance(op.cond.owner, CmpfOp) or op.attributes:
            return
        comparison = op.cond.owner
        flags = comparison.fastmath.data
        if FastMathFlag.NO_NANS not in flags or FastMathFlag.NO_SIGNED_ZEROS not in flags:
            return
        if op.lhs is not comparison.lhs or op.rhs is not comparison.rhs:
            return
        match comparison.predicate_name[1:]:
            case "gt" | "ge":
                rewriter.replace(op, MaximumfOp(op.lhs, op.rhs, comparison.fastmath))
            case "lt" | "le":
                rewriter.replace(op, MinimumfOp(op.lhs, op.rhs, comparison.fastmath))
            case _:
                return


@irdl_op_definition
class SelectOp(IRDLOperation, Foldable, HasCanonicalizationPatternsInterface):
    """One of two values: as a whole by one condition, or element by element."""

    name = "arith.select"

    T: ClassVar = VarConstraint("T", AnyAttr())

    cond = operand_def(boolLike)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())

    def __init__(
        self,
        cond: SSAValue | Operation,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
    ) -> None:
        super().__init__(operands=[cond, lhs, rhs], result_types=[SSAValue.get(lhs).type])

    @classmethod
    def parse(cls, parser: Parser) -> "SelectOp":
        """Read `%cond, %lhs, %rhs {...} : type`, with the type of a shaped condition in front."""
        position = parser.pos
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        condition: Attribute = i1
        if parser.parse_optional_punctuation(",") is not None:
            condition, type = type, parser.parse_type()
        return cls.create(
            operands=parser.resolve_operands(operands, [condition, type, type], position),
            result_types=[type],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if self.cond.type != i1:
            printer.print_attribute(self.cond.type)
            printer.print_string(", ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        """A shaped condition has the shape of the values."""
        if self.cond.type not in (i1, condition_type(self.result.type)):
            raise VerifyException(
                f"'cond' is {self.cond.type}, it has to be i1 or have the shape of {self.result.type}"
            )

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        """The same value twice, a constant condition, or the truth of the condition."""
        if self.lhs is self.rhs:
            return (self.lhs,)
        condition = constant_integer(self.cond)
        if condition is not None:
            return (self.lhs if condition else self.rhs,)
        if self.cond.type != self.result.type:
            return None
        if constant_integer(self.lhs) and constant_integer(self.rhs) == 0:
            return (self.cond,)
        return None

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        """Negations, minima and maxima."""
        return (_SelectTruth(), _SelectExtremum())

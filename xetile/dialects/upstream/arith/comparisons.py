"""Comparisons and select for vectors, which xDSL 0.75 has for scalars; two tests of test_arith.py tell until when.

In xDSL 0.75 a comparison of vectors gives one i1, select takes no vector of conditions, and
the custom form of cmpi and cmpf drops attributes:
test_stock_comparison_of_vectors_gives_one_bit, test_stock_xdsl_refuses.
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
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import (
    ParsingState,
    PrintingState,
    TypeDirective,
)
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.directives import Directive, OneType, Word
from xetile.dialects.formats import formatted_op
from xetile.dialects.upstream.arith.support import (
    INTEGER_LIKE,
    NO_FLAGS,
    Foldable,
    bits,
    condition_type,
    constant_float,
    constant_integer,
    folded_integer,
    unsigned,
)


class _Predicate(Word):
    """The word for a predicate."""

    def meaning(self, op: type[IRDLOperation]) -> tuple[str, Sequence[str]]:
        assert issubclass(op, _Comparison)
        return f"predicate of {op.name}", op.NAMES


class _Compared(OneType):
    """The type of both operands; the result has a condition for every element."""

    lhs: TypeDirective
    rhs: TypeDirective
    result: TypeDirective

    def others(self, type: Attribute) -> Sequence[Sequence[Attribute]]:
        return (type,), (condition_type(type),)


class _Comparison(IRDLOperation, Foldable, ABC):
    """What the two comparisons share; the predicate is a number, counted through `NAMES`."""

    predicate = prop_def(IntegerAttr[IntegerType])

    custom_directives = (_Predicate, _Compared)

    traits = traits_def(Pure())

    NAMES: ClassVar[Sequence[str]]

    @property
    def predicate_name(self) -> str:
        """The predicate as the custom form has it."""
        return self.NAMES[self.predicate.value.data]

    @classmethod
    def predicate_of(cls, predicate: int | str) -> IntegerAttr[IntegerType]:
        """The predicate with this name or number."""
        number = predicate if isinstance(predicate, int) else cls.NAMES.index(predicate)
        return IntegerAttr(number, i64)

    def verify_(self) -> None:
        lhs, rhs, result = *self.operand_types, self.result_types[0]
        if not 0 <= self.predicate.value.data < len(self.NAMES):
            raise VerifyException(
                f"'predicate' is {self.predicate.value.data}, it has to lie in [0, {len(self.NAMES)})"
            )
        if lhs != rhs:
            raise VerifyException(f"'lhs' is {lhs}, 'rhs' is {rhs}")
        if result != condition_type(lhs):
            raise VerifyException(f"'result' is {result}, it has to be {condition_type(lhs)}")


@formatted_op
class CmpiOp(_Comparison):
    """A comparison of integers, element by element."""

    name = "arith.cmpi"

    NAMES: ClassVar[Sequence[str]] = CMPI_COMPARISON_OPERATIONS

    lhs = operand_def(INTEGER_LIKE)
    rhs = operand_def(INTEGER_LIKE)
    result = result_def(boolLike)

    assembly_format = (
        "custom<_Predicate>($predicate) `,` $lhs `,` $rhs attr-dict "
        "`:` custom<_Compared>(type($lhs), type($rhs), type($result))"
    )

    def __init__(
        self, lhs: SSAValue | Operation, rhs: SSAValue | Operation, predicate: int | str
    ) -> None:
        """Compare; `predicate` is `eq`, `slt`, ... or its number."""
        super().__init__(
            operands=[lhs, rhs],
            result_types=[condition_type(SSAValue.get(lhs).type)],
            properties={"predicate": self.predicate_of(predicate)},
        )

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        name = self.predicate_name
        if self.lhs is self.rhs:
            return folded_integer(int(name in ("eq", "sle", "sge", "ule", "uge")), self.result)
        lhs, rhs = constant_integer(self.lhs), constant_integer(self.rhs)
        if lhs is None or rhs is None:
            return None
        truth = compare_integers(name, lhs, rhs, bits(self.lhs.type))
        return folded_integer(int(truth), self.result)


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


@formatted_op
class CmpfOp(_Comparison):
    """A comparison of floats, element by element."""

    name = "arith.cmpf"

    NAMES: ClassVar[Sequence[str]] = CMPF_COMPARISON_OPERATIONS

    predicate = prop_def(IntegerAttr[IntegerType])  # once more, to stand before the flags
    lhs = operand_def(floatingPointLike)
    rhs = operand_def(floatingPointLike)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FLAGS)
    result = result_def(boolLike)

    assembly_format = (
        "custom<_Predicate>($predicate) `,` $lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict "
        "`:` custom<_Compared>(type($lhs), type($rhs), type($result))"
    )

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
            properties={"predicate": self.predicate_of(predicate), "fastmath": fastmath},
        )

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        lhs, rhs = constant_float(self.lhs), constant_float(self.rhs)
        if lhs is None or rhs is None:
            return None
        truth = compare_floats(self.predicate_name, lhs, rhs)
        return folded_integer(int(truth), self.result)


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
        if (
            not isinstance(op, SelectOp)
            or not isinstance(op.cond.owner, CmpfOp)
            or op.attributes
        ):
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


class _Selected(Directive):
    """The type of both values and the result, with that of a shaped condition before it."""

    condition: TypeDirective
    lhs: TypeDirective
    rhs: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        self.condition.set(state, types[:-1] or (i1,))
        for values in (self.lhs, self.rhs, self.result):
            values.set(state, types[-1:])

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        shown = [type for type in self.condition.get(op) if type != i1]
        printer.print_list((*shown, *self.result.get(op)), printer.print_attribute)


@formatted_op
class SelectOp(IRDLOperation, Foldable, HasCanonicalizationPatternsInterface):
    """One of two values: as a whole by one condition, or element by element."""

    name = "arith.select"

    assembly_format = (
        "$cond `,` $lhs `,` $rhs attr-dict `:` "
        "custom<_Selected>(type($cond), type($lhs), type($rhs), type($result))"
    )
    custom_directives = (_Selected,)

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

    def verify_(self) -> None:
        if self.cond.type not in (i1, condition_type(self.result.type)):
            raise VerifyException(
                f"'cond' is {self.cond.type}, it has to be i1 or have the shape of {self.result.type}"
            )

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
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
        return (_SelectTruth(), _SelectExtremum())

"""The arith dialect: xDSL's, with its gaps closed; test/unit/dialects/upstream/test_arith.py shows which are left.

Replaced are the ops that take scalars only, fold nothing or fold wrongly, or have the wrong
traits in xDSL 0.75. Added: index_castui, remf. A pass tells ops by their name, not by their
class, so that it works on xDSL's classes too. In xDSL 0.75:

- `remui` is not pure, so it is never shared nor removed; divisions that may trap may be speculated; `exact` is
  refused, and vectors are not folded (test_stock_traits_are_missing, test_stock_folds_no_vectors);
- the constructor of `negf` puts its flags in the wrong place;
- casts take scalars only, `extsi` has no traits, `extf` and `truncf` take no flags, and nothing folds;
- a comparison of vectors gives one i1, select takes no vector of conditions, and the custom form of cmpi and cmpf
  drops attributes (test_stock_comparison_of_vectors_gives_one_bit, test_stock_xdsl_refuses).

Source: `llvm 22.1.8 mlir/Dialect/Arith/IR/ArithOps.td`; what is refused is what mlir-opt 22
refuses.
"""

import math
import operator
from abc import ABC
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, TypeVar

from xdsl.dialects.arith import (
    CMPF_COMPARISON_OPERATIONS,
    CMPI_COMPARISON_OPERATIONS,
    AddiOp,
    AddUIExtendedOp,
    AndIOp,
    ArithConstantMaterializationInterface,
    BitcastOp,
    ConstantOp,
    FastMathFlagsAttr,
    IntegerOverflowAttr,
    MaximumfOp,
    MaxnumfOp,
    MinimumfOp,
    MinnumfOp,
    MuliOp,
    MulSIExtendedOp,
    MulUIExtendedOp,
    OrIOp,
    SubiOp,
    XOrIOp,
    boolLike,
    floatingPointLike,
)
from xdsl.dialects.arith import Arith as StockArith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, UnitAttr, i1, i32, i64
from xdsl.dialects.utils import FastMathFlag
from xdsl.interfaces import (
    ConditionallySpeculatableInterface,
    HasCanonicalizationPatternsInterface,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
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
    TypeDirective,
)
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.printer import Printer
from xdsl.traits import Commutative, NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.directives import Directive, OneType, Word
from xetile.dialects.formats import formatted_op, op_like
from xetile.dialects.upstream.arith.arith_support import (
    FIXED_INTEGER_LIKE,
    INTEGER_LIKE,
    NO_FLAGS,
    Foldable,
    bits,
    condition_type,
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
from xetile.dialects.upstream.bases import (
    ConversionOp,
    LikeOperandOp,
    dialect_over,
    verify_below,
    verify_is,
)


class _IntegerOp(LikeOperandOp, Foldable, ABC):
    """A binary op that computes what it does to constants."""

    T: ClassVar = VarConstraint("T", INTEGER_LIKE)

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    UNIT: ClassVar[int | None] = None
    """The c for which `x op c` is x for every x."""

    @staticmethod
    def evaluate(lhs: int, rhs: int, width: int) -> int | None:
        """The result for two signed numbers of `width` bits, where there is one; a row of the table says which."""
        return None

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        lhs, rhs = constant_integer(self.lhs), constant_integer(self.rhs)
        if rhs is None:
            return None
        if rhs == self.UNIT:
            return (self.lhs,)
        value = None if lhs is None else self.evaluate(lhs, rhs, bits(self.result.type))
        return folded_integer(value, self.result)


class _Division(_IntegerOp, ConditionallySpeculatableInterface, ABC):
    """Undefined for some divisors, so it may be moved where it was not asked for only if it has another one."""

    TRAPS: ClassVar[Sequence[int]] = (0,)
    """Divisors by which some dividend has no quotient."""

    traits = traits_def(NoMemoryEffect())

    def is_speculatable(self) -> bool:
        divisor = constant_integer(self.rhs)
        return divisor is not None and divisor not in self.TRAPS

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        return None if constant_integer(self.rhs) == 0 else super().fold_plain()


class _SignedDivision(_Division, ABC):
    """The smallest number divided by -1 does not fit."""

    TRAPS: ClassVar[Sequence[int]] = (0, -1)


class _Quotient(_Division, ABC):
    UNIT: ClassVar[int | None] = 1


class _SignedQuotient(_SignedDivision, ABC):
    UNIT: ClassVar[int | None] = 1


class _Exact(_IntegerOp, ABC):
    """Poison where bits get lost, if it says so."""

    is_exact = opt_prop_def(UnitAttr, prop_name="isExact")

    assembly_format = "$lhs `,` $rhs (`exact` $isExact^)? attr-dict `:` type($result)"


class _ExactQuotient(_Exact, _Quotient, ABC): ...


class _ExactSignedQuotient(_Exact, _SignedQuotient, ABC): ...


class _Extremum(_IntegerOp, ABC):
    traits = traits_def(Pure(), Commutative())

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        return (self.lhs,) if self.lhs is self.rhs else super().fold_plain()


class _UnsignedMaximum(_Extremum, ABC):
    UNIT: ClassVar[int | None] = 0


class _Shift(_IntegerOp, ABC):
    """Poison where the amount is not below the width."""

    traits = traits_def(Pure())

    UNIT: ClassVar[int | None] = 0

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        amount = constant_integer(self.rhs)
        fits = amount is not None and 0 <= amount < bits(self.result.type)
        return super().fold_plain() if fits else None


class _ExactShift(_Exact, _Shift, ABC): ...


class _LeftShift(_Shift, ABC):
    overflow_flags = prop_def(
        IntegerOverflowAttr,
        default_value=IntegerOverflowAttr("none"),
        prop_name="overflowFlags",
    )

    assembly_format = (
        "$lhs `,` $rhs (`overflow` `` $overflowFlags^)? attr-dict `:` type($result)"
    )


def _truncated(lhs: int, rhs: int) -> int:
    quotient = abs(lhs) // abs(rhs)
    return quotient if (lhs < 0) == (rhs < 0) else -quotient


def _fit(quotient: int, width: int) -> int | None:
    return quotient if signed(quotient, width) == quotient else None


_Integer = TypeVar("_Integer", bound=_IntegerOp)


def _signed(
    base: type[_Integer], name: str, evaluate: Callable[[int, int, int], int | None]
) -> type[_Integer]:
    return op_like(base, name, evaluate=staticmethod(evaluate))


def _unsigned(
    base: type[_Integer], name: str, evaluate: Callable[[int, int], int]
) -> type[_Integer]:
    return _signed(base, name, lambda a, b, n: evaluate(unsigned(a, n), unsigned(b, n)))


DivUIOp = _unsigned(_ExactQuotient, "arith.divui", lambda a, b: a // b)
CeilDivUIOp = _unsigned(_Quotient, "arith.ceildivui", lambda a, b: -(-a // b))
RemUIOp = _unsigned(_Division, "arith.remui", lambda a, b: a % b)
DivSIOp = _signed(
    _ExactSignedQuotient, "arith.divsi", lambda a, b, n: _fit(_truncated(a, b), n)
)
FloorDivSIOp = _signed(_SignedQuotient, "arith.floordivsi", lambda a, b, n: _fit(a // b, n))
CeilDivSIOp = _signed(_SignedQuotient, "arith.ceildivsi", lambda a, b, n: _fit(-(-a // b), n))
RemSIOp = _signed(_SignedDivision, "arith.remsi", lambda a, b, _: a - _truncated(a, b) * b)
MinUIOp = _unsigned(_Extremum, "arith.minui", min)
MaxUIOp = _unsigned(_UnsignedMaximum, "arith.maxui", max)
MinSIOp = _signed(_Extremum, "arith.minsi", lambda a, b, _: min(a, b))
MaxSIOp = _signed(_Extremum, "arith.maxsi", lambda a, b, _: max(a, b))
ShRUIOp = _unsigned(_ExactShift, "arith.shrui", lambda a, b: a >> b)
ShRSIOp = _signed(_ExactShift, "arith.shrsi", lambda a, b, _: a >> b)
ShLIOp = _signed(_LeftShift, "arith.shli", lambda a, b, _: a << b)


class _Reassociate(RewritePattern):
    """`(x op c1) op c2` is `x op (c1 op c2)`, where both ops allow it."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, _Reassociating) or op.attributes:
            return
        inner, outer_constant = op.lhs.owner, op.rhs
        if type(inner) is not type(op):
            inner, outer_constant = op.rhs.owner, op.lhs
        if not isinstance(inner, _Reassociating) or type(inner) is not type(op):
            return
        allowed = (
            FastMathFlag.REASSOC in flags.data for flags in (op.fastmath, inner.fastmath)
        )
        if not all(allowed) or inner.attributes or constant_float(outer_constant) is None:
            return
        if not inner.result.has_one_use():
            return
        value, inner_constant = inner.lhs, inner.rhs
        if constant_float(inner_constant) is None:
            value, inner_constant = inner_constant, value
        if constant_float(inner_constant) is None:
            return
        flags = FastMathFlagsAttr(list(op.fastmath.data | inner.fastmath.data))
        constants = type(op)(inner_constant, outer_constant, flags)
        rewriter.replace(op, [constants, type(op)(value, constants, flags)])


class _FloatOp(LikeOperandOp, Foldable, ABC):
    """A binary op on floats, element by element."""

    T: ClassVar = VarConstraint("T", floatingPointLike)

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FLAGS)

    assembly_format = "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"

    traits = traits_def(Pure())

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        fastmath: FastMathFlagsAttr | None = None,
    ) -> None:
        super().__init__(lhs, rhs, fastmath=fastmath)

    @staticmethod
    def evaluate(lhs: float, rhs: float) -> float | None:
        """Return the result for two constants, not yet rounded, or None if it is not folded."""
        return None

    @staticmethod
    def is_unit(rhs: float) -> bool:
        """Return True if `x op rhs` is x for every x."""
        return False

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        rhs = constant_float(self.rhs)
        if rhs is None:
            return None
        if self.is_unit(rhs):
            return (self.lhs,)
        lhs = constant_float(self.lhs)
        if lhs is None or not is_rounded_through_double(self.result.type):
            return None
        return folded_float(self.evaluate(lhs, rhs), self.result)


class _Reassociating(_FloatOp, HasCanonicalizationPatternsInterface, ABC):
    """A sum or a product."""

    traits = traits_def(Commutative())

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        lhs = constant_float(self.lhs)
        if lhs is not None and self.is_unit(lhs):
            return (self.rhs,)
        return super().fold_plain()

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (_Reassociate(),)


def _quotient(lhs: float, rhs: float) -> float:
    """As IEEE 754 has it for a divisor of zero."""
    if rhs != 0:
        return lhs / rhs
    if lhs == 0 or math.isnan(lhs):
        return math.nan
    return math.copysign(math.inf, lhs) * math.copysign(1, rhs)


_Float = TypeVar("_Float", bound=_FloatOp)


def _float_row(
    base: type[_Float], name: str, evaluate: Callable[[float, float], float], unit: float
) -> type[_Float]:
    def is_unit(rhs: float) -> bool:
        return rhs == unit and math.copysign(1, rhs) == math.copysign(1, unit)

    return op_like(base, name, evaluate=staticmethod(evaluate), is_unit=staticmethod(is_unit))


# The unit of a sum is a negative zero: a positive one
# would change the sign of a negative one.
AddfOp = _float_row(_Reassociating, "arith.addf", operator.add, -0.0)
SubfOp = _float_row(_FloatOp, "arith.subf", operator.sub, 0.0)
MulfOp = _float_row(_Reassociating, "arith.mulf", operator.mul, 1.0)
DivfOp = _float_row(_FloatOp, "arith.divf", _quotient, 1.0)
RemfOp = op_like(_FloatOp, "arith.remf")


@formatted_op
class NegfOp(LikeOperandOp, Foldable):
    """The other sign."""

    name = "arith.negf"

    T: ClassVar = VarConstraint("T", floatingPointLike)

    operand = operand_def(T)
    result = result_def(T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FLAGS)

    assembly_format = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"

    traits = traits_def(Pure())

    def __init__(
        self, operand: SSAValue | Operation, fastmath: FastMathFlagsAttr | None = None
    ) -> None:
        super().__init__(operand, fastmath=fastmath)

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        if isinstance(self.operand.owner, NegfOp):
            return (self.operand.owner.operand,)
        value = constant_float(self.operand)
        if value is None or not is_rounded_through_double(self.result.type):
            return None
        return folded_float(-value, self.result)


ROUNDING_MODES = ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")
"""Counted through by `roundingmode`."""

_EXACT_IN_DOUBLE = 1 << 53


class _Cast(ConversionOp, Foldable, ABC):
    """A cast of every element."""

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    NARROWS: ClassVar[bool | None] = None
    """True if the result must have fewer bits than the operand, False if more, None if any width is legal."""

    def verify_(self) -> None:
        verify_same_shape(self.operands[0], self.results[0])
        if self.NARROWS is None:
            return
        before, after = bits(self.operands[0].type), bits(self.results[0].type)
        if before == after or (after < before) != self.NARROWS:
            raise self.refuse()

    def refuse(self) -> VerifyException:
        """Return the exception for a pair of types that this op does not cast."""
        source, result = self.operands[0].type, self.results[0].type
        return VerifyException(
            f"'in' is {source} and 'out' is {result}, which {self.name} does not cast"
        )


class _Extension(_Cast, ABC):
    """A wider number."""

    input = operand_def(FIXED_INTEGER_LIKE)
    result = result_def(FIXED_INTEGER_LIKE)

    NARROWS: ClassVar[bool | None] = False

    read = staticmethod(constant_integer)

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

    NARROWS: ClassVar[bool | None] = True

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

    NARROWS: ClassVar[bool | None] = False


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

    NARROWS: ClassVar[bool | None] = True

    def verify_(self) -> None:
        super().verify_()
        if self.roundingmode is not None:
            verify_below("roundingmode", self.roundingmode.value.data, len(ROUNDING_MODES))

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        if self.roundingmode is not None and self.roundingmode.value.data != 0:
            return None
        source = self.input.owner
        if isinstance(source, ExtFOp) and source.input.type == self.result.type:
            return (source.input,)
        return super().fold_plain()


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
    """The base of `arith.cmpi` and `arith.cmpf`. The predicate is an index into `NAMES`."""

    predicate = prop_def(IntegerAttr[IntegerType])

    custom_directives = (_Predicate, _Compared)

    traits = traits_def(Pure())

    NAMES: ClassVar[Sequence[str]]

    @property
    def predicate_name(self) -> str:
        """The predicate as the custom form has it."""
        return self.NAMES[self.predicate.value.data]

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        predicate: int | str,
        fastmath: FastMathFlagsAttr | None = None,
    ) -> None:
        """Compare; `predicate` is `eq`, `slt`, `oeq`, ... or its number."""
        number = predicate if isinstance(predicate, int) else self.NAMES.index(predicate)
        super().__init__(
            operands=[lhs, rhs],
            result_types=[condition_type(SSAValue.get(lhs).type)],
            properties={"predicate": IntegerAttr(number, i64), "fastmath": fastmath},
        )

    def verify_(self) -> None:
        lhs, rhs, result = *self.operand_types, self.result_types[0]
        verify_below("predicate", self.predicate.value.data, len(self.NAMES))
        verify_is("lhs", lhs, rhs, "'rhs' is")
        verify_is("result", result, condition_type(lhs), "it has to be")


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

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        name = self.predicate_name
        if self.lhs is self.rhs:
            return folded_integer(int(name in ("eq", "sle", "sge", "ule", "uge")), self.result)
        lhs, rhs = constant_integer(self.lhs), constant_integer(self.rhs)
        if lhs is None or rhs is None:
            return None
        truth = compare_integers(name, lhs, rhs, bits(self.lhs.type))
        return folded_integer(int(truth), self.result)


_RELATIONS: Mapping[str, Callable[[int, int], bool]] = {
    name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")
}


def compare_integers(predicate: str, lhs: int, rhs: int, width: int) -> bool:
    """Return the result of `arith.cmpi` on two numbers of `width` bits, given as signed."""
    if predicate.startswith("u"):
        lhs, rhs = unsigned(lhs, width), unsigned(rhs, width)
    return _RELATIONS[predicate[-2:]](lhs, rhs)


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

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        lhs, rhs = constant_float(self.lhs), constant_float(self.rhs)
        if lhs is None or rhs is None:
            return None
        truth = compare_floats(self.predicate_name, lhs, rhs)
        return folded_integer(int(truth), self.result)


def compare_floats(predicate: str, lhs: float, rhs: float) -> bool:
    """Return the result of `arith.cmpf` on two floats."""
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
class SelectOp(LikeOperandOp, Foldable, HasCanonicalizationPatternsInterface):
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


Arith = dialect_over(
    StockArith,
    [
        # xDSL's
        *(ConstantOp, AddiOp, AddUIExtendedOp, SubiOp, MuliOp, MulSIExtendedOp),
        *(MulUIExtendedOp, AndIOp, OrIOp, XOrIOp, MaximumfOp, MaxnumfOp, MinimumfOp),
        *(MinnumfOp, BitcastOp),
        # ours
        *(DivUIOp, DivSIOp, CeilDivUIOp, CeilDivSIOp, FloorDivSIOp, RemUIOp, RemSIOp),
        *(MinUIOp, MaxUIOp, MinSIOp, MaxSIOp, ShLIOp, ShRUIOp, ShRSIOp),
        *(AddfOp, SubfOp, MulfOp, DivfOp, RemfOp, NegfOp, CmpiOp, CmpfOp, SelectOp),
        *(ExtSIOp, ExtUIOp, TruncIOp, IndexCastOp, IndexCastUIOp, ExtFOp, TruncFOp),
        *(FPToSIOp, FPToUIOp, SIToFPOp, UIToFPOp),
    ],
    interfaces=[ArithConstantMaterializationInterface()],
)

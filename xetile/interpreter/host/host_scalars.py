"""Scalar ops as LLVM IR: the same bits as the interpreter's, one rounding per op.

f16 and bf16 are computed in f32 and rounded, as in the interpreter. For ops that are not here
(functions of math, rare ops) the caller generates a call to the interpreter.

The texts are lines of `Code.write` with these placeholders:

    $x $y $z   the operands             $T $R   their type, the result's
    $X $Y      as they are computed     $C $D   the types in which the operands and the result are computed
    $B         the integer type of T's width; $bits, $most, $sign, $rest: its bits, one less, 2^most, 2^most - 1
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from xetile.dialects.upstream.index import PredicateAttr
from xetile.interpreter.common.scalars import COMPARISONS, refuse_overflow, refuse_zero
from xetile.interpreter.host.llvm_text import Code, held, llvm_type
from xetile.interpreter.machine.elements import Element
from xetile.interpreter.machine.reading import attribute, integer

EXACT_IN_F32 = 24
"""Integers of this many bits are f32 values without rounding."""

_SIGNED_DIVISION = """
    quotient = sdiv $T $x, $y
    rest = srem $T $x, $y
    inexact = icmp ne $T $rest, 0
    signs = xor $T $rest, $y
    sided = icmp SIDE $T $signs, 0
    moved = and i1 $inexact, $sided
    step = select i1 $moved, $T STEP, $T 0
    result = add $T $quotient, $step"""

_SHIFT = """
    fits = icmp ult $T $y, $bits
    amount = select i1 $fits, $T $y, $T 0
    shifted = SHIFT $T $x, $amount
    result = select i1 $fits, $T $shifted, $T 0"""

_EXTREME = """
    first = icmp ORDER $T $x, $y
    result = select i1 $first, $T $x, $T $y"""

_INTEGERS: Mapping[str, str] = {
    **{f"{name}i": f"{name} $T $x, $y" for name in ("add", "sub", "mul", "and", "or", "xor")},
    "minsi": _EXTREME.replace("ORDER", "slt"),
    "maxsi": _EXTREME.replace("ORDER", "sgt"),
    "minui": _EXTREME.replace("ORDER", "ult"),
    "maxui": _EXTREME.replace("ORDER", "ugt"),
    "divsi": "sdiv $T $x, $y",
    "remsi": "srem $T $x, $y",
    "floordivsi": _SIGNED_DIVISION.replace("SIDE", "slt").replace("STEP", "-1"),
    "ceildivsi": _SIGNED_DIVISION.replace("SIDE", "sge").replace("STEP", "1"),
    "divui": "udiv $T $x, $y",
    "remui": "urem $T $x, $y",
    "ceildivui": """
        quotient = udiv $T $x, $y
        rest = urem $T $x, $y
        inexact = icmp ne $T $rest, 0
        step = select i1 $inexact, $T 1, $T 0
        result = add $T $quotient, $step""",
    "shli": _SHIFT.replace("SHIFT", "shl"),
    "shrui": _SHIFT.replace("SHIFT", "lshr"),
    "shrsi": """
        fits = icmp ult $T $y, $most
        amount = select i1 $fits, $T $y, $T $most
        result = ashr $T $x, $amount""",
}
"""Ops of two integers, by arith's names."""

_WIDEN: Mapping[str, str] = {
    "f16": "fpext half $x to float",
    "bf16": """
        wide = zext i16 $x to i32
        bits = shl i32 $wide, 16
        result = bitcast i32 $bits to float""",
}
"""Conversions of a float to the type in which it is computed."""

_ROUND: Mapping[str, str] = {
    "f16": "fptrunc float $x to half",
    "bf16": """
        bits = bitcast float $x to i32
        high = lshr i32 $bits, 16
        last = and i32 $high, 1
        half = add i32 $bits, 32767
        sum = add i32 $half, $last
        nearest = lshr i32 $sum, 16
        sign = and i32 $high, 32768
        quiet = or i32 $sign, 32704
        nan = fcmp uno float $x, 0.0
        chosen = select i1 $nan, i32 $quiet, i32 $nearest
        result = trunc i32 $chosen to i16""",
}
"""Conversions of f32 to the type of a result, to nearest even; NaN stays NaN."""

_EXTREME_FLOAT = """
    bits = bitcast $T $x to $B
    negative = icmp slt $B $bits, 0
    zero = select i1 $negative, $T ZEROS
    nan = fcmp uno $C $X, $X
    first = fcmp ORDER $C $X, $Y
    taken = or i1 $nan, $first
    other = select i1 $taken, $T $x, $T $y
    equal = fcmp oeq $C $X, $Y
    result = select i1 $equal, $T $zero, $T $other"""
"""NaN if one is NaN; of two zeros the one that the sign selects."""

_BY_BITS = """
    before = bitcast $T $x to $B
    after = INSTRUCTION
    result = bitcast $B $after to $T"""

_EXACT: Mapping[str, str] = {
    "arith.negf": _BY_BITS.replace("INSTRUCTION", "xor $B $before, $sign"),
    "math.absf": _BY_BITS.replace("INSTRUCTION", "and $B $before, $rest"),
    "arith.minimumf": _EXTREME_FLOAT.replace("ORDER", "olt").replace("ZEROS", "$x, $T $y"),
    "arith.maximumf": _EXTREME_FLOAT.replace("ORDER", "ogt").replace("ZEROS", "$y, $T $x"),
    "arith.select": "select i1 $x, $R $y, $R $z",
    "arith.bitcast": "bitcast $T $x to $R",
    **{f"arith.{name}": text for name, text in _INTEGERS.items()},
    **{f"index.{name.removesuffix('i')}": text for name, text in _INTEGERS.items()},
}

_ROUNDED: Mapping[str, str] = {
    **{f"arith.{name}f": f"f{name} $C $X, $Y" for name in ("add", "sub", "mul", "div")},
    **{f"arith.{name}": f"{name} $T $x to $D" for name in ("sitofp", "uitofp")},
}
"""Ops whose floats are computed in a wider type and rounded."""

_RESIZED = {
    **{f"arith.{name}": "sext" for name in ("extsi", "index_cast")},
    **{f"arith.{name}": "zext" for name in ("extui", "trunci", "index_castui")},
    "index.casts": "sext",
    "index.castu": "zext",
}

_FLOAT_PREDICATES = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)


def write_scalar(code: Code, op: Operation, names: Sequence[str]) -> str | None:
    """Write an op and return the name of its result, or None if the interpreter must execute it."""
    text = _text(op)
    if text is None:
        return None
    before, after = held(op.operands[0].type), held(op.results[0].type)
    if not before.is_float and ("div" in op.name or ".rem" in op.name):
        _refuse_undefined(code, op, before, names)
    words = dict(zip("xyz", names, strict=False))
    words |= {"T": llvm_type(before), "R": llvm_type(after), "B": f"i{before.bits}"}
    words |= {"C": _computed_in(before), "D": _computed_in(after)}
    most = before.bits - 1
    numbers = {"bits": before.bits, "most": most, "sign": 1 << most, "rest": (1 << most) - 1}
    words |= {name: str(number) for name, number in numbers.items()}
    words |= {
        n.upper(): _in(code, _WIDEN, before, words[n]) for n in "xy" if f"${n.upper()}" in text
    }
    value = code.write(text, words) if " " in text else words[text.removeprefix("$")]
    return value if op.name in _EXACT else _in(code, _ROUND, after, value)


def _text(op: Operation) -> str | None:
    name = op.name
    if name in _EXACT or not op.operands:
        return _EXACT.get(name)
    before, after = held(op.operands[0].type), held(op.results[0].type)
    match name:
        case "arith.cmpi":
            return f"icmp {list(COMPARISONS)[integer(op, 'predicate')]} $T $x, $y"
        case "index.cmp":
            found = attribute(op, "pred")
            return (
                f"icmp {found.data.value} $T $x, $y"
                if isinstance(found, PredicateAttr)
                else None
            )
        case "arith.cmpf":
            return f"fcmp {_FLOAT_PREDICATES[integer(op, 'predicate')]} $C $X, $Y"
        case "arith.extf" | "arith.truncf":
            return _resized_float(op, before, after)
        case "arith.sitofp" | "arith.uitofp" if (
            after.name == "bf16" and before.bits > EXACT_IN_F32
        ):
            return None
        case _ if name in _RESIZED:
            if before.bits == after.bits:
                return "$x"
            word = _RESIZED[name] if before.bits < after.bits else "trunc"
            return f"{word} $T $x to $R"
        case _:
            return _ROUNDED.get(name)


def _resized_float(op: Operation, before: Element, after: Element) -> str | None:
    rounding = attribute(op, "roundingmode")
    if isinstance(rounding, IntegerAttr) and rounding.value.data != 0:
        return None
    if _computed_in(before) == _computed_in(after):
        return "$X"
    # From f64 directly to 16 bits, one rounding would become two.
    if before.name == "f64":
        return None if after.bits == 16 else "fptrunc $C $X to $D"
    return "fpext $C $X to $D"


def _computed_in(of: Element) -> str:
    return "double" if of.name == "f64" else "float"


def _in(code: Code, texts: Mapping[str, str], of: Element, name: str) -> str:
    return code.write(texts[of.name], {"x": name}) if of.name in texts else name


def _refuse_undefined(code: Code, op: Operation, of: Element, names: Sequence[str]) -> None:
    type, (x, y) = llvm_type(of), names
    code.refuse_if(code.let(f"icmp eq {type} {y}, 0"), lambda _, __: refuse_zero(op))
    if op.name.rstrip("i").endswith("s"):
        least = code.let(f"icmp eq {type} {x}, {-(1 << of.bits - 1)}")
        negates = code.let(f"icmp eq {type} {y}, -1")
        both = code.let(f"and i1 {least}, {negates}")
        code.refuse_if(both, lambda _, __: refuse_overflow(op, of))

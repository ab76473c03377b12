"""Scalar ops as LLVM IR: the same bits as the interpreter's, one rounding per op.

f16 and bf16 are computed in f32 and rounded, as the interpreter does. What is not here (functions of math, rare ops) is
handed back to the interpreter by the code that calls this.
"""

from collections.abc import Callable, Mapping

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from xetile.dialects.upstream.index import PredicateAttr
from xetile.interpreter.host.code import Code, Fault, held, llvm_type
from xetile.interpreter.machine.elements import Element
from xetile.interpreter.machine.frame import attribute, integer

Emit = Callable[[Code, Operation, list[str]], str]
"""What writes one op with the names of its operands: the name of its result."""

EXACT_IN_F32 = 24
"""Integers of this many bits are f32 values without rounding."""


def _type(op: Operation, position: int = 0) -> Element:
    return held(op.operands[position].type)


def _result(op: Operation) -> Element:
    return held(op.results[0].type)


def _plain(instruction: str) -> Emit:
    def emit(code: Code, op: Operation, names: list[str]) -> str:
        return code.let(f"{instruction} {llvm_type(_type(op))} {names[0]}, {names[1]}")

    return emit


def _extreme(predicate: str) -> Emit:
    def emit(code: Code, op: Operation, names: list[str]) -> str:
        type, (x, y) = llvm_type(_type(op)), names
        first = code.let(f"icmp {predicate} {type} {x}, {y}")
        return code.let(f"select i1 {first}, {type} {x}, {type} {y}")

    return emit


def _refuse_zero(code: Code, op: Operation, names: list[str]) -> str:
    type = llvm_type(_type(op))
    code.refuse_if(code.let(f"icmp eq {type} {names[1]}, 0"), Fault(op, "zero"))
    return type


def _unsigned_division(instruction: str) -> Emit:
    def emit(code: Code, op: Operation, names: list[str]) -> str:
        type = _refuse_zero(code, op, names)
        return code.let(f"{instruction} {type} {names[0]}, {names[1]}")

    return emit


def _ceiling_unsigned(code: Code, op: Operation, names: list[str]) -> str:
    type, (x, y) = _refuse_zero(code, op, names), names
    quotient, rest = (code.let(f"{word} {type} {x}, {y}") for word in ("udiv", "urem"))
    return _plus(code, type, quotient, code.let(f"icmp ne {type} {rest}, 0"))


def _plus(code: Code, type: str, value: str, condition: str) -> str:
    """One more where the condition holds."""
    return code.let(f"add {type} {value}, {_as_integer(code, type, condition)}")


def _as_integer(code: Code, type: str, condition: str) -> str:
    return condition if type == "i1" else code.let(f"zext i1 {condition} to {type}")


def _signed_parts(code: Code, op: Operation, names: list[str]) -> tuple[str, str, str]:
    """The type, the quotient towards zero and the rest; refused where the quotient is out of range."""
    type, (x, y), smallest = _refuse_zero(code, op, names), names, -(1 << _type(op).bits - 1)
    least = code.let(f"icmp eq {type} {x}, {smallest}")
    negates = code.let(f"icmp eq {type} {y}, -1")
    code.refuse_if(code.let(f"and i1 {least}, {negates}"), Fault(op, "overflow"))
    quotient, rest = (code.let(f"{word} {type} {x}, {y}") for word in ("sdiv", "srem"))
    return type, quotient, rest


def _quotient(code: Code, op: Operation, names: list[str]) -> str:
    return _signed_parts(code, op, names)[1]


def _rest(code: Code, op: Operation, names: list[str]) -> str:
    return _signed_parts(code, op, names)[2]


def _floor(code: Code, op: Operation, names: list[str]) -> str:
    type, quotient, rest = _signed_parts(code, op, names)
    inexact = code.let(f"icmp ne {type} {rest}, 0")
    signs = code.let(f"xor {type} {rest}, {names[1]}")
    below = code.let(f"and i1 {inexact}, {code.let(f'icmp slt {type} {signs}, 0')}")
    return code.let(f"sub {type} {quotient}, {_as_integer(code, type, below)}")


def _ceiling(code: Code, op: Operation, names: list[str]) -> str:
    type, quotient, rest = _signed_parts(code, op, names)
    inexact = code.let(f"icmp ne {type} {rest}, 0")
    signs = code.let(f"xor {type} {rest}, {names[1]}")
    above = code.let(f"and i1 {inexact}, {code.let(f'icmp sge {type} {signs}, 0')}")
    return _plus(code, type, quotient, above)


def _shift(instruction: str) -> Emit:
    """Shifts by the width and more give zeros."""

    def emit(code: Code, op: Operation, names: list[str]) -> str:
        of, (x, y) = _type(op), names
        type = llvm_type(of)
        fits = code.let(f"icmp ult {type} {y}, {of.bits}") if of.bits > 1 else _not(code, y)
        amount = code.let(f"select i1 {fits}, {type} {y}, {type} 0")
        shifted = code.let(f"{instruction} {type} {x}, {amount}")
        return code.let(f"select i1 {fits}, {type} {shifted}, {type} 0")

    return emit


def _not(code: Code, condition: str) -> str:
    return code.let(f"xor i1 {condition}, true")


def _shift_right(code: Code, op: Operation, names: list[str]) -> str:
    of, (x, y) = _type(op), names
    if of.bits == 1:
        return x
    type, most = llvm_type(of), of.bits - 1
    fits = code.let(f"icmp ult {type} {y}, {most}")
    amount = code.let(f"select i1 {fits}, {type} {y}, {type} {most}")
    return code.let(f"ashr {type} {x}, {amount}")


_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_FLOAT_PREDICATES = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)


def _compare(code: Code, op: Operation, names: list[str]) -> str:
    predicate = _PREDICATES[integer(op, "predicate")]
    return code.let(f"icmp {predicate} {llvm_type(_type(op))} {names[0]}, {names[1]}")


def _compare_indices(code: Code, op: Operation, names: list[str]) -> str:
    found = attribute(op, "pred")
    assert isinstance(found, PredicateAttr)
    return code.let(f"icmp {found.data.value} i64 {names[0]}, {names[1]}")


def _compare_floats(code: Code, op: Operation, names: list[str]) -> str:
    predicate = _FLOAT_PREDICATES[integer(op, "predicate")]
    of = _type(op)
    x, y = (_computable(code, name, of) for name in names)
    return code.let(f"fcmp {predicate} {_computed_in(of)} {x}, {y}")


def _select(code: Code, op: Operation, names: list[str]) -> str:
    condition, yes, no = names
    type = llvm_type(_result(op))
    return code.let(f"select i1 {condition}, {type} {yes}, {type} {no}")


def _resize(instruction: str) -> Emit:
    def emit(code: Code, op: Operation, names: list[str]) -> str:
        before, after = _type(op), _result(op)
        if before.bits == after.bits:
            return names[0]
        word = instruction if before.bits < after.bits else "trunc"
        return code.let(f"{word} {llvm_type(before)} {names[0]} to {llvm_type(after)}")

    return emit


def _computed_in(of: Element) -> str:
    """The type that an op on floats is computed in."""
    return "double" if of.name == "f64" else "float"


def _computable(code: Code, name: str, of: Element) -> str:
    """A float in the type that it is computed in."""
    if of.name == "f16":
        return code.let(f"fpext half {name} to float")
    if of.name != "bf16":
        return name
    wide = code.let(f"zext i16 {name} to i32")
    return code.let(f"bitcast i32 {code.let(f'shl i32 {wide}, 16')} to float")


def _rounded(code: Code, name: str, of: Element) -> str:
    """A result in the type of its op; f32 to bf16 rounds to nearest even, NaN stays NaN."""
    if of.name == "f16":
        return code.let(f"fptrunc float {name} to half")
    if of.name != "bf16":
        return name
    bits = code.let(f"bitcast float {name} to i32")
    last = code.let(f"and i32 {code.let(f'lshr i32 {bits}, 16')}, 1")
    sum = code.let(f"add i32 {code.let(f'add i32 {bits}, 32767')}, {last}")
    nearest = code.let(f"lshr i32 {sum}, 16")
    sign = code.let(f"and i32 {code.let(f'lshr i32 {bits}, 16')}, 32768")
    quiet = code.let(f"or i32 {sign}, {0x7FC0}")
    unordered = code.let(f"fcmp uno float {name}, 0.0")
    chosen = code.let(f"select i1 {unordered}, i32 {quiet}, i32 {nearest}")
    return code.let(f"trunc i32 {chosen} to i16")


def _float(instruction: str) -> Emit:
    def emit(code: Code, op: Operation, names: list[str]) -> str:
        of = _result(op)
        x, y = (_computable(code, name, of) for name in names)
        return _rounded(code, code.let(f"{instruction} {_computed_in(of)} {x}, {y}"), of)

    return emit


def _bits(code: Code, name: str, of: Element) -> tuple[str, str]:
    """The integer type of a float's width, and its bits."""
    type = f"i{of.bits}"
    if of.name == "bf16":
        return type, name
    return type, code.let(f"bitcast {llvm_type(of)} {name} to {type}")


def _from_bits(code: Code, name: str, of: Element) -> str:
    return name if of.name == "bf16" else code.let(f"bitcast i{of.bits} {name} to {llvm_type(of)}")


def _negate(code: Code, op: Operation, names: list[str]) -> str:
    of = _result(op)
    type, bits = _bits(code, names[0], of)
    return _from_bits(code, code.let(f"xor {type} {bits}, {1 << of.bits - 1}"), of)


def _absolute(code: Code, op: Operation, names: list[str]) -> str:
    of = _result(op)
    type, bits = _bits(code, names[0], of)
    return _from_bits(code, code.let(f"and {type} {bits}, {(1 << of.bits - 1) - 1}"), of)


def _extreme_float(predicate: str) -> Emit:
    """NaN if one is; of two zeros the one whose sign says so."""

    def emit(code: Code, op: Operation, names: list[str]) -> str:
        of, type = _result(op), llvm_type(_result(op))
        (x, y), computed = names, _computed_in(of)
        wide_x, wide_y = (_computable(code, name, of) for name in names)
        negative = code.let(f"icmp slt {' '.join(_bits(code, x, of))}, 0")
        small, large = (x, y) if predicate == "olt" else (y, x)
        of_equals = code.let(f"select i1 {negative}, {type} {small}, {type} {large}")
        nan = code.let(f"fcmp uno {computed} {wide_x}, {wide_x}")
        first = code.let(f"fcmp {predicate} {computed} {wide_x}, {wide_y}")
        takes = code.let(f"or i1 {nan}, {first}")
        other = code.let(f"select i1 {takes}, {type} {x}, {type} {y}")
        equal = code.let(f"fcmp oeq {computed} {wide_x}, {wide_y}")
        return code.let(f"select i1 {equal}, {type} {of_equals}, {type} {other}")

    return emit


def _resize_float(code: Code, op: Operation, names: list[str]) -> str:
    before, after = _type(op), _result(op)
    value = _computable(code, names[0], before)
    if _computed_in(before) != _computed_in(after):
        word = "fpext" if after.name == "f64" else "fptrunc"
        value = code.let(f"{word} {_computed_in(before)} {value} to {_computed_in(after)}")
    return _rounded(code, value, after)


def _integer_to_float(instruction: str) -> Emit:
    def emit(code: Code, op: Operation, names: list[str]) -> str:
        before, after = _type(op), _result(op)
        target = _computed_in(after)
        value = code.let(f"{instruction} {llvm_type(before)} {names[0]} to {target}")
        return _rounded(code, value, after)

    return emit


def _bitcast(code: Code, op: Operation, names: list[str]) -> str:
    before, after = (llvm_type(of) for of in (_type(op), _result(op)))
    return names[0] if before == after else code.let(f"bitcast {before} {names[0]} to {after}")


EMITTERS: Mapping[str, Emit] = {
    **{f"arith.{n}i": _plain(n) for n in ("add", "sub", "mul", "and", "or", "xor")},
    **{f"index.{n}": _plain(n) for n in ("add", "sub", "mul", "and", "or", "xor")},
    **{f"arith.{n}i": _extreme(p) for n, p in (("mins", "slt"), ("maxs", "sgt"))},
    **{f"arith.{n}i": _extreme(p) for n, p in (("minu", "ult"), ("maxu", "ugt"))},
    **{f"index.{n}": _extreme(p) for n, p in (("mins", "slt"), ("maxs", "sgt"))},
    **{f"index.{n}": _extreme(p) for n, p in (("minu", "ult"), ("maxu", "ugt"))},
    "arith.divsi": _quotient,
    "arith.remsi": _rest,
    "arith.floordivsi": _floor,
    "arith.ceildivsi": _ceiling,
    "arith.divui": _unsigned_division("udiv"),
    "arith.remui": _unsigned_division("urem"),
    "arith.ceildivui": _ceiling_unsigned,
    "index.divs": _quotient,
    "index.rems": _rest,
    "index.floordivs": _floor,
    "index.ceildivs": _ceiling,
    "index.divu": _unsigned_division("udiv"),
    "index.remu": _unsigned_division("urem"),
    "index.ceildivu": _ceiling_unsigned,
    "arith.shli": _shift("shl"),
    "arith.shrui": _shift("lshr"),
    "arith.shrsi": _shift_right,
    "index.shl": _shift("shl"),
    "index.shru": _shift("lshr"),
    "index.shrs": _shift_right,
    "arith.cmpi": _compare,
    "index.cmp": _compare_indices,
    "arith.cmpf": _compare_floats,
    "arith.select": _select,
    **{f"arith.{n}": _resize("sext") for n in ("extsi", "index_cast")},
    **{f"arith.{n}": _resize("zext") for n in ("extui", "trunci", "index_castui")},
    "index.casts": _resize("sext"),
    "index.castu": _resize("zext"),
    **{f"arith.{n}f": _float(f"f{n}") for n in ("add", "sub", "mul", "div")},
    "arith.negf": _negate,
    "math.absf": _absolute,
    "arith.minimumf": _extreme_float("olt"),
    "arith.maximumf": _extreme_float("ogt"),
    "arith.extf": _resize_float,
    "arith.truncf": _resize_float,
    "arith.sitofp": _integer_to_float("sitofp"),
    "arith.uitofp": _integer_to_float("uitofp"),
    "arith.bitcast": _bitcast,
}


def emitter(op: Operation) -> Emit | None:
    """What writes an op; None where the interpreter has to execute it."""
    if op.name == "arith.truncf":
        before, after = _type(op), _result(op)
        rounding = attribute(op, "roundingmode")
        plain = not isinstance(rounding, IntegerAttr) or rounding.value.data == 0
        # from f64 straight to 16 bits, one rounding would become two
        if not plain or (before.name == "f64" and after.bits == 16):
            return None
    if op.name in ("arith.sitofp", "arith.uitofp"):
        after, bits = _result(op), _type(op).bits
        if after.name == "bf16" and bits > EXACT_IN_F32:
            return None
    return EMITTERS.get(op.name)

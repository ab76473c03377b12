"""arith and math at L, on scalars and chunk by chunk on vectors."""

from collections.abc import Callable, Iterator, Mapping
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
    f32,
    i16,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.utils.hints import isa

from xetile.dialects.upstream.llvm_values import (
    FCmpOp,
    FPToSIOp,
    FPToUIOp,
    SelectOp,
    UIToFPOp,
)
from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.lowering import Address, Handler, Loaded, Lowering
from xetile.passes.convert_xevm_to_llvm.types import (
    chunk_type,
    chunk_widths,
    element_bits,
    vector_element,
    vector_length,
)

Binary = Callable[[SSAValue, SSAValue], Operation]

_WRAPPING: Mapping[str, Binary] = {
    "arith.addi": llvm.AddOp,
    "arith.subi": llvm.SubOp,
    "arith.muli": llvm.MulOp,
    "arith.andi": llvm.AndOp,
    "arith.ori": llvm.OrOp,
    "arith.xori": llvm.XOrOp,
    "arith.shli": llvm.ShlOp,
}
"""Ops whose low bits depend on the low bits of their operands only."""

_EXACT: Mapping[str, Binary] = {
    "arith.divui": llvm.UDivOp,
    "arith.divsi": llvm.SDivOp,
    "arith.remui": llvm.URemOp,
    "arith.remsi": llvm.SRemOp,
    "arith.shrui": llvm.LShrOp,
    "arith.shrsi": llvm.AShrOp,
}
"""Ops that need all of their operands."""

_EXTREMES = {"arith.minsi": "slt", "arith.maxsi": "sgt", "arith.minui": "ult", "arith.maxui": "ugt"}

_FLOATS: Mapping[str, Binary] = {
    "arith.addf": llvm.FAddOp,
    "arith.subf": llvm.FSubOp,
    "arith.mulf": llvm.FMulOp,
    "arith.divf": llvm.FDivOp,
    "arith.remf": llvm.FRemOp,
    "arith.maxnumf": llvm.VectorFMaxOp,
    "arith.minnumf": llvm.VectorFMinOp,
    "math.powf": llvm.FPowOp,
    "math.copysign": llvm.FCopySignOp,
}

_FUNCTIONS: Mapping[str, type[IRDLOperation]] = {
    "arith.negf": llvm.FNegOp,
    "math.absf": llvm.FAbsOp,
    "math.ceil": llvm.FCeilOp,
    "math.cos": llvm.FCosOp,
    "math.exp": llvm.FExpOp,
    "math.exp2": llvm.FExp2Op,
    "math.floor": llvm.FFloorOp,
    "math.log": llvm.FLogOp,
    "math.log2": llvm.FLog2Op,
    "math.sin": llvm.FSinOp,
    "math.sqrt": llvm.FSqrtOp,
}


def operand_parts(lowering: Lowering, value: SSAValue, bits: int) -> tuple[SSAValue, ...]:
    """The parts of an integer operand; a scalar in so many bits."""
    if vector_length(value.type) is None:
        return (lowering.integer(value, bits),)
    return lowering.parts(value)


def _rows(lowering: Lowering, op: Operation, bits: int) -> Iterator[tuple[SSAValue, ...]]:
    return zip(*(operand_parts(lowering, v, bits) for v in op.operands), strict=True)


def _wrapping(lowering: Lowering, op: Operation) -> None:
    if op.name == "arith.addi" and _moved_address(lowering, op):
        return
    bits = lowering.bits(op.results[0])
    make = _WRAPPING[op.name]
    parts = [lowering.value(make(*row)) for row in _rows(lowering, op, bits)]
    lowering.bind_parts(op.results[0], parts)


def _moved_address(lowering: Lowering, op: Operation) -> bool:
    """An address plus a constant stays an address."""
    for base, step in (op.operands, reversed(op.operands)):
        became, bytes = lowering.get(base), lowering.get(step)
        if isinstance(became, Address) and isinstance(bytes, int):
            lowering.bind(op.results[0], Address(became.pointer, became.offset + bytes))
            return True
    return False


def _operand_bits(lowering: Lowering, op: Operation) -> int:
    return max(lowering.bits(value) for value in (*op.operands, *op.results))


def _exact(lowering: Lowering, op: Operation) -> None:
    make = _EXACT[op.name]
    bits = _operand_bits(lowering, op)
    parts = [lowering.value(make(*row)) for row in _rows(lowering, op, bits)]
    lowering.bind_parts(op.results[0], parts)


def _compare(lowering: Lowering, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
    flag = IntegerAttr(llvm.ICmpPredicateFlag(predicate).to_int(), 64)
    return lowering.value(llvm.ICmpOp(a, b, flag))


def _extreme(lowering: Lowering, op: Operation) -> None:
    bits = max(lowering.bits(value) for value in op.operands)
    parts = [
        lowering.value(SelectOp(_compare(lowering, _EXTREMES[op.name], a, b), a, b))
        for a, b in _rows(lowering, op, bits)
    ]
    lowering.bind_parts(op.results[0], parts)


def _compare_integers(lowering: Lowering, op: Operation) -> None:
    predicate = cast("IntegerAttr[IntegerType]", op.properties["predicate"])
    bits = max(lowering.bits(value) for value in op.operands)
    flag = llvm.ICmpPredicateFlag.from_int(predicate.value.data)
    parts = [_compare(lowering, flag.value, a, b) for a, b in _rows(lowering, op, bits)]
    lowering.bind_parts(op.results[0], parts)


def _select(lowering: Lowering, op: Operation) -> None:
    condition, *values = op.operands
    choose = lowering.parts(condition)
    result = op.results[0]
    if isinstance(result.type, (IndexType, IntegerType)):
        lists = [operand_parts(lowering, value, lowering.bits(result)) for value in values]
    else:
        lists = [lowering.parts(value) for value in values]
    if len(choose) == 1 and vector_length(condition.type) is None:
        choose = choose * len(lists[0])
    parts = [lowering.value(SelectOp(c, a, b)) for c, a, b in zip(choose, *lists, strict=True)]
    lowering.bind_parts(result, parts)


def _is_bfloat(value: SSAValue) -> bool:
    type = value.type if vector_length(value.type) is None else vector_element(value.type)
    return isa(type, AnyFloat) and str(type) == "bf16"


def widened(lowering: Lowering, part: SSAValue) -> SSAValue:
    """The bits of bf16 as f32."""
    width = vector_length(part.type) or 1
    long = chunk_type(i32, width)
    bits = lowering.value(llvm.ZExtOp(part, long))
    sixteen = lowering.vector_constant([16] * width, i32)
    return lowering.value(
        llvm.BitcastOp(lowering.value(llvm.ShlOp(bits, sixteen)), chunk_type(f32, width))
    )


def narrowed(lowering: Lowering, part: SSAValue) -> SSAValue:
    """f32 rounded to the bits of bf16, to nearest, ties to even; a NaN stays one.

    There is a SPIR-V extension for this (SPV_INTEL_bfloat16_conversion), which asks for more than this costs.
    """
    width = vector_length(part.type) or 1

    def number(value: int) -> SSAValue:
        return lowering.vector_constant([value] * width, i32)

    bits = lowering.value(llvm.BitcastOp(part, chunk_type(i32, width)))
    high = lowering.value(llvm.LShrOp(bits, number(16)))
    odd = lowering.value(llvm.AndOp(high, number(1)))
    bias = lowering.value(llvm.AddOp(odd, number(0x7FFF)))
    rounded = lowering.value(llvm.LShrOp(lowering.value(llvm.AddOp(bits, bias)), number(16)))
    quiet = lowering.value(llvm.OrOp(high, number(0x40)))
    is_nan = lowering.value(FCmpOp(part, part, "uno"))
    result = lowering.value(SelectOp(is_nan, quiet, rounded))
    return lowering.value(llvm.TruncOp(result, chunk_type(i16, width)))


def _float_parts(lowering: Lowering, value: SSAValue) -> list[SSAValue]:
    """Parts of a float operand in a type in which LLVM computes."""
    if _is_bfloat(value):
        return [widened(lowering, part) for part in lowering.parts(value)]
    if isa(lowering.element(value), IntegerType):
        fail(
            lowering.current,
            f"'{lowering.current.name}' on {value.type} has no lowering to LLVM IR; convert to f32",
        )
    return list(lowering.parts(value))


def _bind_floats(lowering: Lowering, value: SSAValue, parts: list[SSAValue]) -> None:
    if _is_bfloat(value):
        parts = [narrowed(lowering, part) for part in parts]
    lowering.bind_parts(value, parts)


def _float(lowering: Lowering, op: Operation) -> None:
    rows = zip(*(_float_parts(lowering, value) for value in op.operands), strict=True)
    if op.name in _FUNCTIONS:
        parts = [_function_of(lowering, _FUNCTIONS[op.name], a) for (a,) in rows]
    else:
        parts = [lowering.value(_FLOATS[op.name](a, b)) for a, b in rows]
    _bind_floats(lowering, op.results[0], parts)


def _function_of(lowering: Lowering, make: type[IRDLOperation], a: SSAValue) -> SSAValue:
    flags: dict[str, Attribute] = {"fastmathFlags": llvm.FastMathAttr(None)}
    return lowering.value(make.create(operands=[a], result_types=[a.type], properties=flags))


def _fused(lowering: Lowering, op: Operation) -> None:
    if _is_bfloat(op.results[0]):
        fail(op, f"'math.fma' on {op.results[0].type} has no lowering to LLVM IR; convert to f32")
    rows = zip(*(_float_parts(lowering, value) for value in op.operands), strict=True)
    _bind_floats(lowering, op.results[0], [lowering.value(llvm.FMAOp(*row)) for row in rows])


def _ieee_extreme(lowering: Lowering, op: Operation) -> None:
    """IEEE's maximum and minimum: a NaN wins, and zeros have an order."""
    greater = "ogt" if op.name == "arith.maximumf" else "olt"
    tie: Binary = llvm.AndOp if op.name == "arith.maximumf" else llvm.OrOp
    parts: list[SSAValue] = []
    for a, b in zip(*(_float_parts(lowering, value) for value in op.operands), strict=True):
        element = a.type if vector_length(a.type) is None else vector_element(a.type)
        bits = chunk_type(IntegerType(element_bits(element)), vector_length(a.type) or 1)
        raw = [lowering.value(llvm.BitcastOp(value, bits)) for value in (a, b)]
        # equal numbers have equal bits, but for zeros, where the sign decides
        equal = lowering.value(llvm.BitcastOp(lowering.value(tie(raw[0], raw[1])), a.type))
        chosen = lowering.value(SelectOp(lowering.value(FCmpOp(a, b, greater)), a, b))
        chosen = lowering.value(SelectOp(lowering.value(FCmpOp(a, b, "oeq")), equal, chosen))
        nan = lowering.value(llvm.FAddOp(a, b))
        parts.append(lowering.value(SelectOp(lowering.value(FCmpOp(a, b, "uno")), nan, chosen)))
    _bind_floats(lowering, op.results[0], parts)


def _compare_floats(lowering: Lowering, op: Operation) -> None:
    predicate = cast("IntegerAttr[IntegerType]", op.properties["predicate"])
    flag = llvm.FCmpPredicateFlag.from_int(predicate.value.data)
    rows = zip(*(_float_parts(lowering, value) for value in op.operands), strict=True)
    parts = [lowering.value(FCmpOp(a, b, flag.value)) for a, b in rows]
    lowering.bind_parts(op.results[0], parts)


def _result_parts(lowering: Lowering, op: Operation) -> list[Attribute]:
    """The types of the chunks of the result."""
    element = lowering.element(op.results[0])
    widths = chunk_widths(vector_length(op.results[0].type) or 1)
    return [chunk_type(element, width) for width in widths]


def _convert_integer(lowering: Lowering, op: Operation) -> None:
    """extsi, extui, trunci, index_cast, index_castui."""
    source, result = op.operands[0], op.results[0]
    if isinstance(lowering.get(source), Address):
        lowering.bind(result, lowering.get(source))
        return
    unsigned = op.name in ("arith.extui", "arith.index_castui")
    parts: list[SSAValue] = []
    for part, type in zip(lowering.parts(source), _result_parts(lowering, op), strict=True):
        before, after = element_bits_of(part.type), element_bits_of(type)
        if before > after:
            part = lowering.value(llvm.TruncOp(part, type))
        elif before < after:
            part = lowering.value((llvm.ZExtOp if unsigned else llvm.SExtOp)(part, type))
        parts.append(part)
    lowering.bind_parts(result, parts)


def element_bits_of(type: Attribute) -> int:
    """Bits of an element of a chunk."""
    return element_bits(type if vector_length(type) is None else vector_element(type))


def _convert_float(lowering: Lowering, op: Operation) -> None:
    """The ops extf and truncf."""
    source, result = op.operands[0], op.results[0]
    parts = _float_parts(lowering, source)
    target = f32 if _is_bfloat(result) else lowering.element(result)
    if isa(target, IntegerType):
        fail(op, f"'{op.name}' to {result.type} has no lowering to LLVM IR")
    converted: list[SSAValue] = []
    for part in parts:
        type = chunk_type(target, vector_length(part.type) or 1)
        before, after = element_bits_of(part.type), element_bits_of(type)
        if before > after:
            part = lowering.value(llvm.FPTruncOp(part, type))
        elif before < after:
            part = lowering.value(llvm.FPExtOp(part, type))
        converted.append(part)
    if _is_bfloat(result) and element_bits_of(parts[0].type) > 32:
        fail(
            op, f"'{op.name}' from {source.type} to {result.type} would round twice; go through f32"
        )
    _bind_floats(lowering, result, converted)


_NUMBER_CASTS: Mapping[str, Callable[[SSAValue, Attribute], Operation]] = {
    "arith.sitofp": llvm.SIToFPOp,
    "arith.uitofp": UIToFPOp,
    "arith.fptosi": FPToSIOp,
    "arith.fptoui": FPToUIOp,
}


def _convert_number(lowering: Lowering, op: Operation) -> None:
    """Between integers and floats."""
    source, result = op.operands[0], op.results[0]
    make = _NUMBER_CASTS[op.name]
    if op.name in ("arith.fptosi", "arith.fptoui"):
        parts = _float_parts(lowering, source)
        made = [
            lowering.value(make(p, t))
            for p, t in zip(parts, _result_parts(lowering, op), strict=True)
        ]
        lowering.bind_parts(result, made)
        return
    target = f32 if _is_bfloat(result) else lowering.element(result)
    if isa(target, IntegerType):
        fail(op, f"'{op.name}' to {result.type} has no lowering to LLVM IR; convert to f32")
    parts = list(lowering.parts(source))
    if _is_bfloat(result) and element_bits_of(parts[0].type) > 16:
        fail(
            op, f"'{op.name}' from {source.type} to {result.type} would round twice; go through f32"
        )
    made = [lowering.value(make(p, chunk_type(target, vector_length(p.type) or 1))) for p in parts]
    _bind_floats(lowering, result, made)


def _bitcast(lowering: Lowering, op: Operation) -> None:
    """arith.bitcast keeps the number of elements."""
    source, types = op.operands[0], _result_parts(lowering, op)
    became = lowering.get(source)
    if isinstance(became, Loaded):
        lowering.bind(
            op.results[0], Loaded(became.memory, lowering.element(op.results[0]), became.length)
        )
        return
    parts = [
        part if part.type == type else lowering.value(llvm.BitcastOp(part, type))
        for part, type in zip(lowering.parts(source), types, strict=True)
    ]
    lowering.bind_parts(op.results[0], parts)


def _cast(lowering: Lowering, op: Operation) -> None:
    """builtin.unrealized_conversion_cast between integers that differ in their sign only."""
    source, results = op.operands, op.results
    same = len(source) == len(results) == 1
    if not same or lowering.element(source[0]) != lowering.element(results[0]):
        fail(
            op,
            "'builtin.unrealized_conversion_cast' has no lowering to LLVM IR between these types",
        )
    lowering.bind(results[0], lowering.get(source[0]))


def encoded(value: float, type: Attribute) -> float:
    """A constant element as L holds it: a float without a type of its own as its bits."""
    if isa(type, AnyFloat) and type.bitwidth in (8, 16) and str(type) != "f16":
        return int.from_bytes(type.pack([value]), "little")
    return value


def _constant(lowering: Lowering, op: Operation) -> None:
    value, result = op.properties.get("value"), op.results[0]
    if isa(value, IntegerAttr):
        lowering.bind(result, value.value.data)
    elif isa(value, FloatAttr):
        number = encoded(value.value.data, result.type)
        lowering.bind(result, lowering.constant(number, lowering.element(result)))
    elif isa(value, DenseIntOrFPElementsAttr) and vector_length(result.type) is not None:
        _vector_constant(lowering, result, value)
    else:
        fail(op, f"'arith.constant' of {result.type} has no lowering to LLVM IR")


def _vector_constant(lowering: Lowering, result: SSAValue, value: DenseIntOrFPElementsAttr) -> None:
    type = cast(VectorType[Attribute], result.type).element_type
    length = vector_length(result.type) or 1
    numbers = [encoded(cast(float, number), type) for number in value.get_values()]
    if len(numbers) == 1:
        numbers *= length
    element, parts, start = lowering.element(result), list[SSAValue](), 0
    for width in chunk_widths(length):
        parts.append(lowering.vector_constant(numbers[start : start + width], element))
        start += width
    lowering.bind_parts(result, parts)


HANDLERS: Mapping[str, Handler] = {
    **dict.fromkeys(_WRAPPING, _wrapping),
    **dict.fromkeys(_EXACT, _exact),
    **dict.fromkeys(_EXTREMES, _extreme),
    **dict.fromkeys((*_FLOATS, *_FUNCTIONS), _float),
    **dict.fromkeys(_NUMBER_CASTS, _convert_number),
    **dict.fromkeys(
        ("arith.extsi", "arith.extui", "arith.trunci", "arith.index_cast", "arith.index_castui"),
        _convert_integer,
    ),
    **dict.fromkeys(("arith.extf", "arith.truncf"), _convert_float),
    **dict.fromkeys(("arith.maximumf", "arith.minimumf"), _ieee_extreme),
    "arith.bitcast": _bitcast,
    "arith.cmpf": _compare_floats,
    "arith.cmpi": _compare_integers,
    "arith.constant": _constant,
    "arith.select": _select,
    "builtin.unrealized_conversion_cast": _cast,
    "math.fma": _fused,
}

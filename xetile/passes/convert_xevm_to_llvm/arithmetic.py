"""Integers, selections, casts and constants of arith at L, on scalars and chunk by chunk on vectors."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from xetile.dialects.upstream.llvm_values import SelectOp
from xetile.dialects.upstream.vector.support import vector_type
from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.lowering import Address, Loaded, Lowering
from xetile.passes.convert_xevm_to_llvm.types import chunk_bits, chunk_places, vector_length, width
from xetile.rewriting.rewriter import Handlers

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


def _operand_parts(lowering: Lowering, value: SSAValue, bits: int) -> tuple[SSAValue, ...]:
    """The parts of an integer operand; a scalar in so many bits."""
    if vector_length(value.type) is None:
        return (lowering.integer(value, bits),)
    return lowering.parts(value)


def _rows(lowering: Lowering, op: Operation, bits: int) -> Iterator[tuple[SSAValue, ...]]:
    return zip(*(_operand_parts(lowering, v, bits) for v in op.operands), strict=True)


def _most_bits(lowering: Lowering, values: Sequence[SSAValue]) -> int:
    return max(lowering.bits(value) for value in values)


def _wrapping(lowering: Lowering, op: Operation) -> None:
    if op.name == "arith.addi" and _moved_address(lowering, op):
        return
    rows = _rows(lowering, op, lowering.bits(op.results[0]))
    make = _WRAPPING[op.name]
    lowering.bind_parts(op.results[0], [lowering.emit_value(make(*row)) for row in rows])


def _moved_address(lowering: Lowering, op: Operation) -> bool:
    """An address plus a constant stays an address."""
    for base, step in (op.operands, reversed(op.operands)):
        became, bytes = lowering.get(base), lowering.get(step)
        if isinstance(became, Address) and isinstance(bytes, int):
            lowering.bind(op.results[0], Address(became.pointer, became.offset + bytes))
            return True
    return False


def _exact(lowering: Lowering, op: Operation) -> None:
    rows = _rows(lowering, op, _most_bits(lowering, (*op.operands, *op.results)))
    make = _EXACT[op.name]
    lowering.bind_parts(op.results[0], [lowering.emit_value(make(*row)) for row in rows])


def _extreme(lowering: Lowering, op: Operation) -> None:
    parts = [
        lowering.emit_value(SelectOp(lowering.compare(_EXTREMES[op.name], a, b), a, b))
        for a, b in _rows(lowering, op, _most_bits(lowering, op.operands))
    ]
    lowering.bind_parts(op.results[0], parts)


def _compare(lowering: Lowering, op: Operation) -> None:
    predicate = cast("IntegerAttr[IntegerType]", op.properties["predicate"]).value.data
    flag = llvm.ICmpPredicateFlag.from_int(predicate).value
    rows = _rows(lowering, op, _most_bits(lowering, op.operands))
    lowering.bind_parts(op.results[0], [lowering.compare(flag, a, b) for a, b in rows])


def _select(lowering: Lowering, op: Operation) -> None:
    condition, *values = op.operands
    choose = lowering.parts(condition)
    result = op.results[0]
    if isinstance(result.type, (IndexType, IntegerType)):
        lists = [_operand_parts(lowering, value, lowering.bits(result)) for value in values]
    else:
        lists = [lowering.parts(value) for value in values]
    if vector_length(condition.type) is None:
        choose = choose * len(lists[0])
    parts = [lowering.emit_value(SelectOp(c, a, b)) for c, a, b in zip(choose, *lists, strict=True)]
    lowering.bind_parts(result, parts)


def _convert(lowering: Lowering, op: Operation) -> None:
    """extsi, extui, trunci, index_cast, index_castui."""
    (source,), (result,) = op.operands, op.results
    if isinstance(lowering.get(source), Address):
        lowering.bind(result, lowering.get(source))
        return
    extend = llvm.ZExtOp if op.name in ("arith.extui", "arith.index_castui") else llvm.SExtOp
    lowering.bind_parts(
        result,
        [
            with_bits_of(lowering, part, type, llvm.TruncOp, extend)
            for part, type in zip(lowering.parts(source), lowering.part_types(result), strict=True)
        ],
    )


def with_bits_of(
    lowering: Lowering,
    part: SSAValue,
    type: Attribute,
    narrow: Callable[[SSAValue, Attribute], Operation],
    widen: Callable[[SSAValue, Attribute], Operation],
) -> SSAValue:
    """A chunk converted to a type where their elements differ in their bits."""
    before, after = chunk_bits(part.type), chunk_bits(type)
    if before == after:
        return part
    return lowering.emit_value((narrow if before > after else widen)(part, type))


def _bitcast(lowering: Lowering, op: Operation) -> None:
    """arith.bitcast keeps the number of elements."""
    (source,), (result,) = op.operands, op.results
    became = lowering.get(source)
    if isinstance(became, Loaded):
        lowering.bind(result, became._replace(element=lowering.element(result)))
        return
    parts = [
        part if part.type == type else lowering.emit_value(llvm.BitcastOp(part, type))
        for part, type in zip(lowering.parts(source), lowering.part_types(result), strict=True)
    ]
    lowering.bind_parts(result, parts)


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


def _encoded(value: float, type: Attribute) -> float:
    """A constant element as L holds it: a float without a type of its own as its bits."""
    if isa(type, AnyFloat) and type.bitwidth in (8, 16) and str(type) != "f16":
        return int.from_bytes(type.pack([value]), "little")
    return value


def _constant(lowering: Lowering, op: Operation) -> None:
    value, result = op.properties.get("value"), op.results[0]
    if isa(value, IntegerAttr):
        lowering.bind(result, value.value.data)
    elif isa(value, FloatAttr):
        number = _encoded(value.value.data, result.type)
        lowering.bind(result, lowering.constant(number, lowering.element(result)))
    elif isa(value, DenseIntOrFPElementsAttr) and vector_length(result.type) is not None:
        _vector_constant(lowering, result, value)
    else:
        fail(op, f"'arith.constant' of {result.type} has no lowering to LLVM IR")


def _vector_constant(lowering: Lowering, result: SSAValue, value: DenseIntOrFPElementsAttr) -> None:
    type = vector_type(result).element_type
    numbers = [_encoded(cast(float, number), type) for number in value.get_values()]
    if len(numbers) == 1:
        numbers *= width(result)
    element = lowering.element(result)
    parts = [
        lowering.vector_constant(numbers[start : start + count], element)
        for start, count in chunk_places(width(result))
    ]
    lowering.bind_parts(result, parts)


HANDLERS: Handlers[Lowering] = {
    **dict.fromkeys(_WRAPPING, _wrapping),
    **dict.fromkeys(_EXACT, _exact),
    **dict.fromkeys(_EXTREMES, _extreme),
    **dict.fromkeys(
        ("arith.extsi", "arith.extui", "arith.trunci", "arith.index_cast", "arith.index_castui"),
        _convert,
    ),
    "arith.bitcast": _bitcast,
    "arith.cmpi": _compare,
    "arith.constant": _constant,
    "arith.select": _select,
    "builtin.unrealized_conversion_cast": _cast,
}

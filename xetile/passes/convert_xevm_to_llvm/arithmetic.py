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
    i1,
    i8,
)
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.dialects.upstream.llvm_values import SelectOp
from xetile.dialects.upstream.vector.support import vector_type
from xetile.errors import fail
from xetile.hints import isa
from xetile.passes.convert_xevm_to_llvm.types import (
    NIBBLE_BITS,
    chunk_bits,
    chunk_places,
    chunk_type,
    is_nibble,
    vector_element,
    vector_length,
    width,
)
from xetile.passes.convert_xevm_to_llvm.view import Address, LLVMView, Loaded
from xetile.rewriting.rewriter import Handlers

Binary = Callable[[SSAValue, SSAValue], Operation]

WRAPPING: Mapping[str, Binary] = {
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
}
"""Ops that need all of their operands."""

_EXTREMES = {
    "arith.minsi": "slt",
    "arith.maxsi": "sgt",
    "arith.minui": "ult",
    "arith.maxui": "ugt",
}


_OF_BITS = ("arith.addi", "arith.subi", "arith.andi", "arith.ori", "arith.xori", "eq", "ne")
"""Ops and predicates that LLVM's SPIR-V back end has for i1, too."""
_UNSIGNED = ("arith.divui", "arith.remui", "arith.minui", "arith.maxui")

_UNSIGNED_CASTS = ("arith.extui", "arith.index_castui")


def integer_parts(view: LLVMView, value: SSAValue, bits: int) -> tuple[SSAValue, ...]:
    """The chunks of a vector of integers, or a scalar with so many bits."""
    if vector_length(value.type) is None:
        if is_nibble(value.type):
            view.refuse(f"on {value.type} has no lowering to LLVM IR; widen the vector before")
        return (view.integer(value, bits),)
    return view.parts(value)


def integer_rows(
    view: LLVMView, op: Operation, bits: int, *, unsigned: bool | None = None
) -> Iterator[tuple[SSAValue, ...]]:
    """The chunks of the operands side by side, scalars with so many bits.

    With `unsigned` given all bits of 4-bit integers count.
    """
    parts = [integer_parts(view, value, bits) for value in op.operands]
    if unsigned is not None:
        parts = [
            whole_numbers(view, value, part, unsigned=unsigned)
            for value, part in zip(op.operands, parts, strict=True)
        ]
    return zip(*parts, strict=True)


def whole_numbers(
    view: LLVMView, value: SSAValue, parts: Sequence[SSAValue], *, unsigned: bool
) -> tuple[SSAValue, ...]:
    """Chunks of 4-bit integers as the same numbers in 8 bits; others as they are."""
    type = value.type if vector_length(value.type) is None else vector_element(value.type)
    if not is_nibble(type):
        return tuple(parts)

    def widened(part: SSAValue) -> SSAValue:
        if unsigned:
            low = view.vector_constant([(1 << NIBBLE_BITS) - 1] * width(part), i8)
            return view.new(llvm.AndOp(part, low))
        four = view.vector_constant([NIBBLE_BITS] * width(part), i8)
        return view.new(llvm.AShrOp(view.new(llvm.ShlOp(part, four)), four))

    return tuple(map(widened, parts))


def wide_bits(
    view: LLVMView, parts: Sequence[SSAValue], *, unsigned: bool
) -> tuple[SSAValue, ...]:
    """Chunks of i1 as numbers of 8 bits, by their sign or without; others as they are."""
    extend = llvm.ZExtOp if unsigned else llvm.SExtOp
    return tuple(
        view.new(extend(part, chunk_type(i8, width(part))))
        if chunk_bits(part.type) == 1
        else part
        for part in parts
    )


def _bind_numbers(
    view: LLVMView,
    op: Operation,
    rows: Iterator[tuple[SSAValue, ...]],
    make: Callable[..., Operation],
) -> None:
    """Bind the result to what is made of each row of chunks; of i1 by way of 8 bits."""
    parts: list[SSAValue] = []
    for row in rows:
        is_bits = op.name not in _OF_BITS and chunk_bits(row[0].type) == 1
        numbers = wide_bits(view, row, unsigned=op.name in _UNSIGNED) if is_bits else row
        made = view.new(make(*numbers))
        parts.append(
            view.new(llvm.TruncOp(made, chunk_type(i1, width(made)))) if is_bits else made
        )
    view.bind_parts(op.results[0], parts)


def most_bits(view: LLVMView, values: Sequence[SSAValue]) -> int:
    """Bits of the widest of integers at L."""
    return max(view.bits(value) for value in values)


def _wrapping(view: LLVMView, op: Operation) -> None:
    if op.name == "arith.addi" and _moved_address(view, op):
        return
    _bind_numbers(
        view, op, integer_rows(view, op, view.bits(op.results[0])), WRAPPING[op.name]
    )


def _moved_address(view: LLVMView, op: Operation) -> bool:
    for base, step in (op.operands, reversed(op.operands)):
        became, bytes = view.get(base), view.get(step)
        if isinstance(became, Address) and isinstance(bytes, int):
            view.bind(op.results[0], Address(became.pointer, became.offset + bytes))
            return True
    return False


def _exact(view: LLVMView, op: Operation) -> None:
    unsigned = op.name in _UNSIGNED
    rows = integer_rows(
        view, op, most_bits(view, (*op.operands, *op.results)), unsigned=unsigned
    )
    _bind_numbers(view, op, rows, _EXACT[op.name])


def _extreme(view: LLVMView, op: Operation) -> None:
    bits, unsigned = most_bits(view, op.operands), op.name in _UNSIGNED
    rows, predicate = integer_rows(view, op, bits, unsigned=unsigned), _EXTREMES[op.name]

    def chosen(a: SSAValue, b: SSAValue) -> Operation:
        return SelectOp(view.compare(predicate, a, b), a, b)

    _bind_numbers(view, op, rows, chosen)


def _compare(view: LLVMView, op: Operation) -> None:
    predicate = cast("IntegerAttr[IntegerType]", op.properties["predicate"]).value.data
    flag = llvm.ICmpPredicateFlag.from_int(predicate).value
    rows = integer_rows(view, op, most_bits(view, op.operands), unsigned=flag.startswith("u"))
    if flag not in _OF_BITS:
        rows = (wide_bits(view, row, unsigned=flag.startswith("u")) for row in rows)
    view.bind_parts(op.results[0], [view.compare(flag, a, b) for a, b in rows])


def _select(view: LLVMView, op: Operation) -> None:
    condition, *values = op.operands
    choose = view.parts(condition)
    result = op.results[0]
    if isinstance(result.type, (IndexType, IntegerType)):
        lists = [integer_parts(view, value, view.bits(result)) for value in values]
    else:
        lists = [view.parts(value) for value in values]
    if vector_length(condition.type) is None:
        choose = choose * len(lists[0])
    view.bind_made(result, (SelectOp(*row) for row in zip(choose, *lists, strict=True)))


def _convert(view: LLVMView, op: Operation) -> None:
    (source,), (result,) = op.operands, op.results
    if isinstance(view.get(source), Address):
        view.bind(result, view.get(source))
        return
    # An index has 64 bits, of which fewer are kept where their sign says the others.
    unsigned = op.name in _UNSIGNED_CASTS and not isinstance(source.type, IndexType)
    extend = llvm.ZExtOp if unsigned else llvm.SExtOp
    parts = whole_numbers(view, source, view.parts(source), unsigned=unsigned)
    view.bind_parts(
        result,
        [
            with_bits_of(view, part, type, llvm.TruncOp, extend)
            for part, type in zip(parts, view.part_types(result), strict=True)
        ],
    )


def with_bits_of(
    view: LLVMView,
    part: SSAValue,
    type: Attribute,
    narrow: Callable[[SSAValue, Attribute], Operation],
    widen: Callable[[SSAValue, Attribute], Operation],
) -> SSAValue:
    """A chunk converted to a type where their elements differ in their bits."""
    before, after = chunk_bits(part.type), chunk_bits(type)
    if before == after:
        return part
    return view.new((narrow if before > after else widen)(part, type))


def _bitcast(view: LLVMView, op: Operation) -> None:
    (source,), (result,) = op.operands, op.results
    became = view.get(source)
    if isinstance(became, Loaded):
        view.bind(result, became._replace(element=view.element(result)))
        return
    parts = [
        part if part.type == type else view.new(llvm.BitcastOp(part, type))
        for part, type in zip(view.parts(source), view.part_types(result), strict=True)
    ]
    view.bind_parts(result, parts)


def _cast(view: LLVMView, op: Operation) -> None:
    source, results = op.operands, op.results
    same = len(source) == len(results) == 1
    if not same or view.element(source[0]) != view.element(results[0]):
        fail(
            op,
            "'builtin.unrealized_conversion_cast' has no lowering to LLVM IR between these types",
        )
    view.bind(results[0], view.get(source[0]))


def _encoded(value: float, type: Attribute) -> float:
    """A constant element as L holds it: a float without a type of its own as its bits."""
    if isa(type, AnyFloat) and type.bitwidth in (8, 16) and str(type) != "f16":
        return int.from_bytes(type.pack([value]), "little")
    return value


def _constant(view: LLVMView, op: Operation) -> None:
    value, result = op.properties.get("value"), op.results[0]
    if isa(value, IntegerAttr):
        view.bind(result, value.value.data)
    elif isa(value, FloatAttr):
        number = _encoded(value.value.data, result.type)
        view.bind(result, view.constant(number, view.element(result)))
    elif isa(value, DenseIntOrFPElementsAttr) and vector_length(result.type) is not None:
        _vector_constant(view, result, value)
    else:
        fail(op, f"'arith.constant' of {result.type} has no lowering to LLVM IR")


def _vector_constant(
    view: LLVMView, result: SSAValue, value: DenseIntOrFPElementsAttr
) -> None:
    type = vector_type(result).element_type
    numbers = [_encoded(cast(float, number), type) for number in value.get_values()]
    if len(numbers) == 1:
        numbers *= width(result)
    element = view.element(result)
    parts = [
        view.vector_constant(numbers[start : start + count], element)
        for start, count in chunk_places(width(result))
    ]
    view.bind_parts(result, parts)


HANDLERS: Handlers[LLVMView] = {
    **dict.fromkeys(WRAPPING, _wrapping),
    **dict.fromkeys(_EXACT, _exact),
    **dict.fromkeys(_EXTREMES, _extreme),
    **dict.fromkeys(
        (
            "arith.extsi",
            "arith.extui",
            "arith.trunci",
            "arith.index_cast",
            "arith.index_castui",
        ),
        _convert,
    ),
    "arith.bitcast": _bitcast,
    "arith.cmpi": _compare,
    "arith.constant": _constant,
    "arith.select": _select,
    "builtin.unrealized_conversion_cast": _cast,
}

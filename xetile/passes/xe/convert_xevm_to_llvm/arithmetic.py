"""Lower integers, selections, casts and constants of arith and math, on scalars and chunk by chunk on vectors.

Shifts of arith by the width or more, which LLVM leaves undefined, shift out all bits. If the amount is known to be
below the width, a shift is one instruction.

The module also lowers divisions that round up or down, counts of bits, powers, results of twice the bits, and vectors
that count: vector.step, and masks of the first elements.
"""

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

from xetile.analysis.constants import dense_value, integers_of
from xetile.dialects.upstream.llvm import SelectOp
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.errors import fail
from xetile.hints import isa
from xetile.passes.xe.convert_xevm_to_llvm.builtins import mangle
from xetile.passes.xe.convert_xevm_to_llvm.llvm_types import (
    NIBBLE_BITS,
    chunk_bits,
    chunk_element,
    chunk_places,
    chunk_type,
    element_bits,
    is_nibble,
    mangled_type,
    vector_element,
    vector_length,
    width,
)
from xetile.passes.xe.convert_xevm_to_llvm.llvm_view import Address, LLVMView, Loaded
from xetile.passes.xe.convert_xevm_to_llvm.vector_chunks import of_rank_one, splat
from xetile.rewriting.rewriter import Handlers
from xetile.targets.target import INDEX_BITS

_MAKERS = {"arith.shli": llvm.ShlOp, "arith.shrui": llvm.LShrOp, "arith.shrsi": llvm.AShrOp}


def _shift(view: LLVMView, op: Operation) -> None:
    (value, amount), (result,) = op.operands, op.results
    bits, unsigned = most_bits(view, (value, amount, result)), op.name != "arith.shrsi"
    numbers = integer_parts(view, value, bits)
    if op.name != "arith.shli":
        numbers = whole_numbers(view, value, numbers, unsigned=unsigned)
    amounts = whole_numbers(view, amount, integer_parts(view, amount, bits), unsigned=True)
    numbers = wide_bits(view, numbers, unsigned=unsigned)
    amounts = wide_bits(view, amounts, unsigned=True)
    element = value.type if vector_length(value.type) is None else vector_element(value.type)
    limit = 1 if element == i1 else NIBBLE_BITS if is_nibble(element) else bits
    is_below = _is_below(view, amount, limit)
    parts: list[SSAValue] = []
    for number, by in zip(numbers, amounts, strict=True):
        made = _shifted(view, op.name, number, by, None if is_below else limit)
        is_bits = element == i1
        parts.append(
            view.new(llvm.TruncOp(made, chunk_type(i1, width(made)))) if is_bits else made
        )
    view.bind_parts(result, parts)


def _shifted(
    view: LLVMView, name: str, number: SSAValue, by: SSAValue, limit: int | None
) -> SSAValue:
    """Return a shifted chunk; amounts of `limit` or more shift out all bits."""
    make = _MAKERS[name]
    if limit is None:
        return view.new(make(number, by))

    def constant(value: int) -> SSAValue:
        return view.vector_constant([value] * width(by), chunk_element(by.type))

    is_less = view.compare("ult", by, constant(limit))
    if name == "arith.shrsi":
        last = constant(chunk_bits(by.type) - 1)
        return view.new(make(number, view.new(SelectOp(is_less, by, last))))
    return view.new(SelectOp(is_less, view.new(make(number, by)), constant(0)))


def _is_below(view: LLVMView, amount: SSAValue, limit: int) -> bool:
    """Return True if every amount of a shift is known to be below the limit."""
    found = view.ranges.get(amount)
    if found is not None:
        return found.low >= 0 and found.high < limit
    op = amount.owner
    if not isinstance(op, Operation):
        return False
    if op.name == "vector.broadcast":
        return _is_below(view, op.operands[0], limit)
    dense = dense_value(op) if op.name == "arith.constant" else None
    return dense is not None and all(0 <= cast(int, n) < limit for n in dense.get_values())


_Number = Callable[[LLVMView, SSAValue, SSAValue], SSAValue]

_COUNTS: Mapping[str, str] = {
    "math.absi": "abs",
    "math.ctlz": "clz",
    "math.ctpop": "popcount",
    "math.cttz": "ctz",
}
"""Names of OpenCL's functions, which return the number of bits for 0 when counting zeros, as math's ops do."""


def _number(view: LLVMView, like: SSAValue, number: int) -> SSAValue:
    count = width(like)
    return view.vector_constant([number] * count, chunk_element(like.type))


def _full_bits(view: LLVMView, *values: SSAValue) -> int:
    """Return the most bits of an element; an index has its 64, since bits are counted or products truncated there."""
    return max(
        INDEX_BITS if isinstance(value.type, IndexType) else view.bits(value)
        for value in values
    )


def _rounded_up(view: LLVMView, a: SSAValue, b: SSAValue) -> SSAValue:
    """Return the quotient of unsigned numbers, plus one if there is a remainder."""
    quotient = view.new(llvm.UDivOp(a, b))
    rest = view.compare("ne", view.new(llvm.MulOp(quotient, b)), a)
    return view.new(llvm.SubOp(quotient, view.new(llvm.SExtOp(rest, a.type))))


def _signed_quotient(view: LLVMView, a: SSAValue, b: SSAValue, *, down: bool) -> SSAValue:
    """Return the quotient of signed numbers, adjusted by one if there is a remainder and the signs require it."""
    quotient, zero = view.new(llvm.SDivOp(a, b)), _number(view, a, 0)
    rest = view.compare("ne", view.new(llvm.MulOp(quotient, b)), a)
    signs = (view.compare("slt", value, zero) for value in (a, b))
    meant = view.compare("ne" if down else "eq", *signs)
    one = view.new(llvm.SExtOp(view.new(llvm.AndOp(rest, meant)), a.type))
    return view.new((llvm.AddOp if down else llvm.SubOp)(quotient, one))


def _floor(view: LLVMView, a: SSAValue, b: SSAValue) -> SSAValue:
    return _signed_quotient(view, a, b, down=True)


def _ceil(view: LLVMView, a: SSAValue, b: SSAValue) -> SSAValue:
    return _signed_quotient(view, a, b, down=False)


def _power(view: LLVMView, base: SSAValue, exponent: SSAValue) -> SSAValue:
    """Return the power, by squaring; with a negative exponent 1 and -1 have powers, and all else becomes 0."""
    one, zero, minus = (_number(view, base, number) for number in (1, 0, -1))
    result, square = one, base
    bits = chunk_bits(base.type)
    for bit in range(bits - 1):
        taken = view.new(llvm.AndOp(exponent, _number(view, base, 1 << bit)))
        factor = view.new(SelectOp(view.compare("ne", taken, zero), square, one))
        result = view.new(llvm.MulOp(result, factor))
        square = view.new(llvm.MulOp(square, square))
    odd = view.compare("ne", view.new(llvm.AndOp(exponent, one)), zero)
    of_minus = view.new(SelectOp(odd, minus, one))
    inverse = view.new(SelectOp(view.compare("eq", base, minus), of_minus, zero))
    inverse = view.new(SelectOp(view.compare("eq", base, one), one, inverse))
    return view.new(SelectOp(view.compare("slt", exponent, zero), inverse, result))


_BINARY: Mapping[str, _Number] = {
    "arith.ceildivsi": _ceil,
    "arith.ceildivui": _rounded_up,
    "arith.floordivsi": _floor,
    "math.ipowi": _power,
}


def _binary(view: LLVMView, op: Operation) -> None:
    make, unsigned = _BINARY[op.name], op.name == "arith.ceildivui"
    parts: list[SSAValue] = []
    bits = _full_bits(view, *op.operands, *op.results)
    for row in integer_rows(view, op, bits, unsigned=unsigned):
        a, b = wide_bits(view, row, unsigned=unsigned)
        made = make(view, a, b)
        parts.append(_cut(view, made, row[0]))
    view.bind_parts(op.results[0], parts)


def _cut(view: LLVMView, made: SSAValue, like: SSAValue) -> SSAValue:
    return made if made.type == like.type else view.new(llvm.TruncOp(made, like.type))


def _count(view: LLVMView, op: Operation) -> None:
    parts: list[SSAValue] = []
    bits, is_count = _full_bits(view, op.operands[0]), op.name != "math.absi"
    if is_count and op.name != "math.ctpop":
        _check_is_no_nibble(op)
    for (part,) in integer_rows(view, op, bits, unsigned=is_count):
        if chunk_bits(part.type) > 1:
            name = mangle(_COUNTS[op.name], [mangled_type(part.type)])
            parts.append(view.result_of_call(name, [part], part.type))
        elif op.name in ("math.absi", "math.ctpop"):
            parts.append(part)
        else:
            parts.append(view.new(llvm.XOrOp(part, _number(view, part, 1))))
    view.bind_parts(op.results[0], parts)


def _check_is_no_nibble(op: Operation) -> None:
    type = op.operands[0].type
    if is_nibble(chunk_element(type)):
        fail(op, f"'{op.name}' on {type} has no lowering to LLVM IR; extend to i8")


def _add_extended(view: LLVMView, op: Operation) -> None:
    """Emit the sum and its carry, which is set if the sum is less than an operand."""
    _check_is_no_nibble(op)
    sums: list[SSAValue] = []
    carries: list[SSAValue] = []
    for a, b in integer_rows(view, op, _full_bits(view, *op.operands)):
        total = view.new(llvm.AddOp(a, b))
        sums.append(total)
        carries.append(
            view.new(llvm.AndOp(a, b))
            if chunk_bits(a.type) == 1
            else view.compare("ult", total, a)
        )
    view.bind_parts(op.results[0], sums)
    view.bind_parts(op.results[1], carries)


def _multiply_extended(view: LLVMView, op: Operation) -> None:
    """Emit the lower and the upper half of the product; OpenCL's mul_hi returns the latter."""
    unsigned = op.name == "arith.mului_extended"
    _check_is_no_nibble(op)
    lows: list[SSAValue] = []
    highs: list[SSAValue] = []
    for a, b in integer_rows(view, op, _full_bits(view, *op.operands)):
        if chunk_bits(a.type) == 1:
            # -1 times -1 is 1, which has the two bits 01, as has 1 times 1
            lows.append(view.new(llvm.AndOp(a, b)))
            highs.append(_number(view, a, 0))
            continue
        lows.append(view.new(llvm.MulOp(a, b)))
        types = [mangled_type(value.type, unsigned=unsigned) for value in (a, b)]
        highs.append(view.result_of_call(mangle("mul_hi", types), [a, b], a.type))
    view.bind_parts(op.results[0], lows)
    view.bind_parts(op.results[1], highs)


def _step(view: LLVMView, op: Operation) -> None:
    (result,) = op.results
    places, element = chunk_places(width(result)), view.element(result)
    parts = [view.vector_constant(range(at, at + count), element) for at, count in places]
    view.bind_parts(result, parts)


def _constant_mask(view: LLVMView, op: Operation) -> None:
    (result,), (size,) = op.results, integers_of(op, "mask_dim_sizes")
    parts = [
        view.vector_constant([int(place < size) for place in range(at, at + count)], i1)
        for at, count in chunk_places(width(result))
    ]
    view.bind_parts(result, parts)


def _create_mask(view: LLVMView, op: Operation) -> None:
    (size,), (result,) = op.operands, op.results
    scalar = view.scalar(size)
    element = IntegerType(element_bits(scalar.type))
    parts = [
        view.compare(
            "slt",
            view.vector_constant(range(at, at + count), element),
            splat(view, scalar, element, count),
        )
        for at, count in chunk_places(width(result))
    ]
    view.bind_parts(result, parts)


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
"""Ops whose low bits depend only on the low bits of their operands."""

_EXACT: Mapping[str, Binary] = {
    "arith.divui": llvm.UDivOp,
    "arith.divsi": llvm.SDivOp,
    "arith.remui": llvm.URemOp,
    "arith.remsi": llvm.SRemOp,
}
"""Ops that need all bits of their operands."""

_EXTREMES = {
    "arith.minsi": "slt",
    "arith.maxsi": "sgt",
    "arith.minui": "ult",
    "arith.maxui": "ugt",
}


_OF_BITS = ("arith.addi", "arith.subi", "arith.andi", "arith.ori", "arith.xori", "eq", "ne")
"""Ops and predicates that LLVM's SPIR-V back end also supports for i1."""
_UNSIGNED = ("arith.divui", "arith.remui", "arith.minui", "arith.maxui")

_UNSIGNED_CASTS = ("arith.extui", "arith.index_castui")


def integer_parts(view: LLVMView, value: SSAValue, bits: int) -> tuple[SSAValue, ...]:
    """Return the chunks of a vector of integers, or a scalar of `bits` bits."""
    if vector_length(value.type) is None:
        if is_nibble(value.type):
            view.refuse(f"on {value.type} has no lowering to LLVM IR; widen the vector before")
        return (view.integer(value, bits),)
    return view.parts(value)


def integer_rows(
    view: LLVMView, op: Operation, bits: int, *, unsigned: bool | None = None
) -> Iterator[tuple[SSAValue, ...]]:
    """Yield the chunks of the operands together, with scalars of `bits` bits.

    If `unsigned` is given, 4-bit integers become whole numbers, since their upper bits are arbitrary.
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
    """Return chunks of 4-bit integers as the same numbers in 8 bits; others stay unchanged."""
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
    """Return chunks of i1 as numbers of 8 bits, signed or unsigned; others stay unchanged."""
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
    """Bind the result to ops on each row of chunks; i1 is computed in 8 bits."""
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
    """Return the bits of the widest of integers at L."""
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
    # An index has 64 bits, of which fewer are used if their sign determines the others.
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
    """Return a chunk converted to a type whose elements may differ in their bits."""
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
    """Return a constant element as L represents it: a float without a type at L as its bits."""
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
    **dict.fromkeys(_MAKERS, _shift),
    **dict.fromkeys(_BINARY, _binary),
    **dict.fromkeys(_COUNTS, _count),
    **dict.fromkeys(("arith.mulsi_extended", "arith.mului_extended"), _multiply_extended),
    "arith.addui_extended": _add_extended,
    "vector.constant_mask": of_rank_one(_constant_mask),
    "vector.create_mask": of_rank_one(_create_mask),
    "vector.step": of_rank_one(_step),
}

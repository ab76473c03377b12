"""The arith dialect: one rounding per float op, integers modulo two to the power of their bits."""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

import numpy as np
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
)
from xdsl.ir import Operation

from xetile.errors import fail
from xetile.interpreter.machine.elements import (
    EXACT_INTEGERS,
    NATIVE_FLOATS,
    Element,
    round_tf32,
    round_to,
    signed,
    unsigned,
    wrap,
)
from xetile.interpreter.machine.frame import (
    Frame,
    Handler,
    attribute,
    element,
    integer,
    shape_of,
)
from xetile.interpreter.machine.values import Array, Value, merge

Binary = Callable[[Array, Array], Array]

SPARE_BITS = 11
"""Bits of a 64-bit integer that f64 does not hold beside the others."""


def constant(frame: Frame, op: Operation) -> Sequence[Value]:
    """A number for all threads; a splat is stored once."""
    return [frame.machine.keep(op, lambda: _constant(op))]


def _constant(op: Operation) -> Array:
    value = attribute(op, "value")
    of, shape = element(op.results[0]), shape_of(op.results[0])
    if isinstance(value, IntegerAttr | FloatAttr):
        number = cast("IntegerAttr | FloatAttr", value).value.data
        return _numbers([number], of)
    if not isinstance(value, DenseIntOrFPElementsAttr):
        fail(op, f"cannot execute a constant that is {value}")
    dense = cast("DenseIntOrFPElementsAttr", value)
    return np.broadcast_to(dense_values(dense, of), (1, *shape))


def dense_values(dense: DenseIntOrFPElementsAttr, of: Element) -> Array:
    """The elements of a dense attribute in its shape; a splat is a single one."""
    if dense.is_splat():
        return _numbers([next(iter(dense.iter_values()))], of)
    return _numbers(list(dense.iter_values()), of).reshape(dense.get_shape())


def _numbers(values: Sequence[object], of: Element) -> Array:
    if of.is_float:
        return round_to(np.array(values, np.float64), of)
    within = (1 << 64) - 1
    bits = np.array([cast(int, value) & within for value in values], np.uint64)
    return wrap(bits.view(np.int64), of)


def _quotient(x: Array, y: Array) -> Array:
    return (x - np.fmod(x, y)) // y


def _ceiling(x: Array, y: Array) -> Array:
    quotient = x // y
    return quotient + (quotient * y != x).astype(quotient.dtype)


SIGNED: Mapping[str, Binary] = {
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.minsi": np.minimum,
    "arith.maxsi": np.maximum,
    "arith.divsi": _quotient,
    "arith.floordivsi": np.floor_divide,
    "arith.ceildivsi": _ceiling,
    "arith.remsi": np.fmod,
}
"""Ops on integers that are read as signed (or for which that is all the same)."""

UNSIGNED: Mapping[str, Binary] = {
    "arith.minui": np.minimum,
    "arith.maxui": np.maximum,
    "arith.divui": np.floor_divide,
    "arith.ceildivui": _ceiling,
    "arith.remui": np.remainder,
    "arith.shli": np.left_shift,
    "arith.shrui": np.right_shift,
}
"""Ops on integers that are read as unsigned."""

_DIVISIONS = ("div", "rem")


def integer_binary(function: Binary, read: Callable[[Array, Element], Array]) -> Handler:
    """What executes a function of two integers that `read` makes signed or unsigned."""

    def handler(frame: Frame, op: Operation) -> Sequence[Value]:
        x, y = (read(frame.array(value), element(value)) for value in op.operands)
        if any(word in op.name for word in _DIVISIONS):
            _refuse_undefined(op, x, y, element(op.operands[0]))
        return [wrap(function(x, y), element(op.results[0]))]

    return handler


def _refuse_undefined(op: Operation, x: Array, y: Array, of: Element) -> None:
    """Refuse a division by zero, and the one whose quotient is out of range."""
    if not y.all():
        fail(op, f"'{op.name}' divides by zero")
    smallest = -(1 << (of.bits - 1))
    if x.dtype == np.int64 and ((x == smallest) & (y == -1)).any():
        fail(op, overflow_message(op, of))


def overflow_message(op: Operation, of: Element) -> str:
    """What is wrong with the smallest number divided by -1."""
    return f"'{op.name}' divides {-(1 << (of.bits - 1))} by -1, which {of.name} does not hold"


def shift_right(frame: Frame, op: Operation) -> Sequence[Value]:
    """Bits moved down, copies of the sign behind them."""
    value, amount = op.operands
    x = signed(frame.array(value), element(value))
    y = np.minimum(unsigned(frame.array(amount), element(amount)), np.uint64(63))
    return [wrap(x >> y.astype(np.int64), element(op.results[0]))]


def _smaller(x: Array, y: Array) -> Array:
    """The smaller one; NaN if one is, and of zeros the negative one."""
    return np.where(x == y, np.where(np.signbit(x), x, y), np.minimum(x, y))


def _larger(x: Array, y: Array) -> Array:
    return np.where(x == y, np.where(np.signbit(x), y, x), np.maximum(x, y))


def _smaller_number(x: Array, y: Array) -> Array:
    """The smaller one, a number if one is; of zeros the negative one, which numpy leaves open."""
    return np.where(np.isnan(x), y, np.where(np.isnan(y), x, _smaller(x, y)))


def _larger_number(x: Array, y: Array) -> Array:
    return np.where(np.isnan(x), y, np.where(np.isnan(y), x, _larger(x, y)))


FLOATS: Mapping[str, Binary] = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.remf": np.fmod,
    "arith.minimumf": _smaller,
    "arith.maximumf": _larger,
    "arith.minnumf": _smaller_number,
    "arith.maxnumf": _larger_number,
}
"""Ops on floats. bf16, fp8 and f16 are computed in f32 and rounded, which is as good as rounding once."""


def float_binary(function: Binary, x: Array, y: Array, of: Element) -> Array:
    """A float op in the type of its operands."""
    result = function(x, y)
    return round_tf32(result) if of.name == "tf32" else result


def _float_binary(function: Binary) -> Handler:
    def handler(frame: Frame, op: Operation) -> Sequence[Value]:
        x, y = frame.arrays(op.operands)
        return [float_binary(function, x, y, element(op.results[0]))]

    return handler


def _negate(frame: Frame, op: Operation) -> Sequence[Value]:
    return [np.negative(frame.array(op.operands[0]))]


CMPI: Sequence[tuple[Binary, Callable[[Array, Element], Array]]] = (
    (np.equal, signed),
    (np.not_equal, signed),
    (np.less, signed),
    (np.less_equal, signed),
    (np.greater, signed),
    (np.greater_equal, signed),
    (np.less, unsigned),
    (np.less_equal, unsigned),
    (np.greater, unsigned),
    (np.greater_equal, unsigned),
)
"""The predicates of arith.cmpi by their number, in the order of index.cmp's."""

_CMPF: Sequence[tuple[bool, bool, bool, bool]] = (
    (False, False, False, False),
    (False, True, False, False),
    (True, False, False, False),
    (True, True, False, False),
    (False, False, True, False),
    (False, True, True, False),
    (True, False, True, False),
    (True, True, True, False),
    (False, True, False, True),
    (True, False, False, True),
    (True, True, False, True),
    (False, False, True, True),
    (False, True, True, True),
    (True, False, True, True),
    (False, False, False, True),
    (True, True, True, True),
)
"""The predicates of arith.cmpf by their number: whether greater, equal, less, unordered make it true."""


def _compare_integers(frame: Frame, op: Operation) -> Sequence[Value]:
    compare, read = CMPI[integer(op, "predicate")]
    x, y = (read(frame.array(value), element(value)) for value in op.operands)
    return [compare(x, y)]


def _compare_floats(frame: Frame, op: Operation) -> Sequence[Value]:
    x, y = frame.arrays(op.operands)
    greater, equal, less, unordered = _CMPF[integer(op, "predicate")]
    result = np.zeros(np.broadcast_shapes(x.shape, y.shape), np.bool)
    for wanted, found in ((greater, x > y), (equal, x == y), (less, x < y)):
        if wanted:
            result |= found
    if unordered:
        result |= np.isnan(x) | np.isnan(y)
    return [result]


def _select(frame: Frame, op: Operation) -> Sequence[Value]:
    condition = frame.array(op.operands[0])
    yes, no = frame.get(op.operands[1]), frame.get(op.operands[2])
    if isinstance(yes, np.ndarray) and isinstance(no, np.ndarray):
        condition = condition.reshape(*condition.shape, *[1] * (yes.ndim - condition.ndim))
        return [np.where(condition, yes, no)]
    if len(condition) == 1:
        return [yes if condition[0] else no]
    return [
        merge(
            [(slice(None), no), (np.flatnonzero(condition), _chosen(yes, condition))],
            len(condition),
        )
    ]


def _chosen(value: Value, condition: Array) -> Value:
    from xetile.interpreter.machine.values import take

    return take(value, np.flatnonzero(condition))


def extend_signed(frame: Frame, op: Operation) -> Sequence[Value]:
    """A signed integer in the width of the result."""
    (value,) = op.operands
    return [wrap(signed(frame.array(value), element(value)), element(op.results[0]))]


def extend_unsigned(frame: Frame, op: Operation) -> Sequence[Value]:
    """An unsigned integer in the width of the result."""
    (value,) = op.operands
    return [wrap(unsigned(frame.array(value), element(value)), element(op.results[0]))]


def _resize_float(frame: Frame, op: Operation) -> Sequence[Value]:
    if (mode := attribute(op, "roundingmode")) is not None and integer(op, "roundingmode", 0) != 0:
        fail(op, f"cannot execute '{op.name}' with rounding mode {mode}; only to nearest even")
    return [round_to(frame.array(op.operands[0]), element(op.results[0]))]


def _integer_to_float(read: Callable[[Array, Element], Array]) -> Handler:
    def handler(frame: Frame, op: Operation) -> Sequence[Value]:
        (value,) = op.operands
        numbers, to = read(frame.array(value), element(value)), element(op.results[0])
        if to.dtype in NATIVE_FLOATS and to.name != "tf32":
            return [numbers.astype(to.dtype)]
        return [round_to(_odd(numbers).astype(np.float64), to)]

    return handler


def _odd(numbers: Array) -> Array:
    """64-bit integers that f64 holds: the last bits of those with many, or-ed into the one above them."""
    spare = numbers.dtype.type((1 << SPARE_BITS) - 1)
    last = numbers.dtype.type(1 << SPARE_BITS)
    cut = (numbers & ~spare) | np.where(numbers & spare != 0, last, 0).astype(numbers.dtype)
    return np.where(_magnitude(numbers) < EXACT_INTEGERS, numbers, cut)


def _magnitude(numbers: Array) -> Array:
    return numbers if numbers.dtype == np.uint64 else np.abs(numbers.astype(np.float64))


def _float_to_integer(frame: Frame, op: Operation) -> Sequence[Value]:
    """Towards zero; what the type does not hold gives its nearest number, and NaN zero, as the hardware does."""
    values, to = frame.array(op.operands[0]), element(op.results[0])
    whole = np.nan_to_num(np.trunc(values.astype(np.float64)), posinf=np.inf, neginf=-np.inf)
    if op.name == "arith.fptoui":
        low, high = 0, (1 << to.bits) - 1
    else:
        low, high = -(1 << (to.bits - 1)), (1 << (to.bits - 1)) - 1
    held = np.uint64 if op.name == "arith.fptoui" else np.int64
    # The number above the largest is a power of two, which f64 holds, as the largest one may not.
    over, under = whole >= float(high + 1), whole <= float(low)
    inside = np.where(over | under, 0.0, whole).astype(held)
    numbers = np.where(over, held(high), np.where(under, held(low), inside))
    return [wrap(numbers.view(np.int64), to)]


def _bitcast(frame: Frame, op: Operation) -> Sequence[Value]:
    (value,) = op.operands
    return [reinterpret(frame.array(value), element(op.results[0]), op)]


def reinterpret(values: Array, to: Element, at: Operation) -> Array:
    """The same bits as elements of another type; the last dimension changes where the size does."""
    if values.dtype == to.dtype:
        return values
    if values.dtype == np.bool or to.dtype == np.bool or (to.bits % 8 and to.name != "tf32"):
        fail(at, f"cannot execute '{at.name}' to {to.name}")
    return np.ascontiguousarray(values).view(to.dtype)


def _add_extended(frame: Frame, op: Operation) -> Sequence[Value]:
    of = element(op.operands[0])
    x, y = (unsigned(frame.array(value), of) for value in op.operands)
    total = wrap((x + y).view(np.int64), of)
    return [total, unsigned(total, of) < x]


def _multiply_extended(read: Callable[[Array, Element], Array]) -> Handler:
    def handler(frame: Frame, op: Operation) -> Sequence[Value]:
        of = element(op.operands[0])
        x, y = (read(frame.array(value), of).astype(object) for value in op.operands)
        product, within = x * y, (1 << 64) - 1
        low, high = product & within, (product >> of.bits) & within
        return [wrap(np.asarray(part).astype(np.uint64).view(np.int64), of) for part in (low, high)]

    return handler


HANDLERS: Mapping[str, Handler] = {
    "arith.constant": constant,
    **{name: integer_binary(function, signed) for name, function in SIGNED.items()},
    **{name: integer_binary(function, unsigned) for name, function in UNSIGNED.items()},
    "arith.shrsi": shift_right,
    **{name: _float_binary(function) for name, function in FLOATS.items()},
    "arith.negf": _negate,
    "arith.cmpi": _compare_integers,
    "arith.cmpf": _compare_floats,
    "arith.select": _select,
    "arith.extsi": extend_signed,
    "arith.extui": extend_unsigned,
    "arith.trunci": extend_unsigned,
    "arith.index_cast": extend_signed,
    "arith.index_castui": extend_unsigned,
    "arith.extf": _resize_float,
    "arith.truncf": _resize_float,
    "arith.sitofp": _integer_to_float(signed),
    "arith.uitofp": _integer_to_float(unsigned),
    "arith.fptosi": _float_to_integer,
    "arith.fptoui": _float_to_integer,
    "arith.bitcast": _bitcast,
    "arith.addui_extended": _add_extended,
    "arith.mulsi_extended": _multiply_extended(signed),
    "arith.mului_extended": _multiply_extended(unsigned),
}

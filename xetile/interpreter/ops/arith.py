"""The arith dialect: one rounding per float op, integers modulo two to the power of their bits."""

from typing import cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr
from xdsl.ir import Operation

from xetile.errors import fail
from xetile.interpreter.common.scalars import (
    COMPARISONS,
    FLOATS,
    INTEGER_OPS,
    Binary,
    Read,
    compare_integers,
    dense_values,
    extended,
    float_binary,
    numbers,
    reinterpret,
)
from xetile.interpreter.machine.elements import (
    EXACT_INTEGERS,
    NATIVE_FLOATS,
    round_to,
    signed,
    unsigned,
    wrap,
)
from xetile.interpreter.machine.frame import Frame, Handler, Handlers
from xetile.interpreter.machine.reading import attribute, element, integer, shape_of
from xetile.interpreter.machine.values import Array, Values, merge, take

SPARE_BITS = 11
"""Bits of a 64-bit integer that f64 does not hold beside the others."""


def _constant(frame: Frame, op: Operation) -> Values:
    return [frame.machine.keep(op, lambda: _constant_values(op))]


def _constant_values(op: Operation) -> Array:
    value = attribute(op, "value")
    of, shape = element(op.results[0]), shape_of(op.results[0])
    if isinstance(value, IntegerAttr | FloatAttr):
        number = cast("IntegerAttr | FloatAttr", value).value.data
        return numbers([number], of)
    if not isinstance(value, DenseIntOrFPElementsAttr):
        fail(op, f"cannot execute a constant that is {value}")
    dense = cast("DenseIntOrFPElementsAttr", value)
    return np.broadcast_to(dense_values(dense, of), (1, *shape))


def _float_binary(function: Binary) -> Handler:
    def handler(frame: Frame, op: Operation) -> Values:
        x, y = frame.arrays(op.operands)
        return [float_binary(function, x, y, element(op.results[0]))]

    return handler


def _negate(frame: Frame, op: Operation) -> Values:
    return [np.negative(frame.first(op))]


_CMPF = (
    *("-", "e", "g", "ge", "l", "le", "gl", "gel"),
    *("eu", "gu", "geu", "lu", "leu", "glu", "u", "gelu"),
)
"""The predicates of arith.cmpf by their number: which of greater, equal, less, unordered make it true."""


def _compare_integers(frame: Frame, op: Operation) -> Values:
    return compare_integers(frame, op, list(COMPARISONS)[integer(op, "predicate")])


def _compare_floats(frame: Frame, op: Operation) -> Values:
    x, y = frame.arrays(op.operands)
    wanted = _CMPF[integer(op, "predicate")]
    result = np.zeros(np.broadcast_shapes(x.shape, y.shape), np.bool)
    for word, compare in (("g", np.greater), ("e", np.equal), ("l", np.less)):
        if word in wanted:
            result |= compare(x, y)
    return [result | np.isnan(x) | np.isnan(y)] if "u" in wanted else [result]


def _select(frame: Frame, op: Operation) -> Values:
    condition = frame.first(op)
    yes, no = frame.get(op.operands[1]), frame.get(op.operands[2])
    if isinstance(yes, np.ndarray) and isinstance(no, np.ndarray):
        condition = condition.reshape(*condition.shape, *[1] * (yes.ndim - condition.ndim))
        return [np.where(condition, yes, no)]
    if len(condition) == 1:
        return [yes if condition[0] else no]
    index = np.flatnonzero(condition)
    return [merge([(slice(None), no), (index, take(yes, index))], len(condition))]


def _resize_float(frame: Frame, op: Operation) -> Values:
    if (mode := attribute(op, "roundingmode")) is not None and integer(
        op, "roundingmode", 0
    ) != 0:
        fail(op, f"cannot execute '{op.name}' with rounding mode {mode}; only to nearest even")
    return [round_to(frame.first(op), element(op.results[0]))]


def _integer_to_float(read: Read) -> Handler:
    def handler(frame: Frame, op: Operation) -> Values:
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


def _float_to_integer(frame: Frame, op: Operation) -> Values:
    """Towards zero; what the type does not hold gives its nearest number, and NaN zero, as the hardware does."""
    values, to = frame.first(op), element(op.results[0])
    whole = np.nan_to_num(np.trunc(values.astype(np.float64)), posinf=np.inf, neginf=-np.inf)
    positive = op.name == "arith.fptoui"
    low, high = (
        (0, (1 << to.bits) - 1) if positive else (-(1 << to.bits - 1), (1 << to.bits - 1) - 1)
    )
    held = np.uint64 if positive else np.int64
    # The number above the largest is a power of two, which
    # f64 holds, as the largest one may not.
    over, under = whole >= float(high + 1), whole <= float(low)
    inside = np.where(over | under, 0.0, whole).astype(held)
    numbers = np.where(over, held(high), np.where(under, held(low), inside))
    return [wrap(numbers.view(np.int64), to)]


def _add_extended(frame: Frame, op: Operation) -> Values:
    of = element(op.operands[0])
    x, y = (unsigned(frame.array(value), of) for value in op.operands)
    total = wrap((x + y).view(np.int64), of)
    return [total, unsigned(total, of) < x]


def _multiply_extended(read: Read) -> Handler:
    def handler(frame: Frame, op: Operation) -> Values:
        of = element(op.operands[0])
        x, y = (read(frame.array(value), of).astype(object) for value in op.operands)
        product, within = x * y, (1 << 64) - 1
        low, high = product & within, (product >> of.bits) & within
        return [
            wrap(np.asarray(part).astype(np.uint64).view(np.int64), of) for part in (low, high)
        ]

    return handler


HANDLERS: Handlers = {
    "arith.constant": _constant,
    **{f"arith.{name}": handler for name, handler in INTEGER_OPS.items()},
    **{f"arith.{name}": _float_binary(function) for name, function in FLOATS.items()},
    "arith.negf": _negate,
    "arith.cmpi": _compare_integers,
    "arith.cmpf": _compare_floats,
    "arith.select": _select,
    "arith.extsi": extended(signed),
    "arith.extui": extended(unsigned),
    "arith.trunci": extended(unsigned),
    "arith.index_cast": extended(signed),
    "arith.index_castui": extended(unsigned),
    "arith.extf": _resize_float,
    "arith.truncf": _resize_float,
    "arith.sitofp": _integer_to_float(signed),
    "arith.uitofp": _integer_to_float(unsigned),
    "arith.fptosi": _float_to_integer,
    "arith.fptoui": _float_to_integer,
    "arith.bitcast": reinterpret,
    "arith.addui_extended": _add_extended,
    "arith.mulsi_extended": _multiply_extended(signed),
    "arith.mului_extended": _multiply_extended(unsigned),
}

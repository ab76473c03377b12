"""The arith dialect: integers modulo two to the power of their bits, floats as in the domain.

The index dialect: the integer ops of arith on 64 bits.
"""

from typing import cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr
from xdsl.ir import Operation

from xetile.dialects.upstream.index import PredicateAttr
from xetile.errors import fail
from xetile.interpreter.common.ieee import FLOATS
from xetile.interpreter.common.scalars import (
    COMPARISONS,
    INTEGER_OPS,
    Read,
    compare_integers,
    dense_values,
    extended,
    reinterpret,
)
from xetile.interpreter.common.threads import always
from xetile.interpreter.machine.domain import Domain
from xetile.interpreter.machine.elements import signed, unsigned, wrap
from xetile.interpreter.machine.execution import Frame, Handler, Handlers
from xetile.interpreter.machine.reading import attribute, element, integer, shape_of
from xetile.interpreter.machine.runtime_values import (
    Array,
    Values,
    alike,
    merge,
    take,
    uniform,
)
from xetile.targets.target import INDEX_BITS


def _constant(frame: Frame, op: Operation) -> Values:
    return [frame.machine.keep(op, lambda: _constant_values(op, frame.domain))]


def _constant_values(op: Operation, domain: Domain) -> Array:
    value = attribute(op, "value")
    of, shape = element(op.results[0]), shape_of(op.results[0])
    if isinstance(value, IntegerAttr | FloatAttr):
        number = cast("IntegerAttr | FloatAttr", value).value.data
        return domain.numbers([number], of)
    if not isinstance(value, DenseIntOrFPElementsAttr):
        fail(op, f"cannot execute a constant that is {value}")
    dense = cast("DenseIntOrFPElementsAttr", value)
    return np.broadcast_to(dense_values(dense, of, domain), (1, *shape))


def _float_binary(name: str) -> Handler:
    def handler(frame: Frame, op: Operation) -> Values:
        x, y = frame.arrays(op.operands)
        result = frame.domain.binary(name, x, y, element(op.results[0]))
        assert result is not None
        return [result]

    return handler


def _negate(frame: Frame, op: Operation) -> Values:
    return [frame.domain.negated(frame.first(op))]


_CMPF = (
    *("-", "e", "g", "ge", "l", "le", "gl", "gel"),
    *("eu", "gu", "geu", "lu", "leu", "glu", "u", "gelu"),
)
"""The predicates of arith.cmpf by number: which of greater, equal, less, unordered make it true."""


def _compare_integers(frame: Frame, op: Operation) -> Values:
    return compare_integers(frame, op, list(COMPARISONS)[integer(op, "predicate")])


def _compare_floats(frame: Frame, op: Operation) -> Values:
    x, y = frame.arrays(op.operands)
    return [frame.domain.compared(x, y, _CMPF[integer(op, "predicate")])]


def _select(frame: Frame, op: Operation) -> Values:
    condition = frame.first(op)
    yes, no = frame.get(op.operands[1]), frame.get(op.operands[2])
    if isinstance(yes, np.ndarray) and isinstance(no, np.ndarray):
        condition = condition.reshape(*condition.shape, *[1] * (yes.ndim - condition.ndim))
        return [np.where(condition, *alike([yes, no]))]
    if len(condition) == 1:
        return [yes if condition[0] else no]
    index = np.flatnonzero(condition)
    return [merge([(slice(None), no), (index, take(yes, index))], len(condition))]


def _resize_float(frame: Frame, op: Operation) -> Values:
    if (mode := attribute(op, "roundingmode")) is not None and integer(
        op, "roundingmode", 0
    ) != 0:
        fail(op, f"cannot execute '{op.name}' with rounding mode {mode}; only to nearest even")
    return [frame.domain.resized(frame.first(op), element(op.results[0]))]


def _integer_to_float(read: Read) -> Handler:
    def handler(frame: Frame, op: Operation) -> Values:
        (value,) = op.operands
        numbers = read(frame.array(value), element(value))
        return [frame.domain.from_integers(numbers, element(op.results[0]))]

    return handler


def _float_to_integer(frame: Frame, op: Operation) -> Values:
    unsigned = op.name == "arith.fptoui"
    return [
        frame.domain.to_integers(frame.first(op), element(op.results[0]), unsigned=unsigned)
    ]


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


def _index_constant(frame: Frame, op: Operation) -> Values:
    value = attribute(op, "value")
    if not isinstance(value, IntegerAttr):
        fail(op, "'value' is missing")
    return [uniform(value.value.data).astype(element(op.results[0]).dtype)]


def _compare(frame: Frame, op: Operation) -> Values:
    predicate = attribute(op, "pred")
    if not isinstance(predicate, PredicateAttr):
        fail(op, "'pred' is missing")
    return compare_integers(frame, op, predicate.data.value)


HANDLERS: Handlers = {
    "arith.constant": _constant,
    **{f"arith.{name}": handler for name, handler in INTEGER_OPS.items()},
    **{f"arith.{name}": _float_binary(name) for name in FLOATS},
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
    **{f"index.{name.removesuffix('i')}": handler for name, handler in INTEGER_OPS.items()},
    "index.casts": extended(signed),
    "index.castu": extended(unsigned),
    "index.cmp": _compare,
    "index.constant": _index_constant,
    "index.bool.constant": _index_constant,
    "index.sizeof": always(INDEX_BITS),
}

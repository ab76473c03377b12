"""Elementwise ops: integers modulo two to the power of their bits, floats as in the domain."""

from collections.abc import Callable, Mapping
from typing import NoReturn

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Operation

from xetile.errors import fail
from xetile.interpreter.machine.domain import Domain
from xetile.interpreter.machine.elements import Element, signed, unsigned, wrap
from xetile.interpreter.machine.execution import Frame, Handler, Handlers
from xetile.interpreter.machine.reading import element, integers
from xetile.interpreter.machine.runtime_values import Array, Values

Binary = Callable[[Array, Array], Array]
Read = Callable[[Array, Element], Array]
"""Reads integers as signed or unsigned."""


def dense_values(dense: DenseIntOrFPElementsAttr, of: Element, domain: Domain) -> Array:
    """Return the elements of a dense attribute in its shape; a splat is a single one."""
    if dense.is_splat():
        return domain.numbers([next(iter(dense.iter_values()))], of)
    return domain.numbers(list(dense.iter_values()), of).reshape(dense.get_shape())


def _quotient(x: Array, y: Array) -> Array:
    return (x - np.fmod(x, y)) // y


def _ceiling(x: Array, y: Array) -> Array:
    quotient = x // y
    return quotient + (quotient * y != x).astype(quotient.dtype)


SIGNED: Mapping[str, Binary] = {
    "addi": np.add,
    "subi": np.subtract,
    "muli": np.multiply,
    "andi": np.bitwise_and,
    "ori": np.bitwise_or,
    "xori": np.bitwise_xor,
    "minsi": np.minimum,
    "maxsi": np.maximum,
    "divsi": _quotient,
    "floordivsi": np.floor_divide,
    "ceildivsi": _ceiling,
    "remsi": np.fmod,
}
"""Functions of integers read as signed (or for which signedness does not matter), by arith's names."""

UNSIGNED: Mapping[str, Binary] = {
    "minui": np.minimum,
    "maxui": np.maximum,
    "divui": np.floor_divide,
    "ceildivui": _ceiling,
    "remui": np.remainder,
    "shli": np.left_shift,
    "shrui": np.right_shift,
}
"""Functions of integers that are read as unsigned."""


def _integer_op(function: Binary, read: Read) -> Handler:
    def handler(frame: Frame, op: Operation) -> Values:
        x, y = (read(frame.array(value), element(value)) for value in op.operands)
        if "div" in op.name or ".rem" in op.name:
            _refuse_undefined(op, x, y, element(op.operands[0]))
        return [wrap(function(x, y), element(op.results[0]))]

    return handler


def _shift_right_op(frame: Frame, op: Operation) -> Values:
    value, amount = op.operands
    x = signed(frame.array(value), element(value))
    y = np.minimum(unsigned(frame.array(amount), element(amount)), np.uint64(63))
    return [wrap(x >> y.astype(np.int64), element(op.results[0]))]


INTEGER_OPS: Handlers = {
    **{name: _integer_op(function, signed) for name, function in SIGNED.items()},
    **{name: _integer_op(function, unsigned) for name, function in UNSIGNED.items()},
    "shrsi": _shift_right_op,
}
"""Handlers of ops on two integers, by arith's names."""


def _refuse_undefined(op: Operation, x: Array, y: Array, of: Element) -> None:
    if not y.all():
        refuse_zero(op)
    if x.dtype == np.int64 and ((x == -(1 << of.bits - 1)) & (y == -1)).any():
        refuse_overflow(op, of)


def refuse_zero(op: Operation) -> NoReturn:
    """Raise for a division by zero."""
    fail(op, f"'{op.name}' divides by zero")


def refuse_overflow(op: Operation, of: Element) -> NoReturn:
    """Raise for a division of the smallest number by -1."""
    fail(op, f"'{op.name}' divides {-(1 << of.bits - 1)} by -1, which {of.name} does not hold")


COMPARISONS: Mapping[str, tuple[Binary, Read]] = {
    "eq": (np.equal, signed),
    "ne": (np.not_equal, signed),
    "slt": (np.less, signed),
    "sle": (np.less_equal, signed),
    "sgt": (np.greater, signed),
    "sge": (np.greater_equal, signed),
    "ult": (np.less, unsigned),
    "ule": (np.less_equal, unsigned),
    "ugt": (np.greater, unsigned),
    "uge": (np.greater_equal, unsigned),
}
"""The predicates of comparisons of integers, in the order of arith.cmpi's numbers."""


def compare_integers(frame: Frame, op: Operation, predicate: str) -> Values:
    """Compare two integers."""
    compare, read = COMPARISONS[predicate]
    x, y = (read(frame.array(value), element(value)) for value in op.operands)
    return [compare(x, y)]


def extended(read: Read) -> Handler:
    """Return a handler that extends or truncates an integer, read as signed or unsigned, to the result's width."""

    def handler(frame: Frame, op: Operation) -> Values:
        (value,) = op.operands
        return [wrap(read(frame.array(value), element(value)), element(op.results[0]))]

    return handler


def reinterpret(frame: Frame, op: Operation) -> Values:
    """Reinterpret the bits as elements of another type; if the size changes, so does the last dimension."""
    before, to = element(op.operands[0]), element(op.results[0])
    return [frame.domain.reinterpreted(op, frame.first(op), before, to)]


def fused(frame: Frame, op: Operation) -> Values:
    """Return a * b + c with one rounding."""
    x, y, z = frame.arrays(op.operands)
    return [frame.domain.fused(op, x, y, z, element(op.results[0]))]


def transposed(frame: Frame, op: Operation) -> Values:
    """Permute dimensions by 'permutation'."""
    permutation = integers(op, "permutation")
    return [frame.first(op).transpose(0, *(d + 1 for d in permutation))]


def nothing(frame: Frame, op: Operation) -> Values:
    """Do nothing: in lockstep, the following ops see every access."""
    return []


def unchanged(frame: Frame, op: Operation) -> Values:
    """Return the operands' values unchanged."""
    return [frame.get(value) for value in op.operands]

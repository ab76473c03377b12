"""The index dialect: the integer ops of arith on 64 bits."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from xetile.dialects.upstream.index import Predicate, PredicateAttr
from xetile.errors import fail
from xetile.interpreter.machine.elements import signed, unsigned
from xetile.interpreter.machine.frame import Frame, Handler, attribute, element
from xetile.interpreter.machine.values import Value, uniform
from xetile.interpreter.ops.arith import (
    CMPI,
    SIGNED,
    UNSIGNED,
    extend_signed,
    extend_unsigned,
    integer_binary,
    shift_right,
)

INDEX_BITS = 64

_SIGNED = {
    "add": "addi",
    "sub": "subi",
    "mul": "muli",
    "and": "andi",
    "or": "ori",
    "xor": "xori",
    "mins": "minsi",
    "maxs": "maxsi",
    "divs": "divsi",
    "floordivs": "floordivsi",
    "ceildivs": "ceildivsi",
    "rems": "remsi",
}

_UNSIGNED = {
    "minu": "minui",
    "maxu": "maxui",
    "divu": "divui",
    "ceildivu": "ceildivui",
    "remu": "remui",
    "shl": "shli",
    "shru": "shrui",
}


def _constant(frame: Frame, op: Operation) -> Sequence[Value]:
    value = attribute(op, "value")
    if not isinstance(value, IntegerAttr):
        fail(op, "'value' is missing")
    return [uniform(value.value.data).astype(element(op.results[0]).dtype)]


def _size(frame: Frame, op: Operation) -> Sequence[Value]:
    return [uniform(INDEX_BITS)]


def _compare(frame: Frame, op: Operation) -> Sequence[Value]:
    predicate = attribute(op, "pred")
    if not isinstance(predicate, PredicateAttr):
        fail(op, "'pred' is missing")
    compare, read = CMPI[list(Predicate).index(predicate.data)]
    x, y = (read(frame.array(value), element(value)) for value in op.operands)
    return [compare(x, y)]


HANDLERS: Mapping[str, Handler] = {
    **{f"index.{n}": integer_binary(SIGNED[f"arith.{a}"], signed) for n, a in _SIGNED.items()},
    **{
        f"index.{n}": integer_binary(UNSIGNED[f"arith.{a}"], unsigned) for n, a in _UNSIGNED.items()
    },
    "index.shrs": shift_right,
    "index.casts": extend_signed,
    "index.castu": extend_unsigned,
    "index.cmp": _compare,
    "index.constant": _constant,
    "index.bool.constant": _constant,
    "index.sizeof": _size,
}

"""The index dialect: the integer ops of arith on 64 bits."""

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from xetile.dialects.upstream.index import PredicateAttr
from xetile.errors import fail
from xetile.interpreter.common.scalars import INTEGER_OPS, compare_integers, extended
from xetile.interpreter.common.threads import always
from xetile.interpreter.machine.elements import signed, unsigned
from xetile.interpreter.machine.frame import Frame, Handlers
from xetile.interpreter.machine.reading import attribute, element
from xetile.interpreter.machine.values import Values, uniform
from xetile.targets.target import INDEX_BITS


def _constant(frame: Frame, op: Operation) -> Values:
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
    **{f"index.{name.removesuffix('i')}": handler for name, handler in INTEGER_OPS.items()},
    "index.casts": extended(signed),
    "index.castu": extended(unsigned),
    "index.cmp": _compare,
    "index.constant": _constant,
    "index.bool.constant": _constant,
    "index.sizeof": always(INDEX_BITS),
}

"""The gpu dialect on the host: memory of the device and waiting.

Ops with tokens are executed in program order, which the tokens allow.
"""

from xdsl.ir import Operation

from xetile.interpreter.common.scalars import nothing
from xetile.interpreter.host.allocations import (
    DEVICE_ONLY,
    allocate,
    array_of,
    check_writable,
    copy,
    give_back,
)
from xetile.interpreter.machine.execution import Frame, Handler, Handlers
from xetile.interpreter.machine.reading import attribute, segments
from xetile.interpreter.machine.runtime_values import Values, uniform

TOKEN = uniform(0)


def with_token(execute: Handler) -> Handler:
    """Wrap a handler to add the op's token; tokens that it takes are its first operands."""

    def handler(frame: Frame, op: Operation) -> Values:
        values = execute(frame, op)
        return [*values, *[TOKEN] * (len(op.results) - len(values))]

    return handler


def _alloc(frame: Frame, op: Operation) -> Values:
    shared = attribute(op, "hostShared") is not None
    owner = "the memory" if shared else DEVICE_ONLY
    return [allocate(frame, op, op.results[0], segments(op)[1:], owner)]


def _memcpy(frame: Frame, op: Operation) -> Values:
    target, source = (array_of(frame, op, value) for value in op.operands[-2:])
    copy(frame, op, source, target)
    return []


def _memset(frame: Frame, op: Operation) -> Values:
    memref, value = op.operands[-2:]
    target = array_of(frame, op, memref)
    check_writable(op, target)
    target[...] = frame.array(value)[0]
    return []


HANDLERS: Handlers = {
    "gpu.wait": with_token(nothing),
    "gpu.alloc": with_token(_alloc),
    "gpu.dealloc": with_token(give_back),
    "gpu.memcpy": with_token(_memcpy),
    "gpu.memset": with_token(_memset),
    "gpu.host_register": with_token(nothing),
    "gpu.host_unregister": with_token(nothing),
    "gpu.set_default_device": with_token(nothing),
}

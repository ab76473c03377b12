"""Dependence on some ops of a kernel: values computed from their results, and regions that they decide.

A value written to a lane's private memory makes all of that buffer dependent, before the write as well as after it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from xetile.analysis.same_value import carried
from xetile.dialects.xetile.xetile_attributes import SHARED, memory_space_of
from xetile.hints import isa

Origins = dict[SSAValue, Operation]
"""Values, each with the op that it depends on."""

_TELLING = (
    "gpu.subgroup_id",
    "gpu.thread_id",
    "gpu.global_id",
    "gpu.lane_id",
    "memref.atomic_rmw",
    "xetile.atomic_rmw_tile",
    "func.call",
)
"""Ops that give each subgroup of a workgroup a result of its own, or may."""

_DECIDED_BY_FIRST = ("scf.if", "scf.index_switch")
_READING = ("memref.load", "vector.load", "memref.dim", "memref.dealloc")


def following(
    function: Operation,
    starts: Callable[[Operation], bool],
    ends: Collection[str] = (),
) -> Origins:
    """Return the values that depend on results of the ops that `starts` picks; ops named in `ends` end it."""
    found: Origins = {}
    ops = list(function.walk())
    for op in ops:
        if starts(op):
            _give(op.results, op, found)
    before = 0
    while before < len(found):
        before = len(found)
        for op in ops:
            if op.name not in ends:
                _step(op, found)
                _write(op, found)
    return found


def told_apart(function: Operation) -> Origins:
    """Return the values that may differ between subgroups of a workgroup."""
    return following(function, lambda op: op.name in _TELLING)


def origin_of(op: Operation, origins: Mapping[SSAValue, Operation]) -> Operation | None:
    """Return the op that the operands of `op` depend on, or None."""
    return _first(op.operands, origins)


def decided_by(op: Operation, origins: Mapping[SSAValue, Operation]) -> Operation | None:
    """Return the op that decides whether, or how often, `op` is executed, or None."""
    parent = op.parent_op()
    while parent is not None:
        if (origin := _first(_deciding(parent), origins)) is not None:
            return origin
        parent = parent.parent_op()
    return None


def _step(op: Operation, found: Origins) -> None:
    if not op.regions:
        _give(op.results, _first(op.operands, found), found)
        return
    for source, target, _ in carried(op):
        _give([target], found.get(source), found)
    origin = _first(_deciding(op), found)
    _give(op.results, origin, found)
    if op.name == "scf.for":
        _give(op.regions[0].blocks[0].args[:1], origin, found)


def _write(op: Operation, found: Origins) -> None:
    """Mark the private buffers that `op` may write if its operands, or whether it executes, depend on an origin."""
    if op.regions or any(isa(result.type, MemRefType) for result in op.results):
        return
    buffers = [buffer for value in op.operands if (buffer := _own_buffer(value)) is not None]
    if buffers and op.name not in _READING:
        _give(buffers, _first(op.operands, found) or decided_by(op, found), found)


def _own_buffer(memref: SSAValue) -> SSAValue | None:
    """Return the private buffer of a lane that a memref is a view of, or None."""
    if not isa(memref.type, MemRefType[Attribute]):
        return None
    op = memref.owner
    if isinstance(memref, BlockArgument):
        return memref if "private" in str(memref.type.memory_space) else None
    assert isinstance(op, Operation)
    if op.name in ("memref.alloc", "memref.alloca"):
        return None if memory_space_of(memref.type.memory_space) == SHARED else memref
    source = next((value for value in op.operands if isa(value.type, MemRefType)), None)
    return None if source is None or op.regions else _own_buffer(source)


def _deciding(op: Operation) -> Sequence[SSAValue]:
    """Return the values that decide how often, or which of, the regions of an op are executed."""
    if op.name in _DECIDED_BY_FIRST:
        return op.operands[:1]
    if op.name == "scf.for":
        return op.operands[:3]
    if op.name == "scf.while" and (last := op.regions[0].blocks[0].last_op) is not None:
        return last.operands[:1]
    return ()


def _first(
    values: Iterable[SSAValue], found: Mapping[SSAValue, Operation]
) -> Operation | None:
    return next((found[value] for value in values if value in found), None)


def _give(values: Iterable[SSAValue], origin: Operation | None, found: Origins) -> None:
    if origin is not None:
        for value in values:
            found.setdefault(value, origin)

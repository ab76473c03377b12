"""What follows from some ops of a kernel: values that are computed of theirs, and turns that they decide."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from xetile.analysis.same_value import carried

Origins = dict[SSAValue, Operation]
"""Values, each with the op that it follows from."""

_DECIDED_BY_FIRST = ("scf.if", "scf.index_switch")


def following(
    function: Operation,
    starts: Callable[[Operation], bool],
    ends: Collection[str] = (),
) -> Origins:
    """The values that follow from the results of the ops that `starts` picks; ops named in `ends` pass nothing on."""
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
    return found


def origin_of(op: Operation, origins: Mapping[SSAValue, Operation]) -> Operation | None:
    """The op that an op's operands follow from."""
    return _first(op.operands, origins)


def decided_by(op: Operation, origins: Mapping[SSAValue, Operation]) -> Operation | None:
    """The op from which it follows whether, or how often, an op is executed at all."""
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


def _deciding(op: Operation) -> Sequence[SSAValue]:
    """The values that say how often, or which of, the regions of an op are executed."""
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

"""Values that hold what another value of their level holds, or a part of it, as their ops say."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from xetile.analysis.constants import integers_of
from xetile.dialects.upstream.vector.support import vector_type
from xetile.dialects.xegpu import DpasOp
from xetile.dialects.xetile import TilePackOp, TileUnpackOp
from xetile.exploration.parts import Part, unit_steps

Known: TypeAlias = Callable[[SSAValue], Part | None]


def renamed(ops: Sequence[Operation], known: Known) -> Mapping[SSAValue, Part]:
    """The parts that results of ops have and `known` does not, in the order of the program."""
    found: dict[SSAValue, Part] = {}

    def part_of(value: SSAValue) -> Part | None:
        return found.get(value) or known(value)

    for op in ops:
        rename = _RENAMES.get(op.name)
        if rename is None or known(op.results[0]) is not None:
            continue
        source = part_of(op.operands[0])
        part = None if source is None else rename(op, source)
        if part is not None:
            found[op.results[0]] = part
    for op in reversed(ops):
        added = _added(op)
        if added is None or part_of(added) is not None:
            continue
        part = part_of(op.results[0])
        if part is not None:
            found[added] = part
    return found


def _added(op: Operation) -> SSAValue | None:
    """The sum of products that a product adds to, where it is another product's."""
    if not isinstance(op, DpasOp) or op.acc is None:
        return None
    return op.acc if isinstance(op.acc.owner, DpasOp) else None


def _packed(op: Operation, source: Part) -> Part | None:
    """All of a matrix in blocks."""
    if len(source.extents) != 2:
        return None
    rows, columns, height, width = vector_type(op.results[0]).get_shape()
    steps = ((height, 0), (0, width), (1, 0), (0, 1))
    return source._replace(extents=(rows, columns, height, width), steps=steps)


def _unpacked(op: Operation, source: Part) -> Part:
    extents = tuple(vector_type(op.results[0]).get_shape())
    return source._replace(extents=extents, steps=unit_steps(2))


def _extracted(op: Operation, source: Part) -> Part | None:
    """A vector out of one with more dimensions, at a place that is known."""
    place = integers_of(op, "static_position")
    if len(op.operands) > 1 or len(place) >= len(source.extents):
        return None
    kept = len(source.extents) - len(place)
    start = source.moved([*place, *[0] * kept])
    return source.block(start, source.extents[-kept:], source.steps[-kept:])


def _sliced(op: Operation, source: Part) -> Part | None:
    if set(integers_of(op, "strides")) != {1}:
        return None
    offsets = integers_of(op, "offsets")
    start = source.moved([*offsets, *[0] * (len(source.extents) - len(offsets))])
    return source.block(start, vector_type(op.results[0]).get_shape(), source.steps)


_RENAMES: Mapping[str, Callable[[Operation, Part], Part | None]] = {
    TilePackOp.name: _packed,
    TileUnpackOp.name: _unpacked,
    "vector.extract": _extracted,
    "vector.extract_strided_slice": _sliced,
}

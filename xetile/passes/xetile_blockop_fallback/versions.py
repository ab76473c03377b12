"""Two versions of what accesses matrices of which only running tells whether 2D block messages reach them.

Before:

    %t = xetile.init_tile %A[%m, %n], [%h, %w], [%p, 1] : memref<?x?xf16> -> ...
    scf.for ... { xetile.load_tile %t ... }

After:

    %even = (base, width, pitch and column as 2D block access needs them)
    scf.if %even {
      (the same)
    } else {
      (the same, with gathers)
    }

The test stands around all of the function's body from the first to the last such access: one for the whole kernel,
outside of its loops. What is computed of no tile stays in front of it. Where a barrier would stand in the branches,
nothing is tested on which subgroups may differ.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import is_side_effect_free

from xetile.analysis.lanes import differing_subgroups
from xetile.dialects.xetile import InitTileOp, TileType
from xetile.errors import remark
from xetile.passes.xetile_blockop_fallback.columns import column_parts
from xetile.passes.xetile_blockop_fallback.conditions import Conditions
from xetile.planning.fallbacks import Family, memory_of


@dataclass
class Versions:
    """The places where tiles are made that the second version reaches element by element."""

    gathered: set[Operation] = field(default_factory=set)


def with_versions(function: Operation, found: Sequence[Family]) -> Versions:
    """Make the versions of a function for the families of which only running tells."""
    if not found:
        return Versions()
    block = function.regions[0].blocks[0]
    inside = _range(block, found)
    inside = _hoisted(block, inside)
    testable: dict[InitTileOp, Sequence[SSAValue]] = {}
    gathered: set[Operation] = set()
    problems = _Problems(function, inside)
    for family in found:
        problem = problems.of(family)
        if problem is None:
            columns = problems.columns(family) or []
            testable.update(dict.fromkeys(family.beginnings, columns))
        else:
            remark(family.beginnings[0], f"gathers in place of 2D block messages: {problem}")
            gathered.update(family.beginnings)
    if testable:
        gathered |= _branched(block, inside, testable, gathered)
    return Versions(gathered)


class _Problems:
    """What stands against one test in front of some ops."""

    def __init__(self, function: Operation, inside: Sequence[Operation]) -> None:
        self._there = set(inside)
        waits = any(op.name == "gpu.barrier" for outer in inside for op in outer.walk())
        self._differing = differing_subgroups(function) if waits else {}

    def of(self, family: Family) -> str | None:
        """Why a family is not tested."""
        tested = [value for op in family.beginnings for value in _tested(op)]
        columns = self.columns(family)
        if columns is None:
            return (
                "the column offset of this tile is computed between accesses, so no test in front of them tells "
                "whether it is even; compute it at the start of the kernel"
            )
        tested += columns
        if not all(_is_before(value, self._there) for value in tested):
            return (
                "what this matrix is made of is computed between accesses, so no test in front of them tells "
                "whether its base, pitch and width are even; compute it at the start of the kernel"
            )
        if any(value in self._differing for value in tested):
            return (
                "subgroups may find other bases, pitches, widths and columns, and a barrier stands between the "
                "accesses, which all of them have to reach on one way"
            )
        return None

    def columns(self, family: Family) -> list[SSAValue] | None:
        """What the columns of a family's tiles are made of, known in front; None where a part is not."""
        return column_parts(family, lambda value: _is_before(value, self._there))


def _tested(op: InitTileOp) -> list[SSAValue]:
    """What the test of a tile's matrix is made of: all but the tile's row and column."""
    sizes, strides = memory_of(op)
    mixed = [*op.mixed_offsets[:-2], *sizes, *strides]
    return [op.source, *(value for value in mixed if not isinstance(value, int))]


def _outermost(block: Block, op: Operation) -> Operation:
    """The op of a function's body that an op is in."""
    while op.parent is not block:
        outer = op.parent_op()
        assert outer is not None
        op = outer
    return op


def _range(block: Block, found: Sequence[Family]) -> list[Operation]:
    """The ops of the body between the first and the last that have to do with some families' tiles.

    What only makes tiles in front of the first is moved there.
    """
    making = [op for family in found for op in (*family.beginnings, *family.moves)]
    users = [use.operation for op in making for use in op.results[0].uses]
    outer = {_outermost(block, op) for op in (*making, *users)}
    touched = outer - {op for op in making if op.parent is block}
    if not touched:
        touched = outer
    ops = list(block.ops)
    first = next(op for op in ops if op in touched)
    for op in ops[: ops.index(first)]:
        if op in outer:
            op.detach()
            block.insert_op_before(op, first)
    ops = list(block.ops)
    places = [place for place, op in enumerate(ops) if op in outer]
    start, last = places[0], places[-1]
    while (after := _last_use_of_tiles(block, ops[start : last + 1], ops)) > last:
        last = after
    return ops[start : last + 1]


def _last_use_of_tiles(block: Block, inside: Sequence[Operation], ops: list[Operation]) -> int:
    users = {
        _outermost(block, use.operation)
        for op in inside
        for result in op.results
        if isinstance(result.type, TileType)
        for use in result.uses
    }
    return max((ops.index(user) for user in users), default=-1)


def _hoisted(block: Block, inside: list[Operation]) -> list[Operation]:
    """Move in front what no tile and no effect is part of; what is left."""
    left: list[Operation] = []
    staying: set[Operation] = set()
    first = inside[0]
    for op in inside:
        tiles = any(isinstance(v.type, TileType) for v in (*op.results, *op.operands))
        free = not op.regions and (is_side_effect_free(op) or op.name == "memref.alloc")
        if free and not tiles and all(_is_before(v, staying) for v in op.operands):
            op.detach()
            block.insert_op_before(op, first)
            continue
        if not left and op is not first:
            first = op
        left.append(op)
        staying.add(op)
    return left


def _is_before(value: SSAValue, inside: set[Operation]) -> bool:
    """Whether a value is known in front of some ops, and not only in one of them or behind."""
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    while op is not None:
        if op in inside:
            return False
        op = op.parent_op()
    return True


def _branched(
    block: Block,
    inside: Sequence[Operation],
    tested: Mapping[InitTileOp, Sequence[SSAValue]],
    untested: set[Operation],
) -> set[Operation]:
    """Put the ops into the branches of a test, and return where the second branch makes tiles to gather.

    These are the `tested` tiles, each with what its columns are made of, and those of `untested`, which both
    branches gather.
    """
    there = set(inside)
    results = [
        result
        for op in inside
        for result in op.results
        if any(_outermost(block, use.operation) not in there for use in result.uses)
    ]
    conditions = Conditions(block, inside[0])
    test = conditions.all_hold(tested)
    gathered = {*tested, *untested}
    then, otherwise = Block(), Block()
    mapper: dict[SSAValue, SSAValue] = {}
    for op in inside:
        otherwise.add_op(op.clone(mapper))
    made = {
        copy
        for original, clone in zip(inside, otherwise.ops, strict=True)
        for op, copy in zip(original.walk(), clone.walk(), strict=True)
        if op in gathered
    }
    otherwise.add_op(scf.YieldOp(*(mapper[result] for result in results)))
    branch = scf.IfOp(test, [r.type for r in results], Region(then), Region(otherwise))
    branch.location = inside[0].location
    block.insert_op_before(branch, inside[0])
    for op in inside:
        op.detach()
        then.add_op(op)
    for old, new in zip(results, branch.results, strict=True):
        old.replace_uses_with_if(
            new, lambda use: _outermost(block, use.operation) is not branch
        )
        new.name_hint = old.name_hint
    then.add_op(scf.YieldOp(*results))
    return made

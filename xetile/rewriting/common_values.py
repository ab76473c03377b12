"""What was computed before is not computed again: one walk, each op looked up once.

As xDSL's cse, which compares hashes of attributes several times for each op, copies all it knows for each region, and
walks back from every load that it meets again.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass
from xdsl.transforms.common_subexpression_elimination import OperationInfo

from xetile.rewriting.effects import (
    is_needless,
    is_pure,
    is_unused,
    kind_of,
    may_write,
    only_reads,
)


@dataclass(frozen=True)
class ShareValues(ModulePass):
    """Take the results of an earlier op for those of an equal one: without effects, or a load with no write between."""

    name = "cse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        needless: list[Operation] = []
        for region in op.regions:
            _share_in_region(region, [], needless)
        for found in needless:
            found.detach()
            found.erase()


class _Known(NamedTuple):
    """An op that was met, and how many writes its block had before it."""

    op: Operation
    writes: int


_Scopes = list[dict[Hashable, _Known]]
"""What is known by block, from the outermost on."""


def _share_in_region(region: Region, scopes: _Scopes, needless: list[Operation]) -> None:
    if region.first_block is not None and region.first_block is region.last_block:
        _share_in_block(region.block, [*scopes, {}], needless)


def _share_in_block(block: Block, scopes: _Scopes, needless: list[Operation]) -> None:
    writes = 0
    for op in block.ops:
        inside = [] if kind_of(type(op)).is_isolated else scopes
        for region in op.regions:
            _share_in_region(region, inside, needless)
        if not kind_of(type(op)).is_terminator:
            _share(op, writes, scopes, needless)
        writes += may_write(op)


def _share(op: Operation, writes: int, scopes: _Scopes, needless: list[Operation]) -> None:
    """Let an equal op's results stand for those of `op`, before which its block has so many writes."""
    if is_unused(op) and is_needless(op):
        needless.append(op)
        return
    is_fixed = is_pure(op)
    if not (is_fixed or only_reads(op)) or any(len(r.blocks) > 1 for r in op.regions):
        return
    key = _key(op)
    known = next((scope[key] for scope in reversed(scopes) if key in scope), None)
    if known is None or not (is_fixed or _reads_the_same(known, op, writes)):
        scopes[-1][key] = _Known(op, writes)
        return
    for result, other in zip(op.results, known.op.results, strict=True):
        result.replace_all_uses_with(other)
    needless.append(op)


def _reads_the_same(known: _Known, op: Operation, writes: int) -> bool:
    return known.op.parent is op.parent and known.writes == writes


def _key(op: Operation) -> Hashable:
    """What equal ops have in common; those with regions are compared by xDSL, ops inside included."""
    if op.regions or isinstance(op, UnregisteredOp):
        return OperationInfo(op)
    properties, attributes = op.properties, op.attributes
    return (
        op.name,
        tuple(op.operands),
        op.result_types,
        frozenset(properties.items()) if properties else None,
        frozenset(attributes.items()) if attributes else None,
    )

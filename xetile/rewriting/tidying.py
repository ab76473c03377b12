"""Cleanup between two levels: canonical forms, common values, and loop invariants.

- `Canonicalize` applies folders and patterns of ops, as xDSL's pass does. That pass asks the traits of every op again
in
  each round, and finds dead code as its own pass of that name does.
- `ShareValues` computes nothing twice: one walk looks up each op once. xDSL's cse compares hashes of attributes several
  times for each op, copies all known ops for each region, and walks back from every repeated load.
- `HoistLoopInvariants` moves values that no round changes before the loop, for scf.while too.
"""

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnknownLoc, UnregisteredOp
from xdsl.folder import Folder
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.traits import is_speculatable
from xdsl.transforms.canonicalize import CanonicalizationRewritePattern
from xdsl.transforms.common_subexpression_elimination import OperationInfo
from xdsl.transforms.loop_invariant_code_motion import can_be_hoisted

from xetile.rewriting.dead_code import remove_dead_code
from xetile.rewriting.effects import (
    is_needless,
    is_pure,
    is_unused,
    kind_of,
    may_write,
    only_reads,
)
from xetile.rewriting.kept_positions import location_at, place


@dataclass(frozen=True)
class ShareValues(ModulePass):
    """Replace an op by an earlier equal one if it has no effects, or if it only reads and no write lies between."""

    name = "cse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        needless: list[Operation] = []
        for region in op.regions:
            _share_in_region(region, [], needless)
        for found in needless:
            found.detach()
            found.erase()


class _Known(NamedTuple):
    """An op of the walk, and the number of writes before it in its block."""

    op: Operation
    writes: int


_Scopes = list[dict[Hashable, _Known]]
"""The known values by block, outermost first."""


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
    """Replace the results of `op` by those of an equal op; `writes` counts the writes before `op` in its block."""
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
    """Return a key that equal ops share; xDSL compares ops that have regions, including the ops inside."""
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


_LOOPS = ("scf.for", "scf.while")


@dataclass(frozen=True)
class HoistLoopInvariants(ModulePass):
    """Move ops without side effects out of loops that change none of their operands, innermost loops first."""

    name = "licm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in [o for o in op.walk(region_first=True) if o.name in _LOOPS]:
            for region in loop.regions:
                _hoist(loop, region)


def _hoist(loop: Operation, region: Region) -> None:
    block = loop.parent_block()
    assert block is not None
    waiting = deque(op for inner in region.blocks for op in inner.ops)
    while waiting:
        op = waiting.popleft()
        if op.parent_region() is not region or not _may_move(op, region):
            continue
        op.detach()
        block.insert_op_before(op, loop)
        uses = [use for result in op.results for use in result.uses]
        waiting.extend(u.operation for u in uses if u.operation.parent_region() is region)


def _may_move(op: Operation, region: Region) -> bool:
    return is_pure(op) and is_speculatable(op) and bool(can_be_hoisted(op, region))


@dataclass(frozen=True)
class Canonicalize(ModulePass):
    """Fold ops and apply their patterns until nothing changes."""

    name = "canonicalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pattern = _Canonical(Folder(ctx))
        placing = PatternRewriterListener(operation_insertion_handler=[pattern.place_inserted])
        PatternRewriteWalker(
            pattern, post_walk_func=remove_dead_code, listener=placing
        ).rewrite_module(op)


class _Canonical(RewritePattern):
    """Erases an op, folds it, or applies its patterns."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._patterns = CanonicalizationRewritePattern()
        self._current: Operation | None = None

    def place_inserted(self, op: Operation) -> None:
        """Set the position of the current op on an op made from it."""
        if self._current is not None and isinstance(op.location, UnknownLoc):
            place(op, location_at(self._current))

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        self._current = op
        if is_unused(op) and is_needless(op):
            rewriter.erase(op)
            return
        kind = kind_of(type(op))
        if kind.folds and (folded := self._folder.try_fold(op)) is not None:
            results, made = folded
            rewriter.replace(op, new_ops=made, new_results=results)
        elif kind.is_canonicalized:
            self._patterns.match_and_rewrite(op, rewriter)

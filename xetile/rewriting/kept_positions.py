"""Rewriting that preserves source positions.

In xDSL 0.75, the ops that a pattern creates have no position, and an error that a pattern raises gets the text of the
whole module. Here created ops get the position of the matched op, and a `XetileError` is raised unchanged.
`test/unit/rewriting/test_kept_positions.py` fails when upstream does the same.
"""

from collections.abc import Callable, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import LocationAttr, UnknownLoc
from xdsl.ir import Block, BlockArgument, Operation, Region
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)

from xetile.errors import XetileError

_AfterWalk = Callable[[Region, PatternRewriterListener], bool]


def place(operation: Operation, location: LocationAttr) -> None:
    """Set the position `location` on `operation` and all ops inside it that have no position yet."""
    for inner in operation.walk():
        if isinstance(inner.location, UnknownLoc):
            inner.location = location
        for block in (block for region in inner.regions for block in region.blocks):
            _place_arguments(block.args, location)


def location_at(op: Operation) -> LocationAttr:
    """Return the position of an op with all its details, else that of the nearest enclosing op that has one."""
    outer: Operation | None = op
    while outer is not None:
        if not isinstance(outer.location, UnknownLoc):
            return outer.location
        outer = outer.parent_op()
    return op.location


def _place_arguments(arguments: Sequence[BlockArgument], location: LocationAttr) -> None:
    for argument in arguments:
        if isinstance(argument.location, UnknownLoc):
            argument.location = location


class _Refused(BaseException):
    """Carries a `XetileError` past the walker, which would add the text of the whole module to it."""

    def __init__(self, error: XetileError) -> None:
        super().__init__(str(error))
        self.error = error


class _Positioned(RewritePattern):
    """Runs a pattern, and gives created ops the position of the matched op."""

    def __init__(self, pattern: RewritePattern) -> None:
        self.pattern = pattern
        self.location: LocationAttr = UnknownLoc()

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        self.location = location_at(op)
        try:
            self.pattern.match_and_rewrite(op, rewriter)
        except XetileError as error:
            raise _Refused(error) from None

    def place_inserted(self, operation: Operation) -> None:
        place(operation, self.location)

    def place_block(self, block: Block) -> None:
        _place_arguments(block.args, self.location)


def walk(
    root: Operation,
    patterns: RewritePattern | Sequence[RewritePattern],
    *,
    recursive: bool,
    after_walk: _AfterWalk | None = None,
) -> bool:
    """Apply `patterns` to the ops in `root` and return True if anything changed.

    The first pattern that changes an op wins. If `recursive`, they run until nothing changes, also on ops that they
    create. Dead ops stay. Created ops get the position of the matched op.
    """
    if not isinstance(patterns, RewritePattern):
        patterns = GreedyRewritePatternApplier(list(patterns), dce_enabled=False)
    positioned = _Positioned(patterns)
    walker = PatternRewriteWalker(
        positioned,
        apply_recursively=recursive,
        post_walk_func=after_walk,
        listener=PatternRewriterListener(
            operation_insertion_handler=[positioned.place_inserted],
            block_creation_handler=[positioned.place_block],
        ),
    )
    try:
        changes = [walker.rewrite_region(region) for region in root.regions]
    except _Refused as refused:
        raise refused.error from None
    return any(changes)


def canonicalize(context: Context, root: Operation) -> bool:
    """Run xDSL's `canonicalize` on all ops in `root` and preserve positions."""
    from xdsl.transforms.canonicalize import CanonicalizationRewritePattern
    from xdsl.transforms.dead_code_elimination import region_dce

    pattern = GreedyRewritePatternApplier(
        [CanonicalizationRewritePattern()], ctx=context, folding_enabled=True
    )
    return walk(root, pattern, recursive=True, after_walk=region_dce)


def fill_positions(root: Operation) -> None:
    """Set the position of the nearest op on ops that passes of xDSL leave without one.

    The next op in the block is preferred (a rewrite inserts created ops before those that it replaces), then the
    previous op, then the enclosing op.
    """
    for region in root.regions:
        for block in region.blocks:
            _fill_block(block, root.location)


def _fill_block(block: Block, outer: LocationAttr) -> None:
    operations = list(block.ops)
    for sequence in (reversed(operations), operations):
        nearest: LocationAttr | None = None
        for operation in sequence:
            if not isinstance(operation.location, UnknownLoc):
                nearest = operation.location
            elif nearest is not None:
                operation.location = nearest
    for operation in operations:
        if isinstance(operation.location, UnknownLoc):
            operation.location = outer
        fill_positions(operation)

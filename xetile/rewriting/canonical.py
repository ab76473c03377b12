"""Canonical forms: folders and patterns of ops, as xDSL's pass of this name applies them.

That one asks the traits of every op anew in each round, and finds dead code as its own pass of that name does.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.folder import Folder
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.transforms.canonicalize import CanonicalizationRewritePattern

from xetile.rewriting.dead_code import remove_dead_code
from xetile.rewriting.effects import is_needless, is_unused, kind_of
from xetile.rewriting.positions import location_at, place


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
    """An op goes, is folded, or is what its patterns make of it."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._patterns = CanonicalizationRewritePattern()
        self._current: Operation | None = None

    def place_inserted(self, op: Operation) -> None:
        """Give what is made of an op its position."""
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

"""Regions with branches between blocks: each block runs for the threads that wait for it.

The first waiting block in the order of the region runs first, so that threads that diverged converge again.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from xetile.interpreter.machine.execution import Frame
from xetile.interpreter.machine.reading import attribute, cut, integers, number, segments
from xetile.interpreter.machine.runtime_values import Array, Value, Values, merge, take

Piece: TypeAlias = "tuple[Array, Values]"
"""Threads of the frame, by position, and their arguments for a block."""


def run_region(frame: Frame, region: Region, arguments: Values) -> Values:
    """Execute a region and return the operands of its terminator."""
    if len(region.blocks) == 1:
        return frame.run(region.block, arguments)
    waiting: dict[Block, list[Piece]] = {
        region.blocks[0]: [(np.arange(frame.count), arguments)]
    }
    finished: list[Piece] = []
    while waiting:
        block = next(block for block in region.blocks if block in waiting)
        index, values = _together(frame, waiting.pop(block))
        inner = frame.of(index)
        handed = inner.run(block, values)
        _keep(frame, inner, index, block)
        end = block.last_op
        if end is None or not end.successors:
            finished.append((index, handed))
            continue
        for chosen, target, given in _branches(inner, end):
            if len(chosen):
                brought = [take(inner.get(value), chosen) for value in given]
                waiting.setdefault(target, []).append((index[chosen], brought))
    return _together(frame, finished)[1]


def _together(frame: Frame, pieces: Sequence[Piece]) -> Piece:
    if len(pieces) == 1:
        return pieces[0]
    index = np.sort(np.concatenate([threads for threads, _ in pieces]))
    places = [np.searchsorted(index, threads) for threads, _ in pieces]
    columns = zip(*(values for _, values in pieces), strict=True)
    return index, [merge(list(zip(places, c, strict=True)), len(index)) for c in columns]


def _keep(frame: Frame, inner: Frame, index: Array, block: Block) -> None:
    """Keep the values of a block that other blocks use, for the threads that have them."""
    for value in (*block.args, *(result for op in block.ops for result in op.results)):
        if all(_block_around(use.operation, block) is block for use in value.uses):
            continue
        pieces: list[tuple[Array | slice, Value]] = [(index, inner.get(value))]
        if (before := frame.find(value)) is not None:
            pieces.insert(0, (slice(None), before))
        frame.bind(value, merge(pieces, frame.count))


def _block_around(op: Operation, block: Block) -> Block | None:
    found = op.parent
    while found is not None and found.parent is not block.parent:
        outer = found.parent_op()
        found = None if outer is None else outer.parent
    return found


def _branches(frame: Frame, end: Operation) -> list[tuple[Array, Block, Sequence[SSAValue]]]:
    """Return for each successor the threads that go there, by position, and the operands for its arguments."""
    everyone = np.arange(frame.count)
    if end.name == "cf.br":
        return [(everyone, end.successors[0], end.operands)]
    (selector,), *given = segments(end)
    found = np.broadcast_to(number(frame, selector), frame.count)
    if end.name == "cf.cond_br":
        ways = [found != 0, found == 0]
    else:
        ways, given = _cases(end, found, given)
    threads = (np.flatnonzero(way) for way in ways)
    return list(zip(threads, end.successors, given, strict=True))


def _cases(
    end: Operation, found: Array, given: Sequence[Sequence[SSAValue]]
) -> tuple[list[Array], list[Sequence[SSAValue]]]:
    default, rest = given
    operands = cut(rest, integers(end, "case_operand_segments"))
    values = attribute(end, "case_values")
    numbers = (
        list(values.iter_values()) if isinstance(values, DenseIntOrFPElementsAttr) else []
    )
    cases = [found == case for case in numbers]
    no_case = ~np.logical_or.reduce([*cases, np.zeros(found.shape, np.bool)])
    return [no_case, *cases], [default, *operands]

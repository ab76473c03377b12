"""The candidate layouts of each class: wishes of its uses and layouts of its sources, passed on by related ops."""

from collections import deque
from collections.abc import Iterator, Sequence

from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.layout.algebra.fitting import identity_standard_nd
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.planning.xe.register_layouts.classes import Graph, LayoutClass, Use, bits_of
from xetile.planning.xe.register_layouts.held import Held
from xetile.planning.xe.register_layouts.layout_rules import pulled, replicated

MOST_CANDIDATES = 16


def spread(graph: Graph) -> None:
    """Find the candidates of every class: propagate wishes backward, then the layouts that exist forward."""
    changed = deque[LayoutClass]()
    for made in graph.classes:
        if made.fixed is not None:
            made.candidates.append(made.fixed)
        elif made.messages:
            made.candidates += dict.fromkeys(message.held for message in made.messages)
    for made in reversed(graph.classes):
        for use in uses_of(made):
            if use.fixed is not None and _add(made, use.fixed):
                changed.append(made)
    _settle(changed, forward=False)
    for made in graph.classes:
        if made.access is not None:
            for held in made.access.favourites(graph.device.lanes):
                if _add(made, held):
                    changed.append(made)
    _settle(changed, forward=False)
    changed.extend(made for made in graph.classes if made.candidates)
    _settle(changed, forward=True)
    for made in graph.classes:
        if not made.candidates:
            made.candidates.append(
                Held(default_layout(vector_type(made.first).get_shape(), graph.device.lanes))
            )
            changed.append(made)
            _settle(changed, forward=True)


def uses_of(made: LayoutClass) -> Iterator[Use]:
    """Yield the uses of a class's vectors by other classes."""
    for moved in made.moved:
        yield from moved.uses


def default_layout(shape: Sequence[int], lanes: int) -> LinearLayout:
    """Return the default layout: columns in lanes, rows and further columns in registers.

    If there are fewer columns than lanes, lanes repeat them.
    """
    if not shape:
        return replicated(shape, lanes)
    last = len(shape) - 1
    in_lanes = min(lanes, shape[last])
    columns = LinearLayout.identity_1d(in_lanes, "lane", f"dim{last}")
    again = LinearLayout.zeros_1d(lanes // in_lanes, "lane", f"dim{last}")
    extents = [*shape[:last], shape[last] // in_lanes]
    registers = identity_standard_nd("register", extents, [*reversed(range(len(shape)))])
    layout = (columns * again * registers).transpose_ins(["register", "lane"])
    return layout.transpose_outs([f"dim{dimension}" for dimension in range(len(shape))])


def taken_as(use: Use, taker: Held | None) -> Held | None:
    """Return the layout that a use needs if its user's class is held as `taker`, or None for no conversion."""
    if use.fixed is not None:
        return use.fixed
    if use.reduces:
        return None
    if use.relation is None:
        return taker
    if taker is None:
        return None
    word = _scaled(taker.word, use, of_operand=True) if _relabels(use) else 1
    return Held(pulled(use.relation, taker.layout), word)


def given_by(use: Use, source: Held) -> Held | None:
    """Return the layout of a use's user for which nothing moves, or None if it has no class."""
    if use.taker is None:
        return None
    if use.relation is None:
        return source
    word = _scaled(source.word, use, of_operand=False) if _relabels(use) else 1
    return Held(pulled(use.relation.inverted(), source.layout), word)


def _given(use: Use, source: Held) -> Iterator[Held]:
    """Yield near layouts of a use's user; for a reduction also those with rows in the lanes that become free.

    In the second of these, neighboring lanes have rows that are far apart, or one row. Then block messages of eight
    rows move them through shared memory without bank conflicts.
    """
    given = given_by(use, source)
    if given is None:
        return
    yield given
    if not use.reduces:
        return
    lanes, registers = given.layout.in_columns["lane"], given.layout.in_columns["register"]
    taken = source.layout.in_columns["lane"]
    free = [
        place
        for place, (own, was) in enumerate(zip(lanes, taken, strict=True))
        if was and not own
    ]
    merged = dict(zip(reversed(free), reversed(registers), strict=False))
    if merged:
        columns = {
            "register": registers[: len(registers) - len(merged)],
            "lane": tuple(merged.get(place, own) for place, own in enumerate(lanes)),
        }
        yield Held(LinearLayout.of_columns(columns, given.layout.out_widths))
    nearest = registers[: len(free)]
    if len(nearest) > 1:
        turned = (*nearest[-1:], *nearest[:-1])
        merged = dict(zip(free, turned, strict=False))
        columns = {
            "register": registers[len(nearest) :],
            "lane": tuple(merged.get(place, own) for place, own in enumerate(lanes)),
        }
        yield Held(LinearLayout.of_columns(columns, given.layout.out_widths))


def _relabels(use: Use) -> bool:
    return use.taker is not None and use.taker.keeps_words and use.index == 0


def _scaled(word: int, use: Use, *, of_operand: bool) -> int:
    """Return the elements of a word on the other side of a bitcast."""
    if use.op.name != "vector.bitcast":
        return word
    operand, result = bits_of(use.op.operands[0]), bits_of(use.op.results[0])
    ours, theirs = (result, operand) if of_operand else (operand, result)
    return max(1, word * ours // theirs)


def _settle(changed: "deque[LayoutClass]", *, forward: bool) -> None:
    """Propagate new candidates to other classes until nothing is new."""
    done: dict[LayoutClass, int] = {}
    while changed:
        made = changed.popleft()
        start, done[made] = done.get(made, 0), len(made.candidates)
        fresh = made.candidates[start:]
        for held in fresh:
            for use in made.sources:
                wish = taken_as(use, held)
                if wish is not None and _add(use.moved.source, wish):
                    changed.append(use.moved.source)
            if not forward:
                continue
            for use in uses_of(made):
                for given in _given(use, held):
                    if use.taker is not None and _add(use.taker, given):
                        changed.append(use.taker)


def _add(made: LayoutClass, held: Held) -> bool:
    """Add a candidate and return True if it is new; a class that ops compute with gets words of one element."""
    if made.messages or made.fixed is not None:
        return False
    if not made.keeps_words:
        held = held._replace(word=1)
    if held in made.candidates or len(made.candidates) >= MOST_CANDIDATES:
        return False
    made.candidates.append(held)
    return True

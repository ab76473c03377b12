"""The choice of layouts: the cheapest of several starts, each improved class by class.

Two starts are greedy. If there are few classes, two more take every class's first and last candidate.

The price of a choice has two parts. Each vector costs its conversions to the layouts of its uses, each once, weighted
by the loops around its definition. Each class costs the registers with which its elementwise ops compute.
"""

from collections import deque
from collections.abc import Iterable, Sequence

from xetile.planning.rounds import weight
from xetile.planning.xe.register_layouts.candidates import taken_as
from xetile.planning.xe.register_layouts.classes import LayoutClass, Moved, Use
from xetile.planning.xe.register_layouts.conversion_prices import Conversions
from xetile.planning.xe.register_layouts.held import Held

Choice = dict[LayoutClass, Held]
"""The layout of each class."""

_MANY_CLASSES = 64
_MOST_VISITS = 8
_MOST_WORK = 1 << 14
"""Bounds on the work: visits of one class, and visited uses when several classes change together."""


def choose(classes: Sequence[LayoutClass], conversions: Conversions) -> Choice:
    """Choose the layouts of all classes. If prices are equal, prefer the nearest wish of the backward order."""
    if all(len(made.candidates) == 1 for made in classes):
        return {made: made.candidates[0] for made in classes}
    found: list[tuple[float, Choice]] = []
    least = sum(min(map(made.price, made.candidates)) for made in classes)
    backward = [*reversed(classes)]
    starts = [(backward, None), (classes, None)]
    if len(classes) <= _MANY_CLASSES:
        starts += [(backward, 0), (classes, -1)]
    for order, start in starts:
        state = State(conversions)
        for made in order:
            held = state.cheapest(made) if start is None else made.candidates[start]
            state.set(made, held)
        improve(state, order)
        deepen(state, classes)
        found.append((state.price, state.choice))
        if (
            state.price <= least
        ):  # plain products need no conversions, so no other start is priced
            break
    return min(found, key=lambda priced: priced[0])[1]


def improve(state: "State", order: Iterable[LayoutClass]) -> None:
    """Give classes cheaper layouts one by one until no single change is cheaper."""
    visits: dict[LayoutClass, int] = {}
    waiting = deque(made for made in order if len(made.candidates) > 1)
    queued = set(waiting)
    while waiting:
        made = waiting.popleft()
        queued.discard(made)
        visits[made] = visits.get(made, 0) + 1
        held = state.cheapest(made)
        if held == state.choice[made]:
            continue
        state.set(made, held)
        for other in _neighbours(made):
            if other in queued or len(other.candidates) == 1:
                continue
            if visits.get(other, 0) < _MOST_VISITS:
                waiting.append(other)
                queued.add(other)


def deepen(state: "State", classes: Sequence[LayoutClass]) -> None:
    """Try changes of several classes at once: one changes, and its neighbors follow, also if prices stay equal."""
    state.work, again = 0, True
    while again:
        again = False
        for made in classes:
            if len(made.candidates) == 1 or not state.converts(made):
                continue
            for held in made.candidates:
                if held == state.choice[made]:
                    continue
                if state.work > _MOST_WORK:
                    return
                again |= _follow(state, made, held)


def _follow(state: "State", start: LayoutClass, held: Held) -> bool:
    """Change a class, let its neighbors follow, and return True if that is cheaper; otherwise undo all changes."""
    price, before = state.price, state.remember()
    state.set(start, held)
    waiting, seen = deque(_neighbours(start)), {start}
    while waiting and state.work <= _MOST_WORK:
        made = waiting.popleft()
        if made in seen or len(made.candidates) == 1:
            continue
        seen.add(made)
        was = state.choice[made]
        state.set(made, state.cheapest(made, prefers_change=True))
        if state.choice[made] != was:
            waiting.extend(_neighbours(made))
    improve(state, seen)
    if state.price < price:
        return True
    for made, was in [*before.items()]:
        state.set(made, was)
    return False


def _neighbours(made: LayoutClass) -> Iterable[LayoutClass]:
    for use in made.sources:
        yield use.moved.source
    for moved in made.moved:
        for use in moved.uses:
            if use.taker is not None:
                yield use.taker


class State:
    """A choice for some classes, its price, and the layouts that uses need of each vector; `work` counts visits."""

    def __init__(self, conversions: Conversions) -> None:
        self.choice: Choice = {}
        self.price: float = 0
        self.work = 0
        self._conversions = conversions
        self._taken: dict[Moved, dict[Held, int]] = {}
        self._before: Choice = {}

    def remember(self) -> Choice:
        """Return a map that collects the layouts of classes before they change, until the next call."""
        self._before = {}
        return self._before

    def cheapest(self, made: LayoutClass, *, prefers_change: bool = False) -> Held:
        """Return the candidate with the lowest price if all else stays.

        Among equals, prefer the present one, then the first; if `prefers_change`, prefer one that changes the class.
        """
        if len(made.candidates) == 1:
            return made.candidates[0]
        present = self.choice.get(made)
        floors = [self.difference(made, held, exactly=False) for held in made.candidates]
        promising = made.candidates[floors.index(min(floors))]
        most = self.difference(made, promising)
        best, least = present or made.candidates[0], float("inf")
        for held, floor in zip(made.candidates, floors, strict=True):
            self.work += 0 if held == present else len(made.moved) + len(made.sources)
            if (
                floor > most
            ):  # most are far dearer than the best one: planning their conversions takes long
                continue
            price = self.difference(made, held)
            is_liked = held != present if prefers_change else held == present
            if price < least or (price == least and is_liked and best != held):
                best, least = held, price
        return best

    def converts(self, made: LayoutClass) -> bool:
        """Return True if a vector of a class, or one of another class for it, needs a conversion with a price."""
        held, convert = self.choice[made], self._conversions.price
        for moved in made.moved:
            if any(convert(held, target, moved.bits) for target in self._targets(moved)):
                return True
        for use in made.sources:
            target = taken_as(use, held)
            source = self.choice[use.moved.source]
            if target is not None and convert(source, target, use.moved.bits):
                return True
        return False

    def set(self, made: LayoutClass, held: Held) -> None:
        """Set the layout of a class."""
        before = self.choice.get(made)
        if before == held:
            return
        if before is not None:
            self._before.setdefault(made, before)
        self.work += len(made.moved) + len(made.sources)
        self.price += self.difference(made, held)
        for moved, changes in self._changes(made, held).items():
            counts = self._taken.setdefault(moved, {})
            for target, change in changes.items():
                counts[target] = counts.get(target, 0) + change
                if not counts[target]:
                    del counts[target]
        self.choice[made] = held

    def difference(self, made: LayoutClass, held: Held, *, exactly: bool = True) -> float:
        """Return the change of the price if a class is held as `held`, or a lower bound of it unless `exactly`."""
        before = self.choice.get(made)
        if before == held:
            return 0
        convert = self._conversions.price
        added = convert if exactly else self._conversions.floor
        price = made.price(held)
        if before is not None:
            price -= made.price(before)
        for moved in made.moved:
            for target in self._targets(moved):
                price += added(held, target, moved.bits) * moved.weight
                if before is not None:
                    price -= convert(before, target, moved.bits) * moved.weight
        for moved, changes in self._changes(made, held).items():
            source = self.choice.get(moved.source)
            if source is None:
                continue
            counts = self._taken.get(moved, {})
            for target, change in changes.items():
                count = counts.get(target, 0)
                if count + change and not count:
                    price += added(source, target, moved.bits) * moved.weight
                elif count and not count + change:
                    price -= convert(source, target, moved.bits) * moved.weight
        for use in made.reductions:
            price += self._reduction(use, made, held)
            if before is not None:
                price -= self._reduction(use, made, before)
        return price

    def _reduction(self, use: Use, made: LayoutClass, held: Held) -> float:
        """Return the cost of a reduction if a class of its operand or result is `held`, or 0 while one is undecided."""
        source = held if made is use.moved.source else self.choice.get(use.moved.source)
        wanted = held if made is use.taker else self.choice.get(use.taker or made)
        if source is None or wanted is None:
            return 0
        to = None if use.taker is None else wanted
        return self._conversions.reduction(use, source, to).price * weight(use.depth)

    def _targets(self, moved: Moved) -> Iterable[Held]:
        """Return the layouts that ops and the classes with a choice need of a vector."""
        counts = self._taken.get(moved)
        if counts is None:
            counts = self._taken[moved] = {}
            for use in moved.uses:
                if use.fixed is not None:
                    counts[use.fixed] = counts.get(use.fixed, 0) + 1
        return counts

    def _changes(self, made: LayoutClass, held: Held) -> dict[Moved, dict[Held, int]]:
        """Return how many more uses need each layout of other classes' vectors if a class is held as `held`."""
        before = self.choice.get(made)
        changes: dict[Moved, dict[Held, int]] = {}
        for use in made.sources:
            self._count(changes, use, held, 1)
            if before is not None:
                self._count(changes, use, before, -1)
        return changes

    def _count(
        self, changes: dict[Moved, dict[Held, int]], use: Use, taker: Held, change: int
    ) -> None:
        target = taken_as(use, taker)
        if target is None:
            return
        self._targets(use.moved)
        counts = changes.setdefault(use.moved, {})
        counts[target] = counts.get(target, 0) + change

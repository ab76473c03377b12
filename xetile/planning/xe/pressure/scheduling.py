"""The orders in which IGC executes a block whose values do not all fit.

Source: its assembly of products that do not fit as written (subgroup tiles of 24x64 and 32x64 of f16, K steps of 64).
All products of the first instruction's depth come first, then those of the second, each load right before them. All
other ops keep their order (attention of 16 rows). Without products, computations come right before their uses
(squares of a layer norm, which are summed as they are made).
"""

from collections.abc import Sequence

from xetile.planning.xe.pressure.liveness import Point


def scheduled(points: Sequence[Point], *, late: bool = False) -> list[int]:
    """Return the order of a block's points as places. No load passes a point with an effect that comes after it.

    If `late` is set, computations other than products, such as converted weights, also come right before their uses.
    """
    stays = not late and any(point.kind == "product" for point in points)
    return _Order(points, floating=("load",) if stays else ("load", "plain")).all()


def loads_first(points: Sequence[Point]) -> Sequence[int]:
    """Return the order of a block in which loads, with the values they read, come as early as effects allow.

    IGC does so as far as registers suffice. Without products, all points keep their places: other ops have read their
    operands before the next one begins, so that the next load can fill their registers without a wait.
    """
    if not any(point.kind == "product" for point in points):
        return range(len(points))
    order: list[int] = []
    start = 0
    for end, point in enumerate(points):
        if point.kind == "ordered":
            order += [*_loads_first(points, range(start, end)), end]
            start = end + 1
    return order + _loads_first(points, range(start, len(points)))


def _loads_first(points: Sequence[Point], places: range) -> list[int]:
    read, early = set[int](), set[int]()
    for at in reversed(places):
        point = points[at]
        if point.kind == "load" or not read.isdisjoint(point.made):
            early.add(at)
            read.update(point.read)
    return sorted(places, key=lambda at: at not in early)


def folded(points: Sequence[Point]) -> list[int]:
    """Return the order in which a computation of several values comes as soon as the last of them is made.

    IGC orders the trees of reductions so (`*_RegEst.ll` of a softmax whose rows are in registers: the maximum of two
    maxima right after the second one), since this keeps fewer of them live.
    """
    makers = {value: at for at, point in enumerate(points) for value in point.made}
    readers: dict[int, list[int]] = {}
    missing: dict[int, int] = {}
    for at, point in enumerate(points):
        sources = {makers[value] for value in point.read if value in makers}
        if point.kind == "plain" and len(sources) > 1:
            missing[at] = len(sources)
            for source in sources:
                readers.setdefault(source, []).append(at)
    order: list[int] = []
    placed = set[int]()
    for first in range(len(points)):
        waiting = [first]
        while waiting:
            at = waiting.pop()
            if at in placed:
                continue
            placed.add(at)
            order.append(at)
            for reader in readers.get(at, ()):
                missing[reader] -= 1
                if not missing[reader]:
                    waiting.append(reader)
    return order


class _Order:
    def __init__(self, points: Sequence[Point], floating: tuple[str, ...]) -> None:
        self.points, self.floating = points, floating
        self.order: list[int] = []
        self.waiting: dict[int, int] = {}
        """The place of each value's maker, until the value is read."""

    def all(self) -> list[int]:
        products: list[int] = []
        for at, point in enumerate(self.points):
            if point.kind == "product":
                products.append(at)
                continue
            if point.kind in self.floating and point.made:
                self.waiting.update(dict.fromkeys(point.made, at))
                continue
            self.place_products(products)
            if point.kind == "ordered":
                self.place_waiting("load")
            self.place(at)
        self.place_products(products)
        self.place_last()
        return self.order

    def place_products(self, products: list[int]) -> None:
        for at in _by_depth(self.points, products):
            self.place(at)
        products.clear()

    def place_last(self) -> None:
        """Place the waiting points at the end of the block: those whose results no other waiting point reads."""
        waiting = list(dict.fromkeys(self.waiting.values()))
        read = {value for at in waiting for value in self.points[at].read}
        for at in waiting:
            if read.isdisjoint(self.points[at].made):
                self.place(at)

    def place_waiting(self, *kinds: str) -> None:
        for at in dict.fromkeys(self.waiting.values()):
            if self.points[at].kind in kinds and self.points[at].made[0] in self.waiting:
                self.place(at)

    def place(self, root: int) -> None:
        """Place a point after all waiting points whose values it reads."""
        stack = [root]
        while stack:
            at = stack[-1]
            missing = [self.waiting[v] for v in self.points[at].read if v in self.waiting]
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            made = self.points[at].made
            if at == root or any(value in self.waiting for value in made):
                self.order.append(at)
            for value in made:
                self.waiting.pop(value, None)


def _by_depth(points: Sequence[Point], products: Sequence[int]) -> list[int]:
    """Sort products by depth: those first that add to a value that no other product makes."""
    depths: dict[int, int] = {}
    made: dict[int, int] = {}
    for at in products:
        depth = max((made[value] + 1 for value in points[at].read if value in made), default=0)
        depths[at] = depth
        made.update(dict.fromkeys(points[at].made, depth))
    return sorted(products, key=lambda at: depths[at])

"""The order in which IGC executes a block whose values do not all fit: products by their depth in K, loads late.

Source: its assembly of products that do not fit as written (subgroup tiles of 24x64 and 32x64 of f16, K steps of 64):
all products of the first instruction's depth come first, then those of the second, each load right before them. What
else there is stays in its order.
"""

from collections.abc import Sequence

from xetile.planning.pressure.liveness import Point


def scheduled(points: Sequence[Point]) -> list[int]:
    """The order of a block's points, as their places: no load passes a point with an effect that stands behind it."""
    order: list[int] = []
    loads: dict[int, int] = {}  # by what each load makes, its place
    products: list[int] = []

    def place(at: int) -> None:
        for value in points[at].read:
            load = loads.pop(value, None)
            if load is not None:
                place(load)
        order.append(at)

    def place_products() -> None:
        for at in _by_depth(points, products):
            place(at)
        products.clear()

    for at, point in enumerate(points):
        match point.kind:
            case "load":
                loads.update(dict.fromkeys(point.made, at))
            case "product":
                products.append(at)
            case "plain":
                place_products()
                place(at)
            case "ordered":
                place_products()
                for load in list(dict.fromkeys(loads.values())):
                    place(load)
                loads.clear()
                place(at)
    place_products()
    return [*order, *dict.fromkeys(loads.values())]


def _by_depth(points: Sequence[Point], products: Sequence[int]) -> list[int]:
    """Products, those first that add to what none of the others makes."""
    depths: dict[int, int] = {}
    made: dict[int, int] = {}
    for at in products:
        depth = max((made[value] + 1 for value in points[at].read if value in made), default=0)
        depths[at] = depth
        made.update(dict.fromkeys(points[at].made, depth))
    return sorted(products, key=lambda at: depths[at])

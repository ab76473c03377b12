"""The order of a block that does not fit: loads late, products by their depth."""

import random

from xetile.planning.xe.pressure.liveness import Kind, Point
from xetile.planning.xe.pressure.scheduling import folded, loads_first, scheduled


def load(made: int) -> Point:
    return Point((made,), (), "load")


def product(made: int, *read: int) -> Point:
    return Point((made,), read, "product")


def test_loads_come_right_before_their_first_use():
    points = [load(0), load(1), Point((2,), (1,)), product(3, 0, 2)]
    assert scheduled(points) == [1, 2, 0, 3]


def test_without_products_all_comes_right_before_its_use():
    points = [load(0), Point((1,), (0,)), load(2), Point((3,), (2,)), Point((4,), (1, 3))]
    assert scheduled([*points, Point((), (4,), "ordered")]) == [0, 2, 1, 3, 4, 5]
    squares = [Point((2,), (0,)), Point((3,), (1,)), Point((4,), (2,)), Point((5,), (3, 4))]
    assert scheduled(squares) == [1, 0, 2, 3]


def test_what_products_take_can_be_computed_late_too():
    points = [Point((0,)), Point((1,)), product(2, 0), product(3, 1)]
    assert scheduled(points) == [0, 1, 2, 3]
    assert scheduled(points, late=True) == [0, 2, 1, 3]


def test_loads_ahead_pass_products_and_no_effect():
    effect = Point((), (3,), "ordered")
    points = [load(0), product(3, 0), Point((1,)), Point((2,), (1,), "load"), Point((4,))]
    first = [0, 2, 3, 1, 4]
    assert loads_first(points) == first
    assert loads_first([*points, effect, product(6, 2), load(7)]) == [*first, 5, 7, 6]


def test_loads_of_what_is_not_multiplied_stay_in_their_places():
    assert list(loads_first([Point((0,)), load(1), Point((2,), (1,)), load(3)])) == [
        0,
        1,
        2,
        3,
    ]


def test_reductions_are_folded_as_soon_as_both_halves_are_there():
    halves = [
        Point((4,), (0, 1)),
        Point((5,), (2, 3)),
        Point((6,), (0, 2)),
        Point((7,), (1, 3)),
    ]
    sums = [Point((8,), (4, 5)), Point((9,), (6, 7)), Point((10,), (8, 9))]
    points = [*map(load, range(4)), *halves, *sums]
    assert folded(points) == [0, 1, 4, 2, 6, 3, 7, 9, 5, 8, 10]
    assert folded([load(0), Point((1,), (0,)), product(2, 0, 1)]) == [0, 1, 2]


def test_every_order_keeps_what_is_read_before_its_use():
    chance = random.Random(1)
    for _ in range(300):
        points = some_points(chance)
        makers = {value: at for at, point in enumerate(points) for value in point.made}
        late = chance.random() < 0.5
        for order in (scheduled(points, late=late), loads_first(points), folded(points)):
            assert sorted(order) == list(range(len(points)))
            place = {at: number for number, at in enumerate(order)}
            for at, point in enumerate(points):
                assert all(place[makers[value]] < place[at] for value in point.read)


def some_points(chance: random.Random) -> list[Point]:
    points: list[Point] = []
    for number in range(chance.randint(1, 14)):
        kind: Kind = chance.choice(("plain", "plain", "load", "product", "ordered"))
        made = [value for point in points for value in point.made]
        read = tuple(chance.sample(made, min(len(made), chance.randint(0, 2))))
        points.append(Point(() if kind == "ordered" else (number,), read, kind))
    return points


def test_products_of_the_first_depth_come_first():
    points = [
        load(0),
        load(1),
        product(2, 0),
        product(3, 2, 1),
        product(4, 0),
        product(5, 4, 1),
    ]
    assert scheduled(points) == [0, 2, 4, 1, 3, 5]


def test_what_else_there_is_stays_in_its_order():
    points = [product(0), Point((1,), (0,)), product(2, 1), product(3)]
    assert scheduled(points) == [0, 1, 2, 3]


def test_no_load_passes_an_effect():
    points = [load(0), Point((), (), "ordered"), product(1, 0)]
    assert scheduled(points) == [0, 1, 2]


def test_loads_that_nothing_reads_stay():
    assert scheduled([load(0), product(1)]) == [1, 0]

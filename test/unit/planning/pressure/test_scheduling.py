"""The order of a block that does not fit: loads late, products by their depth."""

from xetile.planning.pressure.liveness import Point
from xetile.planning.pressure.scheduling import scheduled


def load(made: int) -> Point:
    return Point((made,), (), "load")


def product(made: int, *read: int) -> Point:
    return Point((made,), read, "product")


def test_loads_come_right_before_their_first_use():
    points = [load(0), load(1), Point((2,), (1,)), Point((3,), (0, 2))]
    assert scheduled(points) == [1, 2, 0, 3]


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

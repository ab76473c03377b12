"""Values of plain programs: where they are live, and how many bytes that is."""

from collections.abc import Sequence

from xetile.planning.xe.pressure.liveness import Point, Straight, bytes_along, live_after


def live_bytes(sizes: Sequence[int], blocks: Sequence[Straight]) -> list[list[int]]:
    after = live_after(blocks)
    rows = zip(blocks, after, strict=True)
    return [bytes_along(sizes, block.points, live) for block, live in rows]


def test_a_value_is_live_up_to_its_last_use():
    points = [Point((0,)), Point((1,)), Point((2,), (0,)), Point((), (1, 2))]
    assert live_bytes([1, 10, 100], [Straight(points)]) == [[1, 11, 110, 0]]


def test_what_nothing_reads_counts_where_it_is_made():
    assert live_bytes([4, 8], [Straight([Point((0,)), Point((1,)), Point()])]) == [[4, 8, 0]]


def test_a_loop_keeps_what_it_reads_of_what_was_made_before_it():
    before = Straight([Point((0,)), Point((1,))], (1,))
    head = Straight([Point((2,)), Point((), (2,))], (2, 3))  # 2: what the loop carries
    body = Straight([Point((3,), (0,)), Point((), (3,))], (1,))
    after = Straight([Point((), (1,))])
    found = live_bytes([1, 10, 100, 1000], [before, head, body, after])
    assert found == [[1, 11], [111, 11], [1011, 11], [0]]


def test_branches_keep_what_either_reads():
    top = Straight([Point((0, 1))], (1, 2))
    left, right = Straight([Point((), (0,))], (3,)), Straight([Point((), (1,))], (3,))
    assert live_bytes([1, 2], [top, left, right, Straight([])]) == [[3], [0], [0], []]

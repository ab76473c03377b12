"""The values live at each point of a program. Values, blocks and bytes are plain numbers."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

Kind = Literal["plain", "copy", "load", "product", "ordered"]
"""The kind of a point: it computes, copies from a message's registers, loads a message, multiplies, or has effects."""


class Point(NamedTuple):
    """The values that one op makes and those that it reads."""

    made: tuple[int, ...] = ()
    read: tuple[int, ...] = ()
    kind: Kind = "plain"


class Straight(NamedTuple):
    """Points in sequence, and the blocks that may follow."""

    points: Sequence[Point]
    successors: Sequence[int] = ()


def live_after(blocks: Sequence[Straight]) -> list[int]:
    """Return the values that are live after each block; bit n represents value n."""
    effects = [_effect(block.points) for block in blocks]
    before, after = [0] * len(blocks), [0] * len(blocks)
    callers: list[list[int]] = [[] for _ in blocks]
    for number, block in enumerate(blocks):
        for successor in block.successors:
            callers[successor].append(number)
    waiting = list(range(len(blocks)))
    while waiting:
        number = waiting.pop()
        live = 0
        for successor in blocks[number].successors:
            live |= before[successor]
        after[number] = live
        read, made = effects[number]
        found = read | (live & ~made)
        if found != before[number]:
            before[number] = found
            waiting += callers[number]
    return after


def _effect(points: Sequence[Point]) -> tuple[int, int]:
    """Return the values that a block reads from before it, and those that it makes, as sets of bits."""
    read, made = set[int](), set[int]()
    for point in points:
        read.update(value for value in point.read if value not in made)
        made.update(point.made)
    return sum(1 << value for value in read), sum(1 << value for value in made)


def live_behind(points: Sequence[Point], after: int, place: int) -> set[int]:
    """Return the values live after a point of a block; those in `after` are live after the last point.

    They include values that the point makes and that have no users.
    """
    digits = f"{after:b}"[::-1]
    live = {value for value, digit in enumerate(digits) if digit == "1"}
    for point in reversed(points[place + 1 :]):
        live.difference_update(point.made)
        live.update(point.read)
    return live | set(points[place].made)


def bytes_along(sizes: Sequence[int], points: Sequence[Point], after: int) -> list[int]:
    """Return the bytes live after each point of a block; the values in `after` are live after the last one."""
    digits = f"{after:b}"[::-1]
    live = {value for value, digit in enumerate(digits) if digit == "1"}
    total = sum(sizes[value] for value in live)
    found: list[int] = []
    for point in reversed(points):
        fresh = sum(sizes[value] for value in point.made if value not in live)
        found.append(total + fresh)
        for value in point.made:
            if value in live:
                live.remove(value)
                total -= sizes[value]
        for value in point.read:
            if value not in live:
                live.add(value)
                total += sizes[value]
    found.reverse()
    return found

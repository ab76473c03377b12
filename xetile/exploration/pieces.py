"""Bytes by tags, in pieces: what registers and scratch memory hold, and what is held where ways meet.

r35 to r38, 256 bytes: [Piece(256, 40960)]       byte n has the tag 40960 + n
r2, 64 bytes of zeros: [Piece(64, -1)]           each has the tag -1
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

Tag: TypeAlias = int
"""Who put a byte there: 0 nobody knows, positive somebody whose next byte has the next tag, negative a constant."""


class Piece(NamedTuple):
    """Bytes one behind the other, with the tag of the first: where it is positive it goes on by one, else it stays."""

    length: int
    tag: Tag


Tags: TypeAlias = tuple[Piece, ...]
"""What some bytes are, in order, in as few pieces as there can be."""


class State:
    """What registers, accumulators and scratch memory hold: pieces, by their first byte."""

    def __init__(self, size: int, firsts: list[int], tags: list[Tag]) -> None:
        self.size, self.firsts, self.tags = size, firsts, tags

    def copy(self) -> "State":
        """The same, to be written to."""
        return State(self.size, self.firsts.copy(), self.tags.copy())

    def tag(self, byte: int) -> Tag:
        """Of one byte."""
        place = bisect_right(self.firsts, byte) - 1
        return ahead(self.tags[place], byte - self.firsts[place])

    def read(self, first: int, length: int) -> Tags:
        """Of the bytes from `first` on that there are."""
        end = min(first + length, self.size)
        if end <= first:
            return ()
        begin, stop = bisect_right(self.firsts, first), bisect_left(self.firsts, end)
        firsts = [first, *self.firsts[begin:stop], end]
        tags = [self.tag(first), *self.tags[begin:stop]]
        return in_few(
            Piece(after - at, tag)
            for (at, after), tag in zip(pairwise(firsts), tags, strict=True)
        )

    def write(self, first: int, pieces: Iterable[Piece]) -> None:
        """Put pieces there, one behind the other."""
        firsts: list[int] = []
        tags: list[Tag] = []
        end = first
        for length, tag in pieces:
            firsts.append(end)
            tags.append(tag)
            end += length
        begin, stop = bisect_left(self.firsts, first), bisect_left(self.firsts, end)
        if end < self.size and (stop == len(self.firsts) or self.firsts[stop] != end):
            firsts.append(end)
            tags.append(self.tag(end))
        self.firsts[begin:stop], self.tags[begin:stop] = firsts, tags


def ahead(tag: Tag, bytes: int) -> Tag:
    """The tag so many bytes behind one."""
    return tag + bytes if tag > 0 else tag


def in_few(pieces: Iterable[Piece]) -> Tags:
    """The same bytes in as few pieces as there can be."""
    found: list[Piece] = []
    for piece in pieces:
        if found and ahead(found[-1].tag, found[-1].length) == piece.tag:
            found[-1] = Piece(found[-1].length + piece.length, found[-1].tag)
        else:
            found.append(piece)
    return tuple(found)


def met(states: Sequence[State], earlier: State | None, join: Tag) -> State:
    """What is held where ways meet that bring these states: what all bring, or a tag of its own, from `join` on.

    `earlier` is what was found there before: where that is such a tag it stays.
    """
    everything = states if earlier is None else [*states, earlier]
    size = states[0].size
    firsts = sorted({first for state in everything for first in state.firsts})
    pieces = (
        Piece(
            end - first,
            _agreed(
                [state.tag(first) for state in states],
                None if earlier is None else earlier.tag(first),
                join + first,
            ),
        )
        for first, end in pairwise([*firsts, size])
    )
    result = State(size, [0], [0])
    result.write(0, in_few(pieces))
    return result


def _agreed(tags: Sequence[Tag], earlier: Tag | None, join: Tag) -> Tag:
    if earlier == join:
        return join
    brought = {tag for tag in tags if tag != join}
    return brought.pop() if len(brought) == 1 else join


def cut(tags: Tags, first: int, length: int) -> Iterator[Piece]:
    """A part of some bytes."""
    at = 0
    for piece in tags:
        start, stop = max(first, at), min(first + length, at + piece.length)
        if start < stop:
            yield Piece(stop - start, ahead(piece.tag, start - at))
        at += piece.length


def placed(tags: Tags, at: int) -> Iterator[tuple[int, int, Tag]]:
    """Pieces with where they begin: first place, length, first tag."""
    for length, tag in tags:
        yield at, length, tag
        at += length

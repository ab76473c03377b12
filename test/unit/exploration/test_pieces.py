"""Bytes by tags, in pieces: the same as with a tag for each byte."""

import random

import pytest

from xetile.exploration.pieces import Piece, State, Tag, Tags, cut, in_few, met

SIZE = 96
JOIN = 1 << 20


def spread(tags: Tags) -> list[Tag]:
    """A tag for each byte."""
    return [tag + n if tag > 0 else tag for length, tag in tags for n in range(length)]


def everything(state: State) -> list[Tag]:
    return spread(state.read(0, SIZE))


def written(number: random.Random, count: int = 20) -> tuple[State, list[Tag]]:
    """A state after some writes, and the same byte by byte."""
    state, plain = State(SIZE, [0], [0]), [0] * SIZE
    for _ in range(count):
        first = number.randrange(SIZE)
        length = number.randint(1, SIZE - first)
        tag = number.choice([0, -1, -2, 100, 200, 1000 * number.randint(1, 9)])
        state.write(first, [Piece(length, tag)])
        plain[first : first + length] = spread((Piece(length, tag),))
    return state, plain


@pytest.mark.parametrize("seed", range(20))
def test_what_is_written_is_read(seed: int) -> None:
    number = random.Random(seed)
    state, plain = written(number)
    assert everything(state) == plain
    assert [state.tag(byte) for byte in range(SIZE)] == plain
    for _ in range(20):
        first, length = number.randrange(SIZE), number.randint(0, SIZE)
        found = state.read(first, length)
        assert spread(found) == plain[first : first + length]
        assert found == in_few(found)
        assert spread(tuple(cut(found, 3, 5))) == plain[first : first + length][3:8]


def test_what_is_copied_stays() -> None:
    state, plain = written(random.Random(1))
    state.copy().write(0, [Piece(SIZE, 5)])
    assert everything(state) == plain


@pytest.mark.parametrize("seed", range(20))
def test_where_ways_meet_bytes_that_differ_get_a_tag_of_their_own(seed: int) -> None:
    number = random.Random(seed)
    one, other = written(number, 4), written(number, 4)
    own = [JOIN + byte for byte in range(SIZE)]
    found = met([one[0], other[0]], None, JOIN)
    plain = [a if a == b else j for a, b, j in zip(one[1], other[1], own, strict=True)]
    assert everything(found) == plain
    again = met([found, one[0]], found, JOIN)  # round a loop, it is its own still
    kept = [
        j if e == j else (b if a == j else a if a == b or b == j else j)
        for a, b, e, j in zip(plain, one[1], plain, own, strict=True)
    ]
    assert everything(again) == kept


def test_ways_that_bring_a_tag_of_the_place_itself_bring_nothing_new() -> None:
    whole = State(SIZE, [0], [JOIN])
    state, plain = written(random.Random(2))
    assert everything(met([whole, state], None, JOIN)) == plain


def test_nothing_is_read_of_no_bytes() -> None:
    assert State(SIZE, [0], [7]).read(5, 0) == ()
    assert in_few([Piece(4, 8), Piece(4, 12), Piece(2, -1), Piece(2, -1)]) == (
        Piece(8, 8),
        Piece(4, -1),
    )

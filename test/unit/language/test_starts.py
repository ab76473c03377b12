"""Places of what Python asks of a value are the same on all versions: `^` is below where each begins."""

import linecache
from collections.abc import Iterator
from types import CodeType, TracebackType

import pytest

from xetile.language.positions import place_at


class Asked(Exception):
    """A value was asked."""


class Value:
    """What answers to nothing but comparisons, whose results answer as little."""

    def __bool__(self) -> bool:
        raise Asked

    def __format__(self, specification: str) -> str:
        raise Asked

    def __repr__(self) -> str:
        raise Asked

    def __iter__(self) -> Iterator[int]:
        raise Asked

    def __lt__(self, other: object) -> "Value":
        return self


PLACES = """
if n:
   ^
if (yes and n):
    ^
if yes and n < 3:
   ^
if not n < 3:
   ^
while n or no:
      ^
assert n, "it is"
       ^
x = 1 if n else 2
         ^
x = [1 if n else 2 for i in (1, 2)]
          ^
x = no or n and 3
          ^
x = not n
    ^
x = [i for i in (1, 2) if n]
                          ^
x = [i for i in (1, 2) if yes if n]
    ^
x = list(i for i in n)
                    ^
x = [i for i in [j for j in n]]
                            ^
x = {i: j for i in (1, 2) for j in n}
    ^
for i in n: pass
         ^
x = f"{n}"
    ^
x = no or "größe " f"{1}{n:>2}"
          ^
x = f"{1}" + f"{n!r}" + "a"
             ^
x = f"{1} {f'{n}' + 'a'}"
           ^
x = f"{1} {2 if n else 3}"
                ^
"""
LINES = PLACES.strip("\n").splitlines()


def place_of_what_asks(statement: str, name: str) -> tuple[int, int]:
    """Line and column of the instruction of a statement that asks the value `n`."""
    body = f"{statement} pass" if statement.endswith(":") else statement
    linecache.cache[name] = (len(body), None, [f"{body}\n"], name)
    try:
        exec(compile(body, name, "exec"), {"n": Value(), "yes": True, "no": False})
    except Asked as error:
        asking = [at for at in _instructions(error.__traceback__) if at[0].co_filename == name]
        place = place_at(*asking[-1])
        return place.line.data, place.column.data
    raise AssertionError(f"nothing asks: {statement}")


def _instructions(trace: TracebackType | None) -> Iterator[tuple[CodeType, int]]:
    while trace is not None:
        yield trace.tb_frame.f_code, trace.tb_lasti
        trace = trace.tb_next


@pytest.mark.parametrize(
    ("statement", "caret"), list(zip(LINES[::2], LINES[1::2], strict=True))
)
def test_each_begins_where_it_is_written(statement: str, caret: str) -> None:
    assert caret.strip() == "^"
    assert place_of_what_asks(statement, f"<{statement}>") == (1, len(caret))

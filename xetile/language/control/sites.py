"""What is known of a control-flow statement before the kernel is traced: names, and where each is bound."""

from dataclasses import dataclass
from typing import Literal

Place = tuple[int, int]
"""Line and column in the Python file, both counted from 1."""

Word = Literal["for", "while", "if"]


@dataclass(frozen=True)
class Site:
    """One `for`, `while` or `if` statement of a function."""

    word: Word
    place: Place
    function: str
    """The name of the function that it stands in."""
    stored: dict[str, Place]
    """The names that are bound inside, each with where it is bound first."""
    needed: frozenset[str]
    """Those of them whose value before a round, a branch or the end of the statement may be read later."""
    mentioned: frozenset[str]
    """The names that are read or bound inside, in functions and classes too."""
    touched: dict[str, Place]
    """The names of which an item or attribute is bound inside, or a method called, each with where first."""
    globals: dict[str, Place]
    """The names of the module that are bound inside."""
    target: str | None
    """The name that a `for` statement binds to each item, None where it is not one name."""
    has_else: bool

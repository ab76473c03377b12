"""Numbers of more digits than Python reads or prints, for which its own error would be obscure."""

import re
import sys
from typing import Self

_NUMBER = re.compile(
    r'"(?:\\.|[^"\\\n])*"|//[^\n]*|(?P<hexadecimal>0[xX][0-9a-fA-F]+)|(?P<decimal>\d+)'
)
"""A number; strings and comments have none."""


def is_python_limit(error: BaseException) -> bool:
    """Return True if Python rejected a number because of its digits."""
    return isinstance(error, ValueError) and "set_int_max_str_digits" in str(error)


def longest_number(text: str) -> tuple[int, str]:
    """Return where the longest number of a text begins, and the message if Python rejects it."""
    found = [number for number in _NUMBER.finditer(text) if number.lastgroup is not None]
    if not found:
        return 0, "a number of too many digits"
    longest = max(found, key=lambda number: number.end() - number.start())
    if longest.lastgroup == "hexadecimal":
        digits = len(longest[0]) - 2
        return longest.start(), f"a number of {digits} hexadecimal digits is too large"
    return longest.start(), complaint(longest[0])


def complaint(digits: str) -> str:
    """Return the message on a decimal number that Python does not read."""
    return f"a number of {len(digits)} digits; at most {sys.get_int_max_str_digits()} are read"


def whole_number(digits: str) -> int:
    """Return the number of a decimal text, for readers of JSON.

    Raise ValueError for more digits than are read.
    """
    try:
        return int(digits)
    except ValueError as error:
        if not is_python_limit(error):
            raise
        raise ValueError(complaint(digits.lstrip("+-"))) from error


class StartOfRange(int):
    """The column at which a range of a file begins; its text is that of the range: `2 to 3:4`.

    xDSL has no location for a range, and its `FileLineColLoc` is final.
    """

    end: tuple[int, int]

    def __new__(cls, column: int, end: tuple[int, int]) -> Self:
        """Make a column with the line and column at which the range ends."""
        made = super().__new__(cls, column)
        made.end = end
        return made

    def __str__(self) -> str:
        return f"{int.__repr__(self)} to {self.end[0]}:{self.end[1]}"

    def __format__(self, spec: str) -> str:
        return str(self)

"""Values of options as argparse reads them; `refusal` is said behind a text that is none."""

import re
from argparse import ArgumentTypeError


def read_pair(text: str, refusal: str) -> tuple[int, int]:
    """Two whole numbers, such as 32x256."""
    numbers = re.fullmatch(r"(\d{1,18})[xX](\d{1,18})", text)
    if numbers is None:
        raise ArgumentTypeError(f"'{text}' {refusal}")
    return int(numbers[1]), int(numbers[2])


def read_number(text: str, refusal: str, base: int = 10) -> int:
    """A whole number; base 0 takes 0x400 too."""
    try:
        return int(text, base)
    except ValueError:
        raise ArgumentTypeError(f"'{text}' {refusal}") from None

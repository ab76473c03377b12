"""Options that several commands share, and readers of their values; a bad value's message ends with `refusal`."""

import re
from argparse import ArgumentTypeError
from collections.abc import Callable

from xetile.targets import DEFAULT, names
from xetile.targets.target import ASSUMING, ASSUMPTIONS, UNROLLING


def read_pair(text: str, refusal: str) -> tuple[int, int]:
    """Return two whole numbers from a text such as 32x256."""
    numbers = re.fullmatch(r"(\d{1,18})[xX](\d{1,18})", text)
    if numbers is None:
        raise ArgumentTypeError(f"'{text}' {refusal}")
    return int(numbers[1]), int(numbers[2])


def read_number(text: str, refusal: str, base: int = 10) -> int:
    """Return a whole number; base 0 also accepts 0x400."""
    try:
        return int(text, base)
    except ValueError:
        raise ArgumentTypeError(f"'{text}' {refusal}") from None


def read_count(text: str, refusal: str, *, least: int = 0, most: int = 10**18) -> int:
    """Return a whole number from `least` to `most`, written only in digits."""
    number = int(text) if re.fullmatch(r"\d{1,18}", text, re.ASCII) else least - 1
    if not least <= number <= most:
        raise ArgumentTypeError(f"'{text}' {refusal}")
    return number


def devices_in_words(several: str = "") -> str:
    """Return the names of devices, and the default; `several` says how to name more than one."""
    *others, last = names()
    return (
        f"{', '.join(others)} or {last}{several}; by default the one that the gpu.module names, "
        f"else {DEFAULT}"
    )


def add_lowering(add: Callable[..., object], *, assume: str | None) -> None:
    """Add the options that say how kernels are lowered; `assume` is the default of `--assume`."""
    add("--assume", choices=ASSUMPTIONS, default=assume, help=ASSUMING)
    add("--unroll", type=int, metavar="COPIES", help=UNROLLING)

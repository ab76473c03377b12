"""Refusing what a kernel's author wrote, at its line in the Python file."""

from typing import NoReturn

from xetile.errors import XetileError
from xetile.language.positions import here


def refuse(message: str) -> NoReturn:
    """Raise XetileError at the line of the user's that is being evaluated."""
    raise XetileError(message, here())

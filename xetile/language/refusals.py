"""Refusing what a kernel's author wrote, at its line in the Python file.

A refusal is final: a `try` statement of the kernel that catches it does not make the kernel another one.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NoReturn

from xetile.errors import XetileError, one_line
from xetile.language.positions import here

if TYPE_CHECKING:
    from xdsl.dialects.builtin import FileLineColLoc

_said: ContextVar[list[XetileError] | None] = ContextVar("refusals", default=None)


def refuse(message: str, at: "FileLineColLoc | None" = None) -> NoReturn:
    """Raise XetileError at `at`, by default the line of the user's that is being evaluated."""
    error = XetileError(one_line(message), at or here())  # some Python values print as many
    if (said := _said.get()) is not None:
        said.append(error)
    raise error


@contextmanager
def refusals_are_final() -> Generator[None]:
    """What is refused inside is raised at the end, whatever was caught meanwhile."""
    said: list[XetileError] = []
    token = _said.set(said)
    try:
        yield
        if said:
            raise said[0]
    finally:
        _said.reset(token)

"""What a function means, kept as long as nothing that it reads changes."""

from types import FunctionType
from typing import NamedTuple

from xetile.errors import one_line
from xetile.language.cache.guards import Guards
from xetile.language.cache.walk import Opaque, Walk


class _Found(NamedTuple):
    """What was found of a function, and what tells whether that still holds."""

    guards: Guards
    meaning: bytes | None
    place: bytes
    reason: str | None


class Watch:
    """A function and all that it reads: globals, cells, helpers, their helpers, classes, arrays.

    The first question takes a millisecond or so, later ones microseconds while nothing has changed; where something
    has, all is looked at again. Threads may ask at once.
    """

    def __init__(self, function: FunctionType) -> None:
        self._function = function
        self._found: _Found | None = None

    def meaning(self) -> bytes | None:
        """32 bytes, other ones where the function, or anything that it reads, means something else.

        The same in every process, wherever the files stand. None where something has no stable value: then nothing
        that is made of the function may be kept.
        """
        return self._now().meaning

    def place(self) -> bytes:
        """32 bytes of where all that it reaches stands: files, lines, columns; of this process alone."""
        return self._now().place

    def reason(self) -> str | None:
        """Why there is no meaning, in words; None where there is one."""
        return self._now().reason

    def _now(self) -> _Found:
        found = self._found
        if found is None or found.meaning is None or not found.guards.hold():
            found = self._found = _look(self._function)
        return found


def _look(*values: object) -> _Found:
    walk = Walk()
    try:
        for value in values:
            walk.take(value)
    except Opaque as error:
        name = ".".join(walk.trail)
        reads = f"reads '{name}', {error}" if name else f"is {error}"
        return _Found(walk.guards, None, walk.places(), f"{reads}: its value is not stable")
    except RecursionError:
        return _Found(walk.guards, None, walk.places(), "reads values that nest too deeply")
    except Exception as error:  # of the user's code that was asked
        name, reason = ".".join(walk.trail), one_line(f"{type(error).__name__}: {error}")
        return _Found(
            walk.guards, None, walk.places(), f"reads '{name}', which raises {reason}"
        )
    return _Found(walk.guards, walk.meaning(), walk.places(), None)


def fingerprint(function: FunctionType, *values: object) -> bytes | None:
    """What a function means together with values: 32 bytes, None where something has no stable value."""
    return _look(function, *values).meaning


def fingerprint_of(value: object) -> bytes | None:
    """What a value means: 32 bytes, None where it is not stable."""
    return _look(value).meaning

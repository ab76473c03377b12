"""The families of inputs: each makes a call from a source of random numbers."""

from collections.abc import Callable, Mapping
from random import Random

from tools.fuzz.case import Case
from tools.fuzz.families import arrays, attributes, commands, generic, host, kernels, streams

FAMILIES: Mapping[str, Callable[[Random], Case]] = {
    "host": host.make,
    "kernel": kernels.make,
    "generic": generic.make,
    "attributes": attributes.make,
    "commands": commands.make,
    "arrays": arrays.make,
    "streams": streams.make,
}

_IN_TWENTY = {
    "host": 6,
    "kernel": 2,
    "generic": 3,
    "attributes": 3,
    "commands": 3,
    "arrays": 1,
    "streams": 2,
}
_CYCLE = tuple(name for name, share in _IN_TWENTY.items() for _ in range(share))


def family_of(number: int) -> str:
    """The family of an input where all are asked for."""
    return _CYCLE[number % len(_CYCLE)]


def make(family: str, seed: int, number: int) -> Case:
    """The input of that name: the same each time, as long as the corpus is."""
    return FAMILIES[family](Random(f"{family} {seed} {number}"))

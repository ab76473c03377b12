"""Where an exploration says that elements are, held against where the interpreter has them at the levels W, S and V.

The arithmetic is that of the page, from the model alone: an element of the workgroup's tile is in subgroups, in each at
a place of the subgroup's tile, and that in registers and lanes of values of X and V. The interpreter executes the same
levels; after the launch each value is what the last execution of its op left.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray
from support.tiled.case import copies
from xdsl.ir import Operation

from xetile.explorer.linking.placed_texts import values_of
from xetile.explorer.linking.trace import Traced
from xetile.explorer.model import Bases, Holding, Kernel, LevelId
from xetile.interpreter.launcher import launcher
from xetile.interpreter.machine.execution import Frame, Handler
from xetile.interpreter.machine.runtime_values import Values
from xetile.interpreter.machine.workgroup_batches import launch

Array = NDArray[Any]
Element = tuple[int, ...]


class Place(NamedTuple):
    """Where an element is: `value` of V (or X), an element's number among its registers, a lane."""

    subgroup: int
    value: tuple[int, int]
    register: int
    lane: int


def applied(bases: Bases, **at: int) -> Element:
    """The image of a place, as `apply` of the page's f2.js has it."""
    found = [0] * len(bases.outputs)
    for name, number in at.items():
        for bit, vector in enumerate(bases.inputs.get(name, ())):
            if number >> bit & 1:
                found = [a ^ b for a, b in zip(found, vector, strict=True)]
    return tuple(found)


def size_of(bases: Bases, name: str) -> int:
    """How many places an in dimension has."""
    return 1 << len(bases.inputs.get(name, ()))


def images(bases: Bases, *names: str) -> Mapping[Element, Sequence[Element]]:
    """By element the places that have it, in these in dimensions."""
    return _images(tuple(bases.inputs.items()), len(bases.outputs), names)


@lru_cache(maxsize=256)
def _images(
    inputs: tuple[tuple[str, tuple[Element, ...]], ...], rank: int, names: tuple[str, ...]
) -> Mapping[Element, Sequence[Element]]:
    vectors = dict(inputs)
    at = numpy.zeros((1, rank), int)
    for name in reversed(names):  # places of the last one follow each other
        for vector in vectors.get(name, ()):
            at = numpy.concatenate([at, at ^ vector])
    places = product(*(range(1 << len(vectors.get(name, ()))) for name in names))
    found: dict[Element, list[Element]] = {}
    for element, place in zip(at.tolist(), places, strict=True):
        found.setdefault(tuple(element), []).append(place)
    return found


class Explored:
    """A kernel's model, and what the interpreter found of its values at each level."""

    def __init__(self, trace: Traced, arrays: Sequence[Any]) -> None:
        self.trace = trace
        self.kernel: Kernel = trace.kernel
        self.found: dict[LevelId, dict[int, Array]] = {}
        levels: tuple[LevelId, ...] = ("W", "S", "V")
        for letter in levels:
            if letter in trace.ops:
                self.found[letter] = _executed(trace.ops[letter], copies(arrays))

    def holding(self, level: int, value: int) -> Holding | None:
        """The holding of a value, None where it has none."""
        index = self.kernel.levels[level].values[value].holding
        return None if index is None else self.kernel.holdings[index]

    def parts(self, tile: tuple[int, int], letter: LevelId) -> Iterator[tuple[int, Holding]]:
        """The values of a level that are parts of a tile."""
        level = self.trace.level(letter)
        assert level is not None
        for number in range(len(self.kernel.levels[level].values)):
            holding = self.holding(level, number)
            if holding is not None and holding.tile == tile and holding.layout is not None:
                yield number, holding

    def units(self) -> Iterator[tuple[tuple[int, int], int, Holding, Bases]]:
        """Each tile of S with the value of W of which it is a unit, that one's holding, and its layout."""
        above, here = self.trace.level("W"), self.trace.level("S")
        if above is None or here is None:
            return
        for number in range(len(self.kernel.levels[here].values)):
            holding = self.holding(here, number)
            if holding is None or holding.base is None:
                continue
            whole = holding.base["value"]
            found = self.holding(above, whole)
            if found is not None and found.layout is not None:
                yield (here, number), whole, found, found.layout

    def places(self, tile: tuple[int, int], element: Element, letter: LevelId) -> list[Place]:
        """The places of an element of a subgroup's tile, from holdings alone; `subgroup` is left 0."""
        level = self.trace.level(letter)
        assert level is not None
        found: list[Place] = []
        for number, holding in self.parts(tile, letter):
            assert holding.layout is not None
            at = tuple(e - o for e, o in zip(element, holding.offset or (), strict=True))
            if any(not 0 <= e < n for e, n in zip(at, holding.sizes, strict=True)):
                continue
            inverse = images(holding.layout, "register", "lane")
            found += [Place(0, (level, number), r, n) for r, n in inverse.get(at, [])]
        return found

    def workgroup_places(
        self, tile: tuple[int, int], element: Element, letter: LevelId
    ) -> list[Place]:
        """The places of an element of a tile of W in those of its subgroups' units that a tile of S is."""
        holding = self.holding(*tile)
        assert holding is not None
        assert holding.base is not None
        whole = self.holding(0, holding.base["value"])
        assert whole is not None
        assert whole.layout is not None
        size, unit = prod(holding.sizes), holding.base["unit"]
        inverse = images(whole.layout, "register", "subgroup")
        found: list[Place] = []
        for register, subgroup in inverse[element]:
            if register // size == unit:
                inner = divmod(register % size, holding.sizes[1])
                found += [
                    place._replace(subgroup=subgroup)
                    for place in self.places(tile, inner, letter)
                ]
        return found

    def is_partial(self, value: int) -> bool:
        """Whether a value of V is a sum to which another product adds: in place, but not yet what the tile has."""
        level = self.trace.level("V")
        assert level is not None
        at = self.kernel.levels[level]

        def is_product(op: int) -> bool:
            return self.kernel.names[at.ops[op].name] == "xevm.mma"

        return is_product(at.values[value].op) and any(
            use.value == value and use.operand == 2 and is_product(use.op) for use in at.uses
        )

    def bits_at(self, place: Place, bits: int) -> int:
        """What a register of a lane has at level V, as a number of so many bits."""
        found = self.found["V"][place.value[1]]
        lanes = self.kernel.lanes
        thread = place.subgroup * lanes + place.lane if len(found) > 1 else 0
        return int(as_bits(found[thread], bits).ravel()[place.register])


def as_bits(values: Array, bits: int) -> Array:
    """Elements as unsigned integers of so many bits, the first of a word lowest."""
    if values.dtype == numpy.bool_:
        return values.astype(numpy.uint8)
    return numpy.ascontiguousarray(values).view(numpy.dtype(f"u{max(8, bits) // 8}"))


def _executed(ops: Sequence[Operation], arrays: Sequence[Any]) -> dict[int, Array]:
    """The vectors of a level after one workgroup, [threads, *shape] each."""
    numbers = {value: n for n, value in enumerate(v for op in ops for v in values_of(op))}
    found: dict[int, Array] = {}

    def watching(handler: Handler) -> Handler:
        def handle(frame: Frame, op: Operation) -> Values:
            made = handler(frame, op)
            for result, value in zip(op.results, made, strict=True):
                if isinstance(value, numpy.ndarray) and value.ndim > 1 and result in numbers:
                    _keep(found, numbers[result], frame, value)
            return made

        return handle

    usual = launcher(sanitize=False)
    handlers: Mapping[str, Handler] = {
        name: watching(handler) for name, handler in usual.handlers.items()
    }
    module: Any = ops[0]
    launch(usual._replace(handlers=handlers), module, None, arrays, grid=(1, 1, 1))
    return found


def _keep(found: dict[int, Array], number: int, frame: Frame, value: Array) -> None:
    threads = frame.threads.count
    if number not in found:
        found[number] = numpy.zeros((threads, *value.shape[1:]), value.dtype)
    found[number][frame.active] = value

"""Where the elements of each value are, as the passes decided it, from the workgroup's tile down to registers.

    W   %b        (register, subgroup) -> K, N of the workgroup's tile
    S   %b        the subgroup's tile: what all levels below count in
    B   %b        the same tile, in blocks
    X   %w        from (16, 32) of the tile: (register, lane) -> K, N
    V   %v, %w    the same of one lane's vectors

Values of X, V and L are parts of the tiles of S. Registers count elements, whatever the words are.
"""

from collections.abc import Iterator, Mapping, Sequence

from xdsl.ir import SSAValue

from xetile.dialects.xetile import TileType
from xetile.exploration.chain import Chain
from xetile.exploration.conversions import conversions
from xetile.exploration.dimensions import default_names, dimension_names
from xetile.exploration.exchanges import exchanges
from xetile.exploration.lane_places import Lanes
from xetile.exploration.lane_values import LaneValues, bits_of
from xetile.exploration.messages import Messages
from xetile.exploration.model import At, Holding, LevelId, Move, Place
from xetile.exploration.owners import Block, owner_bases, owner_blocks, units_of
from xetile.exploration.parts import Part
from xetile.exploration.printing import values_of
from xetile.exploration.trace import Traced
from xetile.layout.algebra.distribution import Distribution
from xetile.passes.xetile_wg_to_sg.view import SubgroupView


def add_holdings(trace: Traced) -> Mapping[At, int]:
    """Say of each value of a kernel where its elements are; by level and value the index of its holding."""
    return Held(trace).add()


class Held:
    """The holdings of one kernel."""

    def __init__(self, trace: Traced) -> None:
        self.trace = trace
        self.chain = Chain(trace)
        self.lanes = LaneValues(self.chain)
        self._names: dict[At, tuple[str, ...]] = {}
        for letter in ("W", "S"):
            for value, names in dimension_names(trace.ops.get(letter, [])).items():
                self._names[trace.values[value]] = names
        self._units: dict[At, dict[str, int]] = {}
        self._dealt: dict[At, Distribution] = {}
        self._read_owners()

    def _read_owners(self) -> None:
        values = self.trace.values
        for _, view in self.trace.told.get("S", []):
            if not isinstance(view, SubgroupView):
                continue
            for value, units in units_of(view):
                whole = values.get(value)
                if whole is None:
                    continue
                self._dealt.setdefault(whole, units.distribution)
                for number, unit in enumerate(units.values):
                    if unit in values:
                        known = {"value": whole[1], "unit": number}
                        self._units.setdefault(values[unit], known)

    def add(self) -> Mapping[At, int]:
        """Add the holdings to the kernel, and to its values."""
        kernel = self.trace.kernel
        made: dict[At, int] = {}
        for index, level in enumerate(kernel.levels):
            defined = [v for op in self.trace.ops.get(level.id, ()) for v in values_of(op)]
            for number, value in enumerate(defined):
                holding = self._holding(level.id, (index, number), value)
                if holding is not None:
                    made[index, number] = len(kernel.holdings)
                    kernel.holdings.append(holding)
                    level.values[number] = level.values[number]._replace(
                        holding=made[index, number]
                    )
        kernel.moves += self._moves(made)
        return made

    def _moves(self, made: Mapping[At, int]) -> Iterator[Move]:
        """How values get from one place to another, level by level."""
        yield from exchanges(self.trace, made.get)
        yield from conversions(self.lanes, made.get, self._added)
        yield from Messages(self.chain, made.get).moves()

    def _added(self, lanes: Lanes) -> int:
        """The holding of what no value of X is, but a value of X converted."""
        kernel = self.trace.kernel
        kernel.holdings.append(self._of_lanes(None, lanes, None))
        return len(kernel.holdings) - 1

    def _holding(self, letter: LevelId, at: At, value: SSAValue) -> Holding | None:
        if letter == "W":
            return self._of_workgroup(at, value)
        part, lanes = self.chain.parts.get(at), self.lanes.found.get(at)
        if lanes is not None:
            return self._of_lanes(at, lanes, part)
        return None if part is None else self._of_part(at, value, part)

    def _of_workgroup(self, at: At, value: SSAValue) -> Holding | None:
        distribution, bits = self._dealt.get(at), bits_of(value.type)
        if distribution is None or bits is None:
            return None
        dims = self.names(at, distribution.rank)
        layout = owner_bases(distribution, dims)
        return Holding(
            tensor=dims,
            sizes=list(distribution.shape),
            bits=bits,
            place=_place(value),
            layout=layout,
            blocks=owner_blocks(distribution) if layout is None else None,
        )

    def _of_part(self, at: At, value: SSAValue, part: Part) -> Holding | None:
        """A tile, or a vector of which nobody says which lanes have what."""
        bits = bits_of(value.type)
        if bits is None:
            return None
        return Holding(
            tensor=self.names(part.tile, len(part.offset)),
            sizes=self._clipped(part.tile, part.offset, part.sizes),
            bits=bits,
            place=_place(value),
            blocks=_blocks(value, part),
            offset=None if part.tile == at else list(part.offset),
            tile=None if part.tile == at else part.tile,
            base=self._units.get(at),
        )

    def _of_lanes(self, at: At | None, lanes: Lanes, part: Part | None) -> Holding:
        """A vector in registers; where what lanes have of it is not linear, only where it is in the tile."""
        dims = self.names(lanes.tile, len(lanes.origin))
        found = lanes.layout(dims)
        begins, layout = (lanes.origin, None) if found is None else found
        sizes = list(layout.outputs.values()) if layout is not None else [1] * len(dims)
        if part is not None:
            sizes = part.sizes
        return Holding(
            tensor=dims,
            sizes=self._clipped(lanes.tile, begins, sizes),
            bits=lanes.bits,
            place="registers",
            layout=layout,
            offset=list(begins),
            tile=None if lanes.tile == at else lanes.tile,
        )

    def _clipped(self, tile: At, offset: Sequence[int], sizes: Sequence[int]) -> list[int]:
        """Extents without what lies outside of the tile, which is nobody's."""
        whole = self.chain.parts[tile].sizes
        return [
            min(size, extent - start)
            for size, extent, start in zip(sizes, whole, offset, strict=True)
        ]

    def names(self, tile: At, rank: int) -> list[str]:
        """What the dimensions of a tile are called."""
        return list(self._names.get(tile) or default_names(rank))


def _place(value: SSAValue) -> Place:
    if not isinstance(value.type, TileType):
        return "registers"
    return "slm" if value.type.memory_space else "memory"


def _blocks(value: SSAValue, part: Part) -> list[Block] | None:
    """The blocks of a tile or vector that has some, in the order of its registers; else None."""
    tile = value.type
    if isinstance(tile, TileType):
        block = tile.inner_blocks
        extents = tile.shape
    elif len(part.extents) == 4 and len(part.offset) == 2:
        block = (part.extents[2], part.extents[3])
        extents = (part.extents[0] * block[0], part.extents[1] * block[1])
    else:
        return None
    if block is None:
        return None
    return [
        ([row, column], list(block))
        for row in range(0, extents[0], block[0])
        for column in range(0, extents[1], block[1])
    ]

"""Where the elements of each value are, as the passes decided it, from the workgroup's tile down to registers.

    W   %b        (register, subgroup) -> K, N of the workgroup's tile
    S   %b        the subgroup's tile: what all levels below count in
    B   %b        the same tile, in blocks
    X   %w        from (16, 32) of the tile: (register, lane) -> K, N
    V   %v, %w    the same of one lane's vectors

Values of X, V and L are parts of the tiles of S. Registers count elements, whatever the words are.

What the dimensions of tiles are called: M, N and K where they belong to a product, else dim0, dim1, ...

A tile that a product takes, as it is or made of it element by element, is named as that operand; one that a product
gives, and what is made of it, is M by N. A tile that two products need differently is named after the first.

Values of the workgroup that change their owners: through shared memory, or because subgroups have them anyhow.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from xetile.analysis.same_value import carried_pairs
from xetile.dialects.traits import Elementwise, MovesTile, ReadsTile, WritesTile, has_trait
from xetile.dialects.xetile import TileConvLayoutOp, TileMMAOp, TileTransposeOp, TileType
from xetile.explorer.holding.conversion_moves import conversions
from xetile.explorer.holding.lane_registers import Lanes, LaneValues, bits_of
from xetile.explorer.holding.message_moves import Messages
from xetile.explorer.holding.tile_parts import Chain, Part, extents_of
from xetile.explorer.linking.placed_texts import values_of
from xetile.explorer.linking.trace import Traced
from xetile.explorer.model import (
    Access,
    At,
    Bases,
    Holding,
    LevelId,
    Move,
    MoveKind,
    Place,
    Shared,
)
from xetile.layout.algebra.block_grids import Distribution, is_power_of_two
from xetile.layout.algebra.linear_layout import LayoutError
from xetile.layout.show.plain_data import form_of
from xetile.passes.tiles.xetile_wg_to_sg.exchanged import Exchanged, Kept
from xetile.passes.tiles.xetile_wg_to_sg.report import Owners, exchange_in_words
from xetile.passes.tiles.xetile_wg_to_sg.subgroup_view import SubgroupView
from xetile.passes.tiles.xetile_wg_to_sg.units import Copies, Units
from xetile.planning.distribution.exchanges import Exchange
from xetile.planning.distribution.shared_messages import Cell, Memory, Side

Block = tuple[list[int], list[int]]
"""Where a block begins, and its extents (elements)."""


def units_of(view: SubgroupView) -> Iterator[tuple[SSAValue, Units]]:
    """What each value of the workgroup became; of one that is held in several ways, the way of its map."""
    for value, form in view.environment.items():
        if isinstance(form, Units):
            yield value, form
        elif isinstance(form, Copies):
            yield value, form.each[0]


def owner_bases(distribution: Distribution, dims: list[str]) -> Bases | None:
    """The layout (register, subgroup) -> dims; registers count the elements of a subgroup's units, unit after unit.

    None where extents or subgroups are no powers of two.
    """
    try:
        layout = distribution.to_linear_layout()
    except LayoutError:
        return None
    return Bases(*form_of(layout, dims=dims))


def owner_blocks(distribution: Distribution) -> list[Block]:
    """The units in the tile, those of subgroup 0 first, as many for each subgroup."""
    units = product(range(distribution.subgroups), [list(distribution.unit)])
    return [
        (list(offset), sizes)
        for subgroup, sizes in units
        for offset in distribution.offsets(subgroup)
    ]


_DIMS = ["dim0", "dim1"]


def exchanges(trace: Traced, holding: Callable[[At], int | None]) -> Iterator[Move]:
    """The exchanges of a kernel, by the ops of W for which they are."""
    for _, told in trace.told.get("S", []):
        for made in told.moves if isinstance(told, Owners) else ():
            at = trace.op(made.op)
            if at is None:
                continue
            op = trace.ops["W"][at[1]]
            source = holding(trace.values[op.operands[0]]) if op.operands else None
            target = holding(trace.values[op.results[0]]) if op.results else None
            if isinstance(made, Kept):
                yield Move(at, _kept(made), source, target, reason=made.how)
            else:
                yield _shared_move(made, at, source, target, trace.device.shared_banks)


def _kept(made: Kept) -> MoveKind:
    return "rename" if made.how == "in registers" else "replicate"


def _shared_move(
    made: Exchanged, at: At, source: int | None, target: int | None, banks: int
) -> Move:
    return Move(
        op=at,
        kind="shared",
        source=source,
        target=target,
        price=made.plan.price,
        reason=exchange_in_words(made),
        shared=_shared(made.plan, banks),
    )


def _shared(plan: Exchange, banks: int) -> Shared | None:
    """Who stores and loads what, and how it lies; None where extents are no powers of two."""
    owners = [owner_bases(dealt, _DIMS) for dealt in (plan.source, _unturned(plan))]
    found = _offsets(plan.memory)
    if found is None or None in owners:
        return None
    places, gap = found
    store, load = (
        _access(cell, side, own)
        for cell, side, own in zip(plan.cells, (plan.stored, plan.loaded), owners, strict=True)
    )
    return Shared(
        store=store,
        load=load,
        places=places,
        gap=gap,
        bits=plan.bits,
        banks=banks,
        conflicts={"store": plan.stored.conflicts, "load": plan.loaded.conflicts},
    )


def _access(cell: Cell, side: Side, owners: Bases | None) -> Access:
    bits = side.word_bits if side.form == "block" else side.vector_bits
    sizes = dict(zip(_DIMS, cell.extents, strict=True))
    layout = Bases({"register": cell.registers, "lane": cell.lanes}, sizes)
    return Access(side.form, bits, layout, owners)


def _unturned(plan: Exchange) -> Distribution:
    """What is loaded, in the coordinates of what is stored."""
    return plan.target.transposed() if plan.turned else plan.target


def _offsets(memory: Memory) -> tuple[Bases, tuple[int, int] | None] | None:
    """The layout offset -> rows and columns of a buffer without its gaps, and these; None without powers of two."""
    rows, columns = memory.shape
    if not (is_power_of_two(rows) and is_power_of_two(columns)):
        return None
    sizes = dict(zip(_DIMS, memory.shape, strict=True))
    if memory.swizzle is not None:
        return Bases({"offset": memory.swizzle}, sizes), None
    down = [(1 << bit, 0) for bit in range(rows.bit_length() - 1)]
    across = [(0, 1 << bit) for bit in range(columns.bit_length() - 1)]
    by_rows = memory.strides[1] == 1 and memory.strides[0] >= columns
    run, step = (columns, memory.strides[0]) if by_rows else (rows, memory.strides[1])
    vectors = tuple([*across, *down] if by_rows else [*down, *across])
    return Bases({"offset": vectors}, sizes), None if run == step else (run, step)


Names: TypeAlias = tuple[str, ...]

_A, _B, _C = ("M", "K"), ("K", "N"), ("M", "N")
_MATRIX = 2


def dimension_names(ops: Sequence[Operation]) -> Mapping[SSAValue, Names]:
    """The names of the dimensions of each tile and vector of rank 2 that has to do with a product."""
    sources: dict[SSAValue, list[tuple[SSAValue, bool]]] = {}
    results: dict[SSAValue, list[tuple[SSAValue, bool]]] = {}
    for op in ops:
        for target, source, turned in _alike(op):
            sources.setdefault(target, []).append((source, turned))
            results.setdefault(source, []).append((target, turned))
    found: dict[SSAValue, Names] = {}
    products = [op for op in ops if isinstance(op, TileMMAOp)]
    for op in products:
        _spread(found, op.a, _A, sources)
        _spread(found, op.b, _B, sources)
    for op in products:
        for value in (*op.operands[2:], op.result):
            _spread(found, value, _C, sources)
            _spread(found, value, _C, results, again=True)
    for value, names in list(found.items()):
        _spread(found, value, names, sources, again=True)
        _spread(found, value, names, results, again=True)
    return found


def default_names(rank: int) -> Names:
    """What dimensions are called that no product has."""
    return tuple(f"dim{d}" for d in range(rank))


def _spread(
    found: dict[SSAValue, Names],
    value: SSAValue,
    names: Names,
    ways: Mapping[SSAValue, Sequence[tuple[SSAValue, bool]]],
    *,
    again: bool = False,
) -> None:
    """Name a value, and what leads on from it; `again`: also where the value itself has its names."""
    if value in found and not again:
        return
    found.setdefault(value, names)
    waiting = [value]
    while waiting:
        one = waiting.pop()
        for other, turned in ways.get(one, ()):
            if other not in found:
                found[other] = found[one][::-1] if turned else found[one]
                waiting.append(other)


def _alike(op: Operation) -> Iterator[tuple[SSAValue, SSAValue, bool]]:
    """Pairs of values with the same elements' places: what is made, of what, and whether it is transposed."""
    if isinstance(op, TileTransposeOp):
        yield op.result, op.source, True
    elif isinstance(op, TileConvLayoutOp) or has_trait(op, MovesTile, ReadsTile):
        yield op.results[0], op.operands[0], False
    elif has_trait(op, WritesTile):
        yield op.operands[1], op.operands[0], False
    elif has_trait(op, Elementwise):
        shape = extents_of(op.results[0]) if op.results else None
        for operand in op.operands:
            if shape is not None and len(shape) == _MATRIX and extents_of(operand) == shape:
                yield op.results[0], operand, False
    for target, source in carried_pairs(op):
        if len(extents_of(target) or ()) == _MATRIX:
            yield target, source, False


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

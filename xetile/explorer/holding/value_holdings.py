"""Where the elements of each value are, as the passes decided it, from the workgroup's tile down to registers.

    W   %b        (register, subgroup) -> K, N of the workgroup's tile
    S   %b        the subgroup's tile: what all levels below count in
    B   %b        the same tile, in blocks
    X   %w        from (16, 32) of the tile: (register, lane) -> K, N
    V   %v, %w    the same of one lane's vectors

Values of X, V and L are parts of the tiles of S. Registers count elements, whatever the words are.

The dimensions of tiles are named M, N and K if they belong to a product, else dim0, dim1, ...

A tile that a product uses, itself or through elementwise ops, has the names of that operand; one that a product
computes, and values computed from it, is M by N. If two products need a tile differently, the first decides.

Values of the workgroup change their owners through shared memory, or because subgroups have them already.
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
"""The first element of a block, and its extents (elements)."""


def units_of(view: SubgroupView) -> Iterator[tuple[SSAValue, Units]]:
    """Yield the units of each value of the workgroup; if a value has several layouts, those of its map."""
    for value, form in view.environment.items():
        if isinstance(form, Units):
            yield value, form
        elif isinstance(form, Copies):
            yield value, form.each[0]


def owner_bases(distribution: Distribution, dims: list[str]) -> Bases | None:
    """Return the layout (register, subgroup) -> dims; registers count the elements of a subgroup's units, in order.

    Return None if extents or subgroups are not powers of two.
    """
    try:
        layout = distribution.to_linear_layout()
    except LayoutError:
        return None
    return Bases(*form_of(layout, dims=dims))


def owner_blocks(distribution: Distribution) -> list[Block]:
    """Return the units in the tile, those of subgroup 0 first, the same number for each subgroup."""
    units = product(range(distribution.subgroups), [list(distribution.unit)])
    return [
        (list(offset), sizes)
        for subgroup, sizes in units
        for offset in distribution.offsets(subgroup)
    ]


_DIMS = ["dim0", "dim1"]


def exchanges(trace: Traced, holding: Callable[[At], int | None]) -> Iterator[Move]:
    """Yield the exchanges of a kernel, by the ops of W that need them."""
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
    """Return the layouts of stores, loads and memory, or None if extents are not powers of two."""
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
    """Return the distribution of the loaded tile, in the coordinates of the stored one."""
    return plan.target.transposed() if plan.turned else plan.target


def _offsets(memory: Memory) -> tuple[Bases, tuple[int, int] | None] | None:
    """Return a buffer's layout offset -> rows and columns without gaps, and the gaps; None unless powers of two."""
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
    """Return the names of the dimensions of each tile and vector of rank 2 that is related to a product."""
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
    """Return the names of dimensions that belong to no product."""
    return tuple(f"dim{d}" for d in range(rank))


def _spread(
    found: dict[SSAValue, Names],
    value: SSAValue,
    names: Names,
    ways: Mapping[SSAValue, Sequence[tuple[SSAValue, bool]]],
    *,
    again: bool = False,
) -> None:
    """Name a value and the values that `ways` relate to it; with `again` also if the value has names already."""
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
    """Yield pairs of values with the same places of elements, result first, and True if they are transposed."""
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
    """Record where each value's elements are; return the index of its holding by level and value."""
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
        """Yield the moves of values from one place to another, level by level."""
        yield from exchanges(self.trace, made.get)
        yield from conversions(self.lanes, made.get, self._added)
        yield from Messages(self.chain, made.get).moves()

    def _added(self, lanes: Lanes) -> int:
        """Add the holding of a converted value that is no value of X itself."""
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
        """Return the holding of a tile, or of a vector whose layout over lanes is unknown."""
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
        """Return the holding of a vector in registers; if its layout is not linear, only its place in the tile."""
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
        """Return extents without the elements outside of the tile, which belong to nobody."""
        whole = self.chain.parts[tile].sizes
        return [
            min(size, extent - start)
            for size, extent, start in zip(sizes, whole, offset, strict=True)
        ]

    def names(self, tile: At, rank: int) -> list[str]:
        """Return the names of a tile's dimensions."""
        return list(self._names.get(tile) or default_names(rank))


def _place(value: SSAValue) -> Place:
    if not isinstance(value.type, TileType):
        return "registers"
    return "slm" if value.type.memory_space else "memory"


def _blocks(value: SSAValue, part: Part) -> list[Block] | None:
    """Return the blocks of a tile or vector in the order of its registers, or None if it has none."""
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

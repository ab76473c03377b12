"""The block size of each tile and each vector of a subgroup-level kernel.

A tile's block is that of its messages. A vector's home is the block of its class (the values that loops carry and
elementwise ops relate): the accumulator's, else that of the tile that it is loaded from or stored to, else the one that
a product needs. A class without requirements follows the nearest one that has some. A product's requirements on a slice
also apply to the sliced vector, in blocks that the slice contains whole. Every block divides its shape: it is a power
of two that does, or follows from one.

A loop keeps its part of a class in another block if nothing inside needs the home and something needs that block. So
the values that the loop carries are repacked where it begins and ends, not in every round.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, cast

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir import Block as Straight

from xetile.analysis.same_value import (
    Classes,
    carried_pairs,
    computed_pairs,
    is_tile_vector,
    vector_shape,
)
from xetile.dialects.traits import MakesTile, ReadsTile, WritesTile, has_trait
from xetile.dialects.xetile import (
    TileBroadcastOp,
    TileMMAOp,
    TilePackOp,
    TileReduceOp,
    TileTransposeOp,
    TileType,
    TileUnpackOp,
)
from xetile.dialects.xetile.xetile_attributes import GLOBAL
from xetile.layout.algebra.block_grids import power_of_two_part
from xetile.planning.xe.message_plans import in_memory, plan, plannable_part
from xetile.planning.xe.roles import Block, Role, Roles, Slice, slice_of
from xetile.planning.xe.uses import Tiles, TileUse, tile_of
from xetile.targets.xe.device import XeDevice
from xetile.targets.xe.dpas import COLUMNS, REPEAT_COUNTS

_LOOPS = ("scf.for", "scf.while")


class LoopParts:
    """Pairs of values that should have one form, joined if both are in the same loop or both in none."""

    def __init__(self, pairs: Iterable[tuple[SSAValue, SSAValue]]) -> None:
        self._parts = Classes[None](lambda left, right: None)
        self._depths: dict[Straight, tuple[Operation | None, int]] = {}
        across: list[tuple[SSAValue, SSAValue]] = []
        for pair in pairs:
            if self._loop(pair[0])[0] is self._loop(pair[1])[0]:
                self._parts.unite(*pair)
            else:
                across.append(pair)
        self._inner = defaultdict[SSAValue, dict[SSAValue, None]](dict)
        for pair in across:
            outer, inner = sorted(pair, key=lambda value: self._loop(value)[1])
            if self._loop(outer)[1] < self._loop(inner)[1]:
                self._inner[self.find(outer)][self.find(inner)] = None

    def find(self, value: SSAValue) -> SSAValue:
        """Return the representative of the values joined with a value in its loop."""
        return self._parts.find(value)

    def is_in_loop(self, value: SSAValue) -> bool:
        return self._loop(value)[0] is not None

    def inner(self, value: SSAValue) -> Iterable[SSAValue]:
        """Return the representatives of a value in the loops nested in its own, each once and in order."""
        return self._inner[self.find(value)]

    def _loop(self, value: SSAValue) -> tuple[Operation | None, int]:
        """Return the innermost loop around a value, and the number of loops around it."""
        owner = value.owner
        block = owner if isinstance(owner, Straight) else owner.parent_block()
        return (None, 0) if block is None else self._loop_around(block)

    def _loop_around(self, block: Straight) -> tuple[Operation | None, int]:
        if block not in self._depths:
            op = block.parent_op()
            outer = None if op is None else op.parent_block()
            loop, depth = (None, 0) if outer is None else self._loop_around(outer)
            if op is not None and op.name in _LOOPS:
                loop, depth = op, depth + 1
            self._depths[block] = loop, depth
        return self._depths[block]


_DECIDING: tuple[TileUse, ...] = ("store", "load", "prefetch")
"""The use that decides a tile's block if there are several, most important first."""

_DEFAULT_BLOCK = (max(REPEAT_COUNTS), COLUMNS)
"""The largest block of a value without requirements: an accumulator's."""


@dataclass
class _VectorUses:
    """The requirements on a class of vectors, each once and in order: blocks of products by role, tiles, own packs."""

    products: dict[tuple[Role, Block], None] = field(default_factory=dict)
    loads: dict[SSAValue, None] = field(default_factory=dict)
    stores: dict[SSAValue, None] = field(default_factory=dict)
    packs: dict[Block, None] = field(default_factory=dict)


class _Link(NamedTuple):
    """A vector whose block follows from that of another vector of the same op."""

    value: SSAValue
    follow: Callable[[Block], Block]


class Blocks:
    """The blocks of one function; `product_block` returns those of one matrix product."""

    def __init__(self, function: Operation, device: XeDevice) -> None:
        self.device = device
        self._vectors = Classes[None](lambda left, right: None)
        self._uses = defaultdict[SSAValue, _VectorUses](_VectorUses)
        self._tile_blocks: dict[tuple[SSAValue, Attribute], Block] = {}
        self._message_blocks: dict[tuple[SSAValue, Attribute], Block | None] = {}
        operations = list(function.walk())
        self._tiles = Tiles(operations)
        self._roles = Roles(operations)
        pairs = [
            pair
            for op in operations
            for pair in (*carried_pairs(op), *computed_pairs(op))
            if is_tile_vector(pair[0].type)
        ]
        for left, right in pairs:
            self._vectors.unite(left, right)
        self._parts = LoopParts(pairs)
        self._part_uses = defaultdict[SSAValue, _VectorUses](_VectorUses)
        self._kept: dict[SSAValue, Block] = {}
        for op in operations:
            self._collect(op)
        self._ask_what_is_sliced(operations)
        self._homes = self._spread(operations)

    def product_block(self, op: Operation) -> tuple[int, int, int]:
        """Return the block (m, n, k) of a tile_mma: the part of an instruction that divides the shapes."""
        (rows, depth), columns = vector_shape(op.operands[0]), vector_shape(op.operands[1])[1]
        a, b, c = (_element_type(v) for v in (op.operands[0], op.operands[1], op.results[0]))
        instruction = self.device.matrix_instruction(a, b, c)
        if instruction is None:
            limit_m, limit_n, limit_k = (*_DEFAULT_BLOCK, _DEFAULT_BLOCK[1])
        else:
            limit_m, limit_n, limit_k = max(instruction.m), instruction.n, instruction.k
        return (
            power_of_two_part(rows, limit_m),
            power_of_two_part(columns, limit_n),
            power_of_two_part(depth, limit_k),
        )

    def tile_block(self, tile: SSAValue) -> Block:
        """Return the block of a tile of rank 2: a message's, else one that suits the uses of its elements."""
        key = self._tiles.find(tile), tile.type
        if key not in self._tile_blocks:
            self._tile_blocks[key] = self._chosen_block(tile)
        return self._tile_blocks[key]

    def _chosen_block(self, tile: SSAValue) -> Block:
        type = cast(TileType, tile.type)
        if type.inner_blocks is not None:
            return type.inner_blocks
        return (
            self._message_block(tile)
            or self._suiting_block(tile)
            or _default_block(type.shape)
        )

    def home(self, value: SSAValue) -> Block:
        """Return the block in which a vector is carried or computed element by element at its place."""
        home = self._homes.get(self._vectors.find(value))
        return _default_block(vector_shape(value)) if home is None else self._keep(value, home)

    def _keep(self, value: SSAValue, home: Block) -> Block:
        """Return the block of the part of a class in one loop; without requirements, that of the loops inside."""
        part = self._parts.find(value)
        if part not in self._kept:
            asked = list(self._wishes(self._part_uses[part]))
            if not asked:
                asked = [self._keep(inner, home) for inner in self._parts.inner(part)]
            elif not self._parts.is_in_loop(part):
                asked = [home]
            self._kept[part] = home if home in asked else (*asked, home)[0]
        return self._kept[part]

    def _message_block(self, tile: SSAValue) -> Block | None:
        """Return the block of a tile's 2D messages, if any message moves it."""
        key = self._tiles.find(tile), tile.type
        if key not in self._message_blocks:
            self._message_blocks[key] = self._planned_block(tile)
        return self._message_blocks[key]

    def _planned_block(self, tile: SSAValue) -> Block | None:
        """Return the block of a tile's stores, else of its loads, else of its prefetches, in 2D messages.

        Operand B is planned unpacked, since packed blocks are the same.
        """
        type, uses = cast(TileType, tile.type), self._tiles.uses(tile)
        if type.scattered or type.memory_space != GLOBAL:
            return None
        for use in _DECIDING:
            if use in uses:
                loads = self._tiles.accesses(tile, "load")
                role, transposed = (
                    self._roles.role(loads),
                    self._roles.is_only_transposed(loads),
                )
                message = plan(self.device, use, type, role, transposed=transposed)
                return None if message is None else in_memory(type, message[:2])
        return None

    def _suiting_block(self, tile: SSAValue) -> Block | None:
        """Return the block of a product, else of a message, for the values of accesses without 2D block messages."""
        accesses = self._tiles.accesses(tile)
        values = [v for part in (_loaded, _stored) for op in accesses for v in part(op)]
        uses = [self._uses_of(value) for value in values]
        for known in uses:
            for _, block in known.products:
                return block
        for other in (other for known in uses for other in (*known.stores, *known.loads)):
            if (block := self._message_block(other)) is not None:
                return block
        return None

    def _uses_of(self, value: SSAValue) -> _VectorUses:
        return self._uses[self._vectors.find(value)]

    def _all_uses_of(self, value: SSAValue) -> tuple[_VectorUses, _VectorUses]:
        """Return the uses of a vector's class, and of the part of the class that is in the vector's loop."""
        return self._uses_of(value), self._part_uses[self._parts.find(value)]

    def _asked(self, value: SSAValue) -> Block | None:
        return next(self._wishes(self._uses_of(value)), None)

    def _wishes(self, known: _VectorUses) -> Iterator[Block]:
        """Yield the required blocks, the deciding one first."""
        yield from (block for role, block in known.products if role == "c")
        yield from (self.tile_block(tile) for tile in (*known.loads, *known.stores))
        yield from (block for _, block in known.products)
        yield from known.packs

    def _spread(self, operations: Sequence[Operation]) -> dict[SSAValue, Block]:
        """Return the home of every class with requirements, and of the classes that follow them, nearest first."""
        homes: dict[SSAValue, Block] = {}
        seen: set[SSAValue] = set()
        links: dict[SSAValue, list[_Link]] = {}
        for op in operations:
            for value in (*op.operands, *op.results):
                if (
                    not is_tile_vector(value.type)
                    or (root := self._vectors.find(value)) in seen
                ):
                    continue
                seen.add(root)
                if (block := self._asked(value)) is not None:
                    homes[root] = block
            for value, link in _links(op):
                links.setdefault(self._vectors.find(value), []).append(link)
        reached = deque(homes)
        while reached:
            root = reached.popleft()
            for link in links.get(root, ()):
                other = self._vectors.find(link.value)
                if other not in homes:
                    homes[other] = link.follow(homes[root])
                    reached.append(other)
        return homes

    def _collect(self, op: Operation) -> None:
        if isinstance(op, TileMMAOp) and is_tile_vector(op.result.type):
            m, n, k = self.product_block(op)
            self._ask_for_product(op.a, "a", (m, k))
            self._ask_for_product(op.b, "b", (k, n))
            self._ask_for_product(op.result, "c", (m, n))
        elif isinstance(op, TilePackOp | TileUnpackOp):
            whole = op.source if isinstance(op, TilePackOp) else op.result
            rows, columns = op.inner_blocks.get_values()
            for known in self._all_uses_of(whole):
                known.packs[rows, columns] = None
        elif has_trait(op, MakesTile, ReadsTile, WritesTile):
            tile = tile_of(op)
            for known in (known for v in _loaded(op) for known in self._all_uses_of(v)):
                known.loads[tile] = None
            for known in (known for v in _stored(op) for known in self._all_uses_of(v)):
                known.stores[tile] = None

    def _ask_for_product(self, value: SSAValue, role: Role, block: Block) -> None:
        for known in self._all_uses_of(value):
            known.products[role, block] = None

    def _ask_what_is_sliced(self, operations: Sequence[Operation]) -> None:
        """Pass the requirements of products on through slices (of slices, around loops)."""
        slices = [(op, box) for op in operations if (box := slice_of(op)) is not None]
        found = [True]
        while any(found):
            found = [self._ask_source(op, box) for op, box in reversed(slices)]

    def _ask_source(self, op: Operation, box: Slice) -> bool:
        """Require of a slice's source what products require of the slice; return True if that is new."""
        source, shape = op.operands[0], vector_shape(op.operands[0])
        asked = self._uses_of(source).products
        before = len(asked)
        for role, block in list(self._uses_of(op.results[0]).products):
            self._ask_for_product(source, role, box.blocks_around(block, shape))
        return len(asked) != before


def _loaded(op: Operation) -> list[SSAValue]:
    return [v for v in op.results if is_tile_vector(v.type)]


def _stored(op: Operation) -> list[SSAValue]:
    return [v for v in op.operands if is_tile_vector(v.type)]


def _links(op: Operation) -> Iterator[tuple[SSAValue, _Link]]:
    """Yield the vectors of an op, each with one that follows it."""
    if (box := slice_of(op)) is not None:
        whole = vector_shape(op.operands[0])
        yield op.operands[0], _Link(op.results[0], box.whole_blocks)
        yield op.results[0], _Link(op.operands[0], partial(box.blocks_around, shape=whole))
    if not isinstance(op, TileTransposeOp | TileReduceOp | TileBroadcastOp):
        return
    if not is_tile_vector(op.source.type):
        return
    there, back = _follow(op)
    yield op.source, _Link(op.result, there)
    yield op.result, _Link(op.source, back)


def _follow(
    op: TileTransposeOp | TileReduceOp | TileBroadcastOp,
) -> tuple[Callable[[Block], Block], Callable[[Block], Block]]:
    """Return how the block of the result follows from that of the source, and the reverse."""
    if isinstance(op, TileTransposeOp):
        exchanged = op.permutation.get_values() == (1, 0)

        def exchange(block: Block) -> Block:
            return (block[1], block[0]) if exchanged else block

        return exchange, exchange
    reduces = isinstance(op, TileReduceOp)
    dimensions = (op.reduction_dims if reduces else op.broadcast_dims).get_values()
    extents = _default_block(vector_shape(op.source if reduces else op.result))

    def shrink(block: Block) -> Block:
        return without(block, dimensions)

    def stretch(block: Block) -> Block:
        rows, columns = (extents[d] if d in dimensions else block[d] for d in range(2))
        return rows, columns

    return (shrink, stretch) if reduces else (stretch, shrink)


def without(block: Block, dimensions: Sequence[int]) -> Block:
    """Return a block after some dimensions are reduced to one element."""
    rows, columns = (1 if d in dimensions else block[d] for d in range(2))
    return rows, columns


def _element_type(value: SSAValue) -> Attribute:
    return cast(VectorType[Attribute], value.type).element_type


def _default_block(shape: Sequence[int]) -> Block:
    rows, columns = plannable_part(shape)
    return min(rows, _DEFAULT_BLOCK[0]), min(columns, _DEFAULT_BLOCK[1])

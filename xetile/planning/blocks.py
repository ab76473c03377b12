"""Which block each tile and each vector of a subgroup-level kernel is kept in.

A tile's block is that of its memory messages (`load_planning`). A vector's home is the block that its class (what
loops carry and elementwise ops relate) is kept in: the accumulator's where the class is one, else that of the tile
it is loaded from or stored to, else what a product asks for. A class that nothing is asked of follows the nearest
one that is, through transposes, reductions, broadcasts and slices. What a product asks of a slice it asks of the
vector that is sliced too, in blocks of which the slice takes whole ones. Every block divides its shape: asked for are
only powers of two that do, and what follows from them.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import gcd
from typing import Literal, NamedTuple, TypeVar, cast

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.same_value import (
    Classes,
    carried_pairs,
    computed_pairs,
    is_tile_vector,
    vector_shape,
)
from xetile.dialects.upstream.vector import ExtractStridedSliceOp
from xetile.dialects.xetile import (
    TileBroadcastOp,
    TilePackOp,
    TileReduceOp,
    TileTransposeOp,
    TileType,
    TileUnpackOp,
)
from xetile.dialects.xetile.attributes import COLUMN_MAJOR, GLOBAL
from xetile.layout.algebra.distribution import power_of_two_part
from xetile.planning.loads import (
    Role,
    plan_column_major,
    plan_load,
    plan_prefetch,
    plan_store,
    plannable_part,
)
from xetile.targets.device import SUBGROUP_SIZE, Device

Block = tuple[int, int]
TileUse = Literal["load", "store", "prefetch", "atomic"]

_TILE_USES: dict[str, TileUse] = {
    "xetile.load_tile": "load",
    "xetile.load_gather": "load",
    "xetile.store_tile": "store",
    "xetile.store_scatter": "store",
    "xetile.prefetch_tile": "prefetch",
    "xetile.atomic_rmw_tile": "atomic",
}
_TILE_MAKERS = ("xetile.init_tile", "xetile.update_tile_offset")
_ROLE_ORDER: tuple[Role, ...] = ("c", "a", "b")
_LOAD_ORDER: tuple[Role, ...] = ("b", "a", "c")
_DEFAULT_BLOCK = (8, 16)
"""Upper bound of the block of a value that no message and no product asks for: the accumulator's on every device."""


_Item = TypeVar("_Item")


class _VectorUses(NamedTuple):
    """What is asked of a class of vectors: blocks of products by role, tiles that it goes through, packs by hand."""

    products: tuple[tuple[Role, Block], ...] = ()
    loads: tuple[SSAValue, ...] = ()
    stores: tuple[SSAValue, ...] = ()
    packs: tuple[Block, ...] = ()

    def role(self) -> Role:
        """The role that decides how the class is loaded; the accumulator's layout where there is no product."""
        found = {role for role, _ in self.products}
        for role in _ROLE_ORDER:
            if role in found:
                return role
        return "c"


class _TileUses(NamedTuple):
    """How a class of tiles is used, and the vectors that go through it."""

    uses: tuple[TileUse, ...] = ()
    loaded: tuple[SSAValue, ...] = ()
    stored: tuple[SSAValue, ...] = ()


class Slice(NamedTuple):
    """The box of a vector of rank 2 that a slice takes (elements)."""

    offsets: tuple[int, int]
    sizes: tuple[int, int]

    def whole_blocks(self, block: Block) -> Block:
        """The largest block that divides `block` and of which the box has whole ones."""
        rows, columns = (
            gcd(*extents) for extents in zip(block, self.offsets, self.sizes, strict=True)
        )
        return rows, columns

    def blocks_around(self, block: Block, shape: Sequence[int]) -> Block:
        """`whole_blocks` that divide the vector of this shape too."""
        rows, columns = (
            gcd(extent, whole)
            for extent, whole in zip(self.whole_blocks(block), shape, strict=True)
        )
        return rows, columns


def slice_of(op: Operation) -> Slice | None:
    """The box of a vector.extract_strided_slice of rank 2, dimensions that it does not name included."""
    if not isinstance(op, ExtractStridedSliceOp) or not is_tile_vector(op.source.type):
        return None
    named = [offset.value.data for offset in op.offsets]
    rows, columns = (*named, *[0] * (2 - len(named)))
    height, width = vector_shape(op.result)
    return Slice((rows, columns), (height, width))


class _Link(NamedTuple):
    """A vector whose block follows from that of another vector of the same op."""

    value: SSAValue
    follow: Callable[[Block], Block]


class Blocks:
    """The blocks of one function; `product_block` gives those of one matrix product."""

    def __init__(self, function: Operation, device: Device) -> None:
        self.device = device
        self._vectors = Classes[_VectorUses](_join_vectors)
        self._tiles = Classes[_TileUses](_join_tiles)
        operations = list(function.walk())
        for op in operations:
            self._relate(op)
        for op in operations:
            self._collect(op)
        self._ask_what_is_sliced(operations)
        self._homes = self._spread(operations)

    def product_block(self, op: Operation) -> tuple[int, int, int]:
        """The block (m, n, k) of a tile_mma: the device's instruction, or what of it divides the shapes."""
        (rows, depth), columns = vector_shape(op.operands[0]), vector_shape(op.operands[1])[1]
        a, b, c = (_element_type(v) for v in (op.operands[0], op.operands[1], op.results[0]))
        instruction = self.device.dpas(a, b, c)
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
        """The block of a tile of rank 2: one lane's access each where it is scattered or atomic, else a message's."""
        type = cast(TileType, tile.type)
        if type.inner_blocks is not None:
            return type.inner_blocks
        known = self._tiles.fact(tile) or _TileUses()
        if type.scattered or "atomic" in known.uses:
            return _lanes_block(type.shape)
        if type.memory_space != GLOBAL:
            return self._product_or_default(type, known)
        return self._message_block(type, known) or _default_block(type.shape)

    def home(self, value: SSAValue) -> Block:
        """The block in which a vector is kept."""
        return self._homes.get(self._vectors.find(value)) or _default_block(vector_shape(value))

    def _message_block(self, type: TileType, known: _TileUses) -> Block | None:
        """The block of the message for a tile's stores, else for its loads, else for its prefetches."""
        shape, element = type.shape, type.element_type
        message = None
        if type.order == COLUMN_MAJOR:
            uses: tuple[Literal["load", "store", "prefetch"], ...] = ("store", "load", "prefetch")
            for use in uses:
                if use in known.uses:
                    message = plan_column_major(self.device, use, shape, element)
                    return None if message is None else (message.columns, message.rows)
            return None
        if "store" in known.uses:
            message = plan_store(self.device, shape, element)
        elif "load" in known.uses:
            role = self._role(known.loaded)
            for packed in (True, False) if role == "b" else (False,):
                message = message or plan_load(self.device, shape, element, role, packed=packed)
        elif "prefetch" in known.uses:
            message = plan_prefetch(self.device, shape, element)
        return None if message is None else (message.rows, message.columns)

    def _product_or_default(self, type: TileType, known: _TileUses) -> Block:
        """No 2D block message is planned for these tiles, so that they come as the product takes them."""
        for value in (*known.loaded, *known.stored):
            for _, block in (self._vectors.fact(value) or _VectorUses()).products:
                return block
        return _default_block(type.shape)

    def _asked(self, value: SSAValue) -> Block | None:
        """What is asked of a vector's class itself."""
        known = self._vectors.fact(value) or _VectorUses()
        accumulator = next((block for role, block in known.products if role == "c"), None)
        if accumulator is not None:
            return accumulator
        for tile in (*known.loads, *known.stores):
            return self.tile_block(tile)
        for block in (*(block for _, block in known.products), *known.packs):
            return block
        return None

    def _spread(self, operations: Sequence[Operation]) -> dict[SSAValue, Block]:
        """The home of every class that something is asked of, and of those that follow from it, the nearest first."""
        homes: dict[SSAValue, Block] = {}
        links: dict[SSAValue, list[_Link]] = {}
        for op in operations:
            for value in (*op.operands, *op.results):
                if is_tile_vector(value.type) and (block := self._asked(value)) is not None:
                    homes.setdefault(self._vectors.find(value), block)
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

    def _role(self, loaded: Sequence[SSAValue]) -> Role:
        roles = {(self._vectors.fact(v) or _VectorUses()).role() for v in loaded}
        for role in _LOAD_ORDER:
            if role in roles:
                return role
        return "c"

    def _relate(self, op: Operation) -> None:
        for left, right in (*carried_pairs(op), *computed_pairs(op)):
            if is_tile_vector(left.type):
                self._vectors.unite(left, right)
            elif isinstance(left.type, TileType):
                self._tiles.unite(left, right)
        if op.name == "xetile.update_tile_offset":
            self._tiles.unite(op.results[0], op.operands[0])

    def _collect(self, op: Operation) -> None:
        if op.name == "xetile.tile_mma" and is_tile_vector(op.results[0].type):
            m, n, k = self.product_block(op)
            self._vectors.give(op.operands[0], _VectorUses((("a", (m, k)),)))
            self._vectors.give(op.operands[1], _VectorUses((("b", (k, n)),)))
            self._vectors.give(op.results[0], _VectorUses((("c", (m, n)),)))
        elif isinstance(op, TilePackOp | TileUnpackOp):
            whole = op.source if isinstance(op, TilePackOp) else op.result
            rows, columns = op.inner_blocks.get_values()
            self._vectors.give(whole, _VectorUses(packs=((rows, columns),)))
        elif op.name in _TILE_USES or op.name in _TILE_MAKERS:
            self._collect_tile(op)

    def _ask_what_is_sliced(self, operations: Sequence[Operation]) -> None:
        """Pass on through slices what products ask, until nothing is new: slices of slices, and around loops."""
        slices = [(op, box) for op in operations if (box := slice_of(op)) is not None]
        found = [True]
        while any(found):
            found = [self._ask_source(op, box) for op, box in reversed(slices)]

    def _ask_source(self, op: Operation, box: Slice) -> bool:
        """What products ask of a slice they ask of its source too; says whether that is new."""
        source, shape = op.operands[0], vector_shape(op.operands[0])
        before, uses = self._vectors.fact(source), self._vectors.fact(op.results[0])
        if uses is None:
            return False
        asked: list[tuple[Role, Block]] = [
            (role, box.blocks_around(block, shape)) for role, block in uses.products
        ]
        self._vectors.give(source, _VectorUses(tuple(asked)))
        return before != self._vectors.fact(source)

    def _collect_tile(self, op: Operation) -> None:
        tile = next(v for v in (*op.results, *op.operands) if isinstance(v.type, TileType))
        loaded = tuple(v for v in op.results if is_tile_vector(v.type))
        stored = tuple(v for v in op.operands if is_tile_vector(v.type))
        if op.name in _TILE_USES:
            self._tiles.give(tile, _TileUses((_TILE_USES[op.name],), loaded, stored))
        for value in loaded:
            self._vectors.give(value, _VectorUses(loads=(tile,)))
        for value in stored:
            self._vectors.give(value, _VectorUses(stores=(tile,)))


def _links(op: Operation) -> Iterator[tuple[SSAValue, _Link]]:
    """The vectors of an op, each with the one that follows it."""
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
    """How the block of the result follows from that of the source, and the other way round."""
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
    """A block of what is left when some dimensions are reduced to one element."""
    rows, columns = (1 if d in dimensions else block[d] for d in range(2))
    return rows, columns


def _join_vectors(left: _VectorUses, right: _VectorUses) -> _VectorUses:
    return _VectorUses(
        _union(left.products, right.products),
        _union(left.loads, right.loads),
        _union(left.stores, right.stores),
        _union(left.packs, right.packs),
    )


def _join_tiles(left: _TileUses, right: _TileUses) -> _TileUses:
    return _TileUses(
        _union(left.uses, right.uses),
        _union(left.loaded, right.loaded),
        _union(left.stored, right.stored),
    )


def _union(left: tuple[_Item, ...], right: tuple[_Item, ...]) -> tuple[_Item, ...]:
    return tuple(dict.fromkeys((*left, *right)))


def _element_type(value: SSAValue) -> Attribute:
    return cast(VectorType[Attribute], value.type).element_type


def _default_block(shape: Sequence[int]) -> Block:
    rows, columns = plannable_part(shape)
    return min(rows, _DEFAULT_BLOCK[0]), min(columns, _DEFAULT_BLOCK[1])


def _lanes_block(shape: Sequence[int]) -> Block:
    """At most one element per lane, in as few rows as the width allows."""
    columns = power_of_two_part(shape[1], SUBGROUP_SIZE)
    return power_of_two_part(shape[0], SUBGROUP_SIZE // columns), columns

"""Which block each tile and each vector of a subgroup-level kernel is kept in.

A tile's block is that of its memory messages (`load_planning`). A vector's home is the block that its class (what
loops carry and elementwise ops relate) is kept in: the accumulator's where the class is one, else the block
it was loaded in, else what its users ask for.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeVar, cast

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.load_planning import (
    Role,
    plan_load,
    plan_prefetch,
    plan_store,
    plannable_part,
)
from xetile.analysis.same_value import (
    Classes,
    carried_pairs,
    computed_pairs,
    is_tile_vector,
    vector_shape,
)
from xetile.dialects.xetile import TileType
from xetile.layout.grid import power_of_two_part
from xetile.targets.device import Device

Block = tuple[int, int]
TileUse = Literal["load", "store", "prefetch"]

_TILE_USES: dict[str, TileUse] = {
    "xetile.load_tile": "load",
    "xetile.store_tile": "store",
    "xetile.prefetch_tile": "prefetch",
}
_ROLE_ORDER: tuple[Role, ...] = ("c", "a", "b")
_LOAD_ORDER: tuple[Role, ...] = ("b", "a", "c")
_DEFAULT_BLOCK = (8, 16)
"""Upper bound of the block of a value that no message and no product asks for: the accumulator's on every device."""


_Item = TypeVar("_Item")


class _VectorUses(NamedTuple):
    """What is asked of a class of vectors: the product's blocks by role, and the tiles loaded into it."""

    products: tuple[tuple[Role, Block], ...] = ()
    loads: tuple[SSAValue, ...] = ()
    stores: tuple[SSAValue, ...] = ()

    def role(self) -> Role:
        """The role that decides how the class is loaded; the accumulator's layout where there is no product."""
        found = {role for role, _ in self.products}
        for role in _ROLE_ORDER:
            if role in found:
                return role
        return "c"


class _TileUses(NamedTuple):
    """How a class of tiles is used, and the vectors loaded from it."""

    uses: tuple[TileUse, ...] = ()
    loaded: tuple[SSAValue, ...] = ()


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
        """The block of a tile: that of its stores, else of its loads, else of its prefetches."""
        type = cast(TileType, tile.type)
        if type.inner_blocks is not None:
            return type.inner_blocks
        known = self._tiles.fact(tile) or _TileUses()
        shape, element = type.shape, type.element_type
        message = None
        if "store" in known.uses:
            message = plan_store(self.device, shape, element)
        elif "load" in known.uses:
            role = self._role(known.loaded)
            for packed in (True, False) if role == "b" else (False,):
                message = message or plan_load(self.device, shape, element, role, packed=packed)
        elif "prefetch" in known.uses:
            message = plan_prefetch(self.device, shape, element)
        if message is None:
            return _default_block(shape)
        return message.rows, message.columns

    def home(self, value: SSAValue) -> Block:
        """The block in which a vector is kept."""
        known = self._vectors.fact(value) or _VectorUses()
        accumulator = next((block for role, block in known.products if role == "c"), None)
        if accumulator is not None:
            return accumulator
        for tile in (*known.loads, *known.stores):
            return self.tile_block(tile)
        for _, block in known.products:
            return block
        return _default_block(vector_shape(value))

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
        for operand in op.operands:
            if op.name in _TILE_USES and isinstance(operand.type, TileType):
                loaded = tuple(op.results)
                self._tiles.give(operand, _TileUses((_TILE_USES[op.name],), loaded))
                if loaded:
                    self._vectors.give(loaded[0], _VectorUses(loads=(operand,)))
                elif op.name == "xetile.store_tile":
                    self._vectors.give(op.operands[0], _VectorUses(stores=(operand,)))
        if op.name == "xetile.tile_mma":
            m, n, k = self.product_block(op)
            self._vectors.give(op.operands[0], _VectorUses((("a", (m, k)),)))
            self._vectors.give(op.operands[1], _VectorUses((("b", (k, n)),)))
            self._vectors.give(op.results[0], _VectorUses((("c", (m, n)),)))


def _join_vectors(left: _VectorUses, right: _VectorUses) -> _VectorUses:
    return _VectorUses(
        _union(left.products, right.products),
        _union(left.loads, right.loads),
        _union(left.stores, right.stores),
    )


def _join_tiles(left: _TileUses, right: _TileUses) -> _TileUses:
    return _TileUses(_union(left.uses, right.uses), _union(left.loaded, right.loaded))


def _union(left: tuple[_Item, ...], right: tuple[_Item, ...]) -> tuple[_Item, ...]:
    return tuple(dict.fromkeys((*left, *right)))


def _element_type(value: SSAValue) -> Attribute:
    return cast(VectorType[Attribute], value.type).element_type


def _default_block(shape: Sequence[int]) -> Block:
    rows, columns = plannable_part(shape)
    return min(rows, _DEFAULT_BLOCK[0]), min(columns, _DEFAULT_BLOCK[1])

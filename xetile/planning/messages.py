"""Which message moves each tile of a blocked kernel, and which of its offsets change in loops."""

from collections.abc import Sequence
from math import copysign
from typing import Literal, NamedTuple, NoReturn, cast

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.same_value import Classes, carried_pairs
from xetile.dialects.traits import Elementwise, has_trait
from xetile.dialects.xetile import LoadTileOp, TilePackOp, TileType, UpdateTileOffsetOp
from xetile.dialects.xetile.attributes import COLUMN_MAJOR
from xetile.errors import fail
from xetile.layout.intel.messages import BlockConfiguration
from xetile.planning.blocks import slice_of
from xetile.planning.loads import (
    Role,
    memory_bits,
    plan_column_major,
    plan_load,
    plan_prefetch,
    plan_store,
    plan_upstream,
)
from xetile.targets.device import SYSTOLIC_DEPTH, Device, plannable

TileUse = Literal["load", "store", "prefetch"]
TILE_USES: dict[str, TileUse] = {
    "xetile.load_tile": "load",
    "xetile.store_tile": "store",
    "xetile.prefetch_tile": "prefetch",
}

_SAME_ELEMENTS = ("xetile.tile_pack", "xetile.tile_unpack", "vector.extract_strided_slice")
_STRUCTURE = (*_SAME_ELEMENTS, "scf.for", "scf.if", "scf.while")
_STRUCTURE_ENDS = ("scf.yield", "scf.condition")


class _TileFacts(NamedTuple):
    """What is known of a class of tiles: ops that use it, where it begins, which dimensions move."""

    uses: tuple[Operation, ...] = ()
    begins: tuple[Operation, ...] = ()
    moves: frozenset[int] = frozenset()


class Messages:
    """The messages of one function on one device; with `upstream` those that upstream's pipeline takes."""

    def __init__(self, function: Operation, device: Device, *, upstream: bool = False) -> None:
        self.device = device
        self.upstream = upstream
        self._tiles = Classes[_TileFacts](_join)
        self._vectors = Classes[frozenset[str]](lambda left, right: left | right)
        operations = list(function.walk())
        for op in operations:
            self._relate(op)
        for op in operations:
            self._collect(op)

    def uses(self, tile: SSAValue) -> list[TileUse]:
        """How a tile is used, each way once."""
        facts = self._tiles.fact(tile) or _TileFacts()
        return list(dict.fromkeys(TILE_USES[op.name] for op in facts.uses))

    def moving_dimensions(self, tile: SSAValue) -> tuple[int, ...]:
        """The dimensions in which loops and branches must carry the tile's offset."""
        facts = self._tiles.fact(tile) or _TileFacts()
        if len(facts.begins) > 1:
            return (0, 1)
        return tuple(sorted(facts.moves))

    def message(self, tile: SSAValue, use: TileUse) -> BlockConfiguration:
        """The message that moves a tile in one use, refused at that use where the device has none."""
        facts = self._tiles.fact(tile) or _TileFacts()
        at = next(op for op in facts.uses if TILE_USES[op.name] == use)
        type = cast(TileType, tile.type)
        if type.inner_blocks is None:
            fail(at, f"{type} has no inner_blocks; run xetile-blocking first")
        message = self._plan(facts, type, use, type.inner_blocks)
        if message is None:
            self._refuse(at, facts, type, use)
        return message

    def _plan(
        self, facts: _TileFacts, type: TileType, use: TileUse, block: tuple[int, int]
    ) -> BlockConfiguration | None:
        shape, element = type.shape, type.element_type
        if type.order == COLUMN_MAJOR:
            return plan_column_major(self.device, use, shape, element, block=block)
        if self.upstream:
            role = self._load_form(facts.uses)[0] if use == "load" else "c"
            return plan_upstream(self.device, use, block, element, role)
        if use == "load":
            role, packed = self._load_form(facts.uses)
            return plan_load(self.device, shape, element, role, packed=packed, block=block)
        if use == "store":
            return plan_store(self.device, shape, element, block=block)
        return plan_prefetch(self.device, shape, element, block=block)

    def _refuse(self, at: Operation, facts: _TileFacts, type: TileType, use: TileUse) -> NoReturn:
        bits = memory_bits(type.element_type)
        known = () if bits is None else plannable(self.device, use, bits)
        by_columns = type.order == COLUMN_MAJOR
        blocks = {(c.columns, c.rows) if by_columns else (c.rows, c.columns) for c in known}
        legal = sorted(block for block in blocks if self._plan(facts, type, use, block) is not None)
        shown = ", ".join(f"{rows}x{columns}" for rows, columns in legal) or "none"
        rows, columns = type.inner_blocks or type.shape
        fail(
            at,
            f"{self.device.name} has no 2D block {use} for blocks of {rows}x{columns} {type.element_type} "
            f"in a {'column-major ' if by_columns else ''}tile of {'x'.join(map(str, type.shape))} in this role; "
            f"blocks of this tile that it {use}s: {shown}",
        )

    def _load_form(self, uses: Sequence[Operation]) -> tuple[Role, bool]:
        """The role of what is loaded, and whether it may be loaded packed, as only operand B is used."""
        facts: frozenset[str] = frozenset()
        for op in uses:
            if op.name == "xetile.load_tile":
                facts |= self._vectors.fact(op.results[0]) or frozenset()
        role: Role = "c"
        if "c" not in facts:
            role = "a" if "a" in facts else "b" if "b" in facts else "c"
        return role, facts == frozenset(("load", "b")) and self._packs(uses)

    def _packs(self, uses: Sequence[Operation]) -> bool:
        load = next(op for op in uses if op.name == "xetile.load_tile")
        bits = memory_bits(cast(VectorType[Attribute], load.results[0].type).element_type)
        return bits is not None and bool(plannable(self.device, "load_packed", bits))

    def _relate(self, op: Operation) -> None:
        for left, right in carried_pairs(op):
            if isinstance(left.type, TileType):
                self._tiles.unite(left, right)
            elif isinstance(left.type, VectorType):
                self._vectors.unite(left, right)
        if op.name == "xetile.update_tile_offset":
            self._tiles.unite(op.results[0], op.operands[0])
        elif op.name in _SAME_ELEMENTS or has_trait(op, Elementwise):
            vectors = [v for v in (*op.results, *op.operands) if isinstance(v.type, VectorType)]
            for other in vectors[1:]:
                self._vectors.unite(vectors[0], other)
        elif op.name == "xetile.tile_mma":
            for accumulator in op.operands[2:]:
                self._vectors.unite(op.results[0], accumulator)

    def _collect(self, op: Operation) -> None:
        for operand in op.operands:
            if isinstance(operand.type, TileType) and op.name in TILE_USES:
                self._tiles.give(operand, _TileFacts(uses=(op,)))
        if op.name == "xetile.init_tile":
            self._tiles.give(op.results[0], _TileFacts(begins=(op,)))
        elif isinstance(op, UpdateTileOffsetOp):
            moves = [d for d, step in enumerate(op.mixed_offsets) if _constant(step) != 0]
            self._tiles.give(op.results[0], _TileFacts(moves=frozenset(moves)))
        self._collect_vectors(op)

    def _collect_vectors(self, op: Operation) -> None:
        if op.name == "xetile.tile_mma":
            for role, value in zip("abc", (*op.operands[:2], op.results[0]), strict=True):
                self._vectors.give(value, frozenset((role,)))
        elif isinstance(op, LoadTileOp):
            self._vectors.give(op.result, frozenset(("load", "other") if pads(op) else ("load",)))
        elif _cuts_packed_rows(op):
            self._vectors.give(op.results[0], frozenset(("other",)))
        elif op.name not in _STRUCTURE and op.name not in _STRUCTURE_ENDS:
            for value in (*op.results, *op.operands):
                if isinstance(value.type, VectorType):
                    self._vectors.give(value, frozenset(("other",)))


def _cuts_packed_rows(op: Operation) -> bool:
    """Whether an op cuts a vector elsewhere than between the rows of B that one matrix instruction takes."""
    if isinstance(op, TilePackOp):
        rows = (op.inner_blocks.get_values()[0],)
    elif (box := slice_of(op)) is not None:
        rows = (box.offsets[0], box.sizes[0])
    else:
        return False
    bits = memory_bits(cast(VectorType[Attribute], op.results[0].type).element_type)
    return bits is not None and any(row % (SYSTOLIC_DEPTH * max(1, 32 // bits)) for row in rows)


def pads(op: LoadTileOp) -> bool:
    """Whether a load asks for a padding that 2D block loads do not give: other than positive zero."""
    padding = op.padding
    if not isinstance(padding, FloatAttr | IntegerAttr):
        return False
    number = cast("FloatAttr | IntegerAttr", padding).value.data
    return number != 0 or copysign(1, number) < 0


def _join(left: _TileFacts, right: _TileFacts) -> _TileFacts:
    return _TileFacts(
        tuple(dict.fromkeys((*left.uses, *right.uses))),
        tuple(dict.fromkeys((*left.begins, *right.begins))),
        left.moves | right.moves,
    )


def _constant(offset: int | SSAValue) -> int | None:
    """The value of an offset that is known."""
    if isinstance(offset, int):
        return offset
    if isinstance(offset.owner, Operation) and offset.owner.name == "arith.constant":
        value = offset.owner.properties.get("value")
        if isinstance(value, IntegerAttr):
            return value.value.data
    return None

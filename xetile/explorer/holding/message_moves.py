"""The messages of level V: the data that each moves, and where it begins in the subgroup's tile."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from xetile.dialects.xegpu import LoadNdOp
from xetile.dialects.xetile import TileType
from xetile.dialects.xevm import (
    BlockLoad2dOp,
    BlockLoadOp,
    BlockPrefetch2dOp,
    BlockStore2dOp,
    BlockStoreOp,
)
from xetile.explanation.lane_summary import space_of
from xetile.explorer.holding.lane_registers import vector_bits
from xetile.explorer.holding.tile_parts import Chain
from xetile.explorer.model import At, LevelId, Message, Move
from xetile.passes.xe.convert_xetile_to_xegpu.xegpu_view import MessagePlace, XeGPUView
from xetile.passes.xe.convert_xevm_to_llvm.llvm_view import LLVMView
from xetile.planning.xe.register_layouts import RegisterLayouts
from xetile.targets.target import BYTE_BITS
from xetile.targets.xe.device import GLOBAL_ADDRESS_SPACE

_Block: TypeAlias = BlockLoad2dOp | BlockStore2dOp | BlockPrefetch2dOp
Known: TypeAlias = Callable[[At], int | None]
"""A function that returns the index of a value's holding, or None."""


class Messages:
    """The moves of one kernel between memory and registers, one for each op of V that is a message."""

    def __init__(self, chain: Chain, holding: Known) -> None:
        self.chain = chain
        self.trace = chain.trace
        self.holding = holding
        self.places: dict[At, MessagePlace] = {}
        self.pairs: dict[At, bool] = {}
        self._begun: dict[Operation, MessagePlace] = {}
        levels: tuple[LevelId, ...] = ("X", "V", "L")
        for told in (told for level in levels for _, told in self.trace.told.get(level, [])):
            if isinstance(told, XeGPUView):
                self._read_places(told)
            elif isinstance(told, RegisterLayouts):
                self._read_joins(told)
            elif isinstance(told, LLVMView):
                self._read_pairs(told)

    def moves(self) -> Iterator[Move]:
        """Yield the moves in the order of the program."""
        here = self.trace.level("V")
        for index, op in enumerate(self.trace.ops.get("V", []) if here is not None else []):
            at = (here or 0, index)
            if isinstance(op, BlockLoad2dOp | BlockStore2dOp | BlockPrefetch2dOp):
                yield self._of_block(at, op)
            elif space_of(op) == GLOBAL_ADDRESS_SPACE and _moved(op) is not None:
                yield self._of_lanes(at, op)

    # Reports of the passes.

    def _read_places(self, view: XeGPUView) -> None:
        for op, place in view.begins.items():
            if (at := self.trace.op(op)) is not None:
                self.places[at] = place
        self._begun = view.begins

    def _read_joins(self, layouts: RegisterLayouts) -> None:
        """Place loads that share one message where the first of them begins."""
        for op in self._begun:
            join = layouts.joined(op) if isinstance(op, LoadNdOp) else None
            at, first = (
                self.trace.op(op),
                None if join is None else self._begun.get(join.corner),
            )
            if at is not None and first is not None:
                self.places[at] = first

    def _read_pairs(self, view: LLVMView) -> None:
        """Record messages that are merged at L: True for the emitted one, False for the one that it contains."""
        for first, second in view.joined.items():
            self._pair(first, is_whole=True)
            self._pair(second, is_whole=False)
        for store, pair in view.pairs.items():
            self._pair(store, is_whole=pair is not None)

    def _pair(self, op: Operation, *, is_whole: bool) -> None:
        if (at := self.trace.op(op)) is not None:
            self.pairs[at] = is_whole

    # Moves.

    def _of_block(self, at: At, op: _Block) -> Move:
        place = self._place(at)
        blocks = 1 if isinstance(op, BlockStore2dOp) else op.v_blocks.value.data
        element = self._element_bits(at) or op.bits
        whole = self.pairs.get(at)
        ends = whole is True and isinstance(op, BlockStore2dOp)
        columns = op.columns * op.bits // element * (2 if whole else 1)
        message = Message(
            rows=op.rows,
            columns=columns,
            blocks=blocks,
            form=_form(op),
            bytes=op.rows * columns * blocks * element // BYTE_BITS,
            offset=None if place is None else _begin(place, op.columns if ends else 0),
        )
        reason = "" if whole is not False else "done by the message of its neighbour"
        return self._move(at, op, [message] if whole is not False else [], reason)

    def _of_lanes(self, at: At, op: Operation) -> Move:
        value = _moved(op)
        assert value is not None
        lanes, bits = self.trace.kernel.lanes, vector_bits(value.type)
        form = "by lanes"
        if isinstance(op, BlockLoadOp | BlockStoreOp):
            form = "in a row"
        size = lanes * bits // BYTE_BITS
        message = Message(lanes, max(1, bits // BYTE_BITS), 1, form, size)
        return self._move(at, op, [message], "")

    def _move(self, at: At, op: Operation, messages: list[Message], reason: str) -> Move:
        value = _moved(op)
        registers = None if value is None else self.holding(self.trace.values[value])
        memory = self._memory(at)
        loads = bool(op.results) or value is None
        source, target = (memory, registers) if loads else (registers, memory)
        return Move(at, "message", source, target, reason=reason, messages=messages)

    def _above(self, at: At) -> At | None:
        """Return the op of X from which an op of V was lowered."""
        level = self.trace.kernel.levels[at[0]]
        parents = level.ops[at[1]].parents
        return (level.of, parents[0]) if parents and level.of is not None else None

    def _place(self, at: At) -> MessagePlace | None:
        above = self._above(at)
        return None if above is None else self.places.get(above)

    def _tile(self, at: At) -> SSAValue | None:
        """Return the tile at B that a message reads or writes."""
        above = self._above(at)
        level = None if above is None else self.trace.kernel.levels[above[0]]
        if (
            above is None
            or level is None
            or level.of is None
            or not level.ops[above[1]].parents
        ):
            return None
        upper = self.trace.kernel.levels[level.of].id
        op = self.trace.ops[upper][level.ops[above[1]].parents[0]]
        return next((v for v in op.operands if isinstance(v.type, TileType)), None)

    def _memory(self, at: At) -> int | None:
        """Return the holding of the subgroup's tile in memory."""
        tile = self._tile(at)
        part = None if tile is None else self.chain.parts.get(self.trace.values[tile])
        return None if part is None else self.holding(part.tile)

    def _element_bits(self, at: At) -> int | None:
        found = self._memory(at)
        return None if found is None else self.trace.kernel.holdings[found].bits


def _moved(op: Operation) -> SSAValue | None:
    """Return the value that a message loads or stores, or None for other ops."""
    if isinstance(op, BlockStore2dOp):
        return op.stored_val
    if isinstance(op, BlockStoreOp):
        return op.val
    if op.name == "llvm.store":
        return op.operands[0]
    return op.results[0] if len(op.results) == 1 else None


def _form(op: _Block) -> str:
    if isinstance(op, BlockLoad2dOp) and op.is_packed:
        return "packed"
    return "transposed" if isinstance(op, BlockLoad2dOp) and op.is_transposed else "plain"


def _begin(place: MessagePlace, before: int) -> list[int]:
    """Return the first element of a message in the program's tile, `before` columns before a place."""
    row, column = place.row, place.column - before
    return [column, row] if place.by_columns else [row, column]

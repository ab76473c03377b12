"""Rows that no single message or instruction covers: the fewest of different heights, one below the other."""

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation, SSAValue

from xetile.analysis.same_value import Classes, carried_pairs, vector_shape
from xetile.dialects.xetile import TileMMAOp, TileType
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.dialects.xetile.xetile_attributes import COLUMN_MAJOR
from xetile.layout.intel.message_layouts import BlockConfiguration
from xetile.planning.xe.message_words import access_of, known_messages, word_bits
from xetile.planning.xe.roles import Role
from xetile.planning.xe.uses import TileUse
from xetile.targets.xe.device import XeDevice
from xetile.targets.xe.dpas import REPEAT_COUNTS

Heights = tuple[int, ...]
"""The rows (elements) of each, from the top."""


def stacked(
    device: XeDevice,
    use: TileUse,
    tile: TileType,
    message: BlockConfiguration,
    role: Role,
) -> tuple[BlockConfiguration, ...]:
    """Return messages one below the other in place of the planned one; a single message is repeated.

    24 rows are 16 and 8: the tallest first, and none lower than the planned one. If a taller message divides the rows,
    blocks were deliberately chosen smaller, and stay so. For operand A, and for prefetches, 7 rows are loaded as 8, as
    many as the last instruction takes. Messages of 4, 2 and 1 rows would have to be joined for it, register by
    register.
    """
    bits, column_major = memory_bits(tile.element_type), tile.order == COLUMN_MAJOR
    access, rows = access_of(use, message), tile.shape[1 if column_major else 0]
    if bits is None or message.transposed or (column_major and use != "prefetch"):
        return (message,)
    if use == "load" and word_bits(device, access, message, bits) != bits:
        return (message,)
    known = set(known_messages(device, access, bits))
    taller = sorted(
        (c.rows for c in known if c._replace(rows=message.rows) == message), reverse=True
    )
    heights = [height for height in taller if height > message.rows]
    if rows % message.rows or any(rows % height == 0 for height in heights):
        return (message,)
    if (use, role) == ("load", "a") or use == "prefetch":
        last = instruction_heights(rows)[-1]
        rows += held_rows(last) - last
    found = fewest(rows, [*heights, message.rows])
    if set(found) == {message.rows}:
        return (message,)
    return tuple(message._replace(rows=height) for height in found)


def fewest(rows: int, heights: Sequence[int]) -> Heights:
    """Return heights that add up to `rows`, tallest first; each divides those before it, the last divides `rows`."""
    found: list[int] = []
    for height in heights:
        found += [height] * ((rows - sum(found)) // height)
    return tuple(found)


def instruction_heights(rows: int) -> Heights:
    """Return the rows of each of the fewest matrix instructions for `rows` rows of A; the last may have spare rows."""
    most = max(REPEAT_COUNTS)
    whole, rest = divmod(rows, most)
    return (most,) * whole + ((rest,) if rest else ())


def held_rows(height: int) -> int:
    """Return the smallest power of two that is at least `height`."""
    return 1 << (height - 1).bit_length()


class SharedInstructions:
    """The sums of products in blocks with fewer rows than an instruction, so that one instruction does several."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._sums = Classes[bool](lambda left, right: left or right)
        for op in operations:
            for left, right in carried_pairs(op):
                if isinstance(left.type, VectorType):
                    self._sums.unite(left, right)
            if isinstance(op, TileMMAOp):
                if op.c is not None:
                    self._sums.unite(op.result, op.c)
                shares = shares_instructions(op)
                self._sums.give(op.result, shares)
                if not shares:
                    self._sums.give(op.a, shares)

    def have_whole_blocks(self, value: SSAValue) -> bool:
        """Return True for sums, or left factors, of products in which each block is the block of one instruction."""
        return self._sums.fact(value) is False

    def heights(self, value: SSAValue) -> Heights | None:
        """Return the rows that each instruction has of a sum, or None for other values and for whole blocks."""
        if not self._sums.fact(value):
            return None
        rows, _, height, _ = vector_shape(value)
        return instruction_heights(rows * height)


def shares_instructions(op: TileMMAOp) -> bool:
    """Return True if a product in blocks has several blocks with fewer rows than an instruction."""
    shape = vector_shape(op.result)
    return len(shape) > 2 and shape[0] > 1 and shape[2] < max(REPEAT_COUNTS)

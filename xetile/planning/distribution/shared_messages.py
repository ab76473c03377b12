"""The shared memory accesses of one side of an exchange: a subgroup's messages, and how they meet in the banks.

The unit's extents and its user predict which lane and register will hold which element. A message is a block message
(adjacent lanes access neighbors, register by register) or one of lanes (each lane accesses neighbors), as
`lane_messages` forms them later.
"""

from collections.abc import Callable, Sequence
from math import gcd, prod
from typing import Literal, NamedTuple

from xdsl.ir import SSAValue

from xetile.dialects.xetile import TileMMAOp
from xetile.layout.algebra.block_grids import power_of_two_part
from xetile.layout.exchange.banks import conflicts
from xetile.layout.exchange.swizzling import BANK_BITS
from xetile.planning.planner import Cell, Place, planner_of
from xetile.targets.target import BYTE_BITS, Target

Role = Literal["a", "b", "rows"] | None
"""The use of a loaded value: an operand of a matrix product, or "rows" that are reduced; None for any other use."""


class Memory(NamedTuple):
    """The layout of a buffer's elements: by strides, or by the meaning of each bit of an offset; in elements.

    `shape` excludes gaps; one stride is 1, and the other at least the extent along that dimension.
    """

    shape: Place
    strides: Place
    swizzle: tuple[Place, ...] | None = None

    @property
    def extents(self) -> Place:
        """Rows and columns including the gaps after them."""
        rows, columns = self.shape
        if self.swizzle is not None:
            return self.shape
        by_rows = self.strides[1] == 1 and self.strides[0] >= columns
        return (rows, self.strides[0]) if by_rows else (self.strides[1], columns)

    @property
    def elements(self) -> int:
        """The elements of the buffer, including gaps."""
        return prod(self.extents)


class Side(NamedTuple):
    """The messages with which one subgroup stores or loads all of its units.

    Attributes:
        form: "block" or "lanes".
        words: of one lane in one message, `word_bits` wide each.
        messages: their number.
        conflicts: additional cycles of one message, because lanes ask a bank for different words.
        price: of all messages, in instructions.
    """

    form: Literal["block", "lanes"]
    words: int
    word_bits: int
    messages: int
    conflicts: int
    price: float

    @property
    def vector_bits(self) -> int:
        """The bits that a message moves for each lane."""
        return self.words * self.word_bits


def role_of(value: SSAValue) -> Role:
    """Return the operand of products that a value is, or None."""
    uses = [use for use in value.uses if isinstance(use.operation, TileMMAOp)]
    roles: tuple[Role, ...] = ("a", "b", None)
    return roles[uses[0].index] if uses else None


def predicted_cell(unit: Place, bits: int, role: Role, device: Target) -> Cell:
    """Return the block of a unit of elements of `bits` as registers will hold it: an operand, else lanes along columns.

    A single column, and columns whose rows are reduced, have rows in lanes, then columns. If there are too few
    elements, lanes hold the same ones.
    """
    if role == "a" or role == "b":
        found = planner_of(device).operand(unit, bits, role)
        if found is not None:
            return found
    by_rows = unit[1] == 1 or role == "rows"
    most = (device.prices.block_words, device.lanes)
    rows, columns = (power_of_two_part(n, limit) for n, limit in zip(unit, most, strict=True))
    down = [(1 << bit, 0) for bit in range(rows.bit_length() - 1)]
    across = [(0, 1 << bit) for bit in range(columns.bit_length() - 1)]
    count = device.lanes.bit_length() - 1
    order = (
        [*down, *across] if by_rows else [*across, *[(0, 0)] * (count - len(across)), *down]
    )
    lanes = [*order[:count], *[(0, 0)] * (count - len(order))]
    return Cell((rows, columns), tuple(order[count:]), tuple(lanes))


def side(cell: Cell, cells: int, memory: Memory, bits: int, device: Target) -> Side:
    """Return the messages of a subgroup that accesses `cells` cells of elements of `bits`."""
    numbers = _numbers(cell, memory)
    block = _block(numbers, bits, device)
    found = _lanes(numbers, bits, device) if block is None else block
    return found._replace(messages=found.messages * cells, price=found.price * cells)


class _Numbers(NamedTuple):
    """Offsets (elements) of a cell's registers in lane 0 and of its lanes.

    Attributes:
        held: the bits of an offset that lanes, or anything outside the cell, may change.
        aligned: a power of two that divides where cells begin; 0 where there is only one.
        mixed: the bits that swizzles combine with those from outside the cell.
    """

    registers: frozenset[int]
    lanes: tuple[int, ...]
    held: int
    aligned: int
    mixed: int | None


def _numbers(cell: Cell, memory: Memory) -> _Numbers:
    if memory.swizzle is None:
        down, across = memory.strides

        def at(place: Place) -> int:
            return place[0] * down + place[1] * across

        registers = _sums([at(p) for p in cell.registers], int.__add__)
        lanes = _sums([at(p) for p in cell.lanes], int.__add__)
        steps = zip(cell.extents, memory.shape, memory.strides, strict=True)
        around = gcd(*(own * stride for own, extent, stride in steps if own < extent))
        multiple = gcd(around, *lanes)
        held = ~((multiple & -multiple) - 1) if multiple else 0
        return _Numbers(frozenset(registers), tuple(lanes), held, around & -around, None)
    found = swizzle_steps(memory.shape, memory.swizzle)

    def of(place: Place) -> int:
        picked = 0
        for number, steps in zip(place, found, strict=True):
            for bit, step in enumerate(steps):
                picked ^= step if number >> bit & 1 else 0
        return picked

    outside = [
        step
        for own, steps in zip(cell.extents, found, strict=True)
        for step in steps[own.bit_length() - 1 :]
    ]
    around = _union(outside)
    lanes = _sums([of(p) for p in cell.lanes], int.__xor__)
    held = _union([around, *lanes])
    registers = _sums([of(p) for p in cell.registers], int.__xor__)
    return _Numbers(frozenset(registers), tuple(lanes), held, around & -around, around)


def _union(numbers: Sequence[int]) -> int:
    found = 0
    for number in numbers:
        found |= number
    return found


def swizzle_steps(shape: Place, swizzle: Sequence[Place]) -> tuple[tuple[int, ...], ...]:
    """Return for each dimension the number that each bit of a coordinate adds to the offset by exclusive or."""
    from xetile.layout.algebra.f2 import inverse

    width = shape[1].bit_length() - 1
    columns = inverse([row << width | column for row, column in swizzle])
    return tuple(columns[width:]), tuple(columns[:width])


def _sums(columns: Sequence[int], join: Callable[[int, int], int]) -> list[int]:
    sums = [0]
    for column in columns:
        sums += [join(found, column) for found in sums]
    return sums


def _block(numbers: _Numbers, bits: int, device: Target) -> Side | None:
    """Return block messages if the lanes' words are neighbors in order, else None."""
    lanes, prices = numbers.lanes, device.prices
    size = lanes[1] if len(lanes) > 1 else 0
    word, row = size * bits, size * len(lanes)
    if size < 1 or lanes != tuple(range(0, row, size)):
        return None
    if word not in prices.block_bits or word > BANK_BITS:
        return None
    if numbers.aligned * bits // BYTE_BITS % prices.block_alignment:
        return None
    mixed = 0
    if numbers.mixed is not None:
        mixed = numbers.mixed
        if mixed & row - 1 or any(n & row - size for n in numbers.registers):
            return None
    left = set(numbers.registers)
    counts: list[int] = []
    while left:
        start, count = min(left), 1
        if start * bits // BYTE_BITS % prices.block_alignment:
            return None
        if not _all_there(left, start, row, size, 1):
            return None
        while (
            2 * count <= prices.block_words
            and not mixed & row * count
            and _all_there(left, start, row, size, 2 * count)
        ):
            count *= 2
        counts.append(count)
        left -= {start + row * n + p for n in range(count) for p in range(size)}
    price = prices.block_message * len(counts)
    return Side("block", max(counts), word, len(counts), 0, price)


def _all_there(left: set[int], start: int, row: int, size: int, count: int) -> bool:
    return all(start + row * n + p in left for n in range(count) for p in range(size))


def _lanes(numbers: _Numbers, bits: int, device: Target) -> Side:
    """Return messages in which each lane accesses neighbors of its own."""
    prices, held = device.prices, numbers.held
    most = min(prices.lane_words * max(bits, BANK_BITS), prices.lane_bytes * BYTE_BITS) // bits
    free = (held & -held) if held else most
    limit = max(1, min(most, free))
    left = set(numbers.registers)
    counts: list[int] = []
    while left:
        start, count = min(left), 1
        while (
            2 * count <= limit
            and start % (2 * count) == 0
            and all(start + n in left for n in range(2 * count))
        ):
            count *= 2
        counts.append(count)
        left -= set(range(start, start + count))
    wide = max(counts)
    word = min(bits * wide, max(bits, BANK_BITS))
    narrow = sum(count for count in counts if count > 1) if bits < BANK_BITS else 0
    price = prices.lane_message * len(counts) + prices.narrow_word * narrow
    found = conflicts(
        [lane * bits for lane in numbers.lanes], wide * bits, device.shared_banks
    )
    return Side("lanes", wide * bits // word, word, len(counts), found, price)

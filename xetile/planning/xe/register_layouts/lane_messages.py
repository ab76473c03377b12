"""The messages of a scattered access: the registers of a lane that one message moves, and their address.

Consider 16x8 f32 elements at offsets 64 row + column. With rows in lanes and columns in registers, a lane's 8 registers
are neighbors in memory: one message of 8 words for each lane. With rows in registers and columns in lanes they are 8
messages of one word. In shared memory, 16 lanes with neighboring words make them one block message.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from xetile.dialects.xegpu.nd_ops import REGISTER_BITS
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.exchange.banks import conflicts
from xetile.layout.exchange.step_prices import Prices
from xetile.planning.xe.message_words import BYTE_BITS
from xetile.planning.xe.register_layouts.element_places import PlaceAnalysis
from xetile.planning.xe.register_layouts.places import (
    ONE,
    Places,
    Product,
    lowest,
    possible_sum,
    union,
)
from xetile.targets.xe.device import SHARED_BLOCK_ALIGNMENT


class Step(NamedTuple):
    """A product and its factors: `number` is the same for each lane, and `lanes` adds a factor for each."""

    product: Product
    number: int
    lanes: tuple[int, ...]


class Twist(NamedTuple):
    """`uniform ^ number ^ lanes`: the parts of an exclusive or that a register and a lane add."""

    number: int
    lanes: tuple[int, ...]


class Part(NamedTuple):
    """The part that addresses of some registers share: all but a known number.

    `unknown`: the coordinates on which the part depends that is read from the vector of offsets, or None if there is no
    such part.
    """

    steps: tuple[Step, ...]
    twist: Twist | None
    unknown: int | None


class LaneMessage(NamedTuple):
    """Registers that one message moves, in the order of memory.

    Attributes:
        form: "lanes": each lane has adjacent words; "block": a word's neighbors are those of the next lanes.
        part: its address without `offset` (elements).
        registers: the elements, `word_bits` of which are one word.
        alignment: of the address (bytes), as far as it is known.
        masked: the register whose mask applies to all; None if nothing is masked.
        conflicts: additional cycles because lanes ask for different words of one bank.
    """

    form: Literal["lanes", "block"]
    part: Part
    offset: int
    registers: tuple[int, ...]
    word_bits: int
    alignment: int
    masked: int | None = None
    conflicts: int = 0

    def words(self, bits: int) -> int:
        """Return the words of a lane, for elements of `bits`."""
        return len(self.registers) * bits // self.word_bits


class LanePlan(NamedTuple):
    """The messages of an access, and the place of each register among the elements that they move."""

    messages: tuple[LaneMessage, ...]
    places: tuple[int, ...]
    price: float


class Access(NamedTuple):
    """The known facts about a scattered access.

    Attributes:
        places: the places of its elements (elements from the base).
        multiples: a number for each product, of which that product is a multiple.
        twisted: the bits that may be set in the uniform part of a swizzle.
        bits: of an element in memory.
        alignment: of the base, in bytes.
        is_shared: True for an access to shared memory.
        masked: the coordinate bits on which its mask depends, None if nothing is masked.
    """

    places: Places
    multiples: Mapping[Product, int]
    twisted: int
    bits: int
    alignment: int
    is_shared: bool
    masked: int | None


def access(
    analysis: PlaceAnalysis,
    places: Places,
    bits: int,
    *,
    alignment: int,
    is_shared: bool,
    masked: int | None,
) -> Access:
    """Return an access with the known facts about the scalars in its addresses."""
    multiples = {p: lowest(analysis.bits_of(p)) for p in places.terms if p != ONE}
    twisted = 0 if places.swizzle is None else analysis.possible_uniform(places.swizzle)
    return Access(places, multiples, twisted, bits, alignment, is_shared, masked)


def lane_messages(
    access: Access, layout: LinearLayout, prices: Prices, banks: int
) -> LanePlan:
    """Return the messages that load or store a vector in this layout, and their price.

    An element that several registers hold is moved once for all of them. `banks` are those of shared memory.
    """
    registers = _images(layout.in_columns["register"])
    lanes = _images(layout.in_columns["lane"])
    groups: dict[tuple[Part, int], dict[int, int]] = {}
    first: dict[tuple[Part, int, int], int] = {}
    same: list[int] = []
    parts: dict[object, Part] = {}
    mixed = _mixed(layout)
    for register, at in enumerate(registers):
        part, offset = _part(access, at, lanes, mixed, parts)
        mask = 0 if access.masked is None else at & access.masked
        known = first.setdefault((part, mask, offset), register)
        same.append(known)
        if known == register:
            groups.setdefault((part, mask), {})[offset] = register
    messages: list[LaneMessage] = []
    for (part, _), found in groups.items():
        messages += [
            _with_conflicts(access, message, banks)
            for message in _grouped(access, part, found, prices)
        ]
    order = {r: i for i, r in enumerate(r for m in messages for r in m.registers)}
    price = sum(_price(message, prices) for message in messages)
    return LanePlan(tuple(messages), tuple([order[register] for register in same]), price)


def _images(columns: Sequence[int]) -> list[int]:
    images = [0]
    for column in columns:
        images += [image ^ column for image in images]
    return images


def _mixed(layout: LinearLayout) -> int:
    """Return the coordinate bits that depend on both registers and lanes."""
    return union(layout.in_columns["register"]) & union(layout.in_columns["lane"])


def _part(
    access: Access, at: int, lanes: Sequence[int], mixed: int, known: dict[object, Part]
) -> tuple[Part, int]:
    """Return a register's address and the number in it; `at` are its coordinates in lane 0."""
    places = access.places
    offset, numbers = 0, list[int]()
    for product, term in places.terms.items():
        number = term.number + _weighed(term.weights, at)
        numbers.append(0 if product == ONE else number)
        offset += number if product == ONE else 0
    high = 0
    if places.swizzle is not None:
        twist = places.swizzle.number ^ _combined(places.swizzle.columns, at)
        inside = access.twisted | union(
            _combined(places.swizzle.columns, lane) for lane in lanes
        )
        high = twist & inside
        offset += twist & ~inside
    unknown = None if places.unknown is None else at & places.unknown
    key = (tuple(numbers), high, unknown, at & mixed)
    if key not in known:
        known[key] = _new_part(access, at & mixed, lanes, numbers, high, unknown)
    return known[key], offset


def _new_part(
    access: Access,
    mixed: int,
    lanes: Sequence[int],
    numbers: Sequence[int],
    high: int,
    unknown: int | None,
) -> Part:
    places = access.places
    steps: list[Step] = []
    for (product, term), number in zip(places.terms.items(), numbers, strict=True):
        # A bit that the register already sets is subtracted again if the lane sets it too.
        signs = [-w if mixed >> bit & 1 else w for bit, w in enumerate(term.weights)]
        own = tuple([_weighed(signs, lane) for lane in lanes])
        if number or any(own):
            steps.append(Step(product, number, own))
    twist = None
    if places.swizzle is not None:
        columns = places.swizzle.columns
        own = tuple([_combined(columns, lane) for lane in lanes])
        taken = union(own)
        if not places.swizzle.uniform and not taken & high:
            if any(own):
                steps.append(Step(ONE, 0, own))
            if high:
                steps.append(Step(ONE, high, (0,) * len(lanes)))
        elif not taken & (access.twisted | high):
            steps.append(Step(ONE, 0, own))
            twist = Twist(high, (0,) * len(lanes))
        else:
            twist = Twist(high, own)
    return Part(tuple(steps), twist, unknown)


def _weighed(weights: Sequence[int], at: int) -> int:
    return sum(weight for bit, weight in enumerate(weights) if at >> bit & 1)


def _combined(columns: Sequence[int], at: int) -> int:
    found = 0
    for bit, column in enumerate(columns):
        if at >> bit & 1:
            found ^= column
    return found


# Messages of registers with one part and one mask.


def _grouped(
    access: Access, part: Part, offsets: Mapping[int, int], prices: Prices
) -> list[LaneMessage]:
    """Return messages for registers by their offsets, the longest runs of neighbors first."""
    left: dict[int, int] = dict(sorted(offsets.items()))
    messages: list[LaneMessage] = []
    masked = None
    if access.masked is not None:
        masked = min(left.values())
    while left:
        start = next(iter(left))
        message = _block(access, part, left, start, prices) if masked is None else None
        if message is None:
            message = _lanes(access, part, left, start, prices)._replace(masked=masked)
        messages.append(message)
        moved = set(message.registers)
        left = {offset: r for offset, r in left.items() if r not in moved}
    return messages


def _lanes(
    access: Access, part: Part, left: Mapping[int, int], start: int, prices: Prices
) -> LaneMessage:
    bits = access.bits
    alignment = _alignment(access, part, start, over_lanes=True)
    word = _word(bits, alignment, left, start)
    size = word // bits
    most = min(prices.lane_words, prices.lane_bytes * BYTE_BITS // word)
    words = _words(left, start, size, size, most) if word >= REGISTER_BITS else 1
    registers = tuple([left[start + place] for place in range(words * size)])
    return LaneMessage("lanes", part, start, registers, word, alignment)


def _block(
    access: Access, part: Part, left: Mapping[int, int], start: int, prices: Prices
) -> LaneMessage | None:
    """Return a block message if the words of adjacent lanes are adjacent, else None."""
    own = [step.lanes for step in part.steps if any(step.lanes)]
    is_plain = part.unknown is None and len(own) == 1
    if not access.is_shared or not is_plain or (part.twist and any(part.twist.lanes)):
        return None
    (table,) = own
    if not any(step.product == ONE and step.lanes == table for step in part.steps):
        return None
    size, lanes = table[1], len(table)
    word = size * access.bits
    if size < 1 or list(table) != [size * lane for lane in range(lanes)]:
        return None
    if word not in prices.block_bits or word > REGISTER_BITS:
        return None
    if any(start + place not in left for place in range(size)):
        return None
    alignment = _alignment(access, part, start, over_lanes=False)
    if alignment < SHARED_BLOCK_ALIGNMENT:
        return None
    words = _words(left, start, size, size * lanes, prices.block_words)
    registers = [
        left[start + size * lanes * number + place]
        for number in range(words)
        for place in range(size)
    ]
    return LaneMessage("block", part, start, tuple(registers), word, alignment)


def _words(left: Mapping[int, int], start: int, size: int, stride: int, most: int) -> int:
    """Return the number of words of `size` elements that lie one `stride` apart, as a power of two."""
    count = 1
    while count * 2 <= most and all(
        start + stride * number + place in left
        for number in range(count, 2 * count)
        for place in range(size)
    ):
        count *= 2
    return count


def _word(bits: int, alignment: int, left: Mapping[int, int], start: int) -> int:
    """Return the bits of the words in which neighbors move: at most 32 if elements are narrower."""
    word = bits
    while word < REGISTER_BITS and alignment * BYTE_BITS >= 2 * word:
        size = 2 * word // bits
        if any(start + place not in left for place in range(size)):
            break
        word *= 2
    return word


def _alignment(access: Access, part: Part, offset: int, *, over_lanes: bool) -> int:
    """Return the largest power of two (bytes, at most the base's alignment) that divides all addresses."""
    size = access.bits // BYTE_BITS
    if part.unknown is not None:
        return size
    masks = [offset]
    for step in part.steps:
        multiple = access.multiples.get(step.product, 1)
        factors = [step.number, *step.lanes] if over_lanes else [step.number]
        masks += [-lowest(factor) * multiple for factor in factors if factor]
    if access.places.swizzle is not None:
        masks.append(access.twisted)
        if part.twist is not None:
            masks.append(part.twist.number)
            masks += part.twist.lanes if over_lanes else ()
    multiple = lowest(possible_sum([mask for mask in masks if mask]))
    return min(access.alignment, multiple * size) if multiple else access.alignment


def _with_conflicts(access: Access, message: LaneMessage, banks: int) -> LaneMessage:
    """Return a message with the bank conflicts of its lanes, as far as their places are known."""
    if not access.is_shared or message.form == "block" or message.part.unknown is not None:
        return message
    lanes = [0] * len(next((step.lanes for step in message.part.steps), (0,)))
    if message.part.twist is not None:
        lanes = [message.part.twist.number ^ lane for lane in message.part.twist.lanes]
    for product, _, own in message.part.steps:
        if product == ONE:
            lanes = [lane + more for lane, more in zip(lanes, own, strict=True)]
        elif any(own):
            return message
    least = min(lanes)
    starts = [(lane - least) * access.bits for lane in lanes]
    found = conflicts(starts, len(message.registers) * access.bits, banks)
    return message._replace(conflicts=found)


def _price(message: LaneMessage, prices: Prices) -> float:
    if message.form == "block":
        return prices.block_message
    narrow = prices.narrow_word if message.word_bits < REGISTER_BITS else 0
    return prices.lane_message + narrow + message.conflicts

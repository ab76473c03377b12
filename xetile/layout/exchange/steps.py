"""The steps of a conversion within a subgroup, as plain data; each makes new registers of those before.

Registers are numbered; a step's lists have one entry for each register that it makes. Maps
of lanes are linear: one column for each bit of the lane's number.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import xetile.layout.algebra.f2 as f2

Value = TypeVar("Value")
Held: TypeAlias = list[list[Value]]
Form = Literal["block", "lanes", "sums"]


class Move(NamedTuple):
    """Each register is that one of those before."""

    registers: tuple[int, ...]

    def apply(self, held: Sequence[Sequence[Value]]) -> Held[Value]:
        """`held[lane][register]` afterwards."""
        return [[own[register] for register in self.registers] for own in held]


class Shuffle(NamedTuple):
    """Lane l has in each register what lane `columns l ^ lanes` has in that one of those before."""

    registers: tuple[int, ...]
    lanes: tuple[int, ...]
    columns: tuple[int, ...]

    def apply(self, held: Sequence[Sequence[Value]]) -> Held[Value]:
        """`held[lane][register]` afterwards."""
        pairs = list(zip(self.registers, self.lanes, strict=True))
        return [
            [
                held[f2.multiply(self.columns, lane) ^ other][register]
                for register, other in pairs
            ]
            for lane in range(len(held))
        ]


class Select(NamedTuple):
    """Lanes with an odd number of bits in common with `mask` take `odd`, the others `even`."""

    mask: int
    even: tuple[int, ...]
    odd: tuple[int, ...]

    def apply(self, held: Sequence[Sequence[Value]]) -> Held[Value]:
        """`held[lane][register]` afterwards."""
        return [
            [own[r] for r in (self.odd if (lane & self.mask).bit_count() & 1 else self.even)]
            for lane, own in enumerate(held)
        ]


class Message(NamedTuple):
    """What one message moves: registers, and an offset in words of the subgroup's slice."""

    registers: tuple[int, ...]
    offset: int


class Access(NamedTuple):
    """How registers lie in the slice, in words.

    "block": word i of lane l at `offset + 16 i + l`; "lanes": at `(offset ^ lanes l) + i`;
    "sums", which are with gaps: at `offset + lanes l + i`.
    """

    form: Form
    lanes: tuple[int, ...]

    def address(self, message: Message, lane: int, lanes: int, word: int) -> int:
        """The word of the slice at which the message's `word` of a lane lies."""
        if self.form == "block":
            return message.offset + lanes * word + lane
        part = f2.multiply(self.lanes, lane)
        if self.form == "sums":
            return message.offset + part + word
        return (message.offset ^ part) + word


class Share(NamedTuple):
    """Rounds of stores to the subgroup's slice of shared memory, and loads from it.

    The registers afterwards are those loaded, in order.

    Attributes:
        words: of the slice, with gaps.
        conflicts: additional cycles of all messages, because lanes ask a bank for different words.
        gap: words that follow each other, and how far it is from the first of them to the next such; None without gaps.
    """

    store: Access
    load: Access
    rounds: tuple[tuple[tuple[Message, ...], tuple[Message, ...]], ...]
    words: int
    conflicts: int = 0
    gap: tuple[int, int] | None = None

    @property
    def messages(self) -> tuple[int, int]:
        """Stores and loads."""
        return (
            sum(len(stores) for stores, _ in self.rounds),
            sum(len(loads) for _, loads in self.rounds),
        )

    def apply(self, held: Sequence[Sequence[Value]]) -> Held[Value]:
        """`held[lane][register]` afterwards."""
        count = len(held)
        loaded: Held[Value] = [[] for _ in held]
        for stores, loads in self.rounds:
            memory: dict[int, Value] = {}
            for message in stores:
                for lane, own in enumerate(held):
                    for word, register in enumerate(message.registers):
                        at = self.store.address(message, lane, count, word)
                        memory[at] = own[register]
            for message in loads:
                for lane, own in enumerate(loaded):
                    places = range(len(message.registers))
                    own += [memory[self.load.address(message, lane, count, w)] for w in places]
        return loaded


Step: TypeAlias = Move | Shuffle | Select | Share

"""The steps of a conversion within a subgroup, as plain data; each computes new registers from the previous ones.

Registers are numbered; a step's lists have one entry for each register that it computes. Maps
of lanes are linear: one column for each bit of the lane's number.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import xetile.layout.algebra.f2 as f2

Value = TypeVar("Value")
Held: TypeAlias = list[list[Value]]
Form = Literal["block", "lanes", "sums"]


class Move(NamedTuple):
    """A step that copies each register from a previous one."""

    registers: tuple[int, ...]

    def apply(self, held: Sequence[Sequence[Value]]) -> Held[Value]:
        """Return `held[lane][register]` after the step."""
        return [[own[register] for register in self.registers] for own in held]


class Shuffle(NamedTuple):
    """A step in which lane l reads each register from lane `columns l ^ lanes`."""

    registers: tuple[int, ...]
    lanes: tuple[int, ...]
    columns: tuple[int, ...]

    def apply(self, held: Sequence[Sequence[Value]]) -> Held[Value]:
        """Return `held[lane][register]` after the step."""
        pairs = list(zip(self.registers, self.lanes, strict=True))
        return [
            [
                held[f2.multiply(self.columns, lane) ^ other][register]
                for register, other in pairs
            ]
            for lane in range(len(held))
        ]


class Select(NamedTuple):
    """A step in which lanes with an odd number of bits in common with `mask` take `odd`, the others `even`."""

    mask: int
    even: tuple[int, ...]
    odd: tuple[int, ...]

    def apply(self, held: Sequence[Sequence[Value]]) -> Held[Value]:
        """Return `held[lane][register]` after the step."""
        return [
            [own[r] for r in (self.odd if (lane & self.mask).bit_count() & 1 else self.even)]
            for lane, own in enumerate(held)
        ]


class Message(NamedTuple):
    """The content of one message: registers, and an offset in words of the subgroup's slice."""

    registers: tuple[int, ...]
    offset: int


class Access(NamedTuple):
    """The arrangement of registers in the slice, in words.

    "block": word i of lane l of n at `offset + n i + l`; "lanes": at `(offset ^ lanes l) + i`;
    "sums", used with gaps: at `offset + lanes l + i`.
    """

    form: Form
    lanes: tuple[int, ...]

    def address(self, message: Message, lane: int, lanes: int, word: int) -> int:
        """Return the offset in the slice of the message's `word` of a lane."""
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
        conflicts: additional cycles of all messages, because lanes access different words of a bank.
        gap: the length of a run of words, and the distance between the starts of runs; None without gaps.
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
        """Return `held[lane][register]` after the step."""
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

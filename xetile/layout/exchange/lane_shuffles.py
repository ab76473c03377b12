"""Exchanges of registers between the lanes of one subgroup, with as few shuffles as possible.

In one shuffle every lane offers one register and reads the one that another lane offers. S(r) and
S(l) are the elements of a source register and lane (element = S(r) ^ S(l)), T those
of the target. In round t lane l receives into register A l ^ t, for a linear map A, the
element T(l) ^ T(A l) ^ T(t).

If every T(l) ^ S(l) is a sum of an element of source registers and one of target
registers, S(B l) ^ T(A l), that element is S(l ^ B l) ^ T(t): lane l has it itself if T(t)
is in source registers, S(c), and else T(t) = S(c ^ d) with a lane d, and it reads from lane
l ^ d. So the shuffles are the t whose T(t) is not in source registers: as many as elements
that each lane lacks.

Otherwise some lane lacks all its elements, so that R rounds for R registers are the minimum.
M is then any invertible map with T(l) ^ T(A l) = S(M l) ^ S(B l); lane l reads from M l ^
d. No two lanes read different registers of one lane.

For permutations of register and lane bits the counts are those of Linear Layouts (arXiv
2505.23819; triton #7558): with m register bits exchanged for lane bits (1 - 2^-m) R
shuffles if no other lane bit moves, else R.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import xetile.layout.algebra.f2 as f2

Value = TypeVar("Value")

MESSAGE_BITS = 32


class Round(NamedTuple):
    """A round in which lane l receives into register `target ^ receive l` from lane l' = `lane ^ lanes l`.

    Lane l' offers its register `source ^ send l'`. It is a shuffle unless every lane reads from
    itself.
    """

    target: int
    source: int
    lane: int
    is_shuffle: bool


class LaneShuffles(NamedTuple):
    """An exchange within subgroups, round by round.

    `receive`, `send` and `lanes` are linear maps from a lane's bits, one column each: to
    the register that it receives into (the receiving lane's bits), the one that it offers (the
    offering lane's), and the lane that it reads from. `copies` gives for each register the one
    with the same element afterwards.
    """

    rounds: tuple[Round, ...]
    receive: tuple[int, ...]
    send: tuple[int, ...]
    lanes: tuple[int, ...]
    copies: tuple[int, ...]

    @property
    def shuffles(self) -> int:
        """Rounds in which registers change lanes."""
        return sum(1 for step in self.rounds if step.is_shuffle)

    @property
    def selects(self) -> int:
        """Selections between two registers by a bit of the lane, before and after the shuffles."""
        stages = f2.rank(self.receive) + f2.rank(self.send)
        return stages * len(self.rounds)

    def messages(self, element_bits: int) -> int:
        """Return the number of 32-bit shuffle instructions: narrow elements for the same lanes share one."""
        together = max(1, MESSAGE_BITS // element_bits)
        parts = -(-element_bits // MESSAGE_BITS)
        counts: dict[int, int] = {}
        for step in self.rounds:
            if step.is_shuffle:
                counts[step.lane] = counts.get(step.lane, 0) + 1
        return parts * sum(-(-count // together) for count in counts.values())

    def apply(self, values: Sequence[Sequence[Value]]) -> list[list[Value]]:
        """Return the values of each lane after the exchange; `values[lane][register]` are those before."""
        held: list[dict[int, Value]] = [{} for _ in values]
        for step in self.rounds:
            for lane, registers in enumerate(held):
                target = step.target ^ f2.multiply(self.receive, lane)
                other = step.lane ^ f2.multiply(self.lanes, lane)
                source = step.source ^ f2.multiply(self.send, other)
                registers[target] = values[other][source]
        return [[registers[register] for register in self.copies] for registers in held]


class Side(NamedTuple):
    """The elements of a layout's distinct registers and of its lanes, one column for each bit.

    `indices` are the register indices' bits of the register columns.
    """

    registers: tuple[int, ...]
    indices: tuple[int, ...]
    lanes: tuple[int, ...]


def lane_shuffles(source: Side, target: Side, copies: Sequence[int]) -> LaneShuffles | None:
    """Return the rounds of an exchange, or None if a subgroup lacks an element. `copies` as in `LaneShuffles`."""
    held = [*source.registers, *source.lanes]
    pivots = f2.echelon(f2.labelled(held), len(held))
    steps = f2.solve_all(pivots, len(held), target.registers)
    reads = _in_place(source, target) or _elsewhere(source, target)
    if steps is None or reads is None:
        return None
    bits = len(source.registers)
    mask = (1 << bits) - 1
    back = f2.inverse(reads.lanes)
    send = [f2.multiply(reads.offered, column) for column in back]
    in_place = reads.lanes == _units(len(source.lanes))
    rounds: list[Round] = []
    for t in range(1 << len(target.registers)):
        step = f2.multiply(steps, t)
        lane = step >> bits
        offered = step & mask ^ f2.multiply(send, lane)
        is_shuffle = lane != 0 or not in_place
        at = f2.multiply(source.indices, offered)
        rounds.append(Round(f2.multiply(target.indices, t), at, lane, is_shuffle))
    return LaneShuffles(
        tuple(rounds),
        tuple([f2.multiply(target.indices, column) for column in reads.received]),
        tuple([f2.multiply(source.indices, column) for column in send]),
        tuple(reads.lanes),
        tuple(copies),
    )


class _Reads(NamedTuple):
    """A, B and M of the module's docstring, one column for each lane bit."""

    received: list[int]
    offered: list[int]
    lanes: list[int]


def _in_place(source: Side, target: Side) -> _Reads | None:
    """Return reads for which M is the identity, or None."""
    both = [*source.registers, *target.registers]
    pivots = f2.echelon(f2.labelled(both), len(both))
    moved = [wanted ^ own for wanted, own in zip(target.lanes, source.lanes, strict=True)]
    solved = f2.solve_all(pivots, len(both), moved)
    if solved is None:
        return None
    bits = len(source.registers)
    mask = (1 << bits) - 1
    return _Reads(
        [column >> bits for column in solved],
        [column & mask for column in solved],
        _units(len(source.lanes)),
    )


def _elsewhere(source: Side, target: Side) -> _Reads | None:
    """Return reads for which M is invertible, or None.

    M l may change by lanes at sums of source and target registers, which compensate for
    it.
    """
    bits, lane_bits = len(source.registers), len(source.lanes)
    columns = [*source.registers, *source.lanes, *target.registers]
    pivots = f2.echelon(f2.labelled(columns), len(columns))
    solved = f2.solve_all(pivots, len(columns), target.lanes)
    if solved is None:
        return None
    mask = (1 << lane_bits) - 1

    def lane_of(solution: int) -> int:
        return solution >> bits & mask

    # Changes that receive into the same register come first: they need no selections.
    changes = sorted(f2.kernel(columns), key=lambda change: change >> bits + lane_bits)
    chosen: list[int] = []
    for solution in solved:
        options = {lane_of(option): option for option in [solution ^ c for c in changes[::-1]]}
        options[lane_of(solution)] = solution
        order = [lane_of(solution), *(lane_of(solution ^ change) for change in changes)]
        found = f2.independent_of(order, [lane_of(other) for other in chosen])
        if not found:
            return None
        chosen.append(options[found[0]])
    return _Reads(
        [column >> bits + lane_bits for column in chosen],
        [column & (1 << bits) - 1 for column in chosen],
        [lane_of(column) for column in chosen],
    )


def _units(bits: int) -> list[int]:
    return [1 << bit for bit in range(bits)]

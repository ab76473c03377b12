"""Vectors of level X that are converted to another layout: rounds of shuffles, or a slice of shared memory."""

from collections.abc import Callable, Iterator, Sequence

from xetile.exploration.lane_places import Lanes, lanes_of
from xetile.exploration.lane_values import LaneValues, bits_of
from xetile.exploration.model import At, Bases, Move, MoveKind, Round, Shared
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.exchange.steps import Access, Message, Select, Share, Shuffle, Step
from xetile.layout.show.bases import form_of
from xetile.planning.register_layouts import RegisterLayouts
from xetile.planning.register_layouts.conversions import Conversion

_KINDS: dict[str, MoveKind] = {
    "none": "rename",
    "registers": "rename",
    "uniform shuffles": "shuffle",
    "lane-dependent shuffles": "shuffle",
    "subgroup shared memory": "shared",
}


def conversions(
    lanes: LaneValues, holding: Callable[[At], int | None], add: Callable[[Lanes], int]
) -> Iterator[Move]:
    """The conversions of a kernel, by the ops of X for which they are.

    `holding` is that of a value, `add` makes one of what is held otherwise.
    """
    trace = lanes.trace
    for _, told in trace.told.get("V", []):
        if not isinstance(told, RegisterLayouts):
            continue
        for made in told.conversions:
            at = trace.op(made.op)
            value = None if at is None else _operand(lanes, at, made.operand)
            part = None if value is None else lanes.parts.get(value)
            if at is None or value is None:
                continue
            bits = bits_of(lanes.trace.ops["X"][at[1]].operands[made.operand].type)
            held = None
            if part is not None and bits is not None:
                held = lanes_of(part, made.target.layout, bits)
            target = None if held is None else add(held)
            yield _move(made, at, holding(value), target, trace.kernel.lanes)


def _operand(lanes: LaneValues, at: At, operand: int) -> At | None:
    """The value that an op of X takes."""
    op = lanes.trace.ops["X"][at[1]]
    return lanes.trace.values.get(op.operands[operand])


def _move(
    made: Conversion, at: At, source: int | None, target: int | None, lanes: int
) -> Move:
    shares = [step for step in made.plan.steps if isinstance(step, Share)]
    return Move(
        op=at,
        kind="replicate" if _repeats(made.plan.steps) else _KINDS.get(made.kind, "shared"),
        source=source,
        target=target,
        price=made.price,
        reason=made.reason,
        rounds=rounds_of(made.plan.steps),
        shared=_shared(shares[0], made.plan.word_bits, lanes) if shares else None,
    )


def _repeats(steps: Sequence[Step]) -> bool:
    """Whether several lanes take what one lane has."""
    columns = [step.columns for step in steps if isinstance(step, Shuffle)]
    return any(list(own) != [1 << bit for bit in range(len(own))] for own in columns)


def rounds_of(steps: Sequence[Step]) -> list[Round]:
    """The shuffles of a plan: which registers (words) lanes take of other lanes.

    Where lanes take what one lane has, `xor` is the number by which that lane differs from the first of them.
    """
    found: list[Round] = []
    for step in steps:
        if isinstance(step, Shuffle):
            own = () if _repeats([step]) else (0,)
            for other in sorted({*step.lanes} - {*own}):
                taken = [
                    r
                    for r, lane in zip(step.registers, step.lanes, strict=True)
                    if lane == other
                ]
                found.append(Round(other, sorted(set(taken)), 0))
        elif isinstance(step, Select) and found:
            found[-1].selects += len(step.even)
    return found


def _shared(step: Share, word_bits: int, lanes: int) -> Shared | None:
    """How a conversion lies in the subgroup's slice; None where gaps make that no linear layout."""
    stores = [message for round_ in step.rounds for message in round_[0]]
    loads = [message for round_ in step.rounds for message in round_[1]]
    if len(step.rounds) != 1:
        return None
    store, load = (_bases(a, m, lanes) for a, m in ((step.store, stores), (step.load, loads)))
    if store is None or load is None:
        return None
    conflicts = {"store": 0, "load": 0, "all": step.conflicts}
    widest = max(len(message.registers) for message in (*stores, *loads))
    return Shared(store, load, None, widest * word_bits, conflicts)


def _bases(access: Access, messages: Sequence[Message], lanes: int) -> Bases | None:
    """The layout (register, lane) -> offset, in words, of what one side moves."""
    offsets = {
        register: access.address(message, 0, lanes, word)
        for message in messages
        for word, register in enumerate(message.registers)
    }
    first = messages[0]
    steps = [
        access.address(first, 1 << bit, lanes, 0) ^ access.address(first, 0, lanes, 0)
        for bit in range(lanes.bit_length() - 1)
    ]
    count = len(offsets)
    if set(offsets) != set(range(count)) or count & (count - 1):
        return None
    columns = {
        "register": [(offsets[1 << bit],) for bit in range(count.bit_length() - 1)],
        "lane": [(step,) for step in steps],
    }
    size = 1 << max(*offsets.values(), *steps).bit_length()
    layout = LinearLayout.from_bases(columns, {"offset": size}, require_surjective=False)
    places = (
        (register, lane, access.address(message, lane, lanes, word))
        for message in messages
        for word, register in enumerate(message.registers)
        for lane in range(lanes)
    )
    if any(layout.apply({"register": r, "lane": n})["offset"] != at for r, n, at in places):
        return None
    return Bases(*form_of(layout))

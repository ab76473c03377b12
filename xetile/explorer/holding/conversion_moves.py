"""Vectors of level X that are converted to another layout: rounds of shuffles, or a slice of shared memory."""

from collections.abc import Callable, Iterator, Sequence

from xetile.explorer.holding.lane_registers import Lanes, LaneValues, bits_of, lanes_of
from xetile.explorer.model import Access, At, Bases, Move, MoveKind, Round, Shared, Way
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.exchange.steps import Select, Share, Shuffle, Step
from xetile.layout.show.plain_data import form_of
from xetile.planning.xe.register_layouts import RegisterLayouts
from xetile.planning.xe.register_layouts.conversion_prices import Conversion, Reduced
from xetile.planning.xe.register_layouts.reduction_steps import (
    Butterfly,
    Merge,
    Pairs,
    Reduction,
)
from xetile.targets.xe.device import XeDevice

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
    """Yield the conversions of a kernel, by the ops of X that need them.

    `holding` returns the index of a value's holding; `add` adds a holding for the converted value.
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
            yield _move(made, at, (holding(value), target), bits, trace.device)
        for made in told.reductions:
            at = trace.op(made.op)
            value = None if at is None else _operand(lanes, at, made.operand)
            if at is not None and value is not None and is_between_lanes(made.plan):
                result = trace.ops["X"][at[1]].results[0]
                held = holding(value), holding(trace.values[result])
                yield _reduction(made, at, held)


def _operand(lanes: LaneValues, at: At, operand: int) -> At | None:
    """Return an operand of an op of X."""
    op = lanes.trace.ops["X"][at[1]]
    return lanes.trace.values.get(op.operands[operand])


def _move(
    made: Conversion,
    at: At,
    held: tuple[int | None, int | None],
    bits: int | None,
    device: XeDevice,
) -> Move:
    source, target = held
    shares = [step for step in made.plan.steps if isinstance(step, Share)]
    return Move(
        op=at,
        kind="replicate" if _repeats(made.plan.steps) else _KINDS.get(made.kind, "shared"),
        source=source,
        target=target,
        price=made.price,
        reason=made.reason,
        rounds=rounds_of(made.plan.steps),
        shared=_shared(made, shares[0], bits, device) if shares and bits else None,
        ways=_ways(made),
    )


def _ways(made: Conversion) -> list[Way]:
    """Return the two alternatives that a conversion was chosen from."""
    compared = made.plan.compared
    if compared is None or not any(isinstance(s, (Shuffle, Share)) for s in made.plan.steps):
        return []
    is_shared = made.kind == "subgroup shared memory"
    found = [Way("shuffles", compared.shuffled, not is_shared)]
    if compared.shared is not None:
        found.append(Way("shared memory", compared.shared, is_shared))
    return found


def _reduction(made: Reduced, at: At, held: tuple[int | None, int | None]) -> Move:
    """Return the move that reduces a vector; its rounds are the exchanges between lanes."""
    plan = made.plan
    is_turned = plan.turned is not None and plan.turned < plan.as_held
    ways = [Way("exchanges between lanes", plan.as_held, not is_turned)]
    if plan.turned is not None:
        ways.append(Way("rows brought to lanes first", plan.turned, is_turned))
    rounds = _exchanged(plan)
    return Move(at, "reduce", *held, price=plan.price, reason="", rounds=rounds, ways=ways)


def is_between_lanes(plan: Reduction) -> bool:
    """Return True if lanes exchange anything, or could have."""
    return plan.turned is not None or any(
        isinstance(s, (Butterfly, Merge)) for s in plan.steps
    )


def _exchanged(plan: Reduction) -> list[Round]:
    """Return the rounds in which lanes exchange registers, each with the registers left by then."""
    left = 1 << len(plan.operand.in_columns["register"])
    found: list[Round] = []
    for step in plan.steps:
        match step:
            case Pairs():
                left //= 2
            case Merge(lane):
                left //= 2
                found.append(Round(1 << lane, list(range(left)), 2 * left))
            case Butterfly(bits):
                found += [Round(1 << bit, list(range(left)), 0) for bit in bits]
    return found


def _repeats(steps: Sequence[Step]) -> bool:
    """Return True if several lanes read from one lane."""
    columns = [step.columns for step in steps if isinstance(step, Shuffle)]
    return any(list(own) != [1 << bit for bit in range(len(own))] for own in columns)


def rounds_of(steps: Sequence[Step]) -> list[Round]:
    """Return the shuffles of a plan: the registers (words) that lanes read from other lanes.

    If several lanes read from one lane, `xor` is the number by which that lane differs from the first of them.
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


def _shared(made: Conversion, step: Share, bits: int, device: XeDevice) -> Shared | None:
    """Return the placement of a conversion in the subgroup's slice, or None if it takes several rounds."""
    if len(step.rounds) != 1:
        return None
    plan, (stores, loads) = made.plan, step.rounds[0]
    places = _places(made, step, device.lanes)
    if places is None:
        return None
    store, load = (
        Access(
            "block" if access.form == "block" else "lanes",
            plan.word_bits * (1 if access.form == "block" else len(messages[0].registers)),
            Bases(*form_of(held.layout)),
        )
        for access, messages, held in (
            (step.store, stores, made.source),
            (step.load, loads, made.target),
        )
    )
    words = 1 << plan.own
    gap = None if step.gap is None else (step.gap[0] * words, step.gap[1] * words)
    return Shared(store, load, places, gap, bits, device.shared_banks, {"all": step.conflicts})


def _places(made: Conversion, step: Share, lanes: int) -> Bases | None:
    """Return the layout offset -> elements of the stored data, without gaps, or None if it is not linear."""
    own, layout = made.plan.own, made.source.layout
    run, stride = step.gap or (step.words, step.words)
    found: dict[int, tuple[int, int]] = {}
    for message in step.rounds[0][0]:
        for word, register in enumerate(message.registers):
            for lane in range(lanes):
                at = step.store.address(message, lane, lanes, word)
                found[at // stride * run + at % stride] = (register, lane)
    count = len(found)
    if sorted(found) != list(range(count)) or count & (count - 1):
        return None

    def element(at: int) -> tuple[int, ...]:
        register, lane = found[at >> own]
        inner = at & (1 << own) - 1
        image = layout.apply({"register": register << own | inner, "lane": lane})
        return tuple([image[name] for name in layout.out_dim_names])

    bits = range((count << own).bit_length() - 1)
    vectors = tuple([element(1 << bit) for bit in bits])
    places = Bases({"offset": vectors}, dict(layout.out_dims))
    linear = LinearLayout.from_bases(
        {"offset": vectors}, layout.out_dims, require_surjective=False
    )
    for at in range(count << own):
        if tuple(linear.apply({"offset": at}).values()) != element(at):
            return None
    return places

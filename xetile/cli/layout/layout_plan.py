"""What `xetile-layout convert --device` prints: the plan that the compiler emits, step by step, with its price."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xetile.cli.layout.layout_output import refuse
from xetile.layout.algebra.tables import runs

if TYPE_CHECKING:
    from xetile.layout.algebra.linear_layout import LinearLayout
    from xetile.layout.exchange.plans import Plan
    from xetile.layout.exchange.steps import Access, Message, Select, Share, Shuffle, Step
    from xetile.targets.xe.device import XeDevice


def planned(
    source: "LinearLayout", target: "LinearLayout", element_bits: int, device: "XeDevice"
) -> "Plan":
    """The plan for a device; refused where its subgroups have other lanes."""
    from xetile.layout.exchange.plans import plan

    for layout in (source, target):
        lanes = layout.in_dims.get("lane", 1)
        if lanes != device.lanes:
            refuse(
                f"a layout has {lanes} lanes; expected {device.lanes}, those of {device.name}"
            )
    return plan(source, target, element_bits, device.prices)


def plan_text(plan: "Plan", element_bits: int, device: "XeDevice") -> str:
    """The plan in words, a line for each step."""
    lines = [f"Conversion on {device.name}: {plan.kind}, {plan.price:g} instructions"]
    if plan.kind == "workgroup shared memory":
        lines.append("Other subgroups hold elements; no pass emits this exchange")
    elif plan.steps:
        lines.append(
            f"Registers are words of {plan.word_bits} bits{_parts(plan, element_bits)}"
        )
    for step in plan.steps:
        lines += [f" - {line}" for line in _step_lines(step, plan.word_bits)]
    return "\n".join(lines) + "\n"


def plan_data(plan: "Plan", device: "XeDevice") -> dict[str, object]:
    """The plan as data."""
    return {
        "device": device.name,
        "kind": plan.kind,
        "price": plan.price,
        "word_bits": plan.word_bits,
        "elements_in_word": 1 << plan.own,
        "shared_bytes": plan.shared_bytes,
        "steps": [_step_data(step) for step in plan.steps],
    }


def _parts(plan: "Plan", element_bits: int) -> str:
    return f", each {1 << plan.own} elements of {element_bits}" if plan.own else ""


def _step_lines(step: "Step", word_bits: int) -> list[str]:
    from xetile.layout.exchange.steps import Move, Select, Shuffle

    match step:
        case Move(registers):
            return [f"take registers {runs(registers)}"]
        case Shuffle():
            return _shuffle_lines(step)
        case Select():
            return [_select_line(step)]
        case _:
            return _share_lines(step, word_bits)


def _shuffle_lines(step: "Shuffle") -> list[str]:
    groups: dict[int, list[int]] = {}
    for register, lane in zip(step.registers, step.lanes, strict=True):
        groups.setdefault(lane, []).append(register)
    return [
        f"{_reader(step.columns, lane)} registers {runs(registers)}"
        for lane, registers in groups.items()
    ]


def _reader(columns: Sequence[int], lane: int) -> str:
    """Which lane is read from."""
    if not any(columns):
        return f"from lane {lane} to all:"
    if list(columns) == [1 << bit for bit in range(len(columns))]:
        return f"from lane xor {lane}:" if lane else "in each lane:"
    images = ", ".join(f"{1 << bit} -> {column}" for bit, column in enumerate(columns))
    return f"from lane ({images}){f' xor {lane}' if lane else ''}:"


def _select_line(step: "Select") -> str:
    odd = f"registers {runs(step.odd)} where lane & {step.mask} has an odd number of bits"
    return f"select {odd}, else {runs(step.even)}"


def _share_lines(step: "Share", word_bits: int) -> list[str]:
    stores = [message for round in step.rounds for message in round[0]]
    loads = [message for round in step.rounds for message in round[1]]
    again = f", in {len(step.rounds)} rounds" if len(step.rounds) > 1 else ""
    met = f", {step.conflicts} bank conflicts" if step.conflicts else ""
    return [
        f"shared memory: {step.words * word_bits // 8} bytes of the subgroup{again}{met}",
        f"store {_messages(step.store, stores)}",
        f"load {_messages(step.load, loads)}",
    ]


def _messages(access: "Access", messages: "Sequence[Message]") -> str:
    words = len(messages[0].registers)
    many = f"{len(messages)} message{'s' * (len(messages) != 1)}"
    of = f"{words} word{'s' * (words != 1)}"
    if access.form == "block":
        return f"{many} of {of}, neighbouring lanes side by side"
    places = ", ".join(f"{1 << bit} -> {place}" for bit, place in enumerate(access.lanes))
    return f"{many} of {of}, lanes at ({places})"


def _step_data(step: "Step") -> dict[str, object]:
    from xetile.layout.exchange.steps import Share

    name = type(step).__name__.lower()
    if not isinstance(step, Share):
        return {"step": name, **step._asdict()}
    return {
        "step": name,
        "words": step.words,
        "conflicts": step.conflicts,
        "store": step.store._asdict(),
        "load": step.load._asdict(),
        "rounds": [
            {
                name: [message._asdict() for message in messages]
                for name, messages in zip(("stores", "loads"), round, strict=True)
            }
            for round in step.rounds
        ],
    }

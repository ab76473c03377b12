"""`xetile-layout convert`: the steps that convert a tensor from one register layout into another."""

from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from xetile.cli.frame.tools import ToolParser
from xetile.cli.layout_commands.layout_output import (
    PROGRAM,
    add_examples,
    add_outputs,
    as_json,
    layout_data,
    refuse,
    tensor_type,
    write_outputs,
)
from xetile.layout.algebra.notebook_tables import counted, runs
from xetile.targets import EXAMPLE

if TYPE_CHECKING:
    from xetile.layout.algebra.linear_layout import LinearLayout
    from xetile.layout.exchange.conversion import Conversion, SharedExchange
    from xetile.layout.exchange.lane_shuffles import LaneShuffles
    from xetile.layout.exchange.plans import Plan
    from xetile.layout.exchange.steps import Access, Message, Select, Share, Shuffle, Step
    from xetile.targets.xe.device import XeDevice


def planned(
    source: "LinearLayout", target: "LinearLayout", element_bits: int, device: "XeDevice"
) -> "Plan":
    """Return the plan for a device; raise if the layouts have another number of lanes than its subgroups."""
    from xetile.layout.exchange.plans import plan

    for layout in (source, target):
        lanes = layout.in_dims.get("lane", 1)
        if lanes != device.lanes:
            refuse(
                f"a layout has {lanes} lanes; expected {device.lanes}, those of {device.name}"
            )
    return plan(source, target, element_bits, device.prices)


def plan_text(plan: "Plan", element_bits: int, device: "XeDevice") -> str:
    """Return the plan in words, a line for each step."""
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
    """Return the plan as data."""
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
    """Return a description of the lane that is read."""
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


_KINDS = {
    "none": "every register stays where it is",
    "registers": "moves between the registers of each lane",
    "lanes": "shuffles between the lanes of each subgroup",
    "shared": "an exchange between subgroups, through shared memory",
}


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    from xetile.layout.text.attribute_text import layout_of

    options = make_parser().parse_args(arguments)
    tensor = tensor_type(options.t)
    source, target = (
        layout_of(text, tensor.shape) for text in (options.source, options.target)
    )
    bits = tensor.element_bits
    text = (
        _for_any(source, target, bits, options)
        if options.device is None
        else _for_device(source, target, bits, options)
    )
    pictures = [
        (f"{what}: {given.partition('<')[0]}", layout, bits)
        for what, given, layout in (
            ("from", options.source, source),
            ("to", options.target, target),
        )
    ]
    write_outputs(options, text, pictures)
    return 0


def _for_any(
    source: "LinearLayout", target: "LinearLayout", bits: int, options: Namespace
) -> str:
    from xetile.layout.exchange.conversion import plan_conversion

    plan = plan_conversion(source, target, bits)
    return as_json(_data(plan, bits)) if options.json else _text(plan, bits)


def _for_device(
    source: "LinearLayout", target: "LinearLayout", bits: int, options: Namespace
) -> str:
    from xetile.analysis.kernel_targets import device_named, option_called
    from xetile.targets.xe.device import XeDevice

    with option_called("--device"):
        device = device_named(options.device, XeDevice)
    plan = planned(source, target, bits, device)
    return as_json(plan_data(plan, device)) if options.json else plan_text(plan, bits, device)


def make_parser() -> ToolParser:
    """Return the parser of the command's options."""
    parser = ToolParser(
        f"{PROGRAM} convert", "Plans a conversion between two register layouts of a tensor."
    )
    parser.add_argument(
        "source", metavar="FROM", help="the layout attribute that the tensor has"
    )
    parser.add_argument("target", metavar="TO", help="the layout attribute wanted")
    parser.add_argument(
        "-t", required=True, metavar="TENSOR", help="its type, as tensor<64x64xf16>"
    )
    parser.add_argument(
        "--device", help=f"what the compiler emits for it, such as {EXAMPLE}, with the price"
    )
    add_outputs(parser)
    rows = "'#xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>'"
    columns = "'#xegpu.layout<lane_layout = [16, 1], lane_data = [1, 1]>'"
    add_examples(
        parser,
        f"convert {rows} \\\n    {columns} -t 'tensor<16x16xf32>' --device {EXAMPLE}",
    )
    return parser


def _text(plan: "Conversion", bits: int) -> str:
    lines = [f"Conversion: {plan.kind}: {_KINDS[plan.kind]}"]
    if plan.registers is not None:
        lines.append(f"Registers 0-{len(plan.registers) - 1} take {runs(plan.registers)}")
    if plan.lanes is not None:
        lines += _lane_lines(plan.lanes, bits)
    if plan.shared is not None:
        lines += _shared_lines(plan.shared)
    return "\n".join(lines) + "\n"


def _lane_lines(lanes: "LaneShuffles", bits: int) -> list[str]:
    stays = len(lanes.rounds) - lanes.shuffles
    lines = [
        f"Shuffles: {lanes.shuffles} of registers, {lanes.messages(bits)} of 32 bits; "
        f"{stays} rounds stay in their lanes; {lanes.selects} selections",
        "Lane bits to the register received into, the register offered, the lane read from:",
    ]
    columns = zip(lanes.receive, lanes.send, lanes.lanes, strict=True)
    lines += [
        f" - lane={1 << bit} -> ({into}, {offered}, {read})"
        for bit, (into, offered, read) in enumerate(columns)
    ]
    lines.append("Rounds, exclusive or with the above:")
    lines += [
        f" - register {step.target} takes register {step.source} of lane {step.lane}"
        for step in lanes.rounds
    ]
    return lines


def _shared_lines(shared: "SharedExchange") -> list[str]:
    return [
        f"Shared memory: {shared.bytes} bytes, {counted(shared.repetitions, 'round')} of store, barrier, load; "
        f"{counted(shared.vector, 'element')} at once",
        f"Bank conflicts: {shared.conflicts.store} storing, {shared.conflicts.load} loading",
        f"Layout:{shared.layout}",
    ]


def _data(plan: "Conversion", bits: int) -> dict[str, object]:
    data: dict[str, object] = {"kind": plan.kind}
    if plan.registers is not None:
        data["registers"] = list(plan.registers)
    if plan.lanes is not None:
        data["lanes"] = {
            "shuffles": plan.lanes.shuffles,
            "messages": plan.lanes.messages(bits),
            "selects": plan.lanes.selects,
            "receive": list(plan.lanes.receive),
            "send": list(plan.lanes.send),
            "lanes": list(plan.lanes.lanes),
            "rounds": [list(step[:3]) for step in plan.lanes.rounds],
            "copies": list(plan.lanes.copies),
        }
    if plan.shared is not None:
        data["shared"] = {
            "bytes": plan.shared.bytes,
            "repetitions": plan.shared.repetitions,
            "vector": plan.shared.vector,
            "conflicts": list(plan.shared.conflicts),
            "layout": layout_data(plan.shared.layout),
        }
    return data

"""What a kernel's instructions do and cost: a class for each, registers, bytes of messages, and how certain that is.

Instructions are counted in ocloc's text; each belongs to the op of level L that its debug line names, or to none: then
it is the compiler's own. As every op has one parent, sums over the levels above are exact.

Which instructions send the messages of moves: those that reach memory and came of the op that moves.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from xdsl.dialects import llvm
from xdsl.ir import Operation

from xetile.codegen.functions import (
    callee,
    hot_blocks,
    is_kernel,
    products_of,
    products_per_step,
)
from xetile.explorer.isa.instructions import Listing, listing
from xetile.explorer.isa.loops import loops
from xetile.explorer.isa.moved_bytes import bytes_per_round
from xetile.explorer.levels.trace import Traced
from xetile.explorer.model import At, Bases, Costs, Kernel
from xetile.layout.show.bases import layout_of_form
from xetile.toolchain.classes import CLASSES, MESSAGES, Class, class_of
from xetile.toolchain.isa import environment

_OTHERS = ("spill", "fill")
"""Messages that no op asked for."""


def add_instructions(kernel: Kernel, listing: Listing) -> None:
    """Say of each message of a move which instructions it is, in all copies of an unrolled loop.

    Several messages of one op take turns, as they are in the order of the op's parts.
    """
    sent = _sent(kernel, listing)
    for move in kernel.moves:
        for number, message in enumerate(move.messages):
            message.asm = sent[move.op][number :: len(move.messages)]


def _sent(kernel: Kernel, listing: Listing) -> dict[At, list[int]]:
    """By op of any level the messages that came of it."""
    found: dict[At, list[int]] = defaultdict(list)
    for number, one in enumerate(listing.program.instructions):
        kind = class_of(one)
        op = listing.links[number]
        if op is None or kind not in MESSAGES or kind in _OTHERS:
            continue
        waiting = [(listing.origin, op)]
        while waiting:
            level, op = waiting.pop()
            found[level, op].append(number)
            above = kernel.levels[level].of
            if above is not None:
                waiting += [(above, parent) for parent in kernel.levels[level].ops[op].parents]
    return found


CERTAINTY: Mapping[str, str] = {
    "instructions": (
        "exact: counted in ocloc's text; each belongs to the op that its debug line names, or is the compiler's own"
    ),
    "links": (
        "guessed: what LLVM added (copies of merged values, casts) is shown with the next op that uses it; what brings "
        "the kernel's arguments with the op that first reads one"
    ),
    "moves": (
        "guessed: where ways meet, a move for a merged value names the op at which they meet: those that zero the "
        "accumulator name the compare at the loop's head"
    ),
    "spills": "exact: messages to scratch memory, also where they are private arrays and no registers were short",
    "loops": (
        "exact: ranges and unrolling, as --stats has them; which loop of the source it is follows from the ops inside"
    ),
    "conflicts": (
        "modelled: as many lanes go at once as use all banks of 4 bytes; those that ask a bank for different words wait"
    ),
    "exchanges": "planned: prices are those between which the passes chose; what came of it is counted",
    "bytes": "modelled: rows x columns x bits of the messages of level L, as if nothing lay outside of the matrix",
    "rereads": "modelled: subgroups of a workgroup that ask for the same elements; caches are not looked at",
    "registers": (
        "exact: what loads, matrix instructions and stores name in ocloc's text; which value that is, debug lines tell"
    ),
}
"""By kind of number what a reader may rely on."""


def add_costs(trace: Traced) -> None:
    """Add costs and loops to a kernel; without assembly there are bytes only."""
    kernel, found = trace.kernel, listing(trace.kernel)
    costs = Costs([], [], 0, 0, 0)
    if found is not None:
        kinds = _classes(trace, found)
        costs.classes = [kind for kind in CLASSES if kind in kinds]
        costs.asm = [costs.classes.index(kind) for kind in kinds]
        kernel.loops = loops(trace, found)
        add_instructions(kernel, found)
    if trace.disassembly is not None:
        told = environment(trace.disassembly.description, kernel.name)
        costs.grf, costs.spill, costs.scratch = (
            int(told[key]) for key in ("grf_count", "spill_size", "scratch")
        )
    if (last := trace.level("L")) is not None:
        costs.bytes = _bytes(trace, last)
        costs.rereads = _rereads(kernel, {(level, op) for level, op, _ in costs.bytes})
    kernel.costs = costs
    kernel.certainty = dict(CERTAINTY)
    if any(loop.is_hot for loop in kernel.loops):
        kernel.certainty["rounds"] = _rounds(trace)


def _rounds(trace: Traced) -> str:
    """Why as many rounds of a loop stand in one as do."""
    if trace.options.unroll is not None:
        return "exact: as many rounds of a loop stand in one as `unroll` asks for"
    name = trace.device.name
    why = (
        "messages add a constant to their place, so that a copy of a round costs nothing more"
        if trace.device.message_offsets
        else "messages add no constant to their place, so that a copy of a round takes registers and instructions"
    )
    return (
        f"exact: as many rounds of a loop stand in one as was measured best; on {name} {why}"
    )


def _classes(trace: Traced, found: Listing) -> list[Class]:
    """The class of each instruction; moves of an op that exchanges lanes are shuffles."""
    ops = trace.ops["L"]
    kinds: list[Class] = []
    for instruction, link in zip(found.program.instructions, found.links, strict=True):
        kind = class_of(instruction)
        exchanges = link is not None and _exchanges_lanes(ops[link])
        kinds.append("shuffle" if kind == "mov" and exchanges else kind)
    return kinds


def _exchanges_lanes(op: Operation) -> bool:
    return isinstance(op, llvm.CallOp) and "sub_group_shuffle" in (callee(op) or "")


def _bytes(trace: Traced, last: int) -> list[tuple[int, int, int]]:
    ops = trace.ops["L"]
    kernel = next(filter(is_kernel, _functions(ops)), None)
    if kernel is None:  # a function that no host launches
        return []
    hot = hot_blocks(kernel)
    step = products_per_step(kernel)
    copies = sum(map(products_of, hot)) // step if step and hot else 1
    blocks = set(hot)
    inside = {number: op.parent in blocks for number, op in enumerate(ops)}
    return bytes_per_round(trace.kernel.levels, last, ops, inside, max(1, copies))


def _functions(ops: Sequence[Operation]) -> list[llvm.FuncOp]:
    return [op for op in ops if isinstance(op, llvm.FuncOp)]


def _rereads(kernel: Kernel, moving: set[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """By op that moves bytes, how many subgroups ask for each element of its tile."""
    found: dict[tuple[int, int], int] = {}
    for index, level in enumerate(kernel.levels):
        tiles = {
            number: times
            for number, value in enumerate(level.values)
            if value.holding is not None
            and (times := _copies(kernel.holdings[value.holding].layout)) is not None
        }
        for number, times in tiles.items():
            at = index, level.values[number].op
            if at in moving:
                found[at] = times
        for op, _, number in level.uses:
            if number in tiles and (index, op) in moving:
                found.setdefault((index, op), tiles[number])
    return sorted((level, op, times) for (level, op), times in found.items())


def _copies(layout: Bases | None) -> int | None:
    """How many subgroups have the same elements; None of a layout that is not one of subgroups."""
    if layout is None or "subgroup" not in layout.inputs:
        return None
    vectors = layout.inputs["subgroup"]
    rank = layout_of_form({"subgroup": vectors}, layout.outputs).rank
    return int(1 << (len(vectors) - int(rank)))

"""The classes and costs of a kernel's instructions: registers, bytes of messages, and how certain these are.

Instructions are counted in ocloc's text. Each belongs to the op of level L that its debug line names; without one,
it is the compiler's own. As every op has one parent, sums over the levels above are exact.

The messages of moves are sent by the instructions that access memory and come from the op that moves.

Each loop of an assembly is linked to its loop in the source, with the number of rounds unrolled into it.

The bytes that messages of level L move are read off the called functions, and summed up to the levels above.

call @..block_read_16b_32r16x2c(..)      32 rows of 2 blocks of 16 columns of 16 bits: 2048 bytes
call @..block_write_ap_u32_m8k16v1(..)   8 rows of 16 columns of 32 bits: 512 bytes
llvm.load of vector<8xf32>               by each of 16 lanes: 512 bytes, as if all lanes were on

The bytes of an op of a level above are those of its parts, in one round of the loop as it is written.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import TypeVar, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import VectorType
from xdsl.dialects.scf import ForOp
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.codegen.llvm_functions import (
    block_of,
    callee,
    hot_blocks,
    is_kernel,
    llvm_functions,
    products_of,
    products_per_step,
)
from xetile.codegen.walk import walk
from xetile.dialects.upstream.arith.arith_support import constant_integer
from xetile.dialects.xetile import TileMMAOp
from xetile.explorer.isa.instruction_levels import Listing, listing
from xetile.explorer.linking.trace import Traced
from xetile.explorer.model import At, Bases, Costs, Kernel, Level, Loop
from xetile.hints import isa
from xetile.layout.show.plain_data import layout_of_form
from xetile.targets.target import BYTE_BITS
from xetile.targets.xe.device import LANES
from xetile.toolchain import assembly
from xetile.toolchain.assembly import (
    CLASSES,
    MESSAGES,
    Class,
    Work,
    class_of,
    classify,
    environment,
    loop_ranges,
)

_BY_LANES = re.compile(
    r"simd_block_(?:read|write)|intel_sub_group_block_(?:read|write)|atomic_"
)
_PRIVATE = 0
"""The address space of arrays that are in registers (source: SPIR-V's Function; LLVM's 0 of spir64)."""


def word_bytes(type: Attribute) -> int:
    """Return the bytes of a component."""
    element = type
    if isa(type, VectorType):
        element = type.element_type
    elif isinstance(type, llvm.LLVMArrayType):
        element = type.type
    bits: int = getattr(element, "bitwidth", 0)
    return max(1, bits // BYTE_BITS)


def lane_bytes(type: Attribute) -> int:
    """Return the bytes of a value in each lane."""
    if isa(type, VectorType):
        return type.element_count() * word_bytes(type)
    if isinstance(type, llvm.LLVMArrayType):
        return type.size.data * word_bytes(type)
    return word_bytes(type)


def given_bytes(op: Operation) -> int | None:
    """Return the bytes that an op gives to each lane, or None if it gives nothing."""
    type = _given(op)
    return None if type is None else lane_bytes(type)


def given_word(op: Operation) -> int:
    """Return the bytes of a word of the value that an op gives."""
    type = _given(op)
    assert type is not None, op
    return word_bytes(type)


def _given(op: Operation) -> Attribute | None:
    """Return the type of an op's result, or of the private array that a call fills."""
    if op.results:
        return op.results[0].type
    if not isinstance(op, llvm.CallOp):
        return None
    owners: Sequence[object] = [operand.owner for operand in op.args]
    return next((o.elem_type for o in owners if isinstance(o, llvm.AllocaOp)), None)


def bytes_of(op: Operation) -> int:
    """Return the bytes that an op of level L moves to or from memory, for a subgroup; 0 if it moves none."""
    match op:
        case llvm.CallOp():
            return _called(op)
        case llvm.LoadOp():
            return _by_lanes(op.ptr, op.results[0].type)
        case llvm.StoreOp():
            return _by_lanes(op.ptr, op.value.type)
        case _:
            return 0


def _called(op: llvm.CallOp) -> int:
    name = callee(op) or ""
    if (block := block_of(name)) is not None:
        return prod(block) // BYTE_BITS
    if not _BY_LANES.search(name):
        return 0
    moved = op.returned if op.returned is not None else op.args[-1]
    return lane_bytes(moved.type) * LANES


def _by_lanes(pointer: SSAValue, moved: Attribute) -> int:
    type = pointer.type
    assert isinstance(type, llvm.LLVMPointerType)
    space = getattr(type.addr_space, "value", None)
    outside = space is not None and space.data != _PRIVATE
    return lane_bytes(moved) * LANES if outside else 0


_Found = TypeVar("_Found")


def upward(
    levels: Sequence[Level], last: int, found: Mapping[int, list[_Found]]
) -> Iterator[tuple[int, Mapping[int, list[_Found]]]]:
    """Yield level after level from `last` up, with the findings by op; an op above has those of its parts."""
    level: int | None = last
    while level is not None:
        yield level, found
        upper: dict[int, list[_Found]] = defaultdict(list)
        for number, parts in found.items():
            for parent in levels[level].ops[number].parents:
                upper[parent] += parts
        found, level = upper, levels[level].of


def bytes_per_round(
    levels: Sequence[Level],
    last: int,
    ops: Sequence[Operation],
    hot: Mapping[int, bool],
    copies: int,
) -> list[tuple[int, int, int]]:
    """Return by level and op the bytes of one round of its loop, unrolled `copies` times in the hot one of level L.

    If an op has parts in the hot loop, only those count, and not its parts before and after the loop.
    """
    sizes = {
        number: [(size, hot[number])]
        for number, op in enumerate(ops)
        if (size := bytes_of(op))
    }
    found: list[tuple[int, int, int]] = []
    for level, parts in upward(levels, last, sizes):
        shared = 1 if level == last else copies
        for number, own in parts.items():
            in_loop = sum(size for size, is_hot in own if is_hot)
            found.append(
                (level, number, in_loop // shared if in_loop else sum(s for s, _ in own))
            )
    return sorted(found)


def loops(trace: Traced, listing: Listing) -> list[Loop]:
    """Return the loops, in the order of the assembly; `--stats` counts over the hot one."""
    work = next(
        (walk(function) for function in llvm_functions(trace.module) if is_kernel(function)),
        Work(),
    )
    program = listing.program
    hot = assembly.hot_range(program)
    if hot is None and work.looped and assembly.products_of(program.instructions):
        place = assembly.unrolled_range(program)
        return [_loop(trace, listing, place, work, is_hot=True)]
    found = sorted(loop_ranges(program), key=lambda loop: (loop.start, -loop.stop))
    return [_loop(trace, listing, place, work, is_hot=place == hot) for place in found]


def _loop(trace: Traced, listing: Listing, place: range, work: Work, *, is_hot: bool) -> Loop:
    inner = [
        loop
        for loop in loop_ranges(listing.program)
        if loop != place and place.start <= loop.start and loop.stop <= place.stop
    ]
    own = [n for n in place if not any(n in loop for loop in inner)]
    copies = 1
    if work.products_per_step and not inner:
        body = listing.program.instructions[place.start : place.stop]
        copies = max(1, round(assembly.products_of(body) / work.products_per_step))
    found = _written(trace, listing, own)
    trips = None if found is None else _trips(found[1])
    if trips is None and is_hot and work.products and work.entries and work.products_per_step:
        trips = work.products // work.products_per_step // work.entries
    step = "" if found is None else _step(found[1])
    at = None if found is None else found[0]
    return Loop((place.start, place.stop - 1), copies, step, trips, at, is_hot=is_hot)


def _written(trace: Traced, listing: Listing, own: Sequence[int]) -> tuple[At, ForOp] | None:
    """Return the loop at the highest level that has it: the one that contains most of the instructions' ops.

    Ops of matrix instructions decide first, as others may have been moved. `own` excludes inner loops.
    """
    used = {link for number in own if (link := listing.links[number]) is not None}
    products = {
        link
        for number in own
        if classify(listing.program.instructions[number]) == "dpas"
        and (link := listing.links[number]) is not None
    }
    own_ops = {link: [link] for link in products or used}
    for level, found in reversed(list(upward(trace.kernel.levels, listing.origin, own_ops))):
        if trace.kernel.levels[level].id not in trace.ops:
            continue
        ops = [op for op, parts in found.items() for _ in parts]
        around = Counter(loop for number in ops if (loop := _around(trace, level, number)))
        if around:
            loop = around.most_common(1)[0][0]
            here = trace.ops[trace.kernel.levels[level].id]
            return (level, here.index(loop)), loop
    return None


def _around(trace: Traced, level: int, number: int) -> ForOp | None:
    op = trace.ops[trace.kernel.levels[level].id][number]
    while op is not None and not isinstance(op, ForOp):
        op = op.parent_op()
    return op


def _trips(loop: ForOp) -> int | None:
    """Return how many rounds a loop runs if its bounds are constants, else None."""
    start, end, step = map(constant_integer, (loop.lb, loop.ub, loop.step))
    if start is None or end is None or not step:
        return None
    return max(0, -(-(end - start) // step))


def _step(loop: ForOp) -> str:
    """Describe the step of a round: the K of its product, if there is one, else the step of its counter."""
    products = [op for op in loop.walk() if isinstance(op, TileMMAOp)]
    if len(products) == 1:
        shape = cast("VectorType[Attribute]", products[0].a.type).get_shape()
        return f"K {shape[-1]}"
    step = constant_integer(loop.step)
    name = loop.body.block.args[0].name_hint or "counter"
    return name if step is None else f"{name} {step}"


_OTHERS = ("spill", "fill")
"""Messages that no op asked for."""


def add_instructions(kernel: Kernel, listing: Listing) -> None:
    """Record for each message of a move its instructions, in all copies of an unrolled loop.

    Several messages of one op alternate, as they are in the order of the op's parts.
    """
    sent = _sent(kernel, listing)
    for move in kernel.moves:
        for number, message in enumerate(move.messages):
            message.asm = sent.get(move.op, [])[number :: len(move.messages)]


def _sent(kernel: Kernel, listing: Listing) -> dict[At, list[int]]:
    """Return the messages of the assembly by the op of any level that they come from."""
    sent: dict[int, list[int]] = defaultdict(list)
    for number, one in enumerate(listing.program.instructions):
        kind, op = class_of(one), listing.links[number]
        if op is not None and kind in MESSAGES and kind not in _OTHERS:
            sent[op].append(number)
    return {
        (level, op): sorted(numbers)
        for level, found in upward(kernel.levels, listing.origin, sent)
        for op, numbers in found.items()
    }


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
"""The reliability of each kind of number."""


def add_costs(trace: Traced) -> None:
    """Add costs and loops to a kernel; without assembly only bytes."""
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
    """Return the reason for the number of rounds that are unrolled into one."""
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
    """Return the class of each instruction; moves of an op that exchanges lanes are shuffles."""
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
    """Return for each op that moves bytes how many subgroups ask for each element of its tile."""
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
    """Return how many subgroups have the same elements, or None if the layout has no subgroups."""
    if layout is None or "subgroup" not in layout.inputs:
        return None
    vectors = layout.inputs["subgroup"]
    rank = layout_of_form({"subgroup": vectors}, layout.outputs).rank
    return int(1 << (len(vectors) - int(rank)))

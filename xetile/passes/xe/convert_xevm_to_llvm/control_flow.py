"""Lower scf to blocks, whose arguments are the carried values, chunk by chunk; unroll the loops that gain by it.

A kernel's own blocks and the branches between them (cf) stay. Values are passed to blocks as arguments, chunk by chunk.
Loops become blocks that are marked so that no later tool unrolls them; those that gain by unrolling are unrolled here.

Before, if four copies of the body are wanted:

    %r = scf.for %k = %low to %high step %c32 iter_args(%a = %start) -> (vector<8xf32>) {
      ...
      scf.yield %next : vector<8xf32>
    }

After:

    llvm.br ^many(%low, %start)
    ^many(%k, %a):                            // while %k + 96 is below %high
      %again = llvm.icmp "slt" %k, %bound
      llvm.cond_br %again, ^copies, ^behind
    ^copies:
      ...                                     // rounds %k, %k + 32, %k + 64, %k + 96
      llvm.br ^many(%k_next, %next) {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
    ^behind:
      llvm.br ^rest(%k, %a)                   // the same loop, round by round, for what is left

The second loop is left out if the number of rounds is known to be a multiple of the copies. A single remaining round
needs no loop, and if all rounds are copies, there is no loop at all. `bound` is `high - 96`, or the least number if
that would be less, so that nothing wraps around that did not before.

A round of an unrolled loop is rewritten once and then copied, since rewriting it for each copy takes three times as
long as copying the result.

Prefetches in loops go through an address payload. The message of a prefetch takes an 8-word payload. The plain builtin
builds it anew every time (5 moves). IGC can keep one in a register, so that a round of a loop only moves X and Y. So if
pointer and surface of a prefetch do not change in the loop around it, the payload is made before the loop.

The module also collects the facts from which planning/xe/unrolling.py decides the copies of each loop's body.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, TypeAlias

from xdsl.dialects import cf, llvm
from xdsl.dialects.builtin import IndexType, IntegerType, VectorType
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue, SSAValues

from xetile.analysis.constants import integers_of
from xetile.analysis.ranges import Interval, Ranges
from xetile.analysis.same_value import terminator
from xetile.dialects.traits import Elementwise, has_trait
from xetile.dialects.upstream.llvm import BrOp, SelectOp
from xetile.dialects.xevm import BlockLoad2dOp, BlockPrefetch2dOp, MMAOp
from xetile.errors import fail
from xetile.hints import isa
from xetile.passes.xe.convert_xevm_to_llvm.arithmetic import WRAPPING
from xetile.passes.xe.convert_xevm_to_llvm.llvm_types import vector_length
from xetile.passes.xe.convert_xevm_to_llvm.llvm_view import Chunks, LLVMView, Payload, Strided
from xetile.passes.xe.convert_xevm_to_llvm.message_calls import create_payload
from xetile.passes.xe.convert_xevm_to_llvm.payloads import CASTS, holds_places, shape_of
from xetile.planning.xe.unrolling import LoopFacts, copies
from xetile.rewriting.rewriter import Handlers
from xetile.targets.target import INDEX_BITS, Target
from xetile.targets.xe.device import XeDevice
from xetile.targets.xe.messages import PAYLOAD_ROW_BYTES


def rewrite_blocks(view: LLVMView, entry: Block) -> None:
    """Rewrite the entry block, whose arguments are bound, and all reachable blocks."""
    order = _from_definitions_on(entry)
    for block in order[1:]:
        view.targets[block] = Block(arg_types=types_of(slots_of(view, block.args)))
    view.rewrite_block(entry)
    for block in order[1:]:
        made = view.targets[block]
        view.enter(made)
        bind_carried(view, block.args, slots_of(view, block.args), made.args)
        view.rewrite_block(block)


def _from_definitions_on(entry: Block) -> list[Block]:
    """Return the reachable blocks, each after those that dominate it, in reverse postorder."""
    found: list[Block] = []
    seen, open = {entry}, [(entry, iter(_successors(entry)))]
    while open:
        block, rest = open[-1]
        following = next((s for s in rest if s not in seen), None)
        if following is None:
            found.append(block)
            open.pop()
        else:
            seen.add(following)
            open.append((following, iter(_successors(following))))
    return found[::-1]


def _successors(block: Block) -> Sequence[Block]:
    last = block.last_op
    return () if last is None else last.successors


def _handed(view: LLVMView, to: Block, values: Sequence[SSAValue]) -> list[SSAValue]:
    return all_flat(view, values, slots_of(view, to.args))


def _jump(view: LLVMView, op: Operation) -> None:
    assert isinstance(op, cf.BranchOp)
    to = op.successor
    view.emit(llvm.BrOp(view.targets[to], *_handed(view, to, op.arguments)))


def _choice(view: LLVMView, op: Operation) -> None:
    """Separate two branches to one block by a block between, since LLVM identifies branches by their origin."""
    assert isinstance(op, cf.ConditionalBranchOp)
    ways = [(op.then_block, op.then_arguments), (op.else_block, op.else_arguments)]
    condition = view.scalar(op.cond)
    handed = [_handed(view, to, values) for to, values in ways]
    yes, no = (view.targets[to] for to, _ in ways)
    if yes is not no:
        view.emit(llvm.CondBrOp(condition, yes, handed[0], no, handed[1]))
        return
    between = Block()
    view.emit(llvm.CondBrOp(condition, between, [], no, handed[1]))
    view.enter(between)
    view.emit(llvm.BrOp(yes, *handed[0]))


def _switch(view: LLVMView, op: Operation) -> None:
    """Compare the cases one after the other; each branch gets a block between, by which LLVM identifies it."""
    assert isinstance(op, cf.SwitchOp)
    values = op.case_values
    numbers = [] if values is None else [int(number) for number in values.get_values()]
    flag, ways = view.scalar(op.flag), zip(op.case_blocks, op.case_operand, strict=True)
    bits = view.bits(op.flag)
    handed = [(view.targets[to], _handed(view, to, given)) for to, given in ways]
    default = _handed(view, op.default_block, op.default_operands)
    for number, (to, given) in zip(numbers, handed, strict=True):
        chosen, next = Block(), Block()
        same = view.compare("eq", flag, view.integer_constant(number, bits))
        view.emit(llvm.CondBrOp(same, chosen, [], next, []))
        view.enter(chosen)
        view.emit(llvm.BrOp(to, *given))
        view.enter(next)
    view.emit(llvm.BrOp(view.targets[op.default_block], *default))


Slot: TypeAlias = tuple[Attribute, ...]
"""The form in which a value is carried: the types of its block arguments."""


def slots_of(view: LLVMView, *values: Sequence[SSAValue]) -> list[Slot]:
    """Return the slots of values that replace one another; each row of values shares a slot."""
    return [_slot(view, row) for row in zip(*values, strict=True)]


def _slot(view: LLVMView, values: Sequence[SSAValue]) -> Slot:
    """Return the slot of some values; an index has 32 bits if all of them fit."""
    if isinstance(values[0].type, IndexType):
        return (IntegerType(32 if view.fits(*values) else 64),)
    return tuple(view.part_types(values[0]))


def _flat(view: LLVMView, value: SSAValue, slot: Slot) -> tuple[SSAValue, ...]:
    if isinstance(view.get(value), Strided):
        view.refuse(f"carries {value.type}, which has no lowering to LLVM IR")
    if isa(slot[0], IntegerType) and vector_length(value.type) is None:
        return (view.integer(value, slot[0].width.data),)
    return view.parts(value)


def all_flat(
    view: LLVMView, values: Sequence[SSAValue], slots: Sequence[Slot]
) -> list[SSAValue]:
    """Return the flat values to pass on for `values`."""
    return [p for v, slot in zip(values, slots, strict=True) for p in _flat(view, v, slot)]


def bind_carried(
    view: LLVMView,
    values: Sequence[SSAValue],
    slots: Sequence[Slot],
    arguments: Sequence[SSAValue],
) -> None:
    """Bind values to the arguments of a block."""
    rest = iter(arguments)
    for value, slot in zip(values, slots, strict=True):
        parts = tuple(islice(rest, len(slot)))
        if vector_length(value.type) is None:
            view.bind(value, parts[0])
        else:
            for part in parts:
                part.name_hint = value.name_hint
            view.bind(value, Chunks(view.element(value), parts))


def types_of(slots: Sequence[Slot]) -> list[Attribute]:
    """Return the types of a block's arguments."""
    return [type for slot in slots for type in slot]


def plan_prefetches(view: LLVMView, loop: Operation) -> None:
    """Make the payloads of a loop's prefetches before it, and record them in `view.payloads`."""
    body = loop.regions[0].blocks[0]
    for prefetch, always in _prefetches(body):
        surface = prefetch.operands[:4]
        if shape_of(prefetch).row_bytes > PAYLOAD_ROW_BYTES:
            continue
        if not all(_invariant(value, body) for value in surface):
            continue
        view.current = prefetch
        view.payloads[prefetch] = _create(view, prefetch, loop, always=always)
    view.current = loop


def _prefetches(body: Block) -> Iterator[tuple[BlockPrefetch2dOp, bool]]:
    """Yield a loop body's prefetches, without those of inner loops, and True if every round executes them."""
    for op in body.ops:
        if isinstance(op, BlockPrefetch2dOp):
            yield op, True
        elif op.name == "scf.if":
            inner = (block for region in op.regions for block in region.blocks)
            yield from (
                (prefetch, False) for block in inner for prefetch, _ in _prefetches(block)
            )


def _create(
    view: LLVMView, prefetch: BlockPrefetch2dOp, loop: Operation, *, always: bool
) -> Payload:
    sizes = (prefetch.base_width, prefetch.base_height, prefetch.base_pitch)
    place: list[SSAValue] = []
    steps: list[int | None] = []
    for coordinate in (prefetch.x, prefetch.y):
        step = _step_of(view, coordinate, loop)
        if step is None or (step and not always):
            step = None
            place.append(view.i32(0))
        else:
            place.append(_at_start(view, coordinate, loop))
        steps.append(step)
    surface = (prefetch.ptr, *sizes)
    return Payload(create_payload(view, surface, place, shape_of(prefetch)), *steps)


def _invariant(value: SSAValue, body: Block) -> bool:
    """Return True if a value is a constant or computed outside a loop."""
    op = value.owner
    if isinstance(op, Operation) and op.name == "arith.constant":
        return True
    block = op if isinstance(op, Block) else op.parent_block()
    while block is not None and block is not body:
        parent = block.parent_op()
        block = None if parent is None else parent.parent_block()
    return block is None


def _step_of(view: LLVMView, value: SSAValue, loop: Operation) -> int | None:
    """Return how much a value grows in each round of a loop, or None if that is not a known constant."""
    body = loop.regions[0].blocks[0]
    if _invariant(value, body):
        return 0
    if value is body.args[0]:
        return view.number(loop.operands[2])
    if value.owner is body:
        index = body.args.index(value) - 1
        return _difference(view, value, terminator(body).operands[index])
    op = value.owner
    if not isinstance(op, Operation):
        return None
    if op.name in CASTS and all(map(holds_places, (op.operands[0].type, op.results[0].type))):
        return _step_of(view, op.operands[0], loop)
    if op.name in ("arith.addi", "arith.subi"):
        left, right = (_step_of(view, operand, loop) for operand in op.operands)
        if left is None or right is None:
            return None
        return left + right if op.name == "arith.addi" else left - right
    if op.name == "arith.muli":
        for factor, other in (op.operands, reversed(op.operands)):
            number, step = view.number(factor), _step_of(view, other, loop)
            if number is not None and step is not None:
                return number * step
    return None


def _difference(view: LLVMView, argument: SSAValue, value: SSAValue) -> int | None:
    """Return how much a yielded value exceeds a loop's argument if it is a sum of it and constants, else None."""
    if value is argument:
        return 0
    op = value.owner
    if not isinstance(op, Operation) or op.name not in ("arith.addi", "arith.subi"):
        return None
    left, right = op.operands
    if op.name == "arith.addi" and view.number(left) is not None:
        left, right = right, left
    before, number = _difference(view, argument, left), view.number(right)
    if before is None or number is None:
        return None
    return before + number if op.name == "arith.addi" else before - number


def _at_start(view: LLVMView, value: SSAValue, loop: Operation) -> SSAValue:
    """Return the value that a growing value has in the first round, in 32 bits."""
    body = loop.regions[0].blocks[0]
    if _invariant(value, body):
        number = view.number(value)
        if number is not None:
            return view.i32(number)
        return view.integer(value, 32)
    if value is body.args[0]:
        return view.integer(loop.operands[0], 32)
    if value.owner is body:
        return view.integer(loop.operands[2 + body.args.index(value)], 32)
    op = value.owner
    assert isinstance(op, Operation)
    operands = [_at_start(view, operand, loop) for operand in op.operands]
    if op.name in CASTS:
        return operands[0]
    return view.new(WRAPPING[op.name](*operands))


class Round(NamedTuple):
    """A round in a block of its own, whose arguments are the counter and carried values, and the passed on values."""

    block: Block
    handed_on: Sequence[SSAValue]


def is_straight(body: Block) -> bool:
    """Return True if a loop's body becomes ops of one block."""
    return not any(op.regions for op in body.ops)


def write_round(view: LLVMView, round: Round, taken: Sequence[SSAValue]) -> Sequence[SSAValue]:
    """Copy a round to the current place for a counter and carried values, and return the values that it passes on."""
    values: dict[int, SSAValue] = {
        id(argument): value for argument, value in zip(round.block.args, taken, strict=True)
    }
    for op in round.block.ops:
        view.block.add_op(_copy(op, values))
    return [values.get(id(value), value) for value in round.handed_on]


def forget(round: Round) -> None:
    """Drop the uses of a round that is in no block."""
    for op in round.block.ops:
        op.drop_all_references()


def _copy(op: Operation, values: dict[int, SSAValue]) -> Operation:
    """Copy an op with other operands, and record its results; types, properties and position are the same objects.

    The copy equals that of `Operation.create`, in half the time: an op of a round has neither regions nor successors.
    """
    made = type(op).__new__(type(op))
    made.operands = [values.get(id(operand), operand) for operand in op.operands]
    made.properties = op.properties.copy()
    made.attributes = op.attributes.copy()
    made.location = op.location
    results: list[OpResult] = []
    for old in op.results:
        new = OpResult(old.type, made, old.index)
        if old.name_hint is not None:
            new.name_hint = old.name_hint
        values[id(old)] = new
        results.append(new)
    made.results = SSAValues(results)
    return made


@dataclass(frozen=True)
class _Loop:
    """An scf.for during its lowering: the slots of its values, and its bounds at L."""

    op: Operation
    slots: Sequence[Slot]
    high: SSAValue
    step: SSAValue
    bits: int

    @property
    def body(self) -> Block:
        return self.op.regions[0].blocks[0]

    @property
    def counter(self) -> SSAValue:
        return self.body.args[0]

    @property
    def arguments(self) -> Sequence[SSAValue]:
        return self.body.args[1:]


def _for(view: LLVMView, op: Operation) -> None:
    body = op.regions[0].blocks[0]
    slots = slots_of(view, body.args[1:], op.operands[3:], yielded(body), op.results)
    bits = _counter_bits(view, op)
    low, high, step = (view.integer(value, bits) for value in op.operands[:3])
    loop = _Loop(op, slots, high, step, bits)
    carried: Sequence[SSAValue] = all_flat(view, op.operands[3:], slots)
    plan_prefetches(view, op)
    copies, rounds = view.copies.get(op, 1), rounds_of(op, view.ranges)
    if rounds is not None and 1 < rounds <= copies:
        carried = _copies(view, loop, low, carried, rounds)
    else:
        at, carried = _looped(view, loop, copies, low, carried)
        left = None if rounds is None else rounds % copies
        if left == 1:
            carried = _copies(view, loop, at, carried, 1)
        elif copies > 1 and left != 0:
            _, carried = _looped(view, loop, 1, at, carried)
    bind_carried(view, op.results, slots, carried)


def _looped(
    view: LLVMView, loop: _Loop, copies: int, low: SSAValue, initial: Sequence[SSAValue]
) -> tuple[SSAValue, Sequence[SSAValue]]:
    """Emit the loop with `copies` rounds in one; return the counter and the carried values after it."""
    bound = _bound(view, loop, copies)
    head = Block(arg_types=[IntegerType(loop.bits), *types_of(loop.slots)])
    inside, behind = Block(), Block()
    view.emit(llvm.BrOp(head, low, *initial))
    view.enter(head)
    at, *carried = head.args
    again = view.compare("slt", at, bound)
    view.emit(llvm.CondBrOp(again, inside, [], behind, []))

    view.enter(inside)
    next = _copies(view, loop, at, carried, copies)
    step = (
        loop.step
        if copies == 1
        else view.integer_constant(copies * _step(view, loop), loop.bits)
    )
    view.emit(BrOp.back(head, view.new(llvm.AddOp(at, step)), *next))
    view.enter(behind)
    return at, carried


def _copies(
    view: LLVMView, loop: _Loop, at: SSAValue, carried: Sequence[SSAValue], number: int
) -> Sequence[SSAValue]:
    """Emit `number` rounds in sequence from a counter on, and return the values that the last one passes on."""
    round = _round(view, loop) if number > 1 and is_straight(loop.body) else None
    for copy in range(number):
        counter = at
        if copy:
            step = view.integer_constant(copy * _step(view, loop), loop.bits)
            counter = view.new(llvm.AddOp(at, step))
        _bind_round(view, loop, counter, carried)
        taken = [counter, *carried]
        carried = write_round(view, round, taken) if round else _rewritten(view, loop)
    if round is not None:
        forget(round)
    return carried


def _round(view: LLVMView, loop: _Loop) -> Round:
    """Rewrite a round of a loop for any counter and carried values."""
    block = Block(arg_types=[IntegerType(loop.bits), *types_of(loop.slots)])
    counter, *carried = block.args
    with view.building(block):
        _bind_round(view, loop, counter, carried)
        return Round(block, _rewritten(view, loop))


def _bind_round(
    view: LLVMView, loop: _Loop, counter: SSAValue, carried: Sequence[SSAValue]
) -> None:
    view.bind(loop.counter, counter)
    bind_carried(view, loop.arguments, loop.slots, carried)


def _rewritten(view: LLVMView, loop: _Loop) -> Sequence[SSAValue]:
    """Rewrite a round for the bound values, and return the values that it passes on."""
    view.rewrite_block(loop.body)
    view.current = loop.op
    return all_flat(view, yielded(loop.body), loop.slots)


def _step(view: LLVMView, loop: _Loop) -> int:
    """Return the step of an unrolled loop, which is known."""
    step = number_of(view.ranges, loop.op, 2)
    assert step is not None
    return step


def _bound(view: LLVMView, loop: _Loop, copies: int) -> SSAValue:
    """Return the bound that the counter is below while at least `copies` rounds are left."""
    if copies == 1:
        return loop.high
    ahead, high = (copies - 1) * _step(view, loop), loop.op.operands[1]
    known, least = view.number(high), -(1 << (loop.bits - 1))
    if known is not None:
        return view.integer_constant(max(least, known - ahead), loop.bits)
    bound = view.new(llvm.AddOp(loop.high, view.integer_constant(-ahead, loop.bits)))
    if high in view.ranges and view.ranges[high].low - ahead >= least:
        return bound
    lowest = view.integer_constant(least, loop.bits)
    wraps = view.compare("slt", loop.high, view.integer_constant(least + ahead, loop.bits))
    return view.new(SelectOp(wraps, lowest, bound))


def _counter_bits(view: LLVMView, op: Operation) -> int:
    """Return the bits of a loop's counter: 32 if the bounds, the step and the value past the end fit."""
    low, high, step = op.operands[:3]
    counter = op.regions[0].blocks[0].args[0]
    if not isinstance(counter.type, IndexType):
        return view.bits(counter)
    ranges = view.ranges
    if not view.fits(low, high, step):
        return 64
    past = Interval(ranges[high].low, ranges[high].high + ranges[step].high)
    return 32 if past.fits(32) else 64


def _while(view: LLVMView, op: Operation) -> None:
    before, after = (region.blocks[0] for region in op.regions)
    condition, *passed = yielded(before)
    slots = slots_of(view, before.args, op.operands, yielded(after))
    results = slots_of(view, after.args, passed, op.results)
    head = Block(arg_types=types_of(slots))
    inside, behind = (Block(arg_types=types_of(results)) for _ in range(2))
    view.emit(llvm.BrOp(head, *all_flat(view, op.operands, slots)))

    view.enter(head)
    bind_carried(view, before.args, slots, head.args)
    view.rewrite_block(before)
    view.current = op
    values = all_flat(view, passed, results)
    view.emit(llvm.CondBrOp(view.scalar(condition), inside, values, behind, values))

    view.enter(inside)
    bind_carried(view, after.args, results, inside.args)
    view.rewrite_block(after)
    view.current = op
    view.emit(BrOp.back(head, *all_flat(view, yielded(after), slots)))

    view.enter(behind)
    bind_carried(view, op.results, results, behind.args)


LOOPS = ("scf.for", "scf.while")
_BARRIERS = ("gpu.barrier", "spirv.ControlBarrier")


def copies_of_loops(
    function: Operation, ranges: Ranges, targets: Sequence[Target], asked: int | None
) -> Mapping[Operation, int]:
    """Return for each scf.for to unroll the number of copies of its body; other loops are absent.

    For several targets, the number suits all of them. `asked` is the user's choice for loops with products.
    """
    tables = [target.unrolling for target in targets if isinstance(target, XeDevice)]
    found: dict[Operation, int] = {}
    for op in function.walk():
        if op.name != "scf.for":
            continue
        facts = facts_of(op, ranges)
        number = min((copies(facts, table, asked) for table in tables), default=1)
        step = number_of(ranges, op, 2)
        if number > 1 and step is not None and 0 < step * number < 1 << (_bits(op) - 1):
            found[op] = number
    return found


def facts_of(loop: Operation, ranges: Ranges) -> LoopFacts:
    """Return the facts about an scf.for that planning needs."""
    inside = [op for op in loop.walk() if op is not loop]
    products = [op for op in inside if isinstance(op, MMAOp)]
    return LoopFacts(
        rounds_of(loop, ranges),
        len(products),
        max((op.shape.sizes[2] for op in products), default=0),
        loads=sum(isinstance(op, BlockLoad2dOp) for op in inside),
        exchanges=any(op.name in _BARRIERS for op in inside),
        computes=sum(
            has_trait(op, Elementwise) and isa(op.results[0].type, VectorType) for op in inside
        ),
        nested=any(op.name in LOOPS for op in inside),
    )


def rounds_of(loop: Operation, ranges: Ranges) -> int | None:
    """Return the number of rounds of an scf.for, or None if it is not known or the step is not positive."""
    low, high, step = (number_of(ranges, loop, place) for place in range(3))
    if low is None or high is None or step is None or step <= 0:
        return None
    return max(0, -((low - high) // step))


def number_of(ranges: Ranges, loop: Operation, place: int) -> int | None:
    """Return a bound or the step of a loop if it is known, else None."""
    found = ranges.get(loop.operands[place])
    return found.low if found is not None and found.low == found.high else None


def products_per_step(function: Operation) -> int:
    """Return the matrix instructions in one round of the loop that has the most, before unrolling."""
    return max(
        (
            sum(isinstance(inside, MMAOp) for inside in op.walk())
            for op in function.walk()
            if op.name in LOOPS
        ),
        default=0,
    )


def _bits(loop: Operation) -> int:
    """Return the least bits of a loop's counter at L."""
    type = loop.regions[0].blocks[0].args[0].type
    return type.width.data if isa(type, IntegerType) else 32


def yielded(block: Block) -> Sequence[SSAValue]:
    """Return the values that a region's last op passes on."""
    last = block.last_op
    return (
        last.operands
        if last is not None and last.name in ("scf.yield", "scf.condition")
        else ()
    )


def _branch(
    view: LLVMView,
    op: Operation,
    branch: Block,
    inside: Block,
    slots: Sequence[Slot],
    behind: Block,
) -> None:
    """Rewrite one region of an op in a block of its own, which ends in a branch to after the op."""
    view.enter(inside)
    view.rewrite_block(branch)
    view.current = op
    view.emit(llvm.BrOp(behind, *all_flat(view, yielded(branch), slots)))


def _if(view: LLVMView, op: Operation) -> None:
    branches = [region.blocks[0] for region in op.regions if region.blocks]
    slots = slots_of(view, op.results, *map(yielded, branches))
    behind = Block(arg_types=types_of(slots))
    blocks = [Block() for _ in branches]
    condition = view.scalar(op.operands[0])
    view.emit(llvm.CondBrOp(condition, blocks[0], [], (blocks[1:] or [behind])[0], []))
    for branch, block in zip(branches, blocks, strict=True):
        _branch(view, op, branch, block, slots, behind)
    view.enter(behind)
    bind_carried(view, op.results, slots, behind.args)


def _index_switch(view: LLVMView, op: Operation) -> None:
    """Compare the cases one after the other; the first region is the default."""
    default, *cases = [region.blocks[0] for region in op.regions]
    slots = slots_of(view, op.results, *map(yielded, (default, *cases)))
    behind = Block(arg_types=types_of(slots))
    (flag,) = op.operands
    numbers = integers_of(op, "cases")
    all_fit = all(Interval(number, number).fits(32) for number in numbers)
    bits = view.bits(flag) if all_fit else INDEX_BITS
    for number, branch in zip(numbers, cases, strict=True):
        inside, next = Block(), Block()
        same = view.compare(
            "eq", view.integer(flag, bits), view.integer_constant(number, bits)
        )
        view.emit(llvm.CondBrOp(same, inside, [], next, []))
        _branch(view, op, branch, inside, slots, behind)
        view.enter(next)
    view.rewrite_block(default)
    view.current = op
    view.emit(llvm.BrOp(behind, *all_flat(view, yielded(default), slots)))
    view.enter(behind)
    bind_carried(view, op.results, slots, behind.args)


def _skip(view: LLVMView, op: Operation) -> None:
    """Skip terminators of regions, whose operands the op with the region reads."""


def _return(view: LLVMView, op: Operation) -> None:
    if op.operands:
        fail(op, "a kernel returns nothing")
    view.emit(llvm.ReturnOp())


HANDLERS: Handlers[LLVMView] = {
    "func.return": _return,
    "gpu.return": _return,
    "scf.condition": _skip,
    "scf.if": _if,
    "scf.index_switch": _index_switch,
    "scf.yield": _skip,
    "cf.br": _jump,
    "cf.cond_br": _choice,
    "cf.switch": _switch,
    "scf.for": _for,
    "scf.while": _while,
}

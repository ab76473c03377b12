"""The loops of an assembly: which loop of the source each is, and how many of its rounds stand in it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import cast

from xdsl.dialects.builtin import IntegerAttr, VectorType
from xdsl.dialects.scf import ForOp
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.codegen.functions import is_kernel, llvm_functions
from xetile.codegen.walk import walk
from xetile.dialects.xetile import TileMMAOp
from xetile.explorer.isa.instructions import Listing
from xetile.explorer.levels.trace import Traced
from xetile.explorer.model import At, Loop
from xetile.toolchain.assembly import (
    classify,
    hot_range,
    loop_ranges,
    products_of,
    unrolled_range,
)
from xetile.toolchain.isa import Work


def loops(trace: Traced, listing: Listing) -> list[Loop]:
    """The loops, in the order of the assembly; `--stats` counts over the hot one."""
    work = next(
        (walk(function) for function in llvm_functions(trace.module) if is_kernel(function)),
        Work(),
    )
    program = listing.program
    hot = hot_range(program)
    if hot is None and work.looped and products_of(program.instructions):
        place = unrolled_range(program)
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
        copies = max(1, round(products_of(body) / work.products_per_step))
    found = _written(trace, listing, own)
    trips = None if found is None else _rounds(found[1])
    if trips is None and is_hot and work.products and work.entries and work.products_per_step:
        trips = work.products // work.products_per_step // work.entries
    step = "" if found is None else _step(found[1])
    at = None if found is None else found[0]
    return Loop((place.start, place.stop - 1), copies, step, trips, at, is_hot=is_hot)


def _written(trace: Traced, listing: Listing, own: Sequence[int]) -> tuple[At, ForOp] | None:
    """The loop at the highest level that has it: the one in which most of the instructions' ops stand.

    Those of matrix instructions are asked first, as others may have been moved. `own` leaves out loops inside.
    """
    used = {link for number in own if (link := listing.links[number]) is not None}
    products = {
        link
        for number in own
        if classify(listing.program.instructions[number]) == "dpas"
        and (link := listing.links[number]) is not None
    }
    for level, ops in _levels(trace, products or used, listing.origin):
        around = Counter(loop for number in ops if (loop := _around(trace, level, number)))
        if around:
            loop = around.most_common(1)[0][0]
            here = trace.ops[trace.kernel.levels[level].id]
            return (level, here.index(loop)), loop
    return None


def _levels(trace: Traced, links: set[int], last: int) -> list[tuple[int, list[int]]]:
    """By level, the highest first, the ops of which some ops of level L came."""
    found: list[tuple[int, list[int]]] = []
    level: int | None = last
    numbers: Iterable[int] = links
    while level is not None:
        numbers = list(numbers)
        if trace.kernel.levels[level].id in trace.ops:
            found.insert(0, (level, numbers))
        ops = trace.kernel.levels[level].ops
        numbers = [parent for number in numbers for parent in ops[number].parents]
        level = trace.kernel.levels[level].of
    return found


def _around(trace: Traced, level: int, number: int) -> ForOp | None:
    op = trace.ops[trace.kernel.levels[level].id][number]
    while op is not None and not isinstance(op, ForOp):
        op = op.parent_op()
    return op


def _rounds(loop: ForOp) -> int | None:
    """How often a loop goes round, where its bounds are numbers."""
    start, end, step = map(_number, (loop.lb, loop.ub, loop.step))
    if start is None or end is None or not step:
        return None
    return max(0, -(-(end - start) // step))


def _step(loop: ForOp) -> str:
    """What a round does: the K of its product, if there is one, else what its counter goes on by."""
    products = [op for op in loop.walk() if isinstance(op, TileMMAOp)]
    if len(products) == 1:
        shape = cast("VectorType[Attribute]", products[0].a.type).get_shape()
        return f"K {shape[-1]}"
    step = _number(loop.step)
    name = loop.body.block.args[0].name_hint or "counter"
    return name if step is None else f"{name} {step}"


def _number(value: SSAValue) -> int | None:
    op = value.owner
    found = op.properties.get("value") if isinstance(op, Operation) else None
    return found.value.data if isinstance(found, IntegerAttr) else None

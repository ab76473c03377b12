"""How often the body of each loop is written at L: what is known of it, for planning/unrolling.py."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import IntegerType, VectorType
from xdsl.ir import Operation

from xetile.analysis.ranges import Ranges
from xetile.dialects.traits import Elementwise, has_trait
from xetile.dialects.xevm import BlockLoad2dOp, MMAOp
from xetile.hints import isa
from xetile.planning.unrolling import LoopFacts, copies
from xetile.targets.target import Target
from xetile.targets.xe.device import XeDevice

LOOPS = ("scf.for", "scf.while")
_BARRIERS = ("gpu.barrier", "spirv.ControlBarrier")


def copies_of_loops(
    function: Operation, ranges: Ranges, targets: Sequence[Target], asked: int | None
) -> Mapping[Operation, int]:
    """By scf.for how often its body is written in the loop that it becomes; what is not there, once.

    For several targets it is what suits them all. `asked` is what the user wants of loops with products.
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
    """What planning asks of an scf.for."""
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
    """How often an scf.for goes round, None where that is not known, or its step is not positive."""
    low, high, step = (number_of(ranges, loop, place) for place in range(3))
    if low is None or high is None or step is None or step <= 0:
        return None
    return max(0, -((low - high) // step))


def number_of(ranges: Ranges, loop: Operation, place: int) -> int | None:
    """A bound of a loop, or its step, where it is known."""
    found = ranges.get(loop.operands[place])
    return found.low if found is not None and found.low == found.high else None


def products_per_step(function: Operation) -> int:
    """Matrix instructions of one round of the loop that has the most, as it is written."""
    return max(
        (
            sum(isinstance(inside, MMAOp) for inside in op.walk())
            for op in function.walk()
            if op.name in LOOPS
        ),
        default=0,
    )


def _bits(loop: Operation) -> int:
    """Bits of a loop's counter at L, at least."""
    type = loop.regions[0].blocks[0].args[0].type
    return type.width.data if isa(type, IntegerType) else 32

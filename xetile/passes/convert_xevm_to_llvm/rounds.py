"""One round of a loop at L, of which unrolled loops are made: rewritten once, then copied.

Rewriting a round again for each copy takes three times as long as copying what it became.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import Block, Operation, OpResult, SSAValue, SSAValues

from xetile.passes.convert_xevm_to_llvm.view import LLVMView


class Round(NamedTuple):
    """A round in a block of its own, whose arguments are the counter and what is carried; what it hands on."""

    block: Block
    handed_on: Sequence[SSAValue]


def is_straight(body: Block) -> bool:
    """Whether a loop's body becomes ops of one block."""
    return not any(op.regions for op in body.ops)


def write_round(view: LLVMView, round: Round, taken: Sequence[SSAValue]) -> Sequence[SSAValue]:
    """Write a round where the view is, for a counter and carried values; what it hands on."""
    values: dict[int, SSAValue] = {
        id(argument): value for argument, value in zip(round.block.args, taken, strict=True)
    }
    for op in round.block.ops:
        view.block.add_op(_copy(op, values))
    return [values.get(id(value), value) for value in round.handed_on]


def forget(round: Round) -> None:
    """Take the uses of a round away that stands nowhere."""
    for op in round.block.ops:
        op.drop_all_references()


def _copy(op: Operation, values: dict[int, SSAValue]) -> Operation:
    """An op on other values, which are known from here on; its types, properties and position are the same objects.

    As `Operation.create` makes it, in half the time: an op of a round has neither regions nor successors.
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

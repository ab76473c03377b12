"""Instructions that are like an earlier one but for their operands: the copies of loops that are unrolled.

What an op becomes depends on its name, properties and types, and its operands stand in the instruction at places that
the first one shows. So a later one is that instruction with others there, which takes a third of the time.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import NamedTuple

from llvmlite import ir
from llvmlite.ir.instructions import CastInstr, GEPInstr, InsertElement, LoadInstr
from xdsl.ir import Operation, SSAValue

Key = tuple[object, ...]

_KINDS = frozenset(
    (ir.Instruction, ir.CallInstr, CastInstr, GEPInstr, InsertElement, LoadInstr)
)
"""Classes of instructions whose text depends on nothing but what `_copy` gives them; the first is of arithmetic."""


class _Like(NamedTuple):
    """An instruction, and by operand of it which operand of the op it is; None where it is none."""

    instruction: ir.Instruction
    places: Sequence[int | None]


class Repeated:
    """The instructions of one function by what they depend on beside operands."""

    def __init__(self) -> None:
        self._known: dict[Key, _Like] = {}

    def write(
        self, key: Key, op: Operation, builder: ir.IRBuilder, values: dict[SSAValue, ir.Value]
    ) -> bool:
        """Add the instruction of an op if there was one like it; whether there was."""
        like = self._known.get(key)
        if like is None:
            return False
        own = [values[operand] for operand in op.operands]
        given = [
            before if place is None else own[place]
            for before, place in zip(like.instruction.operands, like.places, strict=True)
        ]
        made = _copy(like.instruction, builder.block, given)
        builder.block.instructions.append(made)
        builder.position_at_end(builder.block)
        for result in op.results:
            values[result] = made
        return True

    def remember(
        self,
        key: Key,
        op: Operation,
        written: Sequence[ir.Instruction],
        values: Mapping[SSAValue, ir.Value],
    ) -> None:
        """Note what an op became, where that is one instruction that tells which operand stands where."""
        if len(written) != 1:
            return
        (made,) = written
        given = [values[operand] for operand in op.operands]
        if len({id(value) for value in given}) < len(given) or type(made) not in _KINDS:
            return
        places = {id(value): place for place, value in enumerate(given)}
        found = [places.get(id(operand)) for operand in made.operands]
        if sorted(place for place in found if place is not None) == list(range(len(given))):
            self._known[key] = _Like(made, found)


def _copy(
    instruction: ir.Instruction, block: ir.Block, operands: list[ir.Value]
) -> ir.Instruction:
    """An instruction with other operands, for the end of a block; its string is not made yet."""
    made = copy(instruction)
    made.parent = block
    made.name = ""  # a new one
    made.operands = operands
    if isinstance(made, GEPInstr):
        made.pointer, *made.indices = operands
    return made


def key_of(op: Operation) -> Key:
    """What an instruction depends on beside operands; attributes are told apart by their identity."""
    return (
        op.name,
        *op.properties,
        *map(id, op.properties.values()),
        *map(id, op.attributes.values()),
        None,
        *[id(value.type) for value in op.operands],
        None,
        *[id(result.type) for result in op.results],
    )

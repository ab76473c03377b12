"""Fast printing of instructions that equal an earlier one except for operands: the copies of unrolled loops.

An op's instruction depends on its name, properties and types, and its operands appear in the text at places that the
first one shows. So a later one is that text with other operands, which takes a fifth of the time.
"""

import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from operator import is_

from llvmlite import ir
from llvmlite.ir.instructions import CastInstr, GEPInstr, InsertElement, LoadInstr
from xdsl.ir import Attribute, Operation, SSAValue

Key = tuple[object, ...]

_KINDS = frozenset(
    (ir.Instruction, ir.CallInstr, CastInstr, GEPInstr, InsertElement, LoadInstr)
)
"""Classes of instructions whose text depends only on the fields that `_blank` sets; the first is arithmetic."""

_HOLE = re.compile("\0([0-9]+)\0")
"""The place of an operand in an instruction's text, by its number; no text of LLVM IR has such a character."""


@dataclass(frozen=True)
class _Hole(ir.Value):
    """A placeholder for an operand of some type."""

    type: ir.Type
    place: int

    def get_reference(self) -> str:
        return f"\0{self.place}\0"


class _Again(ir.Instruction):
    """An instruction whose text is known."""

    def __init__(self, type: ir.Type, reference: str, text: str) -> None:
        self.type = type
        self._reference = reference
        self._text = text

    def get_reference(self) -> str:
        return self._reference

    def __str__(self) -> str:
        return self._text


class _Like:
    """An instruction, and for each of its operands the index of the op's operand, or None."""

    def __init__(self, instruction: ir.Instruction, places: Sequence[int | None]) -> None:
        self.type = instruction.type
        self.has_name = not isinstance(self.type, ir.VoidType)
        self._instruction, self._places = instruction, places
        self._text: str | None = None
        self._order: Sequence[int] = ()
        self._in_order = False

    def text(self, references: Sequence[str]) -> str:
        """Return the instruction's text with other operands, without the name of its result."""
        if self._text is None:
            found = _blank(self._instruction, self._places)
            self._order = [int(place) for place in _HOLE.findall(found)]
            self._in_order = self._order == list(range(len(references)))
            self._text = _HOLE.sub("%s", found.replace("%", "%%"))
        if self._in_order:
            return self._text % tuple(references)
        return self._text % tuple([references[place] for place in self._order])


class Repeated:
    """The instructions of one function, by all that they depend on except operands."""

    def __init__(self) -> None:
        self._known: dict[Key, _Like] = {}
        self._equal: dict[Attribute, int] = {}
        self._numbers: dict[int, int] = {}
        """For each identity of an attribute, which lives as long as its op, the number of its class of equal
        attributes.
        """
        self._references: dict[int, str] = {}
        """For each identity of a value, its name in the text."""

    def key(self, op: Operation) -> Key:
        """Return all that an instruction depends on except operands."""
        numbers, operands = self._numbers, op.operands
        depends = [
            *op.properties.values(),
            *op.attributes.values(),
            *[value.type for value in operands],
            *[result.type for result in op.results],
        ]
        try:
            found = [numbers[id(attribute)] for attribute in depends]
        except KeyError:
            for new in depends:
                numbers[id(new)] = self._equal.setdefault(new, len(self._equal))
            return self.key(op)
        return (op.name, *op.properties, None, *op.attributes, len(operands), *found)

    def write(
        self, key: Key, op: Operation, block: ir.Block, values: dict[SSAValue, ir.Value]
    ) -> bool:
        """Add the instruction of an op to a block if a similar one is known; return False if not."""
        like = self._known.get(key)
        if like is None:
            return False
        references = self._references
        try:
            given = [references[id(operand)] for operand in op.operands]
        except KeyError:
            for operand in op.operands:
                references[id(operand)] = values[operand].get_reference()
            given = [references[id(operand)] for operand in op.operands]
        text = like.text(given)
        name = f'%"{block.scope.register("", deduplicate=True)}"'  # those without a result take one too
        if not like.has_name:
            block.instructions.append(_Again(like.type, name, text))
            return True
        made = _Again(like.type, name, f"{name} = {text}")
        block.instructions.append(made)
        result = op.results[0]
        values[result] = made
        references[id(result)] = name
        return True

    def remember(
        self,
        key: Key,
        op: Operation,
        written: Sequence[ir.Value],
        values: Mapping[SSAValue, ir.Value],
    ) -> None:
        """Remember an op's instruction if it is the only one and shows the places of the operands."""
        if len(written) != 1:
            return
        (made,) = written
        if not isinstance(made, ir.Instruction) or type(made) not in _KINDS:
            return
        given = [values[operand] for operand in op.operands]
        places = _places(made, given)
        if sorted(place for place in places if place is not None) == list(range(len(given))):
            self._known[key] = _Like(made, places)


def _places(made: ir.Instruction, given: Sequence[ir.Value]) -> Sequence[int | None]:
    """Return for each operand of an instruction its index in `given`; those of a call follow its function, in order."""
    if isinstance(made, ir.CallInstr):
        arguments = made.operands[1:]
        in_order = len(arguments) == len(given) and all(map(is_, arguments, given))
        return [None, *range(len(given))] if in_order else []
    if len({id(value) for value in given}) < len(given):
        return []
    places = {id(value): place for place, value in enumerate(given)}
    return [places.get(id(operand)) for operand in made.operands]


def _blank(instruction: ir.Instruction, places: Sequence[int | None]) -> str:
    """Return the text of an instruction with holes for operands, without the name of its result."""
    made = copy(instruction)
    made.operands = [
        before if place is None else _Hole(before.type, place)
        for before, place in zip(instruction.operands, places, strict=True)
    ]
    if isinstance(made, GEPInstr):
        made.pointer, *made.indices = made.operands
    text: list[str] = []
    made.descr(text)
    return "".join(text).rstrip()

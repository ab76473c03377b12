"""The faults that LLVM IR can be given: one constant, operand, operation or builtin's name.

Left out is what computes nothing: prefetches and all that only they need, cache hints, alignments, the sizes of private
memory, barriers; the signedness of ids, sizes and counters, which are never negative; and what provably computes the
same: an equal value, as many rounds of a loop, which of two equal values a comparison selects.
"""

import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence

from .edits import Edit
from .llvm_builtins import other_names
from .llvm_meaning import NEIGHBOUR, value_numbers
from .llvm_text import (
    COMPARISONS,
    Function,
    Instruction,
    Operand,
    dominators,
    element_of,
    functions,
    lanes_of,
    predicate_of,
)

_SILENT = re.compile(r"prefetch|(set|add)Block2DAddressPayload|barrier|fence|loop\.merge")
"""Calls of these compute nothing."""

_HINTED = re.compile(r"_cache_controls|block_(read|write)_ap_")
"""Functions whose last argument is a hint."""

_DIMENSIONS = re.compile(r"get_(group_id|num_groups|local_id|local_size|global_id)j")
"""Functions whose argument is 0, 1 or 2."""

_OPERATIONS = {
    "add": "sub",
    "sub": "add",
    "mul": "add",
    "shl": "lshr",
    "lshr": "shl",
    "sdiv": "srem",
    "udiv": "urem",
    "srem": "sdiv",
    "urem": "udiv",
    "and": "or",
    "or": "and",
    "xor": "and",
    "fadd": "fsub",
    "fsub": "fadd",
    "fmul": "fadd",
    "fdiv": "fmul",
}
_SIGNED = {
    "ashr": "lshr",
    "sext": "zext",
    "zext": "sext",
    "sitofp": "uitofp",
    "uitofp": "sitofp",
    "fptosi": "fptoui",
}
"""Where values may be negative: in vectors, and in bits and bytes that are extended."""

_INVERSE = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}
_NOT_COMMUTATIVE = frozenset(
    ("sub", "sdiv", "udiv", "srem", "urem", "shl", "lshr", "ashr", "fsub", "fdiv", "frem")
)
_SYMMETRIC = ("eq", "ne", "oeq", "one", "ueq", "une", "uno", "ord")
_DECLARATION = 'declare [^@]*@"{}".*'


def faults_of(text: str) -> list[Edit]:
    """All faults of the kernels of a module, in the order of their places."""
    found: set[Edit] = set()
    for function in functions(text):
        alive = _alive(function)
        reach = _Reach(function)
        for instruction in function.instructions:
            if instruction.line in alive:
                for kind, faults in _FAULTS.items():
                    for start, end, after in faults(instruction, reach):
                        before = text[start:end]
                        found.add(Edit(instruction.line, start, end, before, after, kind))
    return sorted(found)


def planted(text: str, fault: Edit) -> str:
    """The module with the fault; a builtin that it did not call is declared."""
    changed = fault.apply(text)
    if fault.kind != "builtin" or f'@"{fault.after}"' in text:
        return changed
    declaration = re.search(_DECLARATION.format(re.escape(fault.before)), text)
    assert declaration is not None
    return f"{changed}\n{declaration[0].replace(fault.before, fault.after)}\n"


class _Reach:
    """Which values may stand at a place."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._dominators = dominators(function)
        self.numbers = value_numbers(function)

    def at(self, type: str, line: int, block: str) -> list[str]:
        """The names of the values of a type that are there before a line of a block."""
        names = [name for name, kind in self._function.parameters.items() if kind == type]
        before = self._dominators[block]
        for instruction in self._function.instructions:
            here = instruction.block == block
            if (
                instruction.result is not None
                and instruction.type == type
                and (instruction.line < line if here else instruction.block in before)
            ):
                names.append(instruction.result)
        return names


def _alive(function: Function) -> set[int]:
    """The lines of what is computed for memory or for branches."""
    makers = {i.result: i for i in function.instructions if i.result is not None}
    waiting = [
        i
        for i in function.instructions
        if i.opcode in ("store", "br") or (i.callee is not None and i.type is None)
    ]
    alive: set[int] = set()
    while waiting:
        instruction = waiting.pop()
        if instruction.line in alive or _SILENT.search(instruction.callee or ""):
            continue
        alive.add(instruction.line)
        if instruction.opcode == "alloca":
            alive.discard(instruction.line)
            continue
        names = (operand.name for operand in _computing(instruction))
        waiting.extend(makers[name] for name in names if name is not None and name in makers)
    return alive


def _computing(instruction: Instruction) -> Sequence[Operand]:
    """The operands without hints."""
    is_hinted = _HINTED.search(instruction.callee or "") is not None
    return instruction.operands[:-1] if is_hinted else instruction.operands


_Found = Iterator[tuple[int, int, str]]


def _constant(instruction: Instruction, reach: _Reach) -> _Found:
    """A whole number: one more, one less, twice, without its lowest bit."""
    if instruction.opcode in ("insertelement", "extractelement"):
        operands = instruction.operands[:-1]
    elif _DIMENSIONS.search(instruction.callee or ""):
        operand = instruction.operands[0]
        yield from ((operand.start, operand.end, str(n)) for n in range(3))
        return
    else:
        operands = _computing(instruction)
    for operand in operands:
        if operand.name is None and re.fullmatch(r"-?\d+", operand.text):
            for other in _numbers(int(operand.text)):
                yield operand.start, operand.end, str(other)


def _numbers(number: int) -> Iterator[int]:
    yield from (number + 1, number - 1)
    if number:
        yield from (2 * number, number & (number - 1))


_ELEMENT = re.compile(r"(i\d+|half|float|double)\s+(-?\d[\w.+-]*)")


def _element(instruction: Instruction, reach: _Reach) -> _Found:
    """An element of a constant vector."""
    if instruction.opcode == "fcmp" and predicate_of(instruction) in ("uno", "ord"):
        return  # no constant is NaN
    for place, operand in enumerate(instruction.operands):
        if not operand.text.startswith("<") or (
            instruction.opcode == "shufflevector" and place == 2
        ):
            continue
        for found in _ELEMENT.finditer(operand.text):
            start, end = (operand.start + found.start(2), operand.start + found.end(2))
            if found[1].startswith("i"):
                for other in _numbers(int(found[2])):
                    yield start, end, str(other)
            elif found[2].startswith("0x"):
                yield start, end, _doubled(found[2])


def _doubled(text: str) -> str:
    """Twice a number that is written by its bits as a double; 1 for 0."""
    number = struct.unpack(">d", int(text, 16).to_bytes(8, "big"))[0]
    return "0x" + struct.pack(">d", 2 * number or 1.0).hex()


def _comparison(instruction: Instruction, reach: _Reach) -> _Found:
    """Its predicate's opposite or neighbour."""
    if instruction.opcode not in COMPARISONS:
        return
    predicate = predicate_of(instruction)
    start = instruction.start + instruction.text.index(f" {predicate} ") + 1
    for table in (_INVERSE, NEIGHBOUR):
        other = table.get(predicate[-2:])
        if other is not None:
            yield start, start + len(predicate), predicate[:-2] + other


def _swap(instruction: Instruction, reach: _Reach) -> _Found:
    """Two operands exchanged, of which the order counts; of a phi, what comes from where."""
    match instruction.opcode:
        case "icmp" | "fcmp" if predicate_of(instruction) not in _SYMMETRIC:
            left, right = instruction.operands
        case "select":
            left, right = instruction.operands[1:]
        case "phi" if len(instruction.operands) == 2:
            left, right = instruction.operands
            for operand, label in zip((right, left), instruction.labels, strict=True):
                names = reach.at(operand.type, 1 << 62, label)
                if operand.name is not None and operand.name not in names:
                    return
        case opcode if opcode in _NOT_COMMUTATIVE:
            left, right = instruction.operands
        case _:
            return
    begin = instruction.start
    between = instruction.text[left.end - begin : right.start - begin]
    yield left.start, right.end, f"{right.text}{between}{left.text}"


def _operand(instruction: Instruction, reach: _Reach) -> _Found:
    """A value in place of another of its type."""
    for place, operand in enumerate(_computing(instruction)):
        if operand.name is None:
            continue
        line, block = instruction.line, instruction.block
        if instruction.opcode == "phi":
            line, block = 1 << 62, instruction.labels[place]
        for name in reach.at(operand.type, line, block):
            if reach.numbers.get(name, name) != reach.numbers.get(operand.name, operand.name):
                yield operand.start, operand.end, f'%"{name}"'


def _index(instruction: Instruction, reach: _Reach) -> _Found:
    """Another element of a vector."""
    match instruction.opcode:
        case "insertelement" | "extractelement":
            index = instruction.operands[-1]
            for other in range(lanes_of(instruction.operands[0].type)):
                if index.name is None and str(other) != index.text:
                    yield index.start, index.end, str(other)
        case "shufflevector":
            mask = instruction.operands[2]
            count = 2 * lanes_of(instruction.operands[0].type)
            for found in _ELEMENT.finditer(mask.text):
                start, end = mask.start + found.start(2), mask.start + found.end(2)
                for other in (int(found[2]) + 1, int(found[2]) - 1):
                    yield start, end, str(other % count)
        case _:
            return


def _operation(instruction: Instruction, reach: _Reach) -> _Found:
    """Another operation with the same operands."""
    opcode = instruction.opcode
    other = _OPERATIONS.get(opcode)
    if opcode in _SIGNED:
        type = instruction.operands[0].type
        if type.startswith("<") or element_of(type) in ("i1", "i8", "i16"):
            other = _SIGNED[opcode]
    if other is not None:
        start = instruction.start + instruction.text.index(f"{opcode} ")
        yield start, start + len(opcode), other


def _builtin(instruction: Instruction, reach: _Reach) -> _Found:
    """Another function with the same signature."""
    if instruction.callee is None:
        return
    start = instruction.start + instruction.text.index(f'@"{instruction.callee}"') + 2
    for other in other_names(instruction.callee):
        yield start, start + len(instruction.callee), other


_FAULTS: Mapping[str, Callable[[Instruction, _Reach], _Found]] = {
    "constant": _constant,
    "element": _element,
    "comparison": _comparison,
    "swap": _swap,
    "operand": _operand,
    "index": _index,
    "operation": _operation,
    "builtin": _builtin,
}

"""What an instruction computes, as far as the text says it: equal numbers are equal values.

Faults after which an instruction computes what it did are told by it, and left out.
"""

from collections.abc import Hashable, Mapping
from typing import NamedTuple

from .llvm_text import BINARY, CASTS, COMPARISONS, Function, Instruction, Operand, lanes_of

_PURE = BINARY | COMPARISONS | CASTS | {"select", "getelementptr", "shufflevector", "fneg"}
_COMMUTATIVE = frozenset("add mul and or xor fadd fmul".split())
_IDS = ("get_group_id", "get_local_id", "get_num_groups", "get_local_size", "get_sub_group")

Numbers = Mapping[str, Hashable]


def value_numbers(function: Function) -> dict[str, Hashable]:
    """A number for each value by name; values of one number are equal wherever both are there."""
    numbers: dict[str, Hashable] = {}
    for instruction in function.instructions:
        if instruction.result is None:
            continue
        counter = _counter_of(instruction, function)
        is_pure = instruction.opcode in _PURE or instruction.opcode in (
            "insertelement",
            "extractelement",
        )
        if counter is not None:
            numbers[instruction.result] = ("counter", instruction.block, *counter)
        elif is_pure or any(name in (instruction.callee or "") for name in _IDS):
            numbers[instruction.result] = meaning(instruction, numbers)
        else:
            numbers[instruction.result] = ("value", instruction.result)
    return numbers


def meaning(instruction: Instruction, numbers: Numbers) -> Hashable:
    """What an instruction does: its operation and the numbers of its operands."""
    operands = tuple(_number(operand, numbers) for operand in instruction.operands)
    match instruction.opcode, operands:
        case "insertelement", (vector, element, ("constant", _, index)):
            elements = list(_elements(vector, instruction.operands[0].type))
            if int(str(index)) < len(elements):
                elements[int(str(index))] = element
            return ("vector", *elements)
        case "shufflevector", (first, second, mask) if first == second:
            count = lanes_of(instruction.operands[0].type)
            places = _elements(mask, instruction.operands[2].type)
            return ("shuffle", first, *(_modulo(place, count) for place in places))
        case _ if instruction.opcode in _COMMUTATIVE:
            return _shape(instruction), frozenset(operands), operands[0] == operands[1]
        case _:
            return _shape(instruction), instruction.labels, operands


def _modulo(place: Hashable, count: int) -> Hashable:
    words = str(place).split()
    return int(words[-1]) % count if words[-1].isdigit() else place


def _shape(instruction: Instruction) -> str:
    """The text of an instruction without its result and its operands."""
    text, begin = instruction.text, instruction.start
    for operand in reversed(instruction.operands):
        text = text[: operand.start - begin] + text[operand.end - begin :]
    return text.partition(" = ")[2] if instruction.result is not None else text


def _number(operand: Operand, numbers: Numbers) -> Hashable:
    if operand.name is None:
        return ("constant", operand.type, " ".join(operand.text.split()))
    return numbers.get(operand.name, ("value", operand.name))


def _elements(number: Hashable, type: str) -> tuple[Hashable, ...]:
    """The elements of a vector."""
    match number:
        case ("vector", *elements):
            return tuple(elements)
        case ("constant", _, str(text)) if text.startswith("<"):
            return tuple(part.strip() for part in text[1:-1].split(","))
        case _:
            return tuple(("element", number, place) for place in range(lanes_of(type)))


def _counter_of(phi: Instruction, function: Function) -> tuple[Hashable, ...] | None:
    """Start and step of a value that a loop counts up by constants."""
    counter = counter_at(phi, function)
    return None if counter is None else (phi.type, counter.start, counter.step)


class Counter(NamedTuple):
    """What a loop counts: the phi, where it starts, the addition and how much it adds."""

    phi: Instruction
    start: int
    addition: Instruction
    step: int


def counter_at(phi: Instruction, function: Function) -> Counter | None:
    """The counter whose value a phi is; None where it is none from a constant by a constant."""
    if phi.opcode != "phi" or len(phi.operands) != 2:
        return None
    start, again = phi.operands
    addition = next(
        (i for i in function.instructions if i.result is not None and i.result == again.name), None
    )
    if addition is None or addition.opcode != "add" or start.name is not None:
        return None
    value, step = addition.operands
    if value.name != phi.result or step.name is not None or not step.text.isdigit():
        return None
    return Counter(phi, int(start.text), addition, int(step.text)) if start.text.isdigit() else None


def rounds(predicate: str, counter: Counter, bound: int) -> int | None:
    """How often a loop runs that ends when the counter is no longer below (`slt`, `sle`) a bound; None for others."""
    if counter.step <= 0 or predicate not in ("slt", "sle"):
        return None
    distance = bound - counter.start + (predicate == "sle")
    return max(0, -(-distance // counter.step))

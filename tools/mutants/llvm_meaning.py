"""Which faults change nothing, as far as the text of the LLVM IR tells: they are no faults.

Values have numbers, and equal numbers are equal values: an operand in place of an equal one, an element that is
overwritten. A loop that only counts may run as often from another start, or to another end; `<=` in place of `<` may
select one of two that are equal; any NaN is as good as another.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from .edits import Edit
from .llvm_text import (
    BINARY,
    CASTS,
    COMPARISONS,
    Function,
    Instruction,
    Operand,
    functions,
    lanes_of,
    predicate_of,
    read_instruction,
)

_PURE = (
    BINARY
    | COMPARISONS
    | CASTS
    | {"select", "getelementptr", "shufflevector", "fneg", "insertelement", "extractelement"}
)
_COMMUTATIVE = frozenset(("add", "mul", "and", "or", "xor", "fadd", "fmul"))
_IDS = ("get_group_id", "get_local_id", "get_num_groups", "get_local_size", "get_sub_group")
NEIGHBOUR = {"lt": "le", "le": "lt", "gt": "ge", "ge": "gt"}
"""Predicates that differ where two values are equal."""

_BF16_FRACTION_BITS = 7

Numbers = Mapping[str, Hashable]


class _Constant(NamedTuple):
    type: str
    text: str


class _Vector(NamedTuple):
    """A vector of which the elements are known one by one."""

    elements: tuple[Hashable, ...]


class Counter(NamedTuple):
    """What a loop counts: the phi, where it starts, the addition and how much it adds."""

    phi: Instruction
    start: int
    addition: Instruction
    step: int


def changes_the_program(fault: Edit, text: str) -> bool:
    """Whether what is computed is something else with the fault, as far as the text tells."""
    function = next(
        f for f in functions(text) if any(i.line == fault.line for i in f.instructions)
    )
    before = next(i for i in function.instructions if i.line == fault.line)
    line = fault.apply(text).splitlines()[fault.line - 1]
    after = read_instruction(line, before.line, before.start, before.block)
    numbers = value_numbers(function)
    return not (
        _meaning(before, numbers) == _meaning(after, numbers)
        or _has_equal_rounds(function, before, after)
        or _selects_the_same(function, before, after)
        or _is_no_number(function, before, after)
    )


def value_numbers(function: Function) -> dict[str, Hashable]:
    """A number for each value by name; values of one number are equal wherever both are there."""
    numbers: dict[str, Hashable] = {}
    for instruction in function.instructions:
        name = instruction.result
        if name is None:
            continue
        counter = _counter_at(instruction, function)
        if counter is not None:
            place = (instruction.block, counter.start, counter.step)
            numbers[name] = ("counter", instruction.type, place)
        elif instruction.opcode in _PURE or _is_id(instruction):
            numbers[name] = _meaning(instruction, numbers)
        else:
            numbers[name] = ("value", name)
    return numbers


def _is_id(instruction: Instruction) -> bool:
    return any(name in (instruction.callee or "") for name in _IDS)


def _meaning(instruction: Instruction, numbers: Numbers) -> Hashable:
    """What an instruction does: its operation and the numbers of its operands."""
    operands = [_number(operand, numbers) for operand in instruction.operands]
    if instruction.opcode == "insertelement":
        vector, element, index = operands
        return _inserted(vector, element, index, instruction.operands[0].type)
    if instruction.opcode == "shufflevector" and operands[0] == operands[1]:
        places = _elements(operands[2], instruction.operands[2].type)
        count = lanes_of(instruction.operands[0].type)
        return ("shuffle", operands[0], tuple(_place(n) % count for n in places))
    if instruction.opcode in _COMMUTATIVE:
        return (_shape(instruction), frozenset(operands), operands[0] == operands[1])
    return (_shape(instruction), instruction.labels, tuple(operands))


def _inserted(vector: Hashable, element: Hashable, index: Hashable, type: str) -> Hashable:
    if not isinstance(index, _Constant):
        return ("inserted", vector, element, index)
    elements = list(_elements(vector, type))
    elements[int(index.text)] = element
    return _Vector(tuple(elements))


def _number(operand: Operand, numbers: Numbers) -> Hashable:
    if operand.name is None:
        return _Constant(operand.type, " ".join(operand.text.split()))
    return numbers.get(operand.name, ("value", operand.name))


def _elements(number: Hashable, type: str) -> tuple[Hashable, ...]:
    """The elements of a vector."""
    if isinstance(number, _Vector):
        return number.elements
    if isinstance(number, _Constant) and number.text.startswith("<"):
        return tuple(part.strip() for part in number.text[1:-1].split(","))
    return tuple(("element", number, place) for place in range(lanes_of(type)))


def _place(element: Hashable) -> int:
    """The number in `i32 3`."""
    return int(str(element).split()[-1])


def _shape(instruction: Instruction) -> str:
    """The text of an instruction without its result and its operands."""
    text, begin = instruction.text, instruction.start
    for operand in reversed(instruction.operands):
        text = text[: operand.start - begin] + text[operand.end - begin :]
    return text if instruction.result is None else text.partition(" = ")[2]


def _counter_at(phi: Instruction, function: Function) -> Counter | None:
    """The counter whose value a phi is; None where it is none from a constant by a constant."""
    if phi.opcode != "phi" or len(phi.operands) != 2:
        return None
    start, again = phi.operands
    addition = _maker(again.name, function)
    if addition is None or addition.opcode != "add":
        return None
    value, step = addition.operands
    if value.name != phi.result or not start.text.isdigit() or not step.text.isdigit():
        return None
    return Counter(phi, int(start.text), addition, int(step.text))


def _maker(name: str | None, function: Function) -> Instruction | None:
    """The instruction that gives a value."""
    if name is None:
        return None
    return next((i for i in function.instructions if i.result == name), None)


def _has_equal_rounds(function: Function, before: Instruction, after: Instruction) -> bool:
    """Whether the fault concerns a loop that only counts, which runs as often with it."""
    changed = Function(
        function.parameters,
        [after if i.line == before.line else i for i in function.instructions],
    )
    for comparison in function.instructions:
        counter = _only_counted(function, comparison)
        if counter is None:
            continue
        lines = (comparison.line, counter.phi.line, counter.addition.line)
        if before.line in lines:
            with_fault = after if comparison.line == before.line else comparison
            rounds = _rounds(function, comparison)
            return rounds is not None and rounds == _rounds(changed, with_fault)
    return False


def _rounds(function: Function, comparison: Instruction) -> int | None:
    """How often a loop runs that ends when the counter is no longer below a constant; None for others."""
    counter = _only_counted(function, comparison)
    bound, predicate = comparison.operands[1].text, predicate_of(comparison)
    if (
        counter is None
        or counter.step == 0
        or not bound.isdigit()
        or predicate not in ("slt", "sle")
    ):
        return None
    distance = int(bound) - counter.start + (predicate == "sle")
    return max(0, -(-distance // counter.step))


def _only_counted(function: Function, comparison: Instruction) -> Counter | None:
    """The counter that a comparison ends, if nothing else uses it."""
    if comparison.opcode != "icmp":
        return None
    phi = _maker(comparison.operands[0].name, function)
    counter = None if phi is None else _counter_at(phi, function)
    if counter is None:
        return None
    lines = {comparison.line, counter.phi.line, counter.addition.line}
    uses = _uses(counter.phi.result, function) + _uses(counter.addition.result, function)
    return counter if {use.line for use in uses} <= lines else None


def _uses(name: str | None, function: Function) -> list[Instruction]:
    return [i for i in function.instructions if any(o.name == name for o in i.operands)]


def _selects_the_same(function: Function, before: Instruction, after: Instruction) -> bool:
    """Whether `<` became `<=`, and all that is chosen by it is the one or the other of what is compared."""
    if before.opcode not in COMPARISONS or _texts(before.operands) != _texts(after.operands):
        return False
    predicate = predicate_of(before)
    if predicate_of(after) != predicate[:-2] + NEIGHBOUR.get(predicate[-2:], ""):
        return False
    compared = set(_texts(before.operands))
    return all(
        use.opcode == "select" and set(_texts(use.operands[1:])) == compared
        for use in _uses(before.result, function)
    )


def _is_no_number(function: Function, before: Instruction, after: Instruction) -> bool:
    """Whether a value is taken only as a NaN: a sum of one, or bits that are set in one, whichever these are."""
    if before.opcode == after.opcode == "or" and _sets_fraction(after):
        summands = None
    elif {before.opcode, after.opcode} <= {"fadd", "fsub"}:
        summands = _names(before)
    else:
        return False
    for use in _uses(before.result, function):
        condition = _maker(use.operands[0].name, function) if use.opcode == "select" else None
        if (
            condition is None
            or condition.opcode != "fcmp"
            or predicate_of(condition) != "uno"
            or use.operands[1].name != before.result
            or (summands is not None and _names(condition) != summands)
        ):
            return False
    return _names(after) == _names(before)


def _sets_fraction(instruction: Instruction) -> bool:
    """Whether bits of the fraction of a bf16 are set in each element, which is not infinite then."""
    constants = [o for o in instruction.operands if o.name is None]
    elements = [e for o in constants for e in _elements(_number(o, {}), o.type)]
    return all(0 < _place(element) < 1 << _BF16_FRACTION_BITS for element in elements)


def _names(instruction: Instruction) -> set[str | None]:
    """The values that an instruction uses; None stands for constants."""
    return {operand.name for operand in instruction.operands}


def _texts(operands: Sequence[Operand]) -> list[str]:
    return [operand.text for operand in operands]

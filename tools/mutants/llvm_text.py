"""LLVM IR as `xetile.codegen` writes it, read just far enough to be changed: instructions, operands, blocks.

Every instruction stands on a line of its own, every value has a name in quotes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

_SCALAR = r"(?:i\d+|half|float|double|ptr(?: addrspace\(\d+\))?)"
_TYPE = rf"(?:{_SCALAR}|<\d+ x \w+>|\[\d+ x \w+\])"
_VALUE = r"(?:%\"[^\"]+\"|-?\d[\w.+-]*|true|false|undef|poison|null|zeroinitializer|<[^<>]*>)"
_TYPED = re.compile(rf"({_TYPE})\s+({_VALUE})")
_INCOMING = re.compile(rf"\[({_VALUE}), %\"([^\"]+)\"\]")
_LINE = re.compile(r'  (?:%"(?P<result>[^"]+)" = )?(?P<opcode>\w+) ?(?P<rest>.*)')
_CALL = re.compile(rf'call (?:\w+ )?(?:(?P<type>void|{_TYPE}) )@"(?P<callee>[^"]+)"')
_LABEL = re.compile(r'label %"([^"]+)"')
_TO = re.compile(rf" to ({_TYPE})$")
_PARAMETER = re.compile(rf'({_TYPE}) %"([^"]+)"')

BINARY = frozenset(
    (
        "add",
        "sub",
        "mul",
        "sdiv",
        "udiv",
        "srem",
        "urem",
        "shl",
        "lshr",
        "ashr",
        "and",
        "or",
        "xor",
        "fadd",
        "fsub",
        "fmul",
        "fdiv",
        "frem",
    )
)
COMPARISONS = frozenset(("icmp", "fcmp"))
CASTS = frozenset(
    (
        "trunc",
        "zext",
        "sext",
        "fptrunc",
        "fpext",
        "fptosi",
        "fptoui",
        "sitofp",
        "uitofp",
        "ptrtoint",
        "inttoptr",
        "bitcast",
    )
)


class Operand(NamedTuple):
    """A use of a value or a constant: its type, its text, and which characters of the module it is."""

    type: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """One past the last character."""
        return self.start + len(self.text)

    @property
    def name(self) -> str | None:
        """The name of the value; None for a constant."""
        return self.text[2:-1] if self.text.startswith("%") else None


class Instruction(NamedTuple):
    """One instruction; `line` counts from 1, `start` is the place of its first character in the module.

    `labels` are the blocks that it names, of a phi those where its operands come from.
    """

    line: int
    start: int
    text: str
    block: str
    result: str | None
    type: str | None
    opcode: str
    operands: tuple[Operand, ...]
    labels: tuple[str, ...] = ()
    callee: str | None = None


class Function(NamedTuple):
    """A kernel: its parameters' types by name, its instructions in order."""

    parameters: Mapping[str, str]
    instructions: Sequence[Instruction]


def functions(text: str) -> Iterator[Function]:
    """The functions that a module defines."""
    lines = text.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, lines))]
    parameters: dict[str, str] = {}
    found: list[Instruction] = []
    block = ""
    for number, (line, start) in enumerate(zip(lines, starts, strict=False), 1):
        if line.startswith("define"):
            parameters = {name: kind for kind, name in _PARAMETER.findall(line)}
            found = []
        elif line.startswith("}"):
            yield Function(parameters, found)
        elif line.startswith("  "):
            found.append(read_instruction(line.rstrip("\n"), number, start, block))
        elif line.rstrip().endswith(":"):
            block = line.rstrip()[:-1]


def read_instruction(line: str, number: int, start: int, block: str) -> Instruction:
    """The instruction that a line holds; ValueError where it holds none."""
    found = _LINE.fullmatch(line)
    if found is None:
        raise ValueError(f"line {number} is no instruction: {line}")
    opcode, begin = found["opcode"], found.start("rest")
    call = _CALL.search(line) if opcode == "call" else None
    if opcode == "phi":
        operands, labels = _phi(line, begin, start)
    elif opcode in BINARY | COMPARISONS:
        operands, labels = _pair(line, begin, start), ()
    else:
        from_ = begin if call is None else call.end()
        operands = tuple(
            Operand(match[1], match[2], start + match.start(2))
            for match in _TYPED.finditer(line, from_)
        )
        labels = tuple(_LABEL.findall(line))
    return Instruction(
        number,
        start,
        line,
        block,
        found["result"],
        None if found["result"] is None else _result_type(line, opcode, operands, call),
        opcode,
        operands,
        labels,
        None if call is None else call["callee"],
    )


def _phi(line: str, begin: int, start: int) -> tuple[tuple[Operand, ...], tuple[str, ...]]:
    type = _leading_type(line, begin)
    incoming = list(_INCOMING.finditer(line, begin))
    operands = tuple(Operand(type, match[1], start + match.start(1)) for match in incoming)
    return operands, tuple(match[2] for match in incoming)


def _pair(line: str, begin: int, start: int) -> tuple[Operand, ...]:
    first = _TYPED.search(line, begin)
    second = None if first is None else re.compile(f", ({_VALUE})").match(line, first.end())
    if first is None or second is None:
        raise ValueError(f"two operands expected: {line}")
    return (
        Operand(first[1], first[2], start + first.start(2)),
        Operand(first[1], second[1], start + second.start(1)),
    )


def _leading_type(line: str, begin: int) -> str:
    found = re.compile(rf"\s*({_TYPE})").match(line, begin)
    if found is None:
        raise ValueError(f"a type expected: {line}")
    return found[1]


def _result_type(
    line: str, opcode: str, operands: Sequence[Operand], call: re.Match[str] | None
) -> str:
    if call is not None:
        return call["type"]
    if opcode in COMPARISONS:
        return with_element(operands[0].type, "i1")
    if opcode in CASTS:
        found = _TO.search(line)
        assert found is not None, line
        return found[1]
    if opcode in ("load", "phi"):
        return _leading_type(line, line.index(f"{opcode} ") + len(opcode) + 1)
    if opcode == "select":
        return operands[1].type
    if opcode == "extractelement":
        return element_of(operands[0].type)
    if opcode == "shufflevector":
        return f"<{lanes_of(operands[2].type)} x {element_of(operands[0].type)}>"
    return "ptr" if opcode == "alloca" else operands[0].type


def predicate_of(comparison: Instruction) -> str:
    """`slt`, `oeq`, ..."""
    return comparison.text.split(f"{comparison.opcode} ")[1].split()[0]


def element_of(type: str) -> str:
    """The type of an element of a vector; that of a scalar is itself."""
    return type[1:-1].split(" x ")[1] if type.startswith("<") else type


def lanes_of(type: str) -> int:
    """How many elements a vector has; 1 for scalars."""
    return int(type[1:].split(" x ")[0]) if type.startswith("<") else 1


def with_element(type: str, element: str) -> str:
    """A type with as many elements of another one."""
    return f"<{lanes_of(type)} x {element}>" if type.startswith("<") else element


def dominators(function: Function) -> dict[str, set[str]]:
    """The blocks through which every way to a block leads, itself among them."""
    blocks = list(dict.fromkeys(i.block for i in function.instructions))
    before: dict[str, set[str]] = {block: set() for block in blocks}
    for instruction in function.instructions:
        if instruction.opcode == "br":
            for label in instruction.labels:
                before[label].add(instruction.block)
    found = {block: set(blocks) for block in blocks}
    found[blocks[0]] = {blocks[0]}
    changed = True
    while changed:
        changed = False
        for block in blocks[1:]:
            common = set(blocks)
            for other in before[block]:
                common &= found[other]
            changed |= found[block] != common | {block}
            found[block] = common | {block}
    return found

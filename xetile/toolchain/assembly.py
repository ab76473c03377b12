"""A kernel's assembly as ocloc's disassembler prints it (IGA syntax): its instructions, its loops, what they are."""

import re
from collections.abc import Iterable
from typing import NamedTuple

COUNTED = ("load2d", "prefetch2d", "store2d", "dpas", "mov", "alu", "sync")
"""What is counted, beside `total`, which counts every instruction."""

_LABEL = re.compile(r"(\w+):$")
_PREDICATE = re.compile(r"^\([^)]*\)\s*")
_BRANCHES = frozenset(
    {
        "jmpi",
        "goto",
        "while",
        "brd",
        "brc",
        "join",
        "if",
        "else",
        "endif",
        "call",
        "calla",
        "ret",
    }
)
_TARGET = re.compile(r"\bL\d+\b")


_END = re.compile(r"[{,]EOT\b")
"""How a message is marked that ends its thread; what stands behind the last one is never executed."""


class Instruction(NamedTuple):
    """One instruction: its mnemonic without suffixes, its text from the mnemonic on, and what stands before it."""

    mnemonic: str
    text: str
    predicate: str = ""


class Program(NamedTuple):
    """The instructions of a kernel, and where its labels stand (index of the next instruction)."""

    instructions: tuple[Instruction, ...]
    labels: dict[str, int]


def parse_assembly(assembly: str) -> Program:
    """Read a kernel's assembly."""
    instructions: list[Instruction] = []
    labels: dict[str, int] = {}
    for line in assembly.splitlines():
        text = line.strip()
        if not text or text.startswith(("//", ".")):
            continue
        label = _LABEL.match(text)
        if label is not None:
            labels[label.group(1)] = len(instructions)
            continue
        predicate = _PREDICATE.match(text)
        before = "" if predicate is None else predicate.group().strip()
        text = _PREDICATE.sub("", text)
        instructions.append(Instruction(text.split()[0].partition(".")[0], text, before))
    ends = [place for place, one in enumerate(instructions, 1) if _END.search(one.text)]
    end = ends[-1] if ends else len(instructions)
    labels = {name: min(place, end) for name, place in labels.items()}
    return Program(tuple(instructions[:end]), labels)


def loop_ranges(program: Program) -> list[range]:
    """The loops: from the target of a backward branch to that branch."""
    found: dict[int, int] = {}
    for index, instruction in enumerate(program.instructions):
        start = _backward_target(instruction, index, program.labels)
        if start is not None:
            found[start] = index + 1
    return [range(start, end) for start, end in found.items()]


def hot_range(program: Program) -> range | None:
    """The loop with the most DPAS; the smallest one if several have as many. None when no loop holds a DPAS."""
    best: range | None = None
    best_rank = (0, 0)
    for loop in loop_ranges(program):
        rank = products_of(program.instructions[loop.start : loop.stop]), -len(loop)
        if rank[0] and (best is None or rank > best_rank):
            best, best_rank = loop, rank
    return best


def unrolled_range(program: Program) -> range:
    """Where a loop was that is unrolled completely: from the first 2D load or prefetch, or DPAS, to the last DPAS."""
    kinds = list(map(classify, program.instructions))
    first = next(i for i, kind in enumerate(kinds) if kind in ("load2d", "prefetch2d", "dpas"))
    return range(first, len(kinds) - kinds[::-1].index("dpas"))


def classify(instruction: Instruction) -> str:
    """What an instruction counts as: one of COUNTED, or `other` (branches, other messages)."""
    mnemonic, text = instruction.mnemonic, instruction.text
    if mnemonic.startswith("send"):
        if "store_block2d" in text:
            return "store2d"
        if "load_block2d" in text:
            return "prefetch2d" if _destination(text) == "null" else "load2d"
        return "other"
    if mnemonic in ("dpas", "bdpas", "dpasw"):
        return "dpas"
    if mnemonic in ("mov", "sync"):
        return mnemonic
    return "other" if mnemonic in _BRANCHES or mnemonic == "nop" else "alu"


def leads_to(instruction: Instruction) -> list[str]:
    """The labels to which a branch may lead; none of what is no branch."""
    return _TARGET.findall(instruction.text) if instruction.mnemonic in _BRANCHES else []


def _backward_target(
    instruction: Instruction, index: int, labels: dict[str, int]
) -> int | None:
    targets = [labels[name] for name in leads_to(instruction) if name in labels]
    return min((target for target in targets if target <= index), default=None)


def _destination(text: str) -> str:
    operands = text.partition(")")[2].split()
    return operands[0].partition(":")[0] if operands else ""


def products_of(body: Iterable[Instruction]) -> int:
    """The number of DPAS."""
    return sum(1 for instruction in body if classify(instruction) == "dpas")

"""Statistics of a kernel's assembly as ocloc's disassembler prints it (IGA syntax)."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from xetile.errors import XetileError

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


class Instruction(NamedTuple):
    """One instruction: its mnemonic without suffixes, and its text from the mnemonic on."""

    mnemonic: str
    text: str


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
        text = _PREDICATE.sub("", text)
        instructions.append(Instruction(text.split()[0].partition(".")[0], text))
    return Program(tuple(instructions), labels)


def hot_loop(program: Program) -> tuple[Instruction, ...] | None:
    """The instructions of the loop with the most DPAS; the smallest one if several have as many.

    A loop runs from the target of a backward branch to that branch. None when no loop holds
    a DPAS.
    """
    best: Sequence[Instruction] = ()
    best_rank = (0, 0)
    for index, instruction in enumerate(program.instructions):
        start = _backward_target(instruction, index, program.labels)
        if start is None:
            continue
        body = program.instructions[start : index + 1]
        rank = (_number(body, "dpas"), -len(body))
        if rank[0] and (not best or rank > best_rank):
            best, best_rank = body, rank
    return tuple(best) or None


def classify(instruction: Instruction) -> str:
    """What an instruction counts as: one of COUNTED, or `other` (branches, other messages)."""
    mnemonic, text = instruction
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


def statistics(
    assembly: str, description: str, kernel: str, *, dpas_per_step: int | None = None
) -> dict[str, float]:
    """Counts for the hot loop of a kernel, per K step.

    `description` is the binary's `.ze_info`. A K step is `dpas_per_step` DPAS, by default
    those of one round of the loop; where no loop has a DPAS (few steps are unrolled
    completely) the whole kernel is the loop. Keys: COUNTED and `total` (instructions per K
    step), `loop_unroll` (K steps per round of the loop), `grf_count` (registers per thread),
    `spill_size` and `scratch` (bytes per thread).
    Errors: XetileError when the description does not name the kernel.
    """
    program = parse_assembly(assembly)
    body = hot_loop(program) or program.instructions
    counts = Counter(map(classify, body))
    unroll = counts["dpas"] / dpas_per_step if dpas_per_step and counts["dpas"] else 1.0
    result = {key: _tidy(counts[key] / unroll) for key in COUNTED}
    result["total"] = _tidy(len(body) / unroll)
    result["loop_unroll"] = _tidy(unroll)
    return result | environment(description, kernel)


def environment(description: str, kernel: str) -> dict[str, float]:
    """`grf_count`, `spill_size`, `scratch` of a kernel from a binary's `.ze_info`."""
    parts = re.split(r"^  - name: +(\S+)$", description, flags=re.MULTILINE)
    # the kernel is named twice: first where it is described, then with the names of its arguments
    names = parts[1::2]
    if kernel not in names:
        raise XetileError(
            f"the binary holds no kernel '{kernel}' but {', '.join(sorted(set(names)))}"
        )
    text = parts[2 * names.index(kernel) + 2]
    scratch = re.findall(r"- type: +scratch\n(?: {8}.*\n)*? {8}size: +(\d+)", text)
    return {
        "grf_count": _field(text, "grf_count"),
        "spill_size": _field(text, "spill_size"),
        "scratch": sum(map(int, scratch)),
    }


def _backward_target(
    instruction: Instruction, index: int, labels: dict[str, int]
) -> int | None:
    if instruction.mnemonic not in _BRANCHES:
        return None
    targets = [labels[name] for name in _TARGET.findall(instruction.text) if name in labels]
    return min((target for target in targets if target <= index), default=None)


def _destination(text: str) -> str:
    operands = text.partition(")")[2].split()
    return operands[0].partition(":")[0] if operands else ""


def _number(body: Iterable[Instruction], kind: str) -> int:
    return sum(1 for instruction in body if classify(instruction) == kind)


def _field(text: str, name: str) -> int:
    found = re.search(rf"^ +{name}: +(\d+)$", text, re.MULTILINE)
    return int(found.group(1)) if found else 0


def _tidy(value: float) -> float:
    """Whole numbers as such, others to four places."""
    return int(value) if value == int(value) else round(value, 4)

"""A kernel's assembly as ocloc's disassembler prints it (IGA syntax): its instructions, its loops, their classes.

`statistics` counts them per K step of the hot loop, and computes the assembly's behavior over time: instructions
executed, the distance of prefetches, cycles of the pipes. `described` reads a binary's description of its kernels,
`.ze_info`: YAML, of which only the needed parts are read.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from xetile.errors import XetileError
from xetile.targets.xe.issue import Rates

_NAME = re.compile(r"^  - name: +(\S.*?) *$", re.MULTILINE)

_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)")
_ESCAPED = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}
"""Source: YAML 1.2, section 5.7; all other characters represent themselves."""


def described(description: str) -> Mapping[str, str]:
    """Return the text after the name of each kernel, by name."""
    parts = _NAME.split(description)
    # a kernel is named twice: first in its description, then with the names of its arguments
    found: dict[str, str] = {}
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        found.setdefault(_scalar(name), text)
    return found


def _scalar(text: str) -> str:
    """Return a text that YAML writes in quotes if it has more than letters and digits."""
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    return _ESCAPE.sub(_character, text[1:-1]) if text.startswith('"') else text


def _character(escape: re.Match[str]) -> str:
    code = escape[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else _ESCAPED.get(code, code)


COUNTED = ("load2d", "prefetch2d", "store2d", "dpas", "mov", "alu", "sync")
"""The counted classes, in addition to `total`, which counts every instruction."""

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
"""The mark of a message that ends its thread; text after the last one is never executed."""


class Instruction(NamedTuple):
    """One instruction: its mnemonic without suffixes, its text from the mnemonic on, and the text before it."""

    mnemonic: str
    text: str
    predicate: str = ""


class Program(NamedTuple):
    """The instructions of a kernel, and its labels (index of the next instruction)."""

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
    """Return the loops: from the target of a backward branch to that branch."""
    found: dict[int, int] = {}
    for index, instruction in enumerate(program.instructions):
        start = _backward_target(instruction, index, program.labels)
        if start is not None:
            found[start] = index + 1
    return [range(start, end) for start, end in found.items()]


def hot_range(program: Program) -> range | None:
    """Return the loop with the most DPAS, the smallest of several, or None if no loop contains a DPAS."""
    best: range | None = None
    best_rank = (0, 0)
    for loop in loop_ranges(program):
        rank = products_of(program.instructions[loop.start : loop.stop]), -len(loop)
        if rank[0] and (best is None or rank > best_rank):
            best, best_rank = loop, rank
    return best


def unrolled_range(program: Program) -> range:
    """Return the range of a completely unrolled loop: from the first 2D load or prefetch, or DPAS, to the last DPAS."""
    kinds = list(map(classify, program.instructions))
    first = next(i for i, kind in enumerate(kinds) if kind in ("load2d", "prefetch2d", "dpas"))
    return range(first, len(kinds) - kinds[::-1].index("dpas"))


def classify(instruction: Instruction) -> str:
    """Return what an instruction counts as: one of COUNTED, or `other` (branches, other messages)."""
    if instruction.mnemonic == "sync":
        return "sync"
    kind = _COUNTED_AS.get(found := class_of(instruction), found)
    return kind if kind in COUNTED else "other"


def leads_to(instruction: Instruction) -> list[str]:
    """Return the labels to which a branch may lead, or none for other instructions."""
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
    """Return the number of DPAS."""
    return sum(1 for instruction in body if classify(instruction) == "dpas")


class Distance(NamedTuple):
    """Matrix instructions between a prefetch and the first load of the same data."""

    least: int
    most: int


def executed(
    program: Program, hot: range | None, products: int | None, entries: int | None = None
) -> int | None:
    """Return the instructions that a subgroup executes for `products` matrix instructions, or None if unknown.

    The hot loop runs as many rounds as it can; a smaller loop with matrix instructions runs the remaining
    rounds. A loop around it runs as often as the hot loop is entered, as written (`entries`).
    All else is counted once, including branches that are not taken.
    """
    everything = program.instructions
    loops = loop_ranges(program)
    if not loops:
        return len(everything)
    if hot is None or products is None or len(loops) > 2:
        return None
    others = [loop for loop in loops if loop != hot]
    if others and _holds(others[0], hot):
        return _nested(everything, others[0], hot, products, entries)
    straight = products_of(everything) - sum(_products(everything, loop) for loop in loops)
    rounds, left = divmod(products - straight, _products(everything, hot))
    total = len(everything) + (rounds - 1) * len(hot)
    for loop in others:
        inside = _products(everything, loop)
        if not inside:
            return None
        again, left = divmod(left, inside)
        total += (again - 1) * len(loop)
    return None if left or rounds < 0 else total


def _nested(
    everything: Sequence[Instruction],
    outer: range,
    hot: range,
    products: int,
    entries: int | None,
) -> int | None:
    """Do the same for a hot loop in another one, whose other code has no matrix instructions, or it would be hot."""
    inside = _products(everything, hot)
    if not entries or products_of(everything) != inside or products % (entries * inside):
        return None
    rounds = products // (entries * inside)
    return len(everything) + (entries - 1) * len(outer) + entries * (rounds - 1) * len(hot)


def prefetch_distance(
    body: Sequence[Instruction], unroll: float, ahead: int
) -> Distance | None:
    """Return the matrix instructions between a prefetch and the load that uses its data, over a round.

    A round of the loop has `unroll` K steps, and a prefetch fetches the data loaded `ahead` steps later, as written.
    The compiler may move prefetches, within a round, but not out of order. None if steps do not share them evenly.
    """
    places: dict[str, list[int]] = {"prefetch2d": [], "load2d": []}
    before = 0
    for instruction in body:
        kind = classify(instruction)
        if kind in places:
            places[kind].append(before)
        before += kind == "dpas"
    prefetches, loads = places.values()
    steps = int(unroll)
    if steps != unroll or not prefetches or len(prefetches) % steps or len(loads) % steps:
        return None
    in_step = len(prefetches) // steps, len(loads) // steps
    if not in_step[1]:
        return None
    found: list[int] = []
    for number, place in enumerate(prefetches):
        rounds, step = divmod(number // in_step[0] + ahead, steps)
        taken = min(loads[step * in_step[1] : (step + 1) * in_step[1]])
        found.append(rounds * before + taken - place)
    return Distance(min(found), max(found))


_EXECUTION_SIZE = re.compile(r"\((\d+)\|M\d+\)")
_REPEAT = re.compile(r"dpasw?\.\d+x(\d+)")
_WIDE = re.compile(r"<\d+>:(q|uq|df)\b")


def pipe_cycles(body: Sequence[Instruction], rates: Rates) -> Counter[str]:
    """Return cycles of the parts of a vector engine: `matrix`, `math`, `vector` (mov and alu), `issue` (one each).

    The parts work at the same time, for several threads; a loop takes at least as long as the busiest one.
    """
    cycles: Counter[str] = Counter(issue=len(body))
    for instruction in body:
        kind = classify(instruction)
        if kind == "dpas":
            repeat = _REPEAT.search(instruction.text)
            cycles["matrix"] += rates.row * (int(repeat.group(1)) if repeat else 1)
        elif kind in ("mov", "alu"):
            size = _EXECUTION_SIZE.search(instruction.text)
            lanes = int(size.group(1)) if size else 1
            passes = -(-lanes // rates.lanes)
            if _WIDE.search(instruction.text) and lanes * rates.wide_bytes > 4 * rates.lanes:
                passes *= 2
            is_math = instruction.mnemonic == "math"
            cycles["math" if is_math else "vector"] += passes * (
                rates.math_factor if is_math else 1
            )
    return cycles


def _products(everything: Sequence[Instruction], loop: range) -> int:
    return products_of(everything[loop.start : loop.stop])


def _holds(outer: range, inner: range) -> bool:
    return outer.start <= inner.start and inner.stop <= outer.stop


class Work(NamedTuple):
    """Facts about a kernel that are known before it is compiled.

    Attributes:
        looped: whether its matrix instructions are in a loop, as written.
        products_per_step: matrix instructions of a K step, as written; 0 for those of one round of the loop.
        products: matrix instructions that a subgroup executes; None if unknown.
        entries: how often the hot loop is entered; None if unknown.
        ahead: K steps from a prefetch to the load of the same data; None if unknown.
    """

    looped: bool = False
    products_per_step: int = 0
    products: int | None = None
    ahead: int | None = None
    entries: int | None = None


def statistics(
    assembly: str,
    description: str,
    kernel: str,
    *,
    work: Work | None = None,
    rates: Rates | None = None,
) -> dict[str, float]:
    """Return counts for the hot loop of a kernel, per K step.

    `description` is the binary's `.ze_info`. Keys: COUNTED and `total` (instructions per K step), `loop_unroll` (K
    steps per round of the loop), `outside` (instructions of the kernel outside of it), `grf_count` (registers per
    thread), `spill_size` and `scratch` (bytes per thread). If known also: `instructions` (that a subgroup
    executes), `prefetch_distance_least` and `prefetch_distance_most` (DPAS from a prefetch to the load of the same
    data); with `rates`, `cycles` (of the busiest part of a vector engine, per K step).

    If the loop was unrolled completely, `unrolled_completely` is true: its body is the code from its first load to its
    last DPAS, including instructions from before it that are mixed in. If there was no loop, it is the whole kernel.
    Raise XetileError if the description does not name the kernel.
    """
    work = Work() if work is None else work
    program = parse_assembly(assembly)
    everything = program.instructions
    hot = hot_range(program)
    unrolled = hot is None and work.looped and products_of(everything) > 0
    place = (unrolled_range(program) if unrolled else hot) or range(len(everything))
    body = everything[place.start : place.stop]
    counts = Counter(map(classify, body))
    step = work.products_per_step
    unroll = counts["dpas"] / step if step and counts["dpas"] else 1.0
    result = {key: _tidy(counts[key] / unroll) for key in COUNTED}
    result |= {"total": _tidy(len(body) / unroll), "loop_unroll": _tidy(unroll)}
    if unrolled:
        result["unrolled_completely"] = True
    result["outside"] = len(everything) - len(body)
    if (instructions := executed(program, hot, work.products, work.entries)) is not None:
        result["instructions"] = instructions
    if work.ahead is not None and (far := prefetch_distance(body, unroll, work.ahead)):
        result["prefetch_distance_least"], result["prefetch_distance_most"] = far
    if rates is not None:
        result["cycles"] = _tidy(max(pipe_cycles(body, rates).values()) / unroll)
    return result | environment(description, kernel)


def environment(description: str, kernel: str) -> dict[str, float]:
    """Return `grf_count`, `spill_size`, `scratch` of a kernel from a binary's `.ze_info`."""
    kernels = described(description)
    if kernel not in kernels:
        raise XetileError(f"the binary holds no kernel '{kernel}' but {', '.join(kernels)}")
    text = kernels[kernel]
    scratch = re.findall(r"- type: +scratch\n(?: {8}.*\n)*? {8}size: +(\d+)", text)
    return {
        "grf_count": _field(text, "grf_count"),
        "spill_size": _field(text, "spill_size"),
        "scratch": sum(map(int, scratch)),
    }


def _field(text: str, name: str) -> int:
    found = re.search(rf"^ +{name}: +(\d+)$", text, re.MULTILINE)
    return int(found.group(1)) if found else 0


def _tidy(value: float) -> float:
    """Return whole numbers as int, others to four places."""
    return int(value) if value == int(value) else round(value, 4)


Class = Literal[
    "load2d",
    "prefetch2d",
    "store2d",
    "load",
    "store",
    "atomic",
    "slm",
    "spill",
    "fill",
    "barrier",
    "fence",
    "dpas",
    "mov",
    "shuffle",
    "math",
    "alu",
    "sync",
    "branch",
    "other",
]
"""Messages of blocks; other messages to memory; to shared memory; to scratch memory and back; to other subgroups, and
waits for memory to complete messages; then computations: `mov` moves or converts, `shuffle` moves by an address of
registers, `math` is the slow pipe.
"""

CLASSES: tuple[Class, ...] = get_args(Class)
MESSAGES: tuple[Class, ...] = (
    *("load2d", "prefetch2d", "store2d", "load", "store", "atomic"),
    *("slm", "spill", "fill"),
)
"""Classes that access memory."""

_OLD_SCRATCH = re.compile(r"//.*hword scratch block (read|write)")
_SCRATCH = re.compile(r"(load|store)\.ugm\.d\d+x\d+t?\.a32(?:\.\w+)*[. ](?:ss|surf)\[")
"""Messages to a thread's scratch memory, where registers are spilled.

    send.dc0 (16|M0)  r3    r0   null:0  0x0  0x024C30F8            hword scratch block read x8           (pvc)
    send.ugm (1|M0)   null  r34  r3:2    0x8E800000:a0.2  ...       store.ugm.d32x32t.a32.ss[a0.2][A-0xE300]
    sendg.ugm (1|M0)  r3    r98:1  null:0  s0.56  ...               load.ugm.d32x64t.a32 surf[s0.56][src0+0x1D00]

Source: ocloc's text for kernels that spill, on all five devices.
"""

_MEMORY = re.compile(r"//.*?\b(load|store|atomic)\w*\.(ugm|slm|tgm)\b")
_KINDS: dict[str, Class] = {"load": "load", "store": "store", "atomic": "atomic"}


def class_of(instruction: Instruction) -> Class:
    """Return the class of an instruction."""
    mnemonic, text = instruction.mnemonic, instruction.text
    if mnemonic.startswith("send"):
        return _message(text)
    if mnemonic == "sync":
        return "barrier" if text.startswith("sync.bar") else "sync"
    if mnemonic == "math":
        return "math"
    if leads_to(instruction) or mnemonic in ("ret", "join", "endif"):
        return "branch"
    if mnemonic in ("dpas", "bdpas", "dpasw"):
        return "dpas"
    if mnemonic == "mov":
        return "shuffle" if " r[" in text else "mov"
    return "other" if mnemonic in _BRANCHES or mnemonic == "nop" else "alu"


_COUNTED_AS: Mapping[Class, Class] = {"shuffle": "mov", "math": "alu"}
"""Classes that `--stats` counts as coarser ones."""


def _message(text: str) -> Class:
    if "store_block2d" in text:
        return "store2d"
    if "load_block2d" in text:
        return "prefetch2d" if _destination(text) == "null" else "load2d"
    if (access := scratch_access(text)) is not None:
        return access
    found = _MEMORY.search(text)
    if found is not None:
        return "slm" if found[2] == "slm" else _KINDS[found[1]]
    if "fence" in text:
        return "fence"
    return "barrier" if "signal barrier" in text else "other"


def scratch_access(text: str) -> Literal["spill", "fill"] | None:
    """Return "spill" if a message spills registers, "fill" if it fills them again, or None."""
    found = _OLD_SCRATCH.search(text) or _SCRATCH.search(text)
    if found is None:
        return None
    return "fill" if found[1] in ("read", "load") else "spill"

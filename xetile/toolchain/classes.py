"""What an instruction of Xe assembly does: one class for each, finer than what `--stats` counts."""

import re
from typing import Literal, get_args

from xetile.toolchain.assembly import Instruction, classify, leads_to
from xetile.toolchain.scratch import scratch_access

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
what waits until memory has what was sent; then what computes: `mov` moves or converts, `shuffle` moves by an address of
registers, `math` is the slow pipe."""

CLASSES: tuple[Class, ...] = get_args(Class)
MESSAGES: tuple[Class, ...] = (
    *("load2d", "prefetch2d", "store2d", "load", "store", "atomic"),
    *("slm", "spill", "fill"),
)
"""Those that reach memory."""

_MEMORY = re.compile(r"//.*?\b(load|store|atomic)\w*\.(ugm|slm|tgm)\b")
_KINDS: dict[str, Class] = {"load": "load", "store": "store", "atomic": "atomic"}


def class_of(instruction: Instruction) -> Class:
    """The class of an instruction."""
    mnemonic = instruction.mnemonic
    if mnemonic.startswith("send"):
        return _message(instruction)
    if mnemonic == "sync":
        return "barrier" if instruction.text.startswith("sync.bar") else "sync"
    if mnemonic == "math":
        return "math"
    if leads_to(instruction) or mnemonic in ("ret", "join", "endif"):
        return "branch"
    counted = classify(instruction)
    if counted == "mov" and " r[" in instruction.text:
        return "shuffle"
    if counted in ("dpas", "mov", "alu"):
        return counted
    return "other"


def _message(instruction: Instruction) -> Class:
    counted = classify(instruction)
    if counted in ("load2d", "prefetch2d", "store2d"):
        return counted
    access = scratch_access(instruction)
    if access is not None:
        return access.kind
    text = instruction.text
    found = _MEMORY.search(text)
    if found is not None:
        return "slm" if found[2] == "slm" else _KINDS[found[1]]
    if "fence" in text:
        return "fence"
    return "barrier" if "signal barrier" in text else "other"

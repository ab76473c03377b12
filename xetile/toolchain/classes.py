"""What an instruction of Xe assembly does: one class for each, finer than what `--stats` counts."""

import re
from typing import Literal, get_args

from xetile.toolchain.assembly import Instruction, classify, leads_to

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
    text = instruction.text
    if (access := scratch_access(text)) is not None:
        return access
    found = _MEMORY.search(text)
    if found is not None:
        return "slm" if found[2] == "slm" else _KINDS[found[1]]
    if "fence" in text:
        return "fence"
    return "barrier" if "signal barrier" in text else "other"


def scratch_access(text: str) -> Literal["spill", "fill"] | None:
    """Return whether a message spills registers or fills them again, or None if it does neither."""
    found = _OLD_SCRATCH.search(text) or _SCRATCH.search(text)
    if found is None:
        return None
    return "fill" if found[1] in ("read", "load") else "spill"

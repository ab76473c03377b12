"""Messages to a thread's scratch memory, where registers are spilled: which bytes of it they reach.

    send.dc0 (16|M0)  r3    r0   null:0  0x0  0x024C30F8            hword scratch block read x8           (pvc)
    send.ugm (1|M0)   null  r34  r3:2    0x8E800000:a0.2  ...       store.ugm.d32x32t.a32.ss[a0.2][A-0xE300]
    sendg.ugm (1|M0)  r3    r98:1  null:0  s0.56  ...               load.ugm.d32x64t.a32 surf[s0.56][src0+0x1D00]

Source: ocloc's text for kernels that spill, on all five devices.
"""

import re
from typing import Literal, NamedTuple

from xetile.toolchain.assembly import Instruction

HWORD_BYTES = 32
"""Bytes of the unit in which old messages count (the text says `hword`)."""

_PLACE_BITS = 12
"""Low bits of the descriptor of an old message that say where it begins, in units of 32 bytes.

Source: Intel's programmer's reference manual, "Scratch Block", `Address Offset`.
"""

_OLD = re.compile(
    r"(0x[0-9A-F]+)\s*(?:\{[^}]*\})?\s*//.*hword scratch block (read|write) x(\d+)"
)
_NEW = re.compile(
    r"(load|store)\.ugm\.d(\d+)x(\d+)t?\.a32(?:\.\w+)*[. ](?:ss|surf)\[[^\]]*\]"
    r"(?:\[(?:A|src0)(?:([+-])(0x[0-9A-F]+))?\])?"
)


class ScratchAccess(NamedTuple):
    """A message to scratch memory: `kind`, its first byte, and bytes; `byte` counts from what a register says."""

    kind: Literal["spill", "fill"]
    byte: int
    bytes: int
    is_relative: bool


def scratch_access(instruction: Instruction) -> ScratchAccess | None:
    """What a message reaches of scratch memory; None of all other instructions."""
    if not instruction.mnemonic.startswith("send"):
        return None
    old = _OLD.search(instruction.text)
    if old is not None:
        place = int(old[1], 16) & ((1 << _PLACE_BITS) - 1)
        kind = "fill" if old[2] == "read" else "spill"
        return ScratchAccess(
            kind, place * HWORD_BYTES, int(old[3]) * HWORD_BYTES, is_relative=False
        )
    new = _NEW.search(instruction.text)
    if new is None:
        return None
    offset = int(new[5] or "0", 16) * (-1 if new[4] == "-" else 1)
    size = int(new[2]) // 8 * int(new[3])
    return ScratchAccess(
        "fill" if new[1] == "load" else "spill", offset, size, is_relative=True
    )

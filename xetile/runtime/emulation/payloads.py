"""Address payloads of 2D messages, of which xetile uses the prefetches: these compute nothing, but are looked at.

Names and parameters are IGC's (IGCBiF_Intrinsics_Lsc.cl, "2D block address payload"): width, height and pitch less one,
the block's place, its extents and the number of blocks. A payload is an opaque pointer. Here it is no address, but
the fault of its surface, zero if there is none; the fault is reported when the payload is used, as a program may make
one and never use it. At which column a prefetch begins is not looked at: the payload does not say of which size
its elements are.
"""

import re

_CREATE = "__builtin_IB_subgroup_createBlock2DAddressPayload"
_MOVE = re.compile(r"__builtin_IB_subgroup_(?:set|add)Block2DAddressPayloadBlock[XY]")
_PREFETCH = re.compile(
    r"__builtin_IB_subgroup_block_read_ap_prefetch_u(?:8|16|32|64)_m\d+k\d+v\d+"
)

PREAMBLE = """
static void __attribute__((noinline)) use_payload(ulong payload)
{
    if (payload != 0)
        illegal((int)(payload >> 60), (long)(payload << 4) >> 4);
}
"""


def definition(name: str) -> tuple[str, ...]:
    """The function that a module imports by this name; none where it is not of a payload's prefetch."""
    if name == _CREATE:
        return (
            f"""private int *{name}(long base, int last_byte, int last_row, int pitch_less_one, int x, int y,
    int columns, int rows, int blocks)
{{
    fault found = surface_fault((ulong)base, last_byte + 1, last_row + 1, pitch_less_one + 1, 0, 1);
    return (private int *)((ulong)found.number << 60 | (ulong)found.value & (1ul << 60) - 1);
}}
""",
        )
    if _MOVE.fullmatch(name):
        return (f"void {name}(private int *payload, int value)\n{{\n}}\n",)
    if _PREFETCH.fullmatch(name):
        return (
            f"""void {name}(private int *payload, int x, int y, int caching)
{{
    use_payload((ulong)payload);
}}
""",
        )
    return ()

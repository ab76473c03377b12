"""Address payloads of 2D messages, of which xetile uses the prefetches: they compute nothing.

The names and what they take are IGC's (IGCBiF_Intrinsics_Lsc.cl: "2d block address payload").
"""

import re

_CREATE = "__builtin_IB_subgroup_createBlock2DAddressPayload"
_SET_OR_ADD = re.compile(
    r"__builtin_IB_subgroup_(set|add)Block2DAddressPayload(BlockX|BlockY|Base|Width|Height|Pitch)"
)
_PREFETCH = re.compile(r"__builtin_IB_subgroup_block_read_ap_prefetch_u\d+_m\d+k\d+v\d+")


def definition(name: str) -> str | None:
    """The function that a module imports by this name; None where it is not of a payload's prefetch."""
    if name == _CREATE:
        return (
            f"private int *{name}(long base, int width, int height, int pitch, int x, int y, int block_width, "
            "int block_height, int blocks)\n{\n    return 0;\n}\n"
        )
    if _SET_OR_ADD.fullmatch(name):
        return f"void {name}(private int *payload, int value)\n{{\n}}\n"
    if _PREFETCH.fullmatch(name):
        return f"void {name}(private int *payload, int x, int y, int caching)\n{{\n}}\n"
    return None

"""1D block reads and writes of global and local memory, as OpenCL C.

Written from cl_intel_subgroups (and its _char, _short and _long), "intel_sub_group_block_read": work-item l of a
subgroup has, of n rows, the words p[l], p[l + 16], ...; and from cl_intel_subgroup_local_block_io, which is the same
for local memory. The functions here are IGC's implementations (IBiF_Sub_Groups.cl, `simd_block_read_8_local`), whose
suffix is that of the word: b, h, l for 8, 16 and 64 bits, none for 32.
"""

import re

from xetile.runtime.emulation.faults import RESTRICTIONS

_NAME = re.compile(
    r"__builtin_IB_simd_block_(?P<action>read|write)_(?P<rows>1|2|4|8)_(?P<space>local|global)(?:_(?P<word>[bhl]))?"
)
_WORDS = {"b": "uchar", "h": "ushort", None: "uint", "l": "ulong"}


def definition(name: str) -> tuple[str, ...]:
    """Return the function of this name, or none if it is no 1D message."""
    found = _NAME.fullmatch(name)
    if found is None:
        return ()
    word, rows = _WORDS[found["word"]], int(found["rows"])
    value = word if rows == 1 else f"{word}{rows}"
    places = [
        f"at[get_sub_group_local_id() + {RESTRICTIONS.lanes * row}]" for row in range(rows)
    ]
    pointer = f"{found['space']} {word} *at"
    if found["action"] == "read":
        return (
            f"{value} {name}({pointer})\n{{\n    return ({value})({', '.join(places)});\n}}\n",
        )
    parts = ["value"] if rows == 1 else [f"value.s{row:x}" for row in range(rows)]
    lines = [f"    {place} = {part};" for place, part in zip(places, parts, strict=True)]
    return ("\n".join([f"void {name}({pointer}, {value} value)", "{", *lines, "}", ""]),)

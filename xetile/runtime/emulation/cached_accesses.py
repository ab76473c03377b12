"""Accesses of a lane with a cache option, as OpenCL C: only the data movement; the option has no effect here.

Names and parameters are IGC's (IGCBiF_Intrinsics_Lsc.cl, "LSC Loads", "LSC Stores", "LSC Prefetches"): a pointer, an
offset in units of its pointee, the value of a store, and the option. A prefetch computes nothing, and reads nothing.
"""

import re

_NAME = re.compile(
    r"__builtin_IB_lsc_(?:"
    r"load_global_(?:(?P<narrow_read>uchar|ushort)_to_uint|(?P<read>uint|ulong)(?P<reads>[248])?)"
    r"|store_global_(?:(?P<narrow_written>uchar|ushort)_from_uint|(?P<written>uint|ulong)(?P<writes>[248])?)"
    r"|prefetch_global_(?P<fetched>uchar))"
)


def definition(name: str) -> tuple[str, ...]:
    """Return the function of this name, or none if it is no such access."""
    found = _NAME.fullmatch(name)
    if found is None:
        return ()
    narrow = found["narrow_read"] or found["narrow_written"]
    word = narrow or found["read"] or found["written"] or found["fetched"]
    count = int(found["reads"] or found["writes"] or 1)
    value = "uint" if narrow else word if count == 1 else f"{word}{count}"
    pointer = f"global {word} *at, int offset"
    places = [f"at[{count} * offset + {n}]" for n in range(count)]
    if found["fetched"]:
        return (f"void {name}({pointer}, int option)\n{{\n}}\n",)
    if found["narrow_read"] or found["read"]:
        body = f"return ({value})({', '.join(places)});"
        return (f"{value} {name}({pointer}, int option)\n{{\n    {body}\n}}\n",)
    parts = [f"({word})value"] if count == 1 else [f"value.s{n}" for n in range(count)]
    lines = [f"    {place} = {part};" for place, part in zip(places, parts, strict=True)]
    return (
        "\n".join(
            [f"void {name}({pointer}, {value} value, int option)", "{", *lines, "}", ""]
        ),
    )

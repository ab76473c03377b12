"""Conversions between f32 and bf16, which is stored in shorts, as OpenCL C.

Written from SPV_INTEL_bfloat16_conversion, for whose instructions Intel's compiler has these functions:
OpConvertFToBF16INTEL rounds to nearest even, OpConvertBF16ToFINTEL is exact. A NaN becomes a NaN.
"""

import re

_NAME = re.compile(r"__builtin_IB_(ftobf|bftof)_(1|2|4|8|16)")

_TO = """{short} {name}({float} value)
{{
    {uint} bits = as_{uint}(value);
    {uint} near = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    {uint} quiet = bits >> 16 | 0x40u;
    return as_{short}(convert_{ushort}(select(near, quiet, isnan(value))));
}}"""

_FROM = """{float} {name}({short} bits)
{{
    return as_{float}(convert_{uint}(as_{ushort}(bits)) << 16);
}}"""


def definition(name: str) -> tuple[str, ...]:
    """Return the text of the function of this name, or none if it is another function."""
    found = _NAME.fullmatch(name)
    if found is None:
        return ()
    direction, count = found.groups()
    types = {
        type: type + ("" if count == "1" else count)
        for type in ("short", "ushort", "uint", "float")
    }
    return ((_TO if direction == "ftobf" else _FROM).format(name=name, **types),)

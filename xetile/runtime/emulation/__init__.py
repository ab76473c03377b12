"""Intel's block and matrix builtins as OpenCL C, for devices that have none: what a module imports, defined.

A program that holds these functions is linked to the module, whose bytes stay what they are. A family of functions is a
file: its `definition(name)` gives the text of one function, or None where the name is not of the family.
"""

from collections.abc import Sequence

from xetile.errors import XetileError
from xetile.runtime.emulation import block2d, payloads, products

_FAULTS = {
    1: "the base of a 2D surface is {0} bytes above a multiple of 64; expected such a multiple",
    2: "the width of a 2D surface is {0} bytes; expected 64 to 16777216, a multiple of 4 and of the element",
    3: "the height of a 2D surface is {0} rows; expected 1 to 16777216",
    4: "the pitch of a 2D surface is {0} bytes; expected a multiple of 16, not below the width",
    5: "a 2D block starts at column {0}; expected a multiple of 4 bytes",
}
"""What the functions report in place of reading: numbers and texts, with the value found."""

FAULT_KERNEL = "xetile_take_fault"
"""A kernel that copies the first fault, if there is one, to its argument (two longs: number, value), and forgets it."""

_PREAMBLE = f"""
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define OVERLOADABLE __attribute__((overloadable, noinline))
#define UNROLL_NOT _Pragma("unroll 1")

enum {{ FAULT_BASE = 1, FAULT_WIDTH, FAULT_HEIGHT, FAULT_PITCH, FAULT_COLUMN }};

global int first_fault;
global long faulty_value;

static bool illegal(int fault, long value)
{{
    if (atomic_cmpxchg(&first_fault, 0, fault) == 0)
        faulty_value = value;
    return false;
}}

kernel void {FAULT_KERNEL}(global long *result)
{{
    result[0] = first_fault;
    result[1] = faulty_value;
    first_fault = 0;
}}
"""


def fault_text(number: int, value: int) -> str:
    """What a fault is, in words."""
    return _FAULTS[number].format(value)


_FAMILIES = (block2d.definition, products.definition, payloads.definition)


def emulated(imports: Sequence[str]) -> str:
    """OpenCL C that defines what a module imports.

    Errors: XetileError that names an import of which there is no definition.
    """
    texts = [_PREAMBLE, block2d.PREAMBLE, products.PREAMBLE]
    for name in dict.fromkeys(imports):
        if name.startswith("__spirv_BuiltIn"):
            continue
        text = next(filter(None, (define(name) for define in _FAMILIES)), None)
        if text is None:
            raise XetileError(f"the module imports '{name}', of which there is no emulation")
        texts.append(text)
    return "\n".join(texts)

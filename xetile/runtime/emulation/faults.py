"""Errors that emulated functions report instead of computing: the restrictions of 2D block access in the documents.

The numbers are those of the documents, not of `targets/xe/surface.py`, which the compiler uses:
a test compares the two. Sources: SPV_INTEL_2d_block_io and cl_intel_subgroup_2d_block_io, "Restrictions" of both, which
say the same.
"""

from enum import IntEnum
from typing import NamedTuple


class Restrictions(NamedTuple):
    """Restrictions on the matrix in memory: bytes, and rows for the height."""

    base_alignment: int = 64
    least_width: int = 64
    width_multiple: int = 4
    """For elements of 1, 2 and 4 bytes; for larger ones it is their size."""
    pitch_multiple: int = 16
    column_multiple: int = 4
    """Four elements of 1 byte, two of 2 bytes."""
    most: int = 1 << 24
    """Limit of width and height. The documents do not limit the pitch."""
    lanes: int = 16


RESTRICTIONS = Restrictions()


class Fault(IntEnum):
    """A kind of error; the kernel that reads a fault returns this number and the value found."""

    BASE = 1
    WIDTH = 2
    WIDTH_OF_ELEMENTS = 3
    WIDE = 4
    HEIGHT = 5
    HIGH = 6
    PITCH = 7
    NARROW_PITCH = 8
    COLUMN = 9
    LANES = 10
    SUBGROUP = 11
    PAYLOADS = 12
    BLOCK = 13


_R = RESTRICTIONS
_TEXTS = {
    Fault.BASE: f"the matrix has a base {{0}} bytes above a multiple of {_R.base_alignment}; "
    f"2D block access needs a multiple of {_R.base_alignment}",
    Fault.WIDTH: f"the matrix has rows of {{0}} bytes; 2D block access needs at least {_R.least_width} and a multiple "
    f"of {_R.width_multiple}",
    Fault.WIDTH_OF_ELEMENTS: "the matrix has rows of {0} bytes; 2D block access needs whole elements, of {1} bytes",
    Fault.WIDE: f"the matrix has rows of {{0}}; 2D block access reaches at most {_R.most}",
    Fault.HEIGHT: "the matrix has a height of {0}; 2D block access needs at least one row",
    Fault.HIGH: f"the matrix has a height of {{0}}; 2D block access reaches at most {_R.most}",
    Fault.PITCH: f"the matrix has a pitch of {{0}} bytes; 2D block access needs at least {_R.least_width} and a "
    f"multiple of {_R.pitch_multiple}",
    Fault.NARROW_PITCH: "the matrix has a pitch of {0} bytes under rows of {1}; expected at least that",
    Fault.COLUMN: "the matrix has a column offset of {0} bytes; 2D block access needs a multiple of "
    f"{_R.column_multiple}",
    Fault.LANES: "lanes of one subgroup give different operands for the same 2D block access; it needs one value of "
    "each",
    Fault.BLOCK: "a message goes through an address payload of blocks of {0}; it needs its own extents",
    Fault.PAYLOADS: "the kernel makes address payloads for more than {0} surfaces; the emulation keeps no more",
    Fault.SUBGROUP: f"a block or matrix instruction runs in a subgroup of {{0}}; it needs {_R.lanes}",
}

FAULT_KERNEL = "xetile_take_fault"
"""A kernel that copies the first fault, if there is one, to its argument (two longs: number, value), and clears it."""

_SECOND = 32
"""Shift in bits of the second part of a value, if it has one."""


def fault_text(number: int, value: int) -> str:
    """Return the text of a fault, with the value found."""
    fault = Fault(number)
    if fault in (Fault.NARROW_PITCH, Fault.WIDTH_OF_ELEMENTS):
        first, second = value & (1 << _SECOND) - 1, value >> _SECOND
        # the first part is a signed int
        first -= (first >> _SECOND - 1) << _SECOND
        return _TEXTS[fault].format(first, second)
    if fault is Fault.BLOCK:
        columns, rows, blocks = (value >> shift & 1023 for shift in (20, 10, 0))
        return _TEXTS[fault].format(f"{rows}x{columns}, {blocks} of them")
    return _TEXTS[fault].format(value)


_NAMES = "".join(f"    FAULT_{fault.name} = {fault.value},\n" for fault in Fault)

RECORD = f"""
enum {{
{_NAMES}}};

typedef struct {{ int number; long value; }} fault;

global int first_fault;
global long faulty_value;

// How many launches came before: each ends by taking its fault.
global int launches;

static bool illegal(int number, long value)
{{
    if (atomic_cmpxchg(&first_fault, 0, number) == 0)
        faulty_value = value;
    return false;
}}

kernel void {FAULT_KERNEL}(global long *result)
{{
    result[0] = first_fault;
    result[1] = faulty_value;
    first_fault = 0;
    launches += 1;
}}
"""
"""The record of the first fault, in OpenCL C."""

CHECKS = f"""
static fault found_fault(int number, long value)
{{
    fault found = {{number, value}};
    return found;
}}

static fault found_pair(int number, int value, int other)
{{
    return found_fault(number, (long)(uint)value | (long)other << {_SECOND});
}}

static __attribute__((noinline)) fault surface_fault(ulong base, int width, int height, int pitch, int column,
    int bytes)
{{
    if (base % {_R.base_alignment} != 0)
        return found_fault(FAULT_BASE, (long)(base % {_R.base_alignment}));
    if (width < {_R.least_width} || width % {_R.width_multiple} != 0)
        return found_fault(FAULT_WIDTH, width);
    if (width % bytes != 0)
        return found_pair(FAULT_WIDTH_OF_ELEMENTS, width, bytes);
    if (width > {_R.most})
        return found_fault(FAULT_WIDE, width);
    if (height < 1)
        return found_fault(FAULT_HEIGHT, height);
    if (height > {_R.most})
        return found_fault(FAULT_HIGH, height);
    if (pitch % {_R.pitch_multiple} != 0)
        return found_fault(FAULT_PITCH, pitch);
    if (pitch < width)
        return found_pair(FAULT_NARROW_PITCH, pitch, width);
    if ((long)column * bytes % {_R.column_multiple} != 0)
        return found_fault(FAULT_COLUMN, (long)column * bytes);
    return found_fault(0, 0);
}}

static bool is_legal_surface(ulong base, int width, int height, int pitch, int column, int bytes)
{{
    fault found = surface_fault(base, width, height, pitch, column, bytes);
    return found.number == 0 || illegal(found.number, found.value);
}}

static bool is_legal_subgroup(uint size)
{{
    return size == {_R.lanes} || illegal(FAULT_SUBGROUP, size);
}}

// A number that differs, but for rare chances, where the arguments of a message do.
static uint mixed(ulong base, int width, int height, int pitch, int2 at)
{{
    ulong key = base * 31 + as_uint(width);
    key = key * 31 + as_uint(height);
    key = key * 31 + as_uint(pitch);
    key = key * 31 + as_uint(at.x);
    key = key * 31 + as_uint(at.y);
    return (uint)(key ^ key >> 32);
}}

static __attribute__((noinline)) bool is_legal_message(ulong base, int width, int height, int pitch, int2 at, int bytes)
{{
    bool legal = is_legal_subgroup(get_sub_group_size()) && is_legal_surface(base, width, height, pitch, at.x, bytes);
    uint key = mixed(base, width, height, pitch, at);
    if (sub_group_any(key != sub_group_broadcast(key, 0)))
        return illegal(FAULT_LANES, 0);
    return legal;
}}
"""
"""The checks, in OpenCL C. They are a separate function: inlined they make a build several times as long."""

NO_CHECKS = """
static fault surface_fault(ulong base, int width, int height, int pitch, int column, int bytes)
{
    fault none = {0, 0};
    return none;
}

static bool is_legal_surface(ulong base, int width, int height, int pitch, int column, int bytes) { return true; }

static bool is_legal_subgroup(uint size) { return true; }

static bool is_legal_message(ulong base, int width, int height, int pitch, int2 at, int bytes) { return true; }
"""
"""The same functions without checks."""

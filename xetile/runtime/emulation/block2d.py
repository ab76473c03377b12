"""2D block reads, writes and prefetches, as OpenCL C.

Written from
- cl_intel_subgroup_2d_block_io, "New OpenCL C Functions" (names, parameters, pointees) and 6.13.X.1 to
  6.13.X.3: coordinates count elements, width and pitch bytes; blocks are side by side; two neighbors of 8 bits are
  packed into a ushort where a block has 32 columns;
- SPV_INTEL_2d_block_io, "Mapping Block Data to Invocations" (padding, transform, transpose, elements of lanes),
  "Out-of-Bounds Behavior" (zeros are read, nothing is written) and "Restrictions" (see faults.py);
- ocloc 26.27 for transposed reads of 32 rows, for which that section says that a work-item has two neighboring rows:
  registers of the message (`load_block2d.ugm.d32t`) reach their users unchanged, so it has the rows i and i + 16;
- IGC's IBiF_Sub_Groups.cl, DEFN_INTEL_SUB_GROUP_2D_BLOCK_READ, ..._WRITE and ..._PREFETCH: functions called by the
  builtins, `__internal_NAME_cache_controls`, whose last parameter is a cache option, and block shapes beyond the
  extension's. Of its 136 reads all but two have the extension's mapping; those two, transposed reads of 64
  bits and 8 rows with 4 and 8 columns, have twice the elements and are not defined here.

Coordinates are signed (`int2`): elements above or left of the surface are out of bounds. Those that the extension
leaves undefined, in the last eight work-items of a read of one row of 8 columns, are zero.
"""

import re
from typing import NamedTuple

from xetile.runtime.emulation.faults import RESTRICTIONS
from xetile.runtime.emulation.mangling import GLOBAL_POINTER, mangled

PREAMBLE = f"""
#define LANES {RESTRICTIONS.lanes}

// Memory need not be aligned where nobody checks that it is.
typedef ushort __attribute__((aligned(1))) loose_ushort;
typedef uint __attribute__((aligned(1))) loose_uint;
typedef ulong __attribute__((aligned(1))) loose_ulong;

static bool is_inside(int width, int height, long column, long row, int bytes)
{{
    return row >= 0 && row < height && column >= 0 && (column + 1) * bytes <= width;
}}

// The value of the element at a column and a row: zero outside of the surface.
static ulong surface_get(global const uchar *base, int width, int height, int pitch, long column, long row, int bytes)
{{
    if (!is_inside(width, height, column, row, bytes))
        return 0;
    global const uchar *at = base + row * pitch + column * bytes;
    switch (bytes) {{
    case 1: return *at;
    case 2: return *(global const loose_ushort *)at;
    case 4: return *(global const loose_uint *)at;
    default: return *(global const loose_ulong *)at;
    }}
}}

static void surface_put(global uchar *base, int width, int height, int pitch, long column, long row, int bytes,
    ulong value)
{{
    if (!is_inside(width, height, column, row, bytes))
        return;
    global uchar *at = base + row * pitch + column * bytes;
    switch (bytes) {{
    case 1: *at = (uchar)value; break;
    case 2: *(global loose_ushort *)at = (ushort)value; break;
    case 4: *(global loose_uint *)at = (uint)value; break;
    default: *(global loose_ulong *)at = value;
    }}
}}

static void register_put(private uchar *registers, int number, int bytes, ulong value)
{{
    switch (bytes) {{
    case 1: registers[number] = (uchar)value; break;
    case 2: ((private ushort *)registers)[number] = (ushort)value; break;
    case 4: ((private uint *)registers)[number] = (uint)value; break;
    default: ((private ulong *)registers)[number] = value;
    }}
}}

static ulong register_get(private const uchar *registers, int number, int bytes)
{{
    switch (bytes) {{
    case 1: return registers[number];
    case 2: return ((private const ushort *)registers)[number];
    case 4: return ((private const uint *)registers)[number];
    default: return ((private const ulong *)registers)[number];
    }}
}}

static int next_power_of_two(int extent)
{{
    int power = 1;
    while (power < extent)
        power *= 2;
    return power;
}}

// How many elements of a block, whose width is a power of two, one work-item holds.
static int share(int width, int rows)
{{
    return width >= LANES ? rows * (width / LANES) : (rows * width + LANES - 1) / LANES;
}}

// Column and row of the element that is a work-item's number-th: a row goes to all work-items, or to as many
// as it has columns and the next row to those that follow.
static int2 owned(int number, int width, int lane)
{{
    if (width >= LANES) {{
        int neighbours = width / LANES;
        return (int2)(lane * neighbours + number % neighbours, number / neighbours);
    }}
    int position = number * LANES + lane;
    return (int2)(position % width, position / width);
}}

static void __attribute__((noinline)) read_blocks(global const void *base, int width, int height,
    int pitch, int2 at, private uchar *registers, int bytes, int rows, int columns, int blocks)
{{
    bool legal = is_legal_message((ulong)base, width, height, pitch, at, bytes);
    int lane = (int)get_sub_group_local_id();
    int padded = next_power_of_two(columns);
    int held = share(padded, rows);
    UNROLL_NOT
    for (int i = 0; i < blocks * held; ++i) {{
        int2 here = owned(i % held, padded, lane);
        bool inside = legal && here.x < columns && here.y < rows;
        long column = (long)at.x + i / held * columns + here.x;
        ulong value = inside ? surface_get(base, width, height, pitch, column, (long)at.y + here.y, bytes) : 0;
        register_put(registers, i, bytes, value);
    }}
}}

static void __attribute__((noinline)) read_transposed(global const void *base, int width, int height,
    int pitch, int2 at, private uchar *registers, int bytes, int rows, int columns)
{{
    bool legal = is_legal_message((ulong)base, width, height, pitch, at, bytes);
    int lane = (int)get_sub_group_local_id();
    int padded = next_power_of_two(rows);
    int held = share(padded, columns);
    UNROLL_NOT
    for (int i = 0; i < held; ++i) {{
        int position = i * LANES + lane;
        int row = position % padded, column = position / padded;
        bool inside = legal && row < rows && column < columns;
        ulong value = inside
            ? surface_get(base, width, height, pitch, (long)at.x + column, (long)at.y + row, bytes) : 0;
        register_put(registers, i, bytes, value);
    }}
}}

static void __attribute__((noinline)) read_transformed(global const void *base, int width, int height,
    int pitch, int2 at, private uchar *registers, int bytes, int rows, int columns, int blocks)
{{
    bool legal = is_legal_message((ulong)base, width, height, pitch, at, bytes);
    int lane = (int)get_sub_group_local_id();
    int together = 4 / bytes;
    int padded = next_power_of_two(columns);
    int held = share(padded, (rows + together - 1) / together);
    UNROLL_NOT
    for (int i = 0; i < blocks * held; ++i) {{
        int2 here = owned(i % held, padded, lane);
        long column = (long)at.x + i / held * columns + here.x;
        uint word = 0;
        UNROLL_NOT
        for (int part = 0; part < together; ++part) {{
            int row = here.y * together + part;
            if (legal && here.x < columns && row < rows)
                word |= (uint)surface_get(base, width, height, pitch, column, (long)at.y + row, bytes)
                        << (8 * bytes * part);
        }}
        register_put(registers, i, 4, word);
    }}
}}

static void __attribute__((noinline)) write_blocks(global void *base, int width, int height,
    int pitch, int2 at, private const uchar *registers, int bytes, int rows, int columns)
{{
    bool legal = is_legal_message((ulong)base, width, height, pitch, at, bytes);
    int lane = (int)get_sub_group_local_id();
    if (!legal)
        return;
    int padded = next_power_of_two(columns);
    int held = share(padded, rows);
    UNROLL_NOT
    for (int i = 0; i < held; ++i) {{
        int2 here = owned(i, padded, lane);
        long column = (long)at.x + here.x;
        if (here.x < columns && here.y < rows)
            surface_put(base, width, height, pitch, column, (long)at.y + here.y, bytes,
                        register_get(registers, i, bytes));
    }}
}}

static void __attribute__((noinline)) prefetch_blocks(global const void *base, int width, int height, int pitch,
    int2 at, int bytes)
{{
    is_legal_message((ulong)base, width, height, pitch, at, bytes);
}}
"""
"""The functions that all others call. They stay functions and loops stay loops, which keeps a build short: inlined and
unrolled it takes ten times as long.
"""

_NAME = re.compile(
    r"(?:__internal_)?(?:_Z\d+)?(?P<plain>intel_sub_group_2d_block_"
    r"(?P<action>read|read_transform|read_transpose|write|prefetch)_"
    r"(?P<bits>8|16|32|64)b_(?P<rows>\d+)r(?P<columns>\d+)x(?P<blocks>\d+)c).*"
)
_BODIES = {
    "read": "read_blocks",
    "read_transform": "read_transformed",
    "read_transpose": "read_transposed",
    "write": "write_blocks",
}
_OF_ONE_BLOCK = ("read_transpose", "write")
_WORDS = {8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}
_SURFACE = (GLOBAL_POINTER, "int", "int", "int", "int2")
_PARAMETERS = "global void *base, int width, int height, int pitch, int2 at"


class _Message(NamedTuple):
    """The block that a function moves: element bits; rows, columns and number of blocks."""

    plain: str
    action: str
    bits: int
    rows: int
    columns: int
    blocks: int


def definition(name: str) -> tuple[str, ...]:
    """Return the function of this name, mangled or IGC's own, or none if it is no 2D block function."""
    found = _NAME.fullmatch(name)
    if found is None:
        return ()
    message = _Message(
        found["plain"], found["action"], *(int(found[part]) for part in _Message._fields[2:])
    )
    if not _is_defined(message):
        return ()
    word = register(message)
    if name == f"__internal_{message.plain}_cache_controls":
        pointer = "" if word is None else ", private void *registers"
        return (_function(f"void {name}({_PARAMETERS}{pointer}, int caching)", message),)
    types = _SURFACE if word is None else (*_SURFACE, f"private {word} *")
    if name == mangled(message.plain, types):
        pointer = "" if word is None else f", private {word} *registers"
        head = f"void OVERLOADABLE {message.plain}({_PARAMETERS}{pointer})"
        return (_function(head, message),)
    return ()


def register(message: _Message) -> str | None:
    """Return the pointee of a function's pointer: neighbors of a row in one lane share an integer."""
    match message.action:
        case "prefetch":
            return None
        case "read_transform":
            return _WORDS[32]
        case "read_transpose":
            return _WORDS[message.bits]
        case _:
            shared = message.bits * message.columns // RESTRICTIONS.lanes
            return _WORDS.get(min(64, max(message.bits, shared)))


def _is_defined(message: _Message) -> bool:
    _, action, bits, rows, columns, blocks = message
    if 0 in (rows, columns, blocks):
        return False
    if action == "read_transform":
        return bits in (8, 16)
    if action in _OF_ONE_BLOCK and blocks > 1:
        return False
    if action == "read_transpose" and bits == 64:
        return rows >= RESTRICTIONS.lanes or columns <= 2
    return True


def _function(head: str, message: _Message) -> str:
    _, action, bits, rows, columns, blocks = message
    surface = "base, width, height, pitch, at"
    if action == "prefetch":
        body = f"prefetch_blocks({surface}, {bits // 8})"
    else:
        count = "" if action in _OF_ONE_BLOCK else f", {blocks}"
        block = f"{bits // 8}, {rows}, {columns}{count}"
        body = f"{_BODIES[action]}({surface}, (private uchar *)registers, {block})"
    return f"{head}\n{{\n    {body};\n}}\n"

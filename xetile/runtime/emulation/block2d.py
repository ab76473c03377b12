"""2D block reads, writes and prefetches, as OpenCL C.

Written from the OpenCL extension cl_intel_subgroup_2d_block_io (its functions and what their
arguments count: coordinates in elements, width and pitch in bytes) and the SPIR-V extension
SPV_INTEL_2d_block_io: sections "Mapping Block Data to Invocations" (who gets what),
"Out-of-Bounds Behavior" (zeros, nothing written) and "Restrictions" (what is reported).
"""

import re

PREAMBLE = """
// The value of the element at a column and a row: zero outside of the surface.
static ulong surface_get(global const uchar *base, int width, int height, int pitch, int column, int row,
                         int bytes)
{
    if (row < 0 || row >= height || column < 0 || (long)(column + 1) * bytes > width)
        return 0;
    global const uchar *at = base + (long)row * pitch + (long)column * bytes;
    switch (bytes) {
    case 1: return *at;
    case 2: return *(global const ushort *)at;
    case 4: return *(global const uint *)at;
    default: return *(global const ulong *)at;
    }
}

static void surface_put(global uchar *base, int width, int height, int pitch, int column, int row, int bytes,
                        ulong value)
{
    if (row < 0 || row >= height || column < 0 || (long)(column + 1) * bytes > width)
        return;
    global uchar *at = base + (long)row * pitch + (long)column * bytes;
    switch (bytes) {
    case 1: *at = (uchar)value; break;
    case 2: *(global ushort *)at = (ushort)value; break;
    case 4: *(global uint *)at = (uint)value; break;
    default: *(global ulong *)at = value;
    }
}

static void register_put(private uchar *registers, int number, int bytes, ulong value)
{
    switch (bytes) {
    case 1: registers[number] = (uchar)value; break;
    case 2: ((private ushort *)registers)[number] = (ushort)value; break;
    case 4: ((private uint *)registers)[number] = (uint)value; break;
    default: ((private ulong *)registers)[number] = value;
    }
}

static ulong register_get(private const uchar *registers, int number, int bytes)
{
    switch (bytes) {
    case 1: return registers[number];
    case 2: return ((private const ushort *)registers)[number];
    case 4: return ((private const uint *)registers)[number];
    default: return ((private const ulong *)registers)[number];
    }
}

static int next_power_of_two(int extent)
{
    int power = 1;
    while (power < extent)
        power *= 2;
    return power;
}

// How many elements of a block, whose width is a power of two, one work-item holds.
static int share(int width, int rows)
{
    int lanes = 16;
    return width >= lanes ? rows * (width / lanes) : (rows * width + lanes - 1) / lanes;
}

// Column and row of the element that is a work-item's number-th: a row goes to all lanes, or to as many
// as it has columns and the next row to the lanes that follow.
static int2 owned(int number, int width, int lane)
{
    int lanes = 16;
    if (width >= lanes) {
        int neighbours = width / lanes;
        return (int2)(lane * neighbours + number % neighbours, number / neighbours);
    }
    int position = number * lanes + lane;
    return (int2)(position % width, position / width);
}

static bool is_legal_surface(global const void *base, int width, int height, int pitch, int2 at, int bytes)
{
    int narrow = bytes < 4 ? 4 / bytes : 1;
    if ((ulong)base % 64 != 0)
        return illegal(FAULT_BASE, (long)((ulong)base % 64));
    if (width < 64 || width > 1 << 24 || width % max(bytes, 4) != 0)
        return illegal(FAULT_WIDTH, width);
    if (height < 1 || height > 1 << 24)
        return illegal(FAULT_HEIGHT, height);
    if (pitch < width || pitch % 16 != 0)
        return illegal(FAULT_PITCH, pitch);
    if (at.x % narrow != 0)
        return illegal(FAULT_COLUMN, at.x);
    return true;
}

static void __attribute__((noinline)) read_blocks(global const void *base, int width, int height, int pitch,
    int2 at, private uchar *registers, int bytes, int rows, int columns, int blocks,
    int lane)
{
    bool legal = is_legal_surface(base, width, height, pitch, at, bytes);
    int padded = next_power_of_two(columns);
    int held = share(padded, rows);
    UNROLL_NOT
    for (int i = 0; i < blocks * held; ++i) {
        int2 here = owned(i % held, padded, lane);
        bool inside = legal && here.x < columns && here.y < rows;
        int column = at.x + i / held * columns + here.x;
        ulong value = inside ? surface_get(base, width, height, pitch, column, at.y + here.y, bytes) : 0;
        register_put(registers, i, bytes, value);
    }
}

static void __attribute__((noinline)) read_transposed(global const void *base, int width, int height, int pitch,
    int2 at, private uchar *registers, int bytes, int rows, int columns, int blocks,
    int lane)
{
    bool legal = is_legal_surface(base, width, height, pitch, at, bytes);
    int padded = next_power_of_two(rows);
    int held = share(padded, columns);
    UNROLL_NOT
    for (int i = 0; i < blocks * held; ++i) {
        int2 here = owned(i % held, padded, lane);  // x counts rows of the block, y its columns
        bool inside = legal && here.x < rows && here.y < columns;
        int column = at.x + i / held * columns + here.y;
        ulong value = inside ? surface_get(base, width, height, pitch, column, at.y + here.x, bytes) : 0;
        register_put(registers, i, bytes, value);
    }
}

static void __attribute__((noinline)) read_transformed(global const void *base, int width, int height, int pitch,
    int2 at, private uchar *registers, int bytes, int rows, int columns, int blocks,
    int lane)
{
    bool legal = is_legal_surface(base, width, height, pitch, at, bytes);
    int together = 4 / bytes;
    int padded = next_power_of_two(columns);
    int held = share(padded, (rows + together - 1) / together);
    UNROLL_NOT
    for (int i = 0; i < blocks * held; ++i) {
        int2 here = owned(i % held, padded, lane);
        int column = at.x + i / held * columns + here.x;
        uint word = 0;
        UNROLL_NOT
        for (int part = 0; part < together; ++part) {
            int row = here.y * together + part;
            if (legal && here.x < columns && row < rows)
                word |= (uint)surface_get(base, width, height, pitch, column, at.y + row, bytes)
                        << (8 * bytes * part);
        }
        register_put(registers, i, 4, word);
    }
}

static void __attribute__((noinline)) write_blocks(global void *base, int width, int height, int pitch,
    int2 at, private const uchar *registers, int bytes, int rows, int columns, int blocks,
    int lane)
{
    if (!is_legal_surface(base, width, height, pitch, at, bytes))
        return;
    int padded = next_power_of_two(columns);
    int held = share(padded, rows);
    UNROLL_NOT
    for (int i = 0; i < blocks * held; ++i) {
        int2 here = owned(i % held, padded, lane);
        if (here.x < columns && here.y < rows)
            surface_put(base, width, height, pitch, at.x + i / held * columns + here.x, at.y + here.y, bytes,
                        register_get(registers, i, bytes));
    }
}
"""

_NAME = re.compile(
    r"(?P<mangled>_Z\d+)?(?P<internal>__internal_)?"
    r"intel_sub_group_2d_block_(?P<action>read|read_transform|read_transpose|write|prefetch)_"
    r"(?P<bits>8|16|32|64)b_(?P<rows>\d+)r(?P<columns>\d+)x(?P<blocks>\d+)c"
    r"(?P<cached>_cache_controls)?(?P<parameters>.*)"
)
_BODIES = {
    "read": "read_blocks",
    "read_transform": "read_transformed",
    "read_transpose": "read_transposed",
    "write": "write_blocks",
}
_LANES = 16
"""Work-items of a subgroup, of which the extension says that they are 16; the type of the registers follows."""


def definition(name: str) -> str | None:
    """The function that a module imports by this (mangled) name; None where it is no 2D block function."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    action = found["action"]
    bits, rows, columns, blocks = (
        int(found[part]) for part in ("bits", "rows", "columns", "blocks")
    )
    plain = f"intel_sub_group_2d_block_{action}_{bits}b_{rows}r{columns}x{blocks}c"
    word = _register(action, bits, columns)
    registers = "" if action == "prefetch" else f", private {word} *registers"
    body = (
        f"(void)is_legal_surface(base, width, height, pitch, at, {bits // 8});"
        if action == "prefetch"
        else f"{_BODIES[action]}(base, width, height, pitch, at, (private uchar *)registers, "
        f"{bits // 8}, {rows}, {columns}, {blocks}, (int)get_sub_group_local_id());"
    )
    surface = "global void *base, int width, int height, int pitch, int2 at"
    if found["internal"]:
        return f"void __internal_{plain}_cache_controls({surface}{registers}, int caching)\n{{\n    {body}\n}}\n"
    return f"void OVERLOADABLE {plain}({surface}{registers})\n{{\n    {body}\n}}\n"


def _register(action: str, bits: int, columns: int) -> str:
    """What the pointer of a function points to: neighbours of a row that one lane holds share an integer."""
    if action == "read_transform":
        return "uint"
    shared = bits if action == "read_transpose" else max(bits, bits * columns // _LANES)
    return {8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}[min(shared, 64)]

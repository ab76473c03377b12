"""Address payloads of 2D messages, and the reads, writes and prefetches through them, as OpenCL C.

Written from IGC's declarations and the comment before them (IGCBiF_Intrinsics_Lsc.cl, "2D block address payload"):
width, height and pitch less one, the block's place, its extents and the number of blocks; two numbers that a message
adds to the place; messages do not change a payload.

The data of a lane's message is a vector of integers of the program's type: the message moves registers.
IGC keeps element i of lane l after element i of lane l - 1 (vISA, "general variables"; ocloc 26.27: a `short16` fills
the rows of `store_block2d.ugm.d16` of 8x32 with its elements 0 and 1, 2 and 3, ...), so it is the (16 i + l)-th of the
block, row by row. Here the type is the one that has elements of the message's bits.

A payload is an opaque pointer. Here it is no address but three numbers: which of the known surfaces and extents of a
block, and the place, clamped to the outside of every surface. A message must have the extents of its payload. Errors
of the surface are reported when the payload is used, as a program may create one and never use it. The functions
that move a payload do nothing: xetile moves only those of prefetches, whose place is not checked.
"""

import re

from xetile.runtime.emulation.faults import RESTRICTIONS

_CREATE = "__builtin_IB_subgroup_createBlock2DAddressPayload"
_MOVE = re.compile(r"__builtin_IB_subgroup_(?:set|add)Block2DAddressPayloadBlock[XY]")
_NAME = re.compile(
    r"__builtin_IB_subgroup_block_(?P<action>read_ap_prefetch|read_ap|write_ap)"
    r"_u(?P<bits>8|16|32|64)_m(?P<rows>\d+)k(?P<columns>\d+)v(?P<blocks>\d+)"
)
_WORDS = {8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}
_LENGTHS = (1, 2, 4, 8, 16)

_PLACE_BITS = 26
_SURFACES = 1 << 64 - 2 * _PLACE_BITS

PREAMBLE = f"""
#define SURFACES {_SURFACES - 1}
#define FARTHEST (1 << {_PLACE_BITS - 1})

// What payloads of this launch were made for. It is found by what it is, and may stand here more than once.
typedef struct {{ int state, width, height, pitch, block; ulong base; }} known_surface;
global known_surface known_surfaces[SURFACES];

// The number of a surface; SURFACES where there is no room left.
static int __attribute__((noinline)) surface_number(ulong base, int width, int height, int pitch, int block)
{{
    int written = 2 * launches + 2, claimed = written - 1;
    uint first = (uint)(base >> 6) * 31u + (uint)width * 7u + (uint)height * 3u + (uint)(pitch + block);
    UNROLL_NOT
    for (uint i = 0; i < SURFACES; ++i) {{
        int number = (int)((first + i) % SURFACES);
        global known_surface *here = &known_surfaces[number];
        int state = atomic_or(&here->state, 0);
        if (state == written) {{
            if (here->base == base && here->width == width && here->height == height && here->pitch == pitch
                && here->block == block)
                return number;
        }} else if (state < claimed && atomic_cmpxchg(&here->state, state, claimed) == state) {{
            here->base = base;
            here->width = width;
            here->height = height;
            here->pitch = pitch;
            here->block = block;
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_xchg(&here->state, written);
            return number;
        }}
    }}
    return SURFACES;
}}

// One lane asks for all where all ask for the same.
static int number_of_all(ulong base, int width, int height, int pitch, int block)
{{
    ulong key = base ^ (ulong)(uint)width << 40 ^ (ulong)(uint)height << 20 ^ (ulong)(uint)pitch << 8;
    key ^= (ulong)(uint)block;
    if (sub_group_any(key != sub_group_broadcast(key, 0)))
        return surface_number(base, width, height, pitch, block);
    int number = 0;
    if (get_sub_group_local_id() == 0)
        number = surface_number(base, width, height, pitch, block);
    return sub_group_broadcast(number, 0);
}}

// What lies farther away than every surface reaches may lie anywhere there, as far above a multiple as before.
static ulong packed_place(int place)
{{
    int far = FARTHEST - 64 + (place & 63);
    int near = place >= FARTHEST ? far : place < -FARTHEST ? far - (2 * FARTHEST - 64) : place;
    return (ulong)near & (1ul << {_PLACE_BITS}) - 1;
}}

static int place_in(ulong payload, int shift)
{{
    return (int)((long)(payload << ({64 - _PLACE_BITS} - shift)) >> {64 - _PLACE_BITS});
}}

typedef struct {{ ulong base; int width, height, pitch; int2 at; bool legal; }} message;

static int block_of(int columns, int rows, int blocks)
{{
    return (columns & 1023) << 20 | (rows & 1023) << 10 | (blocks & 1023);
}}

static message message_of(ulong payload, int x, int y, int bytes, int rows, int columns)
{{
    message found = {{0, 0, 0, 0, (int2)(0, 0), false}};
    uint number = (uint)(payload >> {2 * _PLACE_BITS});
    if (number == SURFACES) {{
        illegal(FAULT_PAYLOADS, SURFACES);
        return found;
    }}
    global const known_surface *surface = &known_surfaces[number];
    if (surface->block != block_of(columns, rows, 1)) {{
        illegal(FAULT_BLOCK, surface->block);
        return found;
    }}
    found.base = surface->base;
    found.width = surface->width;
    found.height = surface->height;
    found.pitch = surface->pitch;
    found.at = (int2)(convert_int_sat((long)place_in(payload, {_PLACE_BITS}) + x),
                      convert_int_sat((long)place_in(payload, 0) + y));
    found.legal = is_legal_message(found.base, found.width, found.height, found.pitch, found.at, bytes);
    return found;
}}

static void __attribute__((noinline)) use_payload(ulong payload)
{{
    uint number = (uint)(payload >> {2 * _PLACE_BITS});
    if (number == SURFACES) {{
        illegal(FAULT_PAYLOADS, SURFACES);
        return;
    }}
    global const known_surface *surface = &known_surfaces[number];
    is_legal_surface(surface->base, surface->width, surface->height, surface->pitch, 0, 1);
}}

static void __attribute__((noinline)) write_registers(ulong payload, int x, int y, private const uchar *registers,
    int bytes, int rows, int columns)
{{
    message to = message_of(payload, x, y, bytes, rows, columns);
    if (!to.legal)
        return;
    int lane = (int)get_sub_group_local_id();
    UNROLL_NOT
    for (int i = 0; i * LANES < rows * columns; ++i) {{
        int position = i * LANES + lane;
        surface_put((global uchar *)to.base, to.width, to.height, to.pitch, (long)to.at.x + position % columns,
                    (long)to.at.y + position / columns, bytes, register_get(registers, i, bytes));
    }}
}}

static void __attribute__((noinline)) read_registers(ulong payload, int x, int y, private uchar *registers,
    int bytes, int rows, int columns)
{{
    message from = message_of(payload, x, y, bytes, rows, columns);
    int lane = (int)get_sub_group_local_id();
    UNROLL_NOT
    for (int i = 0; i * LANES < rows * columns; ++i) {{
        int position = i * LANES + lane;
        ulong value = !from.legal ? 0 : surface_get((global const uchar *)from.base, from.width, from.height,
            from.pitch, (long)from.at.x + position % columns, (long)from.at.y + position / columns, bytes);
        register_put(registers, i, bytes, value);
    }}
}}
"""
"""Functions stay functions, and loops stay loops, as in block2d.py."""

_CREATION = f"""private int *{_CREATE}(long base, int last_byte, int last_row, int pitch_less_one, int x, int y,
    int columns, int rows, int blocks)
{{
    ulong number = (ulong)number_of_all((ulong)base, last_byte + 1, last_row + 1, pitch_less_one + 1,
        block_of(columns, rows, blocks));
    return (private int *)(number << {2 * _PLACE_BITS} | packed_place(x) << {_PLACE_BITS} | packed_place(y));
}}
"""


def definition(name: str) -> tuple[str, ...]:
    """Return the function of this name, or none if it is not one of payloads, or of no known type."""
    if name == _CREATE:
        return (_CREATION,)
    if _MOVE.fullmatch(name):
        return (f"void {name}(private int *payload, int value)\n{{\n}}\n",)
    found = _NAME.fullmatch(name)
    if found is None:
        return ()
    if found["action"] == "read_ap_prefetch":
        return (
            f"""void {name}(private int *payload, int x, int y, int caching)
{{
    use_payload((ulong)payload);
}}
""",
        )
    bits, rows, columns, blocks = (
        int(found[part]) for part in ("bits", "rows", "columns", "blocks")
    )
    length, rest = divmod(rows * columns, RESTRICTIONS.lanes)
    if rest or length not in _LENGTHS or blocks != 1:
        return ()
    type = _WORDS[bits] if length == 1 else f"{_WORDS[bits]}{length}"
    block = f"{bits // 8}, {rows}, {columns}"
    if found["action"] == "write_ap":
        return (
            f"""void {name}(private int *payload, int x, int y, {type} value, int caching)
{{
    write_registers((ulong)payload, x, y, (private const uchar *)&value, {block});
}}
""",
        )
    return (
        f"""{type} {name}(private int *payload, int x, int y, int caching)
{{
    {type} value;
    read_registers((ulong)payload, x, y, (private uchar *)&value, {block});
    return value;
}}
""",
    )

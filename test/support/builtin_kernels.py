"""Kernels in LLVM IR that call one of many builtins: one build for a whole family of them.

A kernel takes the number of the function to call. What a lane's registers hold comes from memory, and goes there.
"""

from collections.abc import Sequence

from support.emission import Block, Product

from xetile.passes.xe.convert_xevm_to_llvm.builtins import (
    ADD_PAYLOAD_X,
    ADD_PAYLOAD_Y,
    CREATE_PAYLOAD,
    SET_PAYLOAD_X,
    SET_PAYLOAD_Y,
)

LANES = 16
REGISTER_BYTES = 160
"""Of a lane: more than any message needs (2 KiB of 16 lanes), so that writes behind the end are seen."""

_HEAD = """target triple = "spirv64-unknown-unknown"
declare spir_func i32 @"_Z22get_sub_group_local_idv"()
declare spir_func i64 @"_Z12get_group_idj"(i32)
"""
_CREATION = (
    f'declare spir_func ptr @"{CREATE_PAYLOAD}"(i64, i32, i32, i32, i32, i32, i32, i32, i32)'
)
_METADATA = """
!0 = !{ i32 16 }
!1 = !{ i32 16, i32 1, i32 1 }
"""
_ATTRIBUTES = "!intel_reqd_sub_group_size !0 !reqd_work_group_size !1"
_ENTRY = f"""  %private = alloca [{REGISTER_BYTES // 8} x i64], align 64
  %lane = call spir_func i32 @"_Z22get_sub_group_local_idv"()
  %group = call spir_func i64 @"_Z12get_group_idj"(i32 0)
  %wide = zext i32 %lane to i64
  %before = mul i64 %group, {LANES}
  %item = add i64 %before, %wide
  %start = mul i64 %item, {REGISTER_BYTES // 8}"""
_SURFACE = "ptr addrspace(1) %base, i32 %width, i32 %height, i32 %pitch, <2 x i32> %at"

_COPY = """
{label}.head:
  br label %{label}
{label}:
  %{label}.i = phi i64 [ 0, %{label}.head ], [ %{label}.next, %{label} ]
  %{label}.there = add i64 %start, %{label}.i
  %{label}.outer = getelementptr i64, ptr addrspace(1) %registers, i64 %{label}.there
  %{label}.inner = getelementptr i64, ptr %private, i64 %{label}.i
  %{label}.value = load i64, {source}
  store i64 %{label}.value, {target}
  %{label}.next = add i64 %{label}.i, 1
  %{label}.more = icmp ult i64 %{label}.next, {words}
  br i1 %{label}.more, label %{label}, label %{label}.end
{label}.end:"""


def _copy(label: str, *, into_registers: bool) -> str:
    outer = f"ptr addrspace(1) %{label}.outer"
    inner = f"ptr %{label}.inner"
    source, target = (outer, inner) if into_registers else (inner, outer)
    return _COPY.format(label=label, source=source, target=target, words=REGISTER_BYTES // 8)


def _switch(calls: Sequence[str]) -> str:
    cases = " ".join(f"i32 {n}, label %case{n}" for n in range(len(calls)))
    blocks = "\n".join(f"case{n}:\n  {call}\n  br label %join" for n, call in enumerate(calls))
    return (
        f"  switch i32 %which, label %join [ {cases} ]\n{blocks}\njoin:\n  br label %out.head"
    )


PAYLOAD_PLACE = (8, 3)
"""By how much a payload lies left of and above the message that goes through it."""


def _through_payload(number: int, block: Block) -> tuple[str, str]:
    """The declaration of a read or write through a payload, and a call of it with a payload of its own."""
    bits, rows, columns, blocks = block.shape
    name, right, down = block.payload_name, *PAYLOAD_PLACE
    type = _vector(rows * columns // LANES, f"i{bits}")
    made = f"""%payload{number} = call spir_func ptr @"{CREATE_PAYLOAD}"(i64 %address, i32 %w, i32 %h, i32 %p,
      i32 %left, i32 %above, i32 {columns}, i32 {rows}, i32 {blocks})"""
    place = f"ptr %payload{number}, i32 {right}, i32 {down}"
    if block.action == "read":
        return (
            f'declare spir_func {type} @"{name}"(ptr, i32, i32, i32)',
            f"""{made}
  %v{number} = call spir_func {type} @"{name}"({place}, i32 0)
  store {type} %v{number}, ptr %private""",
        )
    return (
        f'declare spir_func void @"{name}"(ptr, i32, i32, {type}, i32)',
        f"""{made}
  %v{number} = load {type}, ptr %private
  call spir_func void @"{name}"({place}, {type} %v{number}, i32 0)""",
    )


def _plain(block: Block, *, cached: bool) -> tuple[str, str]:
    """The declaration of a builtin, or of IGC's function behind it, and a call of it."""
    name = block.cached_name if cached else block.name
    pointer = "" if block.register_bits is None else ", ptr"
    option = ", i32" if cached else ""
    given = "" if block.register_bits is None else ", ptr %private"
    chosen = ", i32 4" if cached else ""
    return (
        f'declare spir_func void @"{name}"(ptr addrspace(1), i32, i32, i32, <2 x i32>{pointer}{option})',
        f'call spir_func void @"{name}"({_SURFACE}{given}{chosen})',
    )


def block_kernel(
    blocks: Sequence[Block],
    *,
    cached: bool = False,
    through_payloads: bool = False,
    lanes: int = LANES,
) -> str:
    """A kernel `blocks`: (table, base, stride, width, height, pitch, slope, registers).

    The table has for each workgroup, which is a subgroup, the number of the message, x and y. The surface of a
    workgroup begins `stride` bytes after that of the one before; lanes differ in x by `slope`. Registers are those of
    lane 0, lane 1, ..., before the message and then after it.
    """
    pairs = [
        _through_payload(n, block) if through_payloads else _plain(block, cached=cached)
        for n, block in enumerate(blocks)
    ]
    declarations, calls = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    declarations.append(_CREATION)
    return f"""{_HEAD}{chr(10).join(declarations)}
define spir_kernel void @"blocks"(ptr addrspace(1) %table, ptr addrspace(1) %first, i64 %stride, i32 %width,
    i32 %height, i32 %pitch, i32 %slope, ptr addrspace(1) %registers) {_ATTRIBUTES} {{
entry:
{_ENTRY}
  %bytes = mul i64 %group, %stride
  %base = getelementptr i8, ptr addrspace(1) %first, i64 %bytes
  %row = getelementptr [3 x i32], ptr addrspace(1) %table, i64 %group
  %px = getelementptr i32, ptr addrspace(1) %row, i64 1
  %py = getelementptr i32, ptr addrspace(1) %row, i64 2
  %which = load i32, ptr addrspace(1) %row
  %x = load i32, ptr addrspace(1) %px
  %y = load i32, ptr addrspace(1) %py
  %rise = mul i32 %lane, %slope
  %xs = add i32 %x, %rise
  %half = insertelement <2 x i32> undef, i32 %xs, i32 0
  %at = insertelement <2 x i32> %half, i32 %y, i32 1
  %address = ptrtoint ptr addrspace(1) %base to i64
  %w = sub i32 %width, 1
  %h = sub i32 %height, 1
  %p = sub i32 %pitch, 1
  %left = sub i32 %xs, {PAYLOAD_PLACE[0]}
  %above = sub i32 %y, {PAYLOAD_PLACE[1]}
  br label %in.head
{_copy("in", into_registers=True)}
{_switch(calls)}
{_copy("out", into_registers=False)}
  ret void
}}
{_METADATA.replace("i32 16, i32 1, i32 1", f"i32 {lanes}, i32 1, i32 1")}"""


def product_kernel(products: Sequence[Product]) -> str:
    """A kernel `products`: (table, registers); the table says for each workgroup which. Of a lane A at byte 0, B at byte 64, the accumulator at byte 96."""
    declarations: list[str] = []
    calls: list[str] = []
    for n, product in enumerate(products):
        a, b, sum = operand_types(product)
        declarations.append(f'declare spir_func {sum} @"{product.name}"({a}, {b}, {sum})')
        calls.append(f"""%a{n} = load {a}, ptr %private
  %pb{n} = getelementptr i8, ptr %private, i64 64
  %b{n} = load {b}, ptr %pb{n}
  %pc{n} = getelementptr i8, ptr %private, i64 96
  %c{n} = load {sum}, ptr %pc{n}
  %d{n} = call spir_func {sum} @"{product.name}"({a} %a{n}, {b} %b{n}, {sum} %c{n})
  store {sum} %d{n}, ptr %pc{n}""")
    return f"""{_HEAD}{chr(10).join(declarations)}
define spir_kernel void @"products"(ptr addrspace(1) %table, ptr addrspace(1) %registers) {_ATTRIBUTES} {{
entry:
{_ENTRY}
  %row = getelementptr i32, ptr addrspace(1) %table, i64 %group
  %which = load i32, ptr addrspace(1) %row
  br label %in.head
{_copy("in", into_registers=True)}
{_switch(calls)}
{_copy("out", into_registers=False)}
  ret void
}}
{_METADATA}"""


def payload_kernel(prefetches: Sequence[str]) -> str:
    """A kernel `payloads`: (which, base, width, height, pitch); prefetches through payloads, by their names."""
    declarations = [
        f'declare spir_func void @"{name}"(ptr, i32, i32, i32)' for name in prefetches
    ]
    moves = [SET_PAYLOAD_X, SET_PAYLOAD_Y, ADD_PAYLOAD_X, ADD_PAYLOAD_Y]
    declarations += [f'declare spir_func void @"{name}"(ptr, i32)' for name in moves]
    calls = [
        f'call spir_func void @"{name}"(ptr %payload, i32 0, i32 0, i32 4)'
        for name in prefetches
    ]
    moved = "\n".join(
        f'  call spir_func void @"{name}"(ptr %payload, i32 8)' for name in moves
    )
    return f"""{_HEAD}{chr(10).join(declarations)}
{_CREATION}
define spir_kernel void @"payloads"(i32 %which, ptr addrspace(1) %base, i32 %width, i32 %height, i32 %pitch)
    {_ATTRIBUTES} {{
entry:
  %address = ptrtoint ptr addrspace(1) %base to i64
  %w = sub i32 %width, 1
  %h = sub i32 %height, 1
  %p = sub i32 %pitch, 1
  %payload = call spir_func ptr @"{CREATE_PAYLOAD}"(i64 %address, i32 %w, i32 %h, i32 %p, i32 0, i32 0, i32 16,
      i32 8, i32 1)
{moved}
{_switch(calls)}
out.head:
  ret void
}}
{_METADATA}"""


def _vector(count: int, element: str) -> str:
    return element if count == 1 else f"<{count} x {element}>"


def operand_types(product: Product) -> tuple[str, str, str]:
    """LLVM's types of A, B and the accumulator."""
    halved = product.a == "tf32"
    sum = {"f32": "float", "f16": "half", "bf16": "i16", "s32": "i32"}[product.sum]
    return (
        _vector(max(1, product.rows // 2), "float")
        if halved
        else _vector(product.rows, "i16"),
        _vector(8, "float" if halved else "i32"),
        _vector(product.rows, sum),
    )

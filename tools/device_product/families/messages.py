"""XeVM itself: every 2D block message that its verifier takes, every matrix instruction.

What a lane loads is stored as rows of 16 words; what it multiplies was loaded so.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import ml_dtypes
import numpy

from tools.device_product.case import Array, Case, Program, Result
from xetile.layout.intel.message_layouts import Access, BlockConfiguration
from xetile.targets.xe.messages import verified

ROWS, ROW_BYTES = 64, 256
SURFACE = "(!llvm.ptr<1>, i32, i32, i32, i32, i32"
HEAD = """
gpu.module @m { gpu.func @k(PARAMETERS) kernel attributes {known_block_size = array<i32: 16, 1, 1>,
    known_grid_size = array<i32: 1, 1, 1>, intel_reqd_sub_group_size = 16 : i32, xetile.level = "lane"} {
NUMBERS
BODY
  gpu.return
} }
"""
AT_ONCE = 12
"""Messages of one kernel; more take long to build."""

LOADS: dict[Access, str] = {
    "load": "pack_register = false, transpose = false",
    "load_packed": "pack_register = true, transpose = false",
    "load_transposed": "pack_register = false, transpose = true",
}
MMA = (
    *(
        (a, a, d)
        for a, d in (("f16", "f32"), ("f16", "f16"), ("bf16", "f32"), ("bf16", "bf16"))
    ),
    ("tf32", "tf32", "f32"),
    *(
        (a, b, "s32")
        for bits in (8, 4)
        for a in (f"s{bits}", f"u{bits}")
        for b in (f"s{bits}", f"u{bits}")
    ),
    *((a, b, d) for a in ("e5m2", "e4m3") for b in ("e5m2", "e4m3") for d in ("f32", "bf16")),
)
BITS = {
    "f16": 16,
    "bf16": 16,
    "tf32": 32,
    "s8": 8,
    "u8": 8,
    "s4": 4,
    "u4": 4,
    "e5m2": 8,
    "e4m3": 8,
}
ACCUMULATORS = {
    "f32": ("f32", 32),
    "f16": ("f16", 16),
    "bf16": ("bf16", 16),
    "s32": ("i32", 32),
}


class Message(NamedTuple):
    """One message."""

    access: Access
    bits: int
    block: BlockConfiguration


def cases() -> list[Case]:
    """Messages by direction and element, as many as a kernel takes; products by type."""
    found: list[Case] = []
    for access in (*LOADS, "store", "prefetch"):
        for bits in (8, 16, 32):
            blocks = verified(access, bits)
            for start in range(0, len(blocks), AT_ONCE):
                chosen = {
                    _name(block): Message(access, bits, block)
                    for block in blocks[start : start + AT_ONCE]
                }
                name = f"message {access} {bits}b {start // AT_ONCE}"
                found.append(Case(name, partial(_program, chosen), tuple(chosen)))
    for a, b, d in MMA:
        parts = tuple(f"m={m}{c}" for m in (1, 2, 4, 8) for c in ("", " without C"))
        found.append(Case(f"mma {a} {b} {d}", partial(_products, a, b, d), parts))
    return found


def _name(block: BlockConfiguration) -> str:
    return f"{block.rows}r{block.columns}x{block.blocks}c"


def _pointer(number: int, array: Array) -> str:
    type = f"memref<{array.shape[0]}x{array.shape[1]}xi{8 * array.itemsize}>"
    return f"""
  %i{number} = memref.extract_aligned_pointer_as_index %a{number} : {type} -> index
  %l{number} = arith.index_cast %i{number} : index to i64
  %p{number} = llvm.inttoptr %l{number} : i64 to !llvm.ptr<1>
  %rows{number} = arith.constant {array.shape[0]} : i32
  %bytes{number} = arith.constant {array.shape[1] * array.itemsize} : i32"""


def kernel(arrays: Sequence[Array], body: str) -> str:
    """A kernel of one subgroup on matrices of integers %p0, %p1, ..."""
    parameters = ", ".join(
        f"%a{n}: memref<{a.shape[0]}x{a.shape[1]}xi{8 * a.itemsize}>"
        for n, a in enumerate(arrays)
    )
    numbers = "".join(
        f"\n  %n{n} = arith.constant {n} : i32" for n in range(-8, 65, 4)
    ).replace("%n-", "%m")
    numbers += "".join(_pointer(number, array) for number, array in enumerate(arrays))
    return (
        HEAD.replace("PARAMETERS", parameters)
        .replace("NUMBERS", numbers)
        .replace("BODY", body)
    )


def stored(number: int, value: str, words: int, bits: int) -> str:
    """Store a lane's words as rows of 16."""
    lines, start = "", 0
    while start < words:
        rows = next(n for n in (8, 4, 2, 1) if n <= words - start)
        places = ", ".join(str(start + i) for i in range(rows))
        vector = f"vector<{words}xi{bits}>"
        here = f"{number}_{start}"
        lines += f"""
  %s{here} = vector.shuffle {value}, {value} [{places}] : {vector}, {vector}
  %y{here} = arith.constant {start} : i32
  xevm.blockstore2d %p{number}, %bytes{number}, %rows{number}, %bytes{number}, %n0, %y{here}, %s{here} <{{
      elem_size_in_bits = {bits} : i32, tile_height = {rows} : i32, tile_width = 16 : i32}}>
      : {SURFACE}, vector<{rows}xi{bits}>)"""
        start += rows
    return lines


def loaded(number: int, words: int, bits: int, name: str) -> str:
    """Load `words` (1, 2, 4, 8) words of a lane, from rows of 16."""
    return f"""
  {name} = xevm.blockload2d %p{number}, %bytes{number}, %rows{number}, %bytes{number}, %n0, %n0 <{{
      elem_size_in_bits = {bits} : i32, pack_register = false, tile_height = {words} : i32, tile_width = 16 : i32,
      transpose = false, v_blocks = 1 : i32}}> : {SURFACE}) -> vector<{words}xi{bits}>"""


def _random(shape: tuple[int, int], bits: int) -> Array:
    random = numpy.random.default_rng([bits, *shape])
    info = numpy.iinfo(f"i{bits // 8}")
    return random.integers(info.min, info.max, shape, endpoint=True).astype(info.dtype)


def _program(messages: dict[str, Message], parts: Sequence[str]) -> Program:
    first = next(iter(messages.values()))
    arrays = [_random((ROWS, ROW_BYTES * 8 // first.bits), first.bits)]
    results: dict[int, Result] = {}
    body: list[str] = []
    for number, part in enumerate(parts, 1):
        _, bits, block = message = messages[part]
        register = _register(message)
        words = max(1, block.rows * block.columns * block.blocks * bits // register // 16)
        shape = f"tile_height = {block.rows} : i32, tile_width = {block.columns} : i32"
        at = "%n4, %n4"
        place = f"%p0, %bytes0, %rows0, %bytes0, {at}"
        size = f"elem_size_in_bits = {bits} : i32"
        if message.access == "store":
            arrays.append(numpy.zeros((ROWS, ROW_BYTES * 8 // bits), arrays[0].dtype))
            target = f"%p{number}, %bytes{number}, %rows{number}, %bytes{number}, {at}"
            width = max(16, block.columns)
            body.append(f"""
  %v{number} = xevm.blockload2d %p0, %bytes0, %rows0, %bytes0, %n4, %n4 <{{{size}, pack_register = false,
      tile_height = {block.rows} : i32, tile_width = {width} : i32, transpose = false, v_blocks = 1 : i32}}>
      : {SURFACE}) -> vector<{words}xi{register}>
  xevm.blockstore2d {target}, %v{number} <{{{size}, {shape}}}> : {SURFACE}, vector<{words}xi{register}>)""")
        elif message.access == "prefetch":
            arrays.append(numpy.zeros((8, 64), numpy.int32))
            body.append(
                f"\n  xevm.blockprefetch2d {place} <{{{size}, {shape}, v_blocks = {block.blocks} : i32}}> : {SURFACE})"
                + stored(number, "%loaded", 8, 32)
            )
        else:
            arrays.append(numpy.zeros((words, 64), f"i{register // 8}"))
            body.append(
                f"\n  %v{number} = xevm.blockload2d {place} <{{{size}, {shape}, {LOADS[message.access]}, "
                f"v_blocks = {block.blocks} : i32}}> : {SURFACE}) -> vector<{words}xi{register}>"
                + stored(number, f"%v{number}", words, register)
            )
        results[number] = Result(part)
    if first.access == "prefetch":
        dense = "\n  %loaded = arith.constant dense<7> : vector<8xi32>"
        body.insert(0, dense)
    return Program(kernel(arrays, "".join(body)), arrays, "k", results=results)


def _register(message: Message) -> int:
    """Bits of an element of what a lane holds."""
    if message.access == "load_packed":
        return 32
    if message.access == "load_transposed":
        return message.bits
    return max(message.bits, message.bits * message.block.columns // 16)


def _products(a: str, b: str, d: str, parts: Sequence[str]) -> Program:
    element, bits = ACCUMULATORS[d]
    wide = BITS[a] == 32
    word = 32 if wide else 16
    arrays = [_operand(a, word, 0), _operand(b, 32, 1), _operand(d, bits, 2)]
    results: dict[int, Result] = {}
    body: list[str] = []
    for number, part in enumerate(parts, 3):
        m = int(part.partition(" ")[0][2:])
        words = max(1, m // 2) if wide else m
        types, operands = (
            [f"vector<{words}xi{word}>", "vector<8xi32>"],
            [f"%a{number}w", f"%b{number}w"],
        )
        body += [loaded(0, words, word, operands[0]), loaded(1, 8, 32, operands[1])]
        if wide:
            for place, count in enumerate((words, 8)):
                body.append(
                    f"\n  {operands[place]}f = vector.bitcast {operands[place]} : {types[place]} to vector<{count}xf32>"
                )
                operands[place], types[place] = f"{operands[place]}f", f"vector<{count}xf32>"
        result = f"vector<{m}x{element}>"
        names = f"d = {d}, a = {a}, b = {b}"
        if "without" not in part:
            raw = f"vector<{m}xi{bits}>"
            body.append(loaded(2, m, bits, f"%c{number}w"))
            if raw != result:
                body.append(
                    f"\n  %c{number}f = vector.bitcast %c{number}w : {raw} to {result}"
                )
            operands.append(f"%c{number}{'w' if raw == result else 'f'}")
            types.append(result)
            names += f", c = {d}"
        k = 256 // BITS[a]
        body.append(
            f"\n  %d{number} = xevm.mma {', '.join(operands)} {{shape = <m = {m}, n = 16, k = {k}>, types = <{names}>}}"
            f" : ({', '.join(types)}) -> {result}"
        )
        value = f"%d{number}"
        if element != f"i{bits}":
            body.append(
                f"\n  %e{number} = vector.bitcast {value} : {result} to vector<{m}xi{bits}>"
            )
            value = f"%e{number}"
        arrays.append(numpy.zeros((m, 64), f"i{bits // 8}"))
        body.append(stored(number, value, m, bits))
        results[number] = Result(part, dtype=_DTYPES.get(d))
    return Program(kernel(arrays, "".join(body)), arrays, "k", results=results)


_DTYPES = {
    "f32": numpy.dtype(numpy.float32),
    "tf32": numpy.dtype(numpy.float32),
    "f16": numpy.dtype(numpy.float16),
    "bf16": numpy.dtype(ml_dtypes.bfloat16),
    "e5m2": numpy.dtype(ml_dtypes.float8_e5m2),
    "e4m3": numpy.dtype(ml_dtypes.float8_e4m3fn),
}


def _operand(type: str, word: int, seed: int) -> Array:
    """Eight rows of 64 words that hold numbers of a type."""
    random = numpy.random.default_rng(seed)
    if type in _DTYPES:
        dtype = _DTYPES[type]
        values = random.standard_normal((8, 64 * word // 8 // dtype.itemsize)).astype(dtype)
        return numpy.ascontiguousarray(values).view(f"i{word // 8}")
    return _random((8, 64), word)

"""One lane's view: registers of messages and matrix instructions, and what lanes compute together."""

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest
from support.lanes import lanes

from xetile.errors import XetileError
from xetile.interpreter.machine.runtime_values import Array

Run = Callable[..., None]


def pointer(name: str, memref: str) -> str:
    return f"""
    %{name}_index = memref.extract_aligned_pointer_as_index %{name} : {memref} -> index
    %{name}_address = arith.index_cast %{name}_index : index to i64
    %{name}_pointer = llvm.inttoptr %{name}_address : i64 to !llvm.ptr<1>
    """


def block_load(
    run: Run, source: Array, kind: str, result: str, properties: str, x: int = 0, y: int = 0
) -> Array:
    """What every lane has in registers after a message: [lane, register words]."""
    rows, columns = source.shape
    count, word = result.removeprefix("vector<").removesuffix(">").split("x")
    dtype = {"i8": np.int8, "i16": np.int16, "i32": np.int32}[word]
    target = np.zeros((16, int(count)), dtype)
    run(
        lanes(
            f"""
            {pointer("A", f"memref<{rows}x{columns}x{kind}>")}
            %w = arith.constant {columns * source.itemsize} : i32
            %h = arith.constant {rows} : i32
            %x = arith.constant {x} : i32
            %y = arith.constant {y} : i32
            %v = xevm.blockload2d %A_pointer, %w, %h, %w, %x, %y <{{{properties}}}>
                : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> {result}
            %lane = gpu.lane_id
            vector.store %v, %B[%lane, %i0] : memref<16x{count}x{word}>, {result}
            """,
            f"%A: memref<{rows}x{columns}x{kind}>, %B: memref<16x{count}x{word}>",
        ),
        source,
        target,
    )
    return target


def message(
    bits: int,
    height: int,
    width: int,
    blocks: int,
    *,
    packed: bool = False,
    transposed: bool = False,
) -> str:
    flags = f"transpose = {str(transposed).lower()}, pack_register = {str(packed).lower()}"
    return (
        f"elem_size_in_bits = {bits} : i32, tile_width = {width} : i32, tile_height = {height} : i32, "
        f"v_blocks = {blocks} : i32, {flags}"
    )


def test_plain_load_has_a_row_per_register(run: Run):
    source = np.arange(64 * 64, dtype=np.int16).reshape(64, 64)
    found = block_load(run, source, "i16", "vector<16xi16>", message(16, 8, 16, 2), x=4, y=3)
    for lane, register in np.ndindex(16, 16):
        block, row = divmod(register, 8)
        assert found[lane, register] == source[3 + row, 4 + block * 16 + lane]


def test_wide_bytes_come_in_pairs(run: Run):
    source = np.arange(64 * 64).reshape(64, 64).astype(np.int8)
    found = block_load(run, source, "i8", "vector<8xi16>", message(8, 8, 32, 1))
    for lane, row in np.ndindex(16, 8):
        low, high = (int(source[row, 2 * lane + part]) & 255 for part in range(2))
        assert int(found[lane, row]) & 0xFFFF == low | high << 8


@pytest.mark.parametrize("bits", [8, 16])
def test_packed_rows_share_a_word(run: Run, bits: int):
    dtype = {8: np.uint8, 16: np.uint16}[bits]
    source = np.arange(64 * 64).reshape(64, 64).astype(dtype)
    pack = 32 // bits
    words = 32 // pack * 2
    found = block_load(
        run, source, f"i{bits}", f"vector<{words}xi32>", message(bits, 32, 16, 2, packed=True)
    )
    for lane, register in np.ndindex(16, words):
        block, group = divmod(register, 32 // pack)
        parts = [
            int(source[group * pack + part, block * 16 + lane]) << bits * part
            for part in range(pack)
        ]
        assert int(found[lane, register]) & 0xFFFFFFFF == sum(parts)


def test_transposed_words(run: Run):
    source = np.arange(64 * 32, dtype=np.int32).reshape(64, 32)
    found = block_load(
        run, source, "i32", "vector<8xi32>", message(32, 16, 8, 1, transposed=True), x=8, y=16
    )
    for lane, register in np.ndindex(16, 8):
        assert found[lane, register] == source[16 + lane, 8 + register]


def test_what_is_outside_of_the_surface_is_zero(run: Run):
    source = np.arange(1, 64 * 10 + 1, dtype=np.int16).reshape(10, 64)
    found = block_load(run, source, "i16", "vector<8xi16>", message(16, 8, 16, 1), x=56, y=-3)
    for lane, row in np.ndindex(16, 8):
        inside = lane < 8 and row >= 3
        assert found[lane, row] == (source[row - 3, 56 + lane] if inside else 0)


def test_store_puts_registers_back(run_at_place: Run):
    target = np.zeros((10, 32), np.float32)
    run_at_place(
        lanes(
            f"""
            {pointer("A", "memref<10x32xf32>")}
            %h = arith.constant 10 : i32
            %lane = gpu.lane_id
            %l = arith.index_cast %lane : index to i32
            %f = arith.sitofp %l : i32 to f32
            %rows = arith.constant dense<[0.0, 100.0, 200.0, 300.0]> : vector<4xf32>
            %b = vector.broadcast %f : f32 to vector<4xf32>
            %v = arith.addf %b, %rows : vector<4xf32>
            %x = arith.constant 20 : i32
            xevm.blockstore2d %A_pointer, %c128, %h, %c128, %x, %c8, %v
                <{{elem_size_in_bits = 32 : i32, tile_width = 16 : i32, tile_height = 4 : i32}}>
                : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<4xf32>)
            """,
            "%A: memref<10x32xf32>",
        ),
        target,
    )
    expected = np.zeros((10, 32), np.float32)
    for row, lane in np.ndindex(2, 12):
        expected[8 + row, 20 + lane] = lane + 100 * row
    np.testing.assert_array_equal(target, expected)


MMA = {
    "bf16": (16, "bf16", "f32", "8xi16", "8xi32", ml_dtypes.bfloat16, np.float32),
    "f16": (16, "f16", "f16", "8xi16", "8xi32", np.float16, np.float16),
    "s8": (32, "s8", "s32", "8xi16", "8xi32", np.int8, np.int32),
    "u8": (32, "u8", "s32", "8xi16", "8xi32", np.uint8, np.int32),
    "tf32": (8, "tf32", "f32", "4xf32", "8xf32", np.float32, np.float32),
}
IR_TYPES = {
    "bf16": "bf16",
    "f16": "f16",
    "s8": "i8",
    "u8": "i8",
    "tf32": "f32",
    "s32": "i32",
    "f32": "f32",
}


@pytest.mark.parametrize("accumulate", [True, False])
@pytest.mark.parametrize("kind", MMA)
def test_matrix_instruction(run_at_place: Run, kind: str, accumulate: bool):
    """Operands come in by block messages, whose registers are those that the instruction takes."""
    depth, name, result, a_type, b_type, dtype, accumulator = MMA[kind]
    rng = np.random.default_rng(5)
    a, b = rng.integers(
        -9 if kind[0] != "u" else 200, 9 if kind[0] != "u" else 255, (2, 64, 64)
    ).astype(dtype)
    target = rng.integers(-5, 5, (8, 64)).astype(accumulator)
    bits, size = 8 * np.dtype(dtype).itemsize, np.dtype(dtype).itemsize
    acc_bits = 8 * np.dtype(accumulator).itemsize
    acc = IR_TYPES[result]
    element, word = IR_TYPES[name], a_type.split("x")[1]
    a_load = f"vector<{a_type if word != 'f32' else '4xi32'}>"
    b_load = "vector<8xi32>"
    retype = (
        f"%a = vector.bitcast %al : {a_load} to vector<{a_type}>\n"
        f"%b = vector.bitcast %bl : {b_load} to vector<{b_type}>"
    )
    c_operand, c_type, c_name = (
        (", %c", f", vector<8x{acc}>", f", c = {result}") if accumulate else ("", "", "")
    )
    run_at_place(
        lanes(
            f"""
            {pointer("A", f"memref<64x64x{element}>")}
            {pointer("B", f"memref<64x64x{element}>")}
            {pointer("C", f"memref<8x64x{acc}>")}
            %w = arith.constant {64 * size} : i32
            %cw = arith.constant {64 * acc_bits // 8} : i32
            %al = xevm.blockload2d %A_pointer, %w, %c64, %w, %c0, %c0 <{{{message(bits, 8, depth, 1)}}}>
                : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> {a_load}
            %bl = xevm.blockload2d %B_pointer, %w, %c64, %w, %c0, %c0 <{{{message(bits, depth, 16, 1, packed=bits < 32)}}}>
                : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> {b_load}
            {retype}
            %cl = xevm.blockload2d %C_pointer, %cw, %c8, %cw, %c0, %c0 <{{{message(acc_bits, 8, 16, 1)}}}>
                : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi{acc_bits}>
            %c = vector.bitcast %cl : vector<8xi{acc_bits}> to vector<8x{acc}>
            %d = xevm.mma %a, %b{c_operand}
                {{shape = <m = 8, n = 16, k = {depth}>, types = <d = {result}, a = {name}, b = {name}{c_name}>}}
                : (vector<{a_type}>, vector<{b_type}>{c_type}) -> vector<8x{acc}>
            xevm.blockstore2d %C_pointer, %cw, %c8, %cw, %c0, %c0, %d
                <{{elem_size_in_bits = {acc_bits} : i32, tile_width = 16 : i32, tile_height = 8 : i32}}>
                : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8x{acc}>)
            """,
            f"%A: memref<64x64x{element}>, %B: memref<64x64x{element}>, %C: memref<8x64x{acc}>",
        ),
        a,
        b,
        (given := target.copy()),
    )
    wide = np.int64 if kind[1] == "8" else np.float64
    product = a[:8, :depth].astype(wide) @ b[:depth, :16].astype(wide)
    expected = target.copy()
    expected[:, :16] = product + (target[:, :16].astype(wide) if accumulate else 0)
    np.testing.assert_array_equal(given, expected)


def test_lanes_must_agree_on_a_message(run: Run):
    text = lanes(
        f"""
        {pointer("A", "memref<64x64xi16>")}
        %lane = gpu.lane_id
        %x = arith.index_cast %lane : index to i32
        xevm.blockprefetch2d %A_pointer, %c128, %c64, %c128, %x, %c0
            <{{elem_size_in_bits = 16 : i32, tile_width = 16 : i32, tile_height = 8 : i32, v_blocks = 1 : i32}}>
            : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
        """,
        "%A: memref<64x64xi16>",
    )
    with pytest.raises(
        XetileError, match="lanes of one subgroup give 0 and 1 for the same operand"
    ):
        run(text, np.zeros((64, 64), np.int16))


def test_all_lanes_must_reach_a_message(run: Run):
    text = lanes(
        f"""
        {pointer("A", "memref<64x64xi16>")}
        %lane = gpu.lane_id
        %i5 = arith.constant 5 : index
        %some = arith.cmpi ult, %lane, %i5 : index
        scf.if %some {{
          xevm.blockprefetch2d %A_pointer, %c128, %c64, %c128, %c0, %c0
              <{{elem_size_in_bits = 16 : i32, tile_width = 16 : i32, tile_height = 8 : i32, v_blocks = 1 : i32}}>
              : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
        }}
        """,
        "%A: memref<64x64xi16>",
    )
    with pytest.raises(XetileError, match="reached by some lanes of a subgroup only"):
        run(text, np.zeros((64, 64), np.int16))


def test_whole_subgroups_may_skip_a_message(run_at_place: Run):
    target = np.zeros((16, 32), np.float32)
    run_at_place(
        lanes(
            f"""
            {pointer("A", "memref<16x32xf32>")}
            %sg = gpu.subgroup_id : index
            %s = arith.index_cast %sg : index to i32
            %some = arith.cmpi ne, %s, %c0 : i32
            %x = arith.muli %s, %c8 : i32
            %v = arith.constant dense<1.0> : vector<1xf32>
            scf.if %some {{
              xevm.blockstore2d %A_pointer, %c128, %c16, %c128, %x, %s, %v
                  <{{elem_size_in_bits = 32 : i32, tile_width = 16 : i32, tile_height = 1 : i32}}>
                  : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<1xf32>)
            }}
            """,
            "%A: memref<16x32xf32>",
            items=48,
        ),
        target,
    )
    expected = np.zeros((16, 32), np.float32)
    expected[1, 8:24] = 1
    expected[2, 16:32] = 1
    np.testing.assert_array_equal(target, expected)


@pytest.mark.parametrize(
    "change, message_",
    [
        (("%c128, %c64, %c128, %c0", "%c128, %c64, %c64, %c0"), "pitch"),
        (("_pointer, %c128, %c64", "_pointer, %c32, %c64"), "rows of 32 bytes"),
        (("%c128, %c0, %c0", "%c128, %odd, %c0"), "a column offset of 2 bytes"),
        (("%A_pointer,", "%low,"), "a base at byte 32"),
    ],
)
def test_preconditions_of_messages(run: Run, change: tuple[str, str], message_: str):
    text = lanes(
        f"""
        {pointer("A", "memref<64x64xi16>")}
        %odd = arith.index_cast %one : index to i32
        %step = arith.constant 32 : i64
        %next = arith.addi %A_address, %step : i64
        %low = llvm.inttoptr %next : i64 to !llvm.ptr<1>
        %v = xevm.blockload2d %A_pointer, %c128, %c64, %c128, %c0, %c0 <{{{message(16, 8, 16, 1)}}}>
            : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
        """,
        "%A: memref<64x64xi16>, %one: index",
    )
    source = np.zeros((64, 64), np.int16)
    run(text, source, 1)
    pattern = message_
    text = text.replace(
        "%c64 = arith.constant 64 : i32", "%c64 = arith.index_cast %sixty : index to i32"
    )
    text = text.replace("%one: index", "%one: index, %sixty: index")
    with pytest.raises(XetileError, match=pattern) as caught:
        run(text.replace(*change), source, 1, 64)
    assert caught.value.location is not None


def test_ids_of_xevm(run: Run):
    names = [
        "local_id.x",
        "local_size.x",
        "group_id.x",
        "group_count.x",
        "lane_id",
        "subgroup_id",
        "subgroup_size",
    ]
    body = "\n".join(f"%v{n} = xevm.{name} : i32" for n, name in enumerate(names))
    values = ", ".join(f"%v{n}" for n in range(len(names)))
    target = np.zeros((32, 7), np.int32)
    run(
        lanes(
            f"""
            {body}
            %all = vector.from_elements {values} : vector<7xi32>
            %x = gpu.thread_id x
            vector.store %all, %A[%x, %i0] : memref<32x7xi32>, vector<7xi32>
            """,
            "%A: memref<32x7xi32>",
            items=32,
        ),
        target,
    )
    for item in range(32):
        assert target[item].tolist() == [item, 32, 0, 1, item % 16, item // 16, 16]

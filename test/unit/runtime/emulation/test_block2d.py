"""2D block messages on the device and at level V, held against the extensions' text as the tests read it."""

from itertools import product
from typing import Any

import numpy
import pytest
from numpy.typing import NDArray
from support.builtin_runs import Blocks, empty_registers
from support.builtins_reference import Surface, read, written
from support.emission import ACTIONS, Block, blocks, payload_accesses
from support.lanes import lanes

from xetile.dialects.modules import parse
from xetile.interpreter import execute
from xetile.layout.intel.message_layouts import Access
from xetile.passes.xe.convert_xevm_to_llvm.builtins import BlockShape
from xetile.runtime.open_device import Device
from xetile.targets.xe.messages import verified

Array = NDArray[Any]

WIDTH, HEIGHT, PITCH = 272, 37, 320
"""No power of two, and whole elements of all sizes; what lies between width and pitch is no part of the surface."""

FAR = 1 << 31


def surface() -> Surface:
    random = numpy.random.default_rng(3)
    memory = random.integers(1, 256, HEIGHT * PITCH).astype(numpy.uint8)
    return Surface(memory, WIDTH, HEIGHT, PITCH)


def places(block: Block) -> list[tuple[int, int]]:
    """Inside, across every edge and corner, beyond every edge, and as far as coordinates go."""
    bits, rows, columns, count = block.shape
    step = max(1, 32 // bits)
    whole = WIDTH * 8 // bits
    across = columns * count
    xs = {0, step, -step, -across, whole, whole - step, (whole - across) // step * step}
    ys = {0, 3, -1, -rows, 1 - rows, HEIGHT, HEIGHT - 1, HEIGHT - rows}
    edges = {(x, 3) for x in xs} | {(step, y) for y in ys}
    corners = set(product((-step, whole - step), (-1, HEIGHT - 1)))
    far = {(-FAR, 0), (FAR - 4, 0), (0, -FAR), (0, FAR - 1), (FAR - 4, FAR - 1)}
    return sorted(edges | corners | far)


def few(block: Block) -> list[tuple[int, int]]:
    """Inside, across the first corner and across the last: functions with a cache option are the others' twins."""
    step = max(1, 32 // block.shape.bits)
    whole = WIDTH * 8 // block.shape.bits
    return [(step, 3), (-step, -1), (whole - step, HEIGHT - 1)]


def defined(*actions: str) -> list[Block]:
    """All messages but those that IGC has otherwise than the extension."""
    return [
        block
        for block in blocks()
        if block.action in actions
        and not (
            block.action == "read_transpose"
            and block.shape.bits == 64
            and block.shape.rows < 16
            and block.shape.columns > 2
        )
    ]


READS = ("read", "read_transform", "read_transpose")


@pytest.mark.opencl
@pytest.mark.parametrize("cached", [False, True], ids=["", "cached"])
def test_reads(opencl_cpu: Device, cached: bool) -> None:
    """Every one that a device compiles or xevm's verifier takes, at all edges; nothing behind the registers changes."""
    messages = defined(*READS)
    program = Blocks(opencl_cpu, messages, cached=cached)
    given = surface()
    table = [
        (n, x, y)
        for n, block in enumerate(messages)
        for x, y in (few(block) if cached else places(block))
    ]
    found, memory = program.run(given, table, empty_registers(len(table)))
    for (n, x, y), registers in zip(table, found, strict=True):
        expected = read(messages[n], given, x, y)
        bytes = expected.shape[1]
        assert (registers[:, :bytes] == expected).all(), (messages[n], x, y)
        assert (registers[:, bytes:] == 0xCD).all(), messages[n]
    assert (memory[0] == given.memory).all()


@pytest.mark.opencl
@pytest.mark.parametrize("cached", [False, True], ids=["", "cached"])
def test_writes(opencl_cpu: Device, cached: bool) -> None:
    """The same for writes: what is outside is dropped, and no byte beside the block changes."""
    messages = defined("write")
    program = Blocks(opencl_cpu, messages, cached=cached)
    given = surface()
    random = numpy.random.default_rng(5)
    for n, block in enumerate(messages):
        table = [(n, x, y) for x, y in (few(block) if cached else places(block))]
        registers = random.integers(1, 256, empty_registers(len(table)).shape)
        registers = registers.astype(numpy.uint8)
        found, memory = program.run(given, table, registers, own_surfaces=True)
        assert (found == registers).all()
        for (_, x, y), held, left in zip(table, registers, memory, strict=True):
            assert (left == written(block, given, x, y, held)).all(), (block, x, y)


@pytest.mark.opencl
def test_reads_through_payloads(opencl_cpu: Device) -> None:
    """A payload lies left of and above the place; lanes have elements in the order of registers."""
    messages = payload_accesses("read")
    program = Blocks(opencl_cpu, messages, through_payloads=True)
    given = surface()
    table = [(n, x, y) for n, block in enumerate(messages) for x, y in places(block)]
    found, memory = program.run(given, table, empty_registers(len(table)))
    for (n, x, y), registers in zip(table, found, strict=True):
        expected = read(messages[n], given, x, y, in_order=True)
        bytes = expected.shape[1]
        assert (registers[:, :bytes] == expected).all(), (messages[n], x, y)
        assert (registers[:, bytes:] == 0xCD).all(), messages[n]
    assert (memory[0] == given.memory).all()


@pytest.mark.opencl
def test_writes_through_payloads(opencl_cpu: Device) -> None:
    messages = payload_accesses("write")
    program = Blocks(opencl_cpu, messages, through_payloads=True)
    given = surface()
    random = numpy.random.default_rng(6)
    for n, block in enumerate(messages):
        table = [(n, x, y) for x, y in places(block)]
        registers = random.integers(1, 256, empty_registers(len(table)).shape)
        registers = registers.astype(numpy.uint8)
        _, memory = program.run(given, table, registers, own_surfaces=True)
        for (_, x, y), held, left in zip(table, registers, memory, strict=True):
            expected = written(block, given, x, y, held, in_order=True)
            assert (left == expected).all(), (block, x, y)


VERIFIED: list[tuple[Access, int]] = [
    (access, bits)
    for access in ("load", "load_packed", "load_transposed")
    for bits in (8, 16, 32)
    if verified(access, bits)
]


@pytest.mark.parametrize(("access", "bits"), VERIFIED, ids=lambda part: str(part))
def test_reads_at_level_v(access: Access, bits: int) -> None:
    """The interpreter's `xevm.blockload2d`, where xevm's verifier takes it and every lane holds whole words."""
    given = surface()
    for one in verified(access, bits):
        block = Block(ACTIONS[access], BlockShape(bits, one.rows, one.columns, one.blocks))
        for x, y in few(block):
            expected = read(block, given, x, y)
            if expected.size * 8 != bits * one.rows * one.columns * one.blocks:
                continue
            word = block.register_bits
            assert word is not None
            count = expected.shape[1] * 8 // word
            found = numpy.zeros((16, count), f"i{word // 8}")
            memory = given.memory.reshape(HEIGHT, PITCH).view(numpy.int8)
            execute(parse(load_kernel(block, word, count, x, y)), None, [memory, found])
            assert (found.view(numpy.uint8) == expected).all(), (block, x, y)


def load_kernel(block: Block, word: int, count: int, x: int, y: int) -> str:
    bits, rows, columns, blocks = block.shape
    flags = (
        f"transpose = {str(block.action == 'read_transpose').lower()}, "
        f"pack_register = {str(block.action == 'read_transform').lower()}"
    )
    return lanes(
        f"""
        {head("A", f"memref<{HEIGHT}x{PITCH}xi8>", x, y)}
        %v = xevm.blockload2d %A_pointer, %w, %h, %p, %x, %y
            <{{elem_size_in_bits = {bits} : i32, tile_width = {columns} : i32, tile_height = {rows} : i32,
              v_blocks = {blocks} : i32, {flags}}}>
            : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<{count}xi{word}>
        %lane = gpu.lane_id
        vector.store %v, %B[%lane, %i0] : memref<16x{count}xi{word}>, vector<{count}xi{word}>
        """,
        f"%A: memref<{HEIGHT}x{PITCH}xi8>, %B: memref<16x{count}xi{word}>",
    )


def head(name: str, memref: str, x: int, y: int) -> str:
    return f"""
        %index = memref.extract_aligned_pointer_as_index %{name} : {memref} -> index
        %address = arith.index_cast %index : index to i64
        %{name}_pointer = llvm.inttoptr %address : i64 to !llvm.ptr<1>
        %w = arith.constant {WIDTH} : i32
        %h = arith.constant {HEIGHT} : i32
        %p = arith.constant {PITCH} : i32
        %x = arith.constant {x} : i32
        %y = arith.constant {y} : i32
        """


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_writes_at_level_v(bits: int) -> None:
    """The same for `xevm.blockstore2d`."""
    given = surface()
    random = numpy.random.default_rng(5)
    for one in verified("store", bits):
        block = Block("write", BlockShape(bits, one.rows, one.columns, one.blocks))
        word = block.register_bits
        assert word is not None
        count = bits * one.rows * one.columns // 16 // word
        type = f"vector<{count}xi{word}>"
        for x, y in few(block):
            registers = random.integers(-100, 100, (16, count)).astype(f"i{word // 8}")
            text = lanes(
                f"""
                {head("A", f"memref<{HEIGHT}x{PITCH}xi8>", x, y)}
                %lane = gpu.lane_id
                %v = vector.load %B[%lane, %i0] : memref<16x{count}xi{word}>, {type}
                xevm.blockstore2d %A_pointer, %w, %h, %p, %x, %y, %v
                    <{{elem_size_in_bits = {bits} : i32, tile_width = {one.columns} : i32,
                      tile_height = {one.rows} : i32}}>
                    : (!llvm.ptr<1>, i32, i32, i32, i32, i32, {type})
                """,
                f"%A: memref<{HEIGHT}x{PITCH}xi8>, %B: memref<16x{count}xi{word}>",
            )
            memory = given.memory.copy().reshape(HEIGHT, PITCH).view(numpy.int8)
            execute(parse(text), None, [memory, registers])
            expected = written(block, given, x, y, registers)
            assert (memory.view(numpy.uint8).reshape(-1) == expected).all(), (block, x, y)

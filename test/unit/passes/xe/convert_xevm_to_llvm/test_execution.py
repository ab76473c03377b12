"""What L computes, by running its LLVM IR on the host with stand-ins for Intel's builtins."""

import ctypes
import re
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy
import pytest
from llvmlite import binding
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from xetile.codegen.llvm_ir import convert_module
from xetile.dialects.modules import parse
from xetile.passes.xe.convert_xevm_to_llvm import ConvertXeVMToLLVM

Array = NDArray[Any]

GROUP, SUBGROUP = 3, 5
LOG = 64

ROUNDED = """(<8 x float> %x) {
 %b = bitcast <8 x float> %x to <8 x i32>
 %h = lshr <8 x i32> %b, splat (i32 16)
 %o = and <8 x i32> %h, splat (i32 1)
 %n = add <8 x i32> %o, splat (i32 32767)
 %s = add <8 x i32> %b, %n
 %r = lshr <8 x i32> %s, splat (i32 16)
 %q = or <8 x i32> %h, splat (i32 64)
 %u = fcmp uno <8 x float> %x, %x
 %c = select <8 x i1> %u, <8 x i32> %q, <8 x i32> %r
 %t = trunc <8 x i32> %c to <8 x i16>
 ret <8 x i16> %t
}"""
SATURATED = """(<8 x float> %x) {
 %r = call <8 x i32> @llvm.fptosi.sat.v8i32.v8f32(<8 x float> %x)
 ret <8 x i32> %r
}
declare <8 x i32> @llvm.fptosi.sat.v8i32.v8f32(<8 x float>)"""
WIDENED = """(<8 x i16> %x) {
 %w = zext <8 x i16> %x to <8 x i32>
 %s = shl <8 x i32> %w, splat (i32 16)
 %r = bitcast <8 x i32> %s to <8 x float>
 ret <8 x float> %r
}"""

# Reads and writes copy the registers of one lane, to and from a place that y counts; prefetches note x and y.
STAND_INS = {
    "__builtin_IB_ftobf_8": ROUNDED,
    "__builtin_IB_bftof_8": WIDENED,
    "_Z16convert_int8_satDv8_f": SATURATED,
    "_Z12get_group_idj": f"(i32 %axis) {{\n %wide = zext i32 %axis to i64\n %id = add i64 %wide, {GROUP}\n ret i64 %id\n}}",
    "_Z16get_sub_group_idv": f"() {{\n ret i32 {SUBGROUP}\n}}",
    "__builtin_IB_subgroup_createBlock2DAddressPayload": """(i64 %a, i32 %b, i32 %c, i32 %d, i32 %x, i32 %y, i32 %e, i32 %f, i32 %g) {
 %n = load i32, ptr @payloads
 %next = add i32 %n, 1
 store i32 %next, ptr @payloads
 %px = getelementptr [64 x [2 x i32]], ptr @payload, i32 0, i32 %n, i32 0
 store i32 %x, ptr %px
 %py = getelementptr [64 x [2 x i32]], ptr @payload, i32 0, i32 %n, i32 1
 store i32 %y, ptr %py
 ret ptr %px
}""",
    "__builtin_IB_subgroup_setBlock2DAddressPayloadBlockX": "(ptr %p, i32 %x) {\n store i32 %x, ptr %p\n ret void\n}",
    "__builtin_IB_subgroup_setBlock2DAddressPayloadBlockY": """(ptr %p, i32 %y) {
 %q = getelementptr i32, ptr %p, i32 1
 store i32 %y, ptr %q
 ret void
}""",
    "__builtin_IB_subgroup_addBlock2DAddressPayloadBlockX": """(ptr %p, i32 %s) {
 %x = load i32, ptr %p
 %n = add i32 %x, %s
 store i32 %n, ptr %p
 ret void
}""",
    "__builtin_IB_subgroup_addBlock2DAddressPayloadBlockY": """(ptr %p, i32 %s) {
 %q = getelementptr i32, ptr %p, i32 1
 %y = load i32, ptr %q
 %n = add i32 %y, %s
 store i32 %n, ptr %q
 ret void
}""",
}
NOTE = """
 %n = load i32, ptr @count
 %next = add i32 %n, 1
 store i32 %next, ptr @count
 %lx = getelementptr [64 x [2 x i32]], ptr @log, i32 0, i32 %n, i32 0
 store i32 %x, ptr %lx
 %ly = getelementptr [64 x [2 x i32]], ptr @log, i32 0, i32 %n, i32 1
 store i32 %y, ptr %ly
 ret void
}"""
GLOBALS = """
@count = global i32 0
@payloads = global i32 0
@log = global [64 x [2 x i32]] zeroinitializer
@payload = global [64 x [2 x i32]] zeroinitializer
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""


def stand_in(name: str) -> str:
    if name in STAND_INS:
        return STAND_INS[name]
    if "_ap_prefetch_" in name:
        return f"(ptr %p, i32 %a, i32 %b, i32 %c) {{\n %x = load i32, ptr %p\n %q = getelementptr i32, ptr %p, i32 1\n %y = load i32, ptr %q{NOTE}"
    head = "(ptr addrspace(1) %p, i32 %a, i32 %b, i32 %c, <2 x i32> %xy"
    place = " %x = extractelement <2 x i32> %xy, i32 0\n %y = extractelement <2 x i32> %xy, i32 1\n"
    if "prefetch" in name:
        return f"{head}) {{\n{place}{NOTE}"
    found = re.search(r"_(\d+)b_(\d+)r(\d+)x(\d+)c", name)
    assert found is not None, name
    bits, rows, columns, blocks = map(int, found.groups())
    size = bits * rows * columns * blocks // 128
    option = ", i32 %o" if name.startswith("__internal") else ""
    copy = "ptr %m, ptr %g" if "read" in name else "ptr %g, ptr %m"
    return f"""{head}, ptr %m{option}) {{
{place} %o64 = zext i32 %y to i64
 %bytes = mul i64 %o64, {size}
 %h = addrspacecast ptr addrspace(1) %p to ptr
 %g = getelementptr i8, ptr %h, i64 %bytes
 call void @llvm.memcpy.p0.p0.i64({copy}, i64 {size}, i1 false)
 ret void
}}"""


def lowered(text: str) -> ModuleOp:
    module = parse(text, "kernel.mlir")
    module.verify()
    ConvertXeVMToLLVM().apply(Context(), module)
    module.verify()
    return module


def kernel(body: str, arguments: str, attributes: str = "") -> str:
    return f"""gpu.module @m {{
  gpu.func @k({arguments}) kernel attributes {{{attributes}}} {{
    {body}
    gpu.return
  }}
}}"""


def run(text: str, *arrays: Array | int) -> list[tuple[int, int]]:
    """Run one lane of a kernel on the host; arrays change in place. What was prefetched, as (x, y)."""
    code = str(convert_module(lowered(text)))
    code = code.replace("spir_kernel", "").replace("spir_func", "")
    left_out = r"( !\w+ !\d+)+$|^!\d+ = .*$|^target .*$|^.*@\"llvm.spv.loop.merge\".*$"
    code = re.sub(left_out, "", code, flags=re.MULTILINE)

    def define(found: re.Match[str]) -> str:
        return f"define {found.group(1)} @{found.group(2)}{stand_in(found.group(2))}"

    code = (
        re.sub(
            r'^declare +(<.*?>|\S+) @"(\w+)"\(.*\)(?: convergent)?$',
            define,
            code,
            flags=re.MULTILINE,
        )
        + GLOBALS
    )
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    module = binding.parse_assembly(code)
    module.triple = binding.get_process_triple()
    module.verify()
    machine = binding.Target.from_triple(module.triple).create_target_machine(opt=1)
    engine = binding.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    values = [a.ctypes.data if isinstance(a, numpy.ndarray) else a for a in arrays]
    ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * len(values))(engine.get_function_address("k"))(
        *values
    )
    count = ctypes.c_int32.from_address(engine.get_global_value_address("count")).value
    log = (ctypes.c_int32 * (2 * LOG)).from_address(engine.get_global_value_address("log"))
    return [(log[2 * i], log[2 * i + 1]) for i in range(count)]


SURFACE = "(!llvm.ptr<1>, i32, i32, i32, i32, i32"


def pointer(name: str) -> str:
    """`%p_NAME`, from an argument that is an address."""
    return f"%p_{name} = llvm.inttoptr %{name} : i64 to !llvm.ptr<1>"


def write(
    name: str, value: str, type: str, place: str = "%c0_i32", *, rows: int = 8, bits: int = 32
) -> str:
    return (
        f"xevm.blockstore2d %p_{name}, %c64_i32, %c64_i32, %c64_i32, %c0_i32, {place}, {value} <{{elem_size_in_bits = "
        f"{bits} : i32, tile_height = {rows} : i32, tile_width = 16 : i32}}> : {SURFACE}, {type})"
    )


def read(
    name: str,
    type: str,
    *,
    bits: int,
    rows: int,
    columns: int,
    blocks: int,
    packed: bool = False,
) -> str:
    return (
        f"xevm.blockload2d %p_{name}, %c64_i32, %c64_i32, %c64_i32, %c0_i32, %c0_i32 <{{elem_size_in_bits = {bits} : i32, "
        f"pack_register = {str(packed).lower()}, tile_height = {rows} : i32, tile_width = {columns} : i32, transpose = "
        f"false, v_blocks = {blocks} : i32}}> : {SURFACE}) -> {type}"
    )


CONSTANTS = "\n".join(
    [f"%c{n}_i32 = arith.constant {n} : i32" for n in (0, 1, 2, 3, 64)]
    + [f"%c{n} = arith.constant {n} : index" for n in (0, 1, 2, 3, 4, 7, 10, 64)]
)


def results(
    body: str, value: str, type: str, numpy_type: str, *inputs: Array, rows: int = 8
) -> Array:
    """What a kernel stores, that computes a vector of 8 elements; inputs are addresses %a, %b, ..."""
    names = "abcdef"[: len(inputs)]
    pointers = "\n".join(pointer(name) for name in (*names, "out"))
    bits = 8 * numpy.dtype(numpy_type).itemsize
    text = (
        f"{CONSTANTS}\n{pointers}\n{body}\n{write('out', value, type, rows=rows, bits=bits)}"
    )
    out = numpy.zeros(rows, numpy_type)
    run(kernel(text, ", ".join(f"%{name}: i64" for name in (*names, "out"))), *inputs, out)
    return out


def test_registers_are_selected_from_what_a_load_left():
    registers = numpy.arange(64, dtype=numpy.int16)
    load = read("a", "vector<64xi16>", bits=16, rows=32, columns=16, blocks=2)
    pick = "%r = vector.shuffle %v, %v [{}] : vector<64xi16>, vector<64xi16>"
    for places in (
        range(40, 48),
        range(60, 52, -1),
        range(0, 64, 8),
        (3, 4, 5, 6, 7, 8, 9, 10),
    ):
        body = f"%v = {load}\n{pick.format(', '.join(map(str, places)))}"
        assert list(results(body, "%r", "vector<8xi16>", "int16", registers)) == list(places)


def test_registers_of_two_loads_are_interleaved():
    a, b = numpy.arange(8, dtype=numpy.int16), numpy.arange(8, dtype=numpy.int16) + 100
    loads = [read(n, "vector<8xi16>", bits=16, rows=8, columns=16, blocks=1) for n in "ab"]
    body = f"""%v = {loads[0]}
    %w = {loads[1]}
    %r = vector.shuffle %v, %w [0, 8, 1, 9, 2, 10, 3, 11] : vector<8xi16>, vector<8xi16>"""
    expected = [0, 100, 1, 101, 2, 102, 3, 103]
    assert list(results(body, "%r", "vector<8xi16>", "int16", a, b)) == expected


def test_what_is_selected_is_as_many_chunks_as_any_vector():
    a, b = numpy.arange(8, dtype=numpy.int32), numpy.arange(8, dtype=numpy.int32) + 100
    loads = [read(n, "vector<8xi32>", bits=32, rows=8, columns=16, blocks=1) for n in "ab"]
    order = [place for i in range(8) for place in (i, 8 + i)] + [0, 9, 2, 11]
    places = ", ".join(map(str, order))
    body = f"""%v = {loads[0]}
    %w = {loads[1]}
    %m = vector.shuffle %v, %w [{places}] : vector<8xi32>, vector<8xi32>
    %d = arith.constant dense<1000> : vector<20xi32>
    %s = arith.addi %m, %d : vector<20xi32>
    %r = vector.shuffle %s, %s [0, 3, 7, 8, 13, 16, 17, 19] : vector<20xi32>, vector<20xi32>"""
    expected = (numpy.concatenate([a, b])[order] + 1000)[[0, 3, 7, 8, 13, 16, 17, 19]]
    assert list(results(body, "%r", "vector<8xi32>", "int32", a, b)) == list(expected)


@pytest.mark.parametrize(
    ("source", "result", "start"),
    [
        ("vector<32xi32>", "vector<64xi16>", 20),
        ("vector<64xi16>", "vector<32xi32>", 9),
        ("vector<32xi32>", "vector<128xi8>", 77),
    ],
)
def test_loaded_bits_as_other_types(source: str, result: str, start: int):
    registers = numpy.random.default_rng(1).integers(-(2**31), 2**31, 32).astype(numpy.int32)
    places = ", ".join(str(start + i) for i in range(8))
    element = result[:-1].partition("x")[2]
    load = read("a", source, bits=16, rows=32, columns=16, blocks=2, packed="i32" in source)
    body = f"""%v = {load}
    %w = vector.bitcast %v : {source} to {result}
    %r = vector.shuffle %w, %w [{places}] : {result}, {result}"""
    name = {"i8": "int8", "i16": "int16", "i32": "int32"}[element]
    expected = registers.view(name)[start : start + 8]
    assert list(results(body, "%r", f"vector<8x{element}>", name, registers)) == list(expected)


def test_computed_bits_as_other_types():
    a = numpy.arange(8, dtype=numpy.int32) * 0x01020304
    body = f"""%v = {read("a", "vector<8xi32>", bits=32, rows=8, columns=16, blocks=1)}
    %s = arith.addi %v, %v : vector<8xi32>
    %w = vector.bitcast %s : vector<8xi32> to vector<16xi16>
    %e = vector.shuffle %w, %w [1, 3, 5, 7, 9, 11, 13, 15] : vector<16xi16>, vector<16xi16>"""
    expected = (a + a).view(numpy.int16)[1::2]
    assert list(results(body, "%e", "vector<8xi16>", "int16", a)) == list(expected)


def test_bits_as_other_types_are_computed_with():
    a = numpy.arange(8, dtype=numpy.int32) * 0x01020304
    body = f"""%v = {read("a", "vector<8xi32>", bits=32, rows=8, columns=16, blocks=1)}
    %s = arith.addi %v, %v : vector<8xi32>
    %w = vector.bitcast %s : vector<8xi32> to vector<16xi16>
    %d = arith.constant dense<1000> : vector<16xi16>
    %t = arith.addi %w, %d : vector<16xi16>
    %e = vector.shuffle %t, %t [1, 3, 5, 7, 9, 11, 13, 15] : vector<16xi16>, vector<16xi16>"""
    expected = ((a + a).view(numpy.int16) + numpy.int16(1000))[1::2]
    assert list(results(body, "%e", "vector<8xi16>", "int16", a)) == list(expected)


def test_single_elements():
    a = numpy.arange(64, dtype=numpy.int16) * 3
    body = f"""%v = {read("a", "vector<64xi16>", bits=16, rows=32, columns=16, blocks=2)}
    %e0 = vector.extract %v[13] : i16 from vector<64xi16>
    %at = gpu.block_id x
    %e1 = vector.extract %v[%at] : i16 from vector<64xi16>
    %far = arith.muli %at, %c10 : index
    %e2 = vector.extract %v[%far] : i16 from vector<64xi16>
    %t:4 = vector.to_elements %q : vector<4xi16>
    %f = vector.from_elements %e0, %e1, %e2, %t#3 : vector<4xi16>
    %g = vector.insert %e0, %f [1] : i16 into vector<4xi16>
    %h = vector.broadcast %e2 : i16 to vector<2xi16>
    %z = vector.insert_strided_slice %h, %base {{offsets = [3], strides = [1]}} : vector<2xi16> into vector<8xi16>
    %r = vector.insert_strided_slice %g, %z {{offsets = [4], strides = [1]}} : vector<4xi16> into vector<8xi16>"""
    body = body.replace(
        "%t:4",
        "%q = vector.extract_strided_slice %v {offsets = [20], sizes = [4], strides = [1]} : vector<64xi16> to vector<4xi16>\n%t:4",
    )
    body = f"%base = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : vector<8xi16>\n{body}"
    far = 3 * (GROUP * 10)
    assert list(results(body, "%r", "vector<8xi16>", "int16", a)) == [
        1,
        2,
        3,
        far,
        39,
        39,
        far,
        69,
    ]


FLOATS = numpy.array([1.5, -2.25, 0.0, -0.0, numpy.inf, numpy.nan, 3e38, 1e-40], numpy.float32)
OTHERS = numpy.array([2.0, -3.0, -0.0, 0.0, 1.0, 1.0, 3e38, -1e-40], numpy.float32)


def binary(operation: str, type: str = "vector<8xf32>") -> Array:
    body = f"""%v = {read("a", type, bits=32, rows=8, columns=16, blocks=1)}
    %w = {read("b", type, bits=32, rows=8, columns=16, blocks=1)}
    {operation}"""
    return results(body, "%r", "vector<8xf32>", "float32", FLOATS, OTHERS)


def same_bits(a: Array, b: Array) -> bool:
    nan = numpy.isnan(a) & numpy.isnan(b)
    return bool(numpy.all(nan | (a.view(numpy.int32) == b.view(numpy.int32))))


def test_float_arithmetic():
    with numpy.errstate(all="ignore"):
        assert same_bits(binary("%r = arith.addf %v, %w : vector<8xf32>"), FLOATS + OTHERS)
        assert same_bits(binary("%r = arith.divf %v, %w : vector<8xf32>"), FLOATS / OTHERS)
    assert same_bits(binary("%r = arith.negf %v : vector<8xf32>"), -FLOATS)
    assert same_bits(binary("%r = math.absf %v : vector<8xf32>"), abs(FLOATS))


def test_extremes_of_floats():
    zeros = numpy.where((FLOATS == 0) & (OTHERS == 0), numpy.float32(0.0), numpy.float32(1.0))
    with numpy.errstate(all="ignore"):
        high = numpy.where(zeros == 0, numpy.float32(0.0), numpy.maximum(FLOATS, OTHERS))
        low = numpy.where(zeros == 0, numpy.float32(-0.0), numpy.minimum(FLOATS, OTHERS))
    assert same_bits(binary("%r = arith.maximumf %v, %w : vector<8xf32>"), high)
    assert same_bits(binary("%r = arith.minimumf %v, %w : vector<8xf32>"), low)


def test_comparison_and_selection():
    operation = """%c = arith.cmpf ogt, %v, %w : vector<8xf32>
    %r = arith.select %c, %v, %w : vector<8xi1>, vector<8xf32>"""
    assert same_bits(binary(operation), numpy.where(FLOATS > OTHERS, FLOATS, OTHERS))
    operation = """%c = arith.cmpi ult, %c1, %at : index
    %r = arith.select %c, %v, %w : vector<8xf32>"""
    assert same_bits(binary("%at = gpu.block_id x\n" + operation), FLOATS)


def test_bf16_rounds_to_nearest_even():
    random = numpy.random.default_rng(5).standard_normal(2048).astype(numpy.float32)
    ties = (numpy.arange(2048, dtype=numpy.uint32) << 15 | 0x3F800000).view(numpy.float32)
    special = numpy.array(
        [numpy.nan, numpy.inf, -numpy.inf, -0.0, 3.4e38, 1e-45, -1e-45, 0.0], numpy.float32
    )
    for values in (*random.reshape(-1, 8)[:8], *ties.reshape(-1, 8)[:8], special):
        body = f"""%v = {read("a", "vector<8xf32>", bits=32, rows=8, columns=16, blocks=1)}
        %r = arith.truncf %v : vector<8xf32> to vector<8xbf16>"""
        found = results(body, "%r", "vector<8xbf16>", "int16", values).view(ml_dtypes.bfloat16)
        with numpy.errstate(all="ignore"):
            expected = values.astype(ml_dtypes.bfloat16)
        assert same_bits(found.astype(numpy.float32), expected.astype(numpy.float32))


def test_bf16_arithmetic_and_constants():
    a = numpy.array([1.0, 1.5, -2.0, 100.0, 0.1, 3.0, 7.0, 1e30], ml_dtypes.bfloat16)
    body = f"""%v = {read("a", "vector<8xbf16>", bits=16, rows=8, columns=16, blocks=1)}
    %c = arith.constant dense<1.1> : vector<8xbf16>
    %m = arith.mulf %v, %c : vector<8xbf16>
    %r = arith.extf %m : vector<8xbf16> to vector<8xf32>"""
    found = results(body, "%r", "vector<8xf32>", "float32", a)
    expected: Array = numpy.multiply(a, ml_dtypes.bfloat16(1.1)).astype(numpy.float32)
    assert same_bits(found, expected)


def test_numbers_and_floats():
    a = numpy.array([0, 1, -1, 7, -8, 2**31 - 1, -(2**31), 5], numpy.int32)
    body = f"""%v = {read("a", "vector<8xi32>", bits=32, rows=8, columns=16, blocks=1)}
    %s = arith.sitofp %v : vector<8xi32> to vector<8xf32>
    %u = arith.uitofp %v : vector<8xi32> to vector<8xf32>
    %r = arith.addf %s, %u : vector<8xf32>"""
    expected = a.astype(numpy.float32) + a.view(numpy.uint32).astype(numpy.float32)
    assert same_bits(results(body, "%r", "vector<8xf32>", "float32", a), expected)
    body = f"""%f = {read("a", "vector<8xf32>", bits=32, rows=8, columns=16, blocks=1)}
    %r = arith.fptosi %f : vector<8xf32> to vector<8xi32>"""
    floats = numpy.array([0.5, -0.5, 1.9, -1.9, 1e6, -1e6, 3e9, numpy.nan], numpy.float32)
    found = results(body, "%r", "vector<8xi32>", "int32", floats)
    assert list(found) == [0, 0, 1, -1, 10**6, -(10**6), 2**31 - 1, 0]


U4 = numpy.uint32
INTEGERS: dict[str, Callable[[Array, Array], Array]] = {
    "%r = arith.minui %v, %w : vector<8xi32>": lambda a, b: numpy.minimum(
        a.view(U4), b.view(U4)
    ),
    "%r = arith.maxsi %v, %w : vector<8xi32>": lambda a, b: numpy.maximum(a, b),
    "%r = arith.divui %v, %w : vector<8xi32>": lambda a, b: numpy.floor_divide(
        a.view(U4), b.view(U4)
    ),
    "%r = arith.remui %v, %w : vector<8xi32>": lambda a, b: numpy.mod(a.view(U4), b.view(U4)),
    "%r = arith.xori %v, %w : vector<8xi32>": lambda a, b: numpy.bitwise_xor(a, b),
    "%r = arith.shrsi %v, %s : vector<8xi32>": lambda a, b: numpy.right_shift(a, 3),
    "%r = arith.shrui %v, %s : vector<8xi32>": lambda a, b: numpy.right_shift(a.view(U4), 3),
    """%x = arith.extsi %v : vector<8xi32> to vector<8xi64>
    %r = arith.trunci %x : vector<8xi64> to vector<8xi32>""": lambda a, b: a,
}


@pytest.mark.parametrize("operation", INTEGERS)
def test_integer_arithmetic(operation: str):
    a = numpy.array([0, 1, -1, 7, -8, 2**31 - 1, -(2**31), 5], numpy.int32)
    b = numpy.array([3, -1, 2, 7, 5, -2, 10, 1], numpy.int32)
    body = f"""%v = {read("a", "vector<8xi32>", bits=32, rows=8, columns=16, blocks=1)}
    %w = {read("b", "vector<8xi32>", bits=32, rows=8, columns=16, blocks=1)}
    %s = arith.constant dense<3> : vector<8xi32>
    {operation}"""
    found = results(body, "%r", "vector<8xi32>", "int32", a, b)
    assert list(found) == list(INTEGERS[operation](a, b).view(numpy.int32))


def number(body: str, value: str, attributes: str = "", *arguments: int) -> int:
    """An index that a kernel computes; arguments are %x, %y."""
    names = "xy"[: len(arguments)]
    text = f"""{CONSTANTS}
    {pointer("out")}
    {body}
    %n = arith.index_cast {value} : index to i64
    %wide = vector.from_elements %n : vector<1xi64>
    %words = vector.bitcast %wide : vector<1xi64> to vector<2xi32>
    {write("out", "%words", "vector<2xi32>", rows=2)}"""
    out = numpy.zeros(1, numpy.int64)
    run(
        kernel(
            text,
            ", ".join(
                f"%{name}: {'i64' if name == 'out' else 'index'}" for name in (*names, "out")
            ),
            attributes,
        ),
        *arguments,
        out,
    )
    return int(out[0])


KNOWN = "known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 16, 16, 1>"


@pytest.mark.parametrize("attributes", ["", KNOWN])
def test_indices_are_right_in_either_width(attributes: str):
    body = """%b = gpu.block_id y
    %s = gpu.subgroup_id : index
    %row = arith.divui %s, %c4 : index
    %column = arith.remui %s, %c4 : index
    %far = arith.muli %b, %big : index
    %t = arith.addi %far, %row : index
    %r = arith.subi %t, %column : index"""
    body = f"%big = arith.constant 3000000000 : index\n{body}"
    assert (
        number(body, "%r", attributes)
        == (GROUP + 1) * 3000000000 + SUBGROUP // 4 - SUBGROUP % 4
    )


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("%r = arith.divui %x, %c4 : index", (3 << 40) // 4),
        ("%r = arith.remui %c10, %x : index", 10),
        ("%r = arith.maxsi %c10, %x : index", 3 << 40),
        ("%p = arith.cmpi ult, %x, %c64 : index\n%r = arith.select %p, %c7, %c3 : index", 3),
    ],
)
def test_what_meets_a_large_index_has_as_many_bits(body: str, value: int):
    assert number(body, "%r", KNOWN, 3 << 40) == value


def test_negative_indices():
    body = """%d = arith.subi %x, %c10 : index
    %q = arith.divsi %d, %c4 : index
    %m = arith.minsi %q, %c1 : index
    %p = arith.cmpi slt, %d, %c0 : index
    %r = arith.select %p, %m, %c7 : index"""
    assert number(body, "%r", "", 1) == -2
    assert number(body, "%r", "", 11) == 7


@pytest.mark.parametrize(
    ("body", "value"),
    [
        # An i1 is 0 or -1 to what counts it as signed.
        (
            "%o = arith.constant 1 : i8\n%t = arith.trunci %o : i8 to i1\n%r = arith.index_cast %t : i1 to index",
            -1,
        ),
        (
            "%o = arith.constant 1 : i8\n%t = arith.trunci %o : i8 to i1\n%r = arith.index_castui %t : i1 to index",
            1,
        ),
        (
            """%o = arith.constant 1 : i8
            %t = arith.trunci %o : i8 to i1
            %e = arith.extsi %t : i1 to i32
            %r = arith.index_cast %e : i32 to index""",
            -1,
        ),
        (
            """%o = arith.constant 1 : i8
            %t = arith.trunci %o : i8 to i1
            %f = arith.constant false
            %m = arith.minsi %t, %f : i1
            %r = arith.index_castui %m : i1 to index""",
            1,
        ),
        (
            """%p = arith.cmpi slt, %x, %c10 : index
            %e = arith.extsi %p : i1 to i64
            %r = arith.index_cast %e : i64 to index""",
            -1,
        ),
        # An index has 64 bits, also where 32 are kept.
        (
            """%b = gpu.block_id x
            %d = arith.subi %b, %c7 : index
            %w = arith.index_castui %d : index to i64
            %h = arith.constant 33 : i64
            %s = arith.shrsi %w, %h : i64
            %r = arith.index_cast %s : i64 to index""",
            -1,
        ),
    ],
)
def test_casts_of_negative_numbers(body: str, value: int):
    assert number(body, "%r", KNOWN, 3) == value


def test_loops_carry_and_return():
    body = """%r:3 = scf.for %k = %c1 to %x step %c3 iter_args(%s = %c0, %t = %c10, %u = %y) -> (index, index, index) {
      %s1 = arith.addi %s, %k : index
      %t1 = arith.addi %t, %c2 : index
      scf.yield %s1, %u, %t1 : index, index, index
    }
    %a = arith.muli %r#0, %c10 : index
    %b = arith.addi %a, %r#1 : index
    %c = arith.muli %b, %c64 : index
    %d = arith.addi %c, %r#2 : index"""
    for limit in (0, 1, 2, 9, 10):
        s, t, u = 0, 10, 7
        for k in range(1, limit, 3):
            s, t, u = s + k, u, t + 2
        assert number(body, "%d", "", limit, 7) == (s * 10 + t) * 64 + u


def test_branches():
    body = """%p = arith.cmpi ult, %x, %c4 : index
    %r = scf.if %p -> (index) {
      %q = arith.cmpi eq, %x, %c2 : index
      scf.if %q {
      }
      %d = arith.muli %x, %c10 : index
      scf.yield %d : index
    } else {
      scf.yield %c7 : index
    }"""
    assert [number(body, "%r", "", x) for x in (0, 2, 3, 4)] == [0, 20, 30, 7]


def test_loops_with_a_condition():
    body = """%r:2 = scf.while (%a = %x, %n = %c0) : (index, index) -> (index, index) {
      %p = arith.cmpi ugt, %a, %c1 : index
      scf.condition(%p) %a, %n : index, index
    } do {
    ^bb0(%a: index, %n: index):
      %h = arith.divui %a, %c2 : index
      %n1 = arith.addi %n, %c1 : index
      scf.yield %h, %n1 : index, index
    }"""
    assert [number(body, "%r#1", "", x) for x in (0, 1, 2, 9, 64)] == [0, 0, 1, 3, 6]


def test_loops_carry_vectors_of_any_length():
    load = read("a", "vector<64xi16>", bits=16, rows=32, columns=16, blocks=2)
    body = f"""%v = {load}
    %r = scf.for %k = %c0 to %c3 step %c1 iter_args(%w = %v) -> (vector<64xi16>) {{
      %s = arith.addi %w, %v : vector<64xi16>
      scf.yield %s : vector<64xi16>
    }}
    %e = vector.shuffle %r, %r [0, 9, 18, 27, 36, 45, 54, 63] : vector<64xi16>, vector<64xi16>"""
    a = numpy.arange(64, dtype=numpy.int16)
    assert list(results(body, "%e", "vector<8xi16>", "int16", a)) == [
        4 * x for x in range(0, 64, 9)
    ]


PREFETCH = f"<{{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32, v_blocks = 2 : i32}}> : {SURFACE})"


def prefetches(
    loop: str, *, before: str = "", x: str = "%x", y: str = "%y"
) -> list[tuple[int, int]]:
    message = f"xevm.blockprefetch2d %p_a, %c64_i32, %c64_i32, %c64_i32, {x}, {y} {PREFETCH}"
    text = f"{CONSTANTS}\n{pointer('a')}\n{before}\n{loop.replace('PREFETCH', message)}"
    return run(kernel(text, "%a: i64"), numpy.zeros(1, numpy.int64))


def test_prefetches_of_constant_steps_go_where_they_should():
    loop = """%r:2 = scf.for %k = %c3 to %c64 step %c10 iter_args(%ahead = %c7, %back = %c64) -> (index, index) {
      %twice = arith.muli %k, %c2 : index
      %sum = arith.addi %twice, %ahead : index
      %x = arith.index_cast %sum : index to i32
      %y = arith.index_cast %back : index to i32
      PREFETCH
      %ahead1 = arith.addi %c4, %ahead : index
      %back1 = arith.subi %back, %c1 : index
      scf.yield %ahead1, %back1 : index, index
    }"""
    rounds = range(len(range(3, 64, 10)))
    assert prefetches(loop) == [(2 * (3 + 10 * i) + 7 + 4 * i, 64 - i) for i in rounds]


def test_prefetches_of_other_steps_go_where_they_should():
    loop = """scf.for %k = %c0 to %c10 step %c1 {
      %square = arith.muli %k, %k : index
      %y = arith.index_cast %square : index to i32
      PREFETCH
    }"""
    before = "%b = gpu.block_id x\n%x = arith.index_cast %b : index to i32"
    assert prefetches(loop, before=before) == [(GROUP, k * k) for k in range(10)]


def test_prefetches_in_some_rounds_go_where_they_should():
    loop = """scf.for %k = %c0 to %c10 step %c1 {
      %odd = arith.remui %k, %c3 : index
      %p = arith.cmpi eq, %odd, %c1 : index
      scf.if %p {
        %x = arith.index_cast %k : index to i32
        PREFETCH
      }
    }"""
    assert prefetches(loop, y="%c3_i32") == [(k, 3) for k in range(10) if k % 3 == 1]


def test_prefetches_in_inner_loops_go_where_they_should():
    loop = """scf.for %j = %c0 to %c3 step %c1 {
      %y = arith.index_cast %j : index to i32
      scf.for %k = %j to %c4 step %c1 {
        %x = arith.index_cast %k : index to i32
        PREFETCH
      }
    }"""
    assert prefetches(loop) == [(k, j) for j in range(3) for k in range(j, 4)]

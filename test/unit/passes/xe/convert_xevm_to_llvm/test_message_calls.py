"""What `convert-xevm-to-llvm` calls, and what it refuses."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import FileLineColLoc, ModuleOp
from xdsl.dialects.llvm import ConstantOp

from xetile.analysis.ranges import infer_ranges
from xetile.codegen import emit
from xetile.dialects.modules import parse
from xetile.errors import XetileError
from xetile.passes.xe.convert_xevm_to_llvm import ConvertXeVMToLLVM
from xetile.passes.xe.convert_xevm_to_llvm.message_calls import row_reads

SOURCES = Path(__file__).parents[4] / "ir" / "passes" / "xe" / "convert-xevm-to-llvm"


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


SURFACE = "(!llvm.ptr<1>, i32, i32, i32, i32, i32"


def pointer(name: str) -> str:
    """`%p_NAME`, from an argument that is an address."""
    return f"%p_{name} = llvm.inttoptr %{name} : i64 to !llvm.ptr<1>"


def called(text: str) -> list[str]:
    return [
        str(op.properties["callee"]).removeprefix("@").strip('"')
        for op in lowered(text).walk()
        if op.name == "llvm.call"
    ]


def product(
    a: str,
    b: str,
    c: str,
    m: int,
    k: int,
    types: tuple[str, str, str],
    *,
    accumulate: bool = True,
) -> list[str]:
    operands, kinds = (
        "%a, %b, %c" if accumulate else "%a, %b",
        ", ".join(types if accumulate else types[:2]),
    )
    constants = "\n".join(
        f"%{name} = arith.constant dense<{'0.0' if 'f' in type else '0'}> : {type}"
        for name, type in zip("abc", types, strict=True)
    )
    last = f", c = {c}" if accumulate else ""
    shape = f"shape = <m = {m}, n = 16, k = {k}>, types = <d = {c}, a = {a}, b = {b}{last}>"
    return called(
        kernel(
            f"{constants}\n%d = xevm.mma {operands} {{{shape}}} : ({kinds}) -> {types[2]}", ""
        )
    )


@pytest.mark.parametrize(
    ("a", "b", "c", "m", "k", "types", "name"),
    [
        (
            "f16",
            "f16",
            "f32",
            8,
            16,
            ("8xi16", "8xi32", "8xf32"),
            "_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_sDv8_iDv8_f",
        ),
        (
            "f16",
            "f16",
            "f32",
            8,
            16,
            ("8xf16", "16xf16", "8xf32"),
            "_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_sDv8_iDv8_f",
        ),
        (
            "f16",
            "f16",
            "f16",
            4,
            16,
            ("4xi16", "8xi32", "4xf16"),
            "_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv4_sDv8_iDv4_Dh",
        ),
        (
            "bf16",
            "bf16",
            "bf16",
            8,
            16,
            ("8xi16", "8xi32", "8xbf16"),
            "_Z40intel_sub_group_bf16_bf16_matrix_mad_k16Dv8_sDv8_iS_",
        ),
        (
            "tf32",
            "tf32",
            "f32",
            8,
            8,
            ("4xf32", "8xf32", "8xf32"),
            "_Z39intel_sub_group_tf32_tf32_matrix_mad_k8Dv4_fDv8_fS0_",
        ),
        (
            "tf32",
            "tf32",
            "f32",
            1,
            8,
            ("1xf32", "8xf32", "1xf32"),
            "_Z39intel_sub_group_tf32_tf32_matrix_mad_k8fDv8_ff",
        ),
        (
            "s8",
            "s8",
            "s32",
            8,
            32,
            ("8xi16", "8xi32", "8xi32"),
            "_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_",
        ),
        (
            "u8",
            "s8",
            "s32",
            2,
            32,
            ("2xi16", "8xi32", "2xi32"),
            "_Z36intel_sub_group_u8_i8_matrix_mad_k32Dv2_tDv8_iDv2_i",
        ),
        (
            "s8",
            "u8",
            "s32",
            8,
            32,
            ("8xi16", "8xi32", "8xi32"),
            "_Z36intel_sub_group_i8_u8_matrix_mad_k32Dv8_sDv8_jDv8_i",
        ),
        (
            "u4",
            "u4",
            "s32",
            1,
            64,
            ("1xi16", "8xi32", "1xi32"),
            "_Z36intel_sub_group_u4_u4_matrix_mad_k64tDv8_ji",
        ),
    ],
)
def test_products(a: str, b: str, c: str, m: int, k: int, types: tuple[str, ...], name: str):
    vectors = tuple(f"vector<{type}>" for type in types)
    assert product(a, b, c, m, k, (vectors[0], vectors[1], vectors[2])) == [name]
    assert product(a, b, c, m, k, (vectors[0], vectors[1], vectors[2]), accumulate=False) == [
        name
    ]


def message(operation: str, control: str | None) -> str:
    """A kernel with one 2D block message."""
    kind = "store" if "store" in operation else "load"
    fields = {
        "elem_size_in_bits": "16 : i32",
        "tile_height": "8 : i32",
        "tile_width": "16 : i32",
    }
    if control is not None:
        fields["cache_control"] = f"#xevm.{kind}_cache_control<{control}>"
    if kind == "load":
        fields["v_blocks"] = "1 : i32"
    if operation == "blockload2d":
        fields |= {"pack_register": "false", "transpose": "false"}
    properties = ", ".join(f"{key} = {value}" for key, value in fields.items())
    value = ", %v" if kind == "store" else ""
    types = f"{SURFACE}{', vector<8xi16>' if kind == 'store' else ''})"
    result = " -> vector<8xi16>" if operation == "blockload2d" else ""
    made = "%r = " if result else ""
    body = f"""{pointer("a")}
    %v = arith.constant dense<0> : vector<8xi16>
    %w = arith.constant 64 : i32
    {made}xevm.{operation} %p_a, %w, %w, %w, %w, %w{value} <{{{properties}}}> : {types}{result}"""
    return kernel(body, "%a: i64")


@pytest.mark.parametrize(
    ("operation", "name"),
    [
        ("blockload2d", "_Z41intel_sub_group_2d_block_read_16b_8r16x1cPU3AS1viiiDv2_iPt"),
        ("blockstore2d", "_Z42intel_sub_group_2d_block_write_16b_8r16x1cPU3AS1viiiDv2_iPt"),
        (
            "blockprefetch2d",
            "_Z45intel_sub_group_2d_block_prefetch_16b_8r16x1cPU3AS1viiiDv2_i",
        ),
    ],
)
def test_messages_without_cache_control_are_opencl_builtins(operation: str, name: str):
    assert called(message(operation, None)) == [name]


def test_a_message_may_have_one_column():
    text = message("blockload2d", None).replace(
        "16 : i32, tile_height", "32 : i32, tile_height"
    )
    text = text.replace("tile_height = 8", "tile_height = 16").replace(
        "tile_width = 16", "tile_width = 1"
    )
    text = text.replace("-> vector<8xi16>", "-> vector<1xi32>")
    assert called(text) == ["_Z41intel_sub_group_2d_block_read_32b_16r1x1cPU3AS1viiiDv2_iPj"]


CACHED = [
    ("blockload2d", "L1uc_L2uc_L3uc", 1, ".uc.uc"),
    ("blockload2d", "L1c_L2c_L3uc", 3, ".ca.uc"),
    ("blockload2d", "L1s_L2uc_L3c", 6, ".st.ca"),
    ("blockload2d", "ir", 7, ".ri.ri"),
    ("blockprefetch2d", "L1uc_L2uc_L3c", 2, ".uc.ca"),
    ("blockstore2d", "L1wt_L2uc_L3wb", 4, ".wt.wb"),
    ("blockstore2d", "L1wb_L2uc_L3wb", 7, ".wb.wb"),
]


@pytest.mark.parametrize(("operation", "control", "number"), [row[:3] for row in CACHED])
def test_cache_control(operation: str, control: str, number: int):
    text = message(operation, control)
    word = {"blockload2d": "read", "blockstore2d": "write", "blockprefetch2d": "prefetch"}[
        operation
    ]
    name = f"__internal_intel_sub_group_2d_block_{word}_16b_8r16x1c_cache_controls"
    assert called(text) == [name]
    (call,) = [op for op in lowered(text).walk() if op.name == "llvm.call"]
    option = call.operands[-1].owner
    assert isinstance(option, ConstantOp)
    assert str(option.value) == f"{number} : i32"


@pytest.mark.ocloc
@pytest.mark.parametrize(
    ("operation", "control", "suffix"), [(row[0], row[1], row[3]) for row in CACHED]
)
def test_cache_control_in_the_assembly(operation: str, control: str, suffix: str):
    text = emit(lowered(message(operation, control)), "asm", "bmg")
    assert isinstance(text, str)
    assert f"_block2d.ugm.d16.a64{suffix}" in text


def test_cache_control_without_a_message():
    error = refusal(message("blockstore2d", "L1wb_L2uc_L3uc"))
    assert (
        "cache_control L1wb_L2uc_L3uc has no message; expected L1uc with L3uc, "
        in error.message
    )


@pytest.mark.parametrize(("blocks", "payload"), [(1, True), (2, False), (4, False)])
def test_wide_prefetches_take_no_payload(blocks: int, payload: bool):
    """More than 64 bytes of a row are a message of cri alone, which has no function with a payload."""
    body = f"""{pointer("a")}
    %w = arith.constant 4096 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %k = %c0 to %c4 step %c1 {{
      xevm.blockprefetch2d %p_a, %w, %w, %w, %w, %w <{{elem_size_in_bits = 32 : i32, tile_height = 8 : i32,
          tile_width = 16 : i32, v_blocks = {blocks} : i32}}> : {SURFACE})
    }}"""
    plain = f"_Z45intel_sub_group_2d_block_prefetch_32b_8r16x{blocks}cPU3AS1viiiDv2_i"
    assert (plain in called(kernel(body, "%a: i64"))) is not payload


ROW = {
    "x": "%x",
    "y": "%c1",
    "height": "%c2",
    "pitch": "%pitch",
    "shape": (1, 16, 1),
    "result": "vector<1xi32>",
    "more": "",
}
"""A load of 16 words of a row, one for each lane; %x is 0 or 16 words."""


def row(number: int, of: Mapping[str, Any]) -> str:
    height, width, blocks = of["shape"]
    fields = (
        f"elem_size_in_bits = {of['result'][-3:-1]} : i32, pack_register = false, tile_height = {height} : i32, "
        f"tile_width = {width} : i32, transpose = false, v_blocks = {blocks} : i32{of['more']}"
    )
    operands = f"%p_a, %width, {of['height']}, {of['pitch']}, {of['x']}, {of['y']}"
    return f"%r{number} = xevm.blockload2d {operands} <{{{fields}}}> : {SURFACE}) -> {of['result']}"


def rows(
    between: str = "", *, width: int = 192, right: Mapping[str, Any] = {}, **both: Any
) -> list[str]:
    """What reads two rows side by side in a matrix so many bytes wide; `right` is of the second alone."""
    left = {**ROW, **both}
    body = f"""{pointer("a")}
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c16 = arith.constant 16 : i32
    %pitch = arith.constant 256 : i32
    %wider = arith.constant 512 : i32
    %width = arith.constant {width} : i32
    %zero = arith.constant 0 : i32
    %block = gpu.block_id x
    %number = arith.index_cast %block : index to i32
    %x = arith.muli %number, %c16 : i32
    %right = arith.addi {left["x"]}, %c16 : i32
    {row(0, left)}
    {between}
    {row(1, {**left, "x": "%right", **right})}"""
    text = kernel(body, "%a: i64, %n: i32", "known_grid_size = array<i32: 2, 1, 1>")
    names = [name for name in called(text) if "read" in name]
    return [name.removeprefix("__builtin_IB_simd_block_read_") for name in names]


READ_TOGETHER, READ_APART = ["2_global"], ["1_global", "1_global"]


@pytest.mark.parametrize(
    ("between", "read"),
    [
        ("", READ_TOGETHER),
        ("%s = arith.addi %x, %x : i32", READ_TOGETHER),
        ("llvm.store %x, %p_a : i32, !llvm.ptr<1>", READ_APART),
    ],
    ids=["nothing", "a sum", "a store"],
)
def test_neighbouring_rows_are_one_read_unless_something_is_stored_between(
    between: str, read: list[str]
) -> None:
    assert rows(between=between) == read


@pytest.mark.parametrize(
    ("width", "inside"), [(193, 2), (192, 2), (191, 1), (128, 1), (127, 0)]
)
def test_rows_of_which_a_word_may_lie_outside_of_the_width_are_block_messages(
    width: int, inside: int
) -> None:
    """The left row ends at byte 128, the right one at byte 192."""
    found = rows(width=width)
    assert len([name for name in found if name.endswith("_global")]) == (1 if inside else 0)
    assert len(found) == (1 if inside == 2 else 2)


@pytest.mark.parametrize(
    "both",
    [
        {"y": "%c2"},
        {"y": "%n"},
        {"y": "%number"},
        {"height": "%c1"},
        {"height": "%n"},
        {"pitch": "%n"},
        {"x": "%n"},
        {"shape": (2, 16, 1), "result": "vector<2xi32>"},
        {"shape": (2, 8, 1)},
        {"shape": (1, 8, 2)},
        {"shape": (1, 16, 2), "result": "vector<2xi16>"},
        {"more": ", cache_control = #xevm.load_cache_control<L1uc_L2uc_L3uc>"},
    ],
    ids=str,
)
def test_what_may_lie_outside_or_is_no_row_of_words_is_a_block_message(
    both: Mapping[str, Any],
) -> None:
    assert not any(name.endswith("_global") for name in rows(**both))


@pytest.mark.parametrize(
    "right",
    [
        {"y": "%zero"},
        {"height": "%c16"},
        {"pitch": "%wider"},
        {"x": "%zero"},
        {"result": "vector<1xi16>"},
    ],
    ids=str,
)
def test_rows_that_are_no_neighbours_in_one_matrix_are_read_apart(
    right: Mapping[str, Any],
) -> None:
    assert len(rows(right=right)) == 2


def test_the_last_row_of_a_matrix_lies_inside() -> None:
    assert rows(y="%c1", height="%c2") == READ_TOGETHER
    assert rows(y="%zero", height="%c1") == READ_TOGETHER


@pytest.mark.parametrize(
    ("columns", "reads"),
    [
        ([0, 16, 32, 48, 64, 80, 96], [[0, 16, 32, 48], [64, 80], [96]]),
        ([96, 64, 48, 0, 80, 16, 32], [[0, 16, 32, 48], [64, 80], [96]]),
        ([32, 0, 16, 80, 64], [[0, 16], [32], [64, 80]]),
        ([0, 17, 33], [[0], [17, 33]]),
    ],
    ids=str,
)
def test_rows_side_by_side_are_reads_of_4_2_and_1_at_the_first_of_each(
    columns: Sequence[int], reads: list[list[int]]
) -> None:
    constants = "\n".join(f"%x{n} = arith.constant {n} : i32" for n in {1, 256, *columns})
    place = {"pitch": "%width", "height": "%x256", "y": "%x1"}
    loads = "\n".join(row(n, {**ROW, **place, "x": f"%x{n}"}) for n in columns)
    body = f"{pointer('a')}\n%width = arith.constant 512 : i32\n{constants}\n{loads}"
    module = parse(kernel(body, "%a: i64"), "k.mlir")
    (function,) = (op for op in module.walk() if op.name == "gpu.func")
    order = [op for op in module.walk() if op.name == "xevm.blockload2d"]
    at = dict(zip(order, columns, strict=True))
    found = row_reads(function, infer_ranges(function))
    assert sorted([at[op] for op in found[first]] for first in order if found[first]) == reads
    for first in order:
        assert all(order.index(first) <= order.index(op) for op in found[first])


def test_fence_and_barrier():
    body = """gpu.barrier
    xevm.memfence <{addrspace = #xevm.addr_space<global>, scope = #xevm.mem_scope<device>}>"""
    assert called(kernel(body, "")) == ["_Z7barrierj", "_Z22atomic_work_item_fencejii"]


@pytest.mark.mlir_opt
def test_mlir_opt_accepts_what_is_made(mlir_opt: Path):
    text = str(lowered((SOURCES / "arguments.mlir").read_text()))
    answer = subprocess.run(
        [mlir_opt], input=text, capture_output=True, text=True, check=False
    )
    assert (answer.returncode, answer.stderr) == (0, "")


def refusal(text: str) -> XetileError:
    with pytest.raises(XetileError) as found:
        lowered(text)
    return found.value


@pytest.mark.parametrize(
    ("body", "arguments", "message"),
    [
        (
            "%d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>",
            "",
            "'gpu.dynamic_shared_memory' has no lowering",
        ),
        (
            "%p = arith.extui %a : i32 to i64\n%q = llvm.inttoptr %p : i64 to !llvm.ptr<1>",
            "%a: i32",
            "argument a of type i32 is an address",
        ),
        (
            "",
            "%a: memref<4xf32, 3>",
            "argument a of type memref<4xf32, 3 : i64> is not in global memory",
        ),
        ("", "%a: vector<4xf32>", "argument a of type vector<4xf32> has no lowering"),
        (
            "%v = arith.constant dense<0.0> : vector<4x4xf32>",
            "",
            "'arith.constant' of vector<4x4xf32> has no lowering",
        ),
        (
            "xevm.memfence <{scope = #xevm.mem_scope<subgroup>, addrspace = #xevm.addr_space<global>}>",
            "",
            "a fence of scope subgroup and address space global",
        ),
        (  # upstream's verifier takes the next two
            f"""{pointer("a")}
            %v = xevm.blockload2d %p_a, %w, %w, %w, %w, %w <{{elem_size_in_bits = 16 : i32, pack_register = false,
                tile_height = 16 : i32, tile_width = 3 : i32, transpose = false, v_blocks = 1 : i32}}>
                : {SURFACE}) -> vector<3xi16>""",
            "%a: i64, %w: i32",
            "tile_width is 3; block messages have powers of two",
        ),
        (
            f"""{pointer("a")}
            %z = arith.constant dense<0> : vector<4xi32>
            xevm.blockstore2d %p_a, %w, %w, %w, %w, %w, %z <{{elem_size_in_bits = 32 : i32, tile_height = 8 : i32,
                tile_width = 16 : i32}}> : {SURFACE}, vector<4xi32>)""",
            "%a: i64, %w: i32",
            "the stored value is vector<4xi32>, 128 bits; the message takes 256 per lane",
        ),
        (
            f"""{pointer("a")}
            %v = xevm.blockload %p_a <{{cache_control = #xevm.load_cache_control<L1c_L2uc_L3uc>}}>
                : (!llvm.ptr<1>) -> vector<4xi16>""",
            "%a: i64",
            "cache_control of a 1D message has no lowering",
        ),
    ],
)
def test_what_has_no_lowering_is_refused_at_its_place(body: str, arguments: str, message: str):
    error = refusal(kernel(body, arguments))
    assert message in error.message
    assert isinstance(error.location, FileLineColLoc)
    assert error.location.line.data >= 2


def test_products_without_a_builtin():
    with pytest.raises(
        XetileError,
        match="no builtin multiplies f16 and bf16 into f32 with m = 8, n = 16, k = 16",
    ):
        product(
            "f16", "bf16", "f32", 8, 16, ("vector<8xi16>", "vector<8xi32>", "vector<8xf32>")
        )
    with pytest.raises(XetileError, match="with m = 3"):
        product(
            "f16", "f16", "f32", 3, 16, ("vector<3xi16>", "vector<8xi32>", "vector<3xf32>")
        )


def test_kernels_of_other_levels_and_conventions():
    other = "%t = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>"
    error = refusal(kernel(other, "%A: memref<64x64xf16>"))
    assert error.message == "the kernel is at level subgroup; run convert-xegpu-to-xevm first"
    assert "counts subgroups" in refusal(kernel("", "", "VectorComputeFunctionINTEL")).message
    size = refusal(kernel("", "", "intel_reqd_sub_group_size = 32 : i32")).message
    assert size == "intel_reqd_sub_group_size is 32; expected 16, the lanes of a subgroup"
    shared = kernel("", "").replace("@m", '@m [#xevm.target<chip = "bmg">]')
    shared = shared.replace("() kernel", "() workgroup(%b: memref<32769xf32, 3>) kernel")
    assert refusal(shared).message == (
        "the kernel has 131076 bytes of shared memory; bmg gives a workgroup 131072 at most"
    )
    mangled = kernel("", "").replace("@k", "@_Zk")
    assert "names that begin with _Z are mangled ones" in refusal(mangled).message


def test_functions_of_the_func_dialect():
    """xDSL's own tools cannot read gpu.func."""
    text = kernel(
        "%l = gpu.lane_id\nxevm.memfence <{addrspace = #xevm.addr_space<shared>, scope = #xevm.mem_scope<workgroup>}>",
        "",
    )
    text = (
        text.replace("gpu.func", "func.func")
        .replace(" kernel attributes {}", "")
        .replace("gpu.return", "func.return")
    )
    module = lowered(text.replace("gpu.module @m", "builtin.module"))
    (function,) = [op for op in module.walk() if "gpu.kernel" in op.attributes]
    assert function.name == "llvm.func"


def test_positions_survive():
    module = lowered(
        kernel(
            f"{pointer('a')}\n%f = gpu.block_id x\n%g = arith.index_cast %f : index to i32\n%h = arith.addi %g, %g : i32",
            "%a: i64",
        )
    )
    (add,) = [op for op in module.walk() if op.name == "llvm.add"]
    assert isinstance(add.location, FileLineColLoc)
    assert add.location.line.data == 6

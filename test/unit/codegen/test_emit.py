import json
import re

import pytest
from llvmlite import binding
from xdsl.dialects.builtin import ModuleOp

from xetile import __version__
from xetile.codegen import emit, launch_contract, statistics
from xetile.dialects.modules import parse
from xetile.errors import XetileError
from xetile.kernels import gemm_module
from xetile.targets.target import RegisterFile

LOAD = """xevm.blockload2d %p, %w, %h, %w, %x, %x <{elem_size_in_bits = 16 : i32, pack_register = false,
    tile_height = 8 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}>
    : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>"""
STORE = """xevm.blockstore2d %p, %w, %h, %w, %x, %x, %v <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32,
    tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)"""
BODY = f"""%w = arith.constant 64 : i32
    %h = arith.constant 8 : i32
    %x = arith.constant 0 : i32
    %i = memref.extract_aligned_pointer_as_index %A : memref<8x32xf16> -> index
    %l = arith.index_cast %i : index to i64
    %p = llvm.inttoptr %l : i64 to !llvm.ptr<1>
    %v = {LOAD}
    {STORE}
    gpu.return"""


def two_kernels() -> ModuleOp:
    return parse(
        f"""gpu.module @m {{
  gpu.func @first(%A: memref<8x32xf16>) kernel attributes {{known_block_size = array<i32: 16, 1, 1>}} {{
    {BODY}
  }}
  gpu.func @second(%A: memref<8x32xf16>, %n: i32) kernel
      attributes {{known_block_size = array<i32: 16, 2, 1>, known_grid_size = array<i32: 4, 5, 6>}} {{
    {BODY}
  }}
}}""",
        "kernel.mlir",
    )


def test_llvm_ir_of_all_kernels_or_of_one():
    module = two_kernels()
    before = str(module)
    text = emit(module, "ll", "bmg")
    assert isinstance(text, str)
    assert text.count("define spir_kernel") == 2
    assert text.count("declare spir_func") == 3
    text = emit(module, "ll", "bmg", kernel="second")
    assert isinstance(text, str)
    assert '@"second"' in text
    assert '@"first"' not in text
    assert str(module) == before


def test_spirv():
    code = emit(two_kernels(), "spirv", "bmg")
    assert isinstance(code, bytes)
    assert code[:4] == b"\x03\x02\x23\x07"


@pytest.mark.ocloc
def test_binary_and_assembly():
    code = emit(two_kernels(), "zebin", "bmg")
    assert isinstance(code, bytes)
    assert code[:4] == b"\x7fELF"
    text = emit(two_kernels(), "asm", "bmg", kernel="first")
    assert isinstance(text, str)
    assert text.startswith("// kernel first\n")
    assert "load_block2d" in text
    assert "second" not in text


@pytest.mark.ocloc
def test_statistics_of_kernels_without_a_loop():
    counts = statistics(two_kernels(), "bmg", grf="small")
    assert list(counts) == ["first", "second"]
    assert (
        counts["first"]["load2d"]
        == counts["first"]["store2d"]
        == counts["first"]["loop_unroll"]
        == 1
    )
    assert counts["first"]["grf_count"] == 128


@pytest.mark.parametrize(("grf", "told"), [("small", True), ("large", False), (None, False)])
def test_a_small_register_file_that_may_not_hold_a_kernel_is_told_of(
    grf: RegisterFile | None, told: bool, capsys: pytest.CaptureFixture[str]
):
    module = gemm_module(m=256, n=256, k=64, workgroup_tile=(64, 64), subgroup_tile=(32, 64))
    emit(module, "spirv", "bmg", grf=grf)
    says = capsys.readouterr().err
    assert (
        bool(re.search(r"warning: about \d+ registers .* small register file .* 128", says))
        is told
    )


def test_a_small_register_file_that_holds_a_kernel_is_no_warning(
    capsys: pytest.CaptureFixture[str],
):
    emit(two_kernels(), "spirv", "bmg", grf="small")
    assert capsys.readouterr().err == ""


def test_launch_contract():
    contract = launch_contract(two_kernels(), "bmg")
    pointer = {
        "name": "A",
        "kind": "pointer",
        "type": "pointer",
        "source": "memref<8x32xf16>",
        "element": "f16",
        "shape": [8, 32],
        "strides": [32, 1],
        "offset": 0,
        "surface": {
            "base_alignment": 64,
            "least_width": 64,
            "width_multiple": 4,
            "least_pitch": 64,
            "pitch_multiple": 16,
            "largest_extent": 1 << 24,
            "preconditions": [
                {
                    "of": "base",
                    "bytes": [{"factor": 1, "arguments": [0]}],
                    "multiple": 64,
                    "least": None,
                    "most": None,
                }
            ],
        },
    }
    count = {"name": "n", "kind": "value", "type": "i32", "source": "i32"}
    floats = {
        "contraction": "off",
        "rounding": "to_nearest_even",
        "denormals": "preserve",
        "exact_division": False,
    }
    each = {
        "device": "bmg",
        "subgroup_size": 16,
        "shared_memory": 0,
        "floating_point": floats,
        "registers": {"file": "small", "estimated": 5},
    }
    first = {"name": "first", "grid": None, "block": [16, 1, 1], "arguments": [pointer]}
    second = {
        "name": "second",
        "grid": [4, 5, 6],
        "block": [16, 2, 1],
        "arguments": [pointer, count],
    }
    assert json.loads(json.dumps(contract)) == {
        "version": 1,
        "made_by": {
            "xetile": __version__,
            "llvm": ".".join(map(str, binding.llvm_version_info)),
        },
        "kernels": [{**first, **each}, {**second, **each}],
        "build_options": {"opencl": "", "level_zero": ""},
    }
    large = launch_contract(two_kernels(), "bmg", grf="large")
    assert large["build_options"] == {
        "opencl": "-cl-intel-256-GRF-per-thread",
        "level_zero": "-ze-opt-large-register-file",
    }
    each["registers"] = {"file": "large", "estimated": 5}
    assert large["kernels"] == [{**first, **each}, {**second, **each}]


@pytest.mark.parametrize(
    ("module", "kernel", "message"),
    [
        (
            "builtin.module {\n}",
            None,
            "kernel.mlir:1:1: error: there is no kernel: the file is empty; expected a gpu.module with a gpu.func "
            "that has the keyword 'kernel'",
        ),
        (
            "gpu.module @m {\n}",
            "gemm",
            "there is no kernel 'gemm'; a kernel is a gpu.func with the keyword 'kernel' in a gpu.module",
        ),
        (
            "gpu.module @m {\n  gpu.func @k() {\n    gpu.return\n  }\n}",
            None,
            "kernel.mlir:2:3: error: there is no kernel: 'k' is a gpu.func without the keyword 'kernel'; "
            "write it behind the arguments",
        ),
        (
            "func.func @k() {\n  func.return\n}",
            "k",
            "kernel.mlir:1:1: error: there is no kernel: 'k' is a func.func; "
            "a kernel is a gpu.func with the keyword 'kernel' in a gpu.module",
        ),
        (None, "gemm", "there is no kernel 'gemm'; the module has: first, second"),
        (
            None,
            "frist",
            "there is no kernel 'frist'; did you mean 'first'?",
        ),
    ],
)
def test_a_kernel_that_is_not_there(module: str | None, kernel: str | None, message: str):
    source = two_kernels() if module is None else parse(module, "kernel.mlir")
    with pytest.raises(XetileError, match=f"^{re.escape(message)}$"):
        emit(source, "ll", "bmg", kernel=kernel)


def test_an_unknown_device():
    with pytest.raises(XetileError, match="unknown device 'dg2'"):
        emit(two_kernels(), "spirv", "dg2")

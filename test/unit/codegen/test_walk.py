"""What is known of a kernel's work before it is compiled."""

from pathlib import Path

import pytest

from tools.instruction_counts.attention import attention
from xetile.api import parse_text
from xetile.codegen import lower_to_llvm
from xetile.codegen.llvm_functions import is_kernel, llvm_functions
from xetile.codegen.walk import walk
from xetile.kernels import gemm_module
from xetile.toolchain.assembly import Work

EXAMPLES = Path(__file__).parents[3] / "examples"


def walked(text: str, **arguments: int) -> Work:
    lowered = lower_to_llvm(parse_text(text, "kernel.mlir"), "bmg")
    (kernel,) = filter(is_kernel, llvm_functions(lowered))
    return walk(kernel, arguments)


@pytest.mark.parametrize(
    ("example", "work"),
    [
        ("gemm_f16", Work(True, 32, 128 * 32, 3, 1)),
        ("gemm_f16_plain", Work(True, 32, 128 * 32, None, 1)),
        ("gemm_int8_weights", Work(True, 32, 128 * 32, None, 32)),
        ("softmax", Work(False, 0, 0, None, 0)),
    ],
)
def test_examples(example: str, work: Work) -> None:
    """A loop with prefetches three steps ahead, one without, loops in loops, none."""
    assert walked((EXAMPLES / f"{example}.mlir").read_text()) == work


@pytest.mark.parametrize(("k", "distance"), [(96, 1), (160, 2), (1024, 4)])
def test_steps_and_prefetches_as_written(k: int, distance: int) -> None:
    kernel = gemm_module(
        m=64, n=64, k=k, workgroup_tile=(64, 64), subgroup_tile=(32, 32), prefetch=distance
    )
    (lowered,) = filter(is_kernel, llvm_functions(lower_to_llvm(kernel, "bmg")))
    assert walk(lowered) == Work(True, 16, k // 32 * 16, distance, 1)


def test_a_loop_whose_end_an_argument_tells() -> None:
    text = attention(8, "D x keys")
    assert walked(text, keys=4096) == Work(True, 32, 64 * 32, None, 1)
    assert walked(text) == Work(True, 32, None, None, None)


@pytest.mark.parametrize(
    ("op", "other", "products"),
    [("sext", "-1 : i32", 1), ("zext", "1 : i32", 1), ("sext", "1 : i32", 0)],
)
def test_a_true_i1_is_extended_as_in_llvm(op: str, other: str, products: int) -> None:
    module = parse_text(
        f"""
builtin.module {{
  llvm.func @__spirv_matrix_mad_f16()
  llvm.func @k() {{
    %zero = llvm.mlir.constant(0 : i32) : i32
    %true = llvm.icmp "eq" %zero, %zero : i32
    %wide = llvm.{op} %true : i1 to i32
    %other = llvm.mlir.constant({other}) : i32
    %is = llvm.icmp "eq" %wide, %other : i32
    %one = llvm.mlir.constant(true) : i1
    %both = llvm.icmp "eq" %is, %one : i1
    llvm.cond_br %both, ^yes, ^no
  ^yes:
    llvm.call @__spirv_matrix_mad_f16() : () -> ()
    llvm.br ^no
  ^no:
    llvm.return
  }}
}}""",
        "kernel.mlir",
    )
    (kernel,) = (f for f in llvm_functions(module) if f.body.blocks)
    assert walk(kernel).products == products

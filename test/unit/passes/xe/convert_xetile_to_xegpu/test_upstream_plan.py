"""`upstream-plan`: messages that upstream's own lowering takes, down to SPIR-V; and where it stops, and why."""

import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from support.products import RESULTS, Array, matrices, same_bits
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xetile import api
from xetile.dialects.modules import context
from xetile.dialects.upstream.gpu import BinaryOp, ObjectAttr
from xetile.dialects.xegpu import DpasOp, LoadNdOp, TensorDescType
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.kernels import gemm_module
from xetile.passes.pipelines import lower
from xetile.passes.xe.convert_xetile_to_xegpu import ConvertXeTileToXeGPU
from xetile.rewriting.kept_positions import canonicalize
from xetile.toolchain.mlir import Route, run_passes

EXAMPLES = Path(__file__).parents[5] / "examples"
MARKS = {"bindings": pytest.mark.mlir_bindings, "mlir-opt": pytest.mark.mlir_opt}
ROUTES = [pytest.param(route, marks=MARKS[route]) for route in get_args(Route)]
PIPELINE = (
    "gpu-lower-to-xevm-pipeline{xegpu-op-level=subgroup zebin-chip=bmg binary-format=bin}"
)


def planned(module: ModuleOp, *, upstream: bool = True) -> ModuleOp:
    """A module at level X."""
    copy = module.clone()
    lower(context(), copy, "blocked", "bmg")
    ConvertXeTileToXeGPU("bmg", upstream_plan=upstream).apply(context(), copy)
    canonicalize(context(), copy)
    copy.verify()
    return copy


@cache
def example(name: str, *, upstream: bool) -> ModuleOp:
    return planned(api.parse(EXAMPLES / f"{name}.mlir"), upstream=upstream)


def descriptors(module: ModuleOp) -> set[TensorDescType]:
    values = [value for op in module.walk() for value in op.results]
    return {value.type for value in values if isinstance(value.type, TensorDescType)}


@pytest.mark.parametrize(
    "name", ["gemm_f16", "gemm_f16_plain", "gemm_bf16", "gemm_bf16_plain"]
)
def test_blocks_are_at_most_16x16_single_and_not_packed(name: str) -> None:
    module = example(name, upstream=True)
    types = descriptors(module)
    assert types
    for type in types:
        assert max(type.get_shape()) <= 16
        assert "array_length" not in str(type)
    loads = [op for op in module.walk() if isinstance(op, LoadNdOp)]
    assert (
        len(loads) == 12
    )  # 4 of A and 8 of B: half as many as matrix instructions would need
    assert not any("packed" in op.properties for op in loads)
    assert sum(isinstance(op, DpasOp) for op in module.walk()) == 32


def test_operands_of_8_bits_are_as_long_along_k_as_the_instruction() -> None:
    shapes = {
        tuple(type.get_shape())
        for type in descriptors(example("gemm_i8_plain", upstream=True))
    }
    assert shapes == {(16, 32), (32, 16), (8, 16)}


KERNELS: dict[str, dict[str, Any]] = {
    "f16": {"a": "f16"},
    "f16 ahead": {"a": "f16", "prefetch": 2},
    "bf16": {"a": "bf16"},
    "i8": {"a": "i8", "accumulator": "i32"},
    "tf32": {"a": "tf32", "k_step": 16},
    "f16 truncated": {"a": "f16", "c": "f16"},
}


@pytest.mark.parametrize(
    "size", [(64, 64, 64), (72, 80, 144)], ids=lambda s: "x".join(map(str, s))
)
@pytest.mark.parametrize("name", KERNELS)
def test_execution_is_that_of_workgroup_level(name: str, size: tuple[int, int, int]) -> None:
    m, n, k = size
    tiles: dict[str, Any] = {
        "workgroup_tile": (64, 64),
        "subgroup_tile": (32, 32),
        "k_step": 32,
    }
    options = tiles | KERNELS[name]
    module = gemm_module(m=m, n=n, k=k, **options)
    a, b = matrices(m, n, k, options["a"], integers=False)
    kind: str = options.get("c") or options.get("accumulator") or "f32"
    results: list[Array] = []
    for version in (module, planned(module)):
        c = (
            matrices(m, n, 1, "i8", integers=True)[0][:, :1]
            .repeat(n, axis=1)
            .astype(RESULTS[kind])
        )
        execute(version, "gemm", [a, b, c])
        results.append(c)
    assert same_bits(*results)
    assert results[0].any()


SCALED = """
#a = #xetile.tile_attr<inner_blocks = [32, 16]>
#c = #xetile.tile_attr<inner_blocks = [8, 16]>
func.func @scaled(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf16>)
    attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %two = arith.constant dense<2.0> : vector<1x2x32x16xf16>
  %ta = xetile.init_tile %A[0, 0] : memref<32x32xf16> -> !xetile.tile<32x32xf16, #a>
  %tb = xetile.init_tile %B[0, 0] : memref<32x32xf16> -> !xetile.tile<32x32xf16, #a>
  %tc = xetile.init_tile %C[0, 0] : memref<32x32xf16> -> !xetile.tile<32x32xf16, #c>
  %a = xetile.load_tile %ta : !xetile.tile<32x32xf16, #a> -> vector<1x2x32x16xf16>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %a) -> (vector<1x2x32x16xf16>) {
    %b = xetile.load_tile %tb : !xetile.tile<32x32xf16, #a> -> vector<1x2x32x16xf16>
    %s = arith.addf %v, %b : vector<1x2x32x16xf16>
    %t = arith.mulf %s, %two : vector<1x2x32x16xf16>
    scf.yield %t : vector<1x2x32x16xf16>
  }
  %u = xetile.tile_unpack %r {inner_blocks = array<i64: 32, 16>} : vector<1x2x32x16xf16> -> vector<32x32xf16>
  %p = xetile.tile_pack %u {inner_blocks = array<i64: 8, 16>} : vector<32x32xf16> -> vector<4x2x8x16xf16>
  xetile.store_tile %p, %tc : vector<4x2x8x16xf16>, !xetile.tile<32x32xf16, #c>
  return
}
"""


def test_what_is_loaded_in_smaller_blocks_meets_what_is_not() -> None:
    module = api.parse(SCALED)
    a, b = matrices(32, 32, 32, "f16", integers=True)
    results: list[Array] = []
    for version in (module, planned(module)):
        c = a * 0
        execute(version, "scaled", [a, b, c])
        results.append(c)
    assert same_bits(*results)
    assert results[0].any()


def code(module: ModuleOp) -> bytes:
    """The first object of the first binary."""
    binary = next(op for op in module.walk() if isinstance(op, BinaryOp))
    found = binary.objects.data[0]
    assert isinstance(found, ObjectAttr)
    return found.data


@pytest.mark.spirv_val
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    "name",
    [
        "gemm_f16",
        "gemm_f16_plain",
        "host_gemm_f16",
        "rfc/2.1-prefetch",
        "rfc/2.5-two-cache-levels",
    ],
)
def test_f16_goes_through_upstream_to_spirv(
    spirv_val: Path, tmp_path: Path, name: str, route: Route
) -> None:
    back = run_passes(example(name, upstream=True), PIPELINE, route=route)
    api.verify(back)
    assert not any(op.name.startswith(("xegpu", "xevm", "gpu.func")) for op in back.walk())
    file = tmp_path / "kernel.spv"
    file.write_bytes(code(back))
    done = subprocess.run([spirv_val, file], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.ocloc
@pytest.mark.mlir_opt
def test_what_upstream_makes_is_the_kernel_of_our_plan_with_more_loads() -> None:
    from xetile.targets.xe.device import BUILD_OPTIONS
    from xetile.toolchain.assembly import Work, statistics
    from xetile.toolchain.ocloc import compile_spirv, disassemble

    spirv = code(
        run_passes(example("gemm_f16_plain", upstream=True), PIPELINE, route="mlir-opt")
    )
    options = BUILD_OPTIONS["large"].level_zero
    listing = disassemble(compile_spirv(spirv, "bmg", options), "bmg")
    found = statistics(
        listing.kernels["gemm"], listing.description, "gemm", work=Work(products_per_step=32)
    )
    assert (found["dpas"], found["load2d"], found["spill_size"]) == (32, 12, 0)


STOPS = {
    # what an array_length of 2 loads is not distributed to lanes
    (
        "gemm_f16",
        False,
    ): "'xevm.blockload2d' op result size of 16384 bits does not match the expected size of 1024 bits",
    (
        "gemm_bf16",
        False,
    ): "'xevm.blockload2d' op result size of 16384 bits does not match the expected size of 1024 bits",
    (
        "gemm_i8",
        False,
    ): "'xevm.blockload2d' op result size of 8192 bits does not match the expected size of 512 bits",
    # upstream turns the XeVM of these into LLVM IR, and its SPIR-V back end gives up
    (
        "gemm_bf16",
        True,
    ): "OpTypeFloat type with bfloat requires the following SPIR-V extension: SPV_KHR_bfloat16",
    ("gemm_i8", True): "unable to legalize instruction: ",
}


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(("name", "upstream"), STOPS)
def test_how_far_upstream_gets(name: str, upstream: bool, route: Route) -> None:
    """Where these no longer stop there, upstream has got further: take the entry out of the table."""
    module = example(name, upstream=upstream)
    with pytest.raises(XetileError) as found:
        run_passes(module, PIPELINE, route=route)
    assert STOPS[name, upstream] in str(found.value)
    assert "\n" not in str(found.value)
    if "xevm.blockload2d" in STOPS[name, upstream]:
        load = next(op for op in module.walk() if isinstance(op, LoadNdOp))
        assert str(found.value).startswith(f"{place(load)}: error: MLIR: ")
    else:
        assert re.match(r"MLIR gave up \(status 1\) in the pipeline '.*': ", str(found.value))


def place(op: Operation) -> str:
    from xetile.errors import position

    found = position(op)
    assert found is not None
    return f"{found.filename.data}:{found.line.data}:{found.column.data}"


STEPS = (
    "cse",
    "convert-vector-to-scf{target-rank=1}",
    "xevm-attach-target{O=2 chip=bmg}",
    "func.func(gpu-async-region)",
    "gpu.module(xegpu-propagate-layout{layout-kind=lane})",
    "gpu.module(xegpu-subgroup-distribute)",
    "gpu.module(canonicalize,cse,loop-invariant-code-motion,cse)",
    "gpu.module(xegpu-vector-linearize)",
    "gpu.module(convert-math-to-xevm{convert-arith=true})",
    "gpu.module(convert-xegpu-to-xevm)",
    "gpu.module(convert-gpu-to-llvm-spv{use-64bit-index=true})",
    "gpu.module(cse,reconcile-unrealized-casts)",
    "convert-scf-to-cf,expand-strided-metadata",
    "gpu-to-llvm,lower-affine,convert-vector-to-llvm,convert-to-llvm,reconcile-unrealized-casts",
    "gpu-module-to-binary{format=bin}",
)
"""The pipeline in pieces. Source: `mlir-opt --dump-pass-pipeline` of version 22.1.8."""


@pytest.mark.mlir_opt
def test_the_ir_between_upstreams_passes_is_ir_of_xdsl() -> None:
    """Each piece runs on what the piece before it left here, and all of them come to the same binary."""
    options: dict[str, Any] = {
        "workgroup_tile": (16, 16),
        "subgroup_tile": (16, 16),
        "k_step": 16,
    }
    start = planned(gemm_module(m=32, n=32, k=32, **options))
    module = start
    for step in STEPS:
        module = run_passes(module, step, route="mlir-opt")
        api.verify(module)
    assert code(module) == code(run_passes(start, PIPELINE, route="mlir-opt"))

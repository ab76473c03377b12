"""Launches from host code: what is checked, what is passed on, and what runs where."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from xetile import kernels
from xetile.api import lower, parse_text, text
from xetile.errors import XetileError
from xetile.interpreter import execute_host
from xetile.interpreter.host import llvm_text, loops

MAIN = """
  func.func @main(%A: memref<64x64xf16>, %B: memref<64x64xf16>, %C: memref<64x64xf32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %items = arith.constant 64 : index
    gpu.launch_func @kernels::@gemm blocks in (%c2, %c2, %c1) threads in (%items, %c1, %c1)
        args(%A : memref<64x64xf16>, %B : memref<64x64xf16>, %C : memref<64x64xf32>)
    return
  }
"""


def gemm(changes: Mapping[str, str] | None = None) -> ModuleOp:
    """A GEMM on 2x2 workgroups of 2x2 subgroups, with a `main` that launches it; `changes` are made in its text."""
    kernel = kernels.gemm_module(
        m=64, n=64, k=64, workgroup_tile=(32, 32), subgroup_tile=(16, 16), k_step=32
    )
    head, end = text(kernel).rstrip().removesuffix("}"), "}"
    program = f"{head}{MAIN}{end}"
    for before, after in (changes or {}).items():
        assert before in program
        program = program.replace(before, after)
    return parse_text(program, "host.mlir")


@pytest.mark.parametrize("level", ["workgroup", "subgroup", "blocked", "xegpu", "xevm"])
def test_a_kernel_of_any_level(level: Any) -> None:
    module = gemm()
    if level != "workgroup":
        module = lower(module, to=level, device=None if level == "subgroup" else "bmg")
    generator = np.random.default_rng(0)
    a, b = (generator.integers(-4, 5, (64, 64)).astype(np.float16) for _ in range(2))
    c = np.zeros((64, 64), np.float32)
    execute_host(module, "main", [a, b, c], output=lambda _: None)
    assert (c == a.astype(np.float32) @ b.astype(np.float32)).all()


def test_a_block_has_the_subgroups_of_the_maps() -> None:
    module = gemm(
        {
            "known_block_size = array<i32: 64, 1, 1>, ": "",
            "constant 64 : index\n    gpu": "constant 32 : index\n    gpu",
            ", xetile.sg_layout = array<i64: 2, 2>": "",
            "%total_1 :": "%total_1 {wg_map_c = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>} :",
        }
    )
    arrays = [np.zeros((64, 64), kind) for kind in (np.float16, np.float16, np.float32)]
    message = r"blocks of 2 subgroups, sg_layout \[2, 2\] \(line \d+\) has 4"
    with pytest.raises(XetileError, match=message):
        execute_host(module, "main", arrays, output=lambda _: None)


RACE = """
gpu.module @m {
  gpu.func @k(%out: memref<2xi32>) kernel attributes {VectorComputeFunctionINTEL} {
    %shared = memref.alloc() : memref<2xi32, 3>
    %id = gpu.subgroup_id : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %other = arith.subi %c1, %id : index
    memref.store %one, %shared[%id] : memref<2xi32, 3>
    %v = memref.load %shared[%other] : memref<2xi32, 3>
    memref.store %v, %out[%id] : memref<2xi32>
    gpu.return
  }
}
func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = gpu.alloc () : memref<2xi32>
  gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c2, %c1, %c1) args(%m : memref<2xi32>)
  return
}
"""


def test_kernels_are_watched_where_that_is_asked() -> None:
    module = parse_text(RACE, "host.mlir")
    execute_host(module, "main", output=lambda _: None, sanitize=False)
    with pytest.raises(XetileError, match=r"host.mlir:10:5: error: .*barrier"):
        execute_host(module, "main", output=lambda _: None, sanitize=True)


def test_progress_is_that_of_the_outermost_work() -> None:
    program = """
    gpu.module @m { gpu.func @k() kernel { gpu.return } }
    func.func @main() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c16 = arith.constant 16 : index
      gpu.launch_func @m::@k blocks in (%c16, %c1, %c1) threads in (%c16, %c1, %c1)
      scf.for %i = %c0 to %c3 step %c1 {
        gpu.launch_func @m::@k blocks in (%c16, %c1, %c1) threads in (%c16, %c1, %c1)
      }
      return
    }"""
    seen: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        seen.append((done, total))

    execute_host(
        parse_text(program, "host.mlir"), "main", output=lambda _: None, progress=progress
    )
    assert seen == [(16, 16), (0, 3), (1, 3), (1, 3), (2, 3), (2, 3), (3, 3)]


LOOP = """
func.func @f(%m: memref<100xf16>) -> f16 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  %zero = arith.constant 0.0 : f16
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f16) {
    %x = memref.load %m[%i] : memref<100xf16>
    %t = arith.addf %s, %x : f16
    memref.store %t, %m[%i] : memref<100xf16>
    scf.yield %t : f16
  }
  return %r : f16
}
"""


def test_a_processor_without_f16_interprets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "WORTH_COMPILING", 0)
    monkeypatch.setattr(llvm_text, "has_half_conversions", lambda: False)
    array = np.full(100, 0.5, np.float16)
    (result,) = execute_host(
        parse_text(LOOP, "host.mlir"), "f", [array], output=lambda _: None
    )
    assert result == 50
    assert (array == np.arange(1, 101) / 2).all()


def test_compiled_loops_write_to_what_may_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "WORTH_COMPILING", 0)
    array = np.full(100, 0.5, np.float16)
    array.flags.writeable = False
    with pytest.raises(
        XetileError, match=r"host.mlir:10:5: error: cannot store to argument 0"
    ):
        execute_host(parse_text(LOOP, "host.mlir"), "f", [array], output=lambda _: None)


@pytest.mark.parametrize("body", ["memref.dealloc %m : memref<4xf32>", "%g = gpu.wait async"])
def test_compiled_loops_look_at_memory_that_is_there(
    body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loops, "WORTH_COMPILING", 0)
    program = f"""
    func.func @main() -> f32 {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0.0 : f32
      %m = memref.alloc() : memref<4xf32>
      {body}
      %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (f32) {{
        %x = memref.load %m[%i] : memref<4xf32>
        scf.yield %x : f32
      }}
      return %r : f32
    }}"""
    module = parse_text(program, "host.mlir")
    if "dealloc" in body:
        message = (
            "host.mlir:10:9: error: 'memref.load' uses the memory allocated in line 7 after"
        )
        with pytest.raises(XetileError, match=message):
            execute_host(module, "main", output=lambda _: None)
    else:
        assert execute_host(module, "main", output=lambda _: None) == [0.0]


@pytest.mark.parametrize("worth", [0, 1 << 60])
@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ((-3, 5, 2), [-3, -1, 1, 3]),
        ((5, 5, 1), []),
        ((7, -7, 1), []),
        ((120, 127, 5), [120, 125]),
    ],
)
def test_loops_over_narrow_integers(
    bounds: tuple[int, int, int],
    expected: list[int],
    worth: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loops, "WORTH_COMPILING", worth)
    program = """
    func.func @f(%a: i8, %b: i8, %s: i8, %m: memref<8xi8>) -> (index, i8) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %none = arith.constant -1 : i8
      %r:2 = scf.for %i = %a to %b step %s iter_args(%n = %c0, %last = %none) -> (index, i8) : i8 {
        memref.store %i, %m[%n] : memref<8xi8>
        %next = arith.addi %n, %c1 : index
        scf.yield %next, %i : index, i8
      }
      return %r#0, %r#1 : index, i8
    }"""
    array = np.zeros(8, np.int8)
    module = parse_text(program, "host.mlir")
    count, last = execute_host(module, "f", [*bounds, array], output=lambda _: None)
    assert (count, last) == (len(expected), expected[-1] if expected else -1)
    assert array[: len(expected)].tolist() == expected

"""Wrong host programs: one error at the op, with what was found."""

import pytest

from xetile.api import parse_text
from xetile.errors import XetileError
from xetile.interpreter import execute_host

FUNCTIONS = """\
func.func @main() { return }
func.func @down(%n: index) -> index {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %done = arith.cmpi eq, %n, %c0 : index
  %r = scf.if %done -> (index) { scf.yield %c0 : index } else {
  %less = arith.subi %n, %c1 : index
  %s = func.call @down(%less) : (index) -> index
  %more = arith.addi %s, %c1 : index
  scf.yield %more : index }
  return %r : index
}
func.func @deep() -> index {
  %c600 = arith.constant 600 : index
  %r = call @down(%c600) : (index) -> index
  return %r : index
}
func.func @unknown() {
  call @trace() : () -> ()
  call @trace() : () -> ()
  return
}
func.func @value() -> i32 {
  %0 = call @measure() : () -> i32
  return %0 : i32
}
func.func @asserts() {
  %no = arith.constant false
  cf.assert %no, "no luck"
  return
}
func.func @in_kernels() {
  %x = gpu.block_id x
  return
}
func.func private @trace()
func.func private @measure() -> i32
"""

MEMORY = """\
func.func @outside() {
  %c4 = arith.constant 4 : index
  %m = memref.alloc() : memref<4xf32>
  %0 = memref.load %m[%c4] : memref<4xf32>
  return
}
func.func @late() {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  %m = memref.alloc() : memref<4xf32>
  memref.dealloc %m : memref<4xf32>
  memref.store %x, %m[%c0] : memref<4xf32>
  return
}
func.func @twice() {
  %m = memref.alloc() : memref<4xf32>
  memref.dealloc %m : memref<4xf32>
  memref.dealloc %m : memref<4xf32>
  return
}
func.func @device() {
  %c0 = arith.constant 0 : index
  %m = gpu.alloc () : memref<4xf32>
  %0 = memref.load %m[%c0] : memref<4xf32>
  return
}
func.func @zero() -> i32 {
  %c0 = arith.constant 0 : i32
  %0 = arith.divsi %c0, %c0 : i32
  return %0 : i32
}
func.func @negative() {
  %n = arith.constant -1 : index
  %m = memref.alloc(%n) : memref<?xf32>
  return
}
"""

LAUNCHES = """\
gpu.module @m {
  gpu.func @k(%m: memref<4xf32>) kernel attributes {known_grid_size = array<i32: 2, 1, 1>} {
    %c7 = arith.constant 7 : index %x = arith.constant 1.0 : f32
    memref.store %x, %m[%c7] : memref<4xf32>
    gpu.return }
}
func.func @missing() {
  %c1 = arith.constant 1 : index
  gpu.launch_func @m::@l blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
  return
}
func.func @module() {
  %c1 = arith.constant 1 : index
  gpu.launch_func @n::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
  return
}
func.func @block() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = memref.alloc() : memref<4xf32>
  gpu.launch_func @m::@k blocks in (%c2, %c1, %c1) threads in (%c2, %c1, %c1) args(%m : memref<4xf32>)
  return
}
func.func @arguments() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  gpu.launch_func @m::@k blocks in (%c2, %c1, %c1) threads in (%c16, %c1, %c1)
  return
}
func.func @kernel_fault() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %m = memref.alloc() : memref<4xf32>
  gpu.launch_func @m::@k blocks in (%c2, %c1, %c1) threads in (%c16, %c1, %c1) args(%m : memref<4xf32>)
  return
}
func.func @without_module() {
  %c1 = arith.constant 1 : index
  gpu.launch_func @k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
  return
}
"""


@pytest.mark.parametrize(
    ("text", "entry", "message"),
    [
        (
            FUNCTIONS,
            "deep",
            "host.mlir:8:3: error: 'down' is called inside of 500 other calls",
        ),
        (
            FUNCTIONS,
            "value",
            "host.mlir:24:3: error: 'measure' is declared only, and its results are not known",
        ),
        (FUNCTIONS, "asserts", "host.mlir:29:3: error: assertion failed: no luck"),
        (
            MEMORY,
            "outside",
            "host.mlir:4:3: error: index 4 is outside of dimension 0 of extent 4",
        ),
        (
            MEMORY,
            "late",
            "host.mlir:12:3: error: 'memref.store' uses the memory allocated in line 10 after 'memref.dealloc' in line 11 gave it back",
        ),
        (
            MEMORY,
            "twice",
            "host.mlir:18:3: error: 'memref.dealloc' uses the memory allocated in line 16 after 'memref.dealloc' in line 17 gave it back",
        ),
        (
            MEMORY,
            "device",
            "host.mlir:24:3: error: 'memref.load' on the host reaches the device's memory allocated in line 23; use gpu.memcpy, or allocate with host_shared",
        ),
        (MEMORY, "zero", "host.mlir:29:3: error: 'arith.divsi' divides by zero"),
        (
            MEMORY,
            "negative",
            "host.mlir:34:3: error: a new memref has extent -1; expected none below 0",
        ),
        (
            LAUNCHES,
            "missing",
            "host.mlir:9:3: error: there is no kernel 'l' in gpu.module 'm'; it has: k",
        ),
        (
            LAUNCHES,
            "module",
            "host.mlir:14:3: error: there is no gpu.module 'n'; the program has: m",
        ),
        (
            LAUNCHES,
            "without_module",
            "host.mlir:41:3: error: a kernel is named with its gpu.module; write @m::@k",
        ),
        (
            LAUNCHES,
            "block",
            "host.mlir:21:3: error: the block [2, 1, 1] has 2 work-items; expected a multiple of 16, the lanes of a subgroup (or VectorComputeFunctionINTEL on the kernel 'k' in line 2, which counts subgroups)",
        ),
        (
            LAUNCHES,
            "arguments",
            "host.mlir:28:3: error: the launch gives nothing, the kernel 'k' in line 2 takes memref<4xf32>",
        ),
        (
            LAUNCHES,
            "kernel_fault",
            "host.mlir:4:5: error: index 7 is outside of dimension 0 of extent 4",
        ),
        (
            FUNCTIONS,
            "in_kernels",
            "host.mlir:33:3: error: 'gpu.block_id' is executed in kernels only, which gpu.launch_func launches",
        ),
    ],
)
def test_refused_at_the_op(text: str, entry: str, message: str) -> None:
    with pytest.raises(XetileError) as caught:
        execute_host(parse_text(text, "host.mlir"), entry, output=lambda _: None)
    assert str(caught.value) == message


def test_unknown_functions_are_ignored_with_one_remark(
    capsys: pytest.CaptureFixture[str],
) -> None:
    execute_host(parse_text(FUNCTIONS, "host.mlir"), "unknown", output=lambda _: None)
    remark = "host.mlir:19:3: remark: 'trace' is declared only; calls of it are ignored\n"
    assert capsys.readouterr().err == remark


def test_a_function_may_call_itself() -> None:
    (result,) = execute_host(
        parse_text(FUNCTIONS, "host.mlir"), "down", [400], output=lambda _: None
    )
    assert result == 400


@pytest.mark.parametrize("extent", [10**14, 2**61, 2**63 - 1])
def test_more_memory_than_there_is_is_reported_at_the_op(extent: int) -> None:
    module = parse_text(
        "func.func @main() {\n"
        f"  %n = arith.constant {extent} : index\n"
        "  %m = memref.alloc(%n) : memref<?xf32>\n"
        "  return\n"
        "}",
        "big.mlir",
    )
    with pytest.raises(XetileError) as caught:
        execute_host(module, "main", output=print)
    assert str(caught.value) == (
        "big.mlir:3:3: error: 'memref.alloc' takes more memory than there is"
    )


def test_a_program_that_needs_more_memory_than_there_is_names_its_entry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def exhausted(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("xetile.interpreter.host.run.run_function", exhausted)
    module = parse_text("func.func @main() {\n  return\n}\n", "main.mlir")
    with pytest.raises(XetileError) as caught:
        execute_host(module, "main", output=print)
    assert str(caught.value) == (
        "main.mlir:1:1: error: executing 'main' takes more memory than there is"
    )
